/* split: folds for cross-validation, and splits into training and test rows.
 *
 * A pure function of rows, labels and seed. Stratified splits distribute every class evenly: its numbers of rows in any
 * two parts differ by at most one, and so do the sizes of the parts. */
#ifndef DATA_SPLIT_H
#define DATA_SPLIT_H

#include "data/dataset.h"

struct split_options {
    uint64_t seed;
    bool stratified; /* by class; ignored without labels */
};

enum { SPLIT_TRAIN, SPLIT_TEST };

struct split {
    uint32_t *part; /* of each row: a fold, or SPLIT_TRAIN or SPLIT_TEST */
    size_t rows;
    uint32_t parts;
    char note[256]; /* "", or a sentence that the user should read */
};

/* K folds, K from 2 to the number of rows. A class with fewer rows than folds is noted. */
temper_status split_folds(const struct dataset *data, size_t folds, struct split_options how, struct split *out,
                          temper_error *error);
/* Whether folds that were given can be used, without a copy of them. */
temper_status split_check_given(const struct dataset *data, const uint32_t *part, size_t folds, temper_error *error);
/* The same with given folds: part[row] below `folds`, each with a row of weight > 0. */
temper_status split_given(const struct dataset *data, const uint32_t *part, size_t folds, struct split *out,
                          temper_error *error);
/* Two parts from a split into folds: the even folds and the odd ones. */
temper_status split_halve(const struct split *folds, struct split *out, temper_error *error);
/* round(share * rows) test rows, 0 < share < 1; both sides must have rows. A class without training rows is noted. */
temper_status split_test(const struct dataset *data, double share, struct split_options how, struct split *out,
                         temper_error *error);

/* The rows of a part, or of all others, ascending, into `row`, which is as long as all rows. Returns their number. */
size_t split_rows(const struct split *split, uint32_t part, bool others, size_t *row);
void split_free(struct split *split);

#endif
