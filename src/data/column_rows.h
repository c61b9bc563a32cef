/* column_rows: one row after another, added to the sums of its block. */
#ifndef DATA_COLUMN_ROWS_H
#define DATA_COLUMN_ROWS_H

#include "data/column_sums.h"

/* What one block of rows has added up; arrays by column. All of it lies in `state`, which goes from
 * one process to the next where a block has rows of both. */
struct part {
    double *state;
    double *weight; /* of the rows */
    double *rows;   /* that count */
    double *low, *high;
    double *sum;    /* of w * x, or in the second pass of w * (x - mean) */
    double *square; /* the second pass: of w * (x - mean)^2 */
    double *stored; /* CSR: the weight of the rows that have an entry here */
    double *count;  /* CSR: the number of such rows */
    double *x;      /* scratch: one row */
    struct negative_entry negative;
};

/* Blocks are those of all rows; this process has some, of the first and the last perhaps a part. */
struct summing {
    const struct sum_task *task;
    const temper_comm *comm;
    struct part *part; /* one for each own block */
    struct part all;   /* their sum */
    size_t blocks, first, own;
    uint64_t from, to, count; /* own rows among all, and these */
    size_t columns, length;   /* numbers of a state */
    const double *mean;       /* NULL in the first pass */
    bool sparse;
};

/* False, with the place in part->negative, where a logarithm fails. */
bool column_add_row(const struct summing *summing, struct part *part, size_t row, double weight);

#endif
