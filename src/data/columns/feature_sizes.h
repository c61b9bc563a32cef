/* feature_sizes: of which order of magnitude the values of each feature are, from a sample of the rows. */
#ifndef DATA_FEATURE_SIZES_H
#define DATA_FEATURE_SIZES_H

#include "data/dataset.h"

struct sized_rows {
    const struct dataset *data;
    const double *weight; /* of its rows; those of weight 0 are left out; NULL: all 1 */
    size_t threads;
};

/* size[columns], zeros at first: standard deviations of dense features, 0 for constant ones; largest absolute values of
 * sparse ones, whose deviations depend on how rare they are more than on their units. MPI: the same in all processes.
 */
temper_status feature_sizes(const struct sized_rows *rows, double *size, temper_error *error);

#endif
