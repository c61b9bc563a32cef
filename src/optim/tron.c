/* tron: trust-region Newton with conjugate gradients (Steihaug 1983, Toint 1981; TRON of Lin and Moré 1999, as in
 * LIBLINEAR), for vectors of any length.
 *
 * Conjugate gradients start from 0 and end when the model is solved accurately enough, the boundary of the region is
 * reached, or a direction of negative curvature leads to it. The region is a ball in the norm of the preconditioner M,
 * which the recurrences give without M itself. */
#include <math.h>

#include "base/memory.h"
#include "optim/solver_state.h"
#include "optim/trust_region.h"
#include "optim/vector.h"

/* Forcing term (Dembo, Eisenstat, Steihaug 1982): the model is solved to min(COARSE, (|g| / |g_0|)^TIGHTER) of the
 * gradient. A larger power would converge faster in the end, but most of the products are spent before. */
static const double COARSE = 0.5, TIGHTER = 0.3;
/* No more accurately than this share of the gradient norm at which the minimiser stops. */
static const double BEYOND = 0.5;
enum { MAX_PRODUCTS = 1000 }; /* of one iteration */
/* A loss that is bounded may give up a class: its intercept then decreases without end, as nothing penalises it, while
 * its curvature vanishes. A diagonal of W = 0 hides such directions among all others, and conjugate gradients take up
 * to a hundred products for each. From RENEW_BELOW of the first gradient on, intercepts whose curvature is less than
 * GIVEN_UP of the largest have that of the current point instead, as its square root, like the others; not less than
 * LEAST of the largest, which keeps it finite (docs/decisions/0046). */
static const double RENEW_BELOW = 0.1, GIVEN_UP = 0.01, LEAST = 1e-12;

struct tron {
    struct solver_state state;
    double *step, *residual;         /* conjugate gradients; residual = -g - H step */
    double *solved;                  /* M^-1 residual; without M the residual itself */
    double *direction, *product;     /* in the space of the trial, unused meanwhile */
    struct vector_diagonal diagonal; /* M^-1, if it is diagonal */
    double *last;                    /* diagonal.last, where it is used */
};

/* Inner products with M, updated by the recurrences. */
struct cg_norms {
    double step, cross, direction;  /* s'Ms, s'Md, d'Md */
    double residual;                /* r'M^-1 r */
    double decrease, last_decrease; /* of the model: by all steps, and by the last one */
};

/* Returns r'M^-1 r; `squares` is r'r, or that already if M is diagonal. */
static double apply_preconditioner(struct tron *self, double squares)
{
    const struct problem *problem = self->state.problem;
    if (!problem->precondition || self->diagonal.number)
        return squares;
    vector_copy(self->solved, self->residual, problem->size);
    problem->precondition(problem->preconditioner, self->solved);
    return vector_dot(self->residual, self->solved, problem->size);
}

/* The share of r'M^-1 r at which conjugate gradients end. */
static double forcing(const struct solver_state *state)
{
    const struct solver_head *head = state->head;
    /* The gradient falls along the path of the optimiser, and with it the share: superlinear convergence. */
    const double so_far = pow(head->gradient_norm / head->start_norm, TIGHTER);
    const double needed = BEYOND * state->options->gradient_norm / head->gradient_norm;
    const double share = fmin(COARSE, fmax(so_far, needed));
    return share * share;
}

/* The start of conjugate gradients: s = 0, r = -g, d = M^-1 r. Direction and product use the vectors of the trial,
 * which is not needed before the step is complete. */
static struct cg_norms begin(struct tron *self)
{
    const struct solver_state *state = &self->state;
    const size_t n = state->problem->size;
    self->direction = state->trial;
    self->product = state->trial_gradient;
    for (size_t i = 0; i < n; i++) {
        self->step[i] = 0;
        self->residual[i] = -state->gradient[i];
    }
    double residual;
    if (self->diagonal.number) {
        residual = vector_apply_diagonal(self->diagonal, self->direction, self->residual, n);
    } else {
        residual = apply_preconditioner(self, vector_dot(self->residual, self->residual, n));
        vector_copy(self->direction, self->solved, n);
    }
    return (struct cg_norms){.direction = residual, .residual = residual};
}

/* The step along d to the boundary: the positive root tau of |s + tau d|_M = radius. */
static double distance_to_boundary(const struct cg_norms *norms, double radius)
{
    const double room = fmax(0, radius * radius - norms->step);
    const double root = sqrt(norms->cross * norms->cross + norms->direction * room);
    /* Of the two forms of the root, the one that subtracts no nearly equal numbers. */
    return norms->cross > 0 ? room / (norms->cross + root) : (root - norms->cross) / norms->direction;
}

/* s += tau d, r -= tau H d, and the M-norm of s by its recurrence. Returns r'r, or r'M^-1 r if M is diagonal. */
static double advance(struct tron *self, struct cg_norms *norms, double tau)
{
    const size_t n = self->state.problem->size;
    const struct vector_steps steps = {self->step, self->residual, self->direction, self->product};
    norms->step += tau * (2 * norms->cross + tau * norms->direction);
    return self->diagonal.number ? vector_advance_diagonal(self->diagonal, steps, tau, n)
                                 : vector_advance(steps, tau, n);
}

/* d = M^-1 r + beta d, conjugate to the directions before; updates the norms. */
static void next_direction(struct tron *self, struct cg_norms *norms, double tau, double squares)
{
    const double residual = apply_preconditioner(self, squares), beta = residual / norms->residual;
    const size_t n = self->state.problem->size;
    if (self->diagonal.number)
        vector_direction_diagonal(self->diagonal, self->direction, beta, self->residual, n);
    else
        vector_direction(self->direction, beta, self->solved, n);
    norms->cross = beta * (norms->cross + tau * norms->direction);
    norms->direction = residual + beta * beta * norms->direction;
    norms->residual = residual;
}

/* Where the gradient is small enough, conjugate gradients continue until the decrease of the model is known well enough
 * to decide whether the minimiser has converged: until it exceeds the limit, or the steps to come cannot reach it.
 * Their decreases fall, and there may be about as many as were made; what they leave is estimated by the
 * curvature of the penalty. */
static bool distance_known(struct tron *self, const struct cg_norms *norms, size_t steps)
{
    struct solver_state *state = &self->state;
    const double limit = solver_decrease_limit(state), least = state->options->distance.curvature;
    const double rest = vector_dot(self->residual, self->residual, state->problem->size);
    const double bound = least > 0 ? norms->decrease + 0.5 * rest / least : 0;
    solver_expect_decrease(state, norms->decrease + (double)steps * norms->last_decrease, bound);
    return norms->decrease > limit || norms->residual == 0 || solver_has_converged(state);
}

/* One step of conjugate gradients, one product with the Hessian; *done if it was the last. tau = r'M^-1 r / d'Hd
 * minimises the model along d, and lowers it by tau r'M^-1 r / 2. */
static temper_status conjugate_step(struct tron *self, struct cg_norms *norms, bool *done, bool *at_boundary)
{
    struct solver_state *state = &self->state;
    temper_status status =
        state->problem->multiply(state->problem->context, self->direction, self->product, state->error);
    state->head->products++;
    if (status != TEMPER_OK)
        return status;
    const double curvature = vector_dot(self->direction, self->product, state->problem->size);
    const double boundary = distance_to_boundary(norms, state->head->radius);
    const double tau = norms->residual / curvature;
    *done = true;
    if (!isfinite(curvature)) /* the step so far is used */
        return TEMPER_OK;
    /* Steihaug's rule: along negative curvature, or beyond the region, the step ends at the boundary. */
    if (!(curvature > 0) || tau >= boundary) {
        advance(self, norms, boundary);
        *at_boundary = true;
        return TEMPER_OK;
    }
    norms->last_decrease = 0.5 * tau * norms->residual;
    norms->decrease += norms->last_decrease;
    next_direction(self, norms, tau, advance(self, norms, tau));
    *done = false;
    return TEMPER_OK;
}

/* The first radius: the steepest descent step of the length limit, where there is one. In the norm of M the first
 * direction M^-1 r has the length sqrt(r'M^-1 r). */
static temper_status first_radius(struct tron *self, const struct cg_norms *norms)
{
    struct solver_state *state = &self->state;
    double factor = 0;
    temper_status status = solver_step_factor(state, self->direction, solver_length_limit(state, false), &factor);
    state->head->radius = sqrt(norms->residual) * (isfinite(factor) ? factor : 1);
    return status;
}

/* Conjugate gradients for the subproblem, then what the model predicts for the step. s'Hs follows from the residual r =
 * -g - Hs: no further product is needed. */
static temper_status solve_model(struct tron *self, struct trust_step *step)
{
    struct solver_state *state = &self->state;
    const size_t n = state->problem->size;
    const size_t most = n < MAX_PRODUCTS / 10 ? 10 * n : MAX_PRODUCTS;
    struct cg_norms norms = begin(self);
    const double target = forcing(state) * norms.residual;
    const bool checks_distance = solver_checks_distance(state);
    bool done = false;
    *step = (struct trust_step){.step = self->step};
    temper_status status = TEMPER_OK;
    if (state->head->iteration == 0)
        status = first_radius(self, &norms);
    for (size_t k = 0; k < most && !done && status == TEMPER_OK; k++) {
        const bool known = !checks_distance || (k > 0 && distance_known(self, &norms, k));
        if (known && norms.residual <= target)
            break;
        status = conjugate_step(self, &norms, &done, &step->at_boundary);
    }
    if (step->at_boundary)
        solver_expect_decrease(state, -1, 0);
    step->norm = sqrt(norms.step);
    step->slope = vector_dot(state->gradient, self->step, n);
    step->curvature = -vector_dot(self->residual, self->step, n) - step->slope;
    return status;
}

/* Sets M^-1 for the intercepts of the accepted point, a function of that point alone, so that a resumed minimisation
 * has the same bits. It costs no pass over the data, and is not counted. */
static temper_status renew_last(struct tron *self)
{
    const struct problem *problem = self->state.problem;
    const struct solver_head *head = self->state.head;
    const size_t group = problem->diagonal_group;
    self->diagonal.last = NULL;
    if (!self->last || head->gradient_norm > RENEW_BELOW * head->start_norm)
        return TEMPER_OK;
    temper_status status = problem->last_curvature(problem->context, self->last, self->state.error);
    if (status != TEMPER_OK)
        return status;
    double most = 0;
    for (size_t k = 0; k < group; k++)
        most = fmax(most, self->last[k]);
    for (size_t k = 0; k < group; k++) {
        const double curvature = self->last[k];
        self->last[k] = curvature > 0 && curvature < GIVEN_UP * most ? 1 / sqrt(fmax(curvature, LEAST * most))
                                                                     : problem->diagonal[problem->size / group - 1];
    }
    self->diagonal.last = self->last;
    return TEMPER_OK;
}

/* A step within the region and within the length limit. */
static temper_status find_step(struct tron *self, struct trust_step *step)
{
    struct solver_state *state = &self->state;
    double factor = 0;
    temper_status status = renew_last(self);
    if (status == TEMPER_OK)
        status = solve_model(self, step);
    if (status == TEMPER_OK)
        status = solver_step_factor(state, self->step, solver_length_limit(state, false), &factor);
    if (status != TEMPER_OK || factor >= 1)
        return status;
    step->limited = true;
    trust_scale_step(step, self->step, factor, state->problem->size);
    return TEMPER_OK;
}

/* One iteration: one subproblem, and its step shortened until it is accepted. *moved stays false if that never
 * happens. */
static temper_status iterate(void *context, bool *moved)
{
    struct tron *self = context;
    struct solver_state *state = &self->state;
    const size_t n = state->problem->size;
    struct trust_step step;
    temper_status status = find_step(self, &step);
    /* The model may show that there is no decrease left to expect. */
    if (status == TEMPER_OK && solver_has_converged(state))
        return TEMPER_OK;
    for (size_t rejection = 0; status == TEMPER_OK && rejection < TRUST_MAX_REJECTIONS; rejection++) {
        if (!(trust_predicted_decrease(&step) > 0) || !trust_place_trial(state, self->step))
            return TEMPER_OK;
        status = solver_evaluate_trial(state);
        if (status == TEMPER_OK && trust_accept_step(state, &step)) {
            solver_accept(state);
            *moved = true;
            return TEMPER_OK;
        }
        /* A shorter step in the same direction costs no products, and is a descent step too. */
        trust_scale_step(&step, self->step, state->head->radius / step.norm, n);
        step.limited = false;
    }
    return status;
}

/* TRON keeps nothing in the memory but the radius. */
static bool is_valid(const void *context)
{
    const struct tron *self = context;
    const struct solver_head *head = self->state.head;
    return head->extra == 0 && (head->iteration == 0 || head->radius > 0);
}

/* Scratch space: step and residual, M^-1 residual where M is not diagonal, and the numbers of the intercepts. */
temper_status minimise_tron(const struct problem *problem, const struct optim_options *options, double *w,
                            struct optim_result *result, temper_error *error)
{
    static const struct optim_method method = {OPTIM_TRON, iterate, is_valid};
    struct tron self = {.diagonal = {problem->diagonal, problem->diagonal_group, NULL}};
    struct solver_workspace room = {0};
    if (!problem->multiply)
        return error_set(error, TEMPER_BUG, "conjugate gradients were called without products");
    const size_t last = problem->diagonal && problem->last_curvature ? problem->diagonal_group : 0;
    if (!mul_size(problem->precondition ? 3 : 2, problem->size, &room.scratch) ||
        !add_size(room.scratch, last, &room.scratch))
        return error_no_memory(error);
    temper_status status = solver_open(&self.state, problem, options, room, error);
    if (status != TEMPER_OK)
        return status;
    self.step = self.state.scratch;
    self.residual = self.step + problem->size;
    self.solved = problem->precondition ? self.residual + problem->size : self.residual;
    self.last = last ? self.solved + problem->size : NULL;
    status = solver_run(&self.state, &method, &self, w, result);
    solver_close(&self.state);
    return status;
}
