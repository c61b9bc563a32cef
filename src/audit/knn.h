/* knn: the nearest neighbours of each row, in a space of few dimensions. */
#ifndef AUDIT_KNN_H
#define AUDIT_KNN_H

#include <stddef.h>
#include <stdint.h>

#include "comm/comm.h"

/* Neighbours are searched among so many rows, evenly spread, if there are more. */
enum { NEIGHBOURS_AMONG = 20000 };

struct points {
    const float *x; /* [row * dimensions + j] */
    size_t rows, dimensions;
    const temper_comm *comm; /* every process has all points, and searches for a share of them; NULL: one process */
};

/* Fills index[row * count + i], nearest first and never the row itself, and the squared distance of the last of them.
 * The search is exact up to 2,560 rows and approximate beyond: it compares a row with the nearest tiles of points only.
 * There must be more than `count` rows. The same bits for any number of threads. */
temper_status knn_find(struct points points, size_t count, size_t threads, uint32_t *index, double *square,
                       temper_error *error);

/* Orders the rows so that those near each other in space are near each other in order[points.rows]: recursive bisection
 * at the median of the feature of largest variance, as in a k-d tree (J. L. Bentley, "Multidimensional binary search
 * trees used for associative searching", 1975), down to `leaf` rows. Leaves are at multiples of their size. */
void knn_order(struct points points, size_t leaf, uint32_t *order);

#endif
