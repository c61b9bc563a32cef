/* residual: two classes: residuals from activations, with all sums over the rows in the same pass. */
#ifndef KERNEL_RESIDUAL_H
#define KERNEL_RESIDUAL_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/loss/margin.h"

struct residual_rows {
    const struct margin_table *table;
    const uint32_t *label; /* 1, or anything else for the other class */
    const double *weight;  /* NULL: ones */
    size_t rows;
    double bias;       /* is added to every activation */
    double *curvature; /* unless NULL: receives weight times curvature */
    /* What is prefetched, some bytes a row; 0: nothing. */
    const char *next;
    size_t row_bytes;
};

/* Over the rows, each with its weight. */
struct residual_sums {
    double loss;
    double correct;  /* where an activation above 0 is of class 1, and any other is not */
    double residual; /* the weight is in it already */
};

/* Prefetches the bytes of some rows from i on, and their labels in the next block. */
static inline void residual_fetch(const struct residual_rows *rows, size_t i, size_t count)
{
    enum { LABELS = 64 / sizeof(uint32_t) };
    for (size_t b = 0; b < count * rows->row_bytes; b += 64)
        __builtin_prefetch(rows->next + i * rows->row_bytes + b, 0, 2);
    for (size_t k = 0; k < count; k += LABELS)
        __builtin_prefetch(rows->label + rows->rows + i + k);
}

/* Replaces every activation a by its residual, weight times the derivative of its loss by a, and adds to
 * the sums. The margin is a + bias for class 1 and its negative for the other; errors are within the
 * bounds of margin.h. */
typedef void residual_f32_fn(const struct residual_rows *rows, float *activation, struct residual_sums *sums);
typedef void residual_f64_fn(const struct residual_rows *rows, double *activation, struct residual_sums *sums);

/* Floats with the losses in doubles, where the polynomials of floats cannot be used. */
residual_f32_fn residual_f32_fine_avx2, residual_f32_fine_avx512, residual_f32_fine_neon, residual_f32_fine_wasm128;

residual_f32_fn residual_f32_plain, residual_f32_avx2, residual_f32_avx512, residual_f32_neon, residual_f32_wasm128;
residual_f64_fn residual_f64_plain, residual_f64_avx2, residual_f64_avx512, residual_f64_neon, residual_f64_wasm128;

#endif
