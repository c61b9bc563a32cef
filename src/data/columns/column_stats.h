/* column_stats: minimum, maximum, mean and variance of each column.
 *
 * Rows are summed in blocks whose number depends on the data alone, and blocks are added in their order: the same bits
 * for any number of threads and processes. */
#ifndef DATA_COLUMN_STATS_H
#define DATA_COLUMN_STATS_H

#include "data/dataset.h"

struct sum_task {
    const struct dataset *data; /* with its weights; rows of weight 0 are left out */
    const size_t *row;          /* `count` of them; NULL: the first `count` */
    size_t count;               /* MPI, without `row`: the rows of all processes */
    bool logs;                  /* statistics of log(1 + x), x >= 0 */
    bool variances;             /* computed by a second pass */
    size_t threads;
};

/* Without any row of weight above 0, columns have mean 0 and low > high. */
struct column_stats {
    double *low, *high, *mean;
    double *variance; /* weighted, divided by the sum of the weights */
};

/* The first negative entry, which has no logarithm. */
struct negative_entry {
    bool found;
    uint64_t row, column;
};

/* TEMPER_BAD_DATA with *negative filled and without a message, where a logarithm does not exist. MPI: all processes
 * return that; those that hold such an entry have it. */
temper_status column_stats(const struct sum_task *task, struct column_stats *out, struct negative_entry *negative,
                           temper_error *error);
/* About how many bytes this uses. */
double column_stats_bytes(const struct matrix *x);
void column_stats_free(struct column_stats *sums);

#endif
