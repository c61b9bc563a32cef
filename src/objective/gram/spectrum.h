/* spectrum: how unequal the eigenvalues of the second moments of dense rows are, from a few rows. */
#ifndef OBJECTIVE_SPECTRUM_H
#define OBJECTIVE_SPECTRUM_H

#include "data/columns/scale.h"
#include "data/dataset.h"

/* Of the eigenvalues of E[x x'], x a scaled row. Their second moment is the square of their mean where all are equal,
 * and up to `columns` times that where one is not 0. */
struct spectrum {
    double mean;          /* tr E[x x'] / columns */
    double second_moment; /* tr (E[x x'])^2 / columns; infinite where there are too few rows to know */
};

/* An estimate from evenly spaced rows, in O(columns) operations; `scale` NULL: unscaled rows. Rows count alike,
 * whatever their weights. The same bits for any number of processes. */
temper_status spectrum_estimate(const struct dataset *data, const struct scale *scale, struct spectrum *out,
                                temper_error *error);

#endif
