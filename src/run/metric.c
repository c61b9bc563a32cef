/* metric: whitened steps: in the metric M = curvature at 0 times the second moments + l2, one
 * factor for all classes. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "optim/cholesky.h"
#include "run/training.h"
#include "tempered/method.h"

/* A tenth of the rows tells enough, if it is many times the number of features: with fewer the
 * smallest directions are lost in noise, and with them most of what whitening brings. */
enum { ROWS_A_FEATURE = 16, SHARE_OF_ROWS = 10 };
/* Relative to the mean of the diagonal: what keeps the factor away from singular. */
static const double RIDGE = 1e-7;

void metric_free(struct metric *metric)
{
    mem_free(metric->factor);
    mem_free(metric->column);
}

static bool make_room(struct training_run *t)
{
    struct metric *metric = &t->metric;
    size_t square;
    metric->vectors = objective_vectors(t->objective);
    metric->n = t->size / metric->vectors;
    if (!mul_size(metric->n, metric->n, &square))
        return false;
    metric->factor = mem_alloc(square, sizeof(double));
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
    size_t wanted = rows / SHARE_OF_ROWS, least = ROWS_A_FEATURE * n;
    temper_status status =
        objective_gram(t->objective, phase->bends ? t->origin : NULL,
                       wanted > least ? wanted : least, metric->factor, t->error);
    if (phase->bends || status != TEMPER_OK)
        return status;
    double bend = metric_bend(phase->loss, t->data->classes.count);
    for (size_t i = 0; i < n * n; i++)
        metric->factor[i] *= bend;
    return TEMPER_OK;
}

temper_status metric_prepare(struct training_run *t, const struct phase *phase)
{
    struct metric *metric = &t->metric;
    if (!t->whiten)
        return TEMPER_OK;
    if (!metric->column && !make_room(t))
        return error_no_memory(t->error);
    temper_status status = take_moments(t, phase);
    if (status != TEMPER_OK)
        return status;
    size_t n = metric->n, columns = (size_t)t->data->x.columns;
    double mean = 0;
    for (size_t j = 0; j < n; j++)
        mean += metric->factor[j * n + j] / (double)n;
    for (size_t j = 0; j < n; j++)
        metric->factor[j * n + j] += RIDGE * mean + (j < columns ? phase->l2 : 0);
    if (!cholesky_factor(metric->factor, n))
        t->whiten = false; /* all features 0, say: steps as they come */
    return TEMPER_OK;
}

void metric_precondition(void *context, double *v)
{
    struct metric *metric = context;
    for (size_t k = 0; k < metric->vectors; k++) {
        double *column = metric->vectors == 1 ? v : metric->column;
        for (size_t j = 0; metric->vectors > 1 && j < metric->n; j++)
            column[j] = v[j * metric->vectors + k];
        cholesky_solve_full(metric->factor, metric->n, column);
        for (size_t j = 0; metric->vectors > 1 && j < metric->n; j++)
            v[j * metric->vectors + k] = column[j];
    }
}
