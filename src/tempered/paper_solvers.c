/* paper_solvers: the solvers of G_t as the paper prints them, and bisection. */
#include "tempered/paper_solvers.h"

#include <math.h>

#include "tempered/tempered_functions.h"

/* The largest activation; NaN if any is. */
static double largest(const double *a, size_t n)
{
    double max = -INFINITY;
    for (size_t c = 0; c < n; c++)
        if (a[c] > max || isnan(a[c]))
            max = a[c];
    return max;
}

/* exp_t(a_c - max - lambda), also where the difference overflows. */
static double family_p(double a_c, double max, double lambda, double t)
{
    double x = a_c - max - lambda;
    if (isfinite(x) || !isfinite(a_c) || t <= 1)
        return exp_t(x, t);
    return exp(-(log(t - 1) + log(max / 2 - a_c / 2 + lambda / 2) + log(2)) / (t - 1));
}

/* Is a - max finite wherever a is? The iteration scales these differences, and cannot use infinite ones. */
static bool gaps_are_finite(const double *a, size_t n, double max)
{
    for (size_t c = 0; c < n; c++)
        if (isfinite(a[c]) && !isfinite(max - a[c]))
            return false;
    return true;
}

/* Z(scale * (a - max)) = sum_c exp_t(scale * (a_c - max)). */
static double scaled_sum(const double *a, size_t n, double t, double max, double scale)
{
    double sum = 0;
    for (size_t c = 0; c < n; c++)
        sum += exp_t(scale * (a[c] - max), t);
    return sum;
}

/* Algorithm 1 of the paper, a fixed-point iteration: a~ <- Z(a~)^(1-t) (a - max). The vector a~ is a multiple of
 * a - max, so that only its factor is iterated. Convergence is linear, that of
 * the Newton method of log_partition quadratic. */
double algorithm1(const double *a, size_t n, double t, struct stop_rule rule, struct iterations *iterations)
{
    *iterations = (struct iterations){0};
    double max = largest(a, n);
    if (!(t > 1 && legal_temperature(t)) || !isfinite(max) || !gaps_are_finite(a, n, max))
        return NAN;
    double scale = 1, sum = scaled_sum(a, n, t, max, scale);
    while (!iterations->converged && iterations->updates < rule.limit) {
        double next = pow(sum, 1 - t);
        iterations->converged = fabs(next - scale) <= rule.tolerance * scale;
        iterations->updates++;
        scale = next;
        sum = scaled_sum(a, n, t, max, scale);
    }
    return max - log_t(1 / sum, t);
}

/* Algorithm 2 of the paper: the same iteration for two classes with activations a/2, -a/2. At t = 2 the equation
 * is quadratic, and the result exact. */
double algorithm2(double a, double t, struct stop_rule rule, struct iterations *iterations)
{
    *iterations = (struct iterations){.converged = t == 2};
    if (!(t > 1 && legal_temperature(t)) || !isfinite(a))
        return NAN;
    a = fabs(a); /* G_t is even */
    if (t == 2)
        return hypot(a / 2, 1);
    double scaled = a, sum = 1 + exp_t(-scaled, t);
    while (!iterations->converged && iterations->updates < rule.limit) {
        double next = pow(sum, 1 - t) * a;
        iterations->converged = fabs(next - scaled) <= rule.tolerance * scaled;
        iterations->updates++;
        scaled = next;
        sum = 1 + exp_t(-scaled, t);
    }
    return a / 2 - log_t(1 / sum, t);
}

/* Slow and robust: sum p_c decreases in lambda, so the root is bracketed until the bounds are neighbouring
 * doubles. The upper bound is lambda of n equal activations, which no other activations exceed. */
double bisection(const double *a, size_t n, double t, struct iterations *iterations)
{
    *iterations = (struct iterations){0};
    double max = largest(a, n);
    if (!legal_temperature(t) || !isfinite(max))
        return NAN;
    /* sum p_c >= 1 at 0 (the largest class alone has 1) and <= 1 at the upper bound */
    double low = 0, high = stretch_exp(log((double)n), t - 1);
    for (;; iterations->updates++) {
        double middle = low + (high - low) / 2, sum = 0;
        iterations->converged = !(middle > low && middle < high);
        if (iterations->converged)
            return max + high;
        for (size_t c = 0; c < n; c++)
            sum += family_p(a[c], max, middle, t);
        if (sum > 1)
            low = middle;
        else
            high = middle;
    }
}
