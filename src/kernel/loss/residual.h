/* residual: two classes, from activations to residuals in one go, and the sums that are made of
 * them on the way: rows are looked at once, not once for every question. */
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
    double bias;  /* is added to every activation */
    double *bend; /* unless NULL: receives weight times curvature */
    /* What is fetched meanwhile, some bytes a row; 0: nothing. */
    const char *next;
    size_t row_bytes;
};

/* Over the rows, each with its weight. */
struct residual_sums {
    double loss;
    double correct;  /* where an activation above 0 is of class 1, and any other is not */
    double residual; /* the weight is in it already */
};

/* Fetches what belongs to some rows from i on, and their labels in the block that follows. */
static inline void residual_fetch(const struct residual_rows *rows, size_t i, size_t count)
{
    enum { LABELS = 64 / sizeof(uint32_t) };
    for (size_t b = 0; b < count * rows->row_bytes; b += 64)
        __builtin_prefetch(rows->next + i * rows->row_bytes + b, 0, 2);
    for (size_t k = 0; k < count; k += LABELS)
        __builtin_prefetch(rows->label + rows->rows + i + k);
}

/* Every activation a becomes its residual, weight times the derivative of its loss by a; the sums
 * are added to. The margin is a + bias for class 1 and its negative for the other; what it gives is
 * within the bounds of margin.h. */
typedef void residual_f32_fn(const struct residual_rows *rows, float *activation, struct residual_sums *sums);
typedef void residual_f64_fn(const struct residual_rows *rows, double *activation, struct residual_sums *sums);

/* Floats with the losses in doubles, for what the polynomials of floats do not do. */
residual_f32_fn residual_f32_fine_avx2, residual_f32_fine_avx512, residual_f32_fine_neon;

residual_f32_fn residual_f32_plain, residual_f32_avx2, residual_f32_avx512, residual_f32_neon;
residual_f64_fn residual_f64_plain, residual_f64_avx2, residual_f64_avx512, residual_f64_neon;

#endif
