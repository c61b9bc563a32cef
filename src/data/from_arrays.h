/* arrays: the caller's numbers as a dataset. */
#ifndef DATA_FROM_ARRAYS_H
#define DATA_FROM_ARRAYS_H

#include "data/dataset.h"

/* Takes over the matrix, which may be borrowed, and checks every value. `labels` are names of
 * classes as whole numbers, one a row, or NULL. On failure the matrix is as it was. */
temper_status dataset_from_matrix(const struct matrix *x, const int *labels, struct dataset **out, temper_error *error);

/* New names for all classes, in their order. Two that mean the same, as 1 and 1.0 do, are refused.
 */
temper_status dataset_name_classes(struct dataset *data, const char *const *names, temper_error *error);
/* One for each column. */
temper_status dataset_name_features(struct dataset *data, const char *const *names, temper_error *error);
/* One for each row, multiplied with those that are there. */
temper_status dataset_set_weights(struct dataset *data, const double *weights, temper_error *error);

#endif
