/* sparse_sell16: products of sliced ELLPACK (SELL-16) rows with weights in floats; AVX-512.
 *
 * Each lane has a row: there are no sums across lanes and no mispredicted ends of rows, and each sum is in
 * the order of its entries, so that rows in CSR order can be summed to the same bits. */
#ifndef KERNEL_SPARSE_SELL16_INC_H
#define KERNEL_SPARSE_SELL16_INC_H

#include <immintrin.h>

#include "kernel/sparse/sparse_products.h"

/* Column indices of one entry of each of the 16 rows. */
HOT __m512i slice_columns(const struct sparse_sell16 *s, uint64_t step)
{
    if (s->column16)
        return _mm512_cvtepu16_epi32(_mm256_load_si256((const __m256i *)(s->column16 + step * SELL16_ROWS)));
    return _mm512_load_si512(s->column + step * SELL16_ROWS);
}

/* Some entries of each row. */
HOT __m512 slice_sum(const struct sparse_sell16 *s, uint64_t step, uint64_t end, const float *w)
{
    __m512 sum = _mm512_setzero_ps();
    for (; step < end; step++) {
        __m512 value = _mm512_load_ps(s->value + step * SELL16_ROWS);
        sum = _mm512_fmadd_ps(value, _mm512_i32gather_ps(slice_columns(s, step), w, 4), sum);
    }
    return sum;
}

/* The 16 rows of a slice: SELL_TOGETHER entries at a time in floats, these sums in doubles; then stored at the
 * original positions of the rows. */
HOT void one_slice(const struct sparse_sell16 *s, size_t slice, const float *w, double *out)
{
    double total[SELL16_ROWS];
    __m512d low = _mm512_setzero_pd(), high = low;
    const uint64_t end = s->start[slice + 1];
    for (uint64_t step = s->start[slice], stop; step < end; step = stop) {
        stop = end - step < SELL_TOGETHER ? end : step + SELL_TOGETHER;
        __m512 sum = slice_sum(s, step, stop, w);
        low = _mm512_add_pd(low, _mm512_cvtps_pd(_mm512_castps512_ps256(sum)));
        high = _mm512_add_pd(high, _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(sum), 1))));
    }
    _mm512_storeu_pd(total, low);
    _mm512_storeu_pd(total + SELL16_ROWS / 2, high);
    const size_t first = slice * SELL16_ROWS, left = s->rows - first;
    for (size_t i = 0; i < SELL16_ROWS && i < left; i++)
        out[s->row[first + i]] = total[i];
}

void sparse_sell16_avx512(const struct sparse_sell16 *sell, size_t from, size_t to, const float *w, double *out)
{
    for (size_t slice = from; slice < to; slice++)
        one_slice(sell, slice, w, out);
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

void sparse_in_order_avx512(struct sparse_rows rows, const float *w, double *out)
{
#define BODY(wide, f64) rows_in_order(rows, w, out, wide, f64)
    BY_WIDTH(rows, BODY);
#undef BODY
}

#endif
