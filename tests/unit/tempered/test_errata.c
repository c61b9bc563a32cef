/* What the paper prints wrong (docs/errata.md): for each erratum that arithmetic can see, the
 * printed formula fails here and the corrected one holds. */
#include <math.h>

#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "temper_extra.h"

/* Do the two agree to nine digits? */
static bool same(double x, double y)
{
    return isfinite(x) && isfinite(y) && fabs(x - y) <= 1e-9 * (fabs(x) + fabs(y));
}

/* G of activations a/2, -a/2, its derivative and its second one by differences of the escort. */
static double binary_partition(double a, double t)
{
    return temper_log_partition((const double[]){a / 2, -a / 2}, 2, t);
}

static double binary_slope(double a, void *t)
{
    double q[2];
    temper_log_partition_gradient((const double[]){a / 2, -a / 2}, 2, *(double *)t, q);
    return (q[0] - q[1]) / 2;
}

/* ---- 1: the factor 1/N
 * ---------------------------------------------------------------------------- */

enum { ROWS = 4, CLASSES = 3 };
static const double features[ROWS] = {1, -2, 0.5, 3};
static const size_t labels[ROWS] = {0, 1, 2, 1};

/* Eq. 13: the mean loss of weights (w, 0.5, -0.2) on one feature. */
static double mean_loss(double w, void *unused)
{
    double sum = 0;
    (void)unused;
    for (size_t i = 0; i < ROWS; i++) {
        const double a[CLASSES] = {w * features[i], 0.5 * features[i], -0.2 * features[i]};
        sum += temper_loss(a, CLASSES, labels[i], 0.5, 1.5, NULL);
    }
    return sum / ROWS;
}

TEST(erratum_01_gradient_lacks_1_over_N)
{
    double printed = 0, g[CLASSES], w = 0.8;
    for (size_t i = 0; i < ROWS; i++) {
        const double a[CLASSES] = {w * features[i], 0.5 * features[i], -0.2 * features[i]};
        temper_loss(a, CLASSES, labels[i], 0.5, 1.5, g);
        printed += g[0] * features[i];
    }
    double slope = derivative(mean_loss, NULL, w, 0.1);
    CHECK(!same(slope, printed));
    CHECK(same(slope, printed / ROWS));
}

/* E[-log p'(c)] over a class c that is 0 in three of four cases: eq. 18 at t = 1, where (c) -> (d) is only sampling.
 * The printed sum over the samples grows with their number. */
TEST(erratum_01_samples_of_equation_18_lack_it_too)
{
    const double model[2] = {0.6, 0.4}, expected = -(0.75 * log(model[0]) + 0.25 * log(model[1]));
    for (size_t n = 4; n <= 64; n *= 4) {
        double printed = 0;
        for (size_t i = 0; i < n; i++)
            printed -= log(model[i % 4 == 3]);
        CHECK(!same(printed, expected));
        CHECK(same(printed / (double)n, expected));
    }
}

/* ---- 2, 3: the second derivative (appendix B)
 * ------------------------------------------------------ */

TEST(erratum_02_second_derivative_has_dG_not_G)
{
    double t1 = 0.6, t2 = 1.6, m = -1.3, curvature;
    temper_margin_loss(m, t1, t2, NULL, &curvature);
    double p = temper_margin_probability(m, t2), g = binary_partition(m, t2);
    double dg = binary_slope(m, &t2), ddg = derivative(binary_slope, &t2, m, 0.2);
    double printed = pow(p, t2 - t1) * (ddg - (t2 - t1) * pow(p, t2 - 1) * (0.5 - g) * (0.5 - g));
    double right = pow(p, t2 - t1) * (ddg - (t2 - t1) * pow(p, t2 - 1) * (0.5 - dg) * (0.5 - dg));
    CHECK(!same(curvature, printed));
    CHECK(same(curvature, right));
}

TEST(erratum_03_curvature_in_terms_of_lambda)
{
    double t1 = 0.6, t2 = 1.6;
    for (double m = -3; m < 3; m += 0.55) {
        double curvature, p = temper_margin_probability(m, t2), lambda = (1 - p) / p;
        temper_margin_loss(m, t1, t2, NULL, &curvature);
        double one = 1 + pow(lambda, t2), bracket = t2 * (1 + 1 / lambda) / one - (t2 - t1);
        double printed = pow(p, t2 - 1) / (one * one) * bracket;
        double right = pow(p, 2 * t2 - t1 - 1) * pow(lambda, 2 * t2) / (one * one) * bracket;
        CHECK(!same(curvature, printed));
        CHECK(same(curvature, right));
    }
}

/* ---- 4 to 7: signs, rules and conventions
 * ---------------------------------------------------------- */

TEST(erratum_04_cap_is_positive_for_every_t1_below_1)
{
    for (double t1 = 0; t1 < 1; t1 += 0.125)
        for (double t2 = 0; t2 < 1; t2 += 0.25) {
            double cap = temper_margin_loss(-5, t1, t2, NULL, NULL);
            CHECK(!same(cap, -1 / (1 - t1)));
            CHECK(same(cap, 1 / (1 - t1)));
        }
}

TEST(erratum_05_logarithm_of_a_quotient)
{
    double u = 0.3, v = 0.7;
    for (double t = 0.25; t < 3; t += 0.375) {
        double quotient = temper_log_t(u / v, t), gap = temper_log_t(u, t) - temper_log_t(v, t);
        CHECK(!same(quotient, pow(u, t) * gap));
        CHECK(same(quotient, pow(v, t - 1) * gap));
    }
}

/* The paper adds a vector to a number. */
TEST(erratum_06_shift_is_a_scalar)
{
    const double a[3] = {0.5, -1, 2}, shifted[3] = {3.5, 2, 5};
    for (double t = 0; t < 4; t += 0.25)
        CHECK(same(temper_log_partition(shifted, 3, t), temper_log_partition(a, 3, t) + 3));
}

/* Activations [a, -a] are those of the margin 2a. */
TEST(erratum_07_activations_are_half_the_margin)
{
    for (double t = 1; t < 3; t += 0.5) {
        double p[2], a = 0.8;
        temper_probabilities((const double[]){a, -a}, 2, t, p);
        CHECK(!same(p[0], temper_margin_probability(a, t)));
        temper_probabilities((const double[]){a / 2, -a / 2}, 2, t, p);
        CHECK(same(p[0], temper_margin_probability(a, t)));
    }
}

/* ---- 8, 9: G_t
 * ------------------------------------------------------------------------------------ */

/* "Does not have a closed form, except for t = 2." */
TEST(erratum_08_more_closed_forms)
{
    static const double others[] = {0, 0.5, 2.0 / 3, 0.75, 1.5};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (double a = 0; a < 6; a += 0.4) {
            double t = others[i], g = temper_log_partition_closed_form(a, t);
            CHECK_NEAR(temper_exp_t(a / 2 - g, t) + temper_exp_t(-a / 2 - g, t), 1, 1e-14);
            CHECK(same(g, binary_partition(a, t)));
        }
}

/* Z(u)^(1-t) a - u, "a monotonically decreasing function". */
static double appendix_a(double u, double a, double t)
{
    return pow(1 + temper_exp_t(-u, t), 1 - t) * a - u;
}

TEST(erratum_09_not_always_decreasing)
{
    double t = 1.9, limit = pow(2, t) / (t - 1);
    CHECK(appendix_a(0.01, 1.2 * limit, t) > appendix_a(0, 1.2 * limit, t));
    CHECK(appendix_a(0.01, 0.8 * limit, t) < appendix_a(0, 0.8 * limit, t));
    int roots = 0; /* and still one root */
    for (double u = 0; u < 1.2 * limit; u += 0.01)
        roots += appendix_a(u, 1.2 * limit, t) > 0 && appendix_a(u + 0.01, 1.2 * limit, t) <= 0;
    CHECK(roots == 1);
    for (double g = 3; g < 20; g += 0.1) { /* because this does decrease */
        double here = temper_exp_t(2 - g, t) + temper_exp_t(-2 - g, t);
        CHECK(temper_exp_t(1.9 - g, t) + temper_exp_t(-2.1 - g, t) < here);
    }
}

/* ---- 10, 11, 12: what the loss is like
 * ------------------------------------------------------------- */

/* p loss(m) + (1-p) loss(-m) */
static double expectation(double p, double m, double t1, double t2)
{
    double wrong = p < 1 ? (1 - p) * temper_margin_loss(-m, t1, t2, NULL, NULL) : 0;
    return p * temper_margin_loss(m, t1, t2, NULL, NULL) + wrong;
}

TEST(erratum_10_when_the_minimiser_is_unique)
{
    for (double m = 1; m < 1e6; m *= 4) {
        CHECK(same(expectation(0.5, m, 0, 1.5), 0.5));                        /* t1 = 0: all alike */
        CHECK(expectation(0.6, 4 * m, 0, 1.5) < expectation(0.6, m, 0, 1.5)); /* t1 = 0: none */
        CHECK(expectation(1, 4 * m, 0.5, 1.5) < expectation(1, m, 0.5, 1.5)); /* some p = 0: none */
        CHECK(expectation(1, 2 * m, 0.5, 0.5) == 0);                          /* t2 < 1: many */
        CHECK(same(expectation(0.6, 2 * m, 0, 0.5), 0.4));                    /* t1 = 0, t2 < 1: many */
    }
    /* t1 > 0, p > 0: where p^(1/t1) is, the odds 2^2; below t2 = 1 too */
    for (double t1 = 0.5, t2 = 0; t2 < 2; t2 += 0.25) {
        double best = temper_log_t(0.8, t2) - temper_log_t(0.2, t2);
        for (double h = 1e-3; h < 100; h *= 3) {
            CHECK(expectation(2.0 / 3, best + h, t1, t2) > expectation(2.0 / 3, best, t1, t2));
            CHECK(expectation(2.0 / 3, best - h, t1, t2) > expectation(2.0 / 3, best, t1, t2));
        }
    }
}

/* The paper says it for two classes, and for t1 < t2 or t1 < 1 only. */
TEST(erratum_11_quasi_convex_everywhere)
{
    struct draw draw = draw_from(90);
    for (double t1 = 0; t1 < 3; t1 += 0.5)
        for (double t2 = 0; t2 < 3; t2 += 0.5)
            for (int k = 0; k < 20; k++) {
                double x[4], y[4], middle[4], weight = draw_uniform(&draw, 0, 1);
                draw_normals(&draw, x, 4, 2);
                draw_normals(&draw, y, 4, 2);
                for (size_t c = 0; c < 4; c++)
                    middle[c] = weight * x[c] + (1 - weight) * y[c];
                double left = temper_loss(x, 4, 0, t1, t2, NULL);
                double right = temper_loss(y, 4, 0, t1, t2, NULL);
                double between = temper_loss(middle, 4, 0, t1, t2, NULL);
                CHECK(between <= fmax(left, right) * (1 + 1e-14));
                if (t1 >= t2 && t1 >= 1) /* convex, for any number of classes */
                    CHECK(between <= (weight * left + (1 - weight) * right) * (1 + 1e-14));
            }
}

/* "The curvature of the function increases with the temperature gap t1 - t2 > 0." */
TEST(erratum_12_curvature_grows_with_the_gap_at_a_fixed_t2_only)
{
    double less_gap, none, more, margin = 6;
    for (double t2 = 1; t2 < 3; t2 += 0.25)
        for (double t1 = t2; t1 < t2 + 2; t1 += 0.25) {
            temper_margin_loss(margin, t1, t2, NULL, &less_gap);
            temper_margin_loss(margin, t1 + 0.25, t2, NULL, &more);
            CHECK(more > less_gap);
        }
    /* a gap of 0 and one of 1, both with t1 = 2: less curvature far from the boundary, more at it */
    temper_margin_loss(margin, 2, 2, NULL, &none);
    temper_margin_loss(margin, 2, 1, NULL, &more);
    CHECK(same(none, pow(1 + margin * margin / 4, -1.5) / 4) && same(more, exp(-margin)));
    CHECK(more < none);
    temper_margin_loss(0, 2, 2, NULL, &none);
    temper_margin_loss(0, 2, 1, NULL, &more);
    CHECK(more > none);
}

/* ---- 14 to 18
 * ------------------------------------------------------------------------------------- */

/* -sum w log_t q: what (c) of section 5 weighs with w = p^t, and (d), by its samples, with w = p.
 */
static double weighed(const double *p, const double *q, double order, double t)
{
    double sum = 0;
    for (size_t c = 0; c < 3; c++)
        sum -= pow(p[c], order) * temper_log_t(q[c], t);
    return sum;
}

TEST(erratum_14_c_to_d_changes_the_objective)
{
    const double p[3] = {0.6, 0.3, 0.1};
    for (double t = 0.25; t < 2.5; t += 0.5) {
        double powered[3]; /* p^(1/t), normalised */
        temper_escort(p, 3, 1 / t, powered);
        CHECK(weighed(p, p, t, t) < weighed(p, powered, t, t)); /* (c): p is best */
        CHECK(weighed(p, powered, 1, t) < weighed(p, p, 1, t)); /* (d): it is not */
    }
}

/* p log_t(q/p) as p -> 0. */
TEST(erratum_15_zero_times_infinity_at_t_0)
{
    double q = 0.25;
    CHECK(fabs(1e-300 * temper_log_t(q / 1e-300, 0.5)) < 1e-100);
    CHECK(fabs(1e-300 * temper_log_t(q / 1e-300, 1)) < 1e-100);
    CHECK(same(1e-300 * temper_log_t(q / 1e-300, 0), q));
    /* so at t = 0 the convention, not the limit, decides: p = 0 adds nothing */
    const double never[2] = {0, 1}, hardly[2] = {1e-300, 1}, other[2] = {0.25, 0.75};
    CHECK(same(temper_divergence(never, other, 2, 0), 0.25));
    CHECK_NEAR(temper_divergence(hardly, other, 2, 0), 0, 1e-15);
}

struct three {
    double a[3], t;
};

static double first_escort(double x, void *context)
{
    struct three at = *(struct three *)context;
    double q[3];
    at.a[0] = x;
    temper_log_partition_gradient(at.a, 3, at.t, q);
    return q[0];
}

/* d^2 G = (t/Z) sum p^(2t-1) (e - q)(e - q)': outside the support the power is 0^(negative). */
TEST(erratum_16_second_derivative_of_G_over_the_support_only)
{
    struct three at = {{0.1, -0.05, -9}, 0.25}; /* the third class cannot happen */
    double p[3], q[3], support = 0, all = 0;
    temper_probabilities(at.a, 3, at.t, p);
    temper_log_partition_gradient(at.a, 3, at.t, q);
    CHECK(p[2] == 0 && q[2] == 0);
    for (size_t c = 0; c < 3; c++) {
        double term = pow(p[c], 2 * at.t - 1) * ((c == 0) - q[0]) * ((c == 0) - q[0]);
        all += term;
        support += p[c] > 0 ? term : 0;
    }
    double z = temper_escort_normaliser(p, 3, at.t);
    double difference = derivative(first_escort, &at, at.a[0], 0.02);
    CHECK(!same(difference, at.t / z * all));
    CHECK(same(difference, at.t / z * support));
}

TEST(erratum_17_convex_as_an_extended_function_only)
{
    for (double t1 = 1; t1 < 3; t1 += 0.5) {
        double slope;
        temper_loss_properties shape = temper_loss_shape(t1, 0.5);
        CHECK(!shape.convex && shape.extended && !shape.smooth);
        CHECK(temper_margin_loss(-2.01, t1, 0.5, NULL, NULL) == INFINITY);
        temper_margin_loss(-2 + 1e-9, t1, 0.5, &slope, NULL);
        CHECK(slope < -1e6);
    }
}

/* t1 in [0.1, 1], t2 in [1.12, 1.9]: none of these losses is the logistic one. */
TEST(erratum_18_grid_excludes_logistic)
{
    for (double t1 = 0.1; t1 < 1.01; t1 += 0.1)
        for (double t2 = 1.12; t2 < 1.9; t2 += 0.06) {
            double apart = 0;
            for (double m = -8; m < 8; m += 0.5)
                apart = fmax(apart,
                             fabs(temper_margin_loss(m, t1, t2, NULL, NULL) - temper_margin_loss(m, 1, 1, NULL, NULL)));
            CHECKF(apart > 0.5, "(%g, %g) is within %g", t1, t2, apart);
        }
}

TEST_LIST(LISTED(erratum_01_gradient_lacks_1_over_N), LISTED(erratum_01_samples_of_equation_18_lack_it_too),
          LISTED(erratum_02_second_derivative_has_dG_not_G), LISTED(erratum_03_curvature_in_terms_of_lambda),
          LISTED(erratum_04_cap_is_positive_for_every_t1_below_1), LISTED(erratum_05_logarithm_of_a_quotient),
          LISTED(erratum_06_shift_is_a_scalar), LISTED(erratum_07_activations_are_half_the_margin),
          LISTED(erratum_08_more_closed_forms), LISTED(erratum_09_not_always_decreasing),
          LISTED(erratum_10_when_the_minimiser_is_unique), LISTED(erratum_11_quasi_convex_everywhere),
          LISTED(erratum_12_curvature_grows_with_the_gap_at_a_fixed_t2_only),
          LISTED(erratum_14_c_to_d_changes_the_objective), LISTED(erratum_15_zero_times_infinity_at_t_0),
          LISTED(erratum_16_second_derivative_of_G_over_the_support_only),
          LISTED(erratum_17_convex_as_an_extended_function_only), LISTED(erratum_18_grid_excludes_logistic))
