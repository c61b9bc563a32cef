/* simd: one vector type for every instruction set.
 *
 * The including file defines SIMD_F32 or SIMD_F64; its compiler flags select the instructions. `vec` and
 * `ivec` are vector types of the compiler, with + - * / and comparisons (which give lanes of all ones or
 * all zeros); the functions here are what C has no operator for. */
#ifndef KERNEL_SIMD_H
#define KERNEL_SIMD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#if defined(__AVX512F__)
#define SIMD_BYTES 64
#elif defined(__AVX2__)
#define SIMD_BYTES 32
#else
#define SIMD_BYTES 16
#endif

#ifdef SIMD_F32
typedef float real;
typedef int32_t whole; /* as wide as a real */
#else
typedef double real;
typedef int64_t whole;
#endif

/* Lanes that hold numbers, and lanes of the same width that hold masks and bit patterns. */
typedef real vec __attribute__((vector_size(SIMD_BYTES)));
typedef whole ivec __attribute__((vector_size(SIMD_BYTES)));

enum { LANES = SIMD_BYTES / sizeof(real) };

/* x86 intrinsics of the width and type of `vec`: SIMD_OP(max) is _mm512_max_ps, ..., _mm256_max_pd. */
#if defined(__AVX512F__) && defined(SIMD_F32)
#define SIMD_OP(name) _mm512_##name##_ps
typedef __m512 native;
#elif defined(__AVX512F__)
#define SIMD_OP(name) _mm512_##name##_pd
typedef __m512d native;
#elif defined(__AVX2__) && defined(SIMD_F32)
#define SIMD_OP(name) _mm256_##name##_ps
typedef __m256 native;
#elif defined(__AVX2__)
#define SIMD_OP(name) _mm256_##name##_pd
typedef __m256d native;
#endif

/* Functions of a hot loop: inlined, so that vectors stay in registers. */
#define HOT static inline __attribute__((always_inline))

/* Functions that a training on dense rows of two classes calls. They are placed next to each other, about 40 of the 300
 * KiB of a file of kernels: the first training of a process takes longer to map pages of code than to execute them. */
#ifdef __ELF__
#define BINARY_PASS __attribute__((section(".text.hot.binary")))
#else
#define BINARY_PASS
#endif

/* memcpy compiles to one unaligned load, and is defined for any address. */
HOT vec vec_load(const real *from)
{
    vec v;
    memcpy(&v, from, sizeof v);
    return v;
}

HOT void vec_store(real *to, vec v)
{
    memcpy(to, &v, sizeof v);
}

HOT vec vec_all(real x)
{
    return x - (vec){0}; /* not 0 + x, which loses the sign of -0 */
}

HOT ivec ivec_all(whole x)
{
    return (ivec){0} + x;
}

/* Where a lane of `mask` is all ones, `yes`; where it is zero, `no`. */
HOT vec vec_select(ivec mask, vec yes, vec no)
{
    return (vec)((mask & (ivec)yes) | (~mask & (ivec)no));
}

/* Clears the sign bit. */
HOT vec vec_abs(vec v)
{
    return (vec)((ivec)v & ~(ivec)vec_all((real)-0.0));
}

/* a * b + c, rounded once; WebAssembly has no such instruction, and rounds twice. */
HOT vec vec_fma(vec a, vec b, vec c)
{
#if defined(__AVX2__)
    return (vec)SIMD_OP(fmadd)((native)a, (native)b, (native)c);
#elif defined(__wasm_simd128__)
    return a * b + c;
#elif defined(__ARM_NEON) && defined(SIMD_F32)
    return (vec)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return (vec)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#endif
}

/* The second argument where either is NaN. */
HOT vec vec_max(vec a, vec b)
{
#if defined(__AVX2__)
    return (vec)SIMD_OP(max)((native)a, (native)b);
#else
    return vec_select(a > b, a, b);
#endif
}

HOT vec vec_min(vec a, vec b)
{
#if defined(__AVX2__)
    return (vec)SIMD_OP(min)((native)a, (native)b);
#else
    return vec_select(a < b, a, b);
#endif
}

/* True if any lane of the mask is set. */
HOT bool vec_any(ivec mask)
{
#if defined(__AVX512F__)
    return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#elif defined(__wasm_simd128__)
    return wasm_v128_any_true((v128_t)mask);
#else
    return vmaxvq_u32((uint32x4_t)mask) != 0;
#endif
}

/* The binary format: exponent bits above mantissa bits. */
#ifdef SIMD_F32
enum { MANTISSA_BITS = 23 };
#define ROUNDING_MAGIC 12582912.0f /* 1.5 * 2^23: adding it rounds to an integer */
#else
enum { MANTISSA_BITS = 52 };
#define ROUNDING_MAGIC 6755399441055744.0 /* 1.5 * 2^52 */
#endif

/* v * 2^n for integer n, given as n + ROUNDING_MAGIC; the result must be normal. */
HOT vec vec_scale(vec v, vec shifted)
{
#if defined(__AVX512F__)
    return (vec)SIMD_OP(scalef)((native)v, (native)(shifted - ROUNDING_MAGIC));
#else
    ivec n = (ivec)shifted - (ivec)vec_all((real)ROUNDING_MAGIC);
    return (vec)((ivec)v + (n << MANTISSA_BITS));
#endif
}

/* v = mantissa * 2^exponent, the mantissa in [3/4, 3/2); v must be normal and positive. */
HOT vec vec_split(vec v, vec *exponent)
{
#if defined(__AVX512F__)
    *exponent = (vec)SIMD_OP(getexp)((native)(v * (real)(4.0 / 3)));
    return (vec)SIMD_OP(getmant)((native)v, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_src);
#else
    ivec k = ((ivec)v - (ivec)vec_all((real)0.75)) >> MANTISSA_BITS;
    *exponent = __builtin_convertvector(k, vec);
    return (vec)((ivec)v - (k << MANTISSA_BITS));
#endif
}

/* 1/v for normal positive v, relative error at most 2^-14. */
HOT vec vec_reciprocal_rough(vec v)
{
#if defined(__AVX512F__)
    return (vec)SIMD_OP(rcp14)((native)v);
#else
    return 1 / v;
#endif
}

/* 1/v for normal positive v, to about 1 ulp. */
HOT vec vec_reciprocal(vec v)
{
#if defined(__AVX512F__)
    vec r = vec_reciprocal_rough(v);
#ifdef SIMD_F64
    r = vec_fma(r, vec_fma(-v, r, vec_all(1)), r); /* a Newton step doubles the correct digits */
#endif
    return vec_fma(r, vec_fma(-v, r, vec_all(1)), r);
#else
    return 1 / v;
#endif
}

#endif
