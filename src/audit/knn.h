/* neighbours: the rows nearest to each row, in a space of few dimensions. */
#ifndef AUDIT_KNN_H
#define AUDIT_KNN_H

#include <stddef.h>
#include <stdint.h>

#include "comm/comm.h"

/* Points that are searched; of more rows, so many, evenly spread. */
enum { NEIGHBOURS_AMONG = 20000 };

struct points {
    const float *x; /* [row * dimensions + j] */
    size_t rows, dimensions;
    const temper_comm *comm; /* each process, all having these points, finds a share; NULL: alone */
};

/* Fills index[row * count + i], nearest first and never the row itself, and the squared distance of
 * the last of them. Of more than some 3,000 rows a few of the nearest may be missed for others that
 * are nearly as near. There must be more than `count` rows. The same bits for any number of
 * threads.
 */
temper_status knn_find(struct points points, size_t count, size_t threads, uint32_t *index, double *square,
                       temper_error *error);

#endif
