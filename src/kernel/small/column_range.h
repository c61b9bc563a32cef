/* column_range: minimum, maximum and sums of each column of dense rows. A column is summed row by row for
 * any width of vectors, so that every kernel gives the same bits. */
#ifndef KERNEL_COLUMN_RANGE_H
#define KERNEL_COLUMN_RANGE_H

#include <stddef.h>
#include <stdint.h>

struct column_range {
    size_t count, columns;
    size_t behind;        /* rows after these, which are prefetched */
    const double *weight; /* of each row */
    const double *mean;   /* of each column: the second pass */
    double *low, *high;   /* the first pass */
    double *sum;          /* of w x, or in the second pass of w (x - mean) */
    double *square;       /* the second pass: of w (x - mean)^2 */
};

struct column_range_kernels {
    void (*first_f32)(const struct column_range *range, const float *rows);
    void (*first_f64)(const struct column_range *range, const double *rows);
    void (*first_u8)(const struct column_range *range, const uint8_t *rows);
    void (*second_f32)(const struct column_range *range, const float *rows);
    void (*second_f64)(const struct column_range *range, const double *rows);
    void (*second_u8)(const struct column_range *range, const uint8_t *rows);
};

/* The reference: one row after another. */
extern const struct column_range_kernels column_range_plain, column_range_avx2, column_range_avx512, column_range_neon,
    column_range_wasm128;

#endif
