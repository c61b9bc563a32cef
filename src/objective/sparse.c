/* sparse: a part of sparse rows, and the gradient through the transposed matrix. */
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "objective/inside.h"

static struct sparse_rows rows_of(const struct objective *o, struct span span)
{
    return (struct sparse_rows){o->x->row_start + span.from, o->x->column, o->x->value, span.count};
}

/* Products with the curvature, which steps are made of, need no more digits than floats have; half
 * the memory is gathered. Values and gradients, which decide where a run ends, are all doubles. */
static bool takes_floats(const struct objective *o, enum pass pass)
{
    return pass == PASS_MULTIPLY && o->raw_f32;
}

/* Residuals go into the gradient, or wait for the transposed matrix. */
static void two_block(const struct work *work, struct span span)
{
    struct objective *o = work->o;
    double *activation = work->scratch->first;
    double *r = o->transposed ? o->residual + span.from : work->scratch->second;
    o->sparse->times(rows_of(o, span), o->raw, activation);
    for (size_t i = 0; i < span.count; i++)
        activation[i] += o->raw[o->columns];
    two_rows(work, span, activation, r);
    if (!pass_has_gradient(work->pass))
        return;
    for (size_t i = 0; i < span.count; i++)
        work->part->gradient[o->transposed ? 0 : o->columns] += r[i];
    if (!o->transposed)
        o->sparse->back(rows_of(o, span), r, work->part->gradient);
}

/* Between [row * classes + class] and [class * stride + row]. */
static void to_classes(const struct objective *o, size_t count, const double *by_row,
                       double *by_class)
{
    const double *bias = o->raw + o->columns * o->vectors;
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < o->classes; c++)
            by_class[c * o->stride + i] = by_row[i * o->classes + c] + bias[c];
}

static void to_rows(const struct objective *o, size_t count, const double *by_class, double *by_row)
{
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < o->classes; c++)
            by_row[i * o->classes + c] = by_class[c * o->stride + i];
}

static void to_rows_f32(const struct objective *o, size_t count, const double *by_class,
                        float *by_row)
{
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < o->classes; c++)
            by_row[i * o->classes + c] = (float)by_class[c * o->stride + i];
}

/* Residuals go into the gradient, or wait for the transposed matrix. */
static void many_residuals(const struct work *work, struct span span, const double *residual)
{
    struct objective *o = work->o;
    double *by_row = work->scratch->third;
    double *intercept = work->part->gradient + (o->transposed ? 0 : o->columns * o->vectors);
    for (size_t c = 0; c < o->classes; c++)
        for (size_t i = 0; i < span.count; i++)
            intercept[c] += residual[c * o->stride + i];
    if (o->transposed && takes_floats(o, work->pass)) {
        to_rows_f32(o, span.count, residual, o->residual_f32 + span.from * o->classes);
    } else if (o->transposed) {
        to_rows(o, span.count, residual, o->residual + span.from * o->classes);
    } else {
        to_rows(o, span.count, residual, by_row);
        o->sparse->many_back(rows_of(o, span), o->classes, by_row, work->part->gradient);
    }
}

static void many_block(const struct work *work, struct span span)
{
    struct objective *o = work->o;
    double *by_row = work->scratch->third, *activation = work->scratch->first;
    double *residual = work->scratch->second;
    if (takes_floats(o, work->pass))
        o->sparse->many_times_f32(rows_of(o, span), o->classes, o->raw_f32, by_row);
    else
        o->sparse->many_times(rows_of(o, span), o->classes, o->raw, by_row);
    to_classes(o, span.count, by_row, activation);
    many_rows_f64(work, span, activation, residual);
    if (pass_has_gradient(work->pass))
        many_residuals(work, span, residual);
}

void sparse_part(const struct work *work, size_t part)
{
    for (size_t i = 0; i < work->o->cut.part_blocks; i++) {
        struct span span = cut_span(&work->o->cut, part, i);
        if (span.count && work->o->vectors == 1)
            two_block(work, span);
        else if (span.count)
            many_block(work, span);
    }
}

/* ---- The transposed matrix ------------------------------------------------------------------- */

struct column_pass {
    struct objective *o;
    enum pass pass;
    const double *w;
    double *gradient;
};

static temper_status column_group(void *context, size_t group, size_t worker)
{
    const struct column_pass *pass = context;
    const struct objective *o = pass->o;
    const struct turned_group columns = turned_group(&o->turned, group);
    (void)worker;
    double *to_columns = pass->gradient + columns.from * o->vectors;
    if (o->vectors == 1)
        o->sparse->times(columns.entries, o->residual, to_columns);
    else if (takes_floats(o, pass->pass))
        o->sparse->many_times_f32(columns.entries, o->vectors, o->residual_f32, to_columns);
    else
        o->sparse->many_times(columns.entries, o->vectors, o->residual, to_columns);
    finish_columns(o, pass->w, columns.from, columns.to, pass->gradient);
    return TEMPER_OK;
}

temper_status sparse_gradient(struct objective *o, enum pass pass_kind, const double *w,
                              double *gradient)
{
    struct column_pass pass = {o, pass_kind, w, gradient};
    size_t threads = worth_threads(o->workers, (double)o->x->nonzeros * (double)o->vectors);
    return parallel_blocks(TURNED_GROUPS, threads, column_group, &pass);
}

bool sparse_prepare(struct objective *o)
{
    if (!o->transposed)
        return true;
    o->residual = mem_alloc(o->rows, o->vectors * sizeof *o->residual);
    if (o->raw_f32 && !(o->residual_f32 = mem_alloc(o->rows, o->vectors * sizeof(float))))
        return false;
    return o->residual && turned_make(o->x, &o->turned);
}
