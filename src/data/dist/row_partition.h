/* row_partition: the parts of the rows, each with its own sums.
 *
 * A function of the shape of the whole dataset, not of how many processes hold it; a process holds whole, consecutive
 * parts. So sums have the same bits for any number of threads and processes. */
#ifndef DATA_ROW_PARTITION_H
#define DATA_ROW_PARTITION_H

#include "comm/tree_sum.h"
#include "data/dataset.h"

/* The usual maximum; data of 2 million rows or 2 GiB may have more. */
enum { PARTS_USUAL = 64 };

struct row_partition {
    size_t rows_each; /* of all parts but the last */
    size_t count;     /* 1 to 8192 */
    size_t together;  /* two classes: a batched objective, whose sums are large, has one sum for so many
                       * parts, a power of two. A process holds all of them or none */
    bool transposed;  /* sparse rows with many columns: gradients are computed column by column */
};

struct row_partition row_partition_of(const struct dataset *data);
/* Bytes that the sums of more than PARTS_USUAL parts may use. */
double row_partition_more_bytes(const struct dataset *data);

/* Rows of a block of sparse data. */
size_t row_partition_sparse_block(size_t classes);

/* The first part of a rank; `count` for rank == ranks. Ranks without parts come last. */
size_t row_partition_first(const struct row_partition *parts, size_t rank, size_t ranks);
/* The first row of that part. */
uint64_t row_partition_first_row(const struct row_partition *parts, uint64_t rows, size_t rank, size_t ranks);
/* [ranks + 1]: row_partition_first of each rank, and the end; NULL: no memory. */
size_t *row_partition_holders(const struct row_partition *parts, const temper_comm *comm);
/* The same for parts taken together. */
size_t *row_partition_holders_together(const struct row_partition *parts, const temper_comm *comm);

#endif
