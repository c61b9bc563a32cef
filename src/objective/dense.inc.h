/* dense: template of a pass over dense rows, with sums in floats or in doubles; the including file defines `real` and
 * the kernels of that type.
 *
 * The pass is fused: for each block of rows that fits the cache, the scores (block times weights), the residuals and
 * the gradient (block transposed times residuals) are computed before the next block is read, so every row travels
 * from memory once a pass instead of twice. */
#include <string.h>

#include "kernel/dense/linear.h"
#include "objective/objective_internal.h"

/* The rows of a span as `real`: in place if they are stored so and not scaled, else converted into `space`. */
static const real *rows_of(const struct kernel *kernel, const struct matrix *x, struct row_span span,
                           const struct scale *scale, void *space)
{
    struct rows_scale how = {scale ? scale->offset : NULL, scale ? scale->factor : NULL};
    size_t columns = (size_t)x->columns, skip = span.from * columns;
    if (!scale && x->kind == REAL_KIND)
        return (const real *)x->dense + skip;
    if (x->kind == MATRIX_U8)
        kernel->LINEAR->from_u8((const uint8_t *)x->dense + skip, span.count, columns, how, space);
    else if (x->kind == MATRIX_F32)
        kernel->LINEAR->from_f32((const float *)x->dense + skip, span.count, columns, how, space);
    else
        kernel->LINEAR->from_f64((const double *)x->dense + skip, span.count, columns, how, space);
    return space;
}

/* A block of rows for the kernels, scaled here unless the weights have the scaling. */
static ROWS block_of(const struct pass_work *work, struct row_span span)
{
    const struct objective *o = work->o;
    const struct scale *scale = o->weights.folded ? NULL : o->spec.scale;
    return (ROWS){rows_of(o->kernel, o->x, span, scale, work->scratch->rows), span.count, o->columns};
}

/* Eight interleaved sums, so that additions do not wait for each other. */
static double sum_of(const real *x, size_t count)
{
    double sum[8] = {0};
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (size_t k = 0; k < 8; k++)
            sum[k] += (double)x[i + k];
    for (; i < count; i++)
        sum[0] += (double)x[i];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

/* Scores become residuals in place. Evaluations, nearly all passes of a training, have a fused kernel; the other
 * passes convert to doubles and back. */
static void binary_residuals(const struct pass_work *work, struct row_span span, real *first)
{
    const struct objective *o = work->o;
    double *activation = work->scratch->second, *r = work->scratch->third;
    if (work->pass == PASS_EVALUATE && o->table) {
        struct residual_rows rows = binary_evaluation(work, span);
        struct residual_sums sums = {0};
        o->kernel->RESIDUAL(&rows, first, &sums);
        binary_add(work, &sums);
        return;
    }
    for (size_t i = 0; i < span.count; i++)
        activation[i] = (double)first[i] + o->weights.raw[o->columns];
    binary_rows(work, span, activation, r);
    if (!pass_has_gradient(work->pass))
        return;
    for (size_t i = 0; i < span.count; i++)
        first[i] = (real)r[i];
    work->part->gradient[o->columns] += sum_of(first, span.count);
}

/* A block of a narrower type, which the kernels convert as they read it. */
static void binary_widening(const struct pass_work *work, struct row_span span)
{
    const struct objective *o = work->o;
    real *first = work->scratch->first;
    const struct linear_hints aside = {matrix_bytes(o->x) <= CACHED_BYTES, work->scratch->rows};
    const OTHER_ROWS block = {(const other *)o->x->dense + span.from * o->columns, span.count, o->columns};
    o->kernel->LINEAR->OTHER_TIMES(block, aside, WEIGHTS(o), first);
    binary_residuals(work, span, first);
    if (pass_has_gradient(work->pass))
        o->kernel->LINEAR->OTHER_BACK(block, aside, first, work->part->gradient);
}

/* Two classes: scores, residuals, gradient of one block. */
static void binary_block(const struct pass_work *work, struct row_span span)
{
    const struct objective *o = work->o;
    const bool cached = matrix_bytes(o->x) <= CACHED_BYTES;
    const ROWS block = block_of(work, span);
    real *first = work->scratch->first;
    (cached ? o->kernel->LINEAR->times_cached : o->kernel->LINEAR->times)(block, WEIGHTS(o), first);
    binary_residuals(work, span, first);
    if (pass_has_gradient(work->pass))
        (cached ? o->kernel->LINEAR->back_cached : o->kernel->LINEAR->back)(block, first, work->part->gradient);
}

/* Many classes: the same with one column of scores for each class, [class * stride + row]. */
static void multiclass_block(const struct pass_work *work, struct row_span span)
{
    const struct objective *o = work->o;
    const struct pass_scratch *scratch = work->scratch;
    double *gradient = work->part->gradient;
    real *activation = scratch->first, *r = scratch->second;
    const double *bias = o->weights.raw + o->columns * o->vectors;
    MANY many = {.block = block_of(work, span), .classes = o->classes, .stride = o->stride, .scratch = scratch->linear};
    o->kernel->LINEAR->many_times(&many, WEIGHTS(o), activation);
    for (size_t c = 0; c < o->classes; c++)
        for (size_t i = 0; i < span.count; i++)
            activation[c * o->stride + i] += (real)bias[c];
    MANY_ROWS(work, span, activation, r);
    if (!pass_has_gradient(work->pass))
        return;
    for (size_t c = 0; c < o->classes; c++)
        gradient[o->columns * o->vectors + c] += sum_of(r + c * o->stride, span.count);
    o->kernel->LINEAR->many_back(&many, r, gradient);
}

/* ---- Two classes, both products in one loop ---------------------------------------------------- */

/* Scores of these rows, and the gradient of the `before` rows in front of them, whose residuals are r. The sums of a
 * block are in scratch->rows, which holds no rows then. */
static void fused_rows(const struct pass_work *work, struct row_span span, size_t before, real *out, const real *r)
{
    const struct objective *o = work->o;
    const size_t skip = span.from * o->columns;
    real *sum = work->scratch->rows;
#ifdef OTHER_FUSED
    if (o->x->kind == OTHER_KIND) {
        const OTHER_ROWS rows = {(const other *)o->x->dense + skip, span.count, o->columns};
        o->kernel->LINEAR->OTHER_FUSED(rows, before, WEIGHTS(o), out, r, sum);
        return;
    }
#endif
    const ROWS rows = {(const real *)o->x->dense + skip, span.count, o->columns};
    o->kernel->LINEAR->fused(rows, before, WEIGHTS(o), out, r, sum);
}

/* Adds the sums of a block to the gradient, and begins those of the next. */
static void add_fused(const struct pass_work *work)
{
    real *sum = work->scratch->rows;
    for (size_t j = 0; j < work->o->columns; j++)
        work->part->gradient[j] += (double)sum[j];
    memset(sum, 0, linear_fused_sums(work->o->columns) * sizeof *sum);
}

/* A part in steps of up to `step` rows; scores and residuals of two steps are in scratch->first. The gradient of the
 * last step of a block is computed with the scores of the first one of the next. */
static void fused_part(const struct pass_work *work, size_t part, size_t step)
{
    const struct objective *o = work->o;
    real *out = work->scratch->first, *r = out + step, *swap;
    struct row_span rows = {.count = 0};
    memset(work->scratch->rows, 0, linear_fused_sums(o->columns) * sizeof *out);
    for (size_t i = 0; i < o->layout.blocks.part_blocks; i++) {
        const struct row_span span = block_rows_of(&o->layout.blocks, part, i);
        page_window_rows(o->x, span.from, span.count);
        for (size_t from = 0; from < span.count; from += rows.count) {
            const size_t before = rows.count, left = span.count - from;
            rows = (struct row_span){span.from + from, left < step ? left : step, span.block};
            fused_rows(work, rows, before, out, r);
            if (from == 0 && before > 0)
                add_fused(work);
            binary_residuals(work, rows, out);
            swap = out;
            out = r;
            r = swap;
        }
    }
    fused_rows(work, (struct row_span){rows.from + rows.count, 0, 0}, rows.count, out, r);
    add_fused(work);
}

/* All blocks of a part, in order. */
static void part_run(const struct pass_work *work, size_t part)
{
    const struct objective *o = work->o;
    const bool widens = o->x->kind == OTHER_KIND && (o->weights.folded || !o->spec.scale);
    const size_t fused = pass_has_gradient(work->pass) ? binary_fused_rows(o, o->kernel->LINEAR->fused_step) : 0;
    if (fused > 0) {
        fused_part(work, part, fused);
        return;
    }
    for (size_t i = 0; i < o->layout.blocks.part_blocks; i++) {
        struct row_span span = block_rows_of(&o->layout.blocks, part, i);
        page_window_rows(o->x, span.from, span.count);
        if (span.count && o->vectors > 1)
            multiclass_block(work, span);
        else if (span.count && widens)
            binary_widening(work, span);
        else if (span.count)
            binary_block(work, span);
    }
}
