/* G_t and the probabilities: what has to hold for any activations of ordinary size. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "temper_extra.h"

static const double temperatures[] = {0, 0.1, 0.3, 0.5, 0.9, 1 - 1e-9, 1, 1 + 1e-9, 1.1, 1.12, 1.5, 1.9, 2, 3, 5};
enum { TEMPERATURES = sizeof temperatures / sizeof *temperatures, MOST = 1000 };

/* Ordinary families of every kind: `index` picks size, spread and ties. */
static size_t draw_family(struct draw *draw, size_t index, double *a)
{
    static const size_t sizes[] = {1, 2, 2, 3, 5, 10, 10, 26, 100, 1000};
    static const double scales[] = {1e-6, 0.1, 1, 3, 30, 1e4};
    size_t n = sizes[index % (sizeof sizes / sizeof *sizes)];
    draw_normals(draw, a, n, scales[index % (sizeof scales / sizeof *scales)]);
    for (size_t c = 0; index % 7 == 0 && c < n; c++)
        a[c] = a[c % 2];
    return n;
}

/* ---- Normalisation, shift, order
 * ------------------------------------------------------------------ */

TEST(probabilities_sum_to_1)
{
    struct draw draw = draw_from(10);
    static double a[MOST], p[MOST];
    for (size_t k = 0; k < 20 * TEMPERATURES; k++) {
        size_t n = draw_family(&draw, k, a);
        double t = temperatures[k % TEMPERATURES];
        temper_probabilities(a, n, t, p);
        double sum = sum_of(p, n);
        CHECKF(fabs(sum - 1) <= 1e-15 * (double)(n + 1), "n = %zu, t = %g: sum p - 1 = %g", n, t, sum - 1);
    }
}

/* Uncompensated, a sum of a thousand terms would be off by three times this. */
TEST(a_thousand_classes_cost_no_digits)
{
    struct draw draw = draw_from(18);
    static double a[MOST], p[MOST];
    for (size_t k = 0; k < 600; k++) {
        double t = draw_uniform(&draw, 1.01, 5);
        draw_normals(&draw, a, MOST, draw_scale(&draw, 0.01, 100));
        temper_probabilities(a, MOST, t, p);
        CHECKF(fabs(sum_of(p, MOST) - 1) <= 1e-15, "t = %g: sum p - 1 = %g", t, sum_of(p, MOST) - 1);
    }
}

/* p_c = exp_t(a_c - G): the definition, with the digits that forming a - G leaves. */
TEST(probabilities_are_exp_t_of_a_minus_G)
{
    struct draw draw = draw_from(11);
    static double a[MOST], p[MOST];
    for (size_t k = 0; k < 20 * TEMPERATURES; k++) {
        size_t n = draw_family(&draw, k, a);
        double t = temperatures[k % TEMPERATURES], g = temper_log_partition(a, n, t);
        double top = largest_of(a, n), lambda = temper_log_partition_excess(a, n, t);
        CHECK_NEAR(g, top + lambda, 2e-16 * (fabs(top) + lambda));
        temper_probabilities(a, n, t, p);
        for (size_t c = 0; c < n; c++)
            CHECK_NEAR(p[c], temper_exp_t(a[c] - g, t), 1e-14 * (1 + fabs(g) + fabs(a[c])));
    }
}

/* Gaps that are exact in binary: then the shift changes nothing but max a, to the last bit. */
TEST(shift_moves_G_and_nothing_else)
{
    struct draw draw = draw_from(12);
    for (size_t i = 0; i < TEMPERATURES; i++) {
        double a[8], b[8], p[8], q[8], t = temperatures[i];
        for (size_t c = 0; c < 8; c++) {
            a[c] = (double)draw_below(&draw, 1000) / 64;
            b[c] = a[c] - 4096;
        }
        CHECK_CLOSE(temper_log_partition(b, 8, t), temper_log_partition(a, 8, t) - 4096, 1e-15);
        temper_probabilities(a, 8, t, p);
        temper_probabilities(b, 8, t, q);
        CHECK(memcmp(p, q, sizeof p) == 0);
    }
}

TEST(order_of_classes_does_not_matter)
{
    struct draw draw = draw_from(13);
    for (size_t i = 0; i < TEMPERATURES; i++) {
        double a[9], b[9], p[9], q[9], t = temperatures[i];
        size_t order[9];
        draw_normals(&draw, a, 9, 2);
        random_permutation(draw.random, order, 9);
        for (size_t c = 0; c < 9; c++)
            b[c] = a[order[c]];
        temper_probabilities(a, 9, t, p);
        temper_probabilities(b, 9, t, q);
        for (size_t c = 0; c < 9; c++)
            CHECK_NEAR(q[c], p[order[c]], 1e-15);
    }
}

TEST(larger_activation_is_likelier)
{
    const double a[5] = {-1, -0.25, 0, 0.125, 0.5};
    double p[5];
    for (size_t i = 0; i < TEMPERATURES; i++) {
        temper_probabilities(a, 5, temperatures[i], p);
        for (size_t c = 1; c < 5; c++)
            CHECK(p[c] > p[c - 1] || (p[c] == 0 && temperatures[i] < 1));
    }
}

/* 0 <= G - max a <= -log_t(1/C), the value for equal activations. */
TEST(equal_activations_are_the_worst_case)
{
    struct draw draw = draw_from(14);
    static double a[MOST], p[MOST];
    for (size_t k = 0; k < 20 * TEMPERATURES; k++) {
        double t = temperatures[k % TEMPERATURES];
        size_t n = draw_family(&draw, k, a);
        double bound = -temper_log_t(1 / (double)n, t), lambda = temper_log_partition_excess(a, n, t);
        CHECKF(lambda >= 0 && lambda <= bound * (1 + 1e-14), "n = %zu, t = %g: %g > %g", n, t, lambda, bound);
        for (size_t c = 0; c < n; c++)
            a[c] = -3.5;
        CHECK_CLOSE(temper_log_partition_excess(a, n, t), bound, 1e-14);
        temper_probabilities(a, n, t, p);
        CHECK_CLOSE(p[0], 1 / (double)n, 1e-14);
        CHECK_CLOSE(p[n - 1], 1 / (double)n, 1e-14);
    }
}

/* ---- Where there is a closed form
 * ----------------------------------------------------------------- */

TEST(two_classes_in_closed_form)
{
    static const double closed[] = {0, 0.5, 2.0 / 3, 0.75, 1, 1.5, 2};
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
        for (double m = -40; m <= 40; m += 0.3125) {
            const double a[2] = {m / 2, -m / 2};
            double g = temper_log_partition_closed_form(m, closed[i]);
            CHECK_CLOSE(temper_log_partition(a, 2, closed[i]), g, 2e-15);
            double p = temper_exp_t(m / 2 - g, closed[i]), q = temper_exp_t(-m / 2 - g, closed[i]);
            CHECK_NEAR(p + q, 1, 2e-14);
        }
    CHECK_CLOSE(temper_log_partition_closed_form(1e307, 1.5), 5e306, 1e-15);
    CHECK_CLOSE(temper_log_partition_closed_form(-1e307, 2), 5e306, 1e-15);
    CHECK(isnan(temper_log_partition_closed_form(1, 1.25)));
    CHECK(isnan(temper_log_partition_closed_form(1, NAN)));
    CHECK(isnan(temper_log_partition_closed_form(NAN, 2)));
}

TEST(t_1_is_log_sum_exp)
{
    struct draw draw = draw_from(15);
    static double a[MOST], e[MOST], p[MOST];
    for (size_t k = 0; k < 100; k++) {
        size_t n = draw_family(&draw, k, a);
        double top = largest_of(a, n);
        for (size_t c = 0; c < n; c++)
            e[c] = exp(a[c] - top);
        double sum = sum_of(e, n);
        CHECK_NEAR(temper_log_partition(a, n, 1), top + log(sum), 4e-16 * (fabs(top) + log(sum)));
        temper_probabilities(a, n, 1, p);
        for (size_t c = 0; c < n; c++)
            CHECK_CLOSE(p[c], e[c] / sum, 1e-15 * (1 + top - a[c]));
    }
}

static int descending(const void *left, const void *right)
{
    double x = *(const double *)left, y = *(const double *)right;
    return (x < y) - (x > y);
}

/* Sparsemax by sorting (Martins and Astudillo 2016): the threshold tau of p = max(a - tau, 0). */
static double sparsemax_threshold(const double *a, size_t n)
{
    double *sorted = malloc(n * sizeof *sorted), sum = 0, tau = 0;
    memcpy(sorted, a, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, descending);
    for (size_t k = 0; k < n; k++) {
        sum += sorted[k];
        if (1 + (double)(k + 1) * sorted[k] > sum)
            tau = (sum - 1) / (double)(k + 1);
    }
    free(sorted);
    return tau;
}

TEST(t_0_is_sparsemax)
{
    struct draw draw = draw_from(16);
    static double a[MOST], p[MOST];
    static const double scales[] = {1e-3, 0.03, 0.3, 1, 10};
    for (size_t k = 0; k < 60; k++) {
        size_t n = draw_family(&draw, k, a);
        draw_normals(&draw, a, n, scales[k % 5]);
        double tau = sparsemax_threshold(a, n);
        CHECK_NEAR(temper_log_partition(a, n, 0), 1 + tau, 1e-14 * (1 + fabs(tau)));
        temper_probabilities(a, n, 0, p);
        for (size_t c = 0; c < n; c++)
            CHECK_NEAR(p[c], fmax(a[c] - tau, 0), 1e-14 * (1 + fabs(tau)));
    }
}

/* ---- Derivative and limits
 * ------------------------------------------------------------------------ */

struct coordinate {
    double a[6];
    size_t c;
    double t;
};

static double partition_along(double x, void *context)
{
    struct coordinate moved = *(struct coordinate *)context;
    moved.a[moved.c] = x;
    return temper_log_partition(moved.a, 6, moved.t);
}

/* Within the support: for t < 1 the curvature is large at its edge. */
TEST(gradient_of_G_is_the_escort)
{
    struct draw draw = draw_from(17);
    for (size_t i = 0; i < TEMPERATURES; i++)
        for (int k = 0; k < 5; k++) {
            struct coordinate at = {.t = temperatures[i]};
            double p[6], q[6], escort[6];
            draw_normals(&draw, at.a, 6, at.t < 1 ? 0.03 : 2);
            temper_log_partition_gradient(at.a, 6, at.t, q);
            temper_probabilities(at.a, 6, at.t, p);
            temper_escort(p, 6, at.t, escort);
            for (at.c = 0; at.c < 6; at.c++) {
                double slope = derivative(partition_along, &at, at.a[at.c], at.t < 1 ? 0.02 : 0.2);
                CHECKF(fabs(slope - q[at.c]) < 2e-10, "t = %g: difference %g, escort %g", at.t, slope, q[at.c]);
                CHECK_CLOSE(q[at.c], escort[at.c], 1e-13);
            }
        }
}

/* From both sides, at the same speed and in opposite directions. */
TEST(t_tends_to_1_from_both_sides)
{
    const double a[4] = {1.5, 0.25, -1, -7};
    double at[4], above[4], below[4];
    temper_probabilities(a, 4, 1, at);
    for (double e = 0x1p-52; e < 1e-3; e *= 16) {
        temper_probabilities(a, 4, 1 + e, above);
        temper_probabilities(a, 4, 1 - e, below);
        for (size_t c = 0; c < 4; c++) {
            CHECKF(fabs(above[c] - at[c]) <= (50 * e + 1e-15) * at[c], "e = %g, c = %zu", e, c);
            CHECKF(fabs(above[c] + below[c] - 2 * at[c]) <= (3e3 * e * e + 2e-15) * at[c], "e = %g, c = %zu", e, c);
        }
    }
}

TEST_LIST(LISTED(probabilities_sum_to_1), LISTED(a_thousand_classes_cost_no_digits),
          LISTED(probabilities_are_exp_t_of_a_minus_G), LISTED(shift_moves_G_and_nothing_else),
          LISTED(order_of_classes_does_not_matter), LISTED(larger_activation_is_likelier),
          LISTED(equal_activations_are_the_worst_case), LISTED(two_classes_in_closed_form), LISTED(t_1_is_log_sum_exp),
          LISTED(t_0_is_sparsemax), LISTED(gradient_of_G_is_the_escort), LISTED(t_tends_to_1_from_both_sides))
