/* budget: how much memory a training will take, told before it takes it, where there is a limit.
 *
 * What is counted is what grows with the data or the model; the rest is the slack of limit.c. Where
 * it is not known yet how far something will grow, its end is counted. */
#include <math.h>

#include "data/columns/column_stats.h"
#include "data/memory/memory_limit.h"
#include "data/memory/page_window.h"
#include "optim/lbfgs_history.h"
#include "tempered/loss_family.h"
#include "train/memory_budget.h"
#include "train/train_state.h"

static const double NUMBER = sizeof(double);
enum {
    VECTORS = 24,        /* of the size of w: those of training_run, of the solver, of the model */
    DIGITS = 32,         /* of a number in a model file, */
    TEXTS = 2,           /* which is put together before it is written */
    PREDICTED_BYTES = 8, /* for each row, where there may be something to warn of */
};

/* What is learnt of the columns comes before everything else, and goes again. */
temper_status training_budget_scaling(const struct training_run *t)
{
    const struct matrix *x = &t->given->x;
    const char *scale = t->options->scale;
    bool logs = scale && scale[0] == 'l';
    double row = (double)matrix_bytes(x) / ((double)x->rows + 1);
    double copy = x->kind == MATRIX_U8 ? 4 * (double)x->nonzeros : (double)matrix_bytes(x);
    struct memory_limit_plan plan = {.what = logs ? "--scale log, which makes a copy of the data,"
                                                  : "learning the scale of the features",
                                     .needed = column_stats_bytes(x) + (logs ? copy : 0),
                                     .threads = t->threads,
                                     .block = row};
    return memory_limit_plan(t->given, &plan, t->error);
}

double solver_history(double size)
{
    struct optim_options options = {.history = 0};
    return (double)lbfgs_history_limit((size_t)size, &options) * (2 * size + 2) * NUMBER;
}

double training_vectors(double size)
{
    return size * (VECTORS * NUMBER + TEXTS * DIGITS);
}

/* The solver's own vectors and matrices. */
static double solver_bytes(const struct training_run *t, double size)
{
    double bytes = 0;
    if (t->solver == SOLVER_NEWTON)
        bytes = 3 * size * size * NUMBER;
    if (t->solver == SOLVER_LBFGS)
        bytes = solver_history(size);
    return t->options->checkpoint ? 2 * bytes : bytes;
}

/* Rows that tell when to stop, if there are any. */
static double valid_bytes(const struct training_run *t, struct objective_spec spec)
{
    double block;
    const struct dataset *valid = (const struct dataset *)t->options->validation;
    if (!valid || valid->x.columns != spec.data->x.columns) /* which is refused soon */
        return 0;
    spec.data = valid;
    spec.curvature = false;
    double rows = (double)spec.data->x.rows * (sizeof(uint32_t) + 2 * sizeof(uint64_t));
    double bytes = rows + objective_bytes(&spec, (struct objective_uses){0}, &block);
    if (!spec.data->storage.memory_limit || !spec.data->x.pages)
        return bytes;
    size_t window = page_window_least(&spec.data->x, t->threads, (size_t)block);
    return bytes +
           (page_window_limit(spec.data->x.pages, window) ? (double)window : (double)matrix_bytes(&spec.data->x));
}

temper_status training_budget(const struct training_run *t, const struct objective_spec *spec)
{
    double vectors = (double)weight_vectors(t->data->classes.count), block;
    double n = (double)t->data->x.columns + 1, size = n * vectors, rows = (double)t->data->x.rows;
    bool by_class = t->whiten && preconditioner_by_class(t->data, t->loss, (size_t)n);
    struct objective_uses uses = {.gram = t->whiten, .class_grams = by_class, .hessian = t->solver == SOLVER_NEWTON};
    double needed = objective_bytes(spec, uses, &block) + solver_bytes(t, size);
    needed += training_vectors(size) + valid_bytes(t, *spec);
    needed += t->diagonal ? column_stats_bytes(&t->data->x) : 0;
    needed += t->whiten ? n * n * NUMBER * (by_class ? vectors : 1) : 0;
    needed += rows * PREDICTED_BYTES + PREDICTED_ROWS * vectors * NUMBER;
    struct memory_limit_plan plan = {.what = "the training", .needed = needed, .threads = t->threads, .block = block};
    return memory_limit_plan(t->data, &plan, t->error);
}
