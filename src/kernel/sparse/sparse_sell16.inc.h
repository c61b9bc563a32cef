/* sparse_slabs: products of sparse rows with floats, sixteen rows side by side; AVX-512.
 *
 * A lane has a row: nothing is added across lanes, no end of a row is guessed wrong, and each sum
 * is in the order of its entries, so that rows as they come can be summed to the same bits. */
#ifndef KERNEL_SPARSE_SELL16_INC_H
#define KERNEL_SPARSE_SELL16_INC_H

#include <immintrin.h>

#include "kernel/sparse/sparse_widths.h"

HOT __m512i slab_columns(const struct sparse_sell16 *s, uint64_t step)
{
    if (s->column16)
        return _mm512_cvtepu16_epi32(_mm256_load_si256((const __m256i *)(s->column16 + step * SLAB_ROWS)));
    return _mm512_load_si512(s->column + step * SLAB_ROWS);
}

/* Some entries of each row. */
HOT __m512 slab_sum(const struct sparse_sell16 *s, uint64_t step, uint64_t end, const float *w)
{
    __m512 sum = _mm512_setzero_ps();
    for (; step < end; step++) {
        __m512 value = _mm512_load_ps(s->value + step * SLAB_ROWS);
        sum = _mm512_fmadd_ps(value, _mm512_i32gather_ps(slab_columns(s, step), w, 4), sum);
    }
    return sum;
}

HOT void one_slab(const struct sparse_sell16 *s, size_t slab, const float *w, double *out)
{
    double total[SLAB_ROWS];
    __m512d low = _mm512_setzero_pd(), high = low;
    const uint64_t end = s->start[slab + 1];
    for (uint64_t step = s->start[slab], stop; step < end; step = stop) {
        stop = end - step < SLAB_TOGETHER ? end : step + SLAB_TOGETHER;
        __m512 sum = slab_sum(s, step, stop, w);
        low = _mm512_add_pd(low, _mm512_cvtps_pd(_mm512_castps512_ps256(sum)));
        high = _mm512_add_pd(high, _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(sum), 1))));
    }
    _mm512_storeu_pd(total, low);
    _mm512_storeu_pd(total + SLAB_ROWS / 2, high);
    const size_t first = slab * SLAB_ROWS, left = s->rows - first;
    for (size_t i = 0; i < SLAB_ROWS && i < left; i++)
        out[s->row[first + i]] = total[i];
}

void sparse_sell16_avx512(const struct sparse_sell16 *slabs, size_t from, size_t to, const float *w, double *out)
{
    for (size_t slab = from; slab < to; slab++)
        one_slab(slabs, slab, w, out);
}

HOT void rows_in_order(struct sparse_rows rows, const float *w, double *out, bool wide, bool f64)
{
    for (size_t i = 0; i < rows.rows; i++) {
        const uint64_t end = sparse_start(&rows, i + 1);
        double total = 0;
        for (uint64_t e = sparse_start(&rows, i), stop; e < end; e = stop) {
            float sum = 0;
            stop = end - e < SLAB_TOGETHER ? end : e + SLAB_TOGETHER;
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
