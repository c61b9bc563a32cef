/* preconditioner_batch: one Gram matrix, a Cholesky factor for each penalty, vectors solved for in groups.
 *
 * The Gram matrix of all rows serves every fold, because a preconditioner need not be exact; and one factor for each
 * penalty serves all losses, because their curvatures at W = 0 differ by a factor only, by which vectors are scaled. */
#include "train/preconditioner/preconditioner_batch.h"

#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/dispatch/kernel.h"
#include "optim/cholesky.h"
#include "train/preconditioner/preconditioner.h"

/* The factors are made for the curvature of the logistic loss at 0; for other losses vectors are scaled. */
static const double COMMON_CURVATURE = 0.25;

/* Vectors of one preconditioner, as many as are solved for at once. */
struct solve_group {
    size_t number, count; /* of the preconditioner; of the vectors */
    double *v[CHOLESKY_TOGETHER];
    double curvature[CHOLESKY_TOGETHER];
};

struct gram_preconditioners {
    const struct kernel *kernel;
    double *gram;                           /* n x n; NULL: low rank instead */
    struct lowrank_preconditioner *lowrank; /* NULL: the Gram matrix instead */
    size_t n, threads;                      /* n: features, and the intercept if there is one */
    bool has_curvature;                     /* the Gram matrix is a Hessian */
    struct thread_pool *pool;               /* of the caller, or NULL */
    bool intercept;
    double *l2;                                                  /* the penalty of each preconditioner */
    double **factor;                                             /* its Cholesky factor; NULL: not positive definite */
    size_t count;                                                /* of preconditioners so far */
    double *workspace;                                           /* for the vectors of a group, one for each thread */
    struct solve_group group[GRAM_PRECONDITIONERS_MOST_VECTORS]; /* of the current call of apply */
    size_t groups;
};

/* Computes c X'X / N from a sample of the rows of all folds, or the Hessian at given weights from all rows, of which
 * few may have most of the curvature; by an objective that is made for this purpose. Few fits get the smallest sample,
 * because they have few iterations to save. One matrix serves all fits: folds differ in a part of the rows, losses in a
 * factor, penalties on the diagonal. */
static temper_status compute_gram(struct gram_preconditioners *batch, const struct gram_preconditioners_spec *spec,
                                  temper_error *error)
{
    const struct scaled_features *features = spec->features;
    size_t wanted = (size_t)dataset_all_rows(features->data) / PRECONDITIONER_ROW_SHARE;
    size_t least = (spec->few_fits ? PRECONDITIONER_MIN_ROWS_PER_FEATURE : PRECONDITIONER_ROWS_PER_FEATURE) * batch->n;
    struct objective_spec objective_spec = {.data = features->data,
                                            .scale = scaled_features_scale(features),
                                            .loss = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
                                            .intercept = batch->intercept,
                                            .threads = batch->threads,
                                            .keeps_threads = true};
    struct objective *objective;
    wanted = wanted > least ? wanted : least;
    if (spec->curvature_at) {
        objective_spec.loss = spec->loss;
        wanted = 0;
    }
    TRY(objective_new(&objective_spec, &objective, error));
    temper_status status = objective_gram(objective, spec->curvature_at, wanted, batch->gram, error);
    objective_free(objective);
    for (size_t i = 0; !spec->curvature_at && i < batch->n * batch->n; i++)
        batch->gram[i] *= COMMON_CURVATURE;
    return status;
}

/* Allocates for up to `count` penalties; their factors are allocated when a penalty is first asked for. */
static bool allocate(struct gram_preconditioners *batch, size_t count)
{
    batch->workspace = mem_aligned(batch->threads * CHOLESKY_TOGETHER, batch->n * sizeof *batch->workspace);
    batch->l2 = mem_alloc(count, sizeof *batch->l2);
    batch->factor = (double **)mem_zeroed(count, sizeof *batch->factor);
    return batch->workspace && batch->l2 && batch->factor;
}

/* Makes the low-rank approximation where that is accurate enough, the whole Gram matrix otherwise. */
static temper_status fill(struct gram_preconditioners *batch, const struct gram_preconditioners_spec *spec,
                          temper_error *error)
{
    size_t square;
    if (!allocate(batch, spec->max_penalties))
        return error_no_memory(error);
    if (!spec->curvature_at && lowrank_preconditioner_suits(spec))
        return lowrank_preconditioner_new(spec, COMMON_CURVATURE, &batch->lowrank, error);
    if (mul_size(batch->n, batch->n, &square))
        batch->gram = mem_zeroed(square, sizeof *batch->gram);
    return batch->gram ? compute_gram(batch, spec, error) : error_no_memory(error);
}

/* *out is untouched on failure. */
temper_status gram_preconditioners_new(const struct gram_preconditioners_spec *spec, struct gram_preconditioners **out,
                                       temper_error *error)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    struct gram_preconditioners *batch = mem_zeroed(1, sizeof *batch);
    if (!batch)
        return error_no_memory(error);
    batch->kernel = kernel;
    batch->intercept = spec->intercept;
    batch->n = (size_t)spec->features->data->x.columns + (spec->intercept ? 1 : 0);
    batch->threads = spec->threads;
    batch->pool = spec->pool;
    batch->has_curvature = spec->curvature_at != NULL;
    temper_status status = fill(batch, spec, error);
    if (status == TEMPER_OK)
        *out = batch;
    else
        gram_preconditioners_free(batch);
    return status;
}

void gram_preconditioners_free(struct gram_preconditioners *batch)
{
    if (!batch)
        return;
    /* A batch that could not be completed has no array of factors. */
    for (size_t i = 0; batch->factor && i < batch->count; i++)
        mem_free(batch->factor[i]);
    mem_free(batch->gram);
    lowrank_preconditioner_free(batch->lowrank);
    mem_free(batch->workspace);
    mem_free(batch->l2);
    mem_free((void *)batch->factor);
    mem_free(batch);
}

/* The Cholesky factor of c G + l2, with the ridge on the diagonal. *factor is NULL where the matrix is not positive
 * definite: all features 0, say. False: out of memory. */
static bool make_factor(const struct gram_preconditioners *batch, double l2, double **factor)
{
    if (batch->lowrank) {
        *factor = lowrank_preconditioner_factor(batch->lowrank, batch->kernel->cholesky_update, l2);
        return *factor != NULL;
    }
    size_t n = batch->n, penalised = batch->intercept ? n - 1 : n;
    double mean = 0, *m = mem_alloc(n, n * sizeof *m);
    if (!m)
        return false;
    /* The Gram matrix itself is needed for the next penalty. */
    memcpy(m, batch->gram, n * n * sizeof *m);
    for (size_t j = 0; j < n; j++)
        mean += m[j * n + j] / (double)n;
    for (size_t j = 0; j < n; j++)
        m[j * n + j] += PRECONDITIONER_RIDGE * mean + (j < penalised ? l2 : 0);
    *factor = m;
    if (!cholesky_factor(batch->kernel->cholesky_update, m, n)) {
        mem_free(m);
        *factor = NULL;
    }
    return true;
}

/* Finds or makes the preconditioner of a penalty. Penalties are few: a linear search. All fits of one penalty share a
 * factor of c X'X / N + l2, which is made when the first of them begins. A matrix that is not positive definite to
 * working precision has no factor: its fits run without one. */
temper_status gram_preconditioners_find(struct gram_preconditioners *batch, double l2, size_t *number,
                                        temper_error *error)
{
    size_t i = 0;
    while (i < batch->count && batch->l2[i] != l2)
        i++;
    if (i == batch->count) {
        if (!make_factor(batch, l2, &batch->factor[i]))
            return error_no_memory(error);
        batch->l2[batch->count++] = l2;
    }
    *number = batch->factor[i] ? i : GRAM_PRECONDITIONERS_NONE;
    return TEMPER_OK;
}

/* ---- Vectors --------------------------------------------------------------------------------- */

/* Appends a vector to the last group of its preconditioner that is not full, or to a new one. Groups are as large as
 * the kernel solves for at once. The order of the vectors within a group makes no difference to their bits, as each has
 * a lane of its own. */
static void add_to_group(struct gram_preconditioners *batch, const struct preconditioned *vector)
{
    struct solve_group *group = NULL;
    for (size_t i = 0; i < batch->groups; i++)
        if (batch->group[i].number == vector->number && batch->group[i].count < CHOLESKY_TOGETHER)
            group = &batch->group[i];
    if (!group) {
        group = &batch->group[batch->groups++];
        group->number = vector->number;
        group->count = 0;
    }
    group->v[group->count] = vector->v;
    group->curvature[group->count++] = vector->curvature;
}

/* For pool_blocks: solves for the vectors of one group in place, in the workspace of the thread. */
static temper_status solve_group(void *context, size_t number, size_t worker)
{
    struct gram_preconditioners *batch = context;
    const struct solve_group *group = &batch->group[number];
    const double *factor = batch->factor[group->number];
    size_t n = batch->n;
    if (!batch->lowrank)
        cholesky_solve_several(batch->kernel, factor, n, group->v, group->count,
                               batch->workspace + worker * CHOLESKY_TOGETHER * n);
    for (size_t k = 0; batch->lowrank && k < group->count; k++)
        lowrank_preconditioner_apply(batch->lowrank, factor, group->v[k]);
    /* From the common curvature to that of the loss. The penalty is scaled along, which makes the preconditioner less
     * accurate and changes no solution. */
    for (size_t k = 0; !batch->has_curvature && k < group->count; k++)
        for (size_t j = 0; j < n; j++)
            group->v[k][j] *= COMMON_CURVATURE / group->curvature[k];
    return TEMPER_OK;
}

/* All vectors become M^-1 v. Groups are independent of each other, and the same for any number of threads. */
temper_status gram_preconditioners_apply(struct gram_preconditioners *batch, const struct preconditioned *vectors,
                                         size_t count)
{
    batch->groups = 0;
    for (size_t i = 0; i < count; i++)
        add_to_group(batch, &vectors[i]);
    return pool_blocks(batch->pool, batch->groups, batch->threads, solve_group, batch);
}
