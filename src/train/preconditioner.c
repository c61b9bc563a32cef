/* metric: whitened steps: in the metric M = curvature times the second moments + l2: at 0 one
 * factor for all classes, later one for each. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/dispatch/kernel.h"
#include "optim/cholesky.h"
#include "tempered/loss_family.h"
#include "train/train_state.h"

/* How many rows the moments are made of. A tenth tells enough, if it is many times the number of
 * features: with fewer the smallest directions are lost in noise, and with them some of what
 * whitening brings. But where that takes longer than a few passes, fewer rows and some more passes
 * are faster, down to the least that whitens at all. A metric for a few iterations, or of two
 * classes, is worth fewer of them than the one in which many classes go on. Matrices of classes
 * look at more rows, of which they take few: see worth_thinning. */
enum { SHARE_OF_ROWS = 10, ROWS_A_FEATURE = 16, LEAST_A_FEATURE = 4, ROWS_OF_CLASSES = 25 };
static const double WORTH_PASSES = 4, BENT_WORTH_PASSES = 20;
/* With fewer rows a pass takes less than solving with a matrix for each class, let alone making
 * them. */
enum { CLASS_ROWS_A_FEATURE = 32 };
/* Relative to the mean of the diagonal: what keeps the factor away from singular. */
static const double RIDGE = 1e-7;

void preconditioner_free(struct preconditioner *metric)
{
    if (!metric->lent)
        mem_free(metric->factor);
    mem_free(metric->column);
    mem_free(metric->diagonal);
}

/* Each class has its own curvature where training has come to, if that is not too much memory. It
 * halves the passes of convex losses; of others it saves none. */
bool preconditioner_by_class(const struct dataset *data, temper_loss_spec loss, size_t n)
{
    double numbers = (double)n * (double)n * (double)data->classes.count;
    return data->classes.count > 2 && loss_is_convex_in_support(loss) &&
           (double)dataset_all_rows(data) >= (double)CLASS_ROWS_A_FEATURE * (double)n &&
           numbers * sizeof(double) <= PRECONDITIONER_MOST_BYTES;
}

/* Vectors of many classes are solved for together, where they have one factor. */
static double *column_room(const struct preconditioner *metric)
{
    return mem_aligned(metric->vectors > 1 ? CHOLESKY_TOGETHER : 1, metric->n * sizeof(double));
}

static bool make_room(struct training_run *t, const struct phase *phase)
{
    struct preconditioner *metric = &t->metric;
    size_t square;
    const char *wanted;
    if (phase->bends && t->first_metric)
        *t->first_metric = *metric;
    else
        preconditioner_free(metric);
    *metric = (struct preconditioner){.factors = 1};
    metric->kernel = kernel_choose(&wanted); /* there is one, or there would be no objective */
    metric->vectors = objective_vectors(t->objective);
    metric->n = t->size / metric->vectors;
    if (phase->bends && preconditioner_by_class(t->data, phase->loss, metric->n))
        metric->factors = metric->vectors;
    if (mul_size(metric->n, metric->n, &square) && mul_size(square, sizeof(double), &square))
        metric->factor = mem_alloc(metric->factors, square);
    metric->column = column_room(metric);
    return metric->factor && metric->column;
}

double initial_curvature(temper_loss_spec loss, size_t classes)
{
    double bend = loss.method == TEMPER_HINGE ? 0 : any_margin_loss(loss, 0).curvature;
    if (!(bend > 0))
        bend = 0.25;
    return classes == 2 ? bend : bend * 2 * (1 - 1 / (double)classes);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t rows_for_moments(const struct training_run *t, const struct phase *phase)
{
    const struct preconditioner *metric = &t->metric;
    size_t rows = (size_t)dataset_all_rows(t->data);
    size_t n = metric->n, tenth = rows / SHARE_OF_ROWS;
    if (metric->factors > 1)
        return larger(tenth, n * ROWS_OF_CLASSES);
    /* A row of the moments takes n / 2 products a feature, one of a pass 2 for each vector. */
    double worth = phase->bends ? BENT_WORTH_PASSES : WORTH_PASSES;
    double affordable = worth * 4 * (double)rows * (double)metric->vectors;
    size_t wanted = larger(tenth, n * ROWS_A_FEATURE);
    if (affordable / (double)n < (double)wanted)
        wanted = (size_t)(affordable / (double)n);
    return larger(wanted, n * LEAST_A_FEATURE);
}

/* Matrices of classes that take longer than a few passes are made of fewer of the rows that hardly
 * bend the objective; where features are few and some of them rare, that would cost more passes
 * than it saves. */
static bool worth_thinning(const struct training_run *t, size_t rows)
{
    double of_pass = (double)rows * (double)t->metric.n / 4;
    return of_pass > WORTH_PASSES * (double)dataset_all_rows(t->data);
}

/* The second moments, of rows that count as much as they bend the objective. */
static temper_status take_moments(struct training_run *t, const struct phase *phase)
{
    struct preconditioner *metric = &t->metric;
    size_t n = metric->n, wanted = rows_for_moments(t, phase);
    struct gram_rows rows = {wanted, worth_thinning(t, wanted)};
    if (metric->factors > 1)
        return objective_class_grams(t->objective, t->w, rows, metric->factor, t->error);
    temper_status status = objective_gram(t->objective, phase->bends ? t->w : NULL, wanted, metric->factor, t->error);
    if (phase->bends || status != TEMPER_OK)
        return status;
    double bend = initial_curvature(phase->loss, t->data->classes.count);
    for (size_t i = 0; i < n * n; i++)
        metric->factor[i] *= bend;
    return TEMPER_OK;
}

static double *factor_at(const struct preconditioner *metric, size_t vector)
{
    return metric->factor + (metric->factors > 1 ? vector * metric->n * metric->n : 0);
}

/* The penalty, and what keeps the factors away from singular. */
static void add_diagonals(const struct preconditioner *metric, size_t columns, double l2)
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

/* Those from `first` on, which this process makes. */
struct factoring {
    const struct preconditioner *metric;
    size_t first;
};

/* A status, for the threads' sake: TEMPER_BAD_DATA if there is no factor. */
static temper_status factor_one(void *context, size_t number, size_t worker)
{
    const struct factoring *factoring = context;
    const struct preconditioner *metric = factoring->metric;
    (void)worker;
    double *factor = factor_at(metric, factoring->first + number);
    return cholesky_factor(metric->kernel->panel, factor, metric->n) ? TEMPER_OK : TEMPER_BAD_DATA;
}

/* What each process has made, to all. */
static temper_status gather_factors(const struct training_run *t, size_t first, size_t count)
{
    const struct preconditioner *metric = &t->metric;
    const temper_comm *comm = t->data->ranks.comm;
    size_t size = comm_size(comm), square = metric->n * metric->n * sizeof(double);
    size_t *bytes = mem_alloc(size, sizeof *bytes);
    double *mine = mem_alloc(count, square);
    temper_status status = TEMPER_NO_MEMORY;
    if (bytes && mine) {
        for (size_t r = 0; r < size; r++)
            bytes[r] = (metric->factors * (r + 1) / size - metric->factors * r / size) * square;
        if (count)
            memcpy(mine, factor_at(metric, first), count * square);
        status = comm_gather(comm, mine, bytes, metric->factor, t->error);
    } else {
        error_no_memory(t->error);
    }
    mem_free(bytes);
    mem_free(mine);
    return status;
}

/* Several factors are shared out among processes; one is made by each. */
static temper_status factor_all(const struct training_run *t)
{
    const struct preconditioner *metric = &t->metric;
    const temper_comm *comm = metric->factors > 1 ? t->data->ranks.comm : NULL;
    size_t rank = comm_rank(comm), size = comm_size(comm);
    struct factoring factoring = {metric, metric->factors * rank / size};
    size_t count = metric->factors * (rank + 1) / size - factoring.first;
    temper_status status = parallel_blocks(count, t->threads, factor_one, &factoring);
    if (status == TEMPER_NO_MEMORY)
        return error_no_memory(t->error);
    status = comm_agree(comm, status, NULL);
    return status == TEMPER_OK && !comm_alone(comm) ? gather_factors(t, factoring.first, count) : status;
}

/* The factors of the pilot, if it has any, and space of its own. */
static bool borrow(struct training_run *t, const struct phase *phase)
{
    struct preconditioner *metric = &t->metric;
    preconditioner_free(metric);
    *metric = phase->most ? t->lent->first : t->lent->then;
    metric->lent = true;
    metric->column = metric->factor ? column_room(metric) : NULL;
    t->whiten = metric->factor;
    return !t->whiten || metric->column;
}

temper_status preconditioner_prepare(struct training_run *t, const struct phase *phase)
{
    struct preconditioner *metric = &t->metric;
    if (t->diagonal)
        return preconditioner_diagonal_prepare(t, phase);
    if (!t->whiten)
        return TEMPER_OK;
    if (t->lent)
        return borrow(t, phase) ? TEMPER_OK : error_no_memory(t->error);
    if (!make_room(t, phase))
        return error_no_memory(t->error);
    temper_status status = take_moments(t, phase);
    if (status != TEMPER_OK)
        return status;
    add_diagonals(metric, (size_t)t->data->x.columns, phase->l2);
    status = factor_all(t);
    if (status != TEMPER_BAD_DATA)
        return status;
    t->whiten = false; /* all features 0, say: steps as they come */
    return TEMPER_OK;
}

/* Vectors k, k + 1, ... of those that lie side by side in v. */
static void solve_together(const struct preconditioner *metric, size_t k, double *v)
{
    size_t left = metric->vectors - k, count = left < CHOLESKY_TOGETHER ? left : CHOLESKY_TOGETHER;
    double *space = metric->column;
    for (size_t j = 0; j < metric->n; j++)
        for (size_t i = 0; i < CHOLESKY_TOGETHER; i++)
            space[j * CHOLESKY_TOGETHER + i] = i < count ? v[j * metric->vectors + k + i] : 0;
    metric->kernel->triangle(metric->factor, metric->n, space);
    for (size_t j = 0; j < metric->n; j++)
        for (size_t i = 0; i < count; i++)
            v[j * metric->vectors + k + i] = space[j * CHOLESKY_TOGETHER + i];
}

void preconditioner_centre(double *v, size_t vectors, size_t n)
{
    for (size_t j = 0; j < n; j++, v += vectors) {
        double mean = 0;
        for (size_t k = 0; k < vectors; k++)
            mean += v[k];
        mean /= (double)vectors;
        for (size_t k = 0; k < vectors; k++)
            v[k] -= mean;
    }
}

static void solve_one(const struct preconditioner *metric, size_t k, double *v)
{
    double *column = metric->column;
    for (size_t j = 0; j < metric->n; j++)
        column[j] = v[j * metric->vectors + k];
    cholesky_solve_full(factor_at(metric, k), metric->n, column);
    for (size_t j = 0; j < metric->n; j++)
        v[j * metric->vectors + k] = column[j];
}

/* Losses do not change where all classes gain the same, so that gradients have no such part, and
 * the curvature there is the penalty alone. Matrices of single classes know nothing of that: their
 * steps would go that way, and many more would be needed to come back. */
static void solve_apart(const struct preconditioner *metric, double *v)
{
    preconditioner_centre(v, metric->vectors, metric->n);
    for (size_t k = 0; k < metric->vectors; k++)
        solve_one(metric, k, v);
    preconditioner_centre(v, metric->vectors, metric->n);
}

void preconditioner_apply(void *context, double *v)
{
    const struct preconditioner *metric = context;
    if (metric->vectors == 1)
        cholesky_solve_full(metric->factor, metric->n, v);
    else if (metric->factors == 1)
        for (size_t k = 0; k < metric->vectors; k += CHOLESKY_TOGETHER)
            solve_together(metric, k, v);
    else
        solve_apart(metric, v);
}
