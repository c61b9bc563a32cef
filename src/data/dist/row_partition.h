/* parts: how the rows of data are cut into parts that each have sums of their own.
 *
 * A function of the shape of all the data, whoever holds which rows: a process has whole parts, one
 * after another. So sums have the same bits for any number of threads and processes. */
#ifndef DATA_ROW_PARTITION_H
#define DATA_ROW_PARTITION_H

#include "comm/tree_sum.h"
#include "data/dataset.h"

/* As many at most; data of 2 million rows or 2 GiB may have more. */
enum { PARTS_USUAL = 64 };

struct row_partition {
    size_t rows_each; /* of all parts but the last */
    size_t count;     /* 1 to 8192 */
    size_t together;  /* of so many, a power of two, a group of models has one sum (two classes):
                       * its sums are large. A process has all of them, or none */
    bool transposed;      /* sparse rows of so many columns that gradients are taken column by column */
};

struct row_partition row_partition_of(const struct dataset *data);
/* Bytes that sums of more parts than usual may take in all. */
double row_partition_more_bytes(const struct dataset *data);

/* Rows that a block of sparse data has. */
size_t row_partition_sparse_block(size_t classes);

/* The first part of a rank; that behind the last rank is `count`. Ranks without any come last. */
size_t row_partition_first(const struct row_partition *parts, size_t rank, size_t ranks);
/* The first row of that part. */
uint64_t row_partition_first_row(const struct row_partition *parts, uint64_t rows, size_t rank, size_t ranks);
/* row_partition_first of all ranks, and behind them; NULL: no memory. */
size_t *row_partition_holders(const struct row_partition *parts, const temper_comm *comm);
/* The same of parts taken together. */
size_t *row_partition_holders_together(const struct row_partition *parts, const temper_comm *comm);

#endif
