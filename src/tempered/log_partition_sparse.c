/* log_partition_sparse: Newton's method in double-doubles for t < 1, from the solution in doubles.
 *
 * With r = 1 - t a class at distance x = b_c + lambda has p = u^(1/r), u = 1 - r x. Rounding errors of r, of x and of
 * r x, 1e-16 each, are relative errors of 1e-16/(r u) of p, and with many classes so is the error of lambda that
 * sums of rounded p leave. So all of these have 106 bits. The steps themselves are small, and are doubles. */
#include "tempered/log_partition_sparse.h"

#include <math.h>

#include "tempered/log_partition_newton.h"

/* One step usually suffices, two with a class near the edge; the limit is for rounding errors. */
enum { MOST_STEPS = 40 };

/* A class at some lambda. */
struct sparse_class {
    double u;
    struct double_double log_p; /* only where u > 0 */
};

/* log(1 - z)/r, from the logarithm y in doubles: with e^(-r y) = 2^k (1 + f), (1 - z) e^(-r y) = 1 + w has a tiny w,
 * and log(1 - z) = r y + log(1 + w). `u` = 1 - z. */
static struct double_double divided_log(struct double_double z, struct double_double u, struct double_double r)
{
    double y = (z.high < 0.5 ? log1p(-z.high) : log(u.high)) / r.high;
    const struct dd_exponential e = dd_exponential(dd_multiply_double(r, -y));
    /* for k = 0 not by 1 - u, which would round a small z */
    if (e.exponent != 0)
        z = dd_add_double(dd_negate(dd_scale(u, e.exponent)), 1);
    double w = dd_add(e.fraction, dd_negate(dd_add(z, dd_multiply(z, e.fraction)))).high;
    return dd_ordered_sum(y, w * (1 - w / 2) / r.high);
}

/* At distance x = b_c + lambda >= 0. */
static struct sparse_class class_at(struct double_double x, struct double_double r)
{
    struct double_double z = dd_multiply(r, x);
    if (z.high < 0x1p-108) /* 1 - z is 1, and log p = -x (1 + z/2 + ...) */
        return (struct sparse_class){1, dd_negate(x)};
    struct double_double u = dd_add_double(dd_negate(z), 1);
    struct sparse_class at = {.u = u.high};
    if (at.u > 0)
        at.log_p = divided_log(z, u, r);
    return at;
}

/* The class with activation a_c; far outside the support, where the difference may overflow, u is just negative. */
static struct sparse_class class_of(double max, double a_c, struct double_double r, struct double_double lambda)
{
    if (!(r.high * (max - a_c) < 2))
        return (struct sparse_class){.u = -1};
    return class_at(dd_add(dd_sum(max, -a_c), lambda), r);
}

/* Sums over classes at one lambda, as of newton_sums. */
struct sparse_sums {
    double excess, slope, nearest;
};

/* S - 1 is the sum over the other classes and p - 1 of the likeliest: without cancellation near certainty. */
static struct sparse_sums evaluate(const struct newton_family *family, struct double_double r,
                                   struct double_double lambda)
{
    struct sparse_sums sums = {.nearest = 1};
    struct double_double rest = {0};
    for (size_t c = 0; c < family->n; c++) {
        if (c == family->top)
            continue;
        const struct sparse_class at = class_of(family->a[family->top], family->a[c], r, lambda);
        sums.nearest = fabs(at.u) < sums.nearest ? fabs(at.u) : sums.nearest;
        if (!(at.u > 0))
            continue;
        struct double_double p = dd_exp(at.log_p);
        rest = dd_add(rest, p);
        sums.slope += p.high / at.u;
    }
    const struct sparse_class top = class_at(lambda, r);
    struct double_double minus_one = dd_expm1(top.log_p);
    sums.excess = dd_add(rest, minus_one).high;
    sums.slope += (1 + minus_one.high) / top.u;
    return sums;
}

/* The error that a step leaves is at most step^2/nearest and rounding: 2^-64 of the nearest class's u after a step of
 * 2^-32 of it. */
struct double_double sparse_solve(const double *a, size_t n, size_t top, double t, size_t *updates)
{
    const struct newton_family family = {.a = a, .n = n, .top = top, .s = t - 1};
    struct double_double r = dd_sum(1, -t), lambda = {.high = newton_solve(&family, updates)};
    for (int i = 0; i < MOST_STEPS; i++) {
        const struct sparse_sums sums = evaluate(&family, r, lambda);
        double step = newton_step(sums.excess, sums.slope, family.s);
        lambda = dd_add_double(lambda, step);
        if (!(lambda.high > 0)) /* the step ended below the root, which is 0 or almost */
            lambda = (struct double_double){0};
        if (fabs(step) <= 0x1p-32 * sums.nearest || fabs(step) <= 0x1p-90 * lambda.high)
            break;
    }
    return lambda;
}

double sparse_log_p(double max, double a_c, double t, struct double_double lambda)
{
    const struct sparse_class at = class_of(max, a_c, dd_sum(1, -t), lambda);
    return at.u > 0 ? at.log_p.high : -INFINITY;
}
