/* Minimisers at the edges of what doubles hold: slopes and curvatures that overflow or underflow, functions whose
 * replies contradict each other, working sets that have no room for all numbers. */
#include <math.h>
#include <string.h>

#include "fixtures/test.h"
#include "kernel/small/cholesky_update.h"
#include "optim/lbfgs_history.h"
#include "optim/line_search.h"
#include "optim/minimise.h"
#include "optim/orthant.h"
#include "optim/solver_state.h"
#include "optim/trust_region.h"

/* ---- Functions ------------------------------------------------------------------------------- */

enum { MOST = 400 };

/* sum_j k_j (w_j - c_j)^2 / 2, plus `level` and l1 |w_j| of all numbers but the last. */
struct bowl {
    size_t n;
    double k[MOST], c[MOST];
    double level, l1;
    size_t evaluations, curvatures, lengths;
    const double *factor; /* by which curvatures and lengths are multiplied, call by call; NULL: none */
};

static temper_status evaluate_bowl(void *context, const double *w, double *value, double *gradient, temper_error *error)
{
    struct bowl *bowl = context;
    (void)error;
    bowl->evaluations++;
    *value = bowl->level;
    for (size_t j = 0; j < bowl->n; j++) {
        const double from = w[j] - bowl->c[j];
        *value += 0.5 * bowl->k[j] * from * from + (j + 1 < bowl->n ? bowl->l1 * fabs(w[j]) : 0);
        gradient[j] = bowl->k[j] * from;
    }
    return TEMPER_OK;
}

static temper_status multiply_bowl(void *context, const double *v, double *product, temper_error *error)
{
    struct bowl *bowl = context;
    (void)error;
    bowl->curvatures++;
    for (size_t j = 0; j < bowl->n; j++)
        product[j] = bowl->k[j] * v[j];
    return TEMPER_OK;
}

static temper_status hessian_of_bowl(void *context, const size_t *index, size_t count, double *h, temper_error *error)
{
    struct bowl *bowl = context;
    (void)error;
    bowl->curvatures++;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++)
            h[i * count + j] = i == j ? bowl->k[index[i]] : 0;
    return TEMPER_OK;
}

/* Of one number: not what it is, but `factor`. */
static temper_status wrong_hessian(void *context, double *h, temper_error *error)
{
    struct bowl *bowl = context;
    (void)error;
    h[0] = bowl->factor[bowl->curvatures++];
    return TEMPER_OK;
}

static temper_status length_in_bowl(void *context, const double *v, double *length, temper_error *error)
{
    struct bowl *bowl = context;
    double sum = 0;
    (void)error;
    for (size_t j = 0; j < bowl->n; j++)
        sum += v[j] * v[j];
    *length = sqrt(sum) * bowl->factor[bowl->lengths++];
    return TEMPER_OK;
}

static struct problem problem_of(struct bowl *bowl)
{
    return (struct problem){.size = bowl->n,
                            .context = bowl,
                            .evaluate = evaluate_bowl,
                            .multiply = multiply_bowl,
                            .hessian_of = hessian_of_bowl,
                            .l1 = bowl->l1,
                            .penalised = bowl->l1 > 0 ? bowl->n - 1 : 0};
}

/* Replies that are given in turn, wherever the function is evaluated. */
struct script {
    struct {
        double value, gradient[2];
    } reply[6];
    size_t at;
};

static temper_status reply(void *context, const double *w, double *value, double *gradient, temper_error *error)
{
    struct script *script = context;
    (void)w, (void)error;
    *value = script->reply[script->at].value;
    memcpy(gradient, script->reply[script->at].gradient, sizeof script->reply[0].gradient);
    script->at++;
    return TEMPER_OK;
}

static const struct optim_options options = {.gradient_norm = 1e-12, .max_iterations = 100};

/* A state with room for the vectors of a method, at w. */
static void open_at(struct solver_state *state, const struct problem *problem, size_t vectors, const double *w)
{
    const size_t n = problem->size;
    CHECK(solver_open(state, problem, &options, (struct solver_workspace){.extra = 4 * n + 2, .scratch = vectors * n},
                      NULL) == TEMPER_OK);
    memcpy(state->trial, w, n * sizeof *w);
    CHECK(solver_evaluate_trial(state) == TEMPER_OK);
    solver_begin(state);
}

/* ---- Line searches ---------------------------------------------------------------------------- */

/* No point is infinitely far away; a slope that overflows, of finite gradient and direction, makes a step too long. */
TEST(steps_and_slopes_that_overflow)
{
    struct bowl bowl = {.n = 1, .k = {1}, .c = {2}};
    const struct problem problem = problem_of(&bowl);
    const double start = 0, direction = 0x1p+700;
    struct solver_state state;
    struct line_search search;
    open_at(&state, &problem, 0, &start);
    struct line line = {&direction, -0x1p+701, .first = INFINITY, .longest = INFINITY};
    CHECK(line_begin(&search, &state, line) == LINE_FAILED);
    line.first = 0x1p-700;
    CHECK(line_begin(&search, &state, line) == LINE_EVALUATE);
    CHECK(state.trial[0] == 1);
    state.trial_value = 1;
    state.trial_gradient[0] = 0x1p+500;
    solver_evaluated(&state);
    CHECK(solver_trial_finite(&state));
    CHECK(line_continue(&search) == LINE_EVALUATE);
    CHECK_CLOSE(state.trial[0], 0.2, 1e-12);
    solver_close(&state);
}

/* ---- Pairs of L-BFGS -------------------------------------------------------------------------- */

/* 1 / s'y overflows: no pair. A preconditioner that is not positive definite leaves gamma at 1. */
TEST(pairs_of_extreme_curvature)
{
    struct bowl bowl = {.n = 1, .k = {1}, .c = {0}};
    const struct problem problem = problem_of(&bowl);
    const double start = 0, wrong[] = {-1, 0};
    struct solver_state state;
    open_at(&state, &problem, 2, &start);
    double weight, *s = state.scratch, *y = s + 1;
    struct lbfgs_history pairs = {.state = &state, .limit = 2, .weight = &weight};
    lbfgs_history_clear(&pairs);
    state.trial[0] = state.trial_gradient[0] = 0x1p-520;
    CHECK(!lbfgs_history_begin(&pairs, s, y));
    for (size_t i = 0; i < 2; i++) {
        state.trial[0] = state.trial_gradient[0] = 0x1p-3;
        CHECK(lbfgs_history_begin(&pairs, s, y) && s[0] == 0x1p-3);
        y[0] *= wrong[i];
        lbfgs_history_complete(&pairs, y);
        CHECK(state.head->gamma == 1);
    }
    CHECK(state.head->pairs == 2);
    solver_close(&state);
}

/* ---- Newton's method --------------------------------------------------------------------------- */

/* The length of the last step overflows in the scale of a curvature of 1e307: the radius stays, and the step that is
 * left is below the rounding of w. */
TEST(a_scale_that_overflows)
{
    const double curvature[] = {2, 1e307};
    struct bowl bowl = {.n = 1, .k = {1}, .c = {100}, .factor = curvature};
    struct problem problem = problem_of(&bowl);
    struct optim_result result;
    double w = 0;
    problem.hessian = wrong_hessian;
    CHECK(minimise_newton(&problem, &options, &w, &result, NULL) == TEMPER_OK);
    CHECKF(result.stop == OPTIM_STALLED && result.hessians == 2, "%d", (int)result.stop);
    CHECK_CLOSE(w, 50, 1e-12);
}

/* The decrease that the model predicts underflows: the minimum, as far as doubles show it. */
TEST(a_decrease_that_underflows)
{
    const double curvature[] = {1e10};
    struct bowl bowl = {.n = 1, .k = {1e10}, .factor = curvature};
    struct problem problem = problem_of(&bowl);
    struct optim_options strict = options;
    struct optim_result result;
    double w = 1e-170;
    problem.hessian = wrong_hessian;
    strict.gradient_norm = 0;
    CHECK(minimise_newton(&problem, &strict, &w, &result, NULL) == TEMPER_OK);
    CHECK(result.stop == OPTIM_STALLED && result.iterations == 0 && w == 1e-170);
    CHECK_EQ_SIZE(bowl.evaluations, 1);
}

/* ---- Trust regions ------------------------------------------------------------------------------- */

/* A line where the model has negative curvature: no parabola through it has a minimum, and the region shrinks to a
 * quarter. */
TEST(a_model_that_promises_too_much)
{
    struct bowl bowl = {.n = 1, .k = {1}, .c = {0}, .level = 0.5};
    const struct problem problem = problem_of(&bowl);
    const double start = 1;
    struct solver_state state;
    open_at(&state, &problem, 0, &start);
    CHECK(state.head->value == 1);
    state.trial_value = 0.5;
    state.trial_gradient[0] = 1;
    solver_evaluated(&state);
    const struct trust_step step = {.step = &start, .norm = 8, .slope = -0.5, .curvature = -100};
    CHECK(!trust_accept_step(&state, &step));
    CHECK_CLOSE(state.head->radius, 2, 1e-15);
    solver_close(&state);
}

TEST(steps_that_nothing_shortened)
{
    CHECK(trust_step_is_free(&(struct trust_step){.norm = 1}));
    CHECK(!trust_step_is_free(&(struct trust_step){.at_boundary = true}));
    CHECK(!trust_step_is_free(&(struct trust_step){.limited = true}));
}

static bool solve_region(size_t n, const double *h, const double *g, double radius, double *s)
{
    double factor[4], z[2];
    const struct trust_region region = {n, h, g, radius, 0, s, factor, z, cholesky_update_plain};
    return trust_region_solve(&region);
}

/* The norm of the solution overflows, so that the step is the steepest descent to the boundary. */
TEST(a_region_beyond_all_norms)
{
    const double h[1] = {1e-200}, g[1] = {-1e150};
    double s[1];
    CHECK(solve_region(1, h, g, 1e200, s));
    CHECK_CLOSE(s[0], 1e200, 1e-12);
}

/* Two adjacent doubles are the bounds of the shift, one of which gives a step that is too long by 15 %, the other none:
 * the step is shortened to the boundary. */
TEST(a_shift_between_two_doubles)
{
    const double h[1] = {-0x1.43eca8fa6b79p+0}, g[1] = {-0x1.27f9fbcbbb19p-52};
    double s[1];
    CHECK(solve_region(1, h, g, 1, s));
    CHECK_CLOSE(s[0], 1, 1e-12);
}

/* The norm of the solution underflows to 0 in every factorisation: it stays as it is, within the region. */
TEST(a_solution_that_underflows)
{
    const double h[4] = {0x1.3dd088aa2595p+445, NAN, 0x1.d946639f96e9p+433, 0x1.801817e7e64bp+323};
    const double g[2] = {0x1.e978d1ceb335p-228, 0};
    double s[2];
    CHECK(solve_region(2, h, g, 0x1.f3b28336eb1dp-106, s));
    CHECK(fabs(s[0]) < 0x1p-106 && fabs(s[1]) < 0x1p-106);
}

/* ---- Orthants -------------------------------------------------------------------------------------- */

/* A slope of less than the smallest double along the direction of the pairs, whose curvature is 2^1000: they are
 * dropped, and steepest descent finds the minimum of the other number. */
TEST(a_slope_that_underflows)
{
    static const double first_is_long[20] = {0x1p+500, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct bowl bowl = {.n = 2, .k = {0x1p+1000, 1}, .factor = first_is_long};
    const struct problem problem = problem_of(&bowl);
    struct optim_options limited = options;
    struct optim_result result;
    double w[2] = {0x1p-500, 0x1p-50};
    limited.gradient_norm = 1e-18;
    limited.length = length_in_bowl;
    CHECK(minimise_orthant(&problem, &limited, w, &result, NULL) == TEMPER_OK);
    CHECKF(result.stop == OPTIM_CONVERGED, "%d", (int)result.stop);
    CHECKF(w[0] == 0 && fabs(w[1]) <= 1e-18, "%g %g", w[0], w[1]);
}

/* Almost no curvature along the first step, then a large gradient in the other number: the slope along the direction of
 * the pair overflows. */
TEST(a_slope_that_overflows)
{
    struct script script = {
        .reply = {{1e16, {1, 0}}, {1e16, {1 - 0x1p-50, 0}}, {0, {1, 0x1p+500}}, {-0x1p+500, {0, 0}}}};
    const struct problem problem = {.size = 2, .context = &script, .evaluate = reply};
    struct optim_result result;
    double w[2] = {0};
    CHECK(minimise_orthant(&problem, &options, w, &result, NULL) == TEMPER_OK);
    CHECKF(result.stop == OPTIM_CONVERGED && script.at == 4, "%d, %zu", (int)result.stop, script.at);
    CHECK_CLOSE(w[1], -1, 1e-12);
}

/* A value that falls by exactly the slope, and a gradient that shows the contrary: the parabola through them has no
 * minimum, and the step becomes a quarter. */
TEST(a_parabola_without_a_minimum)
{
    struct script script = {.reply = {{1, {0x1p-26, 0}}, {1 - 0x1p-52, {-1, 0}}, {1 - 0x1p-52, {0, 0}}}};
    const struct problem problem = {.size = 2, .context = &script, .evaluate = reply};
    struct optim_result result;
    double w[2] = {0};
    CHECK(minimise_orthant(&problem, &options, w, &result, NULL) == TEMPER_OK);
    CHECK(result.stop == OPTIM_CONVERGED && script.at == 3);
    CHECK(w[0] == -0x1p-28);
}

/* One iteration with products of the Hessian, at w; `start_norm` is the norm of the gradient at the start of all. */
static void iterate(const struct problem *problem, const double *w, double start_norm, double *to)
{
    struct solver_state state;
    struct orthant orthant = {0};
    bool moved = false;
    open_at(&state, problem, ORTHANT_VECTORS, w);
    state.head->start_norm = start_norm;
    orthant_lay_out(&orthant, &state, state.scratch);
    CHECK(orthant_iterate(&orthant, &moved) == TEMPER_OK);
    CHECK(moved);
    memcpy(to, state.w, problem->size * sizeof *to);
    solver_close(&state);
}

static temper_status no_curvature(void *context, const double *v, double *product, temper_error *error)
{
    (void)context, (void)error;
    *product = 0x1p-1000 * *v;
    return TEMPER_OK;
}

/* Curvature so small that the direction of Newton's method overflows: steepest descent, by a norm of 1. */
TEST(a_direction_that_overflows)
{
    struct bowl bowl = {.n = 1, .k = {1}};
    struct problem problem = problem_of(&bowl);
    const double w = 0x1p+40;
    double to;
    problem.multiply = no_curvature;
    iterate(&problem, &w, w, &to);
    CHECK(to == w - 1);
}

/* Curvatures from 1 to 1e-12: conjugate gradients end after a hundred products. */
TEST(products_are_limited)
{
    static struct bowl bowl = {.n = 200};
    static double w[MOST], to[MOST];
    for (size_t j = 0; j < bowl.n; j++) {
        bowl.k[j] = pow(10, -12.0 * (double)j / (double)bowl.n);
        w[j] = 1 / bowl.k[j];
    }
    const struct problem problem = problem_of(&bowl);
    iterate(&problem, w, 1e14, to);
    CHECK_EQ_SIZE(bowl.curvatures, 100);
}

/* ---- Working sets ------------------------------------------------------------------------------------ */

/* 399 numbers have subgradients of 1e-12, together below the tolerance, and the first working set takes 92 of them: no
 * convergence before those that have had no step fit into one set. */
TEST(working_sets_without_room)
{
    static struct bowl bowl = {.n = MOST, .l1 = 0.25};
    static double w[MOST];
    struct optim_options near = options;
    struct optim_result result;
    for (size_t j = 0; j < MOST; j++) {
        bowl.k[j] = 1;
        bowl.c[j] = j + 1 < MOST ? 0.25 + 1e-12 : 0;
    }
    const struct problem problem = problem_of(&bowl);
    near.gradient_norm = 1e-9;
    near.distance.share = 1e-9;
    CHECK(minimise_proximal(&problem, &near, w, &result, NULL) == TEMPER_OK);
    CHECKF(result.stop == OPTIM_CONVERGED && result.hessians > 1, "%d", (int)result.stop);
    size_t zeros = 0;
    for (size_t j = 0; j + 1 < MOST; j++)
        zeros += w[j] == 0;
    CHECKF(zeros <= 92, "%zu are still 0", zeros);
}

/* Lengths that do not shrink with the step, and a last one that leaves less of it than the rounding of w. */
TEST(a_step_below_rounding)
{
    static const double lengths[] = {1, 2, 4, 1e30};
    struct bowl bowl = {.n = 1, .k = {1}, .c = {3}, .factor = lengths};
    const struct problem problem = problem_of(&bowl);
    struct optim_options limited = options;
    struct optim_result result;
    double w = 1;
    limited.length = length_in_bowl;
    CHECK(minimise_proximal(&problem, &limited, &w, &result, NULL) == TEMPER_OK);
    CHECK(result.stop == OPTIM_STALLED && w == 1);
    CHECK_EQ_SIZE(bowl.lengths, 4);
    CHECK_EQ_SIZE(bowl.evaluations, 1);
}

/* ---- The end ------------------------------------------------------------------------------------------- */

/* A bound that the value has almost reached ends the minimisation at once; without it the distance is not known. */
TEST(a_lower_bound_is_enough)
{
    struct optim_result bounded, other;
    struct bowl bowl = {.n = 1, .k = {1}, .level = 1};
    const struct problem problem = problem_of(&bowl);
    struct optim_options near = {.gradient_norm = 0.1, .distance = {.share = 1e-3}, .max_iterations = 10};
    double w = 1e-2, v = 1e-2;
    CHECK(minimise_lbfgs(&problem, &near, &w, &other, NULL) == TEMPER_OK);
    CHECK(other.stop == OPTIM_CONVERGED && other.iterations > 0);
    near.distance.lower_bound = 1;
    CHECK(minimise_lbfgs(&problem, &near, &v, &bounded, NULL) == TEMPER_OK);
    CHECK(bounded.stop == OPTIM_CONVERGED && bounded.iterations == 0 && v == 1e-2);
}

TEST_LIST(LISTED(steps_and_slopes_that_overflow), LISTED(pairs_of_extreme_curvature), LISTED(a_scale_that_overflows),
          LISTED(a_decrease_that_underflows), LISTED(a_model_that_promises_too_much),
          LISTED(steps_that_nothing_shortened), LISTED(a_region_beyond_all_norms), LISTED(a_shift_between_two_doubles),
          LISTED(a_solution_that_underflows), LISTED(a_slope_that_underflows), LISTED(a_slope_that_overflows),
          LISTED(a_parabola_without_a_minimum), LISTED(a_direction_that_overflows), LISTED(products_are_limited),
          LISTED(working_sets_without_room), LISTED(a_step_below_rounding), LISTED(a_lower_bound_is_enough))
