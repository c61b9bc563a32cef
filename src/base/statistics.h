/* statistics: means, deviations, log Gamma, and paired tests of whether two lists of numbers differ. */
#ifndef BASE_STATISTICS_H
#define BASE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

#include "temper.h"

double mean_of(const double *values, size_t count);      /* NAN for none */
double deviation_of(const double *values, size_t count); /* with count - 1; NAN for one */

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
