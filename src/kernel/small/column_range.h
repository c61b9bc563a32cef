/* spread: least, greatest and sums of each column of dense rows. A column is added up row by row,
 * whatever the width of the vectors: every kernel gives the same bits. */
#ifndef KERNEL_COLUMN_RANGE_H
#define KERNEL_COLUMN_RANGE_H

#include <stddef.h>
#include <stdint.h>

struct column_range {
    size_t count, columns;
    size_t behind;        /* rows that will be asked for next, and may be fetched meanwhile */
    const double *weight; /* of each row */
    const double *mean;   /* of each column: the second pass */
    double *low, *high;   /* the first pass */
    double *sum;          /* of w x, or in the second pass of w (x - mean) */
    double *square;       /* the second pass: of w (x - mean)^2 */
};

struct column_range_kernels {
    void (*first_f32)(const struct column_range *spread, const float *rows);
    void (*first_f64)(const struct column_range *spread, const double *rows);
    void (*first_u8)(const struct column_range *spread, const uint8_t *rows);
    void (*second_f32)(const struct column_range *spread, const float *rows);
    void (*second_f64)(const struct column_range *spread, const double *rows);
    void (*second_u8)(const struct column_range *spread, const uint8_t *rows);
};

/* The reference: one row after another. */
extern const struct column_range_kernels spread_plain, spread_avx2, spread_avx512, spread_neon;

#endif
