/* column_range: column_range.h on vectors of doubles. */
#include "kernel/dense/linear_simd.h"
#include "kernel/small/column_range.h"

/* Vectors of columns whose sums stay in registers over all rows. */
enum { RANGE_STRIP = 4, RANGE_LINE = 64 };

/* LANES bytes as doubles. */
HOT vec vec_from_bytes(const uint8_t *from)
{
#if defined(__AVX512F__)
    return (vec)_mm512_cvtepi32_pd(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)from)));
#elif defined(__AVX2__)
    int32_t bytes;
    memcpy(&bytes, from, sizeof bytes);
    return (vec)_mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(bytes)));
#else
    return (vec){from[0], from[1]};
#endif
}

#define stored      float
#define LOAD        vec_widen
#define RANGE(name) range_##name##_f32
#include "kernel/small/column_range_vectors.inc.h"

#define stored      double
#define LOAD        vec_load
#define RANGE(name) range_##name##_f64
#include "kernel/small/column_range_vectors.inc.h"

#define stored      uint8_t
#define LOAD        vec_from_bytes
#define RANGE(name) range_##name##_u8
#include "kernel/small/column_range_vectors.inc.h"

#define RANGE_TABLE                                                                                                    \
    {range_first_f32, range_first_f64, range_first_u8, range_second_f32, range_second_f64, range_second_u8}
