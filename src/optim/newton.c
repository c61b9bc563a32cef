/* newton: Newton's method in a trust region, with the dense Hessian.
 *
 * The region is measured in units in which the Hessian has a diagonal of about 1, so that units of
 * measurement do not matter. */
#include <math.h>

#include "base/memory.h"
#include "optim/solver_state.h"
#include "optim/trust_radius.h"
#include "optim/trust_region_dense.h"
#include "optim/vector.h"

/* How often a step that moves the activations too far is computed anew in a smaller region, before
 * it is just shortened. */
enum { FITTINGS = 3 };

struct newton {
    struct solver_state run;
    double *scale, *last;     /* kept: the units, and the last step */
    double *hessian, *factor; /* n x n; the Hessian in those units */
    double *gradient;         /* in those units */
    double *step, *plain;     /* the step in those units, and in those of w */
    double *spare;
};

static bool hessian_finite(const struct newton *self)
{
    const size_t n = self->run.problem->size;
    for (size_t i = 0; i < n; i++)
        if (!vector_finite(self->hessian + i * n, i + 1))
            return false;
    return true;
}

/* |last step| in the units of now. */
static double last_norm(const struct newton *self)
{
    double sum = 0;
    for (size_t i = 0; i < self->run.problem->size; i++)
        sum += self->last[i] * self->last[i] * self->scale[i] * self->scale[i];
    return sqrt(sum);
}

/* Units: the square root of the largest curvature that a number of w has had. They never shrink, so
 * that a flat region does not make the steps long; the radius follows them. */
static void update_scale(struct newton *self)
{
    struct optim_head *head = self->run.head;
    const size_t n = self->run.problem->size;
    const double before = last_norm(self);
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        self->scale[i] = fmax(self->scale[i], sqrt(fabs(self->hessian[i * n + i])));
        largest = fmax(largest, self->scale[i]);
    }
    /* A number that nothing depends on still needs a unit. */
    for (size_t i = 0; i < n; i++)
        self->scale[i] = largest > 0 ? fmax(self->scale[i], 1e-8 * largest) : 1;
    const double after = last_norm(self);
    if (before > 0 && isfinite(after / before))
        head->radius *= after / before;
}

static void apply_scale(struct newton *self)
{
    const size_t n = self->run.problem->size;
    for (size_t i = 0; i < n; i++) {
        self->gradient[i] = self->run.gradient[i] / self->scale[i];
        for (size_t j = 0; j <= i; j++)
            self->hessian[i * n + j] /= self->scale[i] * self->scale[j];
    }
}

/* The first region: as large as the length of steps allows, where that is known; else such that
 * features of little correlation are within it. */
static void first_radius(struct newton *self)
{
    struct optim_head *head = self->run.head;
    const double norm = vector_norm(self->gradient, self->run.problem->size);
    head->radius = (self->run.options->length ? 1e4 : 10) * norm;
}

static void solve(struct newton *self, struct trust_step *step)
{
    const size_t n = self->run.problem->size;
    const struct trust_region region = {
        .n = n,
        .h = self->hessian,
        .g = self->gradient,
        .radius = self->run.head->radius,
        .s = self->step,
        .factor = self->factor,
        .z = self->spare,
    };
    step->at_edge = trust_region_solve(&region);
    step->norm = vector_norm(self->step, n);
    step->slope = vector_dot(self->step, self->gradient, n);
    step->bend = trust_region_curvature(self->hessian, self->step, n);
    for (size_t i = 0; i < n; i++)
        self->plain[i] = self->step[i] / self->scale[i];
}

/* A step within the region that does not move the activations too far. */
static temper_status find_step(struct newton *self, struct trust_step *step)
{
    struct solver_state *run = &self->run;
    *step = (struct trust_step){.step = self->plain};
    for (size_t fitting = 0;; fitting++) {
        double factor = 0;
        solve(self, step);
        temper_status status = solver_reach(run, self->plain, solver_length_limit(run, false), &factor);
        if (status != TEMPER_OK || factor >= 1)
            return status;
        step->limited = true;
        if (fitting == FITTINGS) {
            trust_radius_shrink(step, self->plain, factor, run->problem->size);
            return TEMPER_OK;
        }
        run->head->radius = factor * step->norm;
    }
}

static temper_status prepare(struct newton *self, bool *usable)
{
    struct solver_state *run = &self->run;
    temper_status status = run->problem->hessian(run->problem->context, self->hessian, run->error);
    run->head->hessians++;
    *usable = status == TEMPER_OK && hessian_finite(self);
    if (!*usable)
        return status;
    update_scale(self);
    apply_scale(self);
    if (run->head->iteration == 0)
        first_radius(self);
    return TEMPER_OK;
}

static temper_status iterate(void *context, bool *moved)
{
    struct newton *self = context;
    struct solver_state *run = &self->run;
    bool usable = false;
    temper_status status = prepare(self, &usable);
    for (size_t refusal = 0; status == TEMPER_OK && usable && refusal < TRUST_REFUSALS; refusal++) {
        struct trust_step step;
        status = find_step(self, &step);
        if (status != TEMPER_OK || !(trust_radius_predicted(&step) > 0) || !trust_radius_place(run, self->plain))
            return status;
        status = solver_try(run);
        if (status == TEMPER_OK && trust_radius_update(run, &step)) {
            vector_copy(self->last, self->plain, run->problem->size);
            solver_accept(run);
            *moved = true;
            return TEMPER_OK;
        }
    }
    return status;
}

static bool sound(const void *context)
{
    const struct newton *self = context;
    const struct optim_head *head = self->run.head;
    const size_t n = self->run.problem->size;
    for (size_t i = 0; i < n; i++)
        if (!(self->scale[i] >= 0))
            return false;
    return head->extra == (double)(2 * n) && (head->iteration == 0 || head->radius > 0);
}

static bool room_for(size_t n, struct optim_room *room)
{
    size_t square = 0, squares = 0;
    room->extra = 2 * n; /* cannot overflow if n * n does not */
    return mul_size(n, n, &square) && mul_size(2, square, &squares) && add_size(squares, 4 * n, &room->scratch);
}

static void lay_out(struct newton *self, size_t n)
{
    self->scale = self->run.extra;
    self->last = self->scale + n;
    self->gradient = self->run.scratch;
    self->step = self->gradient + n;
    self->plain = self->step + n;
    self->spare = self->plain + n;
    self->hessian = self->spare + n;
    self->factor = self->hessian + n * n;
    for (size_t i = 0; i < 2 * n; i++)
        self->run.extra[i] = 0;
    self->run.head->extra = (double)(2 * n);
}

temper_status minimise_newton(const struct problem *problem, const struct optim_options *options, double *w,
                              struct optim_result *result, temper_error *error)
{
    static const struct optim_method method = {OPTIM_NEWTON, iterate, sound};
    struct newton self = {0};
    struct optim_room room = {0};
    if (!problem->hessian)
        return error_set(error, TEMPER_BUG, "Newton's method was called without a Hessian");
    if (!room_for(problem->size, &room))
        return error_no_memory(error);
    temper_status status = solver_open(&self.run, problem, options, room, error);
    if (status != TEMPER_OK)
        return status;
    lay_out(&self, problem->size);
    status = solver_drive(&self.run, &method, &self, w, result);
    solver_close(&self.run);
    return status;
}
