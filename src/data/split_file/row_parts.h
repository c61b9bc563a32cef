/* row_parts: divides rows into parts by their classes, groups or times. A pure function of these and the seed. */
#ifndef DATA_ROW_PARTS_H
#define DATA_ROW_PARTS_H

#include "data/split_file/row_keys.h"

struct division {
    double share; /* of the rows for testing; 0: folds */
    size_t folds; /* 0: one division by the share */
    uint64_t seed;
};

/* Fills part[rows]: SPLIT_TRAIN and SPLIT_TEST, or the fold of each row from 0. With times and folds there is one part
 * more: rows of part k are tested after a training on the parts before, and those of part 0 never. Rows of a group are
 * in one part, and so are rows of equal time. `note` has space for 256 bytes: "", or a sentence for the user. */
temper_status rows_divide(const struct row_keys *keys, const struct division *how, uint32_t *part, char *note,
                          temper_error *error);

#endif
