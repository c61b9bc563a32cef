/* plan: what is decided before the first step: the penalty, the precision, the solver. */
#include <math.h>
#include <string.h>

#include "base/thread.h"
#include "tempered/loss_family.h"
#include "train/train_state.h"

/* Above these sizes another solver is faster; measured (docs/training.md). */
enum {
    NEWTON_DENSE = 200,  /* features of two classes: the Hessian costs features / 2 passes */
    NEWTON_SPARSE = 500, /* sparse rows make cheap outer products */
    LBFGS_SPARSE = 1024, /* weights of many classes: as fast, and rounding stays rounding, where
                          * the steps of conjugate gradients hang on a threshold */
    WHITEN_MOST = 4096,  /* features: the factor is a dense matrix */
};

/* Beyond this difference of temperatures the second moments tell little of the curvature; worse, a
 * whitened step treats noise that can be learnt from x like signal, and ends where a logistic
 * regression would (docs/decisions/0007). With many classes it has led to better optima. */
static const double WHITEN_GAP_TWO = 0.5, WHITEN_GAP_MANY = 1.1;
/* A gradient below this share needs sums in doubles. */
static const double FLOAT_TOLERANCE = 1e-6;
/* Of sparse data, whose sums in floats are longer, below this. */
static const double SPARSE_TOLERANCE = 1e-5;

static const char *const solver_names[] = {"newton", "lbfgs", "tron"};

const char *solver_name(enum solver solver)
{
    return solver_names[solver];
}

static bool is_auto(const char *word)
{
    return !word || strcmp(word, "auto") == 0;
}

static temper_status plan_ground(struct training_run *t)
{
    if (t->ground)
        return TEMPER_OK;
    temper_status status = training_budget_scaling(t);
    if (status != TEMPER_OK)
        return status;
    status = scaled_features_new(t->given, t->options->scale, t->threads, &t->own_ground, t->error);
    t->ground = &t->own_ground;
    t->data = t->own_ground.data;
    return status;
}

static temper_status plan_l2(struct training_run *t)
{
    t->l2 = t->options->l2;
    return isnan(t->l2) ? scaled_features_default_l2(t->ground, &t->l2, t->error) : TEMPER_OK;
}

/* ---- Precision and solver -------------------------------------------------------------------- */

temper_status choose_precision(const temper_train_options *options, const struct dataset *data, bool *f64,
                               temper_error *error)
{
    const char *word = options->precision;
    enum matrix_kind kind = data->x.kind;
    if (is_auto(word))
        *f64 = options->tolerance < FLOAT_TOLERANCE || kind == MATRIX_F64;
    else if (strcmp(word, "f32") == 0 || strcmp(word, "f64") == 0)
        *f64 = strcmp(word, "f64") == 0;
    else
        return error_set(error, TEMPER_USAGE, "there is no precision '%.64s'; there are auto, f32 and f64", word);
    *f64 = *f64 || kind == MATRIX_CSR;
    return TEMPER_OK;
}

static temper_status plan_precision(struct training_run *t)
{
    return choose_precision(t->options, t->data, &t->f64, t->error);
}

bool preconditioner_suits(temper_loss_spec loss, const struct dataset *data)
{
    double gap = loss_is_two_temperature(loss) ? loss.t2 - loss.t1 : 0;
    return data->x.kind != MATRIX_CSR && data->x.columns <= WHITEN_MOST &&
           gap <= (data->classes.count == 2 ? WHITEN_GAP_TWO : WHITEN_GAP_MANY);
}

static enum solver best_solver(const struct training_run *t)
{
    bool sparse = t->data->x.kind == MATRIX_CSR, two = t->data->classes.count == 2;
    uint64_t columns = t->data->x.columns;
    if (two && columns <= (sparse ? NEWTON_SPARSE : NEWTON_DENSE))
        return SOLVER_NEWTON;
    bool few = !two && columns * t->data->classes.count <= LBFGS_SPARSE;
    return sparse && !few && (two || loss_is_two_temperature(t->loss)) ? SOLVER_TRON : SOLVER_LBFGS;
}

static temper_status plan_solver(struct training_run *t)
{
    const char *word = t->options->solver;
    bool two = t->data->classes.count == 2, known = is_auto(word);
    t->solver = best_solver(t);
    for (size_t i = 0; !known && i < sizeof solver_names / sizeof *solver_names; i++)
        if (strcmp(word, solver_names[i]) == 0) {
            t->solver = (enum solver)i;
            known = true;
        }
    if (!known)
        return error_set(t->error, TEMPER_USAGE, "there is no solver '%.64s'; there are auto, newton, lbfgs and tron",
                         word);
    if (t->solver == SOLVER_NEWTON && !two)
        return error_set(t->error, TEMPER_USAGE, "the solver newton is for two classes, and there are %zu; try auto",
                         t->data->classes.count);
    /* Products of many classes are in doubles only. */
    if (t->solver == SOLVER_TRON && !two) {
        if (!loss_is_two_temperature(t->loss))
            return error_set(t->error, TEMPER_USAGE,
                             "the solver tron does not know this loss for %zu classes; try lbfgs",
                             t->data->classes.count);
        t->f64 = true;
    }
    t->whiten = t->solver == SOLVER_LBFGS && !t->plan && preconditioner_suits(t->loss, t->data);
    /* Two classes and a loss that is not convex go without, as dense data does (WHITEN_GAP_TWO). */
    t->diagonal =
        t->solver == SOLVER_TRON && t->data->x.kind == MATRIX_CSR && (!two || loss_has_convex_settings(t->loss));
    return TEMPER_OK;
}

static bool sparse_floats(const temper_train_options *options)
{
    const char *word = options->precision;
    return is_auto(word) ? options->tolerance >= SPARSE_TOLERANCE : strcmp(word, "f32") == 0;
}

static temper_status make_objective(struct training_run *t)
{
    struct objective_spec spec = {.data = t->data,
                                  .scale = scaled_features_scale(t->ground),
                                  .loss = t->loss,
                                  .l2 = t->l2,
                                  .intercept = !t->options->no_intercept,
                                  .f64 = t->f64,
                                  .floats = sparse_floats(t->options),
                                  .curvature = t->solver != SOLVER_LBFGS,
                                  .threads = t->threads,
                                  .engine = t->engine};
    temper_status status = t->ground == &t->own_ground ? training_budget(t, &spec) : TEMPER_OK;
    if (status == TEMPER_OK)
        status = objective_new(&spec, &t->objective, t->error);
    if (status == TEMPER_OK)
        t->size = objective_size(t->objective);
    return status;
}

temper_status training_plan(struct training_run *t)
{
    t->threads = t->options->threads ? t->options->threads : thread_count_default();
    static temper_status (*const steps[])(struct training_run *) = {
        plan_ground, plan_l2, plan_precision, plan_solver, make_objective,
    };
    temper_status status = TEMPER_OK;
    for (size_t i = 0; status == TEMPER_OK && i < sizeof steps / sizeof *steps; i++)
        status = steps[i](t);
    return status;
}
