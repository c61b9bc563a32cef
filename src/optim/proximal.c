/* proximal: a proximal Newton method for a function with an L1 penalty: each step minimises the quadratic model of the
 * smooth part plus the penalty itself (Lee, Sun and Saunders 2014, "Proximal Newton-type methods for minimizing
 * composite functions"; Friedman, Hastie and Tibshirani 2010 and Yuan, Ho and Lin 2012 for logistic regression).
 *
 * The model has only the numbers of a working set: those that are not 0, those that are not penalised, and those whose
 * subgradient is not 0, the largest first if there are many. Its dense Hessian is summed from these alone, so that the
 * cost of an iteration is that of the solution's support and not of all numbers. The model is minimised by coordinate
 * descent in a box, the trust region (l1_model.h): the function may have negative curvature. A support too large for a
 * dense Hessian is left to conjugate gradients on its orthant (orthant.h). */
#include <math.h>

#include "base/memory.h"
#include "optim/l1_model.h"
#include "optim/l1_penalty.h"
#include "optim/orthant.h"
#include "optim/trust_region.h"
#include "optim/vector.h"

enum {
    SET_LEAST = 32, /* a working set may have this and SET_ROOTS times the root of all numbers, or twice the support: */
    SET_ROOTS = 3,  /* its Hessian then costs about as much as a few evaluations */
    MAX_REFITS = 3, /* see newton.c */
    MAX_SWEEPS = 400,
    BISECTIONS = 40,
};
/* The model is minimised up to this share of its subgradient, a smaller one near the minimum. */
static const double MODEL_SHARE = 0.02, LEAST_SHARE = 1e-4;
/* By how much the curvature may have decreased along a step. */
static const double OLD_CURVATURE = 3;

struct proximal {
    struct solver_state state;
    struct orthant orthant; /* for supports beyond the limit */
    size_t limit;           /* of the working set */
    size_t *index;          /* the working set, ascending */
    size_t count;
    bool complete;            /* no number outside of it has a subgradient */
    double *h;                /* its Hessian */
    double *w, *x, *g, *r;    /* gathered: w, the minimum of the model, the gradient at w, that of the model at x */
    double *l1, *scale, *box; /* penalty, root of the curvature, and half the width of the box of each number */
    double *step;             /* trial - w, for all numbers */
};

/* ---- The working set ------------------------------------------------------------------------------- */

static double subgradient_at(const struct proximal *self, size_t j)
{
    const struct solver_state *state = &self->state;
    return fabs(l1_subgradient(state->problem, j, state->w[j], state->gradient[j]));
}

/* Whether number j is in every working set. */
static bool is_kept(const struct proximal *self, size_t j)
{
    return !is_penalised(self->state.problem, j) || self->state.w[j] != 0;
}

/* How many of the others have a subgradient above `threshold`. */
static size_t count_above(const struct proximal *self, double threshold)
{
    size_t count = 0;
    for (size_t j = 0; j < self->state.problem->penalised; j++)
        count += !is_kept(self, j) && subgradient_at(self, j) > threshold;
    return count;
}

/* Bounds on the subgradient between which the `room`-th largest is: at most `room` numbers are above `high`, more are
 * above `low`. */
static void find_threshold(const struct proximal *self, size_t room, double *low, double *high)
{
    *low = *high = 0;
    for (size_t j = 0; j < self->state.problem->penalised; j++)
        if (!is_kept(self, j))
            *high = fmax(*high, subgradient_at(self, j));
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = 0.5 * (*low + *high);
        const size_t above = count_above(self, middle);
        *(above <= room ? high : low) = middle;
        if (above <= room && above >= room - room / 8)
            return;
    }
}

/* Fills the set: what is kept, what is above `high`, and as many of those above `low` as there is room for: equal
 * subgradients, as those of equal columns, cannot be told apart by a threshold. */
static void fill_set(struct proximal *self, size_t room, double low, double high)
{
    const size_t above = count_above(self, high);
    size_t spare = room > above ? room - above : 0;
    self->count = 0;
    for (size_t j = 0; j < self->state.problem->size; j++) {
        bool in = is_kept(self, j);
        const double v = in ? 0 : subgradient_at(self, j);
        if (!in && v > high) {
            in = true;
        } else if (!in && v > low && spare > 0) {
            in = true;
            spare--;
        }
        if (in)
            self->index[self->count++] = j;
    }
}

/* False if there is no working set within the limit: the support is too large. */
static bool choose_set(struct proximal *self)
{
    const struct problem *problem = self->state.problem;
    size_t kept = problem->size - problem->penalised;
    for (size_t j = 0; j < problem->penalised; j++)
        kept += self->state.w[j] != 0;
    const size_t entering = count_above(self, 0);
    const size_t least = SET_LEAST + (size_t)(SET_ROOTS * sqrt((double)problem->size));
    size_t most = 2 * kept > least ? 2 * kept : least;
    most = most < self->limit ? most : self->limit;
    /* A support near the limit would leave no room for the numbers that should enter. */
    if (kept > self->limit - self->limit / 8 && kept + entering > self->limit)
        return false;
    double low = 0, high = 0;
    self->complete = kept + entering <= most;
    if (!self->complete)
        find_threshold(self, most - kept, &low, &high);
    fill_set(self, most - kept, low, high);
    return true;
}

/* ---- The model ---------------------------------------------------------------------------------------- */

static bool diagonal_finite(const struct proximal *self)
{
    for (size_t i = 0; i < self->count; i++)
        if (!vector_finite(self->h + i * self->count, i + 1))
            return false;
    return true;
}

/* The numbers of the working set. The box is measured in roots of the curvature, so that the region does not depend on
 * the units of the features. */
static void gather(struct proximal *self)
{
    const struct solver_state *state = &self->state;
    double largest = 0;
    for (size_t i = 0; i < self->count; i++) {
        const size_t j = self->index[i];
        self->w[i] = state->w[j];
        self->g[i] = state->gradient[j];
        self->l1[i] = is_penalised(state->problem, j) ? state->problem->l1 : 0;
        self->scale[i] = sqrt(fabs(self->h[i * self->count + i]));
        largest = fmax(largest, self->scale[i]);
    }
    for (size_t i = 0; i < self->count; i++)
        self->scale[i] = largest > 0 ? fmax(self->scale[i], 1e-8 * largest) : 1;
}

/* As in newton.c: where the length of steps is limited, that decides. */
static void first_radius(struct proximal *self)
{
    double sum = 0;
    for (size_t i = 0; i < self->count; i++) {
        const double g = l1_subgradient(self->state.problem, self->index[i], self->w[i], self->g[i]) / self->scale[i];
        sum += g * g;
    }
    self->state.head->radius = (self->state.options->length ? 1e4 : 10) * sqrt(sum);
}

/* The Hessian of the working set at w; *usable is false if it is not finite. */
static temper_status prepare(struct proximal *self, bool *usable)
{
    struct solver_state *state = &self->state;
    temper_status status =
        state->problem->hessian_of(state->problem->context, self->index, self->count, self->h, state->error);
    state->head->hessians++;
    *usable = status == TEMPER_OK && diagonal_finite(self);
    if (!*usable)
        return status;
    l1_model_mirror(self->h, self->count);
    gather(self);
    if (state->head->iteration == 0 || !(state->head->radius > 0))
        first_radius(self);
    return TEMPER_OK;
}

/* How far the model is minimised: the steps converge faster the nearer the minimum is. */
static double model_tolerance(const struct proximal *self)
{
    const struct solver_state *state = &self->state;
    const double norm = state->head->gradient_norm, start = fmax(state->head->start_norm, norm);
    return norm * fmin(MODEL_SHARE, fmax(norm / start, LEAST_SHARE));
}

/* Minimises the model within the region. `step` has the change of all numbers. */
static void solve(struct proximal *self, struct trust_step *step)
{
    const size_t n = self->count;
    step->norm = step->slope = step->curvature = step->penalty = 0;
    step->at_boundary = false;
    for (size_t i = 0; i < n; i++) {
        self->box[i] = self->state.head->radius / self->scale[i];
        self->x[i] = self->w[i];
        self->r[i] = self->g[i];
    }
    const struct l1_model model = {n, self->h, self->w, self->l1, self->box, self->x, self->r};
    l1_model_minimise(&model, model_tolerance(self), MAX_SWEEPS);
    for (size_t i = 0; i < n; i++) {
        const double d = self->x[i] - self->w[i];
        step->norm = fmax(step->norm, fabs(d) * self->scale[i]);
        step->penalty += self->l1[i] * (fabs(self->x[i]) - fabs(self->w[i]));
        step->slope += self->g[i] * d;
        step->curvature += d * (self->r[i] - self->g[i]);
        step->at_boundary = step->at_boundary || fabs(d) >= self->box[i];
        self->step[self->index[i]] = d;
    }
    step->slope += step->penalty;
}

static void clear_step(const struct proximal *self)
{
    for (size_t j = 0; j < self->state.problem->size; j++)
        self->step[j] = 0;
}

/* A step within the region and within the length limit, as in newton.c. *factor is below 1 if it had to be shortened:
 * then it does not end at the zeros of the model. */
static temper_status find_step(struct proximal *self, struct trust_step *step, double *factor)
{
    struct solver_state *state = &self->state;
    *step = (struct trust_step){.step = self->step};
    for (size_t refit = 0;; refit++) {
        double longest = 0;
        solve(self, step);
        *factor = 1;
        temper_status status = solver_step_factor(state, self->step, solver_length_limit(state, false), &longest);
        if (status != TEMPER_OK || longest >= 1)
            return status;
        step->limited = true;
        if (refit == MAX_REFITS) {
            *factor = longest;
            trust_scale_step(step, self->step, longest, state->problem->size);
            return TEMPER_OK;
        }
        state->head->radius = longest * step->norm;
    }
}

/* The trial: exactly x, whose zeros w + step would miss by rounding. False if that is w. */
static bool place_trial(struct proximal *self, double factor)
{
    struct solver_state *state = &self->state;
    if (factor < 1)
        return trust_place_trial(state, self->step);
    vector_copy(state->trial, state->w, state->problem->size);
    for (size_t i = 0; i < self->count; i++)
        state->trial[self->index[i]] = self->x[i];
    return !vector_equal(state->trial, state->w, state->problem->size);
}

/* ---- An iteration --------------------------------------------------------------------------------------- */

/* Whether the model shows that there is no decrease left to expect. */
static bool at_minimum(struct proximal *self, const struct trust_step *step)
{
    struct solver_state *state = &self->state;
    if (!solver_checks_distance(state) || !trust_step_is_free(step) || !self->complete)
        return false;
    solver_expect_decrease(state, fmax(trust_predicted_decrease(step), 0), 0);
    return solver_has_converged(state);
}

/* Whether the Hessian of the working set is that of all numbers that may move from the new w. */
static bool still_complete(const struct proximal *self)
{
    const struct problem *problem = self->state.problem;
    size_t next = 0;
    for (size_t j = 0; j < problem->size; j++) {
        const bool in = next < self->count && self->index[next] == j;
        next += in;
        if (!in && subgradient_at(self, j) > 0)
            return false;
    }
    return true;
}

/* After an accepted step: the decrease that the model predicts at the new point with the Hessian before the step, so
 * that the last Hessian of most minimisations need not be computed. */
static void estimate_decrease(struct proximal *self, const struct trust_step *last)
{
    struct solver_state *state = &self->state;
    struct trust_step step = {0};
    if (!solver_checks_distance(state) || !trust_step_is_free(last) || !still_complete(self))
        return;
    for (size_t i = 0; i < self->count; i++) {
        self->w[i] = state->w[self->index[i]];
        self->g[i] = state->gradient[self->index[i]];
    }
    solve(self, &step);
    if (!step.at_boundary)
        solver_expect_decrease(state, OLD_CURVATURE * fmax(trust_predicted_decrease(&step), 0), 0);
}

/* One Hessian, then steps in smaller and smaller regions until one is accepted. */
static temper_status newton_step(struct proximal *self, bool *moved)
{
    struct solver_state *state = &self->state;
    bool usable = false;
    clear_step(self);
    temper_status status = prepare(self, &usable);
    for (size_t rejection = 0; status == TEMPER_OK && usable && rejection < TRUST_MAX_REJECTIONS; rejection++) {
        struct trust_step step;
        double factor = 1;
        status = find_step(self, &step, &factor);
        if (status != TEMPER_OK || (rejection == 0 && at_minimum(self, &step)) ||
            !(trust_predicted_decrease(&step) > 0) || !place_trial(self, factor))
            return status;
        status = solver_evaluate_trial(state);
        if (status == TEMPER_OK && trust_accept_step(state, &step)) {
            solver_accept(state);
            estimate_decrease(self, &step);
            *moved = true;
            return TEMPER_OK;
        }
    }
    return status;
}

static temper_status iterate(void *context, bool *moved)
{
    struct proximal *self = context;
    return choose_set(self) ? newton_step(self, moved) : orthant_iterate(&self->orthant, moved);
}

/* All that an iteration needs besides the memory that every method has is the radius. */
static bool is_valid(const void *context)
{
    const struct proximal *self = context;
    return self->state.head->extra == 0;
}

/* ---- The minimiser ------------------------------------------------------------------------------------------ */

/* Vectors of the working set, of all numbers, and the Hessian. */
enum { SET_VECTORS = 7 };

static bool room_for(const struct proximal *self, size_t n, struct solver_workspace *room)
{
    size_t vectors = 0, scratch = 0;
    return mul_size(ORTHANT_VECTORS + 1, n, &vectors) && mul_size(self->limit, self->limit + SET_VECTORS, &scratch) &&
           add_size(vectors, scratch, &room->scratch);
}

static void lay_out(struct proximal *self, size_t n)
{
    const size_t limit = self->limit;
    double *at = self->state.scratch;
    orthant_lay_out(&self->orthant, &self->state, at);
    self->step = at += ORTHANT_VECTORS * n;
    self->w = at += n;
    self->x = at += limit;
    self->g = at += limit;
    self->r = at += limit;
    self->l1 = at += limit;
    self->scale = at += limit;
    self->box = at += limit;
    self->h = at + limit;
}

/* solver_run drives the iterations; here the workspace is set up. */
temper_status minimise_proximal(const struct problem *problem, const struct optim_options *options, double *w,
                                struct optim_result *result, temper_error *error)
{
    static const struct optim_method method = {OPTIM_PROXIMAL, iterate, is_valid};
    struct proximal self = {.limit = problem->size < PROXIMAL_SET ? problem->size : PROXIMAL_SET};
    struct solver_workspace room = {0};
    if (!problem->hessian_of || !problem->multiply)
        return error_set(error, TEMPER_BUG, "the proximal Newton method was called without a Hessian");
    self.index = mem_alloc(self.limit, sizeof *self.index);
    if (!self.index || !room_for(&self, problem->size, &room)) {
        mem_free(self.index);
        return error_no_memory(error);
    }
    temper_status status = solver_open(&self.state, problem, options, room, error);
    if (status == TEMPER_OK) {
        lay_out(&self, problem->size);
        status = solver_run(&self.state, &method, &self, w, result);
        solver_close(&self.state);
    }
    mem_free(self.index);
    return status;
}
