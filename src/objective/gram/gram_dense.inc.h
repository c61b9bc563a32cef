/* gram_dense: template: adds dense rows to a Gram matrix, in floats or doubles. The including file defines `real`, ROWS
 * (the struct of the kernel), LINEAR (its table) and DENSE_ROWS (rows in that type).
 *
 * The matrix is updated by a block of rows at once, from the cache. Rows of weight 0 are left out: they were not
 * sampled, or have no curvature, and each row costs columns^2 operations. Those that stay are collected over the blocks
 * of a part until a block is full, because every update reads and writes the whole matrix. */
#include <string.h>

#include "objective/gram/gram.h"

/* Some of the chosen columns of a dense row, [from, from + count), scaled. A loop for each kind: this takes longer than
 * the products where few columns are chosen. */
static void gather_columns(const struct gram_work *m, size_t row, size_t from, size_t count, double *out)
{
    const struct matrix *x = m->o->x;
    const struct scale *scale = m->o->spec.scale;
    const size_t *index = m->index + from, first = row * m->o->columns;
    if (x->kind == MATRIX_F64)
        for (size_t i = 0; i < count; i++)
            out[i] = ((const double *)x->dense)[first + index[i]];
    else if (x->kind == MATRIX_F32)
        for (size_t i = 0; i < count; i++)
            out[i] = (double)((const float *)x->dense)[first + index[i]];
    else
        for (size_t i = 0; i < count; i++)
            out[i] = (double)((const uint8_t *)x->dense)[first + index[i]];
    for (size_t i = 0; scale && i < count; i++)
        out[i] = (out[i] - scale->offset[index[i]]) * scale->factor[index[i]];
}

/* The same, all of them, in the type of the sums. */
static void gather_row(const struct gram_work *m, size_t row, real *out)
{
    double some[64];
    const size_t most = sizeof some / sizeof *some;
    for (size_t from = 0; from < m->columns; from += most) {
        const size_t left = m->columns - from, count = left < most ? left : most;
        gather_columns(m, row, from, count, some);
        for (size_t i = 0; i < count; i++)
            out[from + i] = (real)some[i];
    }
}

/* The rows of a span with the columns that are wanted, scaled, in the type of the sums; `space` has room for them. */
static const real *wanted_rows(const struct gram_work *m, struct row_span span, real *space)
{
    const struct objective *o = m->o;
    if (!m->index)
        return DENSE_ROWS(o->kernel, o->x, span, o->spec.scale, space);
    for (size_t row = 0; row < span.count; row++)
        gather_row(m, span.from + row, space + row * m->columns);
    return space;
}

/* The buffers in the scratch: weights of the rows of a block, the rows, and those multiplied by the weights. */
static real *weights_in(const struct pass_scratch *scratch)
{
    return scratch->gram;
}

static real *rows_in(const struct gram_work *m, const struct pass_scratch *scratch)
{
    return weights_in(scratch) + m->buffered_rows;
}

/* The symmetric rank-k update of some lines, and the sum of the rows, which is stored behind the matrix. */
static void update(const struct gram_work *m, ROWS block, struct gram_lines lines, double *outer,
                   struct pass_scratch *scratch)
{
    const real *weight = weights_in(scratch);
    real *space = rows_in(m, scratch) + m->buffered_rows * m->columns;
    m->o->kernel->LINEAR->gram(block, weight, lines, space, outer);
    if (gram_has_last_line(m, lines))
        m->o->kernel->LINEAR->back(block, weight, outer + m->columns * m->columns);
}

static void update_collected(const struct gram_work *m, struct gram_lines lines, double *outer,
                             struct pass_scratch *scratch)
{
    const ROWS block = {rows_in(m, scratch), scratch->gram_collected, m->columns};
    update(m, block, lines, outer, scratch);
    scratch->gram_collected = 0;
}

/* Puts a row behind those that wait. */
static void append_row(const struct gram_work *m, size_t row, double weight, struct pass_scratch *scratch)
{
    const size_t place = scratch->gram_collected++;
    real *to = rows_in(m, scratch) + place * m->columns;
    const real *from = wanted_rows(m, (struct row_span){row, 1, 0}, to);
    if (from != to)
        memcpy(to, from, m->columns * sizeof *to);
    weights_in(scratch)[place] = (real)weight;
}

static size_t count_kept(const struct gram_work *m, struct row_span span)
{
    size_t kept = 0;
    for (size_t i = 0; i < span.count; i++)
        kept += gram_row_weight(m, span.from + i) != 0;
    return kept;
}

/* A block of which all rows stay is used in place, or converted as a whole. */
static void add_rows(const struct gram_work *m, struct row_span span, struct gram_lines lines, double *outer,
                     struct pass_scratch *scratch)
{
    if (!scratch->gram_collected && count_kept(m, span) == span.count) {
        const ROWS block = {wanted_rows(m, span, rows_in(m, scratch)), span.count, m->columns};
        for (size_t i = 0; i < span.count; i++)
            weights_in(scratch)[i] = (real)gram_row_weight(m, span.from + i);
        update(m, block, lines, outer, scratch);
        return;
    }
    for (size_t i = 0; i < span.count; i++) {
        const double weight = gram_row_weight(m, span.from + i);
        if (weight == 0)
            continue;
        append_row(m, span.from + i, weight, scratch);
        if (scratch->gram_collected == m->block_rows)
            update_collected(m, lines, outer, scratch);
    }
}
