/* log_partition_newton: Newton's method for lambda of docs/math.md, section 4, in doubles.
 *
 * It is applied to S^(-s), S = sum p_c: that function of lambda is concave for t > 1 and convex for t < 1, so that from
 * a start with S >= 1 lambda increases monotonically up to the root. */
#include "tempered/log_partition_newton.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* Sums over classes at one lambda. */
struct newton_sums {
    double rest;    /* sum of p_c over c != top */
    double excess;  /* S - 1, without cancellation near certainty */
    double slope;   /* T = -dS/dlambda */
    double nearest; /* the smallest distance |1 + s (b_c + lambda)| of a class from the edge of support */
};

/* log p at distance x = b_c + lambda: -log(1 + s x)/s. */
static double log_p_at(double x, double s)
{
    double z = s * x;
    if (fabs(z) < 1e-9)
        return -x * (1 - z / 2 + z * z / 3);
    if (z <= -1)
        return -INFINITY;
    return -log1p(z) / s;
}

/* b_c; where it overflows, far_log_p is used. */
static double gap_of(const struct newton_family *family, size_t c)
{
    return family->a[family->top] - family->a[c];
}

/* log p_c for b_c beyond the double range, from half of it: 1 + s(b + lambda) is then 2 s (half). */
static double far_log_p(const struct newton_family *family, size_t c, double lambda)
{
    double half = family->a[family->top] / 2 - family->a[c] / 2 + lambda / 2;
    if (family->s <= 0 || half > DBL_MAX)
        return -INFINITY;
    return -(log(family->s) + log(half) + log(2)) / family->s;
}

double newton_class_log_p(const struct newton_family *family, size_t c, double lambda)
{
    double gap = gap_of(family, c);
    return gap < 1e300 ? log_p_at(gap + lambda, family->s) : far_log_p(family, c, lambda);
}

/* S - 1 and dS/dlambda; the term of the likeliest class is separate, so that S - 1 does not cancel. */
static struct newton_sums evaluate(const struct newton_family *family, double lambda)
{
    struct newton_sums sums = {.nearest = 1};
    double carry = 0; /* of Kahan's compensated sum: a thousand classes lose no digits */
    for (size_t c = 0; c < family->n; c++) {
        if (c == family->top)
            continue;
        double p = exp(newton_class_log_p(family, c, lambda)), u = 1 + family->s * (gap_of(family, c) + lambda);
        sums.nearest = fabs(u) < sums.nearest ? fabs(u) : sums.nearest;
        if (p == 0)
            continue;
        double term = p - carry, sum = sums.rest + term;
        carry = (sum - sums.rest) - term;
        sums.rest = sum;
        sums.slope += p / u;
    }
    double log_top = log_p_at(lambda, family->s);
    sums.excess = sums.rest + expm1(log_top);
    sums.slope += exp(log_top) / (1 + family->s * lambda);
    return sums;
}

/* E(log S, s) S/T: the step of Newton's method on S^(-s). */
double newton_step(double excess, double slope, double s)
{
    double log_sum = log1p(excess), z = s * log_sum;
    double stretched = fabs(z) < 1e-9 ? log_sum * (1 + z / 2) : expm1(z) / s;
    return stretched * (1 + excess) / slope;
}

/* The start: the largest of four lower bounds of lambda, which are exact for one certain class, all
 * classes equal, two classes, and one class against others that are equal. Classes outside the support
 * even at lambda = 0, or almost infinitely far, are left out: they would only distort the mean. */
static double start_of(const struct newton_family *family)
{
    double others = 0, sum = 0, second = INFINITY, s = family->s;
    for (size_t c = 0; c < family->n; c++) {
        double gap = gap_of(family, c);
        if (c == family->top || s * gap <= -1 || gap > 1e300)
            continue;
        others++;
        sum += gap;
        second = fmin(second, gap);
    }
    if (others == 0)
        return 0;
    double all = expm1(s * log(others + 1)) / s - sum / (others + 1);
    double pair = expm1(s * log(2)) / s, log_share = -s * log(others), share = exp(log_share);
    double half = (2 * pair - expm1(log_share) / s - share * (sum / others)) / (1 + share);
    return fmax(fmax(0, all), fmax(pair - second / 2, half));
}

/* Is the error that the next step leaves, at most step^2/nearest, below the rounding of doubles? For t > 1 the second
 * derivative is bounded, and a sum near to 1 suffices. */
static bool is_last(const struct newton_sums *sums, double step, double s)
{
    return s > 0 ? sums->excess < 1e-9 : fabs(step) <= 0x1p-26 * sums->nearest;
}

double newton_solve(const struct newton_family *family, size_t *updates)
{
    const double reached = 1e-15 * (double)family->n;
    double lambda = start_of(family);
    bool moved = false;
    for (*updates = 0;;) {
        struct newton_sums sums = evaluate(family, lambda);
        double step = newton_step(sums.excess, sums.slope, family->s), next = lambda + step;
        /* The start may be above the root by rounding: then the first step leads below it. */
        if (next == lambda || (!(next > lambda) && moved))
            return lambda;
        lambda = next;
        moved = true;
        if (sums.excess > reached)
            ++*updates; /* later ones refine only classes at the edge of support */
        if (is_last(&sums, step, family->s))
            return lambda;
    }
}

/* log p_top = log(1 - rest), where that is more accurate than lambda. */
double newton_log_top(const struct newton_family *family, double lambda)
{
    double rest = evaluate(family, lambda).rest;
    return rest < 0.5 ? log1p(-rest) : log_p_at(lambda, family->s);
}
