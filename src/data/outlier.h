/* lone: a value so far from all others of its column that it can only be a mistake. */
#ifndef DATA_OUTLIER_H
#define DATA_OUTLIER_H

#include "data/dataset.h"

struct outlier_value {
    uint64_t row;
    double value;
};

/* Whether dense data has one in this column: the others differ, and it is more than a thousand
 * times as far from them as they are from each other. Rows of weight 0 do not count. */
bool outlier_find(const struct dataset *data, size_t column, struct outlier_value *out);

#endif
