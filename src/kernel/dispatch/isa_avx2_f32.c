/* isa_avx2_f32: the kernels on vectors of floats. */
#define SIMD_F32
#include "kernel/dense/linear.inc.h"
#include "kernel/loss/residual_f32.inc.h"
#include "kernel/loss/softmax.inc.h"
#include "kernel/sparse/sparse_products_f32.inc.h"

void residual_f32_avx2(const struct residual_rows *rows, float *activation, struct residual_sums *sums)
{
    if (floats_will_do(rows))
        residual_floats(rows, activation, sums, margins_avx2);
    else
        residual_f32_fine_avx2(rows, activation, sums);
}

void softmax_f32_avx2(const struct softmax_f32 *block)
{
    softmax_run(block);
}

void sparse_floats_avx2(struct sparse_rows rows, size_t width, const float *w, double *out)
{
    sparse_floats(rows, width, w, out);
}

const struct linear_f32 linear_f32_avx2 = LINEAR_TABLE;
