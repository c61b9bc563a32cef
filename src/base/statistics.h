/* statistics: means, deviations, log Gamma, and paired tests of whether two lists of numbers differ. */
#ifndef BASE_STATISTICS_H
#define BASE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

#include "temper.h"

double mean_of(const double *values, size_t count);      /* NAN for none */
double deviation_of(const double *values, size_t count); /* with count - 1; NAN for one */

/* A 95 % interval. */
struct interval {
    double low, high;
};

/* Wilson's 95 % interval of a share that was observed in so many rows (E. B. Wilson, 1927): it stays in [0, 1] and has
 * its coverage for shares near 0 and 1 too. */
struct interval wilson_interval(double share, double rows);

/* log Gamma(x), x > 0, to about 1e-12. */
double log_gamma(double x);

/* Two-sided p-value of Student's t with `freedom` degrees of freedom. */
double student_p(double t, double freedom);

/* The difference of a pair, without ties. */
struct difference {
    double size; /* > 0 */
    bool positive;
};

/* Two-sided p-value of Wilcoxon's signed-rank test; *w: the smaller rank sum; count > 0. Sorts the
 * differences. Exact for up to TEMPER_WILCOXON_EXACT_PAIRS of them. */
double wilcoxon_p(struct difference *differing, size_t count, double *w);

#endif
