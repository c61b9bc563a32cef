/* tron: Newton's method in a trust region, with conjugate gradients for vectors of any length.
 *
 * Steihaug's and Toint's way: conjugate gradients from 0 until the model is solved well enough, the
 * edge of the region is reached, or a direction of negative curvature leads to it. The region is
 * measured in the norm of the preconditioner M, which conjugate gradients know without M itself. */
#include <math.h>

#include "base/memory.h"
#include "optim/solver_state.h"
#include "optim/trust_radius.h"
#include "optim/vector.h"

/* The model is solved to this share of the gradient at most, and to less as the run converges: to
 * the gradient's own share of its start to this power. More would be faster in the end, but most of
 * the products are spent before. */
static const double COARSE = 0.5, TIGHTER = 0.3;
/* There is no need to solve it beyond this share of the gradient that the run is to end with. */
static const double BEYOND = 0.5;
enum { MOST_PRODUCTS = 1000 }; /* of one iteration */

struct tron {
    struct solver_state run;
    double *step, *residual;       /* conjugate gradients; residual = -g - H step */
    double *solved;                /* M^-1 residual; where M is not asked for it, that itself */
    double *direction, *product;   /* of the run, which has no trial while a step is looked for */
    struct vector_diagonal metric; /* M^-1, if it is diagonal; else no numbers */
};

/* Inner products in the norm of M that the recurrences carry along. */
struct norms {
    double step, cross, direction; /* s'Ms, s'Md, d'Md */
    double residual;               /* r'M^-1 r */
};

/* Returns r'M^-1 r; `squares` is r'r, or that already if M is diagonal. */
static double apply_metric(struct tron *self, double squares)
{
    const struct problem *problem = self->run.problem;
    if (!problem->precondition || self->metric.number)
        return squares;
    vector_copy(self->solved, self->residual, problem->size);
    problem->precondition(problem->preconditioner, self->solved);
    return vector_dot(self->residual, self->solved, problem->size);
}

/* What share of r'M^-1 r may be left. */
static double forcing(const struct solver_state *run)
{
    const struct optim_head *head = run->head;
    const double so_far = pow(head->gradient_norm / head->start_norm, TIGHTER);
    const double needed = BEYOND * run->options->gradient_norm / head->gradient_norm;
    const double share = fmin(COARSE, fmax(so_far, needed));
    return share * share;
}

/* s = 0, r = -g, d = M^-1 r. */
static struct norms begin(struct tron *self)
{
    const struct solver_state *run = &self->run;
    const size_t n = run->problem->size;
    self->direction = run->trial;
    self->product = run->trial_gradient;
    for (size_t i = 0; i < n; i++) {
        self->step[i] = 0;
        self->residual[i] = -run->gradient[i];
    }
    double residual;
    if (self->metric.number) {
        residual = vector_solve_in(self->metric, self->direction, self->residual, n);
    } else {
        residual = apply_metric(self, vector_dot(self->residual, self->residual, n));
        vector_copy(self->direction, self->solved, n);
    }
    return (struct norms){.direction = residual, .residual = residual};
}

/* How far along d the edge is: the positive root of |s + tau d|_M = radius. */
static double to_edge(const struct norms *norms, double radius)
{
    const double room = fmax(0, radius * radius - norms->step);
    const double root = sqrt(norms->cross * norms->cross + norms->direction * room);
    /* The form that does not cancel. */
    return norms->cross > 0 ? room / (norms->cross + root) : (root - norms->cross) / norms->direction;
}

/* s += tau d, r -= tau H d; returns r'r, or r'M^-1 r if M is diagonal. */
static double advance(struct tron *self, struct norms *norms, double tau)
{
    const size_t n = self->run.problem->size;
    const struct vector_steps steps = {self->step, self->residual, self->direction, self->product};
    norms->step += tau * (2 * norms->cross + tau * norms->direction);
    return self->metric.number ? vector_advance_in(self->metric, steps, tau, n) : vector_advance(steps, tau, n);
}

/* The next direction, conjugate to those before. */
static void turn(struct tron *self, struct norms *norms, double tau, double squares)
{
    const double residual = apply_metric(self, squares), beta = residual / norms->residual;
    const size_t n = self->run.problem->size;
    if (self->metric.number)
        vector_turn_in(self->metric, self->direction, beta, self->residual, n);
    else
        vector_turn(self->direction, beta, self->solved, n);
    norms->cross = beta * (norms->cross + tau * norms->direction);
    norms->direction = residual + beta * beta * norms->direction;
    norms->residual = residual;
}

/* One step of conjugate gradients; *done if it was the last. */
static temper_status conjugate_step(struct tron *self, struct norms *norms, bool *done, bool *at_edge)
{
    struct solver_state *run = &self->run;
    temper_status status = run->problem->multiply(run->problem->context, self->direction, self->product, run->error);
    run->head->products++;
    if (status != TEMPER_OK)
        return status;
    const double bend = vector_dot(self->direction, self->product, run->problem->size);
    const double edge = to_edge(norms, run->head->radius);
    const double tau = norms->residual / bend;
    *done = true;
    if (!isfinite(bend)) /* what has been found so far still counts */
        return TEMPER_OK;
    if (!(bend > 0) || tau >= edge) {
        advance(self, norms, edge);
        *at_edge = true;
        return TEMPER_OK;
    }
    turn(self, norms, tau, advance(self, norms, tau));
    *done = false;
    return TEMPER_OK;
}

/* The first region: where the length of steps is limited, as far as that allows downhill. */
static temper_status first_radius(struct tron *self, const struct norms *norms)
{
    struct solver_state *run = &self->run;
    double factor = 0;
    temper_status status = solver_reach(run, self->direction, solver_length_limit(run, false), &factor);
    run->head->radius = sqrt(norms->residual) * (isfinite(factor) ? factor : 1);
    return status;
}

static temper_status solve_model(struct tron *self, struct trust_step *step)
{
    struct solver_state *run = &self->run;
    const size_t n = run->problem->size;
    const size_t most = n < MOST_PRODUCTS / 10 ? 10 * n : MOST_PRODUCTS;
    struct norms norms = begin(self);
    const double enough = forcing(run) * norms.residual;
    bool done = false;
    *step = (struct trust_step){.step = self->step};
    temper_status status = TEMPER_OK;
    if (run->head->iteration == 0)
        status = first_radius(self, &norms);
    for (size_t k = 0; k < most && !done && status == TEMPER_OK && norms.residual > enough; k++)
        status = conjugate_step(self, &norms, &done, &step->at_edge);
    step->norm = sqrt(norms.step);
    step->slope = vector_dot(run->gradient, self->step, n);
    step->bend = -vector_dot(self->residual, self->step, n) - step->slope;
    return status;
}

/* A step within the region that does not move the activations too far. */
static temper_status find_step(struct tron *self, struct trust_step *step)
{
    struct solver_state *run = &self->run;
    double factor = 0;
    temper_status status = solve_model(self, step);
    if (status == TEMPER_OK)
        status = solver_reach(run, self->step, solver_length_limit(run, false), &factor);
    if (status != TEMPER_OK || factor >= 1)
        return status;
    step->limited = true;
    trust_radius_shrink(step, self->step, factor, run->problem->size);
    return TEMPER_OK;
}

static temper_status iterate(void *context, bool *moved)
{
    struct tron *self = context;
    struct solver_state *run = &self->run;
    const size_t n = run->problem->size;
    struct trust_step step;
    temper_status status = find_step(self, &step);
    for (size_t refusal = 0; status == TEMPER_OK && refusal < TRUST_REFUSALS; refusal++) {
        if (!(trust_radius_predicted(&step) > 0) || !trust_radius_place(run, self->step))
            return TEMPER_OK;
        status = solver_try(run);
        if (status == TEMPER_OK && trust_radius_update(run, &step)) {
            solver_accept(run);
            *moved = true;
            return TEMPER_OK;
        }
        /* A shorter step in the same direction costs no products, and goes downhill as well. */
        trust_radius_shrink(&step, self->step, run->head->radius / step.norm, n);
        step.limited = false;
    }
    return status;
}

static bool sound(const void *context)
{
    const struct tron *self = context;
    const struct optim_head *head = self->run.head;
    return head->extra == 0 && (head->iteration == 0 || head->radius > 0);
}

temper_status minimise_tron(const struct problem *problem, const struct optim_options *options, double *w,
                            struct optim_result *result, temper_error *error)
{
    static const struct optim_method method = {OPTIM_TRON, iterate, sound};
    struct tron self = {.metric = {problem->diagonal, problem->together}};
    struct optim_room room = {0};
    if (!problem->multiply)
        return error_set(error, TEMPER_BUG, "conjugate gradients were called without products");
    if (!mul_size(problem->precondition ? 3 : 2, problem->size, &room.scratch))
        return error_no_memory(error);
    temper_status status = solver_open(&self.run, problem, options, room, error);
    if (status != TEMPER_OK)
        return status;
    self.step = self.run.scratch;
    self.residual = self.step + problem->size;
    self.solved = problem->precondition ? self.residual + problem->size : self.residual;
    status = solver_drive(&self.run, &method, &self, w, result);
    solver_close(&self.run);
    return status;
}
