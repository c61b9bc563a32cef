/* fits_budget: how much memory many trainings over the same rows will take, and what is done with
 * their results. */
#include <math.h>
#include <string.h>

#include "data/memory/memory_limit.h"
#include "objective/batch/multi_objective.h"
#include "search/many_fits.h"
#include "search/tune_state.h"
#include "search/worker_group.h"
#include "tempered/loss_family.h"
#include "train/memory_budget.h"
#include "train/preconditioner/preconditioner_shared.h"

static const double NUMBER = sizeof(double);

enum {
    FACTORS = 12,     /* of second moments: sums, and one factor for each penalty of a grid */
    FOLDS_BYTES = 48, /* a row: parts, their order while they are drawn, weights, ranks */
    ASK_BYTES = 32,   /* a row: predictions of the most telling candidates */
};

/* Any solver, on all rows. */
static struct objective_spec widest(const struct dataset *data, size_t threads)
{
    return (struct objective_spec){.data = data,
                                   .loss = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
                                   .intercept = true,
                                   .f64 = true,
                                   .curvature = data->classes.count == 2 || data->x.kind == MATRIX_CSR,
                                   .threads = threads};
}

/* One training on so many threads: the most that any options could make of it. */
static double one_training(const struct dataset *data, size_t threads, double *block)
{
    struct objective_spec spec = widest(data, threads);
    double vectors = (double)weight_vectors(data->classes.count);
    double n = (double)data->x.columns + 1, rows = (double)data->x.rows;
    bool whitens = data->x.kind != MATRIX_CSR && n * n * vectors * NUMBER <= PRECONDITIONER_MOST_BYTES;
    struct objective_uses uses = {.gram = data->x.kind != MATRIX_CSR,
                                  .class_grams = whitens && vectors > 1,
                                  .hessian = vectors == 1 && n <= HESSIAN_MOST};
    double metric = uses.gram ? n * n * NUMBER * (whitens ? vectors : 1) : 0;
    double hessian = uses.hessian ? 3 * n * n * NUMBER : 0;
    return objective_bytes(&spec, uses, block) + metric + hessian + solver_history(n * vectors) +
           training_vectors(n * vectors) + rows * 8;
}

double fits_bytes(const struct dataset *data, const temper_train_options *options, size_t fits, size_t threads,
                  double *block)
{
    double vectors = (double)weight_vectors(data->classes.count);
    double n = (double)data->x.columns + 1, rows = (double)data->x.rows;
    struct fits_job job = {.options = options};
    bool hinge = options->loss.method == TEMPER_HINGE;
    if (!multi_supports(data) || !fits_solver_batches(&job) || hinge) {
        double each = one_training(data, 1, block) + rows * (28 + vectors * NUMBER);
        size_t at_once = fits < threads ? fits : threads;
        return each * (double)at_once + shared_preconditioners_most_bytes(data, fits);
    }
    struct multi_spec spec = {.data = data, .intercept = true, .f64 = true, .threads = threads};
    struct crew_room room = crew_room(data, (size_t)n, fits);
    double gram = data->x.kind == MATRIX_CSR ? 0 : FACTORS * n * n * NUMBER;
    return multi_bytes(&spec, block) + gram + room.run * (double)room.slots + (double)room.score_slots * rows * NUMBER;
}

/* Candidates that are fitted together, their results, and the final training. */
temper_status tuning_budget(const struct tuning *t)
{
    const struct dataset *data = t->data;
    double rows = (double)data->x.rows, block;
    double vectors = (double)weight_vectors(data->classes.count);
    if (data->storage.memory_limit == 0)
        return TEMPER_OK;
    temper_train_options train = t->train;
    size_t most = crossval_most_fits(data);
    double fits = fits_bytes(data, &train, most, train.threads, &block);
    if (t->options->grid && strstr(t->options->grid, "hinge")) {
        train.loss.method = TEMPER_HINGE;
        fits = fmax(fits, fits_bytes(data, &train, most, train.threads, &block));
    }
    double trials = rows * (double)crossval_trial_bytes(data);
    double last =
        one_training(data, t->train.threads, &block) + rows * (2 * (double)t->options->folds + NUMBER * vectors);
    struct memory_limit_plan plan = {.what = "the search",
                                     .needed = rows * (FOLDS_BYTES + (t->options->ask ? ASK_BYTES : 0)) +
                                               fmax(fits + trials, last),
                                     .threads = t->train.threads,
                                     .block = block};
    return memory_limit_plan(data, &plan, t->error);
}
