/* range: what an axis should span, whatever the numbers are. */
#ifndef REPORT_RANGE_H
#define REPORT_RANGE_H

#include "report/curve.h"

/* The arithmetic of the axes needs some room below the largest double. */
#define LARGEST_DRAWN 1e300

/* The smallest and the largest of finite numbers, `stride` apart; count > 0. */
struct domain range_of(const double *values, size_t count, size_t stride);
/* The same without the outermost `share` of them on either side. False without memory. */
bool range_of_most(const double *values, size_t count, double share, struct domain *range);
/* Wider by a share on both sides, and never too narrow for the labels to tell its ends apart. */
struct domain range_padded(struct domain range, double share);

#endif
