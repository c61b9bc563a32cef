/* column_rows: some rows after another, added to the sums of their block. */
#ifndef DATA_COLUMN_ROWS_H
#define DATA_COLUMN_ROWS_H

#include "data/column_stats.h"
#include "kernel/small/column_range.h"

/* What one block of rows has added up; arrays by column. All of it lies in `state`, which goes from
 * one process to the next where a block has rows of both. */
struct part {
    double *state;
    double *weight; /* of the rows */
    double *rows;   /* that count */
    double *low, *high;
    double *sum;    /* of w * x, or in the second pass of w * (x - mean) */
    double *square; /* the second pass: of w * (x - mean)^2; of bytes, at once, of x^2 */
    double *stored; /* CSR: the weight of the rows that have an entry here */
    double *count;  /* CSR: the number of such rows */
    double *x;      /* scratch: one row of logarithms; */
    uint32_t *few;  /* of some rows of bytes, the sums, and those of squares, */
    uint8_t *ends;  /* the least and the greatest */
    struct negative_entry negative;
};

/* Blocks are those of all rows; this process has some, of the first and the last perhaps a part. */
struct summing {
    const struct sum_task *task;
    const struct column_range_kernels *kernel;
    const temper_comm *comm;
    struct part *part; /* one for each own block */
    struct part all;   /* their sum */
    size_t blocks, first, own;
    uint64_t from, to, count; /* own rows among all, and these */
    uint64_t block_rows;      /* of each block but the last */
    size_t columns, length;   /* numbers of a state */
    size_t run;               /* rows at a time, at most */
    const double *mean;       /* NULL in the first pass */
    bool sparse;
    bool bytes; /* that weigh 1 each: sums are of whole numbers, exact, and one pass is enough */
};

/* Rows of the matrix that follow each other, all of which count. */
struct row_run {
    size_t from, count;
    size_t behind;        /* rows that follow them, as many as these or fewer */
    const double *weight; /* of each */
};

/* False, with the place in part->negative, where a logarithm fails. */
bool column_add_rows(const struct summing *summing, struct part *part, const struct row_run *run);

/* Rows of bytes, and their number. */
void column_add_bytes(const struct summing *summing, struct part *part, size_t row, size_t count);

#endif
