/* sparse_body: the products with sparse rows on vectors of doubles; simd.h says which.
 *
 * Rows are gathered from memory that is larger than the cache, so what counts is to ask for it
 * early. Sums stay in registers: a few vectors of classes at a time. */
#ifndef KERNEL_SPARSE_BODY_H
#define KERNEL_SPARSE_BODY_H

#include "kernel/linear_simd.h"
#include "kernel/sparse.h"

enum {
    SPARSE_AHEAD = 16,  /* entries between asking for memory and using it */
    SPARSE_VECTORS = 4, /* of classes at once */
    SPARSE_LINE = 64,   /* bytes */
};

/* ---- Parts of vectors ------------------------------------------------------------------------ */

typedef float half_vec __attribute__((vector_size(SIMD_BYTES / 2)));

HOT vec widen(const float *from)
{
    half_vec v;
    memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v, vec);
}

/* The numbers of the part, and 0 behind them; the rest of the memory is not touched. */
HOT vec widen_part(const float *from, part lanes)
{
#if defined(__AVX512F__)
    return (vec)_mm512_cvtps_pd(_mm256_maskz_loadu_ps((__mmask8)lanes, from));
#elif defined(__AVX2__)
    const __m256i evens = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    __m128i narrow = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32((__m256i)lanes, evens));
    return (vec)_mm256_cvtps_pd(_mm_maskload_ps(from, narrow));
#else
    half_vec v = {0};
    for (size_t lane = 0; lane < lanes; lane++)
        v[lane] = from[lane];
    return __builtin_convertvector(v, vec);
#endif
}

HOT void vec_store_part(double *to, vec v, part lanes)
{
#if defined(__AVX512F__)
    _mm512_mask_storeu_pd(to, (__mmask8)lanes, (__m512d)v);
#elif defined(__AVX2__)
    _mm256_maskstore_pd(to, (__m256i)lanes, (__m256d)v);
#else
    for (size_t lane = 0; lane < lanes; lane++)
        to[lane] = v[lane];
#endif
}

/* ---- One weight a column --------------------------------------------------------------------- */

/* One row. Several sums hide the latency of an addition. */
HOT double row_times(struct sparse_rows rows, uint64_t e, uint64_t end, const double *w)
{
    const uint32_t *column = rows.column;
    const float *value = rows.value;
#if defined(__AVX512F__)
    __m512d sum = _mm512_setzero_pd();
    for (; e + 8 <= end; e += 8) {
        __m512i at = _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(column + e)));
        __m512d v = _mm512_cvtps_pd(_mm256_loadu_ps(value + e));
        sum = _mm512_fmadd_pd(v, _mm512_i64gather_pd(at, w, 8), sum);
    }
    if (e < end) {
        __mmask8 rest = (__mmask8)part_of((size_t)(end - e));
        __m512i at = _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(rest, column + e));
        __m512d v = _mm512_cvtps_pd(_mm256_maskz_loadu_ps(rest, value + e));
        __m512d wv = _mm512_mask_i64gather_pd(_mm512_setzero_pd(), rest, at, w, 8);
        sum = _mm512_fmadd_pd(v, wv, sum);
    }
    return _mm512_reduce_add_pd(sum);
#else
    double a = 0, b = 0, c = 0, d = 0;
    for (; e + 4 <= end; e += 4) {
        a += (double)value[e] * w[column[e]];
        b += (double)value[e + 1] * w[column[e + 1]];
        c += (double)value[e + 2] * w[column[e + 2]];
        d += (double)value[e + 3] * w[column[e + 3]];
    }
    for (; e < end; e++)
        a += (double)value[e] * w[column[e]];
    return (a + b) + (c + d);
#endif
}

static void sparse_times_fast(struct sparse_rows rows, const double *w, double *out)
{
    for (size_t i = 0; i < rows.rows; i++)
        out[i] = row_times(rows, rows.start[i], rows.start[i + 1], w);
}

static void sparse_back_fast(struct sparse_rows rows, const double *r, double *gradient)
{
    for (size_t i = 0; i < rows.rows; i++) {
        double factor = r[i];
        for (uint64_t e = rows.start[i]; e < rows.start[i + 1]; e++)
            gradient[rows.column[e]] += (double)rows.value[e] * factor;
    }
}

/* ---- Many classes: activations --------------------------------------------------------------- */

/* Weights in doubles, or in floats: half the memory to gather. */
struct sparse_source {
    const double *f64;
    const float *f32;
};

struct sparse_strip {
    struct sparse_rows rows;
    struct sparse_source w;
    size_t width; /* classes in all */
    size_t from;  /* the first class of the strip */
    part last;    /* the lanes of its last vector */
    double *out;
};

HOT void ask_for(const struct sparse_strip *s, uint32_t column, size_t vectors, bool f32)
{
    size_t at = (size_t)column * s->width + s->from;
    const char *p = f32 ? (const char *)(s->w.f32 + at) : (const char *)(s->w.f64 + at);
    size_t bytes = vectors * LANES * (f32 ? sizeof(float) : sizeof(double));
    for (size_t b = 0; b < bytes; b += SPARSE_LINE)
        __builtin_prefetch(p + b);
}

HOT vec load_weights(const struct sparse_strip *s, size_t at, bool f32, bool full)
{
    if (f32)
        return full ? widen(s->w.f32 + at) : widen_part(s->w.f32 + at, s->last);
    return full ? vec_load(s->w.f64 + at) : vec_load_part(s->w.f64 + at, s->last);
}

/* All rows. `vectors`, `f32` and `full`, whether the last vector is, are constants where it is
 * called. */
HOT void strip_times(const struct sparse_strip *s, int vectors, bool f32, bool full)
{
    const struct sparse_rows *rows = &s->rows;
    const uint64_t all = rows->start[rows->rows];
    for (size_t i = 0; i < rows->rows; i++) {
        vec sum[SPARSE_VECTORS];
        UNROLL for (int v = 0; v < vectors; v++) sum[v] = vec_all(0);
        for (uint64_t e = rows->start[i]; e < rows->start[i + 1]; e++) {
            size_t at = (size_t)rows->column[e] * s->width + s->from;
            vec value = vec_all((double)rows->value[e]);
            if (e + SPARSE_AHEAD < all)
                ask_for(s, rows->column[e + SPARSE_AHEAD], (size_t)vectors, f32);
            UNROLL for (int v = 0; v < vectors; v++)
            {
                vec w = load_weights(s, at + (size_t)v * LANES, f32, full || v + 1 < vectors);
                sum[v] = vec_fma(w, value, sum[v]);
            }
        }
        double *to = s->out + i * s->width + s->from;
        UNROLL for (int v = 0; v < vectors; v++)
        {
            if (full || v + 1 < vectors)
                vec_store(to + v * LANES, sum[v]);
            else
                vec_store_part(to + v * LANES, sum[v], s->last);
        }
    }
}

HOT void strip_of(const struct sparse_strip *s, int vectors, bool f32, bool full)
{
    if (full)
        strip_times(s, vectors, f32, true);
    else
        strip_times(s, vectors, f32, false);
}

HOT void strips_times(struct sparse_strip s, bool f32)
{
    enum { CLASSES = SPARSE_VECTORS * LANES };
    for (s.from = 0; s.from < s.width; s.from += CLASSES) {
        size_t count = least(s.width - s.from, CLASSES), vectors = (count + LANES - 1) / LANES;
        bool full = count % LANES == 0;
        s.last = part_of(count - (vectors - 1) * LANES);
        if (vectors == 4)
            strip_of(&s, 4, f32, full);
        else if (vectors == 3)
            strip_of(&s, 3, f32, full);
        else if (vectors == 2)
            strip_of(&s, 2, f32, full);
        else
            strip_of(&s, 1, f32, full);
    }
}

static void sparse_many_times_fast(struct sparse_rows rows, size_t width, const double *w,
                                   double *out)
{
    strips_times((struct sparse_strip){.rows = rows, .w = {.f64 = w}, .width = width, .out = out},
                 false);
}

static void sparse_many_times_f32_fast(struct sparse_rows rows, size_t width, const float *w,
                                       double *out)
{
    strips_times((struct sparse_strip){.rows = rows, .w = {.f32 = w}, .width = width, .out = out},
                 true);
}

/* ---- Many classes: the gradient -------------------------------------------------------------- */

static void sparse_many_back_fast(struct sparse_rows rows, size_t width, const double *r,
                                  double *gradient)
{
    size_t whole_lanes = width / LANES * LANES;
    const part rest = part_of(width > whole_lanes ? width - whole_lanes : LANES);
    for (size_t i = 0; i < rows.rows; i++)
        for (uint64_t e = rows.start[i]; e < rows.start[i + 1]; e++) {
            double *to = gradient + (size_t)rows.column[e] * width;
            const double *from = r + i * width;
            vec value = vec_all((double)rows.value[e]);
            for (size_t c = 0; c < whole_lanes; c += LANES)
                vec_store(to + c, vec_fma(value, vec_load(from + c), vec_load(to + c)));
            if (whole_lanes < width)
                vec_store_part(to + whole_lanes,
                               vec_fma(value, vec_load_part(from + whole_lanes, rest),
                                       vec_load_part(to + whole_lanes, rest)),
                               rest);
        }
}

#define SPARSE_TABLE                                                                               \
    {sparse_times_fast, sparse_back_fast, sparse_many_times_fast, sparse_many_times_f32_fast,      \
     sparse_many_back_fast}

#endif
