/* isa_avx2_f32: the kernels on vectors of floats. */
#define SIMD_F32
#include "kernel/linear_body.h"
#include "kernel/softmax_body.h"

void softmax_f32_avx2(const struct softmax_f32 *block)
{
    softmax_run(block);
}

const struct linear_f32 linear_f32_avx2 = LINEAR_TABLE;
