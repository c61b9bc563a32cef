/* isa_f64: the kernels on vectors of doubles of one instruction set; the including file defines SET. */
#define SIMD_F64
#include "kernel/dense/linear.inc.h"
#include "kernel/loss/column_margins.inc.h"
#include "kernel/loss/margin.inc.h"
#include "kernel/loss/noise_sums.inc.h"
#include "kernel/loss/probability.inc.h"
#include "kernel/loss/residual.inc.h"
#include "kernel/loss/softmax.inc.h"
#include "kernel/loss/softmax_targets.inc.h"
#include "kernel/small/cholesky_update.inc.h"
#include "kernel/small/column_range.inc.h"
#include "kernel/small/triangular_solve.inc.h"
#include "kernel/sparse/sparse_products.inc.h"

/* External names: the templates define static functions, whose names are the same for every set. */
void SET(margins)(const struct margin_table *table, const double *margin, size_t n, double *value, double *slope,
                  double *curvature)
{
    margins_run(table, margin, n, value, slope, curvature);
}

/* Float activations with losses in doubles. Without polynomials (few rows, or temperatures that have none) each row
 * needs the solver, which has no vector version. */
BINARY_PASS void SET(residual_f32_fine)(const struct residual_rows *rows, float *activation, struct residual_sums *sums)
{
    if (rows->table->form == MARGIN_EXACT)
        residual_f32_plain(rows, activation, sums);
    else
        residual_run(rows, activation, sums, true);
}

BINARY_PASS void SET(residual_f64)(const struct residual_rows *rows, double *activation, struct residual_sums *sums)
{
    if (rows->table->form == MARGIN_EXACT)
        residual_f64_plain(rows, activation, sums);
    else
        residual_run(rows, activation, sums, false);
}

void SET(softmax_f64)(const struct softmax_f64 *block)
{
    softmax_run(block);
}

void SET(softmax_targets_f64)(const struct softmax_targets_f64 *rows)
{
    softmax_targets_run(rows);
}

/* The softmax of more than two classes has a kernel on floats, which is in the other file of the set. */
void SET(probabilities)(const struct probability_rows *rows)
{
    if (probability_in_floats(rows))
        SET(probabilities_f32)(rows);
    else
        probabilities_run(rows);
}

void SET(cholesky_update)(const struct cholesky_panel *panel)
{
    cholesky_update_run(panel);
}

void SET(triangular_solve)(const double *l, size_t n, double *x)
{
    triangular_solve_run(l, n, x);
}

const struct linear_f64 SET(linear_f64) = LINEAR_TABLE;
const struct column_margin_kernels SET(column_margins) = COLUMN_TABLE;
const struct column_range_kernels SET(column_range) = RANGE_TABLE;
const struct noise_kernels SET(noise) = NOISE_TABLE;
const struct sparse_kernels SET(sparse) = {
    .times = sparse_times_fast,
    .back = sparse_back_fast,
    .many_times = sparse_many_times_fast,
    .many_times_f32 = SET(sparse_floats),
    .many_back = sparse_many_back_fast,
#if defined(__AVX512F__) || defined(__AVX2__)
    .sell16 = SET(sparse_sell16),
    .in_order = SET(sparse_in_order),
#endif
};
