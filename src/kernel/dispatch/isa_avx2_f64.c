/* isa_avx2_f64: the kernels on vectors of doubles. */
#define SIMD_F64
#include "kernel/dense/linear.inc.h"
#include "kernel/loss/column_margins.inc.h"
#include "kernel/loss/margin.inc.h"
#include "kernel/loss/residual.inc.h"
#include "kernel/loss/softmax.inc.h"
#include "kernel/small/cholesky_update.inc.h"
#include "kernel/small/column_range.inc.h"
#include "kernel/small/triangular_solve.inc.h"
#include "kernel/sparse/sparse_products.inc.h"

void margins_avx2(const struct margin_table *table, const double *margin, size_t n, double *value, double *slope,
                  double *curvature)
{
    margins_run(table, margin, n, value, slope, curvature);
}

RESIDUAL_FUNCTIONS(avx2)

void softmax_f64_avx2(const struct softmax_f64 *block)
{
    softmax_run(block);
}

void panel_avx2(const struct panel *panel)
{
    cholesky_update_run(panel);
}

void triangle_avx2(const double *l, size_t n, double *x)
{
    triangular_solve_run(l, n, x);
}

const struct linear_f64 linear_f64_avx2 = LINEAR_TABLE;
const struct sparse_kernels sparse_avx2 = SPARSE_TABLE(avx2, NULL, NULL);
const struct column_margin_kernels column_avx2 = COLUMN_TABLE;
const struct column_range_kernels spread_avx2 = SPREAD_TABLE;
