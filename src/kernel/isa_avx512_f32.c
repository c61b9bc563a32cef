/* isa_avx512_f32: the kernels on vectors of floats. */
#define SIMD_F32
#include "kernel/linear_body.h"
#include "kernel/softmax_body.h"

void softmax_f32_avx512(const struct softmax_f32 *block)
{
    softmax_run(block);
}

const struct linear_f32 linear_f32_avx512 = LINEAR_TABLE;
