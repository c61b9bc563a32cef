/* partition_variants: the same solution in other arithmetic, for the temperatures that need it. */
#ifndef TEMPERED_LOG_PARTITION_VARIANTS_H
#define TEMPERED_LOG_PARTITION_VARIANTS_H

#include <stddef.h>

/* t < 1, in long double: close to the edge of support 1 + s(b + lambda) cancels. */
long double wide_solve(const double *a, size_t n, size_t top, double t, size_t *updates);
double wide_log_top(const double *a, size_t n, size_t top, double t, long double lambda);
double wide_log_p(double gap_from, double a_c, double t, long double lambda);

/* So hot that lambda = (n^(t-1) - ...)/(t-1) may overflow: solves for log(1 + s lambda). */
double spread_solve(const double *a, size_t n, size_t top, double t, size_t *updates);
double spread_log_p(double gap_from, double a_c, double t, double log_spread);

#endif
