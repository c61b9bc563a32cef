/* metric: whitened steps: in the metric M = curvature times the second moments + l2: at 0 one
 * factor for all classes, later one for each. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "optim/cholesky.h"
#include "run/training.h"
#include "tempered/method.h"

/* A tenth of the rows tells enough, if it is many times the number of features: with fewer the
 * smallest directions are lost in noise, and with them most of what whitening brings. For a matrix
 * of each class, more rows than these take longer than the passes they save. */
enum { ROWS_A_FEATURE = 16, ROWS_OF_CLASSES = 10, SHARE_OF_ROWS = 10 };
/* Relative to the mean of the diagonal: what keeps the factor away from singular. */
static const double RIDGE = 1e-7;
/* Of all factors together; beyond, one for all classes has to do. */
static const double MOST_BYTES = 256.0 * 1024 * 1024;

void metric_free(struct metric *metric)
{
    mem_free(metric->factor);
    mem_free(metric->column);
}

/* Each class has its own curvature where training has come to, if that is not too much memory. It
 * halves the passes of convex losses; of others it saves none. */
static bool wants_classes(const struct training_run *t, const struct phase *phase)
{
    const struct metric *metric = &t->metric;
    double numbers = (double)metric->n * (double)metric->n * (double)metric->vectors;
    return phase->bends && phase->loss.t1 >= phase->loss.t2 &&
           numbers * sizeof(double) <= MOST_BYTES;
}

static bool make_room(struct training_run *t, const struct phase *phase)
{
    struct metric *metric = &t->metric;
    size_t square;
    metric_free(metric);
    metric->vectors = objective_vectors(t->objective);
    metric->n = t->size / metric->vectors;
    metric->factors = wants_classes(t, phase) ? metric->vectors : 1;
    metric->factor = NULL;
    if (mul_size(metric->n, metric->n, &square) && mul_size(square, sizeof(double), &square))
        metric->factor = mem_alloc(metric->factors, square);
    metric->column = mem_alloc(metric->n, sizeof(double));
    return metric->factor && metric->column;
}

double metric_bend(temper_loss_spec loss, size_t classes)
{
    double bend = loss.method == TEMPER_HINGE ? 0 : any_margin_loss(loss, 0).curvature;
    if (!(bend > 0))
        bend = 0.25;
    return classes == 2 ? bend : bend * 2 * (1 - 1 / (double)classes);
}

/* The second moments, of rows that count as much as they bend the objective. */
static temper_status take_moments(struct training_run *t, const struct phase *phase)
{
    struct metric *metric = &t->metric;
    size_t n = metric->n, rows = (size_t)t->data->x.rows;
    size_t wanted = rows / SHARE_OF_ROWS;
    size_t least = n * (metric->factors > 1 ? ROWS_OF_CLASSES : ROWS_A_FEATURE);
    wanted = wanted > least ? wanted : least;
    if (metric->factors > 1)
        return objective_class_grams(t->objective, t->origin, wanted, metric->factor, t->error);
    temper_status status = objective_gram(t->objective, phase->bends ? t->origin : NULL, wanted,
                                          metric->factor, t->error);
    if (phase->bends || status != TEMPER_OK)
        return status;
    double bend = metric_bend(phase->loss, t->data->classes.count);
    for (size_t i = 0; i < n * n; i++)
        metric->factor[i] *= bend;
    return TEMPER_OK;
}

static double *factor_at(const struct metric *metric, size_t vector)
{
    return metric->factor + (metric->factors > 1 ? vector * metric->n * metric->n : 0);
}

/* The penalty, and what keeps the factors away from singular. */
static void add_diagonals(const struct metric *metric, size_t columns, double l2)
{
    const size_t n = metric->n;
    double mean = 0;
    for (size_t f = 0; f < metric->factors; f++)
        for (size_t j = 0; j < n; j++)
            mean += factor_at(metric, f)[j * n + j] / (double)(n * metric->factors);
    for (size_t f = 0; f < metric->factors; f++)
        for (size_t j = 0; j < n; j++)
            factor_at(metric, f)[j * n + j] += RIDGE * mean + (j < columns ? l2 : 0);
}

/* A status, for the threads' sake: TEMPER_BAD_DATA if there is no factor. */
static temper_status factor_one(void *context, size_t number, size_t worker)
{
    const struct metric *metric = context;
    (void)worker;
    return cholesky_factor(factor_at(metric, number), metric->n) ? TEMPER_OK : TEMPER_BAD_DATA;
}

temper_status metric_prepare(struct training_run *t, const struct phase *phase)
{
    struct metric *metric = &t->metric;
    if (!t->whiten)
        return TEMPER_OK;
    if (!make_room(t, phase))
        return error_no_memory(t->error);
    temper_status status = take_moments(t, phase);
    if (status != TEMPER_OK)
        return status;
    add_diagonals(metric, (size_t)t->data->x.columns, phase->l2);
    status = parallel_blocks(metric->factors, t->threads, factor_one, metric);
    if (status == TEMPER_BAD_DATA)
        t->whiten = false; /* all features 0, say: steps as they come */
    return status == TEMPER_NO_MEMORY ? error_no_memory(t->error) : TEMPER_OK;
}

void metric_precondition(void *context, double *v)
{
    struct metric *metric = context;
    for (size_t k = 0; k < metric->vectors; k++) {
        double *column = metric->vectors == 1 ? v : metric->column;
        for (size_t j = 0; metric->vectors > 1 && j < metric->n; j++)
            column[j] = v[j * metric->vectors + k];
        cholesky_solve_full(factor_at(metric, k), metric->n, column);
        for (size_t j = 0; metric->vectors > 1 && j < metric->n; j++)
            v[j * metric->vectors + k] = column[j];
    }
}
