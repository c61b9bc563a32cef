/* lbfgs: the limited-memory BFGS method (Nocedal 1980; Liu and Nocedal 1989) with a preconditioner, as a state machine:
 * a stage for each request to the caller, and a function for each reply that leads to the next stage.
 *
 * An iteration: the direction d = -H g by the two-loop recursion over the last pairs (s, y) of steps and differences of
 * gradients, with gamma M^-1 between the loops; a limit for its length; a line search for the strong Wolfe conditions;
 * the pair of the accepted step. Reverse communication, instead of callbacks, is what lets one pass over the data
 * evaluate many minimisations at once (search/fits_batched.c): each of them waits in its own stage for its reply. */
#include "optim/lbfgs.h"

#include <assert.h>
#include <math.h>

#include "base/memory.h"
#include "optim/lbfgs_history.h"
#include "optim/line_search.h"
#include "optim/solver_state.h"
#include "optim/vector.h"

/* A decrease by so many times the rounding of the value is known accurately enough from the values. */
static const double SURE = 10;

/* Which reply the minimiser waits for. */
enum lbfgs_stage {
    STAGE_START,        /* value and gradient at the start */
    STAGE_RESUME,       /* value and gradient at the point that a memory was saved at */
    STAGE_TRIAL,        /* value and gradient at a trial of the line search */
    STAGE_PRECONDITION, /* M^-1 times the direction, between the two loops */
    STAGE_LENGTH,       /* the length of the direction */
    STAGE_PAIR,         /* M^-1 times the difference of two gradients */
    STAGE_DONE,         /* none: the minimisation has ended */
    /* Stages without a request, which lbfgs_reply leaves at once: */
    STAGE_MOVED,  /* the line search has found a better point */
    STAGE_FAILED, /* no step in this direction decreases the value */
};

struct lbfgs {
    struct problem problem; /* its size, and the callback for accepted points, if any */
    struct optim_options options;
    struct solver_state state;
    bool preconditioned; /* the caller applies M^-1; otherwise M = 1 */
    enum lbfgs_stage stage;
    struct line_search search; /* along `direction`, from state.w */
    struct lbfgs_history pairs;
    double *direction, *difference; /* in the scratch space; `difference` is that of two gradients */
    double slope;                   /* along the direction */
    bool checks_distance;           /* the gradient is small enough: the next direction shows whether the value is */
};

/* ---- A direction ----------------------------------------------------------------------------- */

/* Whether nothing is known of the curvature: no pairs, and no preconditioner that resembles the Hessian. With either,
 * the natural first step of the line search is 1; a blind step has the length that a first step may have, or norm 1. */
static bool blind(const struct lbfgs *self)
{
    return self->state.head->pairs == 0 && !self->preconditioned;
}

/* The limit for the length of the next step. */
static double length_limit(const struct lbfgs *self)
{
    return solver_length_limit(&self->state, blind(self));
}

/* ---- From a reply to the next request ----------------------------------------------------- */

/* Fixes the result. */
static enum lbfgs_stage end(struct lbfgs *self, enum optim_stop stop)
{
    solver_end(&self->state, stop);
    return STAGE_DONE;
}

/* Begins the line search. A direction with curvature information has step 1 as its natural length; a blind one goes as
 * far as the limit allows, or changes w by a norm of 1 at most. */
static enum lbfgs_stage search(struct lbfgs *self, double longest)
{
    struct line line = {self->direction, self->slope, .first = 1, .longest = longest};
    if (blind(self))
        line.first = isfinite(longest) ? longest : fmin(1, 1 / vector_norm(self->direction, self->problem.size));
    return line_begin(&self->search, &self->state, line) == LINE_EVALUATE ? STAGE_TRIAL : STAGE_FAILED;
}

/* The decrease from w to the minimum by the pairs, with the curvature of the penalty in all other directions: a bound
 * where that is the least (struct optim_distance). The vector of the difference of gradients is free at this stage. 0:
 * there is no penalty. With H the inverse Hessian of L-BFGS, the quadratic model predicts a decrease of g'Hg / 2.
 * Beginning the recursion with 1 / l2 instead of gamma assumes the least curvature that the penalty allows in
 * directions that no pair has explored, and so the largest decrease. */
static double decrease_bound(struct lbfgs *self)
{
    const double curvature = self->options.distance.curvature;
    const size_t n = self->problem.size;
    if (!(curvature > 0))
        return 0;
    vector_copy(self->difference, self->state.gradient, n);
    lbfgs_history_first_loop(&self->pairs, self->difference);
    lbfgs_history_second_loop(&self->pairs, 1 / curvature, self->difference);
    return 0.5 * vector_dot(self->difference, self->state.gradient, n);
}

/* The decrease from w to the minimum. The model of L-BFGS predicts half of the slope; it knows the curvature of the
 * directions in its pairs alone, so that the decreases of the last iterations are extrapolated too. */
static void expect_decrease(struct lbfgs *self)
{
    const double decrease = fmax(-0.5 * self->slope, solver_extrapolated_decrease(&self->state));
    self->checks_distance = false;
    solver_expect_decrease(&self->state, decrease, decrease_bound(self));
}

/* The direction is complete, but for its length limit. */
static enum lbfgs_stage direction_preconditioned(struct lbfgs *self)
{
    double longest;
    lbfgs_history_second_loop(&self->pairs, self->state.head->gamma, self->direction);
    self->slope = vector_dot(self->direction, self->state.gradient, self->problem.size);
    /* Rounding, or pairs from a region of other curvature, can make this no direction of descent. */
    if (!(self->slope < 0) || isinf(self->slope))
        return STAGE_FAILED;
    if (self->checks_distance && !blind(self))
        expect_decrease(self);
    if (solver_has_converged(&self->state))
        return end(self, OPTIM_CONVERGED);
    if (self->options.convex && !blind(self))
        return search(self, INFINITY);
    /* Measuring the length takes a pass over the data: it is requested only for steps that may exceed the limit. */
    if (!solver_step_factor_known(&self->state, self->direction, length_limit(self), &longest))
        return STAGE_LENGTH;
    return search(self, longest);
}

/* A new direction: minus the inverse Hessian times the gradient. */
static enum lbfgs_stage new_direction(struct lbfgs *self)
{
    for (size_t i = 0; i < self->problem.size; i++)
        self->direction[i] = -self->state.gradient[i];
    lbfgs_history_first_loop(&self->pairs, self->direction);
    return self->preconditioned ? STAGE_PRECONDITION : direction_preconditioned(self);
}

/* The length of the direction is known: it limits the step. */
static enum lbfgs_stage length_measured(struct lbfgs *self, double length)
{
    return search(self, solver_step_factor_measured(&self->state, self->direction, length_limit(self), length));
}

/* Pairs from a region of other curvature can give a bad direction: they are dropped, and the next direction is the
 * preconditioned gradient alone. If that one has failed, no step decreases the value any more. */
static enum lbfgs_stage search_failed(struct lbfgs *self)
{
    if (self->state.head->pairs == 0)
        return end(self, OPTIM_STALLED);
    lbfgs_history_clear(&self->pairs);
    return new_direction(self);
}

/* Stops, or begins another iteration. Where the gradient is small enough, the direction has to be known before the end
 * can be decided. */
static enum lbfgs_stage next_iteration(struct lbfgs *self)
{
    enum optim_stop stop;
    self->checks_distance = solver_checks_distance(&self->state);
    return solver_should_stop(&self->state, &stop) ? end(self, stop) : new_direction(self);
}

/* `difference` is M^-1 y now, from which gamma, the scale of the initial inverse Hessian, is computed. */
static enum lbfgs_stage pair_complete(struct lbfgs *self)
{
    lbfgs_history_complete(&self->pairs, self->difference);
    return STAGE_MOVED;
}

/* The accepted step becomes a pair if its curvature s'y is positive, without which the approximate Hessian would not
 * stay positive definite. The preconditioner has to be applied to y before the pair is complete. */
static enum lbfgs_stage add_pair(struct lbfgs *self)
{
    if (!lbfgs_history_begin(&self->pairs, self->direction, self->difference))
        return STAGE_MOVED;
    return self->preconditioned ? STAGE_PAIR : pair_complete(self);
}

/* After an evaluation of the line search. */
static enum lbfgs_stage trial_evaluated(struct lbfgs *self)
{
    switch (line_continue(&self->search)) {
    case LINE_EVALUATE:
        return STAGE_TRIAL;
    case LINE_FAILED:
        return STAGE_FAILED;
    /* The step was still descending steeply at the length limit. */
    case LINE_LIMITED:
        solver_extend_limit(&self->state);
        break;
    case LINE_FOUND:
        break;
    }
    return add_pair(self);
}

/* The decrease of the value along the accepted step, which is in `direction` since its pair was made. Below the
 * rounding of the value, the slopes at both ends give it more accurately. The trapezoidal rule: half the sum of the
 * slopes at both ends, along the step. */
static double step_decrease(const struct lbfgs *self)
{
    const struct solver_state *state = &self->state;
    const double decrease = state->head->value - state->trial_value;
    if (decrease > SURE * solver_rounding(state))
        return decrease;
    const double slope = vector_dot(state->trial_gradient, self->direction, self->problem.size);
    return -0.5 * (self->search.step * self->slope + slope);
}

/* The trial becomes w; the iteration is over. */
static enum lbfgs_stage accept_trial(struct lbfgs *self)
{
    solver_record_decrease(&self->state, step_decrease(self));
    solver_accept(&self->state);
    solver_iteration_done(&self->state);
    return next_iteration(self);
}

/* Without a finite value there is nothing to start from. */
static enum lbfgs_stage start_evaluated(struct lbfgs *self)
{
    if (!solver_trial_finite(&self->state))
        return end(self, OPTIM_NOT_FINITE);
    solver_begin(&self->state);
    return next_iteration(self);
}

/* The transition table of the state machine: from the stage whose reply has arrived to the next one. `number` is used
 * by the length alone; values were stored by lbfgs_reply. */
static enum lbfgs_stage next_stage(struct lbfgs *self, double number)
{
    switch (self->stage) {
    case STAGE_START:
        return start_evaluated(self);
    case STAGE_RESUME:
        return next_iteration(self);
    case STAGE_TRIAL:
        return trial_evaluated(self);
    case STAGE_PRECONDITION:
        return direction_preconditioned(self);
    case STAGE_LENGTH:
        return length_measured(self, number);
    case STAGE_PAIR:
        return pair_complete(self);
    case STAGE_MOVED:
        return accept_trial(self);
    case STAGE_FAILED:
        return search_failed(self);
    case STAGE_DONE:
        break;
    }
    return STAGE_DONE;
}

/* ---- The interface ----------------------------------------------------------------------------------- */

/* Stages whose request is an evaluation at the trial. */
static bool needs_value(enum lbfgs_stage stage)
{
    return stage == STAGE_START || stage == STAGE_RESUME || stage == STAGE_TRIAL;
}

/* Stores the number where the stage needs it, then runs the stages up to the next request. */
temper_status lbfgs_reply(struct lbfgs *self, double number, temper_error *error)
{
    self->state.error = error;
    if (needs_value(self->stage)) {
        self->state.trial_value = number;
        solver_evaluated(&self->state);
    }
    /* The value at the restored point shows whether the memory belongs to this function. */
    if (self->stage == STAGE_RESUME) {
        temper_status status = solver_resume(&self->state);
        if (status != TEMPER_OK)
            return status;
    }
    do
        self->stage = next_stage(self, number);
    while (self->stage == STAGE_MOVED || self->stage == STAGE_FAILED);
    return TEMPER_OK;
}

/* The request is a function of the stage: nothing is stored. */
struct lbfgs_request lbfgs_next_request(const struct lbfgs *self)
{
    const struct solver_state *state = &self->state;
    if (needs_value(self->stage))
        return (struct lbfgs_request){LBFGS_VALUE, state->trial, state->trial_gradient};
    if (self->stage == STAGE_LENGTH)
        return (struct lbfgs_request){LBFGS_LENGTH, .point = self->direction};
    if (self->stage == STAGE_PRECONDITION)
        return (struct lbfgs_request){LBFGS_PRECONDITION, .answer = self->direction};
    if (self->stage == STAGE_PAIR)
        return (struct lbfgs_request){LBFGS_PRECONDITION, .answer = self->difference};
    return (struct lbfgs_request){LBFGS_DONE, .point = NULL};
}

/* There is no best point before the first finite value. */
const double *lbfgs_best(const struct lbfgs *self)
{
    const bool none = self->stage == STAGE_START || self->stage == STAGE_RESUME || self->state.stop == OPTIM_NOT_FINITE;
    return none ? NULL : solver_best(&self->state);
}

/* Valid at any time, for reports of progress too; the reason to stop is that of the end. */
struct optim_result lbfgs_result(const struct lbfgs *self)
{
    return solver_result(&self->state);
}

/* The callback of solver_restore. */
static bool is_valid(const void *context)
{
    const struct lbfgs *self = context;
    return lbfgs_history_is_valid(&self->pairs);
}

/* Divides the scratch space (see lbfgs_history_workspace), and marks the memory as that of L-BFGS without pairs. A
 * restored memory overwrites these marks afterwards. */
static void lay_out(struct lbfgs *self)
{
    self->direction = self->state.scratch;
    self->difference = self->direction + self->problem.size;
    self->pairs.weight = self->difference + self->problem.size;
    self->state.head->kind = OPTIM_LBFGS;
    self->state.head->history_limit = (double)self->pairs.limit;
    lbfgs_history_clear(&self->pairs);
}

/* Opens the solver for the problem, options and flags of `given`. `self` must not move afterwards, because its state
 * points to its problem and options; it has to be closed by solver_close(&self->state), even after a failure. */
static temper_status prepare(struct lbfgs *self, const struct lbfgs *given, const double *start, temper_error *error)
{
    const size_t n = given->problem.size;
    struct solver_workspace room = {0};
    *self = *given;
    self->pairs = (struct lbfgs_history){.state = &self->state, .limit = lbfgs_history_limit(n, &self->options)};
    if (!lbfgs_history_workspace(n, self->pairs.limit, &room))
        return error_no_memory(error);
    temper_status status = solver_open(&self->state, &self->problem, &self->options, room, error);
    if (status != TEMPER_OK)
        return status;
    lay_out(self);
    /* The start is then that of the memory, and is evaluated first, as any start. */
    if (self->options.memory) {
        self->stage = STAGE_RESUME;
        return solver_restore(&self->state, OPTIM_LBFGS, is_valid, self);
    }
    vector_copy(self->state.trial, start, n);
    return TEMPER_OK;
}

/* The object holds copies of the problem and options, to which its state points. */
temper_status lbfgs_new(size_t size, bool preconditioned, const struct optim_options *options, const double *start,
                        struct lbfgs **out, temper_error *error)
{
    struct lbfgs given = {.problem = {.size = size}, .options = *options, .preconditioned = preconditioned};
    struct lbfgs *self = mem_alloc(1, sizeof *self);
    if (!self)
        return error_no_memory(error);
    temper_status status = prepare(self, &given, start, error);
    if (status != TEMPER_OK)
        lbfgs_close(self);
    else
        *out = self;
    return status;
}

/* The vectors of the pairs change in place: nothing is allocated. */
void lbfgs_restart(struct lbfgs *self, const struct optim_options *options, const double *start, double shift,
                   size_t penalised)
{
    assert(!self->preconditioned && self->stage == STAGE_DONE && !options->memory);
    self->options = *options;
    solver_restart(&self->state);
    lbfgs_history_shift(&self->pairs, shift, penalised);
    vector_copy(self->state.trial, start, self->problem.size);
    self->stage = STAGE_START;
}

/* Accepts NULL, and an object that lbfgs_new could not complete. */
void lbfgs_close(struct lbfgs *self)
{
    if (!self)
        return;
    solver_close(&self->state);
    mem_free(self);
}

/* ---- A single minimisation -------------------------------------------------------------------- */

/* Computes one reply by the callbacks of the problem. */
static temper_status serve_request(const struct problem *problem, const struct optim_options *options,
                                   struct lbfgs *self, temper_error *error)
{
    const struct lbfgs_request request = lbfgs_next_request(self);
    temper_status status = TEMPER_OK;
    double number = 0;
    /* A start that was evaluated before is not evaluated again. */
    if (self->stage == STAGE_START && options->start_gradient) {
        number = options->start_value;
        vector_copy(request.answer, options->start_gradient, problem->size);
    } else if (request.what == LBFGS_VALUE)
        status = problem->evaluate(problem->context, request.point, &number, request.answer, error);
    if (request.what == LBFGS_LENGTH && options->length)
        status = options->length(problem->context, request.point, &number, error);
    if (request.what == LBFGS_PRECONDITION)
        problem->precondition(problem->preconditioner, request.answer);
    return status == TEMPER_OK ? lbfgs_reply(self, number, error) : status;
}

/* The loop of lbfgs.h for a single minimisation. The object is on the stack, so that its vectors are the only
 * allocations. w is written on failure too, if there was any finite value. */
temper_status minimise_lbfgs(const struct problem *problem, const struct optim_options *options, double *w,
                             struct optim_result *result, temper_error *error)
{
    struct lbfgs self,
        given = {.problem = *problem, .options = *options, .preconditioned = problem->precondition != NULL};
    temper_status status = prepare(&self, &given, w, error);
    while (status == TEMPER_OK && self.stage != STAGE_DONE)
        status = serve_request(problem, options, &self, error);
    if (lbfgs_best(&self))
        vector_copy(w, lbfgs_best(&self), problem->size);
    if (status == TEMPER_OK)
        *result = lbfgs_result(&self);
    solver_close(&self.state);
    return status;
}
