/* components: a few directions in which rows differ most, by a randomised power iteration. */
#ifndef DATA_COMPONENTS_H
#define DATA_COMPONENTS_H

#include "data/dataset.h"
#include "data/scale.h"

/* Fills directions[column * count + k], orthonormal, for rows as scaled (`scale` NULL: as they
 * are), from at most a thousand rows, evenly spread. count <= columns. */
temper_status components_find(const struct dataset *data, const struct scale *scale, size_t count,
                              uint64_t seed, double *directions, temper_error *error);

#endif
