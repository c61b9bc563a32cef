/* isa_avx512_f64: the kernels on vectors of doubles. */
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

void margins_avx512(const struct margin_table *table, const double *margin, size_t n, double *value, double *slope,
                    double *curvature)
{
    margins_run(table, margin, n, value, slope, curvature);
}

RESIDUAL_FUNCTIONS(avx512)

void softmax_f64_avx512(const struct softmax_f64 *block)
{
    softmax_run(block);
}

void panel_avx512(const struct panel *panel)
{
    cholesky_update_run(panel);
}

void triangle_avx512(const double *l, size_t n, double *x)
{
    triangular_solve_run(l, n, x);
}

const struct linear_f64 linear_f64_avx512 = LINEAR_TABLE;
const struct sparse_kernels sparse_avx512 = SPARSE_TABLE(avx512, sparse_sell16_avx512, sparse_in_order_avx512);
const struct column_margin_kernels column_avx512 = COLUMN_TABLE;
const struct column_range_kernels spread_avx512 = SPREAD_TABLE;
