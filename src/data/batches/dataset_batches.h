/* slices: the rows of a dataset that is not in memory, some at a time. */
#ifndef DATA_DATASET_BATCHES_H
#define DATA_DATASET_BATCHES_H

#include "data/dataset.h"

struct dataset_batches {
    struct dataset *whole; /* outlives its slices */
    uint64_t given;        /* rows of it that were */
    size_t rows;           /* at a time */
};

/* Rows of a slice, if so many numbers are made of each: multiples of what the kernels take at once,
 * so that no row is in other company than it would be in the whole file. */
enum { SLICE_LEAST = 256 };
size_t dataset_batches_rows(size_t numbers);

/* The next rows into an empty dataset, which borrows their features; *some is false behind the
 * last.
 */
temper_status dataset_batches_next(struct dataset_batches *slices, struct dataset *data, bool *some,
                                   temper_error *error);

#endif
