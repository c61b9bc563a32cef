/* tempered_functions: log_t, exp_t, and sums of them over the classes. */
#include "tempered/tempered_functions.h"

#include <math.h>

/* Below this |s y| two terms of the series are exact, and s y may be denormal. */
static const double TINY = 1e-9;

/* expm1 keeps all digits for small s y, where e^(s y) - 1 would cancel; s y itself may underflow, hence the
 * series. */
double stretch_exp(double y, double s)
{
    double z = s * y;
    if (s == 0) /* y may be infinite */
        return y;
    if (fabs(z) < TINY)
        return y * (1 + 0.5 * z);
    return expm1(z) / s;
}

/* Inverse of stretch_exp in its first argument, with the same care. */
double stretch_log(double x, double s)
{
    double z = s * x;
    if (s == 0)
        return x;
    if (fabs(z) < TINY)
        return x * (1 - 0.5 * z);
    if (z < -0.5) {
        double u = fma(s, x, 1); /* log1p(z) would amplify the rounding of z near the edge of support */
        return u > 0 ? log(u) / s : s > 0 ? -INFINITY : INFINITY;
    }
    if (z == INFINITY && isfinite(x))
        return (log(fabs(s)) + log(fabs(x))) / s; /* only the product overflows */
    return log1p(z) / s;
}

/* (x^(1-t) - 1)/(1 - t); the natural logarithm at t = 1. */
double log_t(double x, double t)
{
    double s = 1 - t, y = log(x);
    if (!legal_temperature(t) || isnan(y))
        return NAN;
    if (fabs(s * y) > 1)
        return (pow(x, s) - 1) / s; /* pow is accurate where s*log(x) is rounded */
    return stretch_exp(y, s);
}

/* Inverse of log_t: (1 + (1-t) x)_+^(1/(1-t)); for t < 1 it is 0 below the edge of support x = -1/(1-t). */
double exp_t(double x, double t)
{
    if (!legal_temperature(t))
        return NAN;
    if (t < 0.5 && x > -2 && x < -0.5) {
        /* Near the edge of support the rounding of 1 - t matters too; 1 + x is exact here. */
        double u = fma(-t, x, 1 + x);
        return u > 0 ? exp(log(u) / (1 - t)) : 0;
    }
    return exp(stretch_log(x, 1 - t));
}

/* p E(y, s) = (p e^(s y) - p)/s, although e^(s y) alone may overflow. */
static double weighted_stretch(double p, double y, double s)
{
    double z = s * y;
    if (fabs(z) > 1)
        return (exp(log(p) + z) - p) / s;
    return p * stretch_exp(y, s);
}

/* sum p log_t(1/p), in which 0 log 0 counts as 0. */
double entropy_t(const double *p, size_t n, double t)
{
    double sum = 0;
    if (!legal_temperature(t))
        return NAN;
    for (size_t c = 0; c < n; c++)
        if (p[c] != 0)
            sum += weighted_stretch(p[c], -log(p[c]), 1 - t);
    return sum;
}

/* log(q/p), accurate also where the quotient is near 1 or overflows. */
static double log_ratio(double q, double p)
{
    double excess = (q - p) / p;
    if (fabs(excess) < 0.5)
        return log1p(excess);
    return log(q) - log(p);
}

/* -sum p log_t(q/p), the tempered relative entropy; classes with p = 0 count as 0. */
double divergence_t(const double *p, const double *q, size_t n, double t)
{
    double sum = 0;
    if (!legal_temperature(t))
        return NAN;
    for (size_t c = 0; c < n; c++)
        if (p[c] != 0)
            sum -= weighted_stretch(p[c], log_ratio(q[c], p[c]), 1 - t);
    return sum;
}

double escort_t(const double *p, size_t n, double t, double *q)
{
    double top = legal_temperature(t) ? 0 : NAN;
    for (size_t c = 0; c < n; c++)
        if (p[c] > top || isnan(p[c])) /* a NaN is kept */
            top = p[c];
    double sum = isnan(top) ? NAN : 0; /* NaN^0 would be 1 */
    for (size_t c = 0; c < n; c++)
        if (p[c] != 0)
            sum += pow(p[c] / top, t); /* relative to the largest: p^t may underflow in every class */
    for (size_t c = 0; q && c < n; c++)
        q[c] = p[c] != 0 || isnan(sum) ? pow(p[c] / top, t) / sum : 0;
    return pow(top, t) * sum;
}
