/* rows: what objectives and groups share: how rows are cut, converted and scaled.
 *
 * Rows are taken in blocks that fit the cache; blocks belong to parts, each with sums of its own,
 * which are added in the order of the parts. How many there are depends on the shape of the data
 * alone, so any number of threads gives the same bits. */
#ifndef OBJECTIVE_BLOCKS_H
#define OBJECTIVE_BLOCKS_H

#include "data/columns/scale.h"
#include "data/dataset.h"
#include "data/memory/page_window.h"
#include "kernel/dispatch/kernel.h"
#include "kernel/sparse/sparse_products.h"

struct cut {
    size_t rows, block_rows;
    size_t part_rows;   /* of each part but the last */
    size_t part_blocks; /* blocks of each part */
    size_t parts;
};

/* The rows of a block. */
struct span {
    size_t from, count;
    size_t block; /* its number */
};

/* The rows of the i-th block of a part; none: count is 0. */
struct span cut_span(const struct cut *cut, size_t part, size_t i);

/* The rows of a span of a sparse matrix, in the widths that its arrays have. */
struct sparse_rows span_entries(const struct matrix *x, struct span span);

/* Threads that so many multiplications are worth, of those that there are. */
size_t worth_threads(size_t workers, double work);

/* Kernels of two kinds round differently, and processes would part company: TEMPER_USAGE. */
temper_status kernels_agree(const struct kernel *kernel, const temper_comm *comm, temper_error *error);

/* Whether scaling goes into the weights, not into the rows. */
bool scale_folds(const struct matrix *x, const struct scale *scale);

/* Whether the loss is one of the two-temperature family, which has fast kernels. */

/* (l2 / 2) |w|^2 of the weights alone; the intercepts, which come after them, are left out. */
double penalty(const double *w, size_t count, double l2);

/* The losses of margins: by the table, if there is one. */
struct margin_source {
    const struct kernel *kernel;
    const struct margin_table *table;
    temper_loss_spec loss;
};

/* number[0] has the margins; values, slopes and, if wanted, curvatures go to those behind it. */
void margin_losses(const struct margin_source *source, size_t count, double *const number[4], bool bends);

/* The rows of a span in the type of the sums, in place or in `space`; scaled unless that is NULL.
 */
const float *dense_rows_f32(const struct kernel *kernel, const struct matrix *x, struct span span,
                            const struct scale *scale, void *space);
const double *dense_rows_f64(const struct kernel *kernel, const struct matrix *x, struct span span,
                             const struct scale *scale, void *space);

#endif
