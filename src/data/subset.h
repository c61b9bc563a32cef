/* select: a dataset of some rows of another. */
#ifndef DATA_SUBSET_H
#define DATA_SUBSET_H

#include "data/dataset.h"

/* A copy of the given rows, in the given order; a row may come twice. Classes, their numbers and
 * everything else stay as they are, also where a class has no row left. */
temper_status dataset_rows(const struct dataset *data, const size_t *row, size_t count, struct dataset **out,
                           temper_error *error);

/* The same rows in `borrowed` memory: features are those of `data`, which must live as long;
 * labels, weights, lines and names are copies. */
temper_status dataset_borrow(const struct dataset *data, struct dataset **out, temper_error *error);

/* A copy of `data` in which row r has the features of row from[r] of the two datasets, those of
 * `pool` being counted behind those of `data`. Both are of one kind, with as many columns. */
temper_status dataset_replace(const struct dataset *data, const struct dataset *pool, const size_t *from,
                              struct dataset **out, temper_error *error);

/* --classes "A,B,...": keeps the rows of these classes, which keep their order among themselves; in
 * place where the memory is ours. The dataset is as it was if this fails. */
temper_status select_classes(struct dataset *data, const char *names, temper_error *error);

/* A copy with the rows of `second` behind those of `first`. Both have the same features, of one
 * kind, and labels or none; classes are told by their names and put in order anew. */
temper_status dataset_concat(const struct dataset *first, const struct dataset *second, struct dataset **out,
                             temper_error *error);

#endif
