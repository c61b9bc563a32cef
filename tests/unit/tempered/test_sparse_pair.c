/* Two classes at t2 < 1 in doubles, against the general solver in double-doubles (log_partition_sparse.c) and against p
 * itself, from which the margin is explicit. */
#include "tempered/sparse_pair.h"

#include <float.h>
#include <math.h>

#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "tempered/log_partition.h"
#include "tempered/losses.h"

static const double temperatures[] = {0, 1e-300, 0.01, 0.1, 0.3, 0.5, 2.0 / 3, 0.7, 0.75, 0.9, 0.97, 0.999, 0.999999};
enum { TEMPERATURES = sizeof temperatures / sizeof *temperatures };

/* Margins from 0 to the edge, crowded at both ends. */
enum { MARGINS = 400 };
static double margin_number(size_t i, double edge)
{
    double x = (double)(i % 200) / 200;
    return i < 200 ? edge * x : edge * (1 - exp2(-20 * x));
}

/* To the rounding of log q at any distance from the edge. */
TEST(agrees_with_the_general_solver)
{
    for (size_t k = 0; k < TEMPERATURES; k++)
        for (size_t i = 0; i < MARGINS; i++) {
            double t = temperatures[k], m = margin_number(i, 1 / (1 - t)), a[2] = {m, 0};
            struct sparse_pair pair = sparse_pair_at_margin(m, t);
            struct partition family = partition_solve(a, 2, t);
            double log_q = partition_log_p(&family, 1, 0);
            double bound = 1e-15 * (1 + fabs(log_q));
            CHECKF(pair.log_q == log_q || fabs(pair.log_q - log_q) <= bound,
                   "t = %g, margin %.17g: log q %.17g, not %.17g", t, m, pair.log_q, log_q);
            CHECK_NEAR(pair.log_p, partition_log_p(&family, 0, m), 1e-15 + bound * exp(log_q));
        }
}

/* The equation itself, to all digits of the distance from the edge: u = (1 - p^s) + q^s. */
TEST(solves_the_equation_at_any_distance_from_the_edge)
{
    for (size_t k = 0; k < TEMPERATURES; k++)
        for (double u = 1; u > 1e-290; u /= 3.7) {
            double t = temperatures[k], s = 1 - t;
            struct sparse_pair pair = sparse_pair_at_gap(u / s, t);
            if (pair.log_q < -700)
                break; /* q is no double any more */
            double found = exp(s * pair.log_q) - expm1(s * pair.log_p);
            CHECKF(fabs(found - u) <= 8 * DBL_EPSILON * u * (1 + fabs(s * pair.log_q)), "t = %g, u = %g: %.17g", t, u,
                   found);
            CHECK_NEAR(exp(pair.log_p) + exp(pair.log_q), 1, 4e-16);
        }
}

/* Where 1 - t is rounded (t < 1/2), the edge is not: margin + gap = 1/(1-t) in twice the digits. */
TEST(gap_and_margin_agree_next_to_the_edge)
{
    for (size_t k = 0; k < TEMPERATURES; k++) {
        double t = temperatures[k];
        struct support_edge edge = support_edge(t);
        CHECK(fabs(edge.low) <= DBL_EPSILON * edge.high);
        for (double share = 0.4; share > 1e-13; share /= 7) {
            double margin = edge.high * (1 - share), gap = (edge.high - margin) + edge.low;
            struct sparse_pair by_margin = sparse_pair_at_margin(margin, t), by_gap = sparse_pair_at_gap(gap, t);
            CHECK_CLOSE(by_gap.log_q, by_margin.log_q, 1e-13);
        }
        struct sparse_pair beyond = sparse_pair_at_margin(edge.high * (1 + 4 * DBL_EPSILON), t);
        CHECK(beyond.log_p == 0 && beyond.log_q == -INFINITY);
    }
}

TEST(closed_forms)
{
    for (double m = 0; m < 0.999; m += 0.0137) {
        CHECK_CLOSE(exp(sparse_pair_at_margin(m, 0).log_q), (1 - m) / 2, 1e-15);
        double y = sqrt(0.5 - m * m / 16); /* t = 1/2: p = (y + m/4)^2 */
        CHECK_CLOSE(exp(sparse_pair_at_margin(m, 0.5).log_q), (y - m / 4) * (y - m / 4), 4e-15);
    }
    CHECK(sparse_pair_at_margin(0, 0.3).log_p == -log(2));
}

/* The loss by its gap is the loss by its margin, on both sides. */
TEST(loss_by_the_gap)
{
    for (double t2 = 0.1; t2 < 0.95; t2 += 0.1)
        for (double t1 = 0; t1 <= t2; t1 += 0.1) {
            struct support_edge edge = support_edge(t2);
            for (double m = 0.05 * edge.high; m < 0.99 * edge.high; m += 0.05 * edge.high)
                for (int sign = -1; sign <= 1; sign += 2) {
                    struct margin_loss by_margin = tempered_margin_loss(sign * m, t1, t2);
                    struct margin_loss by_gap = tempered_gap_loss((edge.high - m) + edge.low, sign, t1, t2);
                    CHECK_CLOSE(by_gap.value, by_margin.value, 1e-12);
                    CHECK_CLOSE(by_gap.slope, by_margin.slope, 1e-12);
                    CHECK_NEAR(by_gap.curvature, by_margin.curvature, 1e-11 * (1 + fabs(by_margin.curvature)));
                }
        }
}

TEST_LIST(LISTED(agrees_with_the_general_solver), LISTED(solves_the_equation_at_any_distance_from_the_edge),
          LISTED(gap_and_margin_agree_next_to_the_edge), LISTED(closed_forms), LISTED(loss_by_the_gap))
