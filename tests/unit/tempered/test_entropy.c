/* Tsallis entropy (eq. 2), Tsallis divergence (eq. 3) and the escort distribution. */
#include <float.h>
#include <math.h>

#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "temper_extra.h"

static const double temperatures[] = {0, 0.1, 0.5, 0.9, 1 - 1e-9, 1, 1 + 1e-9, 1.12, 1.5, 2, 3, 5};
enum { TEMPERATURES = sizeof temperatures / sizeof *temperatures, MOST = 12 };

/* ---- Entropy
 * ------------------------------------------------------------------------------------- */

/* The first form of eq. 2, (sum p^t - 1)/(1-t); it loses its digits near t = 1. */
static double power_sum_form(const double *p, size_t n, double t)
{
    double terms[MOST];
    for (size_t c = 0; c < n; c++)
        terms[c] = p[c] == 0 ? 0 : pow(p[c], t);
    return (sum_of(terms, n) - 1) / (1 - t);
}

/* The second, sum p log_t(1/p). */
static double logarithm_form(const double *p, size_t n, double t)
{
    double terms[MOST];
    for (size_t c = 0; c < n; c++)
        terms[c] = p[c] == 0 ? 0 : p[c] * temper_log_t(1 / p[c], t);
    return sum_of(terms, n);
}

TEST(both_forms_of_the_entropy_agree)
{
    struct draw draw = draw_from(2);
    for (size_t i = 0; i < TEMPERATURES; i++)
        for (size_t n = 1; n <= MOST; n++) {
            double p[MOST], t = temperatures[i];
            draw_probabilities(&draw, p, n);
            if (n > 3) { /* with a class that cannot happen */
                p[0] += p[1];
                p[1] = 0;
            }
            double h = temper_entropy(p, n, t), loss = 4 * DBL_EPSILON / fabs(1 - t);
            CHECK_NEAR(h, logarithm_form(p, n, t), 1e-14 * (1 + h));
            if (loss < 1e-6)
                CHECK_NEAR(h, power_sum_form(p, n, t), loss + 1e-14 * h);
        }
}

TEST(entropy_of_known_distributions)
{
    const double uniform[4] = {0.25, 0.25, 0.25, 0.25}, certain[3] = {0, 1, 0};
    const double coin[2] = {0.3, 0.7};
    for (size_t i = 0; i < TEMPERATURES; i++) {
        double t = temperatures[i];
        CHECK_CLOSE(temper_entropy(uniform, 4, t), temper_log_t(4, t), 1e-14);
        CHECK(temper_entropy(certain, 3, t) == 0);
    }
    CHECK_CLOSE(temper_entropy(coin, 2, 1), -0.3 * log(0.3) - 0.7 * log(0.7), 1e-15);
    CHECK_CLOSE(temper_entropy(coin, 2, 2), 0.42, 1e-14); /* Gini: 1 - sum p^2 */
    CHECK_CLOSE(temper_entropy(coin, 2, 0), 1, 1e-14);    /* support - 1 */
    CHECK_CLOSE(temper_entropy((const double[]){1e-310, 1}, 2, 0), 1, 1e-14);
}

TEST(entropy_of_nothing_legal_is_nan)
{
    const double p[2] = {0.3, 0.7}, broken[2] = {NAN, 0.5};
    CHECK(isnan(temper_entropy(p, 2, -0.5)));
    CHECK(isnan(temper_entropy(p, 2, NAN)));
    CHECK(isnan(temper_entropy(p, 2, INFINITY)));
    CHECK(isnan(temper_entropy(broken, 2, 0.5)));
    CHECK(temper_entropy(p, 0, 0.5) == 0);
}

/* ---- Divergence
 * ---------------------------------------------------------------------------------- */

static double printed_divergence(const double *p, const double *q, size_t n, double t)
{
    double terms[MOST];
    for (size_t c = 0; c < n; c++)
        terms[c] = p[c] == 0 ? 0 : -p[c] * temper_log_t(q[c] / p[c], t);
    return sum_of(terms, n);
}

/* At t = 0 it is the probability that q gives to what p excludes: 0 for equal supports. */
TEST(divergence_is_positive_unless_equal)
{
    struct draw draw = draw_from(3);
    for (size_t i = 0; i < TEMPERATURES; i++)
        for (size_t n = 2; n <= MOST; n++) {
            double p[MOST], q[MOST], t = temperatures[i];
            draw_probabilities(&draw, p, n);
            draw_probabilities(&draw, q, n);
            double d = temper_divergence(p, q, n, t);
            CHECK_NEAR(d, printed_divergence(p, q, n, t), 1e-14 * (1 + d));
            CHECKF(t == 0 ? fabs(d) < 1e-14 : d > 1e-4 * t, "D = %g at t = %g, n = %zu", d, t, n);
            CHECK(temper_divergence(p, p, n, t) == 0);
        }
}

/* A little apart: D_t = (t/2) sum (p - q)^2/p at leading order, so nothing may cancel. All numbers
 * are exact. */
TEST(divergence_of_neighbours)
{
    const double p[3] = {0.25, 0.25, 0.5}, step = 0x1.3c0d35p-24;
    const double q[3] = {0.25 + step, 0.25 - 3 * step, 0.5 + 2 * step};
    double square = step * step * (1 / 0.25 + 9 / 0.25 + 4 / 0.5);
    for (size_t i = 0; i < TEMPERATURES; i++) {
        double t = temperatures[i];
        CHECK_NEAR(temper_divergence(p, q, 3, t), t / 2 * square, 1e-5 * square);
    }
}

TEST(divergence_conventions_at_0)
{
    const double half[3] = {0.5, 0.5, 0}, first[3] = {1, 0, 0}, third[3] = {0, 0, 1};
    const double spread[3] = {0.25, 0.25, 0.5};
    for (size_t i = 0; i < TEMPERATURES; i++) {
        double t = temperatures[i];
        /* p = 0 adds nothing, whatever q */
        CHECK_CLOSE(temper_divergence(half, spread, 3, t), -temper_log_t(0.5, t), 1e-14);
        CHECK_CLOSE(temper_divergence(first, half, 3, t), -temper_log_t(0.5, t), 1e-14);
        /* q = 0 < p: -p log_t 0 */
        double never = t < 1 ? 1 / (1 - t) : INFINITY;
        CHECK_CLOSE(temper_divergence(first, third, 3, t), never, 1e-14);
        CHECK_CLOSE(temper_divergence(half, first, 3, t), t < 1 ? 0.5 * never - 0.5 * temper_log_t(2, t) : INFINITY,
                    1e-14);
    }
}

TEST(divergence_tends_to_kullback_leibler)
{
    const double p[3] = {0.2, 0.3, 0.5}, q[3] = {0.6, 0.3, 0.1};
    double kl = 0.2 * log(0.2 / 0.6) + 0.5 * log(0.5 / 0.1);
    CHECK_CLOSE(temper_divergence(p, q, 3, 1), kl, 1e-15);
    for (double e = 1e-16; e < 1e-4; e *= 10) {
        CHECK_CLOSE(temper_divergence(p, q, 3, 1 + e), kl, 4 * e + 1e-15);
        CHECK_CLOSE(temper_divergence(p, q, 3, 1 - e), kl, 4 * e + 1e-15);
    }
}

TEST(divergence_beyond_the_double_range)
{
    const double p[2] = {1e-10, 1 - 1e-10}, q[2] = {1e-113, 1};
    /* p (p/q)^3/3 = 1e-10 * 1e309/3: each factor alone would overflow */
    CHECK_CLOSE(temper_divergence(p, q, 2, 4), 1e299 / 3, 1e-11);
    CHECK(temper_divergence(p, q, 2, 5) == INFINITY);
    CHECK(isnan(temper_divergence(p, q, 2, -1)));
    CHECK(isnan(temper_divergence((const double[]){NAN, 1}, q, 2, 1)));
}

/* ---- Escort
 * -------------------------------------------------------------------------------------- */

TEST(escort_is_the_normalised_power)
{
    struct draw draw = draw_from(4);
    for (size_t i = 0; i < TEMPERATURES; i++)
        for (size_t n = 1; n <= MOST; n++) {
            double p[MOST], q[MOST], powers[MOST], t = temperatures[i];
            draw_probabilities(&draw, p, n);
            for (size_t c = 0; c < n; c++)
                powers[c] = pow(p[c], t);
            double z = sum_of(powers, n);
            CHECK_CLOSE(temper_escort_normaliser(p, n, t), z, 1e-14);
            temper_escort(p, n, t, q);
            CHECK_CLOSE(sum_of(q, n), 1, 4e-15);
            for (size_t c = 0; c < n; c++)
                CHECK_CLOSE(q[c], powers[c] / z, 1e-14);
        }
}

/* Escorts of order s and then t are the escort of order s t; order 1 changes nothing. */
TEST(escort_orders_multiply)
{
    const double p[4] = {0.1, 0.2, 0.3, 0.4};
    double there[4], back[4], once[4];
    temper_escort(p, 4, 3.0, there);
    temper_escort(there, 4, 0.5, back);
    temper_escort(p, 4, 1.5, once);
    for (size_t c = 0; c < 4; c++)
        CHECK_CLOSE(back[c], once[c], 1e-15);
    temper_escort(there, 4, 1.0 / 3, there); /* in place */
    for (size_t c = 0; c < 4; c++)
        CHECK_CLOSE(there[c], p[c], 1e-15);
}

TEST(escort_keeps_the_support)
{
    const double p[3] = {0, 0.25, 0.75};
    double q[3];
    temper_escort(p, 3, 0, q);
    CHECK(q[0] == 0 && q[1] == 0.5 && q[2] == 0.5);
    CHECK(temper_escort_normaliser(p, 3, 0) == 2);
    temper_escort((const double[]){1e-200, 2e-200}, 2, 5, q); /* p^5 underflows */
    CHECK_CLOSE(q[0], 1.0 / 33, 1e-15);
    temper_escort((const double[]){0.5, 0.25, 0.25}, 3, 1e5, q);
    CHECK(q[0] == 1 && q[1] == 0 && q[2] == 0);
}

TEST(escort_of_nothing_legal_is_nan)
{
    const double illegal[] = {-1, NAN, INFINITY};
    const double p[3] = {0.5, 0.25, 0.25}, broken[3] = {NAN, 0.5, 0.5};
    double q[3];
    for (size_t i = 0; i < 3; i++) {
        temper_escort(p, 3, illegal[i], q);
        CHECK(isnan(q[0]) && isnan(q[1]) && isnan(q[2]));
        CHECK(isnan(temper_escort_normaliser(p, 3, illegal[i])));
    }
    for (double t = 0; t < 3; t += 0.5) {
        temper_escort(broken, 3, t, q);
        CHECK(isnan(q[0]) && isnan(q[1]) && isnan(q[2]));
    }
}

TEST_LIST(LISTED(both_forms_of_the_entropy_agree), LISTED(entropy_of_known_distributions),
          LISTED(entropy_of_nothing_legal_is_nan), LISTED(divergence_is_positive_unless_equal),
          LISTED(divergence_of_neighbours), LISTED(divergence_conventions_at_0),
          LISTED(divergence_tends_to_kullback_leibler), LISTED(divergence_beyond_the_double_range),
          LISTED(escort_is_the_normalised_power), LISTED(escort_orders_multiply), LISTED(escort_keeps_the_support),
          LISTED(escort_of_nothing_legal_is_nan))
