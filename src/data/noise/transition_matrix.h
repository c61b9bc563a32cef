/* transition_matrix: a matrix of probabilities from a CSV file: line `was`, column `is`. */
#ifndef DATA_TRANSITION_MATRIX_H
#define DATA_TRANSITION_MATRIX_H

#include "data/dataset.h"

/* C x C numbers in the order of the data's classes, freed by mem_free. The file has C lines in that
 * order; or one more, its first line naming the classes in the order of lines and columns. Each
 * line sums to 1 within 1e-9. */
temper_status transition_matrix_read(const char *path, const struct dataset *data, double **out, temper_error *error);

#endif
