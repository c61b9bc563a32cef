/* sell16: a copy of a sparse matrix in the sliced ELLPACK format, SELL-C-sigma of Kreutzer, Hager, Wellein, Fehske and
 * Bishop, "A unified sparse matrix data format for efficient general sparse matrix-vector multiplication on modern
 * processors with wide SIMD units", SIAM J. Sci. Comput. 36 (2014), with C = 16 and sigma = SELL16_WINDOW.
 *
 * Rows of a window are sorted by length, longest first, and 16 successive ones form a slice. Within a slice entries are
 * stored step by step: the first entries of all 16 rows, then the second ones, and so on, shorter rows being padded
 * with zeros. A vector instruction then handles one entry of each of 16 rows, and each lane adds its row in the order
 * of its entries, which keeps the bits of a plain loop. Since neighbours have like lengths, there is little padding.
 *
 *     rows  a: 1 2 3   b: 4 5   c: 6        C = 3, one slice:  1 4 6 | 2 5 0 | 3 0 0
 */
#ifndef OBJECTIVE_SELL16_H
#define OBJECTIVE_SELL16_H

#include "base/status.h"
#include "base/thread.h"
#include "kernel/sparse/sparse_products.h"

enum {
    SELL16_GROUPS = 64,
    SELL16_WINDOW = 2048, /* rows that are sorted by length together: their entries fit the cache */
};

struct sell16 {
    uint64_t *start;    /* [slices + 1]: the first step of each slice; step s has entries [16 s, 16 s + 16) */
    uint32_t *row;      /* [rows]: which row each lane holds, longest first */
    uint16_t *column16; /* column of each entry, if 16 bits are enough; or */
    uint32_t *column;
    float *value;
    struct sparse_sell16 all; /* the same, as the kernels take it */
    size_t
        group[SELL16_GROUPS + 1]; /* slices are divided into groups of about equal work: the first of each, the end */
};

/* A copy of rows with columns below `columns`, by so many threads. False: no memory; sell16_free is called in any
 * case. */
bool sell16_make(const struct sparse_rows *rows, size_t columns, struct thread_team team, struct sell16 *out);
/* A copy of their transpose. */
bool sell16_transpose(const struct sparse_rows *rows, size_t columns, struct thread_team team, struct sell16 *out);
void sell16_free(struct sell16 *sell);
static inline bool sell16_exists(const struct sell16 *sell)
{
    return sell->start != NULL;
}

/* out[row] = the sum of the squares of the row, in the order of its entries. */
void sell16_squares(const struct sell16 *sell, double *out);

/* out = matrix times w, on so many threads: the same bits as kernels->in_order. */
temper_status sell16_times(const struct sell16 *sell, const struct sparse_kernels *kernels, struct thread_team team,
                           const float *w, double *out);

#endif
