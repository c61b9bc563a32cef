/* column: rows of two classes, one column of activations of many: to margins, and from the slopes
 * of their losses to residuals. */
#ifndef KERNEL_COLUMN_MARGINS_H
#define KERNEL_COLUMN_MARGINS_H

#include <stddef.h>

enum { COLUMN_STEP = 16 }; /* counts of rows are multiples of this */

struct column_rows {
    const double *pull; /* the weight of each row, positive for class 1 and negative for class 0; 0
                           if it does not count */
    size_t count;
    double bias; /* of the activations */
};

struct column_totals {
    double loss, residual;
};

struct column_margin_kernels {
    /* margin[i] = activation[i] + bias, with the sign of pull[i]; 0, whatever the activation, where
     * that is 0 */
    void (*margins_f32)(const struct column_rows *rows, const float *activation, double *margin);
    void (*margins_f64)(const struct column_rows *rows, const double *activation, double *margin);
    /* residual[i] = pull[i] slope[i]; adds them up before they are rounded, and |pull[i]| value[i]
     */
    void (*residuals_f32)(const struct column_rows *rows, const double *value, const double *slope, float *residual,
                          struct column_totals *sums);
    void (*residuals_f64)(const struct column_rows *rows, const double *value, const double *slope, double *residual,
                          struct column_totals *sums);
};

/* The reference: every sum in its written order. */
extern const struct column_margin_kernels column_plain, column_avx2, column_avx512, column_neon;

#endif
