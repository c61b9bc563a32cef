/* The minimisers on functions whose minimum is known. */
#include <math.h>
#include <string.h>

#include "fixtures/optim_fixture.h"
#include "fixtures/test.h"

/* A run: from `start`, with the bounds on what it may cost. */
struct trial {
    struct toy toy;
    const double *start;
    double gradient_norm, min_decrease;
    struct optim_result result;
    double w[TOY_MOST];
};

static const struct optim_options plain = {.gradient_norm = 1e-10, .max_iterations = 2000};

/* A run says whether it was at what it returns last, and then what the gradient is there; one that
 * has converged was. */
static void check_stand(struct trial *trial, const double *gradient, const char *name)
{
    struct toy *toy = &trial->toy;
    double expected[TOY_MOST];
    const size_t bytes = toy->n * sizeof *expected;
    const bool last = memcmp(toy->last, trial->w, bytes) == 0;
    CHECKF(!trial->result.at_last_evaluation || last, "%s: it was elsewhere", name);
    CHECKF(trial->result.at_last_evaluation || trial->result.stop != OPTIM_CONVERGED, "%s: it was here", name);
    if (!trial->result.at_last_evaluation)
        return;
    toy->function(trial->w, toy->n, expected, NULL, toy->data);
    CHECKF(memcmp(expected, gradient, bytes) == 0, "%s: another gradient", name);
}

/* Runs it, and checks what holds for every run. */
static void run(struct trial *trial, size_t minimiser)
{
    struct toy *toy = &trial->toy;
    struct problem problem = toy_problem(toy);
    struct optim_options options = plain;
    double gradient[TOY_MOST];
    temper_error error;
    options.gradient = gradient;
    if (trial->gradient_norm > 0)
        options.gradient_norm = trial->gradient_norm;
    options.min_decrease = trial->min_decrease;
    toy->evaluations = toy->products = toy->hessians = toy->accepts = toy->strays = 0;
    memcpy(trial->w, trial->start, toy->n * sizeof *trial->w);
    const char *name = toy_minimisers[minimiser].name;
    CHECKF(toy_minimisers[minimiser].minimise(&problem, &options, trial->w, &trial->result, &error) == TEMPER_OK, "%s",
           name);
    CHECK_EQ_SIZE(trial->result.evaluations, toy->evaluations);
    CHECK_EQ_SIZE(trial->result.products, toy->products);
    CHECK_EQ_SIZE(trial->result.hessians, toy->hessians);
    CHECKF(toy->strays == 0, "%s asked for curvature of nothing", name);
    check_stand(trial, gradient, name);
}

static void check_at(const struct trial *trial, const double *expected, double tolerance, const char *name)
{
    CHECKF(trial->result.stop == OPTIM_CONVERGED, "%s: %d", name, trial->result.stop);
    for (size_t i = 0; i < trial->toy.n; i++)
        CHECKF(fabs(trial->w[i] - expected[i]) <= tolerance, "%s: w[%zu] = %.17g", name, i, trial->w[i]);
}

/* Evaluations, products and Hessians that each minimiser may use. */
struct costs {
    size_t lbfgs, tron, products, hessians;
};

static void check_costs(const struct trial *trial, size_t minimiser, struct costs costs)
{
    const size_t evaluations[] = {costs.lbfgs, 2 * costs.hessians + 2, costs.tron};
    CHECKF(trial->result.evaluations <= evaluations[minimiser] && trial->result.products <= costs.products &&
               trial->result.hessians <= costs.hessians,
           "%s: %zu evaluations, %zu products, %zu Hessians", toy_minimisers[minimiser].name, trial->result.evaluations,
           trial->result.products, trial->result.hessians);
}

static void check_all(struct trial trial, const double *expected, double tolerance, struct costs costs)
{
    for (size_t m = 0; m < TOY_MINIMISERS; m++) {
        run(&trial, m);
        check_at(&trial, expected, tolerance, toy_minimisers[m].name);
        check_costs(&trial, m, costs);
    }
}

static void fill(double *x, double value)
{
    for (size_t i = 0; i < TOY_MOST; i++)
        x[i] = value;
}

TEST(quadratics)
{
    double zeros[TOY_MOST] = {0}, ones[TOY_MOST];
    fill(ones, 1);
    const double mild = 100, one = 1, steep = 1e8;
    struct trial trial = {.toy = {.function = toy_quadratic, .data = &mild, .n = 40}, .start = zeros};
    check_all(trial, ones, 1e-10, (struct costs){120, 20, 200, 4});
    trial.toy.n = 1;
    trial.toy.data = &one;
    check_all(trial, ones, 1e-10, (struct costs){6, 6, 6, 3});
    /* Curvatures from 1 to 1e8: rounding alone leaves a gradient of 1e-8 times some. */
    trial.toy.n = 50;
    trial.toy.data = &steep;
    trial.gradient_norm = 1e-6;
    check_all(trial, ones, 2e-6, (struct costs){2000, 60, 6000, 4});
}

/* With the right preconditioner the steep parabola is as easy as a round one. */
TEST(preconditioner_equalises_curvatures)
{
    double zeros[TOY_MOST] = {0}, ones[TOY_MOST], preconditioner[TOY_MOST];
    fill(ones, 1);
    const double steep = 1e8;
    for (size_t i = 0; i < 2; i++)
        preconditioner[i] = i == 0 ? 1e8 : 1;
    /* In two dimensions the reflection swaps the coordinates and their signs. */
    struct trial trial = {.toy = {.function = toy_quadratic, .data = &steep, .n = 2, .preconditioner = preconditioner},
                          .start = zeros,
                          .gradient_norm = 1e-7};
    check_all(trial, ones, 1e-6, (struct costs){8, 8, 12, 3});
}

/* A diagonal preconditioner is the same to conjugate gradients whether it is asked for or given in numbers,
 * one for so many entries and for the rest at the end. */
static void check_diagonal(size_t together)
{
    enum { N = 51 };
    double preconditioner[N], inverse[N], w[2][N] = {{0}};
    const double steep = 100;
    struct optim_result result[2];
    for (size_t i = 0; i < N; i++) {
        preconditioner[i] = 1 + (double)(i / together);
        inverse[i / together] = 1 / preconditioner[i];
    }
    for (size_t k = 0; k < 2; k++) {
        struct toy toy = {.function = toy_quadratic, .data = &steep, .n = N, .preconditioner = preconditioner};
        struct problem problem = toy_problem(&toy);
        const struct optim_options options = {.gradient_norm = 1e-8, .max_iterations = 100};
        temper_error error = {0};
        if (k == 1) {
            problem.precondition = NULL;
            problem.diagonal = inverse;
            problem.diagonal_group = together;
        }
        CHECK(minimise_tron(&problem, &options, w[k], &result[k], &error) == TEMPER_OK);
        CHECK(result[k].stop == OPTIM_CONVERGED);
    }
    CHECK(result[0].products > 10 && result[0].products <= result[1].products + 2 &&
          result[1].products <= result[0].products + 2); /* rounding differs */
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(w[0][i], w[1][i], 1e-8);
}

TEST(diagonal_preconditioner_in_numbers)
{
    check_diagonal(1);
    check_diagonal(2);
}

/* Parabolas of curvatures from 1e-3 to 1 for all numbers but the last, which has no minimum: (1 + w)^-8, as the
 * intercept of a class that a loss has given up. */
static double given_up(const double *w, size_t n, double *gradient, double *h, const void *data)
{
    const double base = 1 + w[n - 1];
    double value = pow(base, -8);
    (void)data;
    for (size_t i = 0; h && i < n * n; i++)
        h[i] = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        const double k = pow(10, -3 * (double)i / (double)n);
        value += k * (w[i] - 1) * (w[i] - 1) / 2;
        gradient[i] = k * (w[i] - 1);
        if (h)
            h[i * n + i] = k;
    }
    gradient[n - 1] = -8 * pow(base, -9);
    if (h)
        h[n * n - 1] = 72 * pow(base, -10);
    return value;
}

/* Second derivatives by the last two numbers. */
static temper_status given_up_curvature(void *context, double *curvature, temper_error *error)
{
    const struct toy *toy = context;
    (void)error;
    curvature[0] = 1;
    curvature[1] = 72 * pow(1 + toy->here[toy->n - 1], -10);
    return TEMPER_OK;
}

static temper_status curvature_fails(void *context, double *curvature, temper_error *error)
{
    (void)context;
    (void)curvature;
    return error_set(error, TEMPER_IO, "no curvature");
}

/* A direction whose curvature vanishes costs fewer products where the preconditioner follows it. */
TEST(the_preconditioner_follows_a_curvature_that_vanishes)
{
    enum { N = 40 };
    double inverse[N / 2];
    struct optim_result result[2];
    for (size_t j = 0; j < N / 2; j++)
        inverse[j] = 1;
    for (size_t k = 0; k < 3; k++) {
        double w[N] = {0};
        struct toy toy = {.function = given_up, .n = N};
        struct problem problem = toy_problem(&toy);
        const struct optim_options options = {.gradient_norm = 1e-9, .max_iterations = 200};
        temper_error error = {0};
        problem.precondition = NULL;
        problem.diagonal = inverse;
        problem.diagonal_group = 2;
        problem.last_curvature = k == 0 ? NULL : k == 1 ? given_up_curvature : curvature_fails;
        temper_status status = minimise_tron(&problem, &options, w, &result[k % 2], &error);
        CHECK(status == (k == 2 ? TEMPER_IO : TEMPER_OK));
        CHECK(k == 2 || (result[k].stop == OPTIM_CONVERGED && w[N - 1] > 4));
        for (size_t i = 0; k < 2 && i + 1 < N; i++)
            CHECK_NEAR(w[i], 1, 1e-4);
        if (k == 1)
            CHECKF(result[1].products < result[0].products, "%zu products, without %zu", result[1].products,
                   result[0].products);
    }
}

TEST(rosenbrock)
{
    double ones[TOY_MOST], start[TOY_MOST];
    fill(ones, 1);
    struct trial trial = {.toy = {.function = toy_rosenbrock, .n = 2}, .start = (const double[]){-1.2, 1}};
    check_all(trial, ones, 1e-9, (struct costs){100, 100, 120, 50});
    fill(start, 0);
    trial.toy.n = 100;
    trial.start = start;
    check_all(trial, ones, 1e-9, (struct costs){1500, 600, 6000, 300});
}

TEST(powell_is_singular)
{
    const double zeros[4] = {0};
    struct trial trial = {.toy = {.function = toy_powell, .n = 4}, .start = (const double[]){3, -1, 0, 1}};
    /* The gradient is cubic: 1e-10 of it is 1e-3 of w. */
    check_all(trial, zeros, 2e-3, (struct costs){250, 100, 400, 60});
    CHECK_NEAR(trial.result.value, 0, 1e-12);
}

TEST(saddles_are_left)
{
    struct trial trial = {.toy = {.function = toy_saddle, .n = 2}, .start = (const double[]){1, 1e-8}};
    for (size_t m = 0; m < TOY_MINIMISERS; m++) {
        run(&trial, m);
        check_at(&trial, (const double[]){0, copysign(1, trial.w[1])}, 1e-9, toy_minimisers[m].name);
        CHECK_NEAR(trial.result.value, -0.25, 1e-12);
        CHECK(trial.result.evaluations <= 60);
    }
    /* On the ridge itself only the whole Hessian shows the way down. */
    trial.start = (const double[]){1, 0};
    run(&trial, 1);
    CHECK_NEAR(trial.result.value, -0.25, 1e-12);
}

/* A step into the region without values is a step too far. */
TEST(nan_regions)
{
    const double ones[] = {1, 1, 1};
    struct trial trial = {.toy = {.function = toy_log_barrier, .n = 3}, .start = (const double[]){0.01, 5, 100}};
    check_all(trial, ones, 1e-8, (struct costs){200, 120, 150, 50});
}

/* A gradient without numbers is one too, however good the value looks. */
TEST(traps_are_avoided)
{
    const double ones[] = {1, 1};
    struct trial trial = {.toy = {.function = toy_rosenbrock, .n = 2, .trap = 1.25},
                          .start = (const double[]){-1.2, 1}};
    check_all(trial, ones, 1e-9, (struct costs){150, 150, 200, 80});
}

/* The first step of all three lands where it is flat, and a little lower than the start. */
TEST(dip_is_found)
{
    double least = 0, gradient = 0;
    for (size_t i = 0; i < 10000; i++) {
        const double x = (double)i / 10000;
        least = fmin(least, toy_dip(&x, 1, &gradient, NULL, NULL));
    }
    CHECK(least < -0.19 && toy_dip(&(double){1}, 1, &gradient, NULL, NULL) > -0.151);
    CHECK(fabs(gradient) < 1e-3);
    struct trial trial = {.toy = {.function = toy_dip, .n = 1}, .start = (const double[]){0}, .gradient_norm = 1e-3};
    for (size_t m = 0; m < TOY_MINIMISERS; m++) {
        run(&trial, m);
        CHECKF(trial.result.stop == OPTIM_CONVERGED && trial.result.value < least + 1e-6, "%s: %g at %g",
               toy_minimisers[m].name, trial.result.value, trial.w[0]);
        CHECK(trial.result.evaluations <= 20);
    }
}

TEST(unbounded_below)
{
    const double zeros[3] = {0};
    struct trial trial = {.toy = {.function = toy_slope, .n = 3}, .start = zeros};
    for (size_t m = 0; m < TOY_MINIMISERS; m++) {
        run(&trial, m);
        CHECKF(trial.result.stop == OPTIM_STALLED || trial.result.stop == OPTIM_MAX_ITER, "%s", toy_minimisers[m].name);
        CHECK(isfinite(trial.result.value) && trial.result.value < -1e6);
        CHECK(trial.result.value == trial.w[0]);
    }
}

TEST(zero_gradient_at_the_start)
{
    double ones[TOY_MOST];
    fill(ones, 1);
    struct trial trial = {.toy = {.function = toy_rosenbrock, .n = 7}, .start = ones};
    for (size_t m = 0; m < TOY_MINIMISERS; m++) {
        run(&trial, m);
        CHECK(trial.result.stop == OPTIM_CONVERGED && trial.result.iterations == 0);
        CHECK(trial.result.evaluations == 1 && trial.result.gradient_norm == 0);
        check_at(&trial, ones, 0, toy_minimisers[m].name);
    }
}

TEST(no_numbers_at_all)
{
    struct trial trial = {.toy = {.function = toy_rosenbrock, .n = 0}, .start = trial.w};
    for (size_t m = 0; m < TOY_MINIMISERS; m++) {
        run(&trial, m);
        CHECK(trial.result.stop == OPTIM_CONVERGED);
    }
}

TEST(not_finite_at_the_start)
{
    struct trial trial = {.toy = {.function = toy_log_barrier, .n = 1}, .start = (const double[]){-1}};
    for (size_t m = 0; m < TOY_MINIMISERS; m++) {
        run(&trial, m);
        CHECK(trial.result.stop == OPTIM_NOT_FINITE && trial.w[0] == -1);
        CHECK(isnan(trial.result.value) && trial.result.evaluations == 1);
        CHECK_EQ_SIZE(trial.toy.accepts, 0);
    }
}

/* Where rounding forbids the gradient that was asked for, the end is not called converged. */
TEST(stalls_are_told)
{
    double zeros[TOY_MOST] = {0};
    const double steep = 1e8;
    struct trial trial = {
        .toy = {.function = toy_quadratic, .data = &steep, .n = 30}, .start = zeros, .gradient_norm = 1e-300};
    for (size_t m = 0; m < TOY_MINIMISERS; m++) {
        run(&trial, m);
        CHECKF(trial.result.stop == OPTIM_STALLED ||
                   (trial.result.stop == OPTIM_CONVERGED && trial.result.gradient_norm == 0) ||
                   trial.result.stop == OPTIM_MAX_ITER,
               "%s: %d", toy_minimisers[m].name, trial.result.stop);
        CHECK(trial.result.value <= 1e-12);
    }
    /* Nor where the curvature is not finite. */
    trial.toy.no_curvature = true;
    for (size_t m = 1; m < TOY_MINIMISERS; m++) {
        run(&trial, m);
        CHECK(trial.result.stop == OPTIM_STALLED && trial.result.evaluations == 1);
    }
}

/* A bowl as floats would show it: the gradient has a grain that no step can get below, and some
 * step always seems to help a little. */
static double grainy_bowl(const double *w, size_t n, double *gradient, double *h, const void *data)
{
    const double value = 1 + toy_quadratic(w, n, gradient, h, data);
    for (size_t i = 0; i < n; i++)
        gradient[i] += 1e-6 * sin(1e9 * w[i] + (double)i);
    return value * (1 + 1e-12 * sin(1e9 * w[0]));
}

TEST(steps_that_lead_nowhere_come_to_an_end)
{
    double start[TOY_MOST];
    const double steep = 100;
    for (size_t i = 0; i < TOY_MOST; i++)
        start[i] = 1 + (double)i;
    struct trial trial = {
        .toy = {.function = grainy_bowl, .data = &steep, .n = 5}, .start = start, .gradient_norm = 1e-14};
    for (size_t m = 0; m < TOY_MINIMISERS; m++) {
        run(&trial, m);
        CHECKF(trial.result.stop == OPTIM_STALLED, "%s: %d after %zu", toy_minimisers[m].name, trial.result.stop,
               trial.result.iterations);
        CHECK(trial.result.value <= 1 + 1e-9);
    }
}

/* A fall that nobody wants is no progress: a hundred iterations without it are the end. */
TEST(small_falls_can_be_too_little)
{
    double start[TOY_MOST];
    for (size_t i = 0; i < TOY_MOST; i++)
        start[i] = -1;
    struct trial trial = {.toy = {.function = toy_rosenbrock, .n = TOY_MOST}, .start = start};
    run(&trial, 0);
    CHECK(trial.result.stop == OPTIM_CONVERGED && trial.result.iterations > 130);
    trial.min_decrease = 1e6;
    run(&trial, 0);
    CHECKF(trial.result.stop == OPTIM_STALLED, "%d", trial.result.stop);
    CHECKF(trial.result.iterations < 130, "%zu", trial.result.iterations);
}

TEST(curvature_is_asked_for)
{
    struct toy toy = {.function = toy_rosenbrock, .n = 2};
    struct problem problem = toy_problem(&toy);
    struct optim_result result;
    temper_error error;
    double w[2] = {0};
    problem.hessian = NULL;
    problem.multiply = NULL;
    problem.accept = NULL;
    CHECK(minimise_newton(&problem, &plain, w, &result, &error) == TEMPER_BUG);
    CHECK(minimise_tron(&problem, &plain, w, &result, &error) == TEMPER_BUG);
    CHECK(minimise_lbfgs(&problem, &plain, w, &result, &error) == TEMPER_OK);
    CHECK(result.stop == OPTIM_CONVERGED);
}

TEST_LIST(LISTED(quadratics), LISTED(preconditioner_equalises_curvatures), LISTED(diagonal_preconditioner_in_numbers),
          LISTED(the_preconditioner_follows_a_curvature_that_vanishes), LISTED(rosenbrock), LISTED(powell_is_singular),
          LISTED(saddles_are_left), LISTED(nan_regions), LISTED(traps_are_avoided), LISTED(dip_is_found),
          LISTED(unbounded_below), LISTED(zero_gradient_at_the_start), LISTED(no_numbers_at_all),
          LISTED(not_finite_at_the_start), LISTED(stalls_are_told), LISTED(steps_that_lead_nowhere_come_to_an_end),
          LISTED(small_falls_can_be_too_little), LISTED(curvature_is_asked_for))
