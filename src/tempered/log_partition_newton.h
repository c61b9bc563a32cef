/* log_partition_newton: lambda of the t-exponential family (log_partition.h) by Newton's method in doubles.
 *
 * For all temperatures but 1, and where (t - 1) log n is small enough for lambda to be finite. For t > 1 the result has
 * all digits, as 1 + s (b + lambda) >= 1 has no cancellation. For t < 1 it is where log_partition_sparse begins. */
#ifndef TEMPERED_LOG_PARTITION_NEWTON_H
#define TEMPERED_LOG_PARTITION_NEWTON_H

#include <stddef.h>

/* The activations; at least two are finite. */
struct newton_family {
    const double *a;
    size_t n;
    size_t top; /* a[top] is the largest */
    double s;   /* t - 1 */
};

/* lambda, and the number of updates. */
double newton_solve(const struct newton_family *family, size_t *updates);

/* The step from a lambda with S = sum p_c = 1 + excess and -dS/dlambda = slope. */
double newton_step(double excess, double slope, double s);

/* log p of the likeliest class, and of any. */
double newton_log_top(const struct newton_family *family, double lambda);
double newton_class_log_p(const struct newton_family *family, size_t c, double lambda);

#endif
