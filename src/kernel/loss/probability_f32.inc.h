/* probability_f32: softmax of scores in doubles to probabilities in floats, on vectors of floats.
 *
 *     p_c = (1 - floor) e_c / sum_k e_k + floor / C,   e_c = 2^(n + f),   n + f = (a_c - max_k a_k) order / log 2
 *
 * Scores of features with a large mean cancel, so that the exponent n + f is computed in doubles, and split there into
 * an integer n and |f| <= 1/2. Of these floats have all digits that the result needs: the rest is on twice the lanes.
 */
#include "kernel/dense/linear_simd.h"
#include "kernel/loss/probability.h"

typedef double score_vec __attribute__((vector_size(SIMD_BYTES)));

enum {
    FLOAT_GROUP = 2, /* vectors of rows that are computed together, so that their chains of operations overlap */
    FLOAT_ROWS = FLOAT_GROUP * LANES,
    FLOAT_LINE = 64, /* bytes of a line of the cache */
};

/* (2^f - 1)/f for |f| <= 1/2: near-minimax, by tools/fit-polynomials. */
static const float exp2_core[] = {0.00015453162945120690177F, 0.0013390863364671234381F, 0.0096180825572778514913F,
                                  0.055503571142190778186F,   0.24022650760568126945F,   0.69314718802622878106F};

HOT score_vec load_scores_half(const double *from)
{
    score_vec v;
    memcpy(&v, from, sizeof v);
    return v;
}

HOT score_vec score_max(score_vec a, score_vec b)
{
#if defined(__AVX512F__)
    return (score_vec)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX2__)
    return (score_vec)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(__wasm_simd128__)
    return (score_vec)wasm_f64x2_pmax((v128_t)b, (v128_t)a);
#else
    return (score_vec)vmaxq_f64((float64x2_t)a, (float64x2_t)b);
#endif
}

/* The nearest integers, as doubles. */
HOT score_vec score_round(score_vec a)
{
#if defined(__AVX512F__)
    return (score_vec)_mm512_roundscale_pd((__m512d)a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif defined(__AVX2__)
    return (score_vec)_mm256_round_pd((__m256d)a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif defined(__wasm_simd128__)
    return (score_vec)wasm_f64x2_nearest((v128_t)a);
#else
    return (score_vec)vrndnq_f64((float64x2_t)a);
#endif
}

/* Two vectors of doubles, rounded to one of floats. */
HOT vec narrow(score_vec low, score_vec high)
{
#if defined(__AVX512F__)
    const __m512 low_half = _mm512_castps256_ps512(_mm512_cvtpd_ps((__m512d)low));
    return (vec)_mm512_insertf32x8(low_half, _mm512_cvtpd_ps((__m512d)high), 1);
#elif defined(__AVX2__)
    const __m256 low_half = _mm256_castps128_ps256(_mm256_cvtpd_ps((__m256d)low));
    return (vec)_mm256_insertf128_ps(low_half, _mm256_cvtpd_ps((__m256d)high), 1);
#elif defined(__wasm_simd128__)
    return (vec){(float)low[0], (float)low[1], (float)high[0], (float)high[1]};
#else
    return (vec)vcombine_f32(vcvt_f32_f64((float64x2_t)low), vcvt_f32_f64((float64x2_t)high));
#endif
}

/* 2^n (1 + f q), for n <= 0 down to -infinity: below 2^-126 a denormal number or 0. */
HOT vec times_power(vec v, vec n)
{
#if defined(__AVX512F__)
    return (vec)_mm512_scalef_ps((__m512)v, (__m512)n);
#else
    /* 2^n by its exponent bits, which are 0 for n = -127. */
    const vec shifted = vec_max(n, vec_all(-127)) + ROUNDING_MAGIC;
    const ivec exponent = (ivec)shifted - (ivec)vec_all(ROUNDING_MAGIC) + 127;
    return v * (vec)(exponent << MANTISSA_BITS);
#endif
}

/* 2^y for y <= 0; `low` and `high` have the exponents y of half of the rows each. */
HOT vec power_of_two(score_vec low, score_vec high)
{
    const score_vec n_low = score_round(low), n_high = score_round(high);
    const vec f = narrow(low - n_low, high - n_high);
    vec q = vec_all(exp2_core[0]);
    UNROLL for (size_t i = 1; i < sizeof exp2_core / sizeof *exp2_core; i++) q = vec_fma(q, f, vec_all(exp2_core[i]));
    return times_power(vec_fma(f, q, vec_all(1)), narrow(n_low, n_high));
}

/* The e_c of `vectors` vectors of rows, e[c * FLOAT_ROWS + row]; returns (1 - floor) over their sums. Even and odd
 * classes are summed apart, which halves the error of the sum. */
HOT void softmax_terms(const struct probability_rows *rows, size_t from, float *e, const size_t vectors, vec *share)
{
    const size_t classes = rows->map->classes, stride = rows->stride;
    const double *score = rows->score + from, scale = rows->map->order * 1.4426950408889634; /* 1 / log 2 */
    score_vec top[2 * FLOAT_GROUP];
    vec sum[FLOAT_GROUP], odd[FLOAT_GROUP];
    UNROLL for (size_t h = 0; h < 2 * vectors; h++) top[h] = load_scores_half(score + h * LANES / 2);
    for (size_t c = 1; c < classes; c++)
        UNROLL for (size_t h = 0; h < 2 * vectors; h++) top[h] =
            score_max(top[h], load_scores_half(score + c * stride + h * LANES / 2));
    UNROLL for (size_t k = 0; k < vectors; k++) sum[k] = odd[k] = vec_all(0);
    for (size_t c = 0; c < classes; c++)
        UNROLL for (size_t k = 0; k < vectors; k++)
        {
            const double *a = score + c * stride + k * LANES;
            const vec term = power_of_two((load_scores_half(a) - top[2 * k]) * scale,
                                          (load_scores_half(a + LANES / 2) - top[2 * k + 1]) * scale);
            const vec next = odd[k];
            vec_store(e + c * FLOAT_ROWS + k * LANES, term);
            odd[k] = sum[k] + term; /* the two sums change places with each class */
            sum[k] = next;
        }
    UNROLL for (size_t k = 0; k < vectors; k++) share[k] = (float)(1 - rows->map->floor) / (sum[k] + odd[k]);
}

#if defined(__AVX2__)
/* Stores 128 bits of v, of LANES / 4 rows that are `step` numbers apart. */
HOT void store_quarters(vec v, float *out, size_t step)
{
#if defined(__AVX512F__)
    _mm_storeu_ps(out, _mm512_castps512_ps128((__m512)v));
    _mm_storeu_ps(out + step, _mm512_extractf32x4_ps((__m512)v, 1));
    _mm_storeu_ps(out + 2 * step, _mm512_extractf32x4_ps((__m512)v, 2));
    _mm_storeu_ps(out + 3 * step, _mm512_extractf32x4_ps((__m512)v, 3));
#else
    _mm_storeu_ps(out, _mm256_castps256_ps128((__m256)v));
    _mm_storeu_ps(out + step, _mm256_extractf128_ps((__m256)v, 1));
#endif
}

/* Four classes of LANES rows, from p[c] to out[row * classes + c]. */
HOT void store_four_classes(const vec *p, float *out, size_t classes)
{
    const vec a = zip_low(p[0], p[2]), b = zip_low(p[1], p[3]), c = zip_high(p[0], p[2]), d = zip_high(p[1], p[3]);
    store_quarters(zip_low(a, b), out, 4 * classes);
    store_quarters(zip_high(a, b), out + classes, 4 * classes);
    store_quarters(zip_low(c, d), out + 2 * classes, 4 * classes);
    store_quarters(zip_high(c, d), out + 3 * classes, 4 * classes);
}
#endif

/* p_c of one vector of rows, of which the first `count` are stored. The last four classes overlap with those before,
 * where their number is no multiple of four: the same numbers are stored twice. */
HOT void store_shares(const struct probability_rows *rows, size_t from, const float *e, vec share, size_t count)
{
    const size_t classes = rows->map->classes;
    const vec least_p = vec_all((float)(rows->map->floor / (double)classes));
    float *out = rows->out_f32 + from * classes;
#if defined(__AVX2__)
    if (count == LANES && classes >= 4) {
        for (size_t c = 0, next; c < classes; c = next) {
            vec p[4];
            UNROLL for (size_t q = 0; q < 4; q++) p[q] = vec_fma(vec_load(e + (c + q) * FLOAT_ROWS), share, least_p);
            store_four_classes(p, out + c, classes);
            next = c + 4 == classes ? classes : c + 8 <= classes ? c + 4 : classes - 4;
        }
        return;
    }
#endif
    for (size_t c = 0; c < classes; c++) {
        const vec p = vec_fma(vec_load(e + c * FLOAT_ROWS), share, least_p);
        for (size_t i = 0; i < count; i++)
            out[i * classes + c] = p[i];
    }
}

/* Prefetches, to be written, the memory of the next rows: the probabilities of these take longer than its access. */
HOT void fetch_output(const struct probability_rows *rows, size_t from)
{
    const size_t bytes = FLOAT_ROWS * rows->map->classes * sizeof *rows->out_f32;
    const char *at = (const char *)(rows->out_f32 + from * rows->map->classes) + bytes;
    for (size_t byte = 0; byte < bytes; byte += FLOAT_LINE)
        __builtin_prefetch(at + byte, 1);
}

/* All rows: FLOAT_GROUP vectors at a time, and at last one by one; the same bits. */
HOT void probabilities_floats(const struct probability_rows *rows)
{
    float *e = (float *)rows->space;
    vec share[FLOAT_GROUP];
    size_t from = 0;
    for (; from + FLOAT_ROWS <= rows->rows; from += FLOAT_ROWS) {
        fetch_output(rows, from);
        softmax_terms(rows, from, e, FLOAT_GROUP, share);
        UNROLL for (size_t k = 0; k < FLOAT_GROUP; k++)
            store_shares(rows, from + k * LANES, e + k * LANES, share[k], LANES);
    }
    for (; from < rows->rows; from += LANES) {
        softmax_terms(rows, from, e, 1, share);
        store_shares(rows, from, e, share[0], least(rows->rows - from, LANES));
    }
}
