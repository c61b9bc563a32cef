/* log_partition: the normaliser G_t(a) of the t-exponential family on a finite set (eq. 10).
 *
 * With s = t - 1 and b_c = max a - a_c it is max a + lambda, where lambda >= 0 solves
 * sum_c (1 + s (b_c + lambda))^(-1/s) = 1. lambda is stored, not G: where one class is almost certain,
 * rounding of G would lose lambda, and with it the probabilities of the other classes. */
#ifndef TEMPERED_LOG_PARTITION_H
#define TEMPERED_LOG_PARTITION_H

#include <stddef.h>

#include "tempered/double_double.h"

/* A solved family, from which the probability of any class follows. */
struct partition {
    double t;
    double max;                 /* the largest activation */
    size_t top;                 /* the first class that has it */
    double log_top;             /* log p of that class */
    double lambda;              /* G - max */
    struct double_double exact; /* lambda with the digits that t < 1 needs near the edge of support */
    double spread;              /* log(1 + s lambda)/s, for temperatures at which lambda overflows, else 0 */
    size_t updates;             /* Newton or bisection steps */
};

/* NaN in every field where there is no such family (see include/temper.h). */
struct partition partition_solve(const double *a, size_t n, double t);

/* log p_c for class c with activation a_c; -infinity outside the support. */
double partition_log_p(const struct partition *family, size_t c, double a_c);

/* q = the escort of order t, which is the gradient of G; returns log Z = log sum p_c^t. */
double partition_escort(const struct partition *family, const double *a, size_t n, double *q);

/* log Z relative to the likeliest class: log sum_c (p_c/p_top)^t. At high temperatures log Z itself is
 * large, and its rounding error would be exponentiated. */
double partition_log_share(const struct partition *family, const double *a, size_t n);

/* G of activations a/2, -a/2 for t = 0, 1/2, 2/3, 3/4, 1, 3/2, 2; NaN for others. */
double partition_closed(double a, double t);

#endif
