/* from_arrays: a dataset from arrays of the caller, and names and weights for it. */
#ifndef DATA_FROM_ARRAYS_H
#define DATA_FROM_ARRAYS_H

#include "data/dataset.h"

/* Takes the matrix, which may be borrowed, and checks every value. `labels`, one for each row, are classes named by
 * integers, or NULL. On failure the matrix still belongs to the caller. */
temper_status dataset_from_matrix(const struct matrix *x, const int *labels, struct dataset **out, temper_error *error);

/* The same for rows that have labels and no features. */
temper_status dataset_from_labels(const int *labels, size_t rows, struct dataset **out, temper_error *error);

/* Labels as above for rows that have none. */
temper_status dataset_set_labels(struct dataset *data, const int *labels, temper_error *error);

/* New names for all classes, in their order. Two that denote the same class, as 1 and 1.0 do, are refused. */
temper_status dataset_name_classes(struct dataset *data, const char *const *names, temper_error *error);
/* One for each column. */
temper_status dataset_name_features(struct dataset *data, const char *const *names, temper_error *error);
/* One for each row, multiplied with the weights that the data has. */
temper_status dataset_set_weights(struct dataset *data, const double *weights, temper_error *error);

#endif
