/* subset: datasets from rows of others: some rows, other features, two datasets joined. */
#ifndef DATA_SUBSET_H
#define DATA_SUBSET_H

#include "data/dataset.h"

/* A copy of the given rows, in the given order; a row may occur twice. Classes and their numbers stay the same, also if
 * a class has no row left. */
temper_status dataset_rows(const struct dataset *data, const size_t *row, size_t count, struct dataset **out,
                           temper_error *error);

/* All rows with borrowed features: `data` must live as long; labels, weights, lines and names are copied. */
temper_status dataset_borrow(const struct dataset *data, struct dataset **out, temper_error *error);

/* The same with weight 0 for the rows of a part: part[row] is that of a row of all processes. Weights instead of a copy
 * of the other rows, because features are the bulk of the data. */
temper_status dataset_without_part(const struct dataset *data, const uint32_t *part, uint32_t hidden,
                                   struct dataset **out, temper_error *error);

/* A copy of `data` in which row r has the features of row from[r] of the two datasets, those of
 * `pool` being counted behind those of `data`. Both are of one kind, with as many columns. */
temper_status dataset_replace(const struct dataset *data, const struct dataset *pool, const size_t *from,
                              struct dataset **out, temper_error *error);

/* --classes "A,B,...": keeps the rows of these classes, whose order stays the same; in place if the dataset owns its
 * memory. On failure the dataset is unchanged. */
temper_status select_classes(struct dataset *data, const char *names, temper_error *error);

/* A copy with the rows of `second` after those of `first`. Both have the same features and kind of matrix, and either
 * both or neither has labels; classes are matched by name and sorted again. */
temper_status dataset_concat(const struct dataset *first, const struct dataset *second, struct dataset **out,
                             temper_error *error);

#endif
