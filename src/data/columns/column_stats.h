/* column_stats: least, greatest, mean and variance of each column.
 *
 * Rows are summed in blocks whose number depends on the data alone, and blocks are added in their
 * order: the same bits for any number of threads. */
#ifndef DATA_COLUMN_STATS_H
#define DATA_COLUMN_STATS_H

#include "data/dataset.h"

struct sum_task {
    const struct dataset *data; /* with its weights, if it has any; rows of weight 0 do not count */
    const size_t *row;          /* `count` of them; NULL: the first `count` */
    size_t count;               /* of several processes, without `row`: all rows of all */
    bool logs;                  /* of log(1 + x), x >= 0 */
    bool variances;             /* a second pass */
    size_t threads;
};

/* Columns of no row, or of rows of weight 0 only, have mean 0 and low > high. */
struct column_stats {
    double *low, *high, *mean;
    double *variance; /* around the mean, divided by the sum of the weights */
};

/* The first entry that has no logarithm. */
struct negative_entry {
    bool found;
    uint64_t row, column;
};

/* TEMPER_BAD_DATA with *negative filled, and no words, where a logarithm fails. Of several
 * processes all return that, and only those have the entry that have found it. */
temper_status column_stats(const struct sum_task *task, struct column_stats *out, struct negative_entry *negative,
                           temper_error *error);
/* Bytes that this takes, about. */
double column_stats_bytes(const struct matrix *x);
void column_stats_free(struct column_stats *sums);

#endif
