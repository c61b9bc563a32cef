/* G_t at the rim: huge activations, huge temperatures, infinities, NaN, no classes at all. */
#include <float.h>
#include <math.h>

#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "temper_extra.h"

static const double temperatures[] = {0, 0.1, 0.5, 0.9, 1 - 0x1p-53, 1,   1 + 0x1p-52, 1 + 1e-8, 1.1,   1.12,   1.5,
                                      2, 3,   5,   100, 700,         1e4, 1e6,         1e100,    1e300, DBL_MAX};
enum { TEMPERATURES = sizeof temperatures / sizeof *temperatures, MOST = 1000 };

/* Is it a distribution, with a likeliest class where a is largest? */
static void check_distribution(const double *a, size_t n, double t)
{
    static double p[MOST], q[MOST];
    temper_probabilities(a, n, t, p);
    temper_log_partition_gradient(a, n, t, q);
    size_t top = place_of_largest(a, n);
    for (size_t c = 0; c < n; c++) {
        CHECKF(p[c] >= 0 && p[c] <= p[top] * (1 + 1e-15), "p[%zu] = %g, t = %g", c, p[c], t);
        CHECKF(q[c] >= 0 && q[c] <= q[top] * (1 + 1e-15), "q[%zu] = %g, t = %g", c, q[c], t);
    }
    CHECKF(fabs(sum_of(p, n) - 1) <= 2e-15 * (double)n, "sum p - 1 = %g, t = %g, n = %zu", sum_of(p, n) - 1, t, n);
    CHECKF(fabs(sum_of(q, n) - 1) <= 2e-15 * (double)n, "sum q - 1 = %g, t = %g, n = %zu", sum_of(q, n) - 1, t, n);
    double g = temper_log_partition(a, n, t), lambda = temper_log_partition_excess(a, n, t);
    CHECKF(lambda >= 0 && g >= a[top], "G = %g, lambda = %g, t = %g", g, lambda, t);
}

TEST(activations_up_to_the_end_of_the_double_range)
{
    static const double sizes[] = {1e-320, 1e-300, 1e20, 1e100, 1e300, 1e307, 1.7e308};
    struct draw draw = draw_from(20);
    for (size_t i = 0; i < TEMPERATURES; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            double a[6], size = sizes[k];
            for (size_t c = 0; c < 6; c++)
                a[c] = draw_uniform(&draw, -1, 1) * size;
            check_distribution(a, 6, temperatures[i]);
            check_distribution((const double[]){size, -size}, 2, temperatures[i]);
            check_distribution((const double[]){-size, -size, -size}, 3, temperatures[i]);
            check_distribution((const double[]){size, size, -size, 0}, 4, temperatures[i]);
        }
}

TEST(a_thousand_classes)
{
    struct draw draw = draw_from(21);
    static double a[MOST];
    static const double sizes[] = {0, 1, 100, 1e5, 1e307};
    for (size_t i = 0; i < TEMPERATURES; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            for (size_t c = 0; c < MOST; c++)
                a[c] = draw_uniform(&draw, -1, 1) * sizes[k];
            check_distribution(a, MOST, temperatures[i]);
        }
}

TEST(one_class_is_certain)
{
    static const double values[] = {0, -3, 1e308, -1e308};
    for (size_t i = 0; i < TEMPERATURES; i++)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            double p, q;
            temper_probabilities(&values[k], 1, temperatures[i], &p);
            temper_log_partition_gradient(&values[k], 1, temperatures[i], &q);
            CHECK(p == 1 && q == 1);
            CHECK(temper_log_partition(&values[k], 1, temperatures[i]) == values[k]);
            CHECK(temper_log_partition_excess(&values[k], 1, temperatures[i]) == 0);
        }
}

/* ---- Hot: from 80-digit arithmetic
 * ---------------------------------------------------------------- */

static const struct hot {
    double t;
    size_t n;
    double a[3], p[3], lambda;
} hot[] = {
    {100, 2, {0, -1e300}, {0.999109694536628223, 0.000890305463371777463}, 0.000931153045856466641},
    {100,
     3,
     {0, -1e40, -1e307},
     {0.622711656173978536, 0.376531803699513059, 0.000756540126508405545},
     2.34397130327109417e18},
    {100, 3, {0, -1, -2}, {1.0 / 3, 1.0 / 3, 1.0 / 3}, 1.73527784758252973e45},
    {640,
     3,
     {0, -1.7e308, 0},
     {0.336989425005703356, 0.326021149988593288, 0.336989425005703356},
     1.11609448556722728e299},
    {640,
     3,
     {0, -1e306, -1.7e308},
     {0.34532683042767526, 0.32865201958339649, 0.326021149988928251},
     1.84214183938463343e292},
    {1e4, 2, {1.7e308, -1.7e308}, {0.5, 0.5}, INFINITY},
    {1e4, 3, {5, 0, -1e308}, {1.0 / 3, 1.0 / 3, 1.0 / 3}, INFINITY},
    {1e300, 3, {0, -1e307, -1e200}, {1.0 / 3, 1.0 / 3, 1.0 / 3}, INFINITY},
};

/* lambda = (p^-s - 1)/s: an ulp of log p is worth s |log p| ulps of lambda. */
TEST(huge_temperatures)
{
    for (size_t i = 0; i < sizeof hot / sizeof *hot; i++) {
        double p[3];
        temper_probabilities(hot[i].a, hot[i].n, hot[i].t, p);
        for (size_t c = 0; c < hot[i].n; c++)
            CHECK_CLOSE(p[c], hot[i].p[c], 1e-13);
        CHECK_CLOSE(temper_log_partition_excess(hot[i].a, hot[i].n, hot[i].t), hot[i].lambda, 1e-15 * hot[i].t);
    }
}

/* Ten classes at 0, 490 at -1e200, 500 at -1e307; each on one side of the change of arithmetic. */
TEST(huge_temperatures_of_a_thousand_classes)
{
    static double a[MOST], p[MOST];
    for (size_t c = 0; c < MOST; c++)
        a[c] = c < 10 ? 0 : c < 500 ? -1e200 : -1e307;
    temper_probabilities(a, MOST, 80, p);
    CHECK_CLOSE(p[0], 0.00187700046926260599, 1e-13);
    CHECK_CLOSE(p[10], 0.00187700046926260524, 1e-13);
    CHECK_CLOSE(p[999], 0.000122999530737394749, 1e-13);
    temper_probabilities(a, MOST, 90, p);
    CHECK_CLOSE(p[0], 0.00166220086024775947, 1e-13);
    CHECK_CLOSE(p[999], 0.000337799139752240534, 1e-13);
}

/* ---- What include/temper.h says of infinities and NaN
 * --------------------------------------------- */

static void check_nowhere(const double *a, size_t n, double t)
{
    double p[4] = {0}, q[4] = {0};
    CHECKF(isnan(temper_log_partition(a, n, t)), "t = %g, n = %zu", t, n);
    CHECKF(isnan(temper_log_partition_excess(a, n, t)), "t = %g, n = %zu", t, n);
    temper_probabilities(a, n, t, p);
    temper_log_partition_gradient(a, n, t, q);
    for (size_t c = 0; c < n; c++)
        CHECKF(isnan(p[c]) && isnan(q[c]), "t = %g, n = %zu: p = %g, q = %g", t, n, p[c], q[c]);
}

TEST(families_that_do_not_exist_are_nan)
{
    for (size_t i = 0; i < TEMPERATURES; i++) {
        double t = temperatures[i];
        check_nowhere((const double[]){NAN}, 1, t);
        check_nowhere((const double[]){NAN, 1, 2}, 3, t);
        check_nowhere((const double[]){1, NAN, 2}, 3, t);
        check_nowhere((const double[]){1, 2, NAN}, 3, t);
        check_nowhere((const double[]){INFINITY, NAN}, 2, t);
        check_nowhere((const double[]){NAN, -INFINITY}, 2, t);
        check_nowhere((const double[]){INFINITY, 0, INFINITY}, 3, t);
        check_nowhere((const double[]){-INFINITY, -INFINITY}, 2, t);
        check_nowhere((const double[]){-INFINITY}, 1, t);
        check_nowhere(NULL, 0, t);
    }
    for (double t = -1; t < 0; t += 0.25)
        check_nowhere((const double[]){0, 1}, 2, t);
    check_nowhere((const double[]){0, 1}, 2, NAN);
    check_nowhere((const double[]){0, 1}, 2, INFINITY);
    check_nowhere((const double[]){0}, 1, -1);
}

/* A class at -infinity is as good as absent. */
TEST(minus_infinity_cannot_happen)
{
    const double with[5] = {-INFINITY, 0.5, -0.25, -INFINITY, 0}, without[3] = {0.5, -0.25, 0};
    static const size_t kept[3] = {1, 2, 4};
    for (size_t i = 0; i < TEMPERATURES; i++) {
        double t = temperatures[i], p[5], q[3];
        CHECK_CLOSE(temper_log_partition(with, 5, t), temper_log_partition(without, 3, t), 1e-15 * (1 + t));
        temper_probabilities(with, 5, t, p);
        temper_probabilities(without, 3, t, q);
        CHECK(p[0] == 0 && p[3] == 0);
        for (size_t c = 0; c < 3; c++)
            CHECK_CLOSE(p[kept[c]], q[c], 1e-14);
        temper_log_partition_gradient(with, 5, t, p);
        temper_log_partition_gradient(without, 3, t, q);
        CHECK(p[0] == 0 && p[3] == 0);
        for (size_t c = 0; c < 3; c++)
            CHECK_CLOSE(p[kept[c]], q[c], 1e-14);
    }
}

TEST(plus_infinity_happens_surely)
{
    const double a[4] = {3, INFINITY, -INFINITY, 1e308};
    for (size_t i = 0; i < TEMPERATURES; i++) {
        double t = temperatures[i], p[4];
        CHECK(temper_log_partition(a, 4, t) == INFINITY);
        CHECK(temper_log_partition_excess(a, 4, t) == 0);
        temper_probabilities(a, 4, t, p);
        CHECK(p[0] == 0 && p[1] == 1 && p[2] == 0 && p[3] == 0);
        temper_log_partition_gradient(a, 4, t, p);
        CHECK(p[0] == 0 && p[1] == 1 && p[2] == 0 && p[3] == 0);
    }
}

/* Near certainty lambda = G - max a has all its digits although G has lost them. */
TEST(excess_keeps_its_digits_near_certainty)
{
    const double a[2] = {1e6, 1e6 - 700};
    CHECK_CLOSE(temper_log_partition_excess(a, 2, 1), exp(-700), 1e-14);
    CHECK(temper_log_partition(a, 2, 1) == 1e6);
    /* t = 2, gap b: lambda (lambda + b) = 1, lambda = 2/(b + sqrt(b^2 + 4)) */
    const double far[2] = {0, -1e9};
    CHECK_CLOSE(temper_log_partition_excess(far, 2, 2), 2 / (1e9 + sqrt(1e18 + 4)), 1e-14);
    double p[2];
    temper_probabilities(far, 2, 2, p);
    CHECK_CLOSE(p[1], 1e-9, 1e-8);
}

/* Just inside the edge of support (t < 1) p is tiny and still has its digits. */
TEST(edge_of_support)
{
    /* t = 1/2, two classes: 2 arcsin of it all; here a/2 -+ such that p = cos^2, q = sin^2 */
    for (double x = 1e-6; x < 0.7; x *= 3) {
        /* sqrt p - sqrt q = a/2 */
        double a = 2 * (cos(x) - sin(x)), p[2];
        temper_probabilities((const double[]){a, 0}, 2, 0.5, p);
        CHECK_NEAR(p[1], sin(x) * sin(x), 4e-16 * sin(x)); /* an ulp of a moves it this far */
    }
    double p[2];
    temper_probabilities((const double[]){2, 0}, 2, 0.5, p);
    CHECK(p[0] == 1 && p[1] == 0);
    temper_probabilities((const double[]){1, 0}, 2, 0, p);
    CHECK(p[0] == 1 && p[1] == 0);
    temper_probabilities((const double[]){1 - 0x1p-40, 0}, 2, 0, p);
    CHECK_CLOSE(p[1], 0x1p-41, 1e-12);
}

/* t = 0.9, gap b: 1 - (b + lambda)/10 is all but 0, and its tenth power is asked for. */
TEST(digits_at_the_edge_of_support)
{
    static const double rows[][2] = {{9.0, 9.99999999000014873e-11},
                                     {9.9, 1.00000000000017407e-20},
                                     {9.99, 1.00000000000198972e-30},
                                     {9.999, 1.00000000001663956e-40}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double a[2] = {0, -rows[i][0]};
        double p[2];
        temper_probabilities(a, 2, 0.9, p);
        CHECK_CLOSE(p[1], rows[i][1], 3e-14);
    }
}

TEST_LIST(LISTED(activations_up_to_the_end_of_the_double_range), LISTED(a_thousand_classes),
          LISTED(one_class_is_certain), LISTED(huge_temperatures), LISTED(huge_temperatures_of_a_thousand_classes),
          LISTED(families_that_do_not_exist_are_nan), LISTED(minus_infinity_cannot_happen),
          LISTED(plus_infinity_happens_surely), LISTED(excess_keeps_its_digits_near_certainty), LISTED(edge_of_support),
          LISTED(digits_at_the_edge_of_support))
