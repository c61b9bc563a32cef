/* lbfgs: the limited-memory method of Broyden, Fletcher, Goldfarb and Shanno, with a metric. */
#include "optim/lbfgs.h"

#include <math.h>

#include "base/memory.h"
#include "optim/lbfgs_history.h"
#include "optim/line_search.h"
#include "optim/solver_resume.h"
#include "optim/vector.h"

/* What a run waits for. */
enum stage {
    STAGE_START,  /* the value at the start, */
    STAGE_RESUME, /* at the w of a memory, */
    STAGE_TRIAL,  /* at a step of the line search */
    STAGE_TURN,   /* the metric of the direction, between the two loops */
    STAGE_REACH,  /* the length of the direction */
    STAGE_LEARN,  /* the metric of the difference of two gradients */
    STAGE_DONE,   /* nothing any more */
    /* And where it passes through: */
    STAGE_MOVED, /* to a new w */
    STAGE_LOST,  /* no step in this direction makes the value smaller */
};

struct lbfgs {
    struct problem problem; /* its size, and whom to tell of accepted points, if anyone */
    struct optim_options options;
    struct solver_state run;
    bool metric;
    enum stage stage;
    struct line_search search;
    struct lbfgs_history pairs;
    double *direction, *difference; /* vectors */
    double slope;                   /* along the direction */
};

/* ---- A direction ----------------------------------------------------------------------------- */

/* With pairs, or a metric that resembles the Hessian, the natural step is 1. Without, nothing is
 * known of the curvature: as far as a first step may go, or one unit of w. */
static bool blind(const struct lbfgs *self)
{
    return self->run.head->pairs == 0 && !self->metric;
}

static double limit_of(const struct lbfgs *self)
{
    return solver_length_limit(&self->run, blind(self));
}

/* ---- From an answer to the next question ----------------------------------------------------- */

static enum stage end(struct lbfgs *self, enum optim_stop stop)
{
    solver_end(&self->run, stop);
    return STAGE_DONE;
}

static enum stage search(struct lbfgs *self, double longest)
{
    struct line line = {self->direction, self->slope, .first = 1, .longest = longest};
    if (blind(self))
        line.first = isfinite(longest) ? longest : fmin(1, 1 / vector_norm(self->direction, self->problem.size));
    return line_begin(&self->search, &self->run, line) == LINE_ASKS ? STAGE_TRIAL : STAGE_LOST;
}

static enum stage aimed(struct lbfgs *self)
{
    double longest;
    lbfgs_history_second_loop(&self->pairs, self->direction);
    self->slope = vector_dot(self->direction, self->run.gradient, self->problem.size);
    if (!(self->slope < 0) || isinf(self->slope))
        return STAGE_LOST;
    if (!solver_reach_known(&self->run, self->direction, limit_of(self), &longest))
        return STAGE_REACH;
    return search(self, longest);
}

static enum stage aim(struct lbfgs *self)
{
    for (size_t i = 0; i < self->problem.size; i++)
        self->direction[i] = -self->run.gradient[i];
    lbfgs_history_first_loop(&self->pairs, self->direction);
    return self->metric ? STAGE_TURN : aimed(self);
}

static enum stage measured(struct lbfgs *self, double length)
{
    return search(self, solver_reach_measured(&self->run, self->direction, limit_of(self), length));
}

/* Pairs from a region of other curvature can mislead; the bare gradient cannot. */
static enum stage lost(struct lbfgs *self)
{
    if (self->run.head->pairs == 0)
        return end(self, OPTIM_STALLED);
    lbfgs_history_forget(&self->pairs);
    return aim(self);
}

static enum stage go_on(struct lbfgs *self)
{
    enum optim_stop stop;
    return solver_ends(&self->run, &stop) ? end(self, stop) : aim(self);
}

static enum stage learnt(struct lbfgs *self)
{
    lbfgs_history_complete(&self->pairs, self->difference);
    return STAGE_MOVED;
}

/* Keeps what the step taught. */
static enum stage learn(struct lbfgs *self)
{
    if (!lbfgs_history_begin(&self->pairs, self->direction, self->difference))
        return STAGE_MOVED;
    return self->metric ? STAGE_LEARN : learnt(self);
}

static enum stage tried(struct lbfgs *self)
{
    switch (line_next(&self->search)) {
    case LINE_ASKS:
        return STAGE_TRIAL;
    case LINE_FAILED:
        return STAGE_LOST;
    case LINE_LIMITED:
        solver_widen(&self->run);
        break;
    case LINE_FOUND:
        break;
    }
    return learn(self);
}

static enum stage moved(struct lbfgs *self)
{
    solver_accept(&self->run);
    solver_moved(&self->run);
    return go_on(self);
}

static enum stage started(struct lbfgs *self)
{
    if (!solver_trial_finite(&self->run))
        return end(self, OPTIM_NOT_FINITE);
    solver_begin(&self->run);
    return go_on(self);
}

static enum stage answered(struct lbfgs *self, double number)
{
    switch (self->stage) {
    case STAGE_START:
        return started(self);
    case STAGE_RESUME:
        return go_on(self);
    case STAGE_TRIAL:
        return tried(self);
    case STAGE_TURN:
        return aimed(self);
    case STAGE_REACH:
        return measured(self, number);
    case STAGE_LEARN:
        return learnt(self);
    case STAGE_MOVED:
        return moved(self);
    case STAGE_LOST:
        return lost(self);
    case STAGE_DONE:
        break;
    }
    return STAGE_DONE;
}

/* ---- A run ----------------------------------------------------------------------------------- */

static bool wants_value(enum stage stage)
{
    return stage == STAGE_START || stage == STAGE_RESUME || stage == STAGE_TRIAL;
}

temper_status lbfgs_answer(struct lbfgs *self, double number, temper_error *error)
{
    self->run.error = error;
    if (wants_value(self->stage)) {
        self->run.trial_value = number;
        solver_tried(&self->run);
    }
    if (self->stage == STAGE_RESUME) {
        temper_status status = solver_resume(&self->run);
        if (status != TEMPER_OK)
            return status;
    }
    do
        self->stage = answered(self, number);
    while (self->stage == STAGE_MOVED || self->stage == STAGE_LOST);
    return TEMPER_OK;
}

struct lbfgs_question lbfgs_asks(const struct lbfgs *self)
{
    const struct solver_state *run = &self->run;
    if (wants_value(self->stage))
        return (struct lbfgs_question){LBFGS_VALUE, run->trial, run->trial_gradient};
    if (self->stage == STAGE_REACH)
        return (struct lbfgs_question){LBFGS_LENGTH, .point = self->direction};
    if (self->stage == STAGE_TURN)
        return (struct lbfgs_question){LBFGS_METRIC, .answer = self->direction};
    if (self->stage == STAGE_LEARN)
        return (struct lbfgs_question){LBFGS_METRIC, .answer = self->difference};
    return (struct lbfgs_question){LBFGS_DONE, .point = NULL};
}

const double *lbfgs_best(const struct lbfgs *self)
{
    const bool none = self->stage == STAGE_START || self->stage == STAGE_RESUME || self->run.stop == OPTIM_NOT_FINITE;
    return none ? NULL : solver_best(&self->run);
}

struct optim_result lbfgs_result(const struct lbfgs *self)
{
    return solver_result(&self->run);
}

static bool sound(const void *context)
{
    const struct lbfgs *self = context;
    return lbfgs_history_sound(&self->pairs);
}

static void lay_out(struct lbfgs *self)
{
    self->direction = self->run.scratch;
    self->difference = self->direction + self->problem.size;
    self->pairs.weight = self->difference + self->problem.size;
    self->run.head->kind = OPTIM_LBFGS;
    self->run.head->history_limit = (double)self->pairs.limit;
    lbfgs_history_forget(&self->pairs);
}

/* `self` must stay where it is, and be closed by solver_close(&self->run), even after a failure. */
static temper_status prepare(struct lbfgs *self, const struct lbfgs *given, const double *start, temper_error *error)
{
    const size_t n = given->problem.size;
    struct optim_room room = {0};
    *self = *given;
    self->pairs = (struct lbfgs_history){.run = &self->run, .limit = lbfgs_history_limit(n, &self->options)};
    if (!lbfgs_history_room(n, self->pairs.limit, &room))
        return error_no_memory(error);
    temper_status status = solver_open(&self->run, &self->problem, &self->options, room, error);
    if (status != TEMPER_OK)
        return status;
    lay_out(self);
    if (self->options.memory) {
        self->stage = STAGE_RESUME;
        return solver_restore(&self->run, OPTIM_LBFGS, sound, self);
    }
    vector_copy(self->run.trial, start, n);
    return TEMPER_OK;
}

temper_status lbfgs_new(size_t size, bool metric, const struct optim_options *options, const double *start,
                        struct lbfgs **out, temper_error *error)
{
    struct lbfgs given = {.problem = {.size = size}, .options = *options, .metric = metric};
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

void lbfgs_close(struct lbfgs *self)
{
    if (!self)
        return;
    solver_close(&self->run);
    mem_free(self);
}

/* ---- The loop for one run -------------------------------------------------------------------- */

static temper_status answer_by(const struct problem *problem, const struct optim_options *options, struct lbfgs *self,
                               temper_error *error)
{
    const struct lbfgs_question asked = lbfgs_asks(self);
    temper_status status = TEMPER_OK;
    double number = 0;
    if (self->stage == STAGE_START && options->start_gradient) {
        number = options->start_value;
        vector_copy(asked.answer, options->start_gradient, problem->size);
    } else if (asked.what == LBFGS_VALUE)
        status = problem->evaluate(problem->context, asked.point, &number, asked.answer, error);
    if (asked.what == LBFGS_LENGTH && options->length)
        status = options->length(problem->context, asked.point, &number, error);
    if (asked.what == LBFGS_METRIC && problem->precondition)
        problem->precondition(problem->preconditioner, asked.answer);
    return status == TEMPER_OK ? lbfgs_answer(self, number, error) : status;
}

temper_status minimise_lbfgs(const struct problem *problem, const struct optim_options *options, double *w,
                             struct optim_result *result, temper_error *error)
{
    struct lbfgs self, given = {.problem = *problem, .options = *options, .metric = problem->precondition != NULL};
    temper_status status = prepare(&self, &given, w, error);
    while (status == TEMPER_OK && self.stage != STAGE_DONE)
        status = answer_by(problem, options, &self, error);
    if (lbfgs_best(&self))
        vector_copy(w, lbfgs_best(&self), problem->size);
    if (status == TEMPER_OK)
        *result = lbfgs_result(&self);
    solver_close(&self.run);
    return status;
}
