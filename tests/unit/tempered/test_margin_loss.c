/* The two-temperature loss of two classes as a function of the margin m. Differences, and the
 * equality with the loss of many classes: test_derivatives.c. */
#include <float.h>
#include <math.h>

#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "temper_extra.h"

static const double t1s[] = {0, 0.1, 0.3, 0.5, 0.9, 1, 1.2, 1.5, 2, 3};
static const double t2s[] = {0, 0.25, 0.5, 0.75, 1, 1 + 1e-9, 1.12, 1.5, 2, 3, 5};
enum { T1S = sizeof t1s / sizeof *t1s, T2S = sizeof t2s / sizeof *t2s };

struct at {
    double value, slope, curvature;
};

static struct at loss_at(double margin, double t1, double t2)
{
    struct at at;
    at.value = temper_margin_loss(margin, t1, t2, &at.slope, &at.curvature);
    return at;
}

/* ---- No solver needed: m = log_t p - log_t q is explicit in p
 * -------------------------------------- */

/* The formulas of docs/math.md, section 8, as functions of p. */
static struct at loss_by_p(double p, double q, double t1, double t2)
{
    double d = 1 / (pow(p, -t2) + pow(q, -t2));
    return (struct at){-temper_log_t(p, t1), -pow(p, -t1) * d,
                       d * d * pow(p, -t1) * (t1 / p - t2 * d * (pow(p, -t2 - 1) - pow(q, -t2 - 1)))};
}

/* A margin rounded by an ulp moves p by D ulp(m), the slope by as much times the curvature. */
TEST(closed_formulas_in_p)
{
    for (size_t i = 0; i < T1S; i++)
        for (size_t k = 0; k < T2S; k++)
            for (double q = 0.0005; q < 1; q += 0.0255) {
                double t1 = t1s[i], t2 = t2s[k], p = 1 - q;
                double m = temper_log_t(p, t2) - temper_log_t(q, t2);
                struct at expected = loss_by_p(p, q, t1, t2), at = loss_at(m, t1, t2);
                double ulp = 4 * DBL_EPSILON * (1 + fabs(m) + fabs(temper_log_t(q, t2)));
                double blur = ulp * (fabs(expected.slope) + fabs(expected.curvature));
                CHECK_NEAR(temper_margin_probability(m, t2), p, ulp);
                CHECK_NEAR(at.value, expected.value, blur + 1e-14 * expected.value + DBL_EPSILON);
                CHECK_NEAR(at.slope, expected.slope, blur + 1e-13 * fabs(expected.slope));
                CHECKF(fabs(at.curvature - expected.curvature) <=
                           1e-11 * (fabs(expected.curvature) + fabs(expected.slope)),
                       "(%g, %g), p = %g: curvature %.15g, not %.15g", t1, t2, p, at.curvature, expected.curvature);
            }
}

TEST(logistic)
{
    for (double m = -700; m <= 700; m += 1.75) {
        struct at at = loss_at(m, 1, 1);
        double p = 1 / (1 + exp(-m)), q = 1 / (1 + exp(m));
        CHECK_CLOSE(at.value, m > 0 ? log1p(exp(-m)) : log1p(exp(m)) - m, 1e-14);
        CHECK_CLOSE(at.slope, -q, 2e-13);
        CHECK_CLOSE(at.curvature, p * q, 4e-13);
        CHECK_CLOSE(temper_margin_probability(m, 1), p, 2e-13);
        CHECK_CLOSE(loss_at(m, 0, 1).value, q, 2e-13); /* t1 = 0: 1 - p */
        CHECK_CLOSE(loss_at(m, 2, 1).value, exp(-m), 2e-13);
    }
}

TEST(logarithm_and_exponential_of_equal_temperature_cancel)
{
    for (double t = 0; t < 5; t += 0.25)
        for (double m = -20; m < 20; m += 0.3) {
            if (t < 1 && fabs(m) >= 1 / (1 - t))
                continue; /* outside the support it stays at its cap */
            double g = temper_log_partition((const double[]){m / 2, -m / 2}, 2, t);
            CHECK_NEAR(loss_at(m, t, t).value, g - m / 2, 4e-15 * (1 + fabs(m)));
        }
}

TEST(t2_2_in_closed_form)
{
    for (double m = -50; m < 50; m += 0.7) {
        double p = 1 / (1 - m / 2 + sqrt(m * m / 4 + 1)); /* G = sqrt(a^2/4 + 1) */
        CHECK_CLOSE(temper_margin_probability(m, 2), p, 2e-14);
        CHECK_CLOSE(loss_at(m, 0.5, 2).value, 2 * (1 - sqrt(p)), 1e-12);
    }
}

/* ---- Shape
 * ---------------------------------------------------------------------------------------- */

TEST(falls_with_the_margin)
{
    for (size_t i = 0; i < T1S; i++)
        for (size_t k = 0; k < T2S; k++) {
            double before = INFINITY;
            for (double m = -30; m <= 30; m += 0.25) {
                struct at at = loss_at(m, t1s[i], t2s[k]);
                CHECK(at.value >= 0 && at.value <= before && at.slope <= 0);
                before = at.value;
            }
            CHECK_CLOSE(loss_at(0, t1s[i], t2s[k]).value, -temper_log_t(0.5, t1s[i]), 1e-15);
            CHECK_CLOSE(loss_at(0, t1s[i], t2s[k]).slope, -pow(0.5, t2s[k] - t1s[i]) / 2, 1e-14);
        }
}

/* Remark 1: for t1 >= t2 more t1 is more curvature. */
TEST(curvature_grows_with_t1)
{
    for (size_t k = 0; k < T2S; k++)
        for (double m = -12; m <= 12; m += 0.375) {
            double t2 = t2s[k], before = -1;
            if (t2 < 1 && fabs(m) >= 1 / (1 - t2))
                continue;
            for (double t1 = t2; t1 < t2 + 2; t1 += 0.25) {
                double curvature = loss_at(m, t1, t2).curvature;
                CHECKF(curvature > before && (curvature > 0 || t1 == 0), "(%g, %g) at %g: %g after %g", t1, t2, m,
                       curvature, before);
                before = curvature;
            }
        }
}

/* p(m) + p(-m) = 1, and p of the label is what the loss is made of. */
TEST(probabilities_of_the_two_labels)
{
    for (size_t k = 0; k < T2S; k++)
        for (double m = -20; m <= 20; m += 0.3) {
            double p = temper_margin_probability(m, t2s[k]);
            CHECK_NEAR(p + temper_margin_probability(-m, t2s[k]), 1, 4e-16);
            CHECK(m == 0 || t2s[k] < 1 || (p > 0.5) == (m > 0));
        }
}

/* ---- At the rim
 * ----------------------------------------------------------------------------------- */

/* Far out on the wrong side the loss goes to its cap, or on without one. */
TEST(cap)
{
    for (size_t i = 0; i < T1S; i++)
        for (size_t k = 0; k < T2S; k++) {
            double t1 = t1s[i], cap = t1 < 1 ? 1 / (1 - t1) : INFINITY;
            CHECK(loss_at(-1e300, t1, t2s[k]).value <= cap);
            CHECK_CLOSE(loss_at(-INFINITY, t1, t2s[k]).value, cap, 1e-15);
            CHECK(loss_at(INFINITY, t1, t2s[k]).value == 0);
            if (t2s[k] < 1)
                CHECK_CLOSE(loss_at(-1 / (1 - t2s[k]) - 1e-9, t1, t2s[k]).value, cap, 1e-15);
        }
    CHECK_CLOSE(loss_at(-1e12, 0.6, 1.6).value, 2.5, 1e-6); /* Figure 1 */
}

TEST(edge_of_support)
{
    for (size_t i = 0; i < T1S; i++)
        for (size_t k = 0; k < 3; k++) {
            static const double exact[] = {0, 0.5, 0.75}; /* whose edges are */
            double t2 = exact[k], edge = 1 / (1 - t2);
            struct at certain = loss_at(edge, t1s[i], t2), lost = loss_at(-edge, t1s[i], t2);
            CHECK(certain.value == 0 && certain.slope == 0 && certain.curvature == 0);
            CHECK(lost.slope == 0 && lost.curvature == 0);
            CHECK(temper_margin_probability(edge, t2) == 1);
            CHECK(temper_margin_probability(-edge, t2) == 0);
            CHECK(temper_margin_probability(-edge + 1e-3, t2) > 0);
        }
}

TEST(huge_margins)
{
    static const double margins[] = {1e3, 1e10, 1e100, 1e300, 1e307, 1.7e308};
    for (size_t i = 0; i < T1S; i++)
        for (size_t k = 0; k < T2S; k++)
            for (size_t j = 0; j < sizeof margins / sizeof *margins; j++) {
                struct at good = loss_at(margins[j], t1s[i], t2s[k]);
                struct at bad = loss_at(-margins[j], t1s[i], t2s[k]);
                CHECKF(good.value >= 0 && good.slope <= 0 && good.curvature >= 0 && good.value < 0.5, "(%g, %g) at %g",
                       t1s[i], t2s[k], margins[j]);
                CHECKF(bad.value >= 0.49 && bad.slope <= 0 && !isnan(bad.curvature), "(%g, %g) at %g: %g, %g, %g",
                       t1s[i], t2s[k], -margins[j], bad.value, bad.slope, bad.curvature);
            }
    CHECK(loss_at(-1.7e308, 1, 1).value == 1.7e308 && loss_at(-1.7e308, 1, 1).slope == -1);
    CHECK(loss_at(-1.7e308, 1, 1).curvature == 0);
}

TEST(illegal_arguments_give_nan)
{
    static const double illegal[] = {-1, -1e-300, NAN, INFINITY};
    for (size_t i = 0; i < sizeof illegal / sizeof *illegal; i++) {
        struct at first = loss_at(1, illegal[i], 1), second = loss_at(1, 1, illegal[i]);
        CHECK(isnan(first.value) && isnan(first.slope) && isnan(first.curvature));
        CHECK(isnan(second.value) && isnan(second.slope) && isnan(second.curvature));
        CHECK(isnan(temper_margin_probability(1, illegal[i])));
    }
    for (size_t i = 0; i < T1S; i++)
        for (size_t k = 0; k < T2S; k++) {
            struct at at = loss_at(NAN, t1s[i], t2s[k]);
            CHECK(isnan(at.value) && isnan(at.slope) && isnan(at.curvature));
            CHECK(isnan(temper_margin_probability(NAN, t2s[k])));
        }
}

TEST_LIST(LISTED(closed_formulas_in_p), LISTED(logistic), LISTED(logarithm_and_exponential_of_equal_temperature_cancel),
          LISTED(t2_2_in_closed_form), LISTED(falls_with_the_margin), LISTED(curvature_grows_with_t1),
          LISTED(probabilities_of_the_two_labels), LISTED(cap), LISTED(edge_of_support), LISTED(huge_margins),
          LISTED(illegal_arguments_give_nan))
