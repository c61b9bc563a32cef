/* column_margins: two-class activations of many models, one column each: margins from activations, and
 * residuals from the slopes of their losses. */
#ifndef KERNEL_COLUMN_MARGINS_H
#define KERNEL_COLUMN_MARGINS_H

#include <stddef.h>

enum { COLUMN_STEP = 16 }; /* counts of rows are multiples of this */

struct column_rows {
    const double *signed_weight; /* weight of each row, positive for class 1, negative for class 0; 0: excluded */
    size_t count;
    double bias; /* of the activations */
};

struct column_totals {
    double loss, residual;
};

struct column_margin_kernels {
    /* margin[i] = activation[i] + bias, with the sign of signed_weight[i]; 0 where that is 0 */
    void (*margins_f32)(const struct column_rows *rows, const float *activation, double *margin);
    void (*margins_f64)(const struct column_rows *rows, const double *activation, double *margin);
    /* residual[i] = signed_weight[i] slope[i]; sums of these before rounding, and of
     * |signed_weight[i]| value[i] */
    void (*residuals_f32)(const struct column_rows *rows, const double *value, const double *slope, float *residual,
                          struct column_totals *sums);
    void (*residuals_f64)(const struct column_rows *rows, const double *value, const double *slope, double *residual,
                          struct column_totals *sums);
};

/* The reference: every sum in its written order. */
extern const struct column_margin_kernels column_margins_plain, column_margins_avx2, column_margins_avx512,
    column_margins_neon, column_margins_wasm128;

#endif
