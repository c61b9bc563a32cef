/* dense_block: some consecutive dense rows, whose products with weights and with each other a coordinate ascent needs.
 * In doubles, but for the products of floats with each other. */
#ifndef OBJECTIVE_DENSE_BLOCK_H
#define OBJECTIVE_DENSE_BLOCK_H

#include "data/matrix.h"
#include "kernel/dispatch/kernel.h"

enum { DENSE_BLOCK_ROWS = 8, DENSE_PRODUCTS = DENSE_BLOCK_ROWS * DENSE_BLOCK_ROWS };

struct dense_block {
    const struct matrix *x;
    const struct kernel *kernel;
    size_t first, count; /* rows */
};

static inline struct rows_f32 floats_of(const struct dense_block *block)
{
    const size_t columns = (size_t)block->x->columns;
    return (struct rows_f32){(const float *)block->x->dense + block->first * columns, block->count, columns};
}

static inline struct rows_f64 doubles_of(const struct dense_block *block)
{
    const size_t columns = (size_t)block->x->columns;
    return (struct rows_f64){(const double *)block->x->dense + block->first * columns, block->count, columns};
}

/* out[i] = w . x_i */
static inline void dense_times(const struct dense_block *block, const double *w, double *out)
{
    const struct linear_f64 *linear = block->kernel->linear_f64;
    if (block->x->kind == MATRIX_F32)
        linear->times_f32(floats_of(block), (struct linear_hints){.cached = true}, w, out);
    else
        linear->times_cached(doubles_of(block), w, out);
}

/* w += sum_i r[i] x_i */
static inline void dense_back(const struct dense_block *block, const double *r, double *w)
{
    const struct linear_f64 *linear = block->kernel->linear_f64;
    if (block->x->kind == MATRIX_F32)
        linear->back_f32(floats_of(block), (struct linear_hints){.cached = true}, r, w);
    else
        linear->back_cached(doubles_of(block), r, w);
}

/* products[i * DENSE_BLOCK_ROWS + k] = x_i . x_k, k <= i */
static inline void dense_products(const struct dense_block *block, double *products)
{
    for (size_t i = 0; i < block->count; i++) {
        const struct dense_block upto = {block->x, block->kernel, block->first, i + 1};
        double *line = products + i * DENSE_BLOCK_ROWS;
        if (block->x->kind == MATRIX_F32) {
            const struct rows_f32 rows = floats_of(&upto);
            float out[DENSE_BLOCK_ROWS];
            block->kernel->linear_f32->times_cached(rows, rows.x + i * rows.columns, out);
            for (size_t k = 0; k <= i; k++)
                line[k] = (double)out[k];
        } else {
            const struct rows_f64 rows = doubles_of(&upto);
            block->kernel->linear_f64->times_cached(rows, rows.x + i * rows.columns, line);
        }
    }
}

#endif
