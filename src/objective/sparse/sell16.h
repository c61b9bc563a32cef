/* slabs: a copy of a sparse matrix in which rows of like length lie side by side. */
#ifndef OBJECTIVE_SELL16_H
#define OBJECTIVE_SELL16_H

#include "base/status.h"
#include "kernel/sparse/sparse_products.h"

enum { SLAB_GROUPS = 64 };

struct slabs {
    uint64_t *start;
    uint32_t *row;
    uint16_t *column16;
    uint32_t *column;
    float *value;
    struct sparse_slabs all;
    size_t group[SLAB_GROUPS + 1]; /* the first slab of each, about as many entries, and the end */
};

/* Of rows with columns below `columns`. False: no memory; what there is, is freed by slabs_free in
 * any case. */
bool slabs_make(const struct sparse_rows *rows, size_t columns, struct slabs *out);
/* The same of their columns. */
bool slabs_turn(const struct sparse_rows *rows, size_t columns, struct slabs *out);
void slabs_free(struct slabs *slabs);
static inline bool slabs_there(const struct slabs *slabs)
{
    return slabs->start != NULL;
}

/* out[row] of all rows: the sum of its squares, in the order of its entries. */
void slabs_squares(const struct slabs *slabs, double *out);

/* out[row] of all rows, by so many threads: the same bits as kernels->in_order. */
temper_status slabs_times(const struct slabs *slabs, const struct sparse_kernels *kernels,
                          size_t threads, const float *w, double *out);

#endif
