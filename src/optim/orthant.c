/* orthant: the minimisation of a function with an L1 penalty by steps on faces of orthants: with directions of L-BFGS
 * (OWL-QN of Andrew and Gao 2007), which need gradients alone, or of conjugate gradients with the Hessian.
 *
 * An iteration: the minimum-norm subgradient; a direction on its face, from which entries are removed that would move a
 * number away from 0 against the subgradient; a line search by backtracking along the path that sets numbers to 0 at
 * the sign change. Such a direction descends whatever was removed: every term of its slope that was removed is
 * positive. */
#include "optim/orthant.h"

#include <math.h>

#include "base/memory.h"
#include "optim/l1_penalty.h"
#include "optim/vector.h"

/* Armijo's condition: the share of the decrease by the slope that a step has to reach. */
static const double ARMIJO = 1e-4;
enum { MAX_BACKTRACKS = 40 };
/* Conjugate gradients end at this share of the residual, or at a smaller one near the minimum; and after so many
 * products. */
static const double RESIDUAL = 0.1;
enum { MAX_PRODUCTS = 100 };

void orthant_lay_out(struct orthant *self, struct solver_state *state, double *scratch)
{
    const size_t n = state->problem->size;
    self->state = state;
    self->subgradient = scratch;
    self->direction = scratch + n;
    self->residual = scratch + 2 * n;
    self->search = scratch + 3 * n;
    self->product = scratch + 4 * n;
}

/* ---- The direction ----------------------------------------------------------------------------- */

static void find_subgradient(const struct orthant *self)
{
    const struct solver_state *state = self->state;
    for (size_t j = 0; j < state->problem->size; j++)
        self->subgradient[j] = l1_subgradient(state->problem, j, state->w[j], state->gradient[j]);
}

/* Whether number j is 0 and stays so in this iteration. */
static bool is_fixed(const struct orthant *self, size_t j)
{
    return is_penalised(self->state->problem, j) && self->state->w[j] == 0 && self->subgradient[j] == 0;
}

static void remove_fixed(const struct orthant *self, double *v)
{
    for (size_t j = 0; j < self->state->problem->size; j++)
        if (is_fixed(self, j))
            v[j] = 0;
}

/* Removes the entries that would move a number away from 0 in the direction in which the function increases; false if
 * what remains is no direction of descent. */
static bool align(struct orthant *self)
{
    const struct solver_state *state = self->state;
    for (size_t j = 0; j < state->problem->penalised; j++)
        if (state->w[j] == 0 && self->direction[j] * self->subgradient[j] >= 0)
            self->direction[j] = 0;
    self->slope = vector_dot(self->direction, self->subgradient, state->problem->size);
    return self->slope < 0 && isfinite(self->slope);
}

static void steepest_descent(const struct orthant *self)
{
    for (size_t j = 0; j < self->state->problem->size; j++)
        self->direction[j] = -self->subgradient[j];
}

/* The two-loop recursion with the subgradient in place of the gradient. Without pairs, steepest descent. */
static void lbfgs_direction(const struct orthant *self)
{
    steepest_descent(self);
    lbfgs_history_first_loop(self->pairs, self->direction);
    lbfgs_history_second_loop(self->pairs, self->state->head->gamma, self->direction);
    remove_fixed(self, self->direction);
}

/* H d = -v on the face, by conjugate gradients up to a share of the residual or the first direction without positive
 * curvature. `*blind`: even the first direction has none, and d = -v. */
static temper_status newton_direction(struct orthant *self, bool *blind)
{
    struct solver_state *state = self->state;
    const size_t n = state->problem->size;
    const double norm = state->head->gradient_norm;
    const double end = norm * fmin(RESIDUAL, sqrt(norm / fmax(state->head->start_norm, norm)));
    for (size_t j = 0; j < n; j++) {
        self->direction[j] = 0;
        self->residual[j] = self->search[j] = -self->subgradient[j];
    }
    double square = vector_dot(self->residual, self->residual, n);
    for (size_t i = 0; i < MAX_PRODUCTS && sqrt(square) > end; i++) {
        temper_status status =
            state->problem->multiply(state->problem->context, self->search, self->product, state->error);
        if (status != TEMPER_OK)
            return status;
        state->head->products++;
        remove_fixed(self, self->product);
        const double curvature = vector_dot(self->search, self->product, n);
        if (!(curvature > 0) || !isfinite(curvature)) {
            *blind = i == 0;
            break;
        }
        const double before = square;
        square = vector_advance((struct vector_steps){self->direction, self->residual, self->search, self->product},
                                before / curvature, n);
        vector_direction(self->search, square / before, self->residual, n);
    }
    if (*blind)
        steepest_descent(self);
    return TEMPER_OK;
}

/* A direction of descent. Pairs from a region of other curvature can give a bad one: they are dropped. */
static temper_status find_direction(struct orthant *self, bool *blind)
{
    if (!self->pairs) {
        temper_status status = newton_direction(self, blind);
        if (status != TEMPER_OK || align(self))
            return status;
    } else {
        *blind = self->state->head->pairs == 0;
        lbfgs_direction(self);
        if (align(self))
            return TEMPER_OK;
        lbfgs_history_clear(self->pairs);
    }
    *blind = true;
    steepest_descent(self);
    align(self);
    return TEMPER_OK;
}

/* ---- The line search ---------------------------------------------------------------------------- */

/* The point at `length` along the direction, with numbers that would change their sign at 0. Returns the slope of the
 * function along the step that results. False if nothing changes. */
static bool place_trial(struct orthant *self, double length, double *slope)
{
    struct solver_state *state = self->state;
    bool changed = false;
    *slope = 0;
    for (size_t j = 0; j < state->problem->size; j++) {
        const double w = state->w[j];
        double to = w + length * self->direction[j];
        if (is_penalised(state->problem, j) && w * to < 0)
            to = 0;
        state->trial[j] = to;
        *slope += (to - w) * self->subgradient[j];
        changed = changed || to != w;
    }
    return changed;
}

/* The decrease of the value from w to the trial. Below its rounding the slopes at both ends give it more accurately:
 * within an orthant the penalty is linear, and a part of both. */
static double actual_decrease(const struct orthant *self, double slope)
{
    const struct solver_state *state = self->state;
    const double decrease = state->head->value - state->trial_value, noise = solver_rounding(state);
    if (-slope > noise || state->trial_value > state->head->lowest + noise)
        return decrease;
    double end = l1_change(state->problem, state->w, state->trial);
    for (size_t j = 0; j < state->problem->size; j++)
        end += (state->trial[j] - state->w[j]) * state->trial_gradient[j];
    return -0.5 * (slope + end);
}

/* Where the parabola through both values and the slope at w is lowest, as a factor of the step. */
static double shorter(const struct orthant *self, double slope)
{
    const double excess = self->state->trial_value - self->state->head->value - slope;
    const double guess = -0.5 * slope / excess;
    return !isfinite(guess) ? 0.25 : guess < 0.1 ? 0.1 : guess > 0.5 ? 0.5 : guess;
}

/* Backtracks from `length` until the value decreases enough; *moved stays false if no step does. */
static temper_status backtrack(struct orthant *self, double length, double *decrease, bool *moved)
{
    struct solver_state *state = self->state;
    for (size_t i = 0; i < MAX_BACKTRACKS; i++) {
        double slope;
        if (!place_trial(self, length, &slope))
            return TEMPER_OK;
        temper_status status = solver_evaluate_trial(state);
        if (status != TEMPER_OK)
            return status;
        *decrease = solver_trial_finite(state) ? actual_decrease(self, slope) : (double)NAN;
        if (slope < 0 && *decrease >= -ARMIJO * slope) {
            *moved = true;
            return TEMPER_OK;
        }
        length *= solver_trial_finite(state) ? shorter(self, slope) : 0.1;
    }
    return TEMPER_OK;
}

/* ---- An iteration --------------------------------------------------------------------------------- */

/* The decrease to the minimum: by the model, half of the slope; with the pairs of L-BFGS, which know the curvature of
 * few directions, also as the last iterations continue. */
static bool at_minimum(struct orthant *self)
{
    struct solver_state *state = self->state;
    const double extrapolated = self->pairs ? solver_extrapolated_decrease(state) : 0;
    if (!solver_checks_distance(state))
        return false;
    solver_expect_decrease(state, fmax(-0.5 * self->slope, extrapolated), 0);
    return solver_has_converged(state);
}

/* The longest step that the limit of the scores' change allows; a blind direction goes as far. */
static temper_status first_length(struct orthant *self, bool blind, double *length, bool *limited)
{
    struct solver_state *state = self->state;
    double longest;
    temper_status status = solver_step_factor(state, self->direction, solver_length_limit(state, blind), &longest);
    if (status != TEMPER_OK)
        return status;
    *length = fmin(1, longest);
    *limited = longest < 1;
    if (blind)
        *length = isfinite(longest) ? longest : fmin(1, 1 / vector_norm(self->direction, state->problem->size));
    return TEMPER_OK;
}

/* The step becomes a pair of L-BFGS, if its curvature is positive; then the trial becomes w. */
static void accept(struct orthant *self, double decrease)
{
    struct solver_state *state = self->state;
    if (self->pairs && lbfgs_history_begin(self->pairs, self->direction, self->product))
        lbfgs_history_complete(self->pairs, self->product);
    solver_accept(state);
    solver_record_decrease(state, decrease);
}

/* A failed line search along a direction of L-BFGS is repeated without pairs. */
temper_status orthant_iterate(struct orthant *self, bool *moved)
{
    struct solver_state *state = self->state;
    find_subgradient(self);
    for (bool again = true; again && !*moved;) {
        bool blind = false, limited = false;
        double length = 1, decrease = 0;
        temper_status status = find_direction(self, &blind);
        if (status == TEMPER_OK && !blind && at_minimum(self))
            return TEMPER_OK;
        if (status == TEMPER_OK)
            status = first_length(self, blind, &length, &limited);
        if (status == TEMPER_OK)
            status = backtrack(self, length, &decrease, moved);
        if (status != TEMPER_OK)
            return status;
        if (*moved && limited && decrease >= -0.25 * self->slope * length)
            solver_extend_limit(state);
        if (*moved)
            accept(self, decrease);
        again = self->pairs && state->head->pairs > 0;
        if (again && !*moved)
            lbfgs_history_clear(self->pairs);
    }
    return TEMPER_OK;
}

/* ---- The minimiser with L-BFGS --------------------------------------------------------------------- */

struct owl_qn {
    struct solver_state state;
    struct lbfgs_history pairs;
    struct orthant orthant;
};

static temper_status iterate(void *context, bool *moved)
{
    struct owl_qn *self = context;
    return orthant_iterate(&self->orthant, moved);
}

static bool is_valid(const void *context)
{
    const struct owl_qn *self = context;
    return lbfgs_history_is_valid(&self->pairs);
}

/* solver_run drives the iterations; here the workspace is set up. */
temper_status minimise_orthant(const struct problem *problem, const struct optim_options *options, double *w,
                               struct optim_result *result, temper_error *error)
{
    static const struct optim_method method = {OPTIM_ORTHANT, iterate, is_valid};
    const size_t limit = lbfgs_history_limit(problem->size, options);
    struct owl_qn self = {0};
    struct solver_workspace room;
    size_t vectors;
    if (!lbfgs_history_workspace(problem->size, limit, &room) || !mul_size(ORTHANT_VECTORS, problem->size, &vectors) ||
        !add_size(room.scratch, vectors, &room.scratch))
        return error_no_memory(error);
    temper_status status = solver_open(&self.state, problem, options, room, error);
    if (status != TEMPER_OK)
        return status;
    orthant_lay_out(&self.orthant, &self.state, self.state.scratch);
    self.pairs = (struct lbfgs_history){&self.state, limit, self.state.scratch + vectors, 0};
    self.orthant.pairs = &self.pairs;
    self.state.head->history_limit = (double)limit;
    lbfgs_history_clear(&self.pairs);
    status = solver_run(&self.state, &method, &self, w, result);
    solver_close(&self.state);
    return status;
}
