/* The two-temperature loss of many classes: its value, its special cases, its cap, and what it
 * answers at the rim. Derivatives: test_derivatives.c. */
#include <math.h>

#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "temper_extra.h"
#include "tempered/row_scores.h"

static const double pairs[][2] = {
    {0, 0},   {0, 1},   {0, 2},     {0.1, 1.12}, {0.3, 1}, {0.5, 0.5}, {0.5, 1.5}, {0.9, 1.9}, {1, 1}, {1, 1.5},
    {1, 0.5}, {1.5, 1}, {1.5, 1.5}, {2, 1.2},    {2, 2},   {3, 5},     {0.2, 0.7}, {0.8, 5},   {5, 1}, {0.7, 0.2},
};
enum { PAIRS = sizeof pairs / sizeof *pairs, MOST = 6 };

static temper_loss_spec spec(temper_method method, double t1, double t2)
{
    return (temper_loss_spec){.method = method, .t1 = t1, .t2 = t2};
}

static double loss_with_hessian(const double *a, size_t label, const double t[2], double *g, double *h)
{
    return temper_loss_of_spec(spec(TEMPER_TEMPERED, t[0], t[1]), a, 3, label, g, h);
}

/* ---- The value
 * ------------------------------------------------------------------------------------ */

/* Eq. 13. A label so likely that 1 - p is all there is to see is left to the golden values. */
TEST(value_is_minus_log_t1_of_p)
{
    struct draw draw = draw_from(50);
    for (size_t i = 0; i < PAIRS; i++)
        for (size_t label = 0; label < MOST; label++) {
            double a[MOST], p[MOST], t1 = pairs[i][0], t2 = pairs[i][1];
            draw_normals(&draw, a, MOST, t2 < 1 ? 0.3 : 3);
            temper_probabilities(a, MOST, t2, p);
            double loss = temper_loss(a, MOST, label, t1, t2, NULL);
            CHECK_CLOSE(loss, -temper_log_t(p[label], t1), 1e-13 / (1 - p[label] + 1e-300));
            CHECK(loss >= 0);
        }
}

/* Eq. 14 for one row: p_y^(t2-t1) (escort - [c = y]). */
TEST(gradient_is_importance_times_escort_error)
{
    struct draw draw = draw_from(51);
    for (size_t i = 0; i < PAIRS; i++)
        for (size_t label = 0; label < MOST; label++) {
            double a[MOST], q[MOST], g[MOST], t1 = pairs[i][0], t2 = pairs[i][1];
            draw_normals(&draw, a, MOST, t2 < 1 ? 0.05 : 2);
            temper_log_partition_gradient(a, MOST, t2, q);
            temper_loss(a, MOST, label, t1, t2, g);
            double factor = temper_importance(a, MOST, label, t1, t2);
            for (size_t c = 0; c < MOST; c++)
                CHECK_NEAR(g[c], factor * (q[c] - (c == label)), 1e-13 * factor);
        }
}

TEST(importance_is_a_power_of_p)
{
    const double a[3] = {1, 0, -2};
    double p[3];
    for (size_t i = 0; i < PAIRS; i++) {
        double t1 = pairs[i][0], t2 = pairs[i][1];
        temper_probabilities(a, 3, t2, p);
        for (size_t label = 0; label < 3; label++)
            CHECK_CLOSE(temper_importance(a, 3, label, t1, t2), t1 == t2 ? 1 : pow(p[label], t2 - t1), 1e-14);
    }
    CHECK(isnan(temper_importance(a, 3, 3, 0.5, 1.5)));
    CHECK(isnan(temper_importance(a, 3, 0, -0.5, 1.5)));
    CHECK(isnan(temper_importance((const double[]){NAN, 0}, 2, 1, 1, 1)));
}

/* ---- Special cases
 * -------------------------------------------------------------------------------- */

TEST(logistic)
{
    const double a[3] = {0.5, -1, 2};
    double sum = exp(0.5) + exp(-1) + exp(2), g[3], h[9];
    CHECK_CLOSE(temper_loss_of_spec(spec(TEMPER_LOGISTIC, 0.3, 4), a, 3, 1, g, h), log(sum) + 1, 1e-15);
    CHECK_CLOSE(g[0], exp(0.5) / sum, 1e-14);
    CHECK_CLOSE(g[1], exp(-1) / sum - 1, 1e-14);
    CHECK_CLOSE(h[1], -exp(0.5) * exp(-1) / (sum * sum), 1e-13); /* -p_0 p_1 */
    CHECK_CLOSE(h[8], exp(2) / sum * (1 - exp(2) / sum), 1e-13);
    CHECK(temper_loss_of_spec(spec(TEMPER_LOGISTIC, 7, 7), a, 3, 1, NULL, NULL) == temper_loss(a, 3, 1, 1, 1, NULL));
}

TEST(t_logistic_and_generalised_cross_entropy)
{
    const double a[3] = {0.5, -1, 2};
    double p[3];
    for (double t = 0; t < 4; t += 0.375) {
        temper_probabilities(a, 3, t, p);
        if (p[1] > 0)
            CHECK_CLOSE(temper_loss_of_spec(spec(TEMPER_T_LOGISTIC, NAN, t), a, 3, 1, NULL, NULL), -log(p[1]), 1e-13);
    }
    temper_probabilities(a, 3, 1, p);
    for (double t1 = 0; t1 < 1; t1 += 0.125) { /* (1 - p^q)/q of Zhang and Sabuncu */
        double q = 1 - t1, loss = (1 - pow(p[1], q)) / q;
        CHECK_CLOSE(temper_loss_of_spec(spec(TEMPER_GCE, t1, NAN), a, 3, 1, NULL, NULL), loss, 1e-14);
    }
}

/* For t1 = t2 the logarithm undoes the exponential: G(a) - a_y, and its gradient is the escort. */
TEST(equal_temperatures)
{
    struct draw draw = draw_from(52);
    for (double t = 0; t < 5; t += 0.25) {
        double a[4], g[4], q[4];
        draw_normals(&draw, a, 4, t < 1 ? 0.1 : 3);
        temper_log_partition_gradient(a, 4, t, q);
        CHECK_NEAR(temper_loss(a, 4, 2, t, t, g), temper_log_partition(a, 4, t) - a[2], 2e-14);
        for (size_t c = 0; c < 4; c++)
            CHECK_NEAR(g[c], q[c] - (c == 2), 1e-14);
    }
}

/* ---- The cap
 * -------------------------------------------------------------------------------------- */

TEST(t1_below_1_caps_the_loss)
{
    for (double t1 = 0; t1 < 1; t1 += 0.125)
        for (double t2 = 0; t2 < 3; t2 += 0.25)
            for (double m = 1; m < 1e300; m *= 100) {
                const double a[3] = {0, m, m / 2};
                double loss = temper_loss(a, 3, 0, t1, t2, NULL), cap = 1 / (1 - t1);
                CHECKF(loss <= cap, "(%g, %g), m = %g: %g > %g", t1, t2, m, loss, cap);
                CHECK(t1 > 0 || fabs(loss - (1 - temper_exp_t(-temper_log_partition(a, 3, t2), t2))) < 1e-14);
            }
    const double far[2] = {0, 1e9};
    CHECK_CLOSE(temper_loss(far, 2, 0, 0.6, 1.6, NULL), 2.5, 1e-5); /* Figure 1 */
    CHECK(temper_loss(far, 2, 0, 1, 1.6, NULL) > 30);
    CHECK(temper_loss(far, 2, 0, 1.5, 1.6, NULL) > 1e6);
}

/* t2 < 1: beyond the edge of support the loss stays at its cap. */
TEST(outside_the_support)
{
    double g[3] = {9, 9, 9}, h[9];
    for (double t1 = 0; t1 < 2; t1 += 0.25)
        for (double t2 = 0; t2 < 1; t2 += 0.25) {
            double edge = 1 / (1 - t2), cap = t1 < 1 ? 1 / (1 - t1) : INFINITY;
            const double a[3] = {-edge * 1.01, 0, -edge / 2};
            CHECK_CLOSE(loss_with_hessian(a, 0, (const double[]){t1, t2}, g, h), cap, 1e-15);
            CHECK(largest_size(g, 3) == 0 && largest_size(h, 9) == 0);
            CHECK(t1 == t2 || temper_importance(a, 3, 0, t1, t2) == (t2 > t1 ? 0 : INFINITY));
            CHECK(temper_loss(a, 3, 1, t1, t2, NULL) < cap);
        }
}

/* ---- At the rim
 * ----------------------------------------------------------------------------------- */

static void check_all_nan(temper_loss_spec loss, const double *a, size_t n, size_t label)
{
    double g[3] = {0}, h[9] = {0};
    CHECK(isnan(temper_loss_of_spec(loss, a, n, label, g, h)));
    for (size_t c = 0; c < n; c++)
        CHECKF(isnan(g[c]), "%s: gradient %g", temper_method_name(loss.method), g[c]);
    for (size_t i = 0; i < n * n; i++)
        CHECKF(isnan(h[i]), "%s: hessian %g", temper_method_name(loss.method), h[i]);
    CHECK(isnan(temper_loss_of_spec(loss, a, n, label, NULL, NULL)));
}

TEST(illegal_arguments_give_nan)
{
    const double a[3] = {0, 1, 2};
    static const double illegal[] = {-1, -1e-300, NAN, INFINITY};
    for (size_t i = 0; i < TEMPER_METHODS; i++) {
        temper_method method = (temper_method)i;
        check_all_nan(spec(method, 0.5, 1.5), a, 3, 3);
        check_all_nan(spec(method, 0.5, 1.5), a, 3, (size_t)-1);
        CHECK(isnan(temper_loss_of_spec(spec(method, 0.5, 1.5), a, 0, 0, NULL, NULL)));
    }
    /* What depends on other rows too. */
    check_all_nan(spec(TEMPER_TRIMMED, 1, 1), a, 3, 0);
    check_all_nan(spec(TEMPER_FORWARD, 1, 1), a, 3, 0);
    CHECK(isnan(temper_margin_loss_of_spec(spec(TEMPER_FORWARD, 1, 1), 0, NULL, NULL)));
    for (size_t i = 0; i < 4; i++) {
        check_all_nan(spec(TEMPER_TEMPERED, illegal[i], 1), a, 3, 0);
        check_all_nan(spec(TEMPER_TEMPERED, 1, illegal[i]), a, 3, 0);
        check_all_nan(spec(TEMPER_GCE, illegal[i], 1), a, 3, 0);
        check_all_nan(spec(TEMPER_T_LOGISTIC, 1, illegal[i]), a, 3, 0);
        check_all_nan(spec(TEMPER_BREGMAN, illegal[i], 1), a, 3, 0);
    }
    check_all_nan(spec((temper_method)99, 1, 1), a, 3, 0);
}

TEST(activations_that_are_not_numbers)
{
    for (size_t i = 0; i < PAIRS; i++)
        for (size_t label = 0; label < 3; label++) {
            temper_loss_spec loss = spec(TEMPER_TEMPERED, pairs[i][0], pairs[i][1]);
            check_all_nan(loss, (const double[]){NAN, 1, 2}, 3, label);
            check_all_nan(loss, (const double[]){1, 2, NAN}, 3, label);
            check_all_nan(loss, (const double[]){INFINITY, INFINITY, 0}, 3, label);
            check_all_nan(loss, (const double[]){-INFINITY, -INFINITY, -INFINITY}, 3, label);
        }
    check_all_nan(spec(TEMPER_TEMPERED, 0.5, 1.5), (const double[]){NAN}, 1, 0);
}

TEST(infinite_activations)
{
    double g[3], h[9];
    for (size_t i = 0; i < PAIRS; i++) {
        double t1 = pairs[i][0], cap = t1 < 1 ? 1 / (1 - t1) : INFINITY;
        const double sure[3] = {INFINITY, 0, -1}, never[3] = {-INFINITY, 0, -1};
        CHECK(loss_with_hessian(sure, 0, pairs[i], g, h) == 0);
        CHECK(largest_size(g, 3) == 0 && largest_size(h, 9) == 0);
        CHECK_CLOSE(loss_with_hessian(sure, 1, pairs[i], g, h), cap, 1e-15);
        CHECK_CLOSE(loss_with_hessian(never, 0, pairs[i], g, h), cap, 1e-15);
        CHECK(largest_size(g, 3) == 0 && largest_size(h, 9) == 0);
    }
}

TEST(one_class_costs_nothing)
{
    double a = 7, g = 9, h = 9;
    for (size_t i = 0; i < PAIRS; i++) {
        temper_loss_spec one = spec(TEMPER_TEMPERED, pairs[i][0], pairs[i][1]);
        double loss = temper_loss_of_spec(one, &a, 1, 0, &g, &h);
        CHECK(loss == 0 && !signbit(loss) && g == 0 && !signbit(g) && h == 0);
    }
}

/* Beyond the double range is infinity, never NaN. */
TEST(huge_activations)
{
    static const double sizes[] = {1e3, 1e5, 1e20, 1e300, 1e307};
    double g[3], h[9];
    for (size_t i = 0; i < PAIRS; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            for (size_t label = 0; label < 3; label++) {
                const double a[3] = {sizes[k], -sizes[k], 0};
                double loss = loss_with_hessian(a, label, pairs[i], g, h);
                CHECKF(loss >= 0, "(%g, %g), a = %g, label %zu: %g", pairs[i][0], pairs[i][1], sizes[k], label, loss);
                for (size_t c = 0; c < 9; c++)
                    CHECKF(!isnan(g[c / 3]) && !isnan(h[c]), "(%g, %g), a = %g, label %zu: gradient %g, hessian %g",
                           pairs[i][0], pairs[i][1], sizes[k], label, g[c / 3], h[c]);
            }
}

/* Near certainty the loss is 1 - p, and the gradient as small: all digits of both are there. */
TEST(digits_near_certainty)
{
    double g[2];
    const double a[2] = {50, 0}, far[2] = {1e12, 0};
    CHECK_CLOSE(temper_loss(a, 2, 0, 0.5, 1, g), log1p(exp(-50)), 1e-14);
    CHECK_CLOSE(g[0], -exp(-50), 1e-14);
    CHECK_CLOSE(g[1], exp(-50), 1e-14);
    /* t2 = 2: 1 - p = 1e-12, escort of the other 1e-24 */
    CHECK_CLOSE(temper_loss(far, 2, 0, 0.5, 2, g), 1e-12, 1e-11);
    CHECK_CLOSE(g[1], 1e-24, 1e-11);
    CHECK_CLOSE(g[0], -1e-24, 1e-11);
}

/* Of two classes, which have one score, it is the distance from 0. */
TEST(the_confidence_is_the_distance_to_the_second)
{
    double confidence;
    CHECK(predicted_with_confidence((const double[]){1, 5, 3.5, -2}, 4, &confidence) == 1 && confidence == 1.5);
    CHECK(predicted_with_confidence((const double[]){7, 5, 3.5}, 3, &confidence) == 0 && confidence == 2);
    CHECK(predicted_with_confidence((const double[]){2, 2}, 2, &confidence) == 0 && confidence == 0);
    CHECK(predicted_with_confidence((const double[]){-3}, 1, &confidence) == 0 && confidence == 3);
}

TEST_LIST(LISTED(value_is_minus_log_t1_of_p), LISTED(gradient_is_importance_times_escort_error),
          LISTED(importance_is_a_power_of_p), LISTED(logistic), LISTED(t_logistic_and_generalised_cross_entropy),
          LISTED(equal_temperatures), LISTED(t1_below_1_caps_the_loss), LISTED(outside_the_support),
          LISTED(illegal_arguments_give_nan), LISTED(activations_that_are_not_numbers), LISTED(infinite_activations),
          LISTED(one_class_costs_nothing), LISTED(huge_activations), LISTED(digits_near_certainty),
          LISTED(the_confidence_is_the_distance_to_the_second))
