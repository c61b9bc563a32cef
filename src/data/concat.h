/* join: the rows of two datasets as one. */
#ifndef DATA_CONCAT_H
#define DATA_CONCAT_H

#include "data/dataset.h"

/* A copy with the rows of `second` behind those of `first`. Both have the same features, of one
 * kind, and labels or none; classes are told by their names and put in order anew. */
temper_status dataset_concat(const struct dataset *first, const struct dataset *second, struct dataset **out,
                             temper_error *error);

#endif
