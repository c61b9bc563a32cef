/* arrays: the caller's numbers as a dataset. */
#ifndef DATA_FROM_ARRAYS_H
#define DATA_FROM_ARRAYS_H

#include "data/dataset.h"

/* Takes over the matrix, which may be borrowed, and checks every value. `labels` are names of
 * classes as whole numbers, one a row, or NULL. On failure the matrix is as it was. */
temper_status dataset_from_matrix(const struct matrix *x, const int *labels, struct dataset **out, temper_error *error);

#endif
