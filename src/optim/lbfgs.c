/* lbfgs: the limited-memory method of Broyden, Fletcher, Goldfarb and Shanno, with a metric. */
#include <math.h>

#include "base/memory.h"
#include "optim/line_search.h"
#include "optim/run.h"
#include "optim/vector.h"

enum { HISTORY = 100, LEAST_HISTORY = 5 };
/* For all pairs together, unless the options ask for more. */
static const size_t PAIRS_BYTES = (size_t)256 << 20;
/* A pair is kept if its curvature s'y is more than this of |s| |y|: else it is rounding. */
static const double CURVED = 1e-10;

/* A pair lies in the memory as s, y and 1/(s'y). */
struct lbfgs {
    struct optim_run run;
    size_t history;
    double *direction, *difference; /* vectors */
    double *weight;                 /* a number for each pair */
};

static size_t history_for(const struct problem *problem, const struct optim_options *options)
{
    if (options->history > 0)
        return options->history;
    const size_t numbers = PAIRS_BYTES / sizeof(double) / 2; /* of s, and as many of y */
    if (problem->size <= numbers / HISTORY)
        return HISTORY;
    const size_t affordable = numbers / problem->size;
    return affordable > LEAST_HISTORY ? affordable : LEAST_HISTORY;
}

static size_t pair_size(const struct lbfgs *self)
{
    return 2 * self->run.problem->size + 1;
}

static double *pair_at(const struct lbfgs *self, size_t slot)
{
    return self->run.extra + slot * pair_size(self);
}

/* The slot of the pair that is `age` iterations old. */
static size_t slot_of(const struct lbfgs *self, size_t age)
{
    return ((size_t)self->run.head->next + self->history - 1 - age) % self->history;
}

static void metric(const struct lbfgs *self, double *v)
{
    const struct problem *problem = self->run.problem;
    if (problem->precondition)
        problem->precondition(problem->context, v);
}

static void forget_pairs(struct lbfgs *self)
{
    struct optim_head *head = self->run.head;
    head->pairs = head->next = head->extra = 0;
    head->gamma = 1;
}

/* Keeps what the step taught: s = trial - w and y, the change of the gradient. */
static void learn(struct lbfgs *self)
{
    const struct optim_run *run = &self->run;
    struct optim_head *head = run->head;
    const size_t n = run->problem->size;
    double *s = self->direction, *y = self->difference;
    vector_subtract(s, run->trial, run->w, n);
    vector_subtract(y, run->trial_gradient, run->gradient, n);
    const double sy = vector_dot(s, y, n);
    if (!(sy > CURVED * vector_norm(s, n) * vector_norm(y, n)) || !isfinite(1 / sy))
        return;
    double *pair = pair_at(self, (size_t)head->next);
    vector_copy(pair, s, n);
    vector_copy(pair + n, y, n);
    pair[2 * n] = 1 / sy;
    metric(self, y);
    const double gamma = sy / vector_dot(pair + n, y, n);
    head->gamma = gamma > 0 && isfinite(gamma) ? gamma : 1;
    head->next = (double)(((size_t)head->next + 1) % self->history);
    head->pairs = fmin(head->pairs + 1, (double)self->history);
    head->extra = head->pairs * (double)pair_size(self);
}

/* The two loops: direction = -(inverse Hessian as the pairs tell it) gradient. */
static void find_direction(struct lbfgs *self)
{
    const struct optim_run *run = &self->run;
    const size_t n = run->problem->size, pairs = (size_t)run->head->pairs;
    double *d = self->direction;
    for (size_t i = 0; i < n; i++)
        d[i] = -run->gradient[i];
    for (size_t age = 0; age < pairs; age++) {
        const double *pair = pair_at(self, slot_of(self, age));
        self->weight[age] = pair[2 * n] * vector_dot(pair, d, n);
        vector_add(d, -self->weight[age], pair + n, n);
    }
    metric(self, d);
    vector_scale(d, run->head->gamma, n);
    for (size_t age = pairs; age-- > 0;) {
        const double *pair = pair_at(self, slot_of(self, age));
        const double beta = pair[2 * n] * vector_dot(pair + n, d, n);
        vector_add(d, self->weight[age] - beta, pair, n);
    }
}

/* With pairs, or a metric that resembles the Hessian, the natural step is 1. Without, nothing is
 * known of the curvature: as far as a first step may go, or one unit of w. */
static temper_status plan_line(struct lbfgs *self, struct line *line)
{
    struct optim_run *run = &self->run;
    const bool blind = run->head->pairs == 0 && !run->problem->precondition;
    temper_status status =
        run_reach(run, self->direction, run_length_limit(run, blind), &line->longest);
    line->first = 1;
    if (blind)
        line->first = isfinite(line->longest)
                          ? line->longest
                          : fmin(1, 1 / vector_norm(self->direction, run->problem->size));
    return status;
}

/* One line search with the pairs at hand. */
static temper_status attempt(struct lbfgs *self, enum line_end *end)
{
    struct optim_run *run = &self->run;
    const size_t n = run->problem->size;
    find_direction(self);
    struct line line = {.direction = self->direction};
    line.slope = vector_dot(self->direction, run->gradient, n);
    *end = LINE_FAILED;
    if (!(line.slope < 0) || isinf(line.slope))
        return TEMPER_OK;
    temper_status status = plan_line(self, &line);
    return status == TEMPER_OK ? line_search(run, &line, end) : status;
}

static temper_status iterate(void *context, bool *moved)
{
    struct lbfgs *self = context;
    enum line_end end = LINE_FAILED;
    temper_status status = attempt(self, &end);
    /* Pairs from a region of other curvature can mislead; the bare gradient cannot. */
    if (status == TEMPER_OK && end == LINE_FAILED && self->run.head->pairs > 0) {
        forget_pairs(self);
        status = attempt(self, &end);
    }
    if (status != TEMPER_OK || end == LINE_FAILED)
        return status;
    if (end == LINE_LIMITED)
        run_widen(&self->run);
    learn(self);
    run_accept(&self->run);
    *moved = true;
    return TEMPER_OK;
}

static bool sound(const void *context)
{
    const struct lbfgs *self = context;
    const struct optim_head *head = self->run.head;
    const size_t n = self->run.problem->size;
    if (head->history_limit != (double)self->history || head->pairs > head->history_limit ||
        head->next >= head->history_limit || !(head->gamma > 0) ||
        head->extra != head->pairs * (double)pair_size(self))
        return false;
    /* The ring is filled from slot 0 on. */
    if (head->pairs < head->history_limit && head->next != head->pairs)
        return false;
    for (size_t slot = 0; slot < (size_t)head->pairs; slot++) {
        const double *pair = pair_at(self, slot);
        if (pair[2 * n] != 1 / vector_dot(pair, pair + n, n) || !(pair[2 * n] > 0))
            return false;
    }
    return true;
}

static bool room_for(const struct problem *problem, size_t history, struct optim_room *room)
{
    size_t two = 0, pair = 0;
    return mul_size(2, problem->size, &two) && add_size(two, 1, &pair) &&
           mul_size(pair, history, &room->extra) && add_size(two, history, &room->scratch);
}

temper_status minimise_lbfgs(const struct problem *problem, const struct optim_options *options,
                             double *w, struct optim_result *result, temper_error *error)
{
    static const struct optim_method method = {OPTIM_LBFGS, iterate, sound};
    struct lbfgs self = {.history = history_for(problem, options)};
    struct optim_room room = {0};
    if (!room_for(problem, self.history, &room))
        return error_no_memory(error);
    temper_status status = run_open(&self.run, problem, options, room, error);
    if (status != TEMPER_OK)
        return status;
    self.direction = self.run.scratch;
    self.difference = self.direction + problem->size;
    self.weight = self.difference + problem->size;
    self.run.head->history_limit = (double)self.history;
    forget_pairs(&self);
    status = run_drive(&self.run, &method, &self, w, result);
    run_close(&self.run);
    return status;
}
