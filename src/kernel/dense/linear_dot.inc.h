/* linear_dot: activations of a few classes of long rows, as scalar products.
 *
 * Lanes run along the columns, so that rows are read in place, and only the weights are packed. At the end
 * every activation needs a sum across lanes, which pays if rows are much longer than there are classes. */
#ifndef KERNEL_LINEAR_DOT_INC_H
#define KERNEL_LINEAR_DOT_INC_H

#include "kernel/dense/linear_simd.h"

enum {
    DOT_WIDTH = 3, /* classes at once */
#if defined(__AVX2__) && !defined(__AVX512F__)
    DOT_ROWS = 4, /* of sixteen registers, twelve for sums */
#else
    DOT_ROWS = 8, /* of thirty-two, twenty-four */
#endif
    DOT_AHEAD = 1024, /* numbers of the next rows that are in the cache already */
    DOT_SUMS = (DOT_ROWS * DOT_WIDTH + LANES - 1) / LANES * LANES,
};

/* One tile: DOT_ROWS rows times up to DOT_WIDTH classes. */
struct dot {
    const real *row[DOT_ROWS];
    size_t columns, classes;
    const real *w;    /* packed: [column / LANES][class][column % LANES], from the first class on */
    const real *next; /* what is prefetched, `lines` vectors with every step */
    size_t lines;
    real *out;
    size_t stride;
};

/* LANES columns from j on: every loaded vector of x is used for all classes, every one of w for all rows. sum[c *
 * DOT_ROWS + k] is class c of row k. */
HOT void dot_step(const struct dot *d, size_t j, part lanes, vec *sum, const int width)
{
    vec w[DOT_WIDTH];
    const real *from = d->w + j * d->classes;
    UNROLL for (int c = 0; c < width; c++) w[c] = vec_keep(vec_load(from + c * LANES));
    UNROLL for (int k = 0; k < DOT_ROWS; k++)
    {
        vec x = vec_keep(vec_load_part(d->row[k] + j, lanes));
        UNROLL for (int c = 0; c < width; c++) sum[c * DOT_ROWS + k] = vec_fma(x, w[c], sum[c * DOT_ROWS + k]);
    }
}

/* All columns of a tile, then the sums across lanes. Works on a copy of the arguments, which the compiler can keep
 * in registers as no store can change it. */
HOT void dot_rows(const struct dot *given, const int width)
{
    const struct dot d = *given;
    const part all = part_of(LANES);
    vec sum[DOT_SUMS];
    real sums[DOT_SUMS];
    const real *next = d.next;
    size_t j = 0;
    UNROLL for (int k = 0; k < DOT_SUMS; k++) sum[k] = vec_all(0);
    for (; j + LANES <= d.columns; j += LANES) {
        for (size_t line = 0; line < d.lines; line++, next += LANES)
            __builtin_prefetch(next, 0, 2);
        dot_step(&d, j, all, sum, width);
    }
    if (j < d.columns)
        dot_step(&d, j, part_of(d.columns - j), sum, width);
    UNROLL for (int k = 0; k < width * DOT_ROWS; k += LANES) vec_store(sums + k, sum_each(sum + k));
    UNROLL for (int c = 0; c < width; c++)
        memcpy(d.out + (size_t)c * d.stride, sums + c * DOT_ROWS, DOT_ROWS * sizeof *sums);
}

/* Calls dot_rows with a constant width, for which it is compiled. */
static void dot_run(const struct dot *d, size_t width)
{
    switch (width) {
    case 1:
        dot_rows(d, 1);
        break;
    case 2:
        dot_rows(d, 2);
        break;
    default: /* DOT_WIDTH */
        dot_rows(d, 3);
        break;
    }
}

/* The activations of all rows; `w` is packed. Rows past the end repeat the last one. Each tile prefetches
 * its share of the rows after next. (The next block is prefetched by the product of the gradient.) */
static void dot_block(const many_type *many, const real *w, real *out)
{
    const rows_type *block = &many->block;
    const size_t tiles = (many->classes + DOT_WIDTH - 1) / DOT_WIDTH;
    struct dot d = {.columns = block->columns, .classes = many->classes, .stride = many->stride};
    for (size_t i = 0; i < block->rows; i += DOT_ROWS) {
        for (size_t k = 0; k < DOT_ROWS; k++)
            d.row[k] = block->x + least(i + k, block->rows - 1) * block->columns;
        d.lines = i + 2 * DOT_ROWS < block->rows ? (DOT_ROWS + tiles - 1) / tiles : 0;
        d.next = d.row[0] + DOT_ROWS * block->columns + DOT_AHEAD;
        for (size_t c = 0, left = tiles, width; left > 0; c += width, left--) {
            width = (many->classes - c + left - 1) / left;
            d.w = w + c * LANES;
            d.out = out + c * many->stride + i;
            dot_run(&d, width);
            d.next += d.lines * block->columns;
        }
    }
}

#endif
