/* slabs: a copy of a sparse matrix in which rows of like length lie side by side. */
#ifndef OBJECTIVE_SELL16_H
#define OBJECTIVE_SELL16_H

#include "base/status.h"
#include "kernel/sparse/sparse_products.h"

enum { SLAB_GROUPS = 64 };

struct sell16 {
    uint64_t *start;
    uint32_t *row;
    uint16_t *column16;
    uint32_t *column;
    float *value;
    struct sparse_sell16 all;
    size_t group[SLAB_GROUPS + 1]; /* the first slab of each, about as many entries, and the end */
};

/* Of rows with columns below `columns`. False: no memory; what there is, is freed by sell16_free in
 * any case. */
bool sell16_make(const struct sparse_rows *rows, size_t columns, struct sell16 *out);
/* The same of their columns. */
bool sell16_reorder(const struct sparse_rows *rows, size_t columns, struct sell16 *out);
void sell16_free(struct sell16 *slabs);
static inline bool sell16_there(const struct sell16 *slabs)
{
    return slabs->start != NULL;
}

/* out[row] of all rows: the sum of its squares, in the order of its entries. */
void sell16_squares(const struct sell16 *slabs, double *out);

/* out[row] of all rows, by so many threads: the same bits as kernels->in_order. */
temper_status sell16_times(const struct sell16 *slabs, const struct sparse_kernels *kernels, size_t threads,
                           const float *w, double *out);

#endif
