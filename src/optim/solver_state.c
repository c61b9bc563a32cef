/* solver_state: what all minimisers share: counters, the best point, progress reports, the memory from which they
 * resume, and the rules by which they stop.
 *
 * Everything that an interrupted minimisation needs to continue to the same bits is in one array of doubles, the
 * memory: a head of counters and numbers, the point w, its gradient, the best point, and what the method adds (pairs of
 * L-BFGS, the scale of Newton's method). All else is scratch space of an iteration.
 *
 * A minimisation has converged when the norm of the gradient is small and, where a distance is set, the value is
 * expected to decrease by no more than a share of itself: a small gradient along a direction of little curvature is not
 * enough. It stops without convergence after a limit of iterations, when no step decreases the value, when many
 * iterations made no progress, or when the caller ends it. */
#include "optim/solver_state.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "optim/l1_penalty.h"
#include "optim/vector.h"

/* Differences of values below this share of the value are rounding: floats have a precision of 1e-7, and a difference
 * has the errors of two values. */
static const double ROUNDING = 5e-7;
/* Limits for the root mean square change of the scores by one step: the first step, unless the options specify it, and
 * later ones until solver_extend_limit raises it. Losses with a bounded value are flat from scores of about 10 on. */
static const double FIRST_LENGTH = 1, LENGTH = 8;

/* Where rounding decides, accepted steps need not lead anywhere. After IDLE_LIMIT iterations without progress the
 * minimiser stops; progress is a value smaller by the share VALUE_PROGRESS, or a gradient norm smaller by the factor
 * NORM_PROGRESS. */
static const double IDLE_LIMIT = 100, VALUE_PROGRESS = 1e-9, NORM_PROGRESS = 0.9;

/* head->expected_decrease before a method has estimated it. */
static const double UNKNOWN = -1;
/* By how much a bound may exceed the limit of the decrease: measured, so that ordinary data does not notice it, and
 * problems whose gradient is in directions of little curvature do (tests/unit/train/test_hard_problems.c). */
static const double BOUND_FACTOR = 10;
/* The largest ratio of two decreases that is extrapolated from: above it is rounding. */
static const double SLOWEST = 0.95;

/* Doubles of the head at the beginning of the memory. */
enum { HEAD = sizeof(struct solver_head) / sizeof(double) };

/* Doubles of the memory: head, w, gradient, best, extra. */
static bool memory_size(size_t size, size_t extra, size_t *count)
{
    size_t vectors = 0;
    return mul_size(3, size, &vectors) && add_size(vectors, HEAD, &vectors) && add_size(vectors, extra, count);
}

/* Doubles that need not outlive an iteration: trial, its gradient, and those of the method. The product cannot
 * overflow, since that of memory_size did not. */
static bool scratch_size(size_t size, size_t own, size_t *count)
{
    return add_size(2 * size, own, count);
}

/* Divides the two allocations among the vectors, and initialises the head. The order within the memory is that of saved
 * checkpoints. */
static void lay_out(struct solver_state *state)
{
    const size_t n = state->problem->size;
    state->head = (struct solver_head *)state->memory;
    state->w = state->memory + HEAD;
    state->gradient = state->w + n;
    state->best = state->gradient + n;
    state->extra = state->best + n;
    state->trial = state->rest;
    state->trial_gradient = state->trial + n;
    state->scratch = state->trial_gradient + n;
    *state->head = (struct solver_head){.size = (double)n, .length_limit = LENGTH, .expected_decrease = UNKNOWN};
}

/* Two allocations: the memory, and everything that need not outlive an iteration. Nothing is allocated later, so that
 * no iteration can fail for lack of memory. */
temper_status solver_open(struct solver_state *state, const struct problem *problem,
                          const struct optim_options *options, struct solver_workspace workspace, temper_error *error)
{
    *state = (struct solver_state){.problem = problem, .options = options, .error = error};
    size_t memory_count = 0, scratch_count = 0;
    if (!memory_size(problem->size, workspace.extra, &memory_count) ||
        !scratch_size(problem->size, workspace.scratch, &scratch_count))
        return error_no_memory(error);
    state->memory = mem_aligned(memory_count, sizeof(double));
    state->rest = mem_aligned(scratch_count, sizeof(double));
    if (!state->memory || !state->rest) {
        solver_close(state);
        return error_no_memory(error);
    }
    state->extra_room = workspace.extra;
    lay_out(state);
    return TEMPER_OK;
}

/* Leaves a state that may be closed again. */
void solver_close(struct solver_state *state)
{
    mem_free(state->memory);
    mem_free(state->rest);
    *state = (struct solver_state){0};
}

/* Counts, and makes every trial that is not finite recognisable by an infinite norm. */
void solver_evaluated(struct solver_state *state)
{
    const double norm = l1_gradient_norm(state->problem, state->trial, state->trial_gradient);
    state->head->evaluations++;
    state->at_last_evaluation = false;
    state->trial_norm = isfinite(state->trial_value) && isfinite(norm) ? norm : INFINITY;
}

/* The value is NaN before the call, so that a callback that fails to store one is recognised. */
temper_status solver_evaluate_trial(struct solver_state *state)
{
    state->trial_value = NAN;
    temper_status status = state->problem->evaluate(state->problem->context, state->trial, &state->trial_value,
                                                    state->trial_gradient, state->error);
    if (status == TEMPER_OK)
        solver_evaluated(state);
    return status;
}

/* solver_evaluated has reduced all cases of NaN and infinity to an infinite norm. */
bool solver_trial_finite(const struct solver_state *state)
{
    return isfinite(state->trial_norm);
}

/* Relative to the value at w. */
double solver_rounding(const struct solver_state *state)
{
    return ROUNDING * fabs(state->head->value);
}

/* Whether the point that the head describes is the best so far, in which case it is recorded as such: the point of the
 * smallest value; but where values differ by rounding alone, that of the smallest gradient. The comparison is with
 * `lowest`, which never rises, so that the best value cannot drift upwards by rounding. */
static bool update_best(const struct solver_state *state)
{
    struct solver_head *head = state->head;
    if (head->value < head->lowest)
        head->lowest = head->value;
    const double bar = head->lowest + solver_rounding(state);
    if (head->value > bar || (head->best_value <= bar && head->best_norm <= head->gradient_norm))
        return false;
    head->best_value = head->value;
    head->best_norm = head->gradient_norm;
    return true;
}

/* Most points are better than all before them, and copying each would take another pass over memory: the best point is
 * copied only when w leaves it, or when the memory has to be complete for a caller. */
static void keep_best(const struct solver_state *state)
{
    if (state->w_is_best)
        vector_copy(state->best, state->w, state->problem->size);
}

/* Compares the vectors where the flag does not show it: w may have returned to the best point. */
bool solver_is_at_best(const struct solver_state *state)
{
    return state->w_is_best || memcmp(state->best, state->w, state->problem->size * sizeof *state->w) == 0;
}

/* `best` is out of date as long as w itself is the best point (see keep_best). */
const double *solver_best(const struct solver_state *state)
{
    return state->w_is_best ? state->w : state->best;
}

/* Counts the iterations since the value or the gradient norm last decreased by more than rounding, or than
 * min_decrease. */
static void update_progress(const struct solver_state *state)
{
    struct solver_head *head = state->head;
    const double least = fmax(VALUE_PROGRESS * fabs(head->value), state->options->min_decrease);
    head->idle_iterations++;
    /* Either kind of progress resets the count: near a minimum values differ by rounding while the gradient still
     * falls. */
    if (head->value >= head->progress_value - least && head->gradient_norm > NORM_PROGRESS * head->progress_norm)
        return;
    head->progress_value = fmin(head->progress_value, head->value);
    head->progress_norm = fmin(head->progress_norm, head->gradient_norm);
    head->idle_iterations = 0;
}

static void swap(double **a, double **b)
{
    double *was = *a;
    *a = *b;
    *b = was;
}

/* w and its gradient become those of the trial. Where no caller reads the memory, w need not be in its place there, and
 * swapping pointers saves two copies. */
static void take_trial(struct solver_state *state)
{
    const size_t n = state->problem->size;
    if (state->options->no_memory) {
        swap(&state->w, &state->trial);
        swap(&state->gradient, &state->trial_gradient);
    } else {
        vector_copy(state->w, state->trial, n);
        vector_copy(state->gradient, state->trial_gradient, n);
    }
}

/* The order matters: the head is updated first, because update_best compares it; and the old w may be the best point,
 * which must be copied before it is overwritten. */
void solver_accept(struct solver_state *state)
{
    state->head->value = state->trial_value;
    state->head->gradient_norm = state->trial_norm;
    const bool best = update_best(state);
    if (!best)
        keep_best(state);
    take_trial(state);
    state->w_is_best = best;
    state->at_last_evaluation = true;
    state->head->expected_decrease = UNKNOWN;
    if (state->problem->accept)
        state->problem->accept(state->problem->context);
    update_progress(state);
}

/* ---- The distance of the value from its minimum -------------------------------------------------------- */

/* Its norm, or its largest entry if the options limit that one; an entry is never larger than the norm. */
static bool gradient_small(const struct solver_state *state)
{
    const double entry = state->options->gradient_entry, norm = state->head->gradient_norm;
    if (entry > 0)
        return norm <= entry || vector_within(state->gradient, entry, state->problem->size);
    return norm <= state->options->gradient_norm;
}

/* The gradient costs little to test, so that it comes first. */
bool solver_checks_distance(const struct solver_state *state)
{
    return state->options->distance.share > 0 && gradient_small(state);
}

/* A negative decrease stands for unknown. The bound is divided by BOUND_FACTOR: it is far above the truth on most
 * problems, and would delay their end for nothing. */
void solver_expect_decrease(struct solver_state *state, double decrease, double bound)
{
    state->head->expected_decrease = decrease >= 0 ? fmax(decrease, bound / BOUND_FACTOR) : UNKNOWN;
}

/* A share of the value, or an absolute number where the value is near 0, where a share of it would be below
 * rounding. */
static double decrease_limit(const struct optim_distance *distance, double value)
{
    return fmax(distance->share * fabs(value), distance->absolute);
}

double solver_decrease_limit(const struct solver_state *state)
{
    return decrease_limit(&state->options->distance, state->head->value);
}

bool optim_bound_reached(const struct optim_distance *distance, double value)
{
    return distance->lower_bound > 0 && value - distance->lower_bound <= decrease_limit(distance, value);
}

/* Whether the value is near its minimum, as far as is known. A gradient of 0 leaves no decrease to expect. */
static bool distance_small(const struct solver_state *state)
{
    const struct optim_distance *distance = &state->options->distance;
    const struct solver_head *head = state->head;
    if (distance->share == 0 || head->value <= distance->value || head->gradient_norm == 0)
        return true;
    if (optim_bound_reached(distance, head->value))
        return true;
    return head->expected_decrease >= 0 && head->expected_decrease <= solver_decrease_limit(state);
}

/* Both conditions: a small gradient alone may be in a direction of small curvature, along which the minimum is far
 * away. */
bool solver_has_converged(const struct solver_state *state)
{
    return gradient_small(state) && distance_small(state);
}

/* Shifts a window of the last decreases, the newest first. They are part of the memory, so that a resumed training
 * stops where an uninterrupted one would. */
void solver_record_decrease(struct solver_state *state, double decrease)
{
    struct solver_head *head = state->head;
    for (size_t i = 2 * SOLVER_WINDOW - 1; i > 0; i--)
        head->decrease[i] = head->decrease[i - 1];
    head->decrease[0] = fmax(decrease, 0);
    head->decreases = fmin(head->decreases + 1, 2 * SOLVER_WINDOW);
}

/* Linear convergence: the last window decreased the value by r times the window before it, so that all windows to come
 * decrease it by r / (1 - r) times the last one. */
double solver_extrapolated_decrease(const struct solver_state *state)
{
    const struct solver_head *head = state->head;
    double last = 0, before = 0;
    if (head->decreases < 2 * SOLVER_WINDOW)
        return 0;
    for (size_t i = 0; i < SOLVER_WINDOW; i++) {
        last += head->decrease[i];
        before += head->decrease[SOLVER_WINDOW + i];
    }
    const double rate = before > 0 ? fmin(last / before, SLOWEST) : 0;
    return last * rate / (1 - rate);
}

/* The limit in the norm of options->length. The first step, and any step made without knowledge of the curvature, has a
 * limit of its own, which is shorter. */
double solver_length_limit(const struct solver_state *state, bool blind)
{
    if (state->head->iteration > 0 && !blind)
        return state->head->length_limit;
    return state->options->first_length > 0 ? state->options->first_length : FIRST_LENGTH;
}

/* Doubling lets the limit follow scores that have to grow, as on separable data, in a logarithmic number of steps. */
void solver_extend_limit(struct solver_state *state)
{
    if (state->head->iteration > 0) /* the limit of the first step is separate */
        state->head->length_limit *= 2;
}

/* Avoids the measurement where v is short relative to the stiffest direction of late: its length is estimated as
 * stiffness times norm, with a margin of 4 because v may be stiffer. */
bool solver_step_factor_known(const struct solver_state *state, const double *v, double limit, double *factor)
{
    const double length = state->head->stiffness * vector_norm(v, state->problem->size);
    if (!(state->head->stiffness > 0) || !(length <= limit / 4))
        return false;
    *factor = limit / length;
    return true;
}

/* The factor from a measured length; INFINITY where there is nothing to limit. Also updates the stiffness, the ratio of
 * length to norm. */
double solver_step_factor_measured(struct solver_state *state, const double *v, double limit, double length)
{
    if (!(length > 0) || isinf(length))
        return INFINITY;
    /* Decays slowly: a stiff direction of earlier steps must not make every later step be measured. */
    double *stiffness = &state->head->stiffness;
    *stiffness = fmax(*stiffness / 2, length / vector_norm(v, state->problem->size));
    return limit / length;
}

/* The largest factor by which v may be multiplied; infinite where steps are not limited. Measuring takes a pass over
 * the data. */
temper_status solver_step_factor(struct solver_state *state, const double *v, double limit, double *factor)
{
    double length = 0;
    *factor = INFINITY;
    if (!state->options->length || solver_step_factor_known(state, v, limit, factor))
        return TEMPER_OK;
    temper_status status = state->options->length(state->problem->context, v, &length, state->error);
    if (status == TEMPER_OK)
        *factor = solver_step_factor_measured(state, v, limit, length);
    return status;
}

/* Calls on_progress with a complete memory; false if the minimiser is to stop. */
static bool report(const struct solver_state *state)
{
    const struct solver_head *head = state->head;
    const bool no_memory = state->options->no_memory;
    if (!state->options->on_progress)
        return true;
    /* The vector `best` is a part of the memory that the caller may save. */
    if (!no_memory)
        keep_best(state);
    const struct optim_progress progress = {
        .iteration = (size_t)head->iteration,
        .evaluations = (size_t)head->evaluations,
        .products = (size_t)head->products,
        .hessians = (size_t)head->hessians,
        .value = head->value,
        .gradient_norm = head->gradient_norm,
        .w = state->w,
        .memory = no_memory ? NULL : state->memory,
        .memory_count = no_memory ? 0 : HEAD + 3 * state->problem->size + (size_t)head->extra,
    };
    return state->options->on_progress(state->options->progress_context, &progress);
}

/* The start counts as iteration 0, and is reported. */
void solver_begin(struct solver_state *state)
{
    state->head->lowest = state->head->best_value = INFINITY;
    state->head->progress_value = state->head->progress_norm = INFINITY;
    state->head->start_norm = state->trial_norm;
    solver_accept(state);
    state->going = report(state);
}

void solver_restart(struct solver_state *state)
{
    const struct solver_head last = *state->head;
    *state->head = (struct solver_head){.kind = last.kind,
                                        .size = last.size,
                                        .stiffness = last.stiffness,
                                        .length_limit = LENGTH,
                                        .extra = last.extra,
                                        .pairs = last.pairs,
                                        .next = last.next,
                                        .gamma = last.gamma,
                                        .history_limit = last.history_limit,
                                        .expected_decrease = UNKNOWN};
    state->w_is_best = state->at_last_evaluation = false;
    state->stop = OPTIM_CONVERGED;
}

/* The report comes after the counter, so that a memory saved from it resumes with the next iteration. */
void solver_iteration_done(struct solver_state *state)
{
    state->head->iteration++;
    state->going = report(state);
}

/* The rules in their order of precedence: converged, stalled, stopped by the caller, out of iterations. The order
 * decides which reason is reported where several apply. */
bool solver_should_stop(const struct solver_state *state, enum optim_stop *stop)
{
    const struct solver_head *head = state->head;
    const struct optim_options *options = state->options;
    const bool slow = options->trial_iterations > 0 && head->iteration == (double)options->trial_iterations &&
                      head->gradient_norm > options->trial_norm;
    const bool converged = solver_has_converged(state);
    const bool stalled = head->idle_iterations > IDLE_LIMIT;
    *stop = converged ? OPTIM_CONVERGED : stalled ? OPTIM_STALLED : state->going ? OPTIM_MAX_ITER : OPTIM_STOPPED;
    return converged || stalled || !state->going || slow || head->iteration >= (double)options->max_iterations;
}

/* A minimiser that has converged returns the last point: no more than rounding above the best, and the only one whose
 * gradient is certain to be small enough. */
static void prefer_last(struct solver_state *state)
{
    state->head->best_value = state->head->value;
    state->head->best_norm = state->head->gradient_norm;
    state->w_is_best = true;
}

/* The gradient is handed out only if it is that of the returned point. */
void solver_end(struct solver_state *state, enum optim_stop stop)
{
    state->stop = stop;
    if (stop == OPTIM_CONVERGED)
        prefer_last(state);
    state->at_last_evaluation = state->at_last_evaluation && solver_is_at_best(state);
    if (state->options->gradient && state->at_last_evaluation)
        vector_copy(state->options->gradient, state->gradient, state->problem->size);
}

/* Where the start was not finite, its value shows why. */
struct optim_result solver_result(const struct solver_state *state)
{
    const struct solver_head *head = state->head;
    const bool finite = state->stop != OPTIM_NOT_FINITE;
    return (struct optim_result){
        .stop = state->stop,
        .iterations = (size_t)head->iteration,
        .evaluations = (size_t)head->evaluations,
        .products = (size_t)head->products,
        .hessians = (size_t)head->hessians,
        .value = finite ? head->best_value : state->trial_value,
        .gradient_norm = finite ? head->best_norm : state->trial_norm,
        .at_last_evaluation = state->at_last_evaluation,
    };
}

/* ---- Resuming from the memory of an earlier run ----------------------------------------------- */

static const char CONTRADICTION[] = "its numbers contradict each other";

/* The error for a memory that does not fit, with the remedy. */
static temper_status refuse(struct solver_state *state, const char *why)
{
    return error_set(state->error, TEMPER_BAD_DATA, "the memory of an earlier run does not fit: %s; start again", why);
}

/* Counters are whole numbers below 2^53, which a double holds exactly. */
static bool is_count(double x)
{
    return x >= 0 && x < 9007199254740992.0 && x == floor(x);
}

/* All counters of the head, and that evaluations are consistent with iterations. */
static bool counts_are_valid(const struct solver_head *head)
{
    const double counts[] = {head->iteration,       head->evaluations, head->products, head->hessians,
                             head->extra,           head->pairs,       head->next,     head->history_limit,
                             head->idle_iterations, head->decreases};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (!is_count(counts[i]))
            return false;
    /* Each iteration takes at least one evaluation, and so did the start. */
    return head->evaluations > head->iteration;
}

/* Signs and order of the numbers in the head, as every iteration leaves them. */
static bool norms_are_valid(const struct solver_head *head)
{
    return head->gradient_norm >= 0 && head->start_norm >= 0 && head->best_norm >= 0 && head->progress_norm >= 0 &&
           head->stiffness >= 0 && head->length_limit > 0 && head->radius >= 0 && head->gamma >= 0 &&
           head->lowest <= head->value && head->lowest <= head->best_value;
}

/* All checks of a memory that need no evaluation, except those of the numbers of the method. Copies it to
 * state->memory. Returns NULL, or a description of what is wrong. The norm is compared exactly, because its sum has a
 * fixed order. */
static const char *fault(struct solver_state *state, enum solver_kind kind)
{
    const size_t n = state->problem->size, fixed = HEAD + 3 * n;
    const struct optim_options *options = state->options;
    if (options->memory_count < fixed || options->memory_count - fixed > state->extra_room)
        return "its size is another";
    vector_copy(state->memory, options->memory, options->memory_count);
    const struct solver_head *head = state->head;
    if (!vector_finite(state->memory, options->memory_count))
        return "it holds numbers that are not finite";
    if (head->kind != (double)kind)
        return "it is that of another solver";
    if (head->size != (double)n || !counts_are_valid(head) || head->extra != (double)(options->memory_count - fixed))
        return "its size is another";
    if (!norms_are_valid(head) || head->gradient_norm != l1_gradient_norm(state->problem, state->w, state->gradient))
        return CONTRADICTION;
    return NULL;
}

/* Everything that can be checked without an evaluation, which may take a pass over much data, is checked before it. */
temper_status solver_restore(struct solver_state *state, enum solver_kind kind, bool (*is_valid)(const void *self),
                             const void *self)
{
    const char *why = fault(state, kind);
    if (!why && !is_valid(self))
        why = CONTRADICTION;
    vector_copy(state->trial, state->w, state->problem->size);
    return why ? refuse(state, why) : TEMPER_OK;
}

/* The problem has to be evaluated at w for its curvature. That evaluation is not counted, because a minimiser that was
 * never interrupted does not need it; but it shows whether the memory belongs to this problem. */
temper_status solver_resume(struct solver_state *state)
{
    struct solver_head *head = state->head;
    head->evaluations--;
    /* Twice the rounding in floats, for objectives that were compiled differently. */
    const double gap = fabs(state->trial_value - head->value);
    if (!solver_trial_finite(state) || gap > 2 * solver_rounding(state))
        return refuse(state, "the function has another value there");
    if (state->problem->accept)
        state->problem->accept(state->problem->context);
    state->w_is_best = solver_is_at_best(state);
    state->at_last_evaluation = true;
    state->going = true; /* this point was reported before */
    return TEMPER_OK;
}

/* ---- The whole minimisation --------------------------------------------------------------------------- */

/* Value and gradient at the start, from the options if they are known. */
static temper_status try_start(struct solver_state *state)
{
    if (!state->options->start_gradient)
        return solver_evaluate_trial(state);
    state->trial_value = state->options->start_value;
    vector_copy(state->trial_gradient, state->options->start_gradient, state->problem->size);
    solver_evaluated(state);
    return TEMPER_OK;
}

/* Evaluates the start, which is w or the point of the memory. *finite becomes false if a new start has no finite value,
 * which is a result and not an error. */
static temper_status start(struct solver_state *state, const struct optim_method *method, const void *self,
                           const double *w, bool *finite)
{
    const bool again = state->options->memory != NULL;
    state->head->kind = method->kind;
    vector_copy(state->trial, w, state->problem->size);
    temper_status status = again ? solver_restore(state, method->kind, method->is_valid, self) : TEMPER_OK;
    if (status == TEMPER_OK)
        status = again ? solver_evaluate_trial(state) : try_start(state);
    if (status != TEMPER_OK)
        return status;
    if (again)
        return solver_resume(state);
    *finite = solver_trial_finite(state);
    if (*finite)
        solver_begin(state);
    return TEMPER_OK;
}

/* Iterates until a stopping rule applies, or the method finds no better point, which is reported as stalled unless it
 * has converged. */
static temper_status iterations(struct solver_state *state, const struct optim_method *method, void *self)
{
    enum optim_stop stop;
    while (!solver_should_stop(state, &stop)) {
        bool moved = false;
        temper_status status = method->iterate(self, &moved);
        if (status != TEMPER_OK)
            return status;
        /* The method may have found that there is no decrease left to expect. */
        if (!moved) {
            stop = solver_has_converged(state) ? OPTIM_CONVERGED : OPTIM_STALLED;
            break;
        }
        solver_iteration_done(state);
    }
    solver_end(state, stop);
    return TEMPER_OK;
}

/* The whole minimisation. If an iteration fails, w becomes the best point so far, as after a success; if the start
 * fails, w is left as it was. */
temper_status solver_run(struct solver_state *state, const struct optim_method *method, void *self, double *w,
                         struct optim_result *result)
{
    bool finite = true;
    temper_status status = start(state, method, self, w, &finite);
    if (status != TEMPER_OK)
        return status;
    if (finite) {
        status = iterations(state, method, self);
        vector_copy(w, solver_best(state), state->problem->size);
    } else {
        solver_end(state, OPTIM_NOT_FINITE);
    }
    if (status == TEMPER_OK)
        *result = solver_result(state);
    return status;
}
