/* linear_simd: vector operations of the linear kernels beyond simd.h: partial loads, sums across lanes,
 * transposition. */
#ifndef KERNEL_LINEAR_SIMD_H
#define KERNEL_LINEAR_SIMD_H

#include <stddef.h>

#include "kernel/dense/linear.h"
#include "kernel/dispatch/simd.h"

#ifdef SIMD_F32
typedef struct rows_f32 rows_type;
typedef struct many_f32 many_type;
#else
typedef struct rows_f64 rows_type;
typedef struct many_f64 many_type;
#endif

/* Arrays of vectors are kept in registers only if the loops over them are unrolled. With the checks of a
 * sanitizer at every access that would take the compiler minutes, so they are not unrolled there. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LINEAR_LOOPS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LINEAR_LOOPS
#endif
#endif
#if defined(LINEAR_LOOPS)
#define UNROLL
#elif defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif

enum {
    QUARTER = 16 / sizeof(real), /* numbers in 128 bits, within which permutations are cheap */
    QUARTERS = SIMD_BYTES / 16,
};

/* Keeps a vector in a register: compilers would load it again for each use, and load ports are the
 * bottleneck. */
HOT vec vec_keep(vec v)
{
#if defined(__x86_64__)
    __asm__("" : "+v"(v));
#elif defined(__aarch64__)
    __asm__("" : "+w"(v));
#endif
    return v;
}

HOT size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

HOT size_t round_up(size_t n, size_t step)
{
    return (n + step - 1) / step * step;
}

/* ---- The first lanes of a vector ----------------------------------------------------------------
 */

/* The first lanes of a vector, 1 to LANES, as a mask (AVX-512, AVX2) or a count (NEON, WebAssembly). */
#if defined(__AVX512F__)
typedef uint32_t part;
#elif defined(__AVX2__)
typedef ivec part;
#else
typedef size_t part;
#endif

/* The mask of the first `lanes` lanes. */
HOT part part_of(size_t lanes)
{
#if defined(__AVX512F__)
    return (part)((1U << lanes) - 1);
#elif defined(__AVX2__)
    whole ones[LANES];
    ivec v;
    for (size_t lane = 0; lane < LANES; lane++)
        ones[lane] = lane < lanes ? -1 : 0;
    memcpy(&v, ones, sizeof v);
    return v;
#else
    return lanes;
#endif
}

/* Loads the lanes of the mask; 0 in the others, whose memory is not accessed. */
HOT vec vec_load_part(const real *from, part lanes)
{
#if defined(__AVX512F__) && defined(SIMD_F32)
    return (vec)_mm512_maskz_loadu_ps((__mmask16)lanes, from);
#elif defined(__AVX512F__)
    return (vec)_mm512_maskz_loadu_pd((__mmask8)lanes, from);
#elif defined(__AVX2__)
    return (vec)SIMD_OP(maskload)(from, (__m256i)lanes);
#else
    if (lanes == LANES)
        return vec_load(from);
    vec v = {0};
    for (size_t lane = 0; lane < lanes; lane++)
        v[lane] = from[lane];
    return v;
#endif
}

#ifdef SIMD_F32
/* Loads of bytes, converted to floats. */
HOT vec vec_widen(const uint8_t *from)
{
#if defined(__AVX512F__)
    return (vec)_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)from)));
#elif defined(__AVX2__)
    return (vec)_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)from)));
#elif defined(__wasm_simd128__)
    return (vec){from[0], from[1], from[2], from[3]};
#else
    uint32_t bytes;
    memcpy(&bytes, from, sizeof bytes);
    return (vec)vcvtq_f32_u32(vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(bytes)))));
#endif
}

/* The first lanes only, without access to the bytes after them. */
HOT vec vec_widen_part(const uint8_t *from, part lanes)
{
#if defined(__AVX512F__)
    return (vec)_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8((__mmask16)lanes, from)));
#else
    uint8_t bytes[LANES] = {0};
    for (size_t lane = 0; lane < LANES; lane++)
#if defined(__AVX2__)
        if (lanes[lane])
#else
        if (lane < lanes)
#endif
            bytes[lane] = from[lane];
    return vec_widen(bytes);
#endif
}
#else
/* Loads of floats, converted to doubles. */
HOT vec vec_widen(const float *from)
{
#if defined(__AVX512F__)
    return (vec)_mm512_cvtps_pd(_mm256_loadu_ps(from));
#elif defined(__AVX2__)
    return (vec)_mm256_cvtps_pd(_mm_loadu_ps(from));
#elif defined(__wasm_simd128__)
    return (vec){from[0], from[1]};
#else
    return (vec)vcvt_f64_f32(vld1_f32(from));
#endif
}

/* The same for floats. AVX2: the mask of four doubles is narrowed to one of four floats. */
HOT vec vec_widen_part(const float *from, part lanes)
{
#if defined(__AVX512F__)
    return (vec)_mm512_cvtps_pd(_mm256_maskz_loadu_ps((__mmask8)lanes, from));
#elif defined(__AVX2__)
    __m256i pairs = _mm256_permutevar8x32_epi32((__m256i)lanes, _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0));
    return (vec)_mm256_cvtps_pd(_mm_maskload_ps(from, _mm256_castsi256_si128(pairs)));
#else
    vec v = {0};
    for (size_t lane = 0; lane < lanes; lane++)
        v[lane] = (double)from[lane];
    return v;
#endif
}
#endif

/* ---- Permutations ---------------------------------------------------------------------------- */

/* Within each 128 bits, interleaves the low (or high) halves of two vectors. */
HOT vec zip_low(vec a, vec b)
{
#if defined(__AVX2__)
    return (vec)SIMD_OP(unpacklo)((native)a, (native)b);
#elif defined(__wasm_simd128__) && defined(SIMD_F32)
    return __builtin_shufflevector(a, b, 0, 4, 1, 5);
#elif defined(__wasm_simd128__)
    return __builtin_shufflevector(a, b, 0, 2);
#elif defined(SIMD_F32)
    return (vec)vzip1q_f32((float32x4_t)a, (float32x4_t)b);
#else
    return (vec)vzip1q_f64((float64x2_t)a, (float64x2_t)b);
#endif
}

HOT vec zip_high(vec a, vec b)
{
#if defined(__AVX2__)
    return (vec)SIMD_OP(unpackhi)((native)a, (native)b);
#elif defined(__wasm_simd128__) && defined(SIMD_F32)
    return __builtin_shufflevector(a, b, 2, 6, 3, 7);
#elif defined(__wasm_simd128__)
    return __builtin_shufflevector(a, b, 1, 3);
#elif defined(SIMD_F32)
    return (vec)vzip2q_f32((float32x4_t)a, (float32x4_t)b);
#else
    return (vec)vzip2q_f64((float64x2_t)a, (float64x2_t)b);
#endif
}

#ifdef SIMD_F32
/* The same with pairs of numbers. */
HOT vec zip_low_pairs(vec a, vec b)
{
#if defined(__AVX512F__)
    return (vec)_mm512_unpacklo_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX2__)
    return (vec)_mm256_unpacklo_pd((__m256d)a, (__m256d)b);
#elif defined(__wasm_simd128__)
    return __builtin_shufflevector(a, b, 0, 1, 4, 5);
#else
    return (vec)vzip1q_f64((float64x2_t)a, (float64x2_t)b);
#endif
}

HOT vec zip_high_pairs(vec a, vec b)
{
#if defined(__AVX512F__)
    return (vec)_mm512_unpackhi_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX2__)
    return (vec)_mm256_unpackhi_pd((__m256d)a, (__m256d)b);
#elif defined(__wasm_simd128__)
    return __builtin_shufflevector(a, b, 2, 3, 6, 7);
#else
    return (vec)vzip2q_f64((float64x2_t)a, (float64x2_t)b);
#endif
}
#endif

/* ---- Sums across lanes ----------------------------------------------------------------------- */

/* Within each 128 bits: number k is the sum of those 128 bits of v[k], k < QUARTER. */
HOT vec sum_quarters(const vec *v)
{
#ifdef SIMD_F32
    vec a = zip_low(v[0], v[1]) + zip_high(v[0], v[1]);
    vec b = zip_low(v[2], v[3]) + zip_high(v[2], v[3]);
    return zip_low_pairs(a, b) + zip_high_pairs(a, b);
#else
    return zip_low(v[0], v[1]) + zip_high(v[0], v[1]);
#endif
}

/* Lane k is the sum of the lanes of v[k], in an order of additions that does not depend on k. */
HOT vec sum_each(const vec *v)
{
#if defined(__AVX512F__)
    __m512 a = (__m512)sum_quarters(v), b = (__m512)sum_quarters(v + QUARTER);
    __m512 c = (__m512)sum_quarters(v + 2 * QUARTER), d = (__m512)sum_quarters(v + 3 * QUARTER);
    vec ab = (vec)_mm512_shuffle_f32x4(a, b, 0x44) + (vec)_mm512_shuffle_f32x4(a, b, 0xee);
    vec cd = (vec)_mm512_shuffle_f32x4(c, d, 0x44) + (vec)_mm512_shuffle_f32x4(c, d, 0xee);
    return (vec)_mm512_shuffle_f32x4((__m512)ab, (__m512)cd, 0x88) +
           (vec)_mm512_shuffle_f32x4((__m512)ab, (__m512)cd, 0xdd);
#elif defined(__AVX2__)
    __m256 a = (__m256)sum_quarters(v), b = (__m256)sum_quarters(v + QUARTER);
    return (vec)_mm256_permute2f128_ps(a, b, 0x20) + (vec)_mm256_permute2f128_ps(a, b, 0x31);
#else
    return sum_quarters(v);
#endif
}

/* ---- Transposition --------------------------------------------------------------------------- */

/* 128 bits of every QUARTER-th row, of QUARTERS rows. */
HOT vec load_quarters(const real *const *row, size_t column)
{
#if defined(__AVX512F__)
    __m512 v = _mm512_castps128_ps512(_mm_loadu_ps((const float *)(row[0] + column)));
    v = _mm512_insertf32x4(v, _mm_loadu_ps((const float *)(row[QUARTER] + column)), 1);
    v = _mm512_insertf32x4(v, _mm_loadu_ps((const float *)(row[2 * QUARTER] + column)), 2);
    return (vec)_mm512_insertf32x4(v, _mm_loadu_ps((const float *)(row[3 * QUARTER] + column)), 3);
#elif defined(__AVX2__)
    __m256 v = _mm256_castps128_ps256(_mm_loadu_ps((const float *)(row[0] + column)));
    return (vec)_mm256_insertf128_ps(v, _mm_loadu_ps((const float *)(row[QUARTER] + column)), 1);
#else
    return vec_load(row[0] + column);
#endif
}

/* Transposes QUARTER columns of LANES rows: one vector for each column. */
HOT void load_transposed(const real *const *row, size_t column, vec *to)
{
#ifdef SIMD_F32
    vec a = load_quarters(row, column), b = load_quarters(row + 1, column);
    vec c = load_quarters(row + 2, column), d = load_quarters(row + 3, column);
    vec ac = zip_low(a, c), bd = zip_low(b, d), ac_high = zip_high(a, c), bd_high = zip_high(b, d);
    to[0] = zip_low(ac, bd);
    to[1] = zip_high(ac, bd);
    to[2] = zip_low(ac_high, bd_high);
    to[3] = zip_high(ac_high, bd_high);
#else
    vec a = load_quarters(row, column), b = load_quarters(row + 1, column);
    to[0] = zip_low(a, b);
    to[1] = zip_high(a, b);
#endif
}

#endif
