/* tempered_functions: tempered logarithm and exponential, entropy and divergence (paper, section 2). */
#ifndef TEMPERED_TEMPERED_FUNCTIONS_H
#define TEMPERED_TEMPERED_FUNCTIONS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Temperatures are finite numbers >= 0; for others all functions return NaN. */
static inline bool legal_temperature(double t)
{
    return t >= 0 && isfinite(t);
}

/* E(y, s) = (e^(s y) - 1)/s and L(x, s) = log(1 + s x)/s, with their limits y and x at s = 0.
 * Accurate for s -> 0, where the printed form (x^(1-t) - 1)/(1-t) loses all digits.
 * L is -infinity (s > 0) or +infinity (s < 0) where 1 + s x <= 0. */
double stretch_exp(double y, double s); /* E */
double stretch_log(double x, double s); /* L */

double log_t(double x, double t); /* eq. 1: E(log x, 1-t) */
double exp_t(double x, double t); /* eq. 4: exp(L(x, 1-t)) */

double entropy_t(const double *p, size_t n, double t);                     /* eq. 2 */
double divergence_t(const double *p, const double *q, size_t n, double t); /* eq. 3 */

/* q_c = p_c^t / Z; returns Z. On the support only, so 0^0 counts as 0. q may be p, or NULL. */
double escort_t(const double *p, size_t n, double t, double *q);

#endif
