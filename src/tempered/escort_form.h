/* escort_form: the matrix shape that every Hessian of a t-exponential family has. */
#ifndef TEMPERED_ESCORT_FORM_H
#define TEMPERED_ESCORT_FORM_H

#include <math.h>
#include <stddef.h>

/* log of p^t; the support alone counts, so that 0^0 is 0. In long double, because products of large
 * logarithms may leave the double range and come back. */
static inline long double log_power(long double log_p, double t)
{
    return log_p == -INFINITY ? -INFINITY : (long double)t * log_p;
}

/* p^t by the same rule. */
static inline double exp_power(double log_p, double t)
{
    return exp((double)log_power(log_p, t));
}

/* With weights h on the diagonal of `matrix` and an escort q, makes it
 *     sum_c h_c (e_c - q)(e_c - q)'  =  diag h - h q' - q h' + (sum h) q q'.
 * With h_c = t p_c^(2t-1)/Z that is the Hessian of G_t. */
void escort_form(const double *q, size_t n, double *matrix);

#endif
