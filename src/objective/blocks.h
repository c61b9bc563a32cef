/* blocks: what single and batched objectives share: how rows are divided, converted and scaled.
 *
 * Rows are processed in blocks that fit the cache. Blocks belong to parts, each with its own sums, which are added in
 * the order of the parts. Their number depends on the shape of the data alone, so any number of threads gives the
 * same bits. */
#ifndef OBJECTIVE_BLOCKS_H
#define OBJECTIVE_BLOCKS_H

#include "data/columns/scale.h"
#include "data/dataset.h"
#include "data/memory/page_window.h"
#include "kernel/dispatch/kernel.h"
#include "kernel/sparse/sparse_products.h"

struct block_layout {
    size_t rows, block_rows;
    size_t part_rows;   /* of each part but the last */
    size_t part_blocks; /* blocks of each part */
    size_t parts;
};

/* The rows of a block. */
struct row_span {
    size_t from, count;
    size_t block; /* index of the block */
};

/* The rows of the i-th block of a part; count is 0 behind the last. */
struct row_span block_rows_of(const struct block_layout *layout, size_t part, size_t i);

/* The rows of a span of a CSR matrix, in the widths of its arrays. */
struct sparse_rows span_entries(const struct matrix *x, struct row_span span);

/* Kernels for different processors round differently, which would break identical results: TEMPER_USAGE if the
 * processes have not all chosen the same one. */
temper_status check_same_kernel(const struct kernel *kernel, const temper_comm *comm, temper_error *error);

/* Whether scaling is applied to the weights instead of the rows. */
bool scale_folds(const struct matrix *x, const struct scale *scale);

/* The chain rule of folded scaling, for column j: from the derivative by the weight of the raw feature to that by the
 * weight of the scaled one. `intercept` is the derivative by the intercept. That of a feature which is always 0 would
 * be rounding. */
static inline double scaled_derivative(const struct scale *scale, size_t j, double raw, double intercept)
{
    bool zero = scale->is_zero && scale->is_zero[j];
    return zero ? 0 : (raw - scale->offset[j] * intercept) * scale->factor[j];
}

/* (l2 / 2) |w|^2 over `count` weights; the intercepts behind them are not penalised. */
double l2_penalty(const double *w, size_t count, double l2);

/* How the losses of margins are computed: from the table, if there is one. */
struct margin_source {
    const struct kernel *kernel;
    const struct margin_table *table;
    temper_loss_spec loss;
};

/* number[0] holds the margins; losses, slopes and, if wanted, curvatures are written to number[1..3]. */
void margin_losses(const struct margin_source *source, size_t count, double *const number[4], bool curvatures);

/* The rows of a span in the type of the sums: the matrix itself, or converted into `space`; scaled unless `scale` is
 * NULL. */
const float *dense_rows_f32(const struct kernel *kernel, const struct matrix *x, struct row_span span,
                            const struct scale *scale, void *space);
const double *dense_rows_f64(const struct kernel *kernel, const struct matrix *x, struct row_span span,
                             const struct scale *scale, void *space);

#endif
