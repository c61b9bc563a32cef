/* duplicate_rows: finds rows with the same features. */
#ifndef DATA_DUPLICATE_ROWS_H
#define DATA_DUPLICATE_ROWS_H

#include "data/dist/gather_labels.h"

/* Fills first[row] with the first row of the same features, which may be the row itself. */
temper_status duplicates_find(const struct matrix *x, size_t threads, uint64_t *first, temper_error *error);

/* MPI: the same among the rows of all processes, by 128-bit hashes of their features. */
temper_status duplicates_of_all(const struct dataset *data, const struct gathered_labels *all_rows, size_t threads,
                                uint64_t *first, temper_error *error);

/* Fills hash[row] for the rows of all processes: 64 bits of their features, which depend neither on the order of the
 * rows nor on how the numbers are stored. */
temper_status row_hashes_of_all(const struct dataset *data, const struct gathered_labels *all_rows, size_t threads,
                                uint64_t *hash, temper_error *error);

#endif
