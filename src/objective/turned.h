/* turned: a sparse matrix column by column, for gradients that are too large to be added to at
 * random. */
#ifndef OBJECTIVE_TURNED_H
#define OBJECTIVE_TURNED_H

#include "data/matrix.h"
#include "kernel/sparse.h"

struct turned {
    uint64_t *start; /* of each column; what lies between two of them are its entries, */
    uint32_t *row;   /* ascending */
    float *value;
    size_t columns;
    uint64_t nonzeros;
};

/* At most UINT32_MAX rows. False: no memory; what there is, is freed by turned_free in any case. */
bool turned_make(const struct matrix *x, struct turned *out);
void turned_free(struct turned *turned);

/* Columns are worked through in groups that have about as many entries each. */
enum { TURNED_GROUPS = 64 };
struct turned_group {
    size_t from, to;            /* columns */
    struct sparse_rows entries; /* as rows, whose columns are row numbers */
};
struct turned_group turned_group(const struct turned *turned, size_t group);

#endif
