/* split: which rows train and which test.
 *
 * A pure function of rows, labels and seed. Stratified splits spread every class over the parts as
 * evenly as can be: its share of any two parts differs by at most one row, and so do the parts. */
#ifndef DATA_SPLIT_H
#define DATA_SPLIT_H

#include "data/dataset.h"

struct split_how {
    uint64_t seed;
    bool stratified; /* by class; without labels it means nothing */
};

enum { SPLIT_TRAIN, SPLIT_TEST };

struct split {
    uint32_t *part; /* of each row: a fold, or SPLIT_TRAIN or SPLIT_TEST */
    size_t rows;
    uint32_t parts;
    char note[256]; /* "", or a sentence that the user should read */
};

/* K folds, K from 2 to the number of rows. A class with fewer rows than folds is noted. */
temper_status split_folds(const struct dataset *data, size_t folds, struct split_how how, struct split *out,
                          temper_error *error);
/* The same with folds that are known: part[row] below `folds`, each having a row of weight > 0. */
temper_status split_given(const struct dataset *data, const uint32_t *part, size_t folds, struct split *out,
                          temper_error *error);
/* Two parts of a split in folds: the even ones and the odd ones. */
temper_status split_halve(const struct split *folds, struct split *out, temper_error *error);
/* A share of the rows, above 0 and below 1, is for testing: round(share * rows) of them, which must
 * leave some rows on either side. A class that is not left any row to train on is noted. */
temper_status split_test(const struct dataset *data, double share, struct split_how how, struct split *out,
                         temper_error *error);

/* The rows of a part, or those of all others, ascending; `row` has room for all rows. Returns how
 * many there are. */
size_t split_rows(const struct split *split, uint32_t part, bool others, size_t *row);
void split_free(struct split *split);

#endif
