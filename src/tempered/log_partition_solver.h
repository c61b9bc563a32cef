/* partition_newton: the solver of docs/math.md, written once for two number types.
 *
 * The including file defines `real` as double or long double; <tgmath.h> picks the functions. All
 * temperatures but 1, and all with (t - 1) log n small enough for lambda to be finite.
 *
 * Newton's method on S^(-s), S = sum p_c: that function of lambda is concave for t > 1 and convex
 * for t < 1, so that from a start with S >= 1 lambda only rises, and stays below the root. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <tgmath.h>

struct newton {
    const double *a;
    size_t n;
    size_t top; /* a[top] is the largest */
    real s;     /* t - 1 */
};

/* What is needed of the sums at one lambda. */
struct newton_sums {
    real rest;   /* sum of p_c over c != top */
    real excess; /* S - 1, without cancellation near certainty */
    real slope;  /* T = -dS/dlambda */
};

/* log p at distance x = b_c + lambda: -log(1 + s x)/s. */
static real newton_log_p(real x, real s)
{
    real z = s * x;
    if (fabs(z) < (real)1e-9)
        return -x * (1 - z / 2 + z * z / 3);
    if (z <= -1)
        return (real)-INFINITY;
    return -log1p(z) / s;
}

/* b_c; where it overflows, newton_far_log_p takes over. */
static real newton_gap(const struct newton *family, size_t c)
{
    return (real)family->a[family->top] - (real)family->a[c];
}

/* log p_c for b_c beyond the double range, from half of it: 1 + s(b + lambda) is then 2 s (half).
 */
static real newton_far_log_p(const struct newton *family, size_t c, real lambda)
{
    real half = (real)family->a[family->top] / 2 - (real)family->a[c] / 2 + lambda / 2;
    if (family->s <= 0 || half > (real)DBL_MAX)
        return (real)-INFINITY;
    return -(log(family->s) + log(half) + log((real)2)) / family->s;
}

static real newton_class_log_p(const struct newton *family, size_t c, real lambda)
{
    real gap = newton_gap(family, c);
    return gap < (real)1e300 ? newton_log_p(gap + lambda, family->s) : newton_far_log_p(family, c, lambda);
}

static struct newton_sums newton_evaluate(const struct newton *family, real lambda)
{
    struct newton_sums sums = {0};
    real carry = 0; /* of the compensated sum: a thousand classes cost no digits */
    for (size_t c = 0; c < family->n; c++) {
        if (c == family->top)
            continue;
        real p = exp(newton_class_log_p(family, c, lambda));
        if (p == 0)
            continue;
        real term = p - carry, sum = sums.rest + term;
        carry = (sum - sums.rest) - term;
        sums.rest = sum;
        sums.slope += p / (1 + family->s * (newton_gap(family, c) + lambda));
    }
    real log_top = newton_log_p(lambda, family->s);
    sums.excess = sums.rest + expm1(log_top);
    sums.slope += exp(log_top) / (1 + family->s * lambda);
    return sums;
}

/* E(log S, s) S/T: the step of Newton's method on S^(-s). */
static real newton_step(const struct newton_sums *sums, real s)
{
    real log_sum = log1p(sums->excess), z = s * log_sum;
    real stretched = fabs(z) < (real)1e-9 ? log_sum * (1 + z / 2) : expm1(z) / s;
    return stretched * (1 + sums->excess) / sums->slope;
}

/* The largest of four lower bounds: certainty, all classes alike, the two first ones alone, and one
 * half for the first with the other half shared alike. Classes that are out of reach (outside the
 * support even at lambda = 0, or all but infinitely far) are left out: they would only blur the
 * mean. */
static real newton_start(const struct newton *family)
{
    real others = 0, sum = 0, second = (real)INFINITY, s = family->s;
    for (size_t c = 0; c < family->n; c++) {
        real gap = newton_gap(family, c);
        if (c == family->top || s * gap <= -1 || gap > (real)1e300)
            continue;
        others++;
        sum += gap;
        second = fmin(second, gap);
    }
    if (others == 0)
        return 0;
    real all = expm1(s * log(others + 1)) / s - sum / (others + 1);
    real pair = expm1(s * log((real)2)) / s, log_share = -s * log(others), share = exp(log_share);
    real half = (2 * pair - expm1(log_share) / s - share * (sum / others)) / (1 + share);
    return fmax(fmax((real)0, all), fmax(pair - second / 2, half));
}

/* lambda and how many updates it took; at least two classes. */
static real newton_solve(const struct newton *family, size_t *updates)
{
    /* For t > 1 convergence is quadratic, so a sum this near to 1 has its last digits after one
     * more step; for t < 1 the curvature has no bound at the edge of support, and only the end is
     * safe. */
    const real nearly = family->s > 0 ? (real)1e-9 : 0;
    const real reached = (real)1e-15 * (real)family->n;
    real lambda = newton_start(family);
    bool moved = false;
    for (*updates = 0;;) {
        struct newton_sums sums = newton_evaluate(family, lambda);
        real next = lambda + newton_step(&sums, family->s);
        /* The start may have been rounded up to above the root: from there one step leads below. */
        if (next == lambda || (!(next > lambda) && moved))
            return lambda;
        lambda = next;
        moved = true;
        if (sums.excess > reached)
            ++*updates; /* later ones only polish what lies at the edge of support */
        if (sums.excess < nearly)
            return lambda;
    }
}

/* log p_top = log(1 - rest) where that keeps more digits than lambda has. */
static real newton_log_top(const struct newton *family, real lambda)
{
    real rest = newton_evaluate(family, lambda).rest;
    return rest < (real)0.5 ? log1p(-rest) : newton_log_p(lambda, family->s);
}
