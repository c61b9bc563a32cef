/* group_body: a part of dense rows and all columns of a chunk, for sums in floats or in doubles.
 *
 * The including file defines `real` and the names of the kernels in that type. */
#include <math.h>
#include <string.h>

#include "kernel/loss/softmax.h"
#include "objective/batch/multi_objective_internal.h"

/* Some weights of a column of the chunk: w . (x - offset) factor + b = (w factor) . x + (b - w
 * factor . offset). */
static void pack_column(const struct group *group, struct column *column, size_t from, size_t to, real *weights)
{
    const struct scale *scale = group->spec.scale;
    for (size_t j = from; j < to; j++) {
        double w = column->request->w[j];
        if (group->fold) {
            w *= scale->factor[j];
            column->bias -= w * scale->offset[j];
        }
        weights[j * group->chunk.count] = (real)w;
    }
}

static void pack(struct group *group)
{
    struct chunk *chunk = &group->chunk;
    for (size_t c = 0; c < chunk->count; c++)
        chunk->column[c].bias = group->spec.intercept ? chunk->column[c].request->w[group->columns] : 0;
    for (size_t from = 0; from < group->columns; from += GROUP_TURN)
        for (size_t c = 0; c < chunk->count; c++) {
            size_t left = group->columns - from, count = left < GROUP_TURN ? left : GROUP_TURN;
            pack_column(group, &chunk->column[c], from, from + count, (real *)group->weights + c);
        }
}

/* ---- A column of a block --------------------------------------------------------------------- */

/* The number of rows is one that the kernels take; those behind the block do not count. */
static struct column_rows rows_for(const struct multi_work *work, size_t c, size_t padded)
{
    const struct group *group = work->group;
    const struct column *column = &group->chunk.column[c];
    return (struct column_rows){work->scratch->pull + column->side * group->stride, padded, column->bias};
}

static void evaluate_column(const struct multi_work *work, size_t c, size_t padded)
{
    const struct group *group = work->group;
    const struct multi_scratch *s = work->scratch;
    const struct column_rows rows = rows_for(work, c, padded);
    struct column_totals sums = {0};
    group->kernel->column->MARGINS(&rows, (const real *)s->activation + c * group->stride, s->number[0]);
    margin_losses(&group->chunk.column[c].member->losses, padded, s->number, false);
    group->kernel->column->RESIDUALS(&rows, s->number[1], s->number[2], (real *)s->residual + c * group->stride, &sums);
    work->sums->number[c] += sums.loss;
    work->sums->intercept[c] += sums.residual;
}

static void square_column(const struct multi_work *work, size_t c, size_t padded)
{
    const struct group *group = work->group;
    const struct multi_scratch *s = work->scratch;
    const struct column_rows rows = rows_for(work, c, padded);
    double *margin = s->number[0];
    group->kernel->column->MARGINS(&rows, (const real *)s->activation + c * group->stride, margin);
    for (size_t i = 0; i < padded; i++)
        work->sums->number[c] += fabs(rows.pull[i]) * margin[i] * margin[i];
}

static void keep_scores(const struct multi_work *work, size_t c, struct span span)
{
    const struct group *group = work->group;
    const struct column *column = &group->chunk.column[c];
    const real *activation = (const real *)work->scratch->activation + c * group->stride;
    for (size_t i = 0; i < span.count; i++)
        column->request->scores[span.from + i] = (double)activation[i] + column->bias;
}

/* ---- A block --------------------------------------------------------------------------------- */

/* Which rows count, for whom, and how much. Without branches, which would be guessed wrong. */
static void take_sides(const struct multi_work *work, struct span span, size_t padded)
{
    const struct group *group = work->group;
    const struct dataset *data = group->spec.data;
    const uint32_t *label = data->label + span.from;
    double *restrict all = work->scratch->number[0]; /* until there are margins */
    for (size_t i = 0; i < span.count; i++)
        all[i] = (double)(2 * (int)label[i] - 1);
    for (size_t i = 0; data->weight && i < span.count; i++)
        all[i] *= data->weight[span.from + i];
    memset(all + span.count, 0, (padded - span.count) * sizeof *all);
    for (size_t k = 0; k < group->chunk.sides; k++) {
        const struct side *side = &group->chunk.side[k];
        const uint32_t *part = side->partition ? side->partition + span.from : NULL;
        double *restrict pull = work->scratch->pull + k * group->stride;
        memcpy(pull, all, padded * sizeof *pull);
        for (size_t i = 0; part && i < span.count; i++)
            pull[i] = all[i] * (double)(part[i] != side->part);
    }
}

/* From the activations of all columns to their residuals. */
static void all_columns(const struct multi_work *work, struct span span)
{
    const struct chunk *chunk = &work->group->chunk;
    size_t padded = (span.count + SOFTMAX_PAD - 1) / SOFTMAX_PAD * SOFTMAX_PAD;
    take_sides(work, span, padded);
    for (size_t c = 0; c < chunk->count; c++)
        switch (chunk->column[c].request->kind) {
        case GROUP_EVALUATE:
            evaluate_column(work, c, padded);
            break;
        case GROUP_LENGTH:
            square_column(work, c, padded);
            break;
        case GROUP_SCORES:
            keep_scores(work, c, span);
            break;
        }
}

static void dense_block(const struct multi_work *work, struct span span)
{
    const struct group *group = work->group;
    const struct multi_scratch *scratch = work->scratch;
    const struct scale *scale = group->fold ? NULL : group->spec.scale;
    MANY many = {.block = {DENSE_ROWS(group->kernel, group->x, span, scale, scratch->rows), span.count, group->columns},
                 .classes = group->chunk.count,
                 .stride = group->stride,
                 .scratch = scratch->linear,
                 .of = GROUP_WIDTH};
    group->kernel->LINEAR->many_times(&many, group->weights, scratch->activation);
    all_columns(work, span);
    many.classes = group->chunk.evaluated;
    if (many.classes)
        group->kernel->LINEAR->many_back(&many, scratch->residual, work->sums->gradient);
}

static void part_run(const struct multi_work *work, size_t part)
{
    for (size_t i = 0; i < work->group->cut.part_blocks; i++) {
        struct span span = cut_span(&work->group->cut, part, i);
        page_window_rows(work->group->x, span.from, span.count);
        if (span.count)
            dense_block(work, span);
    }
}
