/* column_margins: column_margins.h on vectors of doubles. */
#include "kernel/dense/linear_simd.h"
#include "kernel/loss/column_margins.h"

/* Stores doubles as floats, each rounded once. */
HOT void vec_narrow(float *to, vec v)
{
#if defined(__AVX512F__)
    _mm256_storeu_ps(to, _mm512_cvtpd_ps((__m512d)v));
#elif defined(__AVX2__)
    _mm_storeu_ps(to, _mm256_cvtpd_ps((__m256d)v));
#elif defined(__wasm_simd128__)
    to[0] = (float)v[0];
    to[1] = (float)v[1];
#else
    vst1_f32(to, vcvt_f32_f64((float64x2_t)v));
#endif
}

/* In the order of the lanes, so that every compiler gives the same bits. */
HOT double sum_across(vec v)
{
    double sum = 0;
    for (int lane = 0; lane < LANES; lane++)
        sum += v[lane];
    return sum;
}

#define stored       float
#define LOAD         vec_widen
#define STORE        vec_narrow
#define COLUMN(name) column_##name##_f32
#include "kernel/loss/column_margins_vectors.inc.h"

#define stored       double
#define LOAD         vec_load
#define STORE        vec_store
#define COLUMN(name) column_##name##_f64
#include "kernel/loss/column_margins_vectors.inc.h"

#define COLUMN_TABLE {column_margins_f32, column_margins_f64, column_residuals_f32, column_residuals_f64}
