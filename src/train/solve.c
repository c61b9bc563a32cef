/* solve: runs the minimiser through the phases of the plan; after each iteration validation, checkpoint and progress
 * report, where they are asked for.
 *
 * A phase is one call of a minimiser with its own loss, penalty, start, tolerance and preconditioner: a hinge of
 * decreasing smoothing, another start, a new preconditioner at the weights reached. Phases that continue one another
 * use the end of the phase before as their start. The solutions of several starts are compared by their objective, or
 * by the loss on validation rows. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "objective/sparse/dual_descent.h"
#include "optim/l1_penalty.h"
#include "tempered/loss_family.h"
#include "train/train_state.h"

/* In the order of enum solver. */
static minimiser_fn *const minimisers[] = {minimise_newton, minimise_lbfgs, minimise_tron, minimise_proximal,
                                           minimise_orthant};

/* The first step changes the scores by about this much, so that it cannot reach the region where the loss is flat. */
static const double FIRST_LENGTH = 1;
/* Where there is no such region, and the curvature is known, the first step is limited like the others. */
static const double CONVEX_LENGTH = 8;

/* The relative gradient that is sufficient in a phase whose end is no solution. */
static const double INTERMEDIATE_TOLERANCE = 0.01;
/* The accuracy of the objective at convergence, as a share of it, for each unit of the tolerance. */
static const double OBJECTIVE_SHARE = 1e-3;
/* As a share of the objective at W = 0: below this, its accuracy is relative to this. */
static const double TINY_OBJECTIVE = 1e-6;
/* The smallest decrease worth a hundred iterations, as a share of the width over which a hinge is rounded. */
static const double HINGE_DECREASE = 0.05;

/* The share of the objective that a dual coordinate ascent of dense rows leaves at least: floats prove no less. */
static const double DENSE_DUAL_SHARE = 1e-6;

/* A Gram matrix of W = 0 suits the whole path to the solution if the gradient has fallen to this share within so many
 * iterations (docs/decisions/0035). */
static const double TRIAL_GRADIENT = 0.05;
enum { TRIAL_ITERATIONS = 6 };

/* A gradient is no more than rounding below this share of the size of the features, for sums in doubles and in
 * floats. */
static const double ROUNDING = 1e-14, ROUNDING_F32 = 1e-7;
static const double SUSPICIOUS = 1e-6; /* only below this is a pass spent on finding out */

/* ---- Evaluations that need not be repeated --------------------------------------------------- */

/* Sets loss and penalties of the objective. Known value and gradient stay known only for the same ones. */
void progress_set_loss(struct train_progress *progress, temper_loss_spec loss, double l2, double l1)
{
    struct known_point *known = &progress->known;
    known->valid = known->valid && loss_same_spec(known->loss, loss) && known->l2 == l2 && known->l1 == l1;
    known->loss = loss;
    known->l2 = l2;
    known->l1 = l1;
    objective_set_loss(progress->objective, loss);
    objective_set_l2(progress->objective, l2);
    objective_set_l1(progress->objective, l1);
}

/* The intercepts, which are not penalised, come last. */
static size_t penalised(const struct train_plan *plan)
{
    return (size_t)plan->data->x.columns * plan->vectors;
}

double progress_gradient_norm(const struct train_plan *plan, const struct train_progress *progress, const double *w)
{
    const struct problem problem = {.size = plan->size, .l1 = progress->known.l1, .penalised = penalised(plan)};
    return l1_gradient_norm(&problem, w, progress->gradient);
}

/* Whether w is the point of progress->gradient, bit for bit: the only case in which the gradient can be reused. */
static bool is_current_point(const struct train_progress *progress, const double *w)
{
    return memcmp(progress->w, w, objective_size(progress->objective) * sizeof *w) == 0;
}

/* Evaluates at w unless that was the last evaluation. The accuracy and curvature of the objective are those of its last
 * evaluation, so they are known with the value. */
temper_status progress_evaluate(struct train_progress *progress, const double *w, double *value, bool *known,
                                temper_error *error)
{
    struct known_point *last = &progress->known;
    *known = last->valid && is_current_point(progress, w);
    temper_status status = TEMPER_OK;
    if (!*known)
        status = objective_evaluate(progress->objective, w, &last->value, progress->gradient, error);
    last->valid = status == TEMPER_OK && is_current_point(progress, w);
    *value = last->value;
    return status;
}

/* ---- After each iteration -------------------------------------------------------------------- */

/* The context of `follow`: the training, and how the callback failed, if it did. */
struct follow_context {
    struct train_state *train;
    temper_status status;
};

/* Validation applies on the path to the first solution; phases with a rounded hinge or another penalty are not on it,
 * because their loss is not the one to be compared. */
static bool is_validated(const struct train_state *train)
{
    const struct train_phase *phase = &train->plan.phase[train->progress.phase];
    return train->validation && train->progress.solutions == 0 && (phase->is_solution || phase->iteration_limit);
}

/* Calls the user's callback; false if that ends the training. */
static bool report_progress(struct train_state *train, const struct optim_progress *now, double validation)
{
    const temper_train_options *options = train->request->options;
    struct train_progress *progress = &train->progress;
    if (!options->on_progress)
        return true;
    /* Users see the gradient relative to that at W = 0, which the tolerance is for. */
    double norm = progress->scale.norm, relative = norm > 0 ? now->gradient_norm / norm : 0;
    const struct train_snapshot snapshot = {train, now};
    temper_train_progress shown = {.phase = train->plan.phase[progress->phase].name,
                                   .iteration = now->iteration,
                                   .max_iterations = options->max_iterations,
                                   .objective = now->value,
                                   .gradient = relative,
                                   .tolerance = options->tolerance,
                                   .accuracy = objective_accuracy(progress->objective),
                                   .validation = validation,
                                   .seconds = train_clock() - progress->started,
                                   .state = &snapshot};
    progress->interrupted = options->on_progress(options->progress_context, &shown) != 0;
    return !progress->interrupted;
}

/* Several processes: if the user of one of them stops, all stop. */
static bool any_process_stops(struct follow_context *context)
{
    struct train_progress *progress = &context->train->progress;
    const struct train_request *request = context->train->request;
    temper_error error; /* an interruption is none of the training */
    temper_status mine = TEMPER_OK;
    if (progress->interrupted)
        mine = error_set(&error, TEMPER_INTERRUPTED, "interrupted");
    temper_status all = comm_agree(request->data->ranks.comm, mine, &error);
    progress->interrupted = all == TEMPER_INTERRUPTED;
    context->status = progress->interrupted ? TEMPER_OK : all;
    if (context->status != TEMPER_OK && request->error)
        *request->error = error;
    return all != TEMPER_OK;
}

/* optim_options.on_progress: called at the start and after each iteration; false ends the minimisation. Errors are kept
 * in the context, because the minimiser knows only that it was stopped. */
static bool follow(void *data, const struct optim_progress *now)
{
    struct follow_context *context = data;
    struct train_state *train = context->train;
    const struct train_request *request = train->request;
    const temper_comm *comm = request->data->ranks.comm;
    double validation = NAN;
    bool continues = true;
    if (is_validated(train)) {
        context->status =
            validation_measure(train->validation, now->w, request->options->patience, &validation, request->error);
        continues = !train->validation->stopped;
    }
    /* No checkpoint where validation stops the training: resuming from it would make another step. */
    if (context->status == TEMPER_OK && continues && request->options->checkpoint)
        context->status = checkpoint_save(train, now);
    if (context->status != TEMPER_OK)
        return false;
    bool wanted = report_progress(train, now, validation);
    return (comm_alone(comm) || !any_process_stops(context)) && wanted && continues;
}

/* ---- The scale of the gradient --------------------------------------------------------------- */

/* A gradient at W = 0 that may be rounding alone, as of features without information, cannot serve as the unit of the
 * tolerance. It is compared with the size of the features along it: if it is no more than their rounding, training has
 * converged as soon as the gradient is that small. */
static temper_status measure_rounding(const struct train_state *train, struct gradient_scale *scale)
{
    double size, rounding = train->plan.f64 ? ROUNDING : ROUNDING_F32;
    if (!(scale->norm > 0) || scale->norm > SUSPICIOUS)
        return TEMPER_OK;
    TRY(objective_length(train->progress.objective, train->progress.gradient, &size, train->request->error));
    size /= scale->norm;
    if (scale->norm <= rounding * size)
        *scale = (struct gradient_scale){.known = true, .rounding = rounding * size, .value = scale->value};
    return TEMPER_OK;
}

/* From the gradient at W = 0. With an L1 penalty the norm is that of the minimum-norm subgradient, which is small
 * beside the gradient if the penalty is near that of an empty model: rounding of the latter is the limit then. */
static struct gradient_scale gradient_scale_at(const struct train_state *train, const double *zero, double value)
{
    const struct train_progress *progress = &train->progress;
    struct gradient_scale scale = {.known = true, .value = value};
    double sum = 0;
    for (size_t i = 0; i < train->plan.size; i++)
        sum += progress->gradient[i] * progress->gradient[i];
    scale.norm = sqrt(sum);
    if (progress->known.l1 > 0) {
        scale.rounding = (train->plan.f64 ? ROUNDING : ROUNDING_F32) * scale.norm;
        scale.norm = progress_gradient_norm(&train->plan, progress, zero);
    }
    return scale;
}

/* Whether a phase continues the same problem, because the one before it has a limit of iterations. */
static bool continues_limited(const struct train_phase *phase)
{
    return phase->continues_previous && phase[-1].iteration_limit > 0;
}

/* The norm of the gradient at W = 0, to which the stopping rule is relative, whatever the start. A phase that continues
 * with another preconditioner has that of the phase before it; after a checkpoint it has to be computed again, which is
 * not counted as an evaluation. */
static temper_status measure_scale(struct train_state *train, const struct train_phase *phase)
{
    struct train_progress *progress = &train->progress;
    size_t size = train->plan.size;
    double value;
    bool known;
    if (continues_limited(phase) && progress->scale.known)
        return TEMPER_OK;
    double *zero = mem_zeroed(size, sizeof *zero);
    if (!zero)
        return error_no_memory(train->request->error);
    temper_status status = progress_evaluate(progress, zero, &value, &known, train->request->error);
    progress->scale = gradient_scale_at(train, zero, value);
    mem_free(zero);
    if (!progress->solver_memory && !known)
        progress->counts.evaluations++;
    return status == TEMPER_OK && phase->l1 == 0 ? measure_rounding(train, &progress->scale) : status;
}

/* ---- When a phase ends ----------------------------------------------------------------------- */

/* The tolerance of a phase: looser for a hinge that is rounded more than it will be in the end, because the solution of
 * such an intermediate problem only serves as a start. */
static double tolerance(const struct train_state *train, const struct train_phase *phase)
{
    bool intermediate = phase->loss.method == TEMPER_HINGE && !phase->is_solution;
    return fmax(train->request->options->tolerance, intermediate ? INTERMEDIATE_TOLERANCE : 0);
}

/* The rounded hinge is below the sharp one by up to half its width; steps that lower it by far less than that are not
 * worth taking, even if its gradient, which jumps from row to row, stays large. */
double hinge_min_decrease(const struct train_plan *plan, temper_loss_spec loss)
{
    bool rounded = loss.method == TEMPER_HINGE && plan->loss.smoothing == 0;
    return rounded ? HINGE_DECREASE * loss.smoothing : 0;
}

/* Losses are not negative, so that without a penalty an objective that is a small share of that at W = 0 has converged:
 * separable rows have no other minimum. */
struct optim_distance train_distance(double tolerance, double l2, double zero_value)
{
    return (struct optim_distance){.share = OBJECTIVE_SHARE * tolerance,
                                   .absolute = OBJECTIVE_SHARE * tolerance * TINY_OBJECTIVE * zero_value,
                                   .value = l2 > 0 ? 0 : tolerance * zero_value,
                                   .curvature = l2};
}

/* How near to its minimum the objective has to be. Phases that lead to a start need no accuracy, a hinge has its own
 * rule (hinge_min_decrease), and most fits of a search are compared and not kept. */
static struct optim_distance distance(const struct train_state *train, const struct train_phase *phase)
{
    const struct gradient_scale *scale = &train->progress.scale;
    bool applies = (phase->is_solution || phase->iteration_limit) && phase->loss.method != TEMPER_HINGE;
    if (!applies || train->is_candidate || !(scale->norm > 0))
        return (struct optim_distance){0};
    struct optim_distance result = train_distance(train->request->options->tolerance, phase->l2, scale->value);
    result.lower_bound = train->progress.lower_bound;
    if (phase->l1 > 0)
        result.value = 0; /* a penalty too: separable rows have a minimum */
    return result;
}

/* The norm of the gradient at which a phase has converged, if the objective is near its minimum too. */
static double gradient_limit(const struct train_state *train, const struct train_phase *phase)
{
    const struct gradient_scale *scale = &train->progress.scale;
    return fmax(tolerance(train, phase) * scale->norm, scale->rounding);
}

/* ---- One phase ------------------------------------------------------------------------------- */

/* Makes the preconditioner of a phase, or borrows that of a pilot fit. A pilot fit keeps the one of its first phase for
 * the fits that will share it. Where none can be made, all later phases do without. */
static temper_status prepare_preconditioner(struct train_state *train, const struct train_phase *phase)
{
    const struct train_request *request = train->request;
    const struct train_plan *plan = &train->plan;
    struct train_progress *progress = &train->progress;
    struct preconditioner *preconditioner = &progress->preconditioner;
    /* Factors are shared only where this fit would make Gram factors of its own. */
    bool shares = request->shared && progress->preconditioner_kind == PRECONDITIONER_GRAM;
    if (request->pilot && phase->uses_current_curvature && shared_preconditioner_has_initial(plan->loss))
        request->pilot->initial = *preconditioner;
    else
        preconditioner_free(preconditioner);
    *preconditioner = (struct preconditioner){0};
    if (shares) {
        const struct shared_preconditioner *shared = request->shared;
        if (!preconditioner_borrow(phase->iteration_limit ? &shared->initial : &shared->later, preconditioner))
            return error_no_memory(request->error);
    } else {
        struct preconditioner_spec spec = {.objective = progress->objective,
                                           .data = plan->data,
                                           .scale = plan_scale(plan),
                                           .loss = phase->loss,
                                           .l2 = phase->l2,
                                           .w = phase->uses_current_curvature ? progress->w : NULL,
                                           .threads = plan->threads};
        TRY(preconditioner_create(progress->preconditioner_kind, &spec, preconditioner, request->error));
    }
    progress->preconditioner_kind = preconditioner->kind;
    return TEMPER_OK;
}

/* Most of the gradient that a dual ascent leaves is that of the intercept, which follows the rows. Where it alone is
 * more than may be left, a Newton step of the intercept costs an evaluation; conjugate gradients would take several
 * products for it. Returns whether there was a step. */
static bool moves_intercept(struct train_state *train, const struct train_phase *phase, double curvature)
{
    struct train_progress *progress = &train->progress;
    const size_t last = train->plan.size - 1;
    const double slope = progress->gradient[last], limit = gradient_limit(train, phase);
    const double norm = progress_gradient_norm(&train->plan, progress, progress->w);
    if (!(curvature > 0) || !(fabs(slope) > limit) || !(norm * norm - slope * slope < limit * limit))
        return false;
    progress->w[last] -= slope / curvature;
    progress->known.valid = false;
    return true;
}

/* Where a dual coordinate ascent was given up: as if there had been none, with an objective for many passes. */
static temper_status start_from_zero(struct train_state *train, const struct train_phase *phase)
{
    struct train_progress *progress = &train->progress;
    TRY(train_plan_give_up_dual(train->request, &train->plan, &progress->objective));
    progress_set_loss(progress, phase->loss, phase->l2, phase->l1);
    memset(progress->w, 0, train->plan.size * sizeof *progress->w);
    progress->known.valid = false;
    return measure_scale(train, phase);
}

/* Replaces the start W = 0 by the end of a dual coordinate ascent, if that is lower, and keeps its bound. The same
 * where a checkpoint is resumed, which needs the bound alone. A pass over all rows counts as an evaluation. The ascent
 * also has the gradient at W = 0; one that may be rounding alone is measured with more care. */
static temper_status start_from_dual(struct train_state *train, const struct train_phase *phase)
{
    struct train_progress *progress = &train->progress;
    temper_error *error = train->request->error;
    const bool sparse = train->plan.data->x.kind == MATRIX_CSR;
    const double limit = train->request->options->tolerance;
    const struct dual_goal goal = {.share = fmax(OBJECTIVE_SHARE * limit, sparse ? 0 : DENSE_DUAL_SHARE),
                                   .gradient = limit};
    struct dual_result result;
    double value;
    bool known;
    TRY(dual_descent(progress->objective, goal, progress->w, &result, error));
    progress->lower_bound = result.lower_bound;
    progress->scale = (struct gradient_scale){.known = true, .norm = result.zero_gradient, .value = result.zero_value};
    progress->counts.evaluations += progress->solver_memory ? 0 : result.epochs;
    if (result.given_up)
        return start_from_zero(train, phase);
    if (!(result.zero_gradient > SUSPICIOUS))
        TRY(measure_scale(train, phase));
    if (progress->solver_memory && !objective_misses_copies(progress->objective))
        return TEMPER_OK;
    progress->known.valid = false;
    TRY(progress_evaluate(progress, progress->w, &value, &known, error));
    progress->counts.evaluations += progress->solver_memory ? 0 : 1;
    if (moves_intercept(train, phase, result.bias_curvature)) {
        TRY(progress_evaluate(progress, progress->w, &value, &known, error));
        progress->counts.evaluations += progress->solver_memory ? 0 : 1;
    }
    if (value < progress->scale.value)
        return TEMPER_OK;
    memset(progress->w, 0, train->plan.size * sizeof *progress->w);
    progress->known.valid = false;
    return TEMPER_OK;
}

/* Whether the phase begins where it will end, because the dual has shown that nothing is left to gain: no
 * preconditioner is needed. */
static bool begins_at_end(const struct train_state *train, const struct train_phase *phase)
{
    const struct train_progress *progress = &train->progress;
    const struct optim_distance proved = distance(train, phase);
    return progress->known.valid && optim_bound_reached(&proved, progress->known.value) &&
           progress_gradient_norm(&train->plan, progress, progress->w) <= gradient_limit(train, phase);
}

/* Passes will follow: copies of the rows, which were left out, make them faster. */
static temper_status make_copies(struct train_state *train, const struct train_phase *phase)
{
    struct train_progress *progress = &train->progress;
    TRY(train_plan_make_copies(train->request, &train->plan, &progress->objective));
    progress_set_loss(progress, phase->loss, phase->l2, phase->l1);
    progress->known.valid = false;
    return TEMPER_OK;
}

/* Sets start, loss, scale of the gradient and preconditioner, in this order: each needs the ones before. */
static temper_status enter_phase(struct train_state *train, const struct train_phase *phase)
{
    struct train_progress *progress = &train->progress;
    bool at_start = !phase->continues_previous || progress->trial_failed;
    if (at_start && !is_current_point(progress, train->plan.initial)) {
        memcpy(progress->w, train->plan.initial, train->plan.size * sizeof *progress->w);
        progress->known.valid = false;
    }
    progress_set_loss(progress, phase->loss, phase->l2, phase->l1);
    progress->lower_bound = 0;
    if (train->plan.dual_start && (phase->is_solution || phase->iteration_limit) && !phase->continues_previous)
        TRY(start_from_dual(train, phase));
    else
        TRY(measure_scale(train, phase));
    const bool at_end = begins_at_end(train, phase);
    if (!at_end && objective_misses_copies(progress->objective))
        TRY(make_copies(train, phase));
    bool none =
        phase->is_plain || progress->preconditioner_kind == PRECONDITIONER_NONE || (at_end && !progress->solver_memory);
    return none ? TEMPER_OK : prepare_preconditioner(train, phase);
}

/* The limit of this phase. The iterations of limited phases and of the phase that continues them add up to the limit of
 * the user. */
static size_t max_iterations(const struct train_state *train, const struct train_phase *phase)
{
    size_t left = train->request->options->max_iterations;
    for (const struct train_phase *now = phase; continues_limited(now); now--)
        left -= now[-1].iteration_limit < left ? now[-1].iteration_limit : left;
    return phase->iteration_limit && phase->iteration_limit < left ? phase->iteration_limit : left;
}

/* The limit for the first step. Convex losses rise without bound on the wrong side of the boundary: no step can end
 * where they are flat. L-BFGS has no curvature at first, and is always limited. */
static double first_length(const struct train_phase *phase)
{
    return loss_has_convex_settings(phase->loss) && phase->solver != SOLVER_LBFGS && phase->solver != SOLVER_OWLQN
               ? CONVEX_LENGTH
               : FIRST_LENGTH;
}

/* Runs the minimiser on the objective, from progress->w or from the memory of a checkpoint. The end is in progress->w,
 * its gradient in progress->gradient where that was the last evaluation. */
static temper_status minimise(struct train_state *train, const struct train_phase *phase, struct optim_result *result)
{
    const struct train_plan *plan = &train->plan;
    struct train_progress *progress = &train->progress;
    enum preconditioner_kind kind = phase->is_plain ? PRECONDITIONER_NONE : progress->preconditioner_kind;
    const bool proximal = phase->solver == SOLVER_PROXIMAL;
    /* Heavy tails, and a loss that is bounded: it may give up a class, whose intercept then decreases for ever. */
    const bool may_give_up = plan->vectors > 1 && plan->data->x.kind == MATRIX_CSR && phase->loss.t2 > 1 &&
                             !loss_has_convex_settings(phase->loss) && !train->request->options->no_intercept;
    struct problem problem = {.size = plan->size,
                              .context = progress->objective,
                              .evaluate = objective_evaluate,
                              .accept = objective_accept,
                              .multiply = phase->solver == SOLVER_TRON || proximal ? objective_multiply : NULL,
                              .hessian = phase->solver == SOLVER_NEWTON ? objective_hessian : NULL,
                              .hessian_of = proximal ? objective_hessian_of : NULL,
                              .hessian_rounding = plan->f64 ? 0 : ROUNDING_F32,
                              .precondition = kind == PRECONDITIONER_GRAM ? preconditioner_apply : NULL,
                              .preconditioner = &progress->preconditioner,
                              .diagonal = progress->preconditioner.diagonal,
                              .diagonal_group = progress->preconditioner.vectors,
                              .last_curvature = may_give_up ? objective_intercept_curvature : NULL,
                              .l1 = phase->l1,
                              .penalised = penalised(plan)};
    struct follow_context context = {.train = train};
    struct optim_options options = {.gradient_norm = gradient_limit(train, phase),
                                    .distance = distance(train, phase),
                                    .max_iterations = max_iterations(train, phase),
                                    .trial_iterations = phase->is_trial ? TRIAL_ITERATIONS : 0,
                                    .trial_norm = TRIAL_GRADIENT * progress->scale.norm,
                                    .min_decrease = hinge_min_decrease(plan, phase->loss),
                                    .first_length = first_length(phase),
                                    .length = objective_length,
                                    .on_progress = follow,
                                    .progress_context = &context,
                                    .no_memory = !train->request->options->checkpoint,
                                    .gradient = progress->gradient,
                                    .memory = progress->solver_memory,
                                    .memory_count = progress->solver_memory_count};
    /* The phase begins where the last evaluation was: the minimiser need not repeat it. */
    if (progress->known.valid && !progress->solver_memory) {
        options.start_value = progress->known.value;
        options.start_gradient = progress->gradient;
        progress->counts.evaluations--; /* the minimiser counts it again */
    }
    TRY(minimisers[phase->solver](&problem, &options, progress->w, result, train->request->error));
    if (context.status == TEMPER_OK && result->stop == OPTIM_NOT_FINITE)
        return error_set(train->request->error, TEMPER_BAD_DATA,
                         "the loss is not a finite number: features are too large; pass --scale "
                         "standard");
    return context.status;
}

/* Counts of single phases add up to those of the report. */
static void add_counts(struct train_counts *counts, const struct optim_result *result)
{
    counts->iterations += result->iterations;
    counts->evaluations += result->evaluations;
    counts->products += result->products;
    counts->hessians += result->hessians;
}

/* Runs one phase, and keeps its end as the start of the next, with value and gradient if the objective was last
 * evaluated there. */
static temper_status run_phase(struct train_state *train, const struct train_phase *phase)
{
    struct train_progress *progress = &train->progress;
    struct optim_result result;
    progress->solver = phase->solver;
    TRY(enter_phase(train, phase));
    TRY(minimise(train, phase, &result));
    progress->known.valid = result.at_last_evaluation;
    progress->known.value = result.value;
    mem_free(progress->solver_memory); /* of a checkpoint: used up */
    progress->solver_memory = NULL;
    progress->solver_memory_count = 0;
    add_counts(&progress->counts, &result);
    progress->last_stop = result.stop;
    progress->trial_failed = phase->is_trial && result.stop == OPTIM_MAX_ITER && result.iterations == TRIAL_ITERATIONS;
    progress->last_value = result.value;
    return TEMPER_OK;
}

/* ---- All phases ------------------------------------------------------------------------------ */

/* Another start is kept only if it is lower by more than this share: what two ends of one optimum may differ by. */
static const double LOWER_START = 1e-6;

/* Keeps the end of a start. With validation rows the first solution is the best on them, wherever the solver ended, and
 * starts are compared by the loss on them. `solutions` counts the starts that have ended; their weights are stored one
 * after the other, for the comparison at the end and for the warning about starts that lead to different models. */
static temper_status keep_solution(struct train_state *train, const struct train_phase *phase)
{
    struct train_progress *progress = &train->progress;
    struct train_validation *validation = train->validation;
    const double *best = progress->w;
    size_t size = train->plan.size, k = progress->solutions;
    struct start_end *end = &progress->end[k];
    *end = (struct start_end){.start = k, .value = progress->last_value, .stop = progress->last_stop};
    if (k == 0) {
        progress->solution_loss = phase->loss;
        progress->solution_scale = progress->scale.norm;
    }
    if (k == 0 && validation && isfinite(validation->best_loss)) {
        best = validation->best;
        end->value = validation->best_loss;
    } else if (validation) {
        TRY(validation_loss(validation, best, &end->value, train->request->error));
    }
    memcpy(progress->solution + size * k, best, size * sizeof *best);
    progress->solutions++;
    return TEMPER_OK;
}

/* Moves the solution of the lowest objective to the front, where the model is made from. Equal ones: the first. A later
 * start has to be lower by the share LOWER_START: differences within the tolerance of the solver are no reason to
 * prefer it. */
static void choose_solution(struct train_state *train)
{
    struct train_progress *progress = &train->progress;
    struct start_end *end = progress->end;
    size_t size = train->plan.size, kept = 0;
    for (size_t k = 1; k < progress->solutions && !train->request->keeps_first; k++)
        if (end[k].value < end[kept].value - LOWER_START * fabs(end[kept].value))
            kept = k;
    double *first = progress->solution, *other = first + kept * size;
    for (size_t i = 0; kept > 0 && i < size; i++) {
        double weight = first[i];
        first[i] = other[i];
        other[i] = weight;
    }
    const struct start_end was = end[0];
    end[0] = end[kept];
    end[kept] = was;
    if (train->validation && kept > 0)
        train->validation->best_loss = end[0].value;
}

/* Whether the last phase found no lower point, and the next one has another solver, which may. */
static bool can_continue(const struct train_plan *plan, const struct train_progress *progress)
{
    const struct train_phase *phase = &plan->phase[progress->phase];
    return progress->last_stop == OPTIM_STALLED && phase->iteration_limit && phase[1].solver != phase->solver;
}

/* Runs all phases, from the first or from that of a checkpoint (progress->phase). A user who interrupts still gets a
 * model: the best weights at that moment. */
static temper_status run_phases(struct train_state *train)
{
    const struct train_plan *plan = &train->plan;
    struct train_progress *progress = &train->progress;
    for (; progress->phase < plan->phases && !progress->interrupted; progress->phase++) {
        TRY(run_phase(train, &plan->phase[progress->phase]));
        /* A limited phase that has ended before its limit leaves nothing to do for those that continue it. */
        if (progress->last_stop != OPTIM_MAX_ITER && !progress->interrupted && !can_continue(plan, progress))
            while (plan->phase[progress->phase].iteration_limit)
                progress->phase++;
        const struct train_phase *phase = &plan->phase[progress->phase];
        if (phase->is_solution || (progress->interrupted && progress->solutions == 0))
            TRY(keep_solution(train, phase));
    }
    choose_solution(train);
    return TEMPER_OK;
}

/* One pass through the phases, or several where the loss has rounds. */
temper_status train_solve(struct train_state *train)
{
    if (train->plan.reweighted)
        TRY(rounds_begin(train));
    TRY(run_phases(train));
    for (bool again = train->plan.reweighted != NULL; again && !train->progress.interrupted;) {
        TRY(rounds_next(train, &again));
        if (again)
            TRY(run_phases(train));
    }
    return train->plan.reweighted && train->progress.interrupted ? rounds_interrupted(train) : TEMPER_OK;
}
