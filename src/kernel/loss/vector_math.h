/* vector_math: exp, log1p and low-precision variants on vectors.
 *
 * Errors are two or three ulp; what is guaranteed and tested are the errors of the kernels that use them
 * (tests/unit/kernel). */
#ifndef KERNEL_VECTOR_MATH_H
#define KERNEL_VECTOR_MATH_H

#include "kernel/dispatch/simd.h"

#ifdef SIMD_F32
#define EXP_UNDERFLOW -87.0f
#define EXP_OVERFLOW  88.72f
#else
#define EXP_UNDERFLOW -708.0
#define EXP_OVERFLOW  709.78
#endif

/* sum coefficient[i] x^i, highest first in the array. */
HOT vec polynomial(vec x, const real *coefficients, int count)
{
    vec sum = vec_all(coefficients[0]);
#pragma GCC unroll 16
    for (int i = 1; i < count; i++)
        sum = vec_fma(sum, x, vec_all(coefficients[i]));
    return sum;
}

/* (e^r - 1 - r)/r^2 for |r| <= log(2)/2, and (2 atanh f - 2f)/f^3 as a function of f^2 for |f| <=
 * 1/5: near-minimax, by tools/fit-polynomials. */
#ifdef SIMD_F32
static const real exp_fine[] = {0.0013926176119935578884f, 0.0083631730745137109028f, 0.041666554662050533982f,
                                0.1666657702559798819f, 0.5f};
static const real log_fine[] = {0.29955604316021770295f, 0.39979017714644555686f, 0.6666671337904406097f};
#else
static const real exp_fine[] = {2.5100375832561233664e-8,   2.7620075879983366586e-7,  2.7557268480310025526e-6,
                                0.000024801521322368693266, 0.00019841269863040545271, 0.0013888888917196719077,
                                0.0083333333333300644495,   0.041666666666624161903,   0.16666666666666667452,
                                0.50000000000000010211};
static const real log_fine[] = {0.13604015707124077458, 0.13210360485132619827, 0.15388834677801915069,
                                0.18181738454723025579, 0.2222222303780724188,  0.28571428567339189263,
                                0.40000000000007800551, 0.66666666666666664228};
#endif
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* log 2 in two parts; the high one is short, so that whole multiples of it are exact. */
#ifdef SIMD_F32
#define LOG2_HIGH 0x1.62e4p-1f
#define LOG2_LOW  0x1.7f7d1cp-20f
#else
#define LOG2_HIGH 0x1.62e42fefa38p-1
#define LOG2_LOW  0x1.ef35793c7673p-45
#endif

/* e^x for EXP_UNDERFLOW <= x <= EXP_OVERFLOW. */
HOT vec exp_in_range(vec x)
{
    vec magic = vec_all((real)ROUNDING_MAGIC);
    vec shifted = vec_fma(x, vec_all((real)1.4426950408889634), magic); /* x / log 2, rounded */
    vec n = shifted - magic;
    vec r = vec_fma(n, vec_all(-(real)LOG2_LOW), vec_fma(n, vec_all(-(real)LOG2_HIGH), x));
    vec e = vec_fma(r * r, polynomial(r, exp_fine, COUNT(exp_fine)), r) + 1;
    return vec_scale(e, shifted);
}

/* e^x for x <= EXP_OVERFLOW. Stays at e^EXP_UNDERFLOW below (no zeros, no denormal numbers): 1e-38
 * and 1e-308 change no sum that these kernels make. */
HOT vec vec_exp_negative(vec x)
{
    return exp_in_range(vec_max(x, vec_all((real)EXP_UNDERFLOW)));
}

/* e^x for x <= EXP_OVERFLOW, infinite ones below too: 0 below EXP_UNDERFLOW. The bits of vec_exp. */
HOT vec vec_exp_or_zero(vec x)
{
    return (vec)((ivec)vec_exp_negative(x) & (x >= (real)EXP_UNDERFLOW));
}

/* e^x for any x: 0 below EXP_UNDERFLOW, infinity above EXP_OVERFLOW, NaN for NaN. */
HOT vec vec_exp(vec x)
{
    vec e = vec_exp_negative(vec_min(x, vec_all((real)EXP_OVERFLOW)));
    e = (vec)((ivec)e & (x >= (real)EXP_UNDERFLOW));
    e = vec_select(x > (real)EXP_OVERFLOW, vec_all((real)__builtin_inf()), e);
    return vec_select(x == x, e, x);
}

/* log u = k log 2 + 2 atanh f, f = (m-1)/(m+1), u = m 2^k with m in [3/4, 3/2); u > 0. */
HOT vec log_normal(vec u)
{
    vec k, m = vec_split(u, &k), f = (m - 1) * vec_reciprocal(m + 1), ff = f * f;
    vec log_m = vec_fma(f * ff, polynomial(ff, log_fine, COUNT(log_fine)), f + f);
    /* k log 2 comes last, so that u near 1 (k = 0) keeps all its digits. */
    return vec_fma(k, vec_all((real)LOG2_HIGH), vec_fma(k, vec_all((real)LOG2_LOW), log_m));
}

/* Low precision, for the first steps of an iteration: log2 to 4e-4 of its mantissa's part, 2^x to
 * 1e-4 of itself, x not below -125 (f32) or -1021 (f64). */
HOT vec rough_log2(vec u)
{
    static const real core[] = {(real)-0.26713097300861771547, (real)0.49552171713547000912,
                                (real)-0.72704049023262873806, (real)1.4425853041608957706};
    vec k, y = vec_split(u, &k) - 1;
    return vec_fma(y, polynomial(y, core, COUNT(core)), k);
}

HOT vec rough_exp2(vec x)
{
    static const real core[] = {(real)0.055838282946219856235, (real)0.24263947854625851884,
                                (real)0.69313673388362149935, (real)0.99992455695087074722};
    vec shifted = x + (real)ROUNDING_MAGIC, r = x - (shifted - (real)ROUNDING_MAGIC);
    return vec_scale(polynomial(r, core, COUNT(core)), shifted);
}

/* log(1 + z) for z > -1, given u = 1 + z and r = 1/u, which callers have. The rounding error of u is corrected by (z -
 * (u - 1))/u, so that small z keeps all digits. */
HOT vec vec_log1p_with(vec z, vec u, vec r)
{
    return vec_fma(z - (u - 1), r, log_normal(u));
}

HOT vec vec_log1p(vec z)
{
    vec u = 1 + z;
    return vec_log1p_with(z, u, vec_reciprocal(u));
}

/* E(y, s) = (e^(s y) - 1)/s, s not 0, given e^(s y), which callers need anyway. Where s y is small
 * the series keeps the digits that the subtraction would lose. */
HOT vec vec_stretch_exp_with(vec y, vec exp_sy, real s)
{
    static const real series[] = {
        (real)(1.0 / 5040), (real)(1.0 / 720), (real)(1.0 / 120), (real)(1.0 / 24), (real)(1.0 / 6), (real)0.5, 1};
    vec z = y * s, near = y * polynomial(z, series, COUNT(series));
    vec far = (exp_sy - 1) * (1 / s);
    return vec_select(vec_abs(z) < (real)0.02, near, far);
}

#endif
