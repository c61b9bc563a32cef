/* doubts: labels and features that are probably not what the user meant. */
#ifndef DATA_SANITY_CHECKS_H
#define DATA_SANITY_CHECKS_H

#include "data/dataset.h"
#include "temper.h"

/* Looks at the labels of all rows. A column that was only guessed to be the label is refused where
 * it looks like a number that is measured, or a name of its own for each row; one that the user has
 * named gets a warning among the notes. So do names that differ in case or blanks alone. */
temper_status check_label_values(struct dataset *data, const temper_read_options *options, temper_error *error);
/* A first column of a table that counts the rows, as other programs write it in front of their
 * data, gets a warning too: it tells nothing about other rows. */
void check_feature_values(struct dataset *data);

struct outlier_value {
    uint64_t row;
    double value;
};

/* Whether dense data has one in this column: the others differ, and it is more than a thousand
 * times as far from them as they are from each other. Rows of weight 0 do not count. */
bool outlier_find(const struct dataset *data, size_t column, struct outlier_value *out);

#endif
