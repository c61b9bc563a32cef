/* sanity_checks: labels and features that are probably not what the user meant. */
#ifndef DATA_SANITY_CHECKS_H
#define DATA_SANITY_CHECKS_H

#include "data/dataset.h"
#include "temper.h"

/* Checks the labels of all rows. A column that was inferred to be the label is refused if it looks like a measured
 * number or an identifier of each row; one that the user has named gets a warning in the notes. So do class names that
 * differ in case or blanks only. */
temper_status check_label_values(struct dataset *data, const temper_read_options *options, temper_error *error);
/* A first column that counts the rows, as other programs write it in front of their data, gets a warning too: it does
 * not generalise. */
void check_feature_values(struct dataset *data);

struct outlier_value {
    uint64_t row;
    double value;
};

/* Whether a column of dense data has an outlier: a value more than a thousand times as far from the others as these are
 * from each other. Rows of weight 0 are left out. */
bool outlier_find(const struct dataset *data, size_t column, struct outlier_value *out);

#endif
