/* margin_vectors: losses of margins by polynomials, on vectors of doubles or floats. */
#include "kernel/dispatch/simd.h"
#include "kernel/loss/margin.h"

#ifdef SIMD_F32
typedef struct margin_floats polynomials_type;
enum { SIDE = MARGIN_FLOAT_INTERVALS / 2 }; /* intervals of each sign */
#else
typedef struct margin_polynomials polynomials_type;
enum { SIDE = MARGIN_INTERVALS / 2 };
#endif

/* Results of one vector of margins. */
struct margin_vec {
    vec value, slope, curvature;
};

/* entry[index] of a row of the table, for each lane. */
HOT vec table_lookup(const real *row, ivec index)
{
#if defined(__AVX512F__) && defined(SIMD_F32)
    return (vec)_mm512_permutex2var_ps(_mm512_load_ps(row), (__m512i)index, _mm512_load_ps(row + 16));
#elif defined(__AVX512F__)
    return (vec)_mm512_permutex2var_pd(_mm512_load_pd(row), (__m512i)index, _mm512_load_pd(row + 8));
#else
    vec found;
    for (int lane = 0; lane < LANES; lane++)
        found[lane] = row[index[lane]];
    return found;
#endif
}

/* Vectors that are evaluated together: Horner's scheme is one chain of dependent operations, so several of
 * them keep the multipliers busy, and share the load of a row of the table. */
#if defined(__AVX512F__) && defined(SIMD_F64)
enum { GROUP = 4 };
#else
enum { GROUP = 2 };
#endif

/* The intervals of a vector of margins, and the positions within them; |m| must be below the limit. */
struct table_place {
    ivec index;
    vec x, x_per_margin;
};

/* All by integer operations on the bits of 1 + |m|: exponent and first mantissa bits are the interval, the other
 * bits the position in it. */
HOT struct table_place table_place(vec m, int split)
{
    enum { SIGN_BIT = 8 * sizeof(real) - 1 };
    ivec one = (ivec)vec_all(1), bits = (ivec)(1 + vec_abs(m)) - one;
    ivec interval = bits >> (MANTISSA_BITS - split), octave = bits >> MANTISSA_BITS;
    const whole low_bits = ((whole)1 << (MANTISSA_BITS - split)) - 1;
    vec from_one = (vec)((bits & low_bits) + one);
    const real scale = (real)(2 << split); /* of the place within the interval, [1, 1 + 2^-split) */
    ivec sign = (ivec)m & (ivec)vec_all((real)-0.0);
    return (struct table_place){
        .index = interval + ((ivec)m >> SIGN_BIT & SIDE),
        .x = vec_fma(from_one, vec_all(scale), vec_all(-1 - scale)),
        .x_per_margin = (vec)(((ivec)vec_all(scale) - (octave << MANTISSA_BITS)) | sign),
    };
}

/* Evaluates a group; `split` and `curved` are constants to the compiler. */
HOT void polynomial_margins(const polynomials_type *polynomials, const vec *m, int split, bool curved,
                            struct margin_vec *loss)
{
    struct table_place place[GROUP];
    vec value[GROUP], slope[GROUP], half_curvature[GROUP];
    for (int g = 0; g < GROUP; g++) {
        place[g] = table_place(m[g], split);
        value[g] = table_lookup(polynomials->coefficient[0], place[g].index);
        slope[g] = half_curvature[g] = vec_all(0);
    }
    for (int i = 1; i <= polynomials->degree; i++)
#pragma GCC unroll 4
        for (int g = 0; g < GROUP; g++) {
            if (curved)
                half_curvature[g] = vec_fma(half_curvature[g], place[g].x, slope[g]);
            slope[g] = vec_fma(slope[g], place[g].x, value[g]);
            vec next = table_lookup(polynomials->coefficient[i], place[g].index);
            value[g] = vec_fma(value[g], place[g].x, next);
        }
    for (int g = 0; g < GROUP; g++) {
        vec scale = place[g].x_per_margin;
        loss[g] = (struct margin_vec){.value = value[g], .slope = slope[g] * scale};
        if (curved)
            loss[g].curvature = 2 * half_curvature[g] * scale * scale;
    }
}

/* m where it is below the limit, else 0; marks the others (NaN among them). */
HOT vec clip(vec m, real limit, ivec *outside)
{
    *outside = ~(vec_abs(m) < limit);
    return (vec)((ivec)m & ~*outside);
}
