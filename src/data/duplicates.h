/* duplicates: rows with the same features. */
#ifndef DATA_DUPLICATES_H
#define DATA_DUPLICATES_H

#include "data/matrix.h"

/* Fills first[row] with the first row of the same features, which may be the row itself. */
temper_status duplicates_find(const struct matrix *x, uint64_t *first, temper_error *error);

#endif
