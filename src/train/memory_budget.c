/* memory_budget: how many bytes a training will take, estimated before it takes them, where the user sets a limit.
 *
 * Arrays that grow with the data or the model are counted; everything else is the slack of memory_limit.c. Where it is
 * not known yet how far an array will grow, its maximum is counted. */
#include "train/memory_budget.h"

#include <math.h>

#include "data/columns/column_stats.h"
#include "data/memory/memory_limit.h"
#include "data/memory/page_window.h"
#include "objective/sparse/dual_descent.h"
#include "optim/lbfgs_history.h"
#include "tempered/loss_family.h"
#include "train/train_state.h"

static const double NUMBER = sizeof(double);
enum {
    VECTORS = 24,        /* of the size of w: in train_progress, the solver, the model */
    DIGITS = 32,         /* of a number in a model file, */
    TEXTS = 2,           /* whose text is assembled before it is written */
    PREDICTED_BYTES = 8, /* for each row, where there may be something to warn of */
    ROUND_BYTES = 32,    /* for each row, where the training has rounds: weights, and losses with row numbers */
};

/* All rows of a training, which are in each process where they are few (train_plan.gathered). */
static struct matrix all_rows(const struct dataset *data)
{
    const uint64_t rows = dataset_all_rows(data);
    return (struct matrix){
        .kind = data->x.kind, .rows = rows, .columns = data->x.columns, .nonzeros = rows * data->x.columns};
}

/* What few rows of many features take beside the window on their file: pages that are read in no order, and may all be
 * resident. */
static double whole_bytes(const struct dataset *data)
{
    return data->x.pages ? (double)matrix_bytes(&data->x) : 0;
}

/* The first stage: statistics of the columns, which are freed before training begins, and the copy that logarithms
 * need. Integers become floats in that copy. Few rows of many features are gathered, and multiplied by each other. The
 * estimate is made before the pass over the data, so that a limit that is too small is reported at once. */
temper_status memory_budget_scaling(const struct train_request *request, const struct train_plan *plan)
{
    const struct dataset *data = request->data;
    const bool few = plan->may_use_row_space, gathers = few && !comm_alone(data->ranks.comm);
    const struct matrix x = gathers ? all_rows(data) : data->x;
    const char *scale = request->options->scale;
    bool logs = scale && scale[0] == 'l';
    double row = (double)matrix_bytes(&data->x) / ((double)data->x.rows + 1);
    double copy = x.kind == MATRIX_U8 ? 4 * (double)x.nonzeros : (double)matrix_bytes(&x);
    double needed = column_stats_bytes(&x) + (logs ? copy : 0) + (gathers ? (double)matrix_bytes(&x) : 0) +
                    (few ? whole_bytes(data) + row_space_bytes(data) : 0);
    struct memory_limit_plan limit = {.what = logs  ? "--scale log, which makes a copy of the data,"
                                              : few ? "a training of few rows, all of them in memory,"
                                                    : "learning the scale of the features",
                                      .needed = needed,
                                      .threads = plan->threads,
                                      .block = row};
    return memory_limit_plan(data, &limit, request->error);
}

/* Bytes of the L-BFGS history: s and y of each pair, and a few numbers. */
double solver_history(double size)
{
    struct optim_options options = {.history = 0};
    return (double)lbfgs_history_limit((size_t)size, &options) * (2 * size + 2) * NUMBER;
}

/* In bytes, with the text of the model file. */
double training_vectors(double size)
{
    return size * (VECTORS * NUMBER + TEXTS * DIGITS);
}

/* The vectors and matrices of the solver; a checkpoint holds them a second time. */
static double solver_bytes(const struct train_plan *plan, bool checkpoint, double size)
{
    double bytes = 0;
    if (plan->solver == SOLVER_NEWTON)
        bytes = 3 * size * size * NUMBER;
    if (plan->solver == SOLVER_LBFGS || plan->solver == SOLVER_OWLQN || plan->gram_iterations > 0)
        bytes = fmax(bytes, solver_history(size)); /* one solver after the other */
    if (plan->solver == SOLVER_PROXIMAL)
        bytes = 2 * fmin(size, PROXIMAL_SET) * fmin(size, PROXIMAL_SET) * NUMBER;
    return checkpoint ? 2 * bytes : bytes;
}

/* The validation rows have an objective of their own, and perhaps a window on their own file. */
static double validation_bytes(const struct train_request *request, size_t threads, struct objective_spec spec)
{
    double block;
    const struct dataset *valid = (const struct dataset *)request->options->validation;
    if (!valid || valid->x.columns != spec.data->x.columns) /* which is refused soon */
        return 0;
    spec.data = valid;
    spec.curvature = false;
    double rows = (double)valid->x.rows * (sizeof(uint32_t) + 2 * sizeof(uint64_t));
    double bytes = rows + objective_bytes(&spec, (struct objective_uses){0}, &block);
    if (!valid->storage.memory_limit || !valid->x.pages)
        return bytes;
    size_t window = page_window_least(&valid->x, threads, (size_t)block);
    return bytes + (page_window_limit(valid->x.pages, window) ? (double)window : (double)matrix_bytes(&valid->x));
}

/* What follows a training in the row space: weights and an objective of all features. */
static double row_space_end_bytes(const struct train_plan *plan, struct objective_spec spec)
{
    double block;
    spec.data = plan->features->data;
    spec.scale = scaled_features_scale(plan->features);
    spec.curvature = false;
    const double size = ((double)spec.data->x.columns + 1) * (double)weight_vectors(spec.data->classes.count);
    return training_vectors(size) + objective_bytes(&spec, (struct objective_uses){0}, &block) +
           column_stats_bytes(&spec.data->x);
}

/* Everything that is allocated from the objective on. Vectors of the solver, sums and blocks of the objective, the
 * preconditioner with a matrix for each class where it has them, statistics of columns, predictions for the warnings,
 * and the arrays of rounds. */
temper_status memory_budget_training(const struct train_request *request, const struct train_plan *plan,
                                     const struct objective_spec *spec)
{
    const struct dataset *data = plan->data;
    double vectors = (double)weight_vectors(data->classes.count), block;
    double n = (double)data->x.columns + 1, size = n * vectors, rows = (double)data->x.rows;
    bool gram = plan->preconditioner == PRECONDITIONER_GRAM;
    bool per_class = gram && preconditioner_per_class(data, plan->loss, (size_t)n);
    struct objective_uses uses = {.gram = gram, .class_grams = per_class, .hessian = plan->solver == SOLVER_NEWTON};
    double needed =
        objective_bytes(spec, uses, &block) + solver_bytes(plan, request->options->checkpoint != NULL, size);
    needed += training_vectors(size) + validation_bytes(request, plan->threads, *spec);
    /* For the diagonal, or for the warning of features that differ in size. */
    bool stats = plan->preconditioner == PRECONDITIONER_DIAGONAL || plan->features->scale.kind == SCALE_NONE;
    needed += stats ? column_stats_bytes(&data->x) : 0;
    needed += gram ? n * n * NUMBER * (per_class ? vectors : 1) : 0;
    needed += rows * PREDICTED_BYTES + PREDICTED_ROWS * vectors * NUMBER;
    needed += plan->reweighted ? rows * (ROUND_BYTES + vectors * NUMBER) : 0;
    needed += plan->dual_start ? dual_descent_bytes(spec) : 0;
    needed += plan->row_space ? row_space_end_bytes(plan, *spec) : 0;
    needed += plan->row_space || plan->dual_start ? whole_bytes(request->data) : 0;
    struct memory_limit_plan limit = {
        .what = "the training", .needed = needed, .threads = plan->threads, .block = block};
    /* The rows that are in a file, if any are; logarithms are in memory. */
    bool elsewhere = plan->row_space || plan->gathered;
    return memory_limit_plan(elsewhere ? request->data : data, &limit, request->error);
}
