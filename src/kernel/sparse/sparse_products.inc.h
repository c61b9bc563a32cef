/* sparse_products: sparse_products.h on vectors of doubles.
 *
 * Weights are gathered from memory that is larger than the cache, so they are prefetched early. Sums stay
 * in registers: a few vectors of classes at a time. */
#ifndef KERNEL_SPARSE_PRODUCTS_INC_H
#define KERNEL_SPARSE_PRODUCTS_INC_H

#include "kernel/dense/linear_simd.h"
#include "kernel/sparse/sparse_products.h"

enum {
    SPARSE_AHEAD = 16,  /* entries between prefetch and use */
    SPARSE_VECTORS = 4, /* of classes at once */
    SPARSE_LINE = 64,   /* bytes */
};

/* ---- Parts of vectors ------------------------------------------------------------------------ */

/* Stores the lanes of the mask only: the memory after them belongs to other columns or rows. */
HOT void vec_store_part(double *to, vec v, part mask)
{
#if defined(__AVX512F__)
    _mm512_mask_storeu_pd(to, (__mmask8)mask, (__m512d)v);
#elif defined(__AVX2__)
    _mm256_maskstore_pd(to, (__m256i)mask, (__m256d)v);
#else
    for (size_t lane = 0; lane < mask; lane++)
        to[lane] = v[lane];
#endif
}

/* ---- One weight a column --------------------------------------------------------------------- */

#if defined(__AVX512F__)
/* The columns (values, below) of eight entries from e on; 0 in lanes that the mask excludes. */
HOT __m512i eight_columns(const struct sparse_rows *rows, uint64_t e, __mmask8 mask, bool wide)
{
    if (wide)
        return _mm512_maskz_loadu_epi64(mask, rows->column64 + e);
    return _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(mask, rows->column + e));
}

HOT __m512d eight_values(const struct sparse_rows *rows, uint64_t e, __mmask8 mask, bool f64)
{
    if (f64)
        return _mm512_maskz_loadu_pd(mask, rows->value64 + e);
    return _mm512_cvtps_pd(_mm256_maskz_loadu_ps(mask, rows->value + e));
}
#endif

/* One row. Several sums hide the latency of an addition. */
HOT double row_times(const struct sparse_rows *rows, size_t i, const double *w, bool wide, bool f64)
{
    uint64_t e = sparse_start(rows, i);
    const uint64_t end = sparse_start(rows, i + 1);
#if defined(__AVX512F__)
    const __mmask8 all = 0xff;
    __m512d sum = _mm512_setzero_pd();
    for (; e + 8 <= end; e += 8) {
        __m512i at = eight_columns(rows, e, all, wide);
        __m512d v = eight_values(rows, e, all, f64);
        sum = _mm512_fmadd_pd(v, _mm512_i64gather_pd(at, w, 8), sum);
    }
    if (e < end) {
        __mmask8 rest = (__mmask8)part_of((size_t)(end - e));
        __m512i at = eight_columns(rows, e, rest, wide);
        __m512d v = eight_values(rows, e, rest, f64);
        __m512d wv = _mm512_mask_i64gather_pd(_mm512_setzero_pd(), rest, at, w, 8);
        sum = _mm512_fmadd_pd(v, wv, sum);
    }
    return _mm512_reduce_add_pd(sum);
#else
    double a = 0, b = 0, c = 0, d = 0;
    for (; e + 4 <= end; e += 4) {
        a += sparse_value(rows, e, f64) * w[sparse_column(rows, e, wide)];
        b += sparse_value(rows, e + 1, f64) * w[sparse_column(rows, e + 1, wide)];
        c += sparse_value(rows, e + 2, f64) * w[sparse_column(rows, e + 2, wide)];
        d += sparse_value(rows, e + 3, f64) * w[sparse_column(rows, e + 3, wide)];
    }
    for (; e < end; e++)
        a += sparse_value(rows, e, f64) * w[sparse_column(rows, e, wide)];
    return (a + b) + (c + d);
#endif
}

/* `wide` and `f64` are constants of the caller, so that each combination is compiled separately. */
HOT void rows_times(struct sparse_rows rows, const double *w, double *out, bool wide, bool f64)
{
    for (size_t i = 0; i < rows.rows; i++)
        out[i] = row_times(&rows, i, w, wide, f64);
}

static void sparse_times_fast(struct sparse_rows rows, const double *w, double *out)
{
#define BODY(wide, f64) rows_times(rows, w, out, wide, f64)
    BY_WIDTH(rows, BODY);
#undef BODY
}

/* Scalar: every entry is a load, an addition and a store at a random address, which vectors do not accelerate. */
HOT void rows_back(struct sparse_rows rows, const double *r, double *gradient, bool wide, bool f64)
{
    for (size_t i = 0; i < rows.rows; i++) {
        const uint64_t end = sparse_start(&rows, i + 1);
        const double factor = r[i];
        for (uint64_t e = sparse_start(&rows, i); e < end; e++)
            gradient[sparse_column(&rows, e, wide)] += sparse_value(&rows, e, f64) * factor;
    }
}

static void sparse_back_fast(struct sparse_rows rows, const double *r, double *gradient)
{
#define BODY(wide, f64) rows_back(rows, r, gradient, wide, f64)
    BY_WIDTH(rows, BODY);
#undef BODY
}

/* ---- Many classes: activations --------------------------------------------------------------- */

/* The product for a strip of classes: `vectors` vectors from class `from` on, for all rows. */
struct sparse_strip {
    struct sparse_rows rows;
    const double *w;
    size_t width; /* classes in all */
    size_t from;  /* the first class of the strip */
    part last;    /* the mask of its last vector */
    double *out;
};

/* The weights of a later entry: their addresses are random, so the hardware does not predict them. */
HOT void prefetch_weights(const struct sparse_strip *s, size_t column, size_t vectors)
{
    const char *p = (const char *)(s->w + column * s->width + s->from);
    for (size_t b = 0; b < vectors * LANES * sizeof(double); b += SPARSE_LINE)
        __builtin_prefetch(p + b);
}

HOT vec load_weights(const struct sparse_strip *s, size_t at, bool full)
{
    return full ? vec_load(s->w + at) : vec_load_part(s->w + at, s->last);
}

/* What a loop over a strip is compiled for. */
struct sparse_case {
    bool wide, f64;
};

/* All rows. `vectors`, `as` and `full`, whether the last vector is, are constants where it is
 * called.
 */
HOT void strip_times(const struct sparse_strip *s, int vectors, struct sparse_case as, bool full)
{
    const struct sparse_rows *rows = &s->rows;
    const uint64_t all = sparse_start(rows, rows->rows);
    for (size_t i = 0; i < rows->rows; i++) {
        vec sum[SPARSE_VECTORS];
        UNROLL for (int v = 0; v < vectors; v++) sum[v] = vec_all(0);
        const uint64_t end = sparse_start(rows, i + 1);
        for (uint64_t e = sparse_start(rows, i); e < end; e++) {
            size_t at = sparse_column(rows, e, as.wide) * s->width + s->from;
            vec value = vec_all(sparse_value(rows, e, as.f64));
            if (e + SPARSE_AHEAD < all)
                prefetch_weights(s, sparse_column(rows, e + SPARSE_AHEAD, as.wide), (size_t)vectors);
            UNROLL for (int v = 0; v < vectors; v++)
            {
                vec w = load_weights(s, at + (size_t)v * LANES, full || v + 1 < vectors);
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

HOT void strip_of(const struct sparse_strip *s, int vectors, struct sparse_case as, bool full)
{
    if (full)
        strip_times(s, vectors, as, true);
    else
        strip_times(s, vectors, as, false);
}

/* All classes, in strips so narrow that the sums of a row stay in registers. */
HOT void strips_times(struct sparse_strip s, struct sparse_case as)
{
    enum { CLASSES = SPARSE_VECTORS * LANES };
    for (s.from = 0; s.from < s.width; s.from += CLASSES) {
        size_t count = least(s.width - s.from, CLASSES), vectors = (count + LANES - 1) / LANES;
        bool full = count % LANES == 0;
        s.last = part_of(count - (vectors - 1) * LANES);
        if (vectors == 4)
            strip_of(&s, 4, as, full);
        else if (vectors == 3)
            strip_of(&s, 3, as, full);
        else if (vectors == 2)
            strip_of(&s, 2, as, full);
        else
            strip_of(&s, 1, as, full);
    }
}

static void sparse_many_times_fast(struct sparse_rows rows, size_t width, const double *w, double *out)
{
    const struct sparse_strip s = {.rows = rows, .w = w, .width = width, .out = out};
#define BODY(wide, f64) strips_times(s, (struct sparse_case){wide, f64})
    BY_WIDTH(rows, BODY);
#undef BODY
}

/* ---- Many classes: the gradient -------------------------------------------------------------- */

/* Adds value * r[row] to the gradient of each column: width numbers that are contiguous in both. */
HOT void rows_many_back(struct sparse_rows rows, size_t width, const double *r, double *gradient, bool wide, bool f64)
{
    size_t whole_lanes = width / LANES * LANES;
    const part rest = part_of(width > whole_lanes ? width - whole_lanes : LANES);
    for (size_t i = 0; i < rows.rows; i++) {
        const uint64_t end = sparse_start(&rows, i + 1);
        for (uint64_t e = sparse_start(&rows, i); e < end; e++) {
            double *to = gradient + sparse_column(&rows, e, wide) * width;
            const double *from = r + i * width;
            vec value = vec_all(sparse_value(&rows, e, f64));
            for (size_t c = 0; c < whole_lanes; c += LANES)
                vec_store(to + c, vec_fma(value, vec_load(from + c), vec_load(to + c)));
            if (whole_lanes < width)
                vec_store_part(
                    to + whole_lanes,
                    vec_fma(value, vec_load_part(from + whole_lanes, rest), vec_load_part(to + whole_lanes, rest)),
                    rest);
        }
    }
}

static void sparse_many_back_fast(struct sparse_rows rows, size_t width, const double *r, double *gradient)
{
#define BODY(wide, f64) rows_many_back(rows, width, r, gradient, wide, f64)
    BY_WIDTH(rows, BODY);
#undef BODY
}

#endif
