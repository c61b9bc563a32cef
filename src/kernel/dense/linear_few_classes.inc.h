/* linear_few_classes: activations of up to eight classes of short rows; AVX-512, floats.
 *
 * A vector holds 4 (or 2) columns of each of 4 (or 8) classes: lane k * columns + q is column q of class
 * k. The columns of a row are broadcast as they are loaded, so that only the weights are packed, and few
 * lanes are summed at the end. */
#ifndef KERNEL_LINEAR_FEW_CLASSES_INC_H
#define KERNEL_LINEAR_FEW_CLASSES_INC_H

#include "kernel/dense/linear_simd.h"

enum { FEW_ROWS = 16 };

struct few_classes {
    const real *x;
    size_t columns, classes;
    real *w;          /* packed: a vector for every 4 or 2 columns */
    const char *next; /* the next block, half of which is prefetched here, half by the gradient */
};

/* Broadcasts four or two columns. */
HOT vec few_spread(const real *x, const int together)
{
    if (together == 4)
        return (vec)_mm512_broadcast_f32x4(_mm_loadu_ps(x));
    double pair;
    memcpy(&pair, x, sizeof pair);
    return (vec)_mm512_set1_pd(pair);
}

/* The same of fewer columns, padded with zeros. */
HOT vec few_spread_part(const real *x, part columns, const int together)
{
    __m128 some = _mm_maskz_loadu_ps((__mmask8)columns, x);
    return together == 4 ? (vec)_mm512_broadcast_f32x4(some) : (vec)_mm512_broadcastsd_pd(_mm_castps_pd(some));
}

/* Packs weights [column][class] into vectors of `together` columns of all classes; unused lanes are 0. */
static void few_pack(const struct few_classes *few, const real *w, size_t together)
{
    real *to = few->w;
    for (size_t j = 0; j < few->columns; j += together, to += LANES) {
        vec_store(to, vec_all(0));
        for (size_t q = 0; q < least(few->columns - j, together); q++)
            for (size_t k = 0; k < few->classes; k++)
                to[k * together + q] = w[(j + q) * few->classes + k];
    }
}

/* Hides a pointer from the compiler, which would keep one for each row and run out of registers. */
HOT const real *few_keep(const real *at)
{
    __asm__("" : "+r"(at));
    return at;
}

/* sum[i] of FEW_ROWS rows: independent chains of additions. */
HOT void few_sums(const struct few_classes *few, const real *x, vec *sum, const int together)
{
    const size_t columns = few->columns, step = (size_t)together;
    const real *w = few->w, *third[FEW_ROWS / 3 + 1];
    const char *next = few->next + (size_t)(x - few->x) * sizeof *x / 2;
    size_t j = 0;
    UNROLL for (int i = 0; i < FEW_ROWS; i++) sum[i] = vec_all(0);
    UNROLL for (size_t i = 0; i < FEW_ROWS; i += 3) third[i / 3] = x + i * columns;
    for (; j + step <= columns; j += step, w += LANES) {
        const vec weights = vec_keep(vec_load(w));
        UNROLL for (int q = 0; q < together; q += 2, next += 64) /* half of 16 rows of two floats */
            __builtin_prefetch(next, 0, 2);
        UNROLL for (size_t i = 0; i < FEW_ROWS; i++)
        {
            const real *at = third[i / 3] + i % 3 * columns;
            sum[i] = vec_fma(few_spread(at, together), weights, sum[i]);
        }
        UNROLL for (size_t i = 0; i < FEW_ROWS; i += 3) third[i / 3] = few_keep(third[i / 3] + step);
    }
    if (j == columns)
        return;
    const vec weights = vec_keep(vec_load(w));
    const part last = part_of(columns - j);
    UNROLL for (size_t i = 0; i < FEW_ROWS; i++) sum[i] =
        vec_fma(few_spread_part(x + i * columns + j, last, together), weights, sum[i]);
}

/* The same of one row: the same bits, only slower. */
HOT vec few_sum(const struct few_classes *few, const real *x, const int together)
{
    const size_t columns = few->columns, step = (size_t)together;
    const real *w = few->w;
    vec sum = vec_all(0);
    for (size_t j = 0; j < columns; j += step, w += LANES)
        sum = vec_fma(few_spread_part(x + j, part_of(least(columns - j, step)), together), vec_load(w), sum);
    return sum;
}

/* Transposes 4 x 4 elements of 128 bits. */
HOT void transpose_quarters(const vec *from, vec *to)
{
    __m512 a = (__m512)from[0], b = (__m512)from[1], c = (__m512)from[2], d = (__m512)from[3];
    __m512 ab = _mm512_shuffle_f32x4(a, b, 0x44), cd = _mm512_shuffle_f32x4(c, d, 0x44);
    __m512 ab_high = _mm512_shuffle_f32x4(a, b, 0xee), cd_high = _mm512_shuffle_f32x4(c, d, 0xee);
    to[0] = (vec)_mm512_shuffle_f32x4(ab, cd, 0x88);
    to[1] = (vec)_mm512_shuffle_f32x4(ab, cd, 0xdd);
    to[2] = (vec)_mm512_shuffle_f32x4(ab_high, cd_high, 0x88);
    to[3] = (vec)_mm512_shuffle_f32x4(ab_high, cd_high, 0xdd);
}

/* Of each 128 bits of two vectors, the numbers with even (or odd) index. */
HOT vec evens(vec a, vec b)
{
    return (vec)_mm512_shuffle_ps((__m512)a, (__m512)b, 0x88);
}

HOT vec odds(vec a, vec b)
{
    return (vec)_mm512_shuffle_ps((__m512)a, (__m512)b, 0xdd);
}

/* out[k] is class k of all rows: the sums of the lanes that are its columns. */
HOT void few_transpose(const vec *sum, vec *out, const int together)
{
    vec even[4], odd[4];
    if (together == 4) {
        UNROLL for (int i = 0; i < 4; i++) even[i] = sum_quarters(sum + 4 * i);
        transpose_quarters(even, out);
        return;
    }
    UNROLL for (int i = 0; i < 4; i++)
    {
        const vec *row = sum + 4 * i;
        vec low = evens(row[0], row[1]) + odds(row[0], row[1]);
        vec high = evens(row[2], row[3]) + odds(row[2], row[3]);
        even[i] = evens(low, high);
        odd[i] = odds(low, high);
    }
    vec transposed[8];
    transpose_quarters(even, transposed);
    transpose_quarters(odd, transposed + 4);
    UNROLL for (int k = 0; k < 8; k++) out[k] = transposed[k / 2 + k % 2 * 4];
}

/* All rows, FEW_ROWS at a time; writes whole vectors of rows, as the output is padded to SOFTMAX_PAD. */
HOT void few_block(const many_type *many, const struct few_classes *few, real *out, const int together)
{
    const size_t rows = many->block.rows;
    for (size_t i = 0; i < rows; i += FEW_ROWS) {
        vec sum[FEW_ROWS], transposed[8] = {{0}};
        const real *x = few->x + i * few->columns;
        if (i + FEW_ROWS <= rows)
            few_sums(few, x, sum, together);
        else
            for (size_t k = 0; k < FEW_ROWS; k++) /* past the end, the last again */
                sum[k] = few_sum(few, x + least(k, rows - i - 1) * few->columns, together);
        few_transpose(sum, transposed, together);
        for (size_t c = 0; c < few->classes; c++)
            vec_store(out + c * many->stride + i, transposed[c]);
    }
}

/* Up to four classes: four columns of each in a vector; up to eight: two. `of` is the number of all classes: the layout
 * (hence the order of additions) depends on it and not on the subset, so that a class has the same bits in any subset.
 */
static void few_times(const many_type *many, size_t of, const real *w, real *out)
{
    const rows_type *block = &many->block;
    const struct few_classes few = {block->x, block->columns, many->classes, many->scratch,
                                    (const char *)(block->x + block->rows * block->columns)};
    few_pack(&few, w, of > 4 ? 2 : 4);
    if (of > 4)
        few_block(many, &few, out, 2);
    else
        few_block(many, &few, out, 4);
}

#endif
