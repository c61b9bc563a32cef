/* sparse_pair: Halley's method for the log odds r = log(q/p) <= 0 of two classes, t < 1.
 *
 * With s = 1 - t, P = p^s and Q = q^s the margin is m = (P - Q)/s, and 1 - s m = (1 - P) + Q is the distance from the
 * edge of support. Far from the edge the first equation is solved, near it the second, each without cancellation. The
 * derivatives by r need no further powers: with D = P q + Q p, dm/dr = -D and dD/dr = P q (p - s q) - Q p (q - s p). */
#include "tempered/sparse_pair.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "tempered/tempered_functions.h"

/* Convergence is of third order: a step this small, relative to 1 + |r|, leaves an error below rounding. */
static const double LAST_STEP = 2e-6;

/* Three steps usually suffice; the limit is for rounding errors that keep a step from becoming small. */
enum { MOST_STEPS = 30 };

/* Powers of both probabilities at some log odds. */
struct pair_powers {
    double p, q, log_p;
    double p_s, q_s;     /* P and Q */
    double slope, twist; /* D and its derivative by r */
};

/* Both probabilities from r = log(q/p) <= 0, so that exp(r) is at most 1. P and Q are exponentials of s log p and s log
 * q: with a small s, powers of the rounded probabilities would lose digits. */
static struct pair_powers powers_at(double r, double s)
{
    double e = exp(r), log_p = -log1p(e);
    struct pair_powers at = {.p = 1 / (1 + e), .q = e / (1 + e), .log_p = log_p};
    at.p_s = exp(s * log_p);
    at.q_s = exp(s * (r + log_p));
    at.slope = at.p_s * at.q + at.q_s * at.p;
    at.twist = at.p_s * at.q * (at.p - s * at.q) - at.q_s * at.p * (at.q - s * at.p);
    return at;
}

/* Halley's step for a function with value f, first and second derivative; bounded where the parabola is no
 * approximation. */
static double halley_step(double f, double first, double second)
{
    double newton = f / first, ratio = 1 - newton * second / (2 * first);
    return -newton / fmin(fmax(ratio, 0.5), 2);
}

/* Margins up to half of the edge: (P - Q)/s = Q E(-r, s), which has no cancellation for small margins. */
static double margin_step(const struct pair_powers *at, double r, double s, double margin)
{
    return halley_step(at->q_s * stretch_exp(-r, s) - margin, -at->slope, -at->twist);
}

/* Margins near the edge: log((1 - P) + Q) = log u. In logarithms, since Q spans many orders of magnitude and is
 * almost a power of u. */
static double edge_step(const struct pair_powers *at, double s, double u)
{
    double sum = at->q_s - expm1(s * at->log_p), first = s * at->slope / sum;
    return halley_step(log(sum / u), first, s * at->twist / sum - first * first);
}

/* A start for margins far from the edge: P + Q is between 2^(1-s) at margin 0 and 1 at the edge, nearly a parabola
 * in x = s m = P - Q; exact for s = 1 and for s -> 0. */
static double first_log_odds(double x, double s)
{
    double middle = exp2(1 - s), sum = middle + (1 - middle) * x * x;
    return -2 * atanh(x / sum) / s;
}

/* `u` is 1 - s margin, exact to its last digit. */
static struct sparse_pair solve_pair(double margin, double u, double s)
{
    const bool at_edge = u < 0.5;
    double r = at_edge ? log(u) / s : first_log_odds(s * margin, s);
    for (int step = 0; step < MOST_STEPS; step++) {
        struct pair_powers at = powers_at(r, s);
        double change = at_edge ? edge_step(&at, s, u) : margin_step(&at, r, s, margin);
        r = fmin(r + change, 0);
        if (!(fabs(change) > LAST_STEP * (1 - r)))
            break;
    }
    double log_p = -log1p(exp(r));
    return (struct sparse_pair){log_p, r + log_p};
}

/* What 1 - t loses by rounding: 1 - t = s + this, exactly (Dekker's sum). */
static double rounding_of_s(double t, double s)
{
    return (1 - s) - t;
}

/* One step of division with remainder on 1/s. */
struct support_edge support_edge(double t)
{
    double s = 1 - t, high = 1 / s;
    return (struct support_edge){high, (fma(-high, s, 1) - high * rounding_of_s(t, s)) / s};
}

/* u = 1 - s m is computed with one rounding (fma), and corrected for the rounding of s itself: near the edge of support
 * only the last digits of the margin decide. */
struct sparse_pair sparse_pair_at_margin(double margin, double t)
{
    double s = 1 - t, u = fma(-s, margin, 1) - rounding_of_s(t, s) * margin;
    /* Below the normal numbers s is 1 to all digits, and p^s - (1 - p)^s = s margin is 2 p = u. */
    if (u > 0 && u < DBL_MIN)
        return (struct sparse_pair){0, log(u) - log(2)};
    return u > 0 ? solve_pair(margin, u, s) : (struct sparse_pair){0, -INFINITY};
}

/* The gap is the distance of the margin from the edge of support, 1/s - m. Callers that know it directly keep the
 * digits that the difference would lose. */
struct sparse_pair sparse_pair_at_gap(double gap, double t)
{
    double s = 1 - t, u = s * gap;
    return solve_pair((1 - u) / s, u, s);
}
