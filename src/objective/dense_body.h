/* dense_body: a part of dense rows, for sums in floats or in doubles.
 *
 * The including file defines `real` and the names of the kernels in that type. */
#include "kernel/linear.h"
#include "objective/inside.h"

static const real *rows_of(const struct objective *o, struct span span, bool scaled, void *rows)
{
    const struct matrix *x = o->x;
    const struct scale *scale = scaled ? o->spec.scale : NULL;
    struct rows_scale how = {scale ? scale->offset : NULL, scale ? scale->factor : NULL};
    size_t skip = span.from * o->columns;
    if (!scale && x->kind == REAL_KIND)
        return (const real *)x->dense + skip;
    if (x->kind == MATRIX_U8)
        LINEAR(o)->from_u8((const uint8_t *)x->dense + skip, span.count, o->columns, how, rows);
    else if (x->kind == MATRIX_F32)
        LINEAR(o)->from_f32((const float *)x->dense + skip, span.count, o->columns, how, rows);
    else
        LINEAR(o)->from_f64((const double *)x->dense + skip, span.count, o->columns, how, rows);
    return rows;
}

/* In eight sums, for one alone would wait for itself. */
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

static void two_block(const struct work *work, struct span span)
{
    const struct objective *o = work->o;
    const struct scratch *scratch = work->scratch;
    double *gradient = work->part->gradient;
    real *first = scratch->first;
    double *activation = scratch->second, *r = scratch->third;
    ROWS block = {rows_of(o, span, !o->fold, scratch->rows), span.count, o->columns};
    LINEAR(o)->times(block, WEIGHTS(o), first);
    for (size_t i = 0; i < span.count; i++)
        activation[i] = (double)first[i] + o->raw[o->columns];
    two_rows(work, span, activation, r);
    if (!pass_has_gradient(work->pass))
        return;
    for (size_t i = 0; i < span.count; i++)
        first[i] = (real)r[i];
    gradient[o->columns] += sum_of(first, span.count);
    LINEAR(o)->back(block, first, gradient);
}

static void many_block(const struct work *work, struct span span)
{
    const struct objective *o = work->o;
    const struct scratch *scratch = work->scratch;
    double *gradient = work->part->gradient;
    real *activation = scratch->first, *r = scratch->second;
    const double *bias = o->raw + o->columns * o->vectors;
    MANY many = {.block = {rows_of(o, span, !o->fold, scratch->rows), span.count, o->columns},
                 .classes = o->classes,
                 .stride = o->stride,
                 .scratch = scratch->linear};
    LINEAR(o)->many_times(&many, WEIGHTS(o), activation);
    for (size_t c = 0; c < o->classes; c++)
        for (size_t i = 0; i < span.count; i++)
            activation[c * o->stride + i] += (real)bias[c];
    MANY_ROWS(work, span, activation, r);
    if (!pass_has_gradient(work->pass))
        return;
    for (size_t c = 0; c < o->classes; c++)
        gradient[o->columns * o->vectors + c] += sum_of(r + c * o->stride, span.count);
    LINEAR(o)->many_back(&many, r, gradient);
}

static void part_run(const struct work *work, size_t part)
{
    for (size_t i = 0; i < work->o->part_blocks; i++) {
        struct span span = part_span(work->o, part, i);
        if (span.count && work->o->vectors == 1)
            two_block(work, span);
        else if (span.count)
            many_block(work, span);
    }
}
