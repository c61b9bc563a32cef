/* weights: row weights from a file, from classes or from the caller; weights from several sources multiply. */
#ifndef DATA_WEIGHTS_H
#define DATA_WEIGHTS_H

#include "data/dataset.h"

/* --weights FILE: a number for each row, one a line; gzip and zstd are decompressed. */
temper_status weights_read(const char *path, struct dataset *data, temper_error *error);

/* --class-weight: "balanced" gives every class the same weight in all, N / (C * n_c) for each of
 * its n_c rows; or "NAME=W,...", classes that are not named keeping 1. */
temper_status weights_by_class(const char *text, struct dataset *data, temper_error *error);

/* Multiplies with the existing weights. `weight`, one for each row, is given to the dataset, or freed on failure. */
temper_status weights_multiply(struct dataset *data, double *weight, temper_error *error);

/* Refuses weights that are negative or not finite, with the line, and weights that are all 0; also for those from a
 * column or the caller's array. */
temper_status weights_check(const struct dataset *data, temper_error *error);

#endif
