/* column_digest: a few figures of each column that tell constant and equal columns, in one pass.
 *
 * The hash of a column is a sum over its entries that are not 0, so that the zeros that sparse data
 * does not store need no visit, and rows can be taken in any order, by any number of threads. */
#ifndef DATA_COLUMN_HASH_H
#define DATA_COLUMN_HASH_H

#include "data/matrix.h"

struct column_hash {
    double low, high; /* with the zeros that are not stored; low > high if there are no rows */
    uint64_t hash[2]; /* equal columns have equal hashes; others differ but for a chance of 2^-64 */
    uint64_t entries; /* stored */
};

struct column_hashes {
    struct column_hash *digest;
    size_t count;
    uint32_t *column;  /* of each digest, ascending; NULL: digest[j] is that of column j. Columns
                        * without an entry have none where they are far more than the entries */
    uint64_t nonzeros; /* entries that are not 0, in all columns */
};

temper_status column_hashes(const struct matrix *x, size_t threads, struct column_hashes *out, temper_error *error);
void column_hashes_free(struct column_hashes *digests);

/* Constant: one value in all rows. */
bool column_is_constant(const struct column_hash *digest);

#endif
