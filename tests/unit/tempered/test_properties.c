/* What minimising the loss leads to: the escort of order t1 recovers the true posterior, at t2 = 1
 * the weights are stretched by 1/t1, and the argmax is Bayes's (sections 5 and 6 of the paper).
 * Everything is an expectation over a known distribution; nothing is sampled. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "temper.h"

/* ---- A minimiser
 * ---------------------------------------------------------------------------------- */

enum { MOST = 12 };

struct problem {
    size_t n;
    /* value at x, its gradient (n) and Hessian (n x n) */
    double (*evaluate)(const void *context, const double *x, double *gradient, double *hessian);
    const void *context;
};

struct point {
    double x[MOST], gradient[MOST], hessian[MOST * MOST];
    double value;
};

static void evaluate(const struct problem *problem, struct point *at)
{
    at->value = problem->evaluate(problem->context, at->x, at->gradient, at->hessian);
}

/* How much the quadratic model at `at` falls on the step of Levenberg and Marquardt to `to`, which
 * has `ridge` on the diagonal; the ridge is raised until there is such a step. */
static double take_step(const struct problem *problem, const struct point *at, double *ridge, struct point *to)
{
    size_t n = problem->n;
    double factor[MOST * MOST], step[MOST], fall = 0;
    for (;; *ridge = fmax(4 * *ridge, 1e-6 * largest_size(at->hessian, n * n))) {
        memcpy(factor, at->hessian, sizeof factor);
        memcpy(step, at->gradient, sizeof step);
        if (cholesky_solve(factor, n, *ridge, step))
            break;
    }
    for (size_t i = 0; i < n; i++) {
        to->x[i] = at->x[i] - step[i];
        fall += step[i] * (at->gradient[i] + *ridge * step[i]) / 2;
    }
    return fall;
}

/* Newton's method in a trust region, so that it does not jump onto the flat part of a capped loss.
 * Returns the largest entry of the last gradient. */
static double minimise(const struct problem *problem, double *x)
{
    static struct point at, to;
    double ridge = 1;
    memcpy(at.x, x, problem->n * sizeof *x);
    evaluate(problem, &at);
    for (int k = 0; k < 500 && largest_size(at.gradient, problem->n) > 1e-15; k++) {
        double promised = take_step(problem, &at, &ridge, &to);
        evaluate(problem, &to);
        double gain = (at.value - to.value) / promised;
        bool settled = promised < 1e-13; /* the values are rounding by now: go by the gradient */
        if (settled)
            gain = largest_size(to.gradient, problem->n) < largest_size(at.gradient, problem->n);
        ridge = gain > 0.75 ? ridge / 8 : gain < 0.25 ? fmax(8 * ridge, 1e-12) : ridge;
        if (gain > 0.01)
            at = to;
        else if (settled)
            break;
    }
    memcpy(x, at.x, problem->n * sizeof *x);
    return largest_size(at.gradient, problem->n);
}

/* ---- One x: expectation over the label
 * ------------------------------------------------------------- */

struct posterior {
    temper_loss_spec loss;
    size_t n;
    double p[5];
};

/* sum_y p_y loss(a, y), plus (sum a)^2/2, which alone pins down a common shift. */
static double expected_loss(const void *context, const double *a, double *gradient, double *hessian)
{
    const struct posterior *posterior = context;
    size_t n = posterior->n;
    double one[5], one_hessian[25], total = sum_of(a, n), value = total * total / 2;
    for (size_t i = 0; i < n; i++)
        gradient[i] = total;
    for (size_t i = 0; i < n * n; i++)
        hessian[i] = 1;
    for (size_t y = 0; y < n; y++) {
        double p = posterior->p[y];
        value += p * temper_loss_of_spec(posterior->loss, a, n, y, one, one_hessian);
        for (size_t i = 0; i < n; i++)
            gradient[i] += p * one[i];
        for (size_t i = 0; i < n * n; i++)
            hessian[i] += p * one_hessian[i];
    }
    return value;
}

/* Not so uneven that p^(1/t1) leaves the double range's comfort. */
static struct posterior draw_posterior(struct draw *draw, temper_loss_spec loss, double least)
{
    struct posterior posterior = {.loss = loss, .n = 2 + draw_below(draw, 3)};
    do
        draw_probabilities(draw, posterior.p, posterior.n);
    while (smallest_of(posterior.p, posterior.n) < least);
    return posterior;
}

/* Where training is allowed and a minimum exists: t1 > 0, and for t2 < 1 t1 <= t2. */
static const double pairs[][2] = {
    {0.2, 1},   {0.3, 1},   {0.5, 1},   {1, 1},     {1.5, 1}, {0.3, 1.12}, {0.5, 1.5}, {0.7, 2},
    {1, 1.3},   {1, 2},     {1.4, 1.4}, {2, 1.5},   {0.6, 3}, {0.9, 5},    {2, 2},     {0.5, 0.9},
    {0.5, 0.5}, {0.7, 0.8}, {0.4, 0.7}, {0.8, 1.6}, {3, 1.1}, {1.2, 4},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* Activations that minimise the expected loss, from 0. */
static void find_best(const struct posterior *posterior, double *a)
{
    const struct problem problem = {posterior->n, expected_loss, posterior};
    memset(a, 0, posterior->n * sizeof *a);
    double left = minimise(&problem, a);
    CHECKF(left < 1e-10, "%s(%g, %g): gradient %g at the end", temper_method_name(posterior->loss.method),
           posterior->loss.t1, posterior->loss.t2, left);
}

TEST(escort_of_order_t1_recovers_the_posterior)
{
    struct draw draw = draw_from(80);
    for (size_t i = 0; i < PAIRS; i++)
        for (int k = 0; k < 12; k++) {
            temper_loss_spec loss = {.method = TEMPER_TEMPERED, pairs[i][0], pairs[i][1], 0};
            struct posterior posterior = draw_posterior(&draw, loss, 0.1);
            double a[5], p[5], escort[5];
            size_t n = posterior.n;
            find_best(&posterior, a);
            temper_probabilities(a, n, loss.t2, p);
            temper_escort(p, n, loss.t1, escort);
            for (size_t c = 0; c < n; c++)
                CHECKF(fabs(escort[c] - posterior.p[c]) < 1e-8, "(%g, %g): escort %g, posterior %g", loss.t1, loss.t2,
                       escort[c], posterior.p[c]);
            /* and p itself does not, unless t1 = 1 */
            double apart = fabs(largest_of(p, n) - largest_of(posterior.p, n));
            CHECK(loss.t1 == 1 ? apart < 1e-8 : apart > 1e-4);
        }
}

/* The bi-tempered loss needs no escort. */
TEST(bregman_recovers_the_posterior_itself)
{
    struct draw draw = draw_from(81);
    for (size_t i = 0; i < PAIRS; i++) {
        temper_loss_spec loss = {.method = TEMPER_BREGMAN, pairs[i][0], pairs[i][1], 0};
        struct posterior posterior = draw_posterior(&draw, loss, 0.1);
        double a[5], p[5];
        if (loss.t1 >= 2)
            continue;
        find_best(&posterior, a);
        temper_probabilities(a, posterior.n, loss.t2, p);
        for (size_t c = 0; c < posterior.n; c++)
            CHECK_NEAR(p[c], posterior.p[c], 1e-8);
    }
}

/* Theorem 3: also where the loss is not convex, and with a lead of a hundredth. */
TEST(bayes_consistency)
{
    struct draw draw = draw_from(82);
    for (size_t i = 0; i < PAIRS; i++)
        for (int k = 0; k < 40; k++) {
            temper_loss_spec loss = {.method = TEMPER_TEMPERED, pairs[i][0], pairs[i][1], 0};
            struct posterior posterior = draw_posterior(&draw, loss, 0.05);
            double a[5], tie[5];
            size_t n = posterior.n, best = place_of_largest(posterior.p, n);
            find_best(&posterior, a);
            CHECKF(place_of_largest(a, n) == best, "(%g, %g), n = %zu", loss.t1, loss.t2, n);
            for (size_t c = 0; c < n; c++)
                posterior.p[c] = (c == best ? 1.01 : 1) / ((double)n + 0.01);
            find_best(&posterior, tie);
            CHECKF(place_of_largest(tie, n) == best, "(%g, %g), n = %zu, near tie", loss.t1, loss.t2, n);
        }
}

/* The activations that minimise it are unique up to a shift: from elsewhere, to the same place. */
TEST(minimum_is_unique)
{
    struct draw draw = draw_from(83);
    for (size_t i = 0; i < PAIRS; i++) {
        temper_loss_spec loss = {.method = TEMPER_TEMPERED, pairs[i][0], pairs[i][1], 0};
        struct posterior posterior = draw_posterior(&draw, loss, 0.1);
        const struct problem problem = {posterior.n, expected_loss, &posterior};
        double a[5], b[5];
        find_best(&posterior, a);
        for (int k = 0; k < 5; k++) {
            draw_normals(&draw, b, posterior.n, loss.t2 < 1 ? 0.1 : 1);
            CHECK(minimise(&problem, b) < 1e-12);
            for (size_t c = 0; c < posterior.n; c++)
                CHECK_NEAR(b[c], a[c], 1e-6 * (1 + fabs(a[c])));
        }
    }
}

/* ---- Many x: a linear model
 * ------------------------------------------------------------------------ */

enum { POINTS = 7, CLASSES = 3, FEATURES = 2 };

static const double points[POINTS][FEATURES] = {{1, 0}, {0, 1}, {1, 1}, {-1, 0.5}, {2, -1}, {-0.5, -1}, {0.3, -0.7}};
static const double true_weights[CLASSES * FEATURES] = {0.8, -0.5, -0.3, 0.9, -0.5, -0.4};

static void activations_at(const double *weights, const double *x, double *a)
{
    for (size_t c = 0; c < CLASSES; c++)
        a[c] = weights[2 * c] * x[0] + weights[2 * c + 1] * x[1];
}

/* Adds what a point whose labels follow softmax(true_weights x) contributes. */
static double add_point(double t1, const double *x, const double *weights, double *gradient, double *hessian)
{
    struct posterior at = {.loss = {.method = TEMPER_GCE, .t1 = t1, .t2 = 1}, .n = CLASSES};
    double a[CLASSES], g[CLASSES] = {0}, h[CLASSES * CLASSES] = {0};
    activations_at(true_weights, x, a);
    temper_probabilities(a, CLASSES, 1, at.p);
    activations_at(weights, x, a);
    double value = expected_loss(&at, a, g, h) / POINTS;
    for (size_t i = 0; i < CLASSES * FEATURES; i++) {
        gradient[i] += g[i / 2] * x[i % 2] / POINTS;
        for (size_t j = 0; j < CLASSES * FEATURES; j++)
            hessian[i * CLASSES * FEATURES + j] += h[i / 2 * CLASSES + j / 2] * x[i % 2] * x[j % 2] / POINTS;
    }
    return value;
}

/* The exact mean over the points and their labels. context: t1. */
static double population_loss(const void *context, const double *weights, double *gradient, double *hessian)
{
    double value = 0;
    memset(gradient, 0, CLASSES * FEATURES * sizeof *gradient);
    memset(hessian, 0, CLASSES * FEATURES * CLASSES * FEATURES * sizeof *hessian);
    for (size_t i = 0; i < POINTS; i++)
        value += add_point(*(const double *)context, points[i], weights, gradient, hessian);
    return value;
}

/* true_weights sum to 0 over the classes, as the shift term of expected_loss wants it. */
TEST(softmax_data_give_weights_over_t1)
{
    static const double t1s[] = {0.3, 0.5, 0.8, 1, 1.3, 2};
    for (size_t i = 0; i < sizeof t1s / sizeof *t1s; i++) {
        const struct problem problem = {CLASSES * FEATURES, population_loss, &t1s[i]};
        double weights[MOST] = {0};
        CHECK(minimise(&problem, weights) < 1e-12);
        for (size_t k = 0; k < CLASSES * FEATURES; k++)
            CHECKF(fabs(weights[k] - true_weights[k] / t1s[i]) < 1e-7, "t1 = %g: w = %g, not %g", t1s[i], weights[k],
                   true_weights[k] / t1s[i]);
    }
}

TEST_LIST(LISTED(escort_of_order_t1_recovers_the_posterior), LISTED(bregman_recovers_the_posterior_itself),
          LISTED(bayes_consistency), LISTED(minimum_is_unique), LISTED(softmax_data_give_weights_over_t1))
