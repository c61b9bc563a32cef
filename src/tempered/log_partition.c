/* partition: G_t for every t >= 0; which arithmetic, and the answers for each class. */
#include "tempered/log_partition.h"

#include <stdbool.h>

#include "tempered/log_partition_variants.h"
#include "tempered/tempered_functions.h"

#define real double
#include "tempered/log_partition_solver.h"

/* lambda <= (n^s - 1)/s: beyond this s log n it could overflow. */
static const double LARGEST_SPREAD = 600;

static size_t first_largest(const double *a, size_t n)
{
    size_t top = 0;
    for (size_t c = 1; c < n; c++)
        if (a[c] > a[top] || isnan(a[c])) /* a NaN wins, and stays */
            top = c;
    return top;
}

/* The families that need no solver: none, one class, a certain class. */
static bool partition_trivial(const double *a, size_t n, struct partition *family)
{
    if (!legal_temperature(family->t) || isnan(family->max) || family->max == -INFINITY) {
        family->max = family->lambda = family->log_top = NAN;
        return true;
    }
    bool alone = true, twice = false;
    for (size_t c = 0; c < n; c++)
        if (c != family->top && a[c] != -INFINITY) {
            alone = false;
            twice = twice || a[c] == INFINITY;
        }
    bool certain = alone || family->max == INFINITY;
    if (twice)
        family->max = family->lambda = family->log_top = NAN;
    return certain;
}

/* t = 1: log-sum-exp. */
static void solve_softmax(const double *a, size_t n, struct partition *family)
{
    double rest = 0, carry = 0;
    for (size_t c = 0; c < n; c++) {
        double term = (c == family->top ? 0 : exp(a[c] - family->max)) - carry;
        double sum = rest + term;
        carry = (sum - rest) - term;
        rest = sum;
    }
    family->lambda = log1p(rest);
    family->log_top = -family->lambda;
}

static void solve_newton(const double *a, size_t n, struct partition *family)
{
    struct newton newton = {.a = a, .n = n, .top = family->top, .s = family->t - 1};
    double lambda = newton_solve(&newton, &family->updates);
    family->log_top = newton_log_top(&newton, lambda);
    family->lambda = lambda;
}

static void solve_wide(const double *a, size_t n, struct partition *family)
{
    family->wide = wide_solve(a, n, family->top, family->t, &family->updates);
    family->log_top = wide_log_top(a, n, family->top, family->t, family->wide);
    family->lambda = (double)family->wide;
}

static void solve_spread(const double *a, size_t n, struct partition *family)
{
    double s = family->t - 1;
    family->log_spread = spread_solve(a, n, family->top, family->t, &family->updates);
    family->log_top = -family->log_spread / s;
    family->lambda = stretch_exp(family->log_spread / s, s);
}

struct partition partition_solve(const double *a, size_t n, double t)
{
    struct partition family = {.t = t, .max = NAN};
    if (n == 0) {
        family.lambda = family.log_top = NAN;
        return family;
    }
    family.top = first_largest(a, n);
    family.max = a[family.top];
    if (partition_trivial(a, n, &family))
        return family;
    if (t == 1)
        solve_softmax(a, n, &family);
    else if (t < 1)
        solve_wide(a, n, &family);
    else if ((t - 1) * log((double)n) < LARGEST_SPREAD)
        solve_newton(a, n, &family);
    else
        solve_spread(a, n, &family);
    /* Near certainty log p_top has more digits than lambda: lambda = -log_t p_top. */
    if (family.log_top > -0.5)
        family.lambda = fabs(stretch_exp(family.log_top, 1 - t)); /* never -0 */
    return family;
}

double partition_log_p(const struct partition *family, size_t c, double a_c)
{
    if (c == family->top || isnan(family->max))
        return family->log_top;
    if (family->max == INFINITY || a_c == -INFINITY)
        return -INFINITY;
    if (family->t == 1)
        return a_c - family->max - family->lambda;
    if (family->t < 1)
        return wide_log_p(family->max, a_c, family->t, family->wide);
    if (family->log_spread > 0)
        return spread_log_p(family->max, a_c, family->t, family->log_spread);
    const double pair[2] = {family->max, a_c};
    const struct newton newton = {.a = pair, .n = 2, .top = 0, .s = family->t - 1};
    return newton_class_log_p(&newton, 1, family->lambda);
}

/* (p_c/p_top)^t; at t = 0 every class of the support counts 1. */
static double relative_power(const struct partition *family, size_t c, double a_c)
{
    double log_p = partition_log_p(family, c, a_c);
    return log_p == -INFINITY ? 0 : exp(family->t * (log_p - family->log_top));
}

double partition_log_share(const struct partition *family, const double *a, size_t n)
{
    double sum = 0;
    for (size_t c = 0; c < n; c++)
        sum += relative_power(family, c, a[c]);
    return log(sum);
}

double partition_escort(const struct partition *family, const double *a, size_t n, double *q)
{
    double sum = 0;
    for (size_t c = 0; c < n; c++) {
        q[c] = relative_power(family, c, a[c]);
        sum += q[c];
    }
    for (size_t c = 0; c < n; c++)
        q[c] /= sum;
    return family->t * family->log_top + log(sum);
}
