/* newton: Newton's method in a trust region with a dense Hessian, for a few hundred numbers: O(n^3) for each step.
 *
 * The region is a ball in the variables D w, D^2 the largest diagonal of the Hessian so far, as in MINPACK (Moré 1978),
 * so that the result does not depend on the units of the features. The subproblem is solved by Moré and Sorensen's
 * method (trust_region.h). */
#include <math.h>

#include "base/memory.h"
#include "kernel/dispatch/kernel.h"
#include "optim/cholesky.h"
#include "optim/solver_state.h"
#include "optim/trust_region.h"
#include "optim/vector.h"

/* How often a step that changes the scores too much is computed again in a smaller region, which also turns it towards
 * the gradient, before it is just shortened. */
enum { MAX_REFITS = 3 };
/* By how much the curvature may have decreased along a step: about e, where scores grow by 1 on separable rows. */
static const double OLD_CURVATURE = 3;

struct newton {
    struct solver_state state;
    double *scale, *last;     /* in the memory: the diagonal of D, and the last step */
    double *hessian, *factor; /* n x n; the scaled Hessian, and its factor */
    double *gradient;         /* scaled */
    double *step, *plain;     /* the step in the scaled variables, and as a change of w */
    double *spare;            /* n numbers for the subproblem */
    const struct kernel *kernel;
};

/* Looks at the lower triangle alone: the rest is never written. */
static bool hessian_finite(const struct newton *self)
{
    const size_t n = self->state.problem->size;
    for (size_t i = 0; i < n; i++)
        if (!vector_finite(self->hessian + i * n, i + 1))
            return false;
    return true;
}

/* |D s| of the last accepted step s, with the current D. */
static double last_norm(const struct newton *self)
{
    double sum = 0;
    for (size_t i = 0; i < self->state.problem->size; i++)
        sum += self->last[i] * self->last[i] * self->scale[i] * self->scale[i];
    return sqrt(sum);
}

/* D: the square root of the largest curvature that each number of w has had. It never shrinks, so that a flat region
 * does not make the steps long. The radius is multiplied by what the change of D does to the length of the last step,
 * so that it means the same step as before. */
static void update_scale(struct newton *self)
{
    struct solver_head *head = self->state.head;
    const size_t n = self->state.problem->size;
    const double before = last_norm(self);
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        self->scale[i] = fmax(self->scale[i], sqrt(fabs(self->hessian[i * n + i])));
        largest = fmax(largest, self->scale[i]);
    }
    /* A number without any curvature needs a positive scale too. */
    for (size_t i = 0; i < n; i++)
        self->scale[i] = largest > 0 ? fmax(self->scale[i], 1e-8 * largest) : 1;
    const double after = last_norm(self);
    if (before > 0 && isfinite(after / before))
        head->radius *= after / before;
}

/* g = D^-1 g, H = D^-1 H D^-1: the problem in the variables D w. A number without curvature and gradient, as the weight
 * of a feature that is always 0, gets a curvature of 1, so that it stays as it is. */
static void apply_scale(struct newton *self)
{
    const size_t n = self->state.problem->size;
    for (size_t i = 0; i < n; i++) {
        self->gradient[i] = self->state.gradient[i] / self->scale[i];
        for (size_t j = 0; j <= i; j++)
            self->hessian[i * n + j] /= self->scale[i] * self->scale[j];
        if (self->hessian[i * n + i] == 0 && self->gradient[i] == 0)
            self->hessian[i * n + i] = 1;
    }
}

/* The first radius: so large that the length limit of steps decides, where there is one; otherwise such that the Newton
 * step of weakly correlated features is within it. */
static void first_radius(struct newton *self)
{
    struct solver_head *head = self->state.head;
    const double norm = vector_norm(self->gradient, self->state.problem->size);
    head->radius = (self->state.options->length ? 1e4 : 10) * norm;
}

/* Solves the subproblem in the scaled variables, and evaluates the quadratic model at its solution. The scaled
 * variables are D s with D = diag(scale): the region is a ball in them, which makes the step independent of the units
 * of the features. `plain` is the step in the original variables. */
static void solve(struct newton *self, struct trust_step *step)
{
    const size_t n = self->state.problem->size;
    const struct trust_region region = {
        .n = n,
        .h = self->hessian,
        .g = self->gradient,
        .radius = self->state.head->radius,
        .rounding = self->state.problem->hessian_rounding,
        .s = self->step,
        .factor = self->factor,
        .z = self->spare,
        .update = self->kernel->cholesky_update,
    };
    step->at_boundary = trust_region_solve(&region);
    step->norm = vector_norm(self->step, n);
    step->slope = vector_dot(self->step, self->gradient, n);
    step->curvature = trust_region_curvature(self->hessian, self->step, n);
    for (size_t i = 0; i < n; i++)
        self->plain[i] = self->step[i] / self->scale[i];
}

/* A step within the region and within the length limit. A step beyond the length limit shrinks the region by as much,
 * and the subproblem is solved again: the best step of a smaller region is better than a shortened step of the larger
 * one. The Hessian stays; a solution costs a few Cholesky factorisations. */
static temper_status find_step(struct newton *self, struct trust_step *step)
{
    struct solver_state *state = &self->state;
    *step = (struct trust_step){.step = self->plain};
    for (size_t refit = 0;; refit++) {
        double factor = 0;
        solve(self, step);
        temper_status status = solver_step_factor(state, self->plain, solver_length_limit(state, false), &factor);
        if (status != TEMPER_OK || factor >= 1)
            return status;
        step->limited = true;
        /* The radius cannot be relied on to shorten the step as much as the length limit requires. */
        if (refit == MAX_REFITS) {
            trust_scale_step(step, self->plain, factor, state->problem->size);
            return TEMPER_OK;
        }
        state->head->radius = factor * step->norm;
    }
}

/* The Hessian at w, computed and scaled once for an iteration; *usable is false if it is not finite, which ends the
 * minimisation as stalled. */
static temper_status prepare(struct newton *self, bool *usable)
{
    struct solver_state *state = &self->state;
    temper_status status = state->problem->hessian(state->problem->context, self->hessian, state->error);
    state->head->hessians++;
    *usable = status == TEMPER_OK && hessian_finite(self);
    if (!*usable)
        return status;
    update_scale(self);
    apply_scale(self);
    if (state->head->iteration == 0)
        first_radius(self);
    return TEMPER_OK;
}

/* Whether the model shows, with the Hessian at w, that there is no decrease left to expect. */
static bool at_minimum(struct newton *self, const struct trust_step *step)
{
    struct solver_state *state = &self->state;
    if (!solver_checks_distance(state) || !trust_step_is_free(step))
        return false;
    solver_expect_decrease(state, trust_predicted_decrease(step), 0);
    return solver_has_converged(state);
}

/* After an accepted step: the Newton decrement g'H^-1 g / 2 at the new point, with the factor of the Hessian before the
 * step, so that the last Hessian of most minimisations need not be computed. The curvature may have decreased since. */
static void estimate_decrease(struct newton *self, const struct trust_step *step)
{
    struct solver_state *state = &self->state;
    const size_t n = state->problem->size;
    if (!solver_checks_distance(state) || !trust_step_is_free(step))
        return;
    for (size_t i = 0; i < n; i++)
        self->spare[i] = state->gradient[i] / self->scale[i];
    cholesky_solve_lower(self->factor, n, self->spare);
    solver_expect_decrease(state, OLD_CURVATURE * 0.5 * vector_dot(self->spare, self->spare, n), 0);
}

/* One iteration: one Hessian, then steps in smaller and smaller regions until one is accepted. A rejected step costs an
 * evaluation and a few factorisations, and never another Hessian. */
static temper_status iterate(void *context, bool *moved)
{
    struct newton *self = context;
    struct solver_state *state = &self->state;
    bool usable = false;
    temper_status status = prepare(self, &usable);
    for (size_t rejection = 0; status == TEMPER_OK && usable && rejection < TRUST_MAX_REJECTIONS; rejection++) {
        struct trust_step step;
        status = find_step(self, &step);
        /* No decrease is predicted, or w would not change: w is a minimum as far as rounding allows. */
        if (status != TEMPER_OK || (rejection == 0 && at_minimum(self, &step)) ||
            !(trust_predicted_decrease(&step) > 0) || !trust_place_trial(state, self->plain))
            return status;
        status = solver_evaluate_trial(state);
        if (status == TEMPER_OK && trust_accept_step(state, &step)) {
            vector_copy(self->last, self->plain, state->problem->size);
            solver_accept(state);
            estimate_decrease(self, &step);
            *moved = true;
            return TEMPER_OK;
        }
    }
    return status;
}

/* For a memory that was handed in: scales are not negative, and there is a radius after the first iteration. */
static bool is_valid(const void *context)
{
    const struct newton *self = context;
    const struct solver_head *head = self->state.head;
    const size_t n = self->state.problem->size;
    for (size_t i = 0; i < n; i++)
        if (!(self->scale[i] >= 0))
            return false;
    return head->extra == (double)(2 * n) && (head->iteration == 0 || head->radius > 0);
}

/* Two matrices and four vectors of scratch space; D and the last step in the memory. */
static bool room_for(size_t n, struct solver_workspace *room)
{
    size_t square = 0, squares = 0;
    if (!mul_size(n, n, &square) || !mul_size(2, square, &squares))
        return false;
    room->extra = 2 * n; /* cannot overflow, as n * n does not */
    return add_size(squares, 4 * n, &room->scratch);
}

/* Divides memory and scratch space among the vectors; D and the last step begin at 0, the state before any step. */
static void lay_out(struct newton *self, size_t n)
{
    self->scale = self->state.extra;
    self->last = self->scale + n;
    self->gradient = self->state.scratch;
    self->step = self->gradient + n;
    self->plain = self->step + n;
    self->spare = self->plain + n;
    self->hessian = self->spare + n;
    self->factor = self->hessian + n * n;
    for (size_t i = 0; i < 2 * n; i++)
        self->state.extra[i] = 0;
    self->state.head->extra = (double)(2 * n);
}

/* solver_run drives the iterations; here the workspace is set up for `iterate`. The two matrices take 16 n^2 bytes. For
 * problems of two classes with few features: each iteration computes a Hessian, n^2 numbers in a pass over the rows,
 * and factors it a few times. */
temper_status minimise_newton(const struct problem *problem, const struct optim_options *options, double *w,
                              struct optim_result *result, temper_error *error)
{
    static const struct optim_method method = {OPTIM_NEWTON, iterate, is_valid};
    const char *wanted;
    struct newton self = {.kernel = kernel_choose(&wanted)};
    struct solver_workspace room = {0};
    if (!problem->hessian)
        return error_set(error, TEMPER_BUG, "Newton's method was called without a Hessian");
    if (!self.kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    if (!room_for(problem->size, &room))
        return error_no_memory(error);
    temper_status status = solver_open(&self.state, problem, options, room, error);
    if (status != TEMPER_OK)
        return status;
    lay_out(&self, problem->size);
    status = solver_run(&self.state, &method, &self, w, result);
    solver_close(&self.state);
    return status;
}
