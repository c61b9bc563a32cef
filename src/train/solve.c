/* solve: goes through the phases, and answers for what happens on the way. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "tempered/loss_family.h"
#include "train/train_state.h"

static minimiser_fn *const minimisers[] = {minimise_newton, minimise_lbfgs, minimise_tron};

/* The first step moves activations by about this much, so that it cannot leap to where the loss is
 * flat. */
static const double FIRST_LENGTH = 1;
/* Where there is no such place, and the curvature is known, the first step is like the others. */
static const double CONVEX_LENGTH = 8;

/* The relative gradient that is enough in a phase that does not answer. */
static const double ON_THE_WAY = 0.01;
/* Of the width over which a hinge is rounded. */
static const double HINGE_FALL = 0.05;

/* A gradient is no more than rounding at these shares of the features' size. */
static const double ROUNDING = 1e-14, ROUNDING_F32 = 1e-7;
static const double SUSPICIOUS = 1e-6; /* a pass is spent on that only below */

/* ---- What the solver sees: the objective, and the metric ------------------------------------- */

void training_set_loss(struct training_run *t, temper_loss_spec loss, double l2)
{
    struct recalled *last = &t->recalled;
    last->fresh = last->fresh && loss_same_spec(last->loss, loss) && last->l2 == l2;
    last->loss = loss;
    last->l2 = l2;
    objective_set_loss(t->objective, loss);
    objective_set_l2(t->objective, l2);
}

static bool same_point(const struct training_run *t, const double *w)
{
    return memcmp(t->w, w, t->size * sizeof *w) == 0;
}

/* The objective stands where it was asked last, so its accuracy and curvature are those too. */
temper_status training_evaluate(struct training_run *t, const double *w, double *value, bool *again)
{
    struct recalled *last = &t->recalled;
    *again = last->fresh && same_point(t, w);
    temper_status status = TEMPER_OK;
    if (!*again)
        status = objective_evaluate(t->objective, w, &last->value, t->gradient, t->error);
    last->fresh = status == TEMPER_OK && same_point(t, w);
    *value = last->value;
    return status;
}

/* Of the solver, which begins at t->w, and has vectors of its own. */
static temper_status evaluate(void *context, const double *w, double *value, double *gradient, temper_error *error)
{
    struct training_run *t = context;
    struct recalled *last = &t->recalled;
    const bool again = t->entering && last->fresh && same_point(t, w);
    (void)error; /* that of the training */
    t->entering = last->fresh = false;
    if (!again)
        return objective_evaluate(t->objective, w, value, gradient, t->error);
    t->before.evaluations--; /* which the solver counts */
    *value = last->value;
    memcpy(gradient, t->gradient, t->size * sizeof *gradient);
    return TEMPER_OK;
}

static void accept(void *context)
{
    struct training_run *t = context;
    objective_accept(t->objective);
}

static temper_status multiply(void *context, const double *v, double *product, temper_error *error)
{
    struct training_run *t = context;
    return objective_multiply(t->objective, v, product, error);
}

static temper_status hessian(void *context, double *h, temper_error *error)
{
    struct training_run *t = context;
    return objective_hessian(t->objective, h, error);
}

static temper_status length(void *context, const double *v, double *out, temper_error *error)
{
    struct training_run *t = context;
    return objective_length(t->objective, v, out, error);
}

static void precondition(void *context, double *v)
{
    struct training_run *t = context;
    preconditioner_apply(&t->metric, v);
}

/* ---- On the way ------------------------------------------------------------------------------ */

/* The loss on the validation rows, on the way to the first answer; false where it has not fallen
 * for long enough. */
static bool validate(struct training_run *t, const double *w, double *loss)
{
    const struct phase *phase = &t->phase[t->current];
    double value;
    *loss = NAN;
    if (!t->valid || t->answers > 0 || !(phase->answers || phase->most))
        return true;
    t->follow_status = objective_evaluate(t->valid, w, &value, t->valid_gradient, t->error);
    if (t->follow_status != TEMPER_OK)
        return false;
    *loss = objective_loss(t->valid);
    t->valid_since++;
    if (*loss < t->valid_best) {
        t->valid_best = *loss;
        t->valid_since = 0;
        memcpy(t->valid_w, w, t->size * sizeof *w);
    }
    t->stopped_early = t->valid_since >= t->options->patience;
    return !t->stopped_early;
}

static bool report_progress(struct training_run *t, const struct optim_progress *progress, double validation)
{
    const temper_train_options *options = t->options;
    const struct phase *phase = &t->phase[t->current];
    if (!options->on_progress)
        return true;
    double relative = phase->zero_norm > 0 ? progress->gradient_norm / phase->zero_norm : 0;
    temper_train_progress now = {.phase = phase->name,
                                 .iteration = progress->iteration,
                                 .max_iterations = options->max_iterations,
                                 .objective = progress->value,
                                 .gradient = relative,
                                 .tolerance = options->tolerance,
                                 .accuracy = objective_accuracy(t->objective),
                                 .validation = validation,
                                 .seconds = training_clock() - t->started};
    t->interrupted = options->on_progress(options->progress_context, &now) != 0;
    return !t->interrupted;
}

/* Whoever is told to stop, all do. */
static bool anyone_stops(struct training_run *t)
{
    uint64_t stopping;
    temper_status status = comm_count(t->given->ranks.comm, t->interrupted, NULL, &stopping, t->error);
    if (t->follow_status == TEMPER_OK)
        t->follow_status = status;
    t->interrupted = t->interrupted || (status == TEMPER_OK && stopping > 0);
    return t->interrupted || status != TEMPER_OK;
}

static bool follow(void *context, const struct optim_progress *progress)
{
    struct training_run *t = context;
    double validation;
    bool goes_on = validate(t, progress->w, &validation);
    /* Not where it stops: going on from there would take another step. */
    if (t->follow_status == TEMPER_OK && goes_on)
        t->follow_status = checkpoint_save(t, progress);
    t->follow_status = comm_agree(t->given->ranks.comm, t->follow_status, t->error);
    if (t->follow_status != TEMPER_OK)
        return false;
    bool wanted = report_progress(t, progress, validation);
    return anyone_stops(t) ? false : wanted && goes_on;
}

/* ---- Phases ---------------------------------------------------------------------------------- */

/* A gradient at W = 0 that may be rounding is measured against the features: if it is no more, then
 * training is at its end as soon as it is no more. */
static temper_status measure_rounding(struct training_run *t, struct phase *phase)
{
    double size, rounding = t->f64 ? ROUNDING : ROUNDING_F32;
    if (!(phase->zero_norm > 0) || phase->zero_norm > SUSPICIOUS)
        return TEMPER_OK;
    temper_status status = objective_length(t->objective, t->gradient, &size, t->error);
    size /= phase->zero_norm;
    if (status == TEMPER_OK && phase->zero_norm <= rounding * size) {
        phase->zero_norm = 0;
        phase->enough = rounding * size;
    }
    return status;
}

/* The stopping rule is relative to the gradient at W = 0, whatever the start. A phase that goes on
 * in another metric has that of the one before; after a checkpoint it has to be found again, which
 * does not count. */
static temper_status measure_zero(struct training_run *t, struct phase *phase)
{
    double value, sum = 0, *zero;
    bool again;
    if (phase->bends && phase[-1].measured) {
        phase->zero_norm = phase[-1].zero_norm;
        phase->enough = phase[-1].enough;
        phase->measured = true;
        return TEMPER_OK;
    }
    zero = mem_zeroed(t->size, sizeof *zero);
    if (!zero)
        return error_no_memory(t->error);
    temper_status status = training_evaluate(t, zero, &value, &again);
    mem_free(zero);
    for (size_t i = 0; i < t->size; i++)
        sum += t->gradient[i] * t->gradient[i];
    phase->zero_norm = sqrt(sum);
    phase->enough = 0;
    phase->measured = true;
    if (!t->memory && !again)
        t->before.evaluations++;
    return status == TEMPER_OK ? measure_rounding(t, phase) : status;
}

static temper_status not_finite(const struct training_run *t)
{
    return error_set(t->error, TEMPER_BAD_DATA,
                     "the loss is not a finite number: features are too large; pass --scale "
                     "standard");
}

/* Short phases and the one that goes on from them share the limit of the user. */
static size_t most_iterations(const struct training_run *t, const struct phase *phase)
{
    size_t left = t->options->max_iterations;
    for (const struct phase *now = phase; now->bends; now--)
        left -= now[-1].most < left ? now[-1].most : left;
    return phase->most && phase->most < left ? phase->most : left;
}

/* Convex losses rise forever on the wrong side. */
static double first_length(const struct training_run *t, temper_loss_spec loss)
{
    return loss_has_convex_settings(loss) && t->solver != SOLVER_LBFGS ? CONVEX_LENGTH : FIRST_LENGTH;
}

/* A hinge that is rounded more than it will be in the end is only on the way. */
static double tolerance(const struct training_run *t, const struct phase *phase)
{
    bool on_the_way = phase->loss.method == TEMPER_HINGE && !phase->answers;
    return fmax(t->options->tolerance, on_the_way ? ON_THE_WAY : 0);
}

/* The rounded hinge is below the sharp one by up to half its width; steps that lower it by far less
 * than that are not worth taking, though its gradient, which leaps from row to row, may stay. */
double hinge_fall(const struct training_run *t, temper_loss_spec loss)
{
    bool rounded = loss.method == TEMPER_HINGE && t->loss.smoothing == 0;
    return rounded ? HINGE_FALL * loss.smoothing : 0;
}

static temper_status run_phase(struct training_run *t, struct phase *phase, double *w, struct optim_result *result)
{
    struct problem problem = {.size = t->size,
                              .context = t,
                              .evaluate = evaluate,
                              .accept = accept,
                              .multiply = t->solver == SOLVER_TRON ? multiply : NULL,
                              .hessian = t->solver == SOLVER_NEWTON ? hessian : NULL,
                              .precondition = t->whiten ? precondition : NULL,
                              .diagonal = t->diagonal ? t->metric.diagonal : NULL,
                              .together = t->metric.vectors};
    double enough = fmax(tolerance(t, phase) * phase->zero_norm, phase->enough);
    struct optim_options options = {.gradient_norm = enough,
                                    .max_iterations = most_iterations(t, phase),
                                    .least_fall = hinge_fall(t, phase->loss),
                                    .first_length = first_length(t, phase->loss),
                                    .length = length,
                                    .on_progress = follow,
                                    .progress_context = t,
                                    .forgets = !t->options->checkpoint,
                                    .gradient = t->gradient,
                                    .memory = t->memory,
                                    .memory_count = t->memory_count};
    temper_status status = minimisers[t->solver](&problem, &options, w, result, t->error);
    if (status == TEMPER_OK)
        status = t->follow_status;
    if (status == TEMPER_OK && result->stop == OPTIM_NOT_FINITE)
        status = not_finite(t);
    return status;
}

static void add_counts(struct counts *counts, const struct optim_result *result)
{
    counts->iterations += result->iterations;
    counts->evaluations += result->evaluations;
    counts->products += result->products;
    counts->hessians += result->hessians;
}

static temper_status enter_phase(struct training_run *t, struct phase *phase)
{
    if (!phase->goes_on && !same_point(t, t->initial)) {
        memcpy(t->w, t->initial, t->size * sizeof *t->w);
        t->recalled.fresh = false;
    }
    training_set_loss(t, phase->loss, phase->l2);
    temper_status status = measure_zero(t, phase);
    if (status == TEMPER_OK)
        status = preconditioner_prepare(t, phase);
    t->entering = !t->memory; /* going on after a checkpoint counts nothing anyway */
    return status;
}

static temper_status one_phase(struct training_run *t, struct phase *phase)
{
    struct optim_result result;
    temper_status status = enter_phase(t, phase);
    if (status == TEMPER_OK)
        status = run_phase(t, phase, t->w, &result);
    if (status != TEMPER_OK)
        return status;
    t->recalled.fresh = result.stands;
    t->recalled.value = result.value;
    mem_free(t->memory); /* of a checkpoint: used up */
    t->memory = NULL;
    t->memory_count = 0;
    add_counts(&t->before, &result);
    t->last_stop = result.stop;
    if (t->answers == 0)
        t->stop = result.stop;
    return TEMPER_OK;
}

/* With validation rows the first answer is the best on them, wherever the solver ended. */
static void keep_answer(struct training_run *t, const struct phase *phase)
{
    if (t->answers == 0) {
        t->answer_loss = phase->loss;
        t->answer_norm = phase->zero_norm;
    }
    const double *best = t->valid && t->answers == 0 && isfinite(t->valid_best) ? t->valid_w : t->w;
    memcpy(t->answer + t->size * t->answers++, best, t->size * sizeof *best);
}

/* A short phase that has ended before its limit leaves nothing to do for those that go on. */
static const struct phase *skip_rest(struct training_run *t, const struct phase *phase)
{
    if (t->last_stop == OPTIM_MAX_ITER || t->interrupted)
        return phase;
    for (; phase->most; phase = &t->phase[t->current])
        t->phase[++t->current].zero_norm = phase->zero_norm;
    return phase;
}

temper_status training_solve(struct training_run *t)
{
    for (; t->current < t->phases && !t->interrupted; t->current++) {
        const struct phase *phase = &t->phase[t->current];
        temper_status status = one_phase(t, &t->phase[t->current]);
        if (status != TEMPER_OK)
            return status;
        phase = skip_rest(t, phase);
        if (phase->answers || (t->interrupted && t->answers == 0))
            keep_answer(t, phase);
    }
    return TEMPER_OK;
}
