/* whiteners: moments once, a factor for each penalty, and vectors turned in batches. */
#include "search/preconditioner_batch.h"

#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/dispatch/kernel.h"
#include "objective/objective.h"
#include "optim/cholesky.h"
#include "search/preconditioner_lowrank.h"

/* Rows for the moments, as for a single training: see metric.c. */
enum { ROWS_A_FEATURE = 16, FEW_ROWS_A_FEATURE = 4, SHARE_OF_ROWS = 10 };

/* All losses share one factor for a penalty: that of a loss which bends like the logistic one. */
static const double COMMON_BEND = 0.25;

/* Relative to the mean of the diagonal: what keeps the factor away from singular. */
static const double RIDGE = 1e-7;

/* Vectors of one metric, as many as go at once. */
struct batch {
    size_t whitener, count;
    double *v[CHOLESKY_TOGETHER];
    double bend[CHOLESKY_TOGETHER];
};

struct gram_preconditioners {
    const struct kernel *kernel;
    double *gram;                             /* or, for a few fits: */
    struct lowrank_preconditioner *principal; /* NULL: all moments */
    size_t n, threads;
    bool intercept;
    double *l2;      /* of each metric */
    double **factor; /* Cholesky's, or of principal; NULL: there is none */
    size_t count;
    double *space; /* for the vectors of a batch, one a thread */
    struct batch batch[GRAM_PRECONDITIONERS_MOST_VECTORS];
    size_t batches;
};

/* The moments of all rows serve every fold: a metric need not be exact. */
static temper_status take_moments(struct gram_preconditioners *whiteners, const struct fits_job *job,
                                  temper_error *error)
{
    const struct scaled_features *ground = job->features;
    size_t wanted = (size_t)dataset_all_rows(ground->data) / SHARE_OF_ROWS;
    size_t least = (job->few ? FEW_ROWS_A_FEATURE : ROWS_A_FEATURE) * whiteners->n;
    struct objective_spec spec = {.data = ground->data,
                                  .scale = scaled_features_scale(ground),
                                  .loss = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
                                  .intercept = whiteners->intercept,
                                  .threads = whiteners->threads};
    struct objective *objective;
    temper_status status = objective_new(&spec, &objective, error);
    if (status != TEMPER_OK)
        return status;
    status = objective_gram(objective, NULL, wanted > least ? wanted : least, whiteners->gram, error);
    objective_free(objective);
    for (size_t i = 0; i < whiteners->n * whiteners->n; i++)
        whiteners->gram[i] *= COMMON_BEND;
    return status;
}

static bool allocate(struct gram_preconditioners *whiteners, size_t count)
{
    size_t n = whiteners->n;
    whiteners->space = mem_aligned(whiteners->threads * CHOLESKY_TOGETHER, n * sizeof *whiteners->space);
    whiteners->l2 = mem_alloc(count, sizeof *whiteners->l2);
    whiteners->factor = (double **)mem_zeroed(count, sizeof *whiteners->factor);
    return whiteners->space && whiteners->l2 && whiteners->factor;
}

static temper_status know_rows(struct gram_preconditioners *whiteners, const struct fits_job *job, temper_error *error)
{
    size_t square;
    if (lowrank_preconditioner_suits(job))
        return lowrank_preconditioner_new(job, COMMON_BEND, &whiteners->principal, error);
    if (mul_size(whiteners->n, whiteners->n, &square))
        whiteners->gram = mem_zeroed(square, sizeof *whiteners->gram);
    return whiteners->gram ? take_moments(whiteners, job, error) : error_no_memory(error);
}

temper_status gram_preconditioners_new(const struct fits_job *job, struct gram_preconditioners **out,
                                       temper_error *error)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    struct gram_preconditioners *whiteners = mem_zeroed(1, sizeof *whiteners);
    if (!whiteners)
        return error_no_memory(error);
    whiteners->kernel = kernel;
    whiteners->intercept = !job->options->no_intercept;
    whiteners->n = (size_t)job->features->data->x.columns + (whiteners->intercept ? 1 : 0);
    whiteners->threads = job->threads;
    temper_status status = allocate(whiteners, job->count) ? know_rows(whiteners, job, error) : error_no_memory(error);
    if (status == TEMPER_OK)
        *out = whiteners;
    else
        gram_preconditioners_free(whiteners);
    return status;
}

void gram_preconditioners_free(struct gram_preconditioners *whiteners)
{
    if (!whiteners)
        return;
    for (size_t i = 0; whiteners->factor && i < whiteners->count; i++)
        mem_free(whiteners->factor[i]);
    mem_free(whiteners->gram);
    lowrank_preconditioner_free(whiteners->principal);
    mem_free(whiteners->space);
    mem_free(whiteners->l2);
    mem_free((void *)whiteners->factor);
    mem_free(whiteners);
}

/* *factor is NULL where the matrix has none: all features 0, say. False: no memory. */
static bool make_factor(const struct gram_preconditioners *whiteners, double l2, double **factor)
{
    if (whiteners->principal) {
        *factor = lowrank_preconditioner_factor(whiteners->principal, whiteners->kernel->panel, l2);
        return *factor != NULL;
    }
    size_t n = whiteners->n, penalised = whiteners->intercept ? n - 1 : n;
    double mean = 0, *m = mem_alloc(n, n * sizeof *m);
    if (!m)
        return false;
    memcpy(m, whiteners->gram, n * n * sizeof *m);
    for (size_t j = 0; j < n; j++)
        mean += m[j * n + j] / (double)n;
    for (size_t j = 0; j < n; j++)
        m[j * n + j] += RIDGE * mean + (j < penalised ? l2 : 0);
    *factor = m;
    if (!cholesky_factor(whiteners->kernel->panel, m, n)) {
        mem_free(m);
        *factor = NULL;
    }
    return true;
}

temper_status gram_preconditioners_find(struct gram_preconditioners *whiteners, double l2, size_t *number,
                                        temper_error *error)
{
    size_t i = 0;
    while (i < whiteners->count && whiteners->l2[i] != l2)
        i++;
    if (i == whiteners->count) {
        if (!make_factor(whiteners, l2, &whiteners->factor[i]))
            return error_no_memory(error);
        whiteners->l2[whiteners->count++] = l2;
    }
    *number = whiteners->factor[i] ? i : GRAM_PRECONDITIONERS_NONE;
    return TEMPER_OK;
}

/* ---- Vectors --------------------------------------------------------------------------------- */

static void sort_in(struct gram_preconditioners *whiteners, const struct preconditioned *vector)
{
    struct batch *batch = NULL;
    for (size_t i = 0; i < whiteners->batches; i++)
        if (whiteners->batch[i].whitener == vector->whitener && whiteners->batch[i].count < CHOLESKY_TOGETHER)
            batch = &whiteners->batch[i];
    if (!batch) {
        batch = &whiteners->batch[whiteners->batches++];
        batch->whitener = vector->whitener;
        batch->count = 0;
    }
    batch->v[batch->count] = vector->v;
    batch->bend[batch->count++] = vector->bend;
}

static temper_status turn_batch(void *context, size_t number, size_t worker)
{
    struct gram_preconditioners *whiteners = context;
    const struct batch *batch = &whiteners->batch[number];
    const double *factor = whiteners->factor[batch->whitener];
    size_t n = whiteners->n;
    if (!whiteners->principal)
        cholesky_solve_several(whiteners->kernel, factor, n, batch->v, batch->count,
                               whiteners->space + worker * CHOLESKY_TOGETHER * n);
    for (size_t k = 0; whiteners->principal && k < batch->count; k++)
        lowrank_preconditioner_apply(whiteners->principal, factor, batch->v[k]);
    for (size_t k = 0; k < batch->count; k++)
        for (size_t j = 0; j < n; j++)
            batch->v[k][j] *= COMMON_BEND / batch->bend[k];
    return TEMPER_OK;
}

temper_status gram_preconditioners_apply(struct gram_preconditioners *whiteners, const struct preconditioned *vectors,
                                         size_t count)
{
    whiteners->batches = 0;
    for (size_t i = 0; i < count; i++)
        sort_in(whiteners, &vectors[i]);
    return parallel_blocks(whiteners->batches, whiteners->threads, turn_batch, whiteners);
}
