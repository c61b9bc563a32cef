/* sparse_sell16: products of sliced ELLPACK (SELL-16) rows with weights in floats; AVX-512 and AVX2.
 *
 * Each lane has a row: there are no sums across lanes and no mispredicted ends of rows, and each sum is in
 * the order of its entries, so that rows in CSR order can be summed to the same bits. */
#ifndef KERNEL_SPARSE_SELL16_INC_H
#define KERNEL_SPARSE_SELL16_INC_H

#include <immintrin.h>

#include "kernel/sparse/sparse_products.h"

/* The vectors of a slice: one with AVX-512, two with AVX2. */
enum { SELL_VECTORS = SELL16_ROWS / LANES };

/* The weights of LANES entries from `at` on. `narrow`: column indices have 16 bits. AVX2 has a gather instruction too,
 * but loads by number are faster on most processors that have no AVX-512. */
HOT vec slice_weights(const struct sparse_sell16 *s, uint64_t at, const float *w, bool narrow)
{
#if defined(__AVX512F__)
    const __m512i column = narrow ? _mm512_cvtepu16_epi32(_mm256_load_si256((const __m256i *)(s->column16 + at)))
                                  : _mm512_load_si512(s->column + at);
    return (vec)_mm512_i32gather_ps(column, w, 4);
#else
    vec found;
    if (narrow) {
        const uint16_t *c = s->column16 + at;
        found = (vec){w[c[0]], w[c[1]], w[c[2]], w[c[3]], w[c[4]], w[c[5]], w[c[6]], w[c[7]]};
    } else {
        const uint32_t *c = s->column + at;
        found = (vec){w[c[0]], w[c[1]], w[c[2]], w[c[3]], w[c[4]], w[c[5]], w[c[6]], w[c[7]]};
    }
    return found;
#endif
}

/* Some entries of each row. */
HOT void slice_sum(const struct sparse_sell16 *s, uint64_t step, uint64_t end, const float *w, bool narrow, vec *sum)
{
    UNROLL for (int v = 0; v < SELL_VECTORS; v++) sum[v] = vec_all(0);
    for (; step < end; step++)
        UNROLL for (int v = 0; v < SELL_VECTORS; v++)
        {
            const uint64_t at = step * SELL16_ROWS + (uint64_t)v * LANES;
            sum[v] = vec_fma(vec_load(s->value + at), slice_weights(s, at, w, narrow), sum[v]);
        }
}

/* The 16 rows of a slice: SELL_TOGETHER entries at a time in floats, these sums in doubles; then stored at the
 * original positions of the rows. */
HOT void one_slice(const struct sparse_sell16 *s, size_t slice, const float *w, double *out, bool narrow)
{
    float part_sum[SELL16_ROWS];
    double total[SELL16_ROWS] = {0};
    vec sum[SELL_VECTORS];
    const uint64_t end = s->start[slice + 1];
    for (uint64_t step = s->start[slice], stop; step < end; step = stop) {
        stop = end - step < SELL_TOGETHER ? end : step + SELL_TOGETHER;
        slice_sum(s, step, stop, w, narrow, sum);
        UNROLL for (int v = 0; v < SELL_VECTORS; v++) vec_store(part_sum + v * LANES, sum[v]);
        for (size_t i = 0; i < SELL16_ROWS; i++)
            total[i] += (double)part_sum[i];
    }
    const size_t first = slice * SELL16_ROWS, left = s->rows - first;
    for (size_t i = 0; i < SELL16_ROWS && i < left; i++)
        out[s->row[first + i]] = total[i];
}

void SET(sparse_sell16)(const struct sparse_sell16 *sell, size_t from, size_t to, const float *w, double *out)
{
    for (size_t slice = from; slice < to; slice++)
        if (sell->column16)
            one_slice(sell, slice, w, out, true);
        else
            one_slice(sell, slice, w, out, false);
}

/* The same order of operations, row by row: padding entries add 0 and do not change a sum. */
HOT void rows_in_order(struct sparse_rows rows, const float *w, double *out, bool wide, bool f64)
{
    for (size_t i = 0; i < rows.rows; i++) {
        const uint64_t end = sparse_start(&rows, i + 1);
        double total = 0;
        for (uint64_t e = sparse_start(&rows, i), stop; e < end; e = stop) {
            float sum = 0;
            stop = end - e < SELL_TOGETHER ? end : e + SELL_TOGETHER;
            for (uint64_t k = e; k < stop; k++)
                sum = __builtin_fmaf((float)sparse_value(&rows, k, f64), w[sparse_column(&rows, k, wide)], sum);
            total += (double)sum;
        }
        out[i] = total;
    }
}

void SET(sparse_in_order)(struct sparse_rows rows, const float *w, double *out)
{
#define BODY(wide, f64) rows_in_order(rows, w, out, wide, f64)
    BY_WIDTH(rows, BODY);
#undef BODY
}

#endif
