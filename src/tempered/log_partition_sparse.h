/* log_partition_sparse: lambda and log p for t < 1, where 1 - (1-t)(b + lambda) cancels near the edge of support.
 *
 * In numbers of twice the digits of a double (double_double.h), on every system: p has all digits of a double where
 * that difference is 1e-15 or more. */
#ifndef TEMPERED_LOG_PARTITION_SPARSE_H
#define TEMPERED_LOG_PARTITION_SPARSE_H

#include <stddef.h>

#include "tempered/double_double.h"

/* lambda of n activations, of which a[top] is the largest and another one is finite; the number of updates. */
struct double_double sparse_solve(const double *a, size_t n, size_t top, double t, size_t *updates);

/* log p of a class with activation a_c, -infinity outside the support; `max` is the largest activation. */
double sparse_log_p(double max, double a_c, double t, struct double_double lambda);

#endif
