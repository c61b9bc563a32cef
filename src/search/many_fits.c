/* many_fits: chooses between batched and separate fits, and estimates the memory of either. */
#include "search/many_fits.h"

#include <math.h>
#include <string.h>

#include "objective/batch/multi_objective.h"
#include "search/fits_batched.h"
#include "tempered/loss_family.h"
#include "train/memory_budget.h"
#include "train/preconditioner/preconditioner_shared.h"
#include "train/train.h"

/* One for two classes, where only the difference of the scores matters; otherwise one per class. */
size_t fits_vectors(const struct scaled_features *features)
{
    return weight_vectors(features->data->classes.count);
}

/* The length of fit_end.w: [column * vectors + k], then the intercepts. */
size_t fits_size(const struct scaled_features *features, const temper_train_options *options)
{
    size_t columns = (size_t)features->data->x.columns;
    return (columns + (options->no_intercept ? 0 : 1)) * fits_vectors(features);
}

/* Only L-BFGS is written with reverse communication, by which several solvers can share a pass over the rows. NULL
 * and "auto" leave the choice to the library. */
bool fits_solver_batches(const struct fits_job *job)
{
    const char *solver = job->options->solver;
    return !solver || strcmp(solver, "auto") == 0 || strcmp(solver, "lbfgs") == 0;
}

/* A slot of fits_batched is one run of L-BFGS, which is not enough for every loss, nor for an L1 penalty. */
static bool can_batch(const struct fits_job *job)
{
    for (size_t i = 0; i < job->count; i++)
        if (!loss_is_one_run(job->fit[i].loss) || job->fit[i].l1 > 0)
            return false;
    return multi_supports(job->features->data) && fits_solver_batches(job);
}

/* Batched where that is possible, since reading the rows is what fits on large data spend their time on. */
temper_status fits_run(const struct fits_job *job, bool *finished, temper_error *error)
{
    return can_batch(job) ? fits_batched(job, finished, error) : fits_separate(job, finished, error);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static const double NUMBER = sizeof(double);

enum { GRAM_COPIES = 12 }; /* Gram matrices counted: the sums, and a factor for each penalty of a usual grid */

/* An estimate for the most demanding loss and solver: double precision, intercept, preconditioner and, for two
 * classes with few features, three matrices of the size of the Hessian. */
double one_fit_bytes(const struct dataset *data, size_t threads, double *block)
{
    struct objective_spec spec = {.data = data,
                                  .loss = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
                                  .intercept = true,
                                  .f64 = true,
                                  .curvature = data->classes.count == 2 || data->x.kind == MATRIX_CSR,
                                  .threads = threads};
    double vectors = (double)weight_vectors(data->classes.count);
    double n = (double)data->x.columns + 1, rows = (double)data->x.rows;
    bool by_class = data->x.kind != MATRIX_CSR && n * n * vectors * NUMBER <= PRECONDITIONER_MOST_BYTES;
    /* A Gram matrix per class is used only while all of them fit into PRECONDITIONER_MOST_BYTES. */
    struct objective_uses uses = {.gram = data->x.kind != MATRIX_CSR,
                                  .class_grams = by_class && vectors > 1,
                                  .hessian = vectors == 1 && n <= HESSIAN_MOST};
    double preconditioner = uses.gram ? n * n * NUMBER * (by_class ? vectors : 1) : 0;
    double hessian = uses.hessian ? 3 * n * n * NUMBER : 0;
    return objective_bytes(&spec, uses, block) + preconditioner + hessian + solver_history(n * vectors) +
           training_vectors(n * vectors) + rows * 8;
}

/* Separate fits: the bytes of one training for each thread, with its arrays per row, and the shared preconditioners.
 * Batched fits: one objective for all, Gram matrices, and the slots for solvers and scores. */
double fits_bytes(const struct dataset *data, const temper_train_options *options, size_t fits, size_t threads,
                  double *block)
{
    double vectors = (double)weight_vectors(data->classes.count);
    double n = (double)data->x.columns + 1, rows = (double)data->x.rows;
    const struct fits_job job = {.options = options};
    if (!multi_supports(data) || !fits_solver_batches(&job) || !loss_is_one_run(options->loss) || options->l1 > 0) {
        /* Rounds sort the rows by their losses: two numbers for each, and the weights. */
        double rounds = loss_has_rounds(options->loss) ? 3 * NUMBER : 0;
        double each = one_fit_bytes(data, 1, block) + rows * (28 + rounds + vectors * NUMBER);
        size_t at_once = fits < threads ? fits : threads;
        return each * (double)at_once + shared_preconditioners_most_bytes(data, fits);
    }
    struct multi_spec spec = {.data = data, .intercept = true, .f64 = true, .threads = threads};
    struct fit_slots slots = fit_slots_for(data, (size_t)n, fits);
    double gram = data->x.kind == MATRIX_CSR ? 0 : GRAM_COPIES * n * n * NUMBER;
    return multi_bytes(&spec, block) + gram + slots.solver_bytes * (double)slots.solvers +
           (double)slots.scores * rows * NUMBER;
}

/* ---- Starts along a path --------------------------------------------------------------------- */

size_t fit_second_start(const struct fits_job *job, const struct fit_spec *fit)
{
    bool extrapolates = fit->extrapolation != 0 && fit->after != FIT_BEGINS_AT_ZERO;
    return extrapolates ? job->fit[fit->after].after : FIT_BEGINS_AT_ZERO;
}

const double *fit_given_second(const struct fits_job *job, const struct fit_spec *fit)
{
    return fit->after == FIT_BEGINS_AT_ZERO ? fit->second : job->fit[fit->after].initial;
}

const double *fit_extrapolate(const struct fit_spec *fit, struct fit_ends ends, double *start)
{
    if (fit->extrapolation == 0 || !ends.second)
        return ends.last;
    for (size_t i = 0; i < ends.size; i++)
        start[i] = ends.last[i] + fit->extrapolation * (ends.last[i] - ends.second[i]);
    return start;
}
