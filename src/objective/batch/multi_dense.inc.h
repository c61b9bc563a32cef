/* multi_dense: template of a pass over dense rows for a batch of requests, in floats or in doubles; the including file
 * defines `real` and the kernels of that type. A block of rows is multiplied with the weights of all requests as one
 * matrix product, and so are the residuals with the block. */
#include <math.h>
#include <string.h>

#include "kernel/loss/softmax.h"
#include "objective/batch/multi_objective_internal.h"

/* Packs weights [from, to) of a request into its column of the weight matrix, with the scaling folded in:
 * w . (x - offset) factor + b = (w factor) . x + (b - w factor . offset). */
static void pack_column(const struct multi_objective *multi, struct multi_column *column, size_t from, size_t to,
                        real *weights)
{
    const struct scale *scale = multi->spec.scale;
    for (size_t j = from; j < to; j++) {
        double w = column->request->w[j];
        if (multi->fold) {
            w *= scale->factor[j];
            column->bias -= w * scale->offset[j];
        }
        weights[j * multi->batch.count] = (real)w;
    }
}

/* Packs all requests, MULTI_TILE features at a time, so that the rows of the matrix stay in the cache. */
static void pack(struct multi_objective *multi)
{
    struct request_batch *batch = &multi->batch;
    for (size_t c = 0; c < batch->count; c++)
        batch->column[c].bias = multi->spec.intercept ? batch->column[c].request->w[multi->columns] : 0;
    for (size_t from = 0; from < multi->columns; from += MULTI_TILE)
        for (size_t c = 0; c < batch->count; c++) {
            size_t left = multi->columns - from, count = left < MULTI_TILE ? left : MULTI_TILE;
            pack_column(multi, &batch->column[c], from, from + count, (real *)multi->weights + c);
        }
}

/* ---- One request and a block ------------------------------------------------------------------ */

/* The rows of a block as the column kernels take them, padded; padding rows have weight 0. */
static struct column_rows rows_for(const struct multi_work *work, size_t c, size_t padded)
{
    const struct multi_objective *multi = work->multi;
    const struct multi_column *column = &multi->batch.column[c];
    return (struct column_rows){work->scratch->signed_weight + column->subset * multi->stride, padded, column->bias};
}

/* Losses and residuals of one request. */
static void evaluate_column(const struct multi_work *work, size_t c, size_t padded)
{
    const struct multi_objective *multi = work->multi;
    const struct multi_scratch *s = work->scratch;
    const struct column_rows rows = rows_for(work, c, padded);
    struct column_totals sums = {0};
    multi->kernel->column_margins->MARGINS(&rows, (const real *)s->activation + c * multi->stride, s->number[0]);
    margin_losses(&multi->batch.column[c].member->losses, padded, s->number, false);
    multi->kernel->column_margins->RESIDUALS(&rows, s->number[1], s->number[2], (real *)s->residual + c * multi->stride,
                                             &sums);
    work->sums->number[c] += sums.loss;
    work->sums->intercept[c] += sums.residual;
}

/* Weighted squares of the scores of one request. */
static void square_column(const struct multi_work *work, size_t c, size_t padded)
{
    const struct multi_objective *multi = work->multi;
    const struct multi_scratch *s = work->scratch;
    const struct column_rows rows = rows_for(work, c, padded);
    double *margin = s->number[0];
    multi->kernel->column_margins->MARGINS(&rows, (const real *)s->activation + c * multi->stride, margin);
    for (size_t i = 0; i < padded; i++)
        work->sums->number[c] += fabs(rows.signed_weight[i]) * margin[i] * margin[i];
}

/* Stores the scores of one request. */
static void keep_scores(const struct multi_work *work, size_t c, struct row_span span)
{
    const struct multi_objective *multi = work->multi;
    const struct multi_column *column = &multi->batch.column[c];
    const real *activation = (const real *)work->scratch->activation + c * multi->stride;
    for (size_t i = 0; i < span.count; i++)
        column->request->scores[span.from + i] = (double)activation[i] + column->bias;
}

/* ---- A block --------------------------------------------------------------------------------- */

/* y times the row weight for each subset of the rows, 0 outside of it; in arithmetic instead of branches, which would
 * be mispredicted. */
static void set_signed_weights(const struct multi_work *work, struct row_span span, size_t padded)
{
    const struct multi_objective *multi = work->multi;
    const struct dataset *data = multi->spec.data;
    const uint32_t *label = data->label + span.from;
    double *restrict all = work->scratch->number[0]; /* a buffer that margins use later */
    for (size_t i = 0; i < span.count; i++)
        all[i] = (double)(2 * (int)label[i] - 1);
    for (size_t i = 0; data->weight && i < span.count; i++)
        all[i] *= data->weight[span.from + i];
    memset(all + span.count, 0, (padded - span.count) * sizeof *all);
    for (size_t k = 0; k < multi->batch.subsets; k++) {
        const struct row_subset *subset = &multi->batch.subset[k];
        const uint32_t *part = subset->partition ? subset->partition + span.from : NULL;
        double *restrict pull = work->scratch->signed_weight + k * multi->stride;
        memcpy(pull, all, padded * sizeof *pull);
        for (size_t i = 0; part && i < span.count; i++)
            pull[i] = all[i] * (double)(part[i] != subset->part);
    }
}

/* From the scores of all requests to their residuals. */
static void all_columns(const struct multi_work *work, struct row_span span)
{
    const struct request_batch *batch = &work->multi->batch;
    size_t padded = (span.count + SOFTMAX_PAD - 1) / SOFTMAX_PAD * SOFTMAX_PAD;
    set_signed_weights(work, span, padded);
    for (size_t c = 0; c < batch->count; c++)
        switch (batch->column[c].request->kind) {
        case MULTI_EVALUATE:
            evaluate_column(work, c, padded);
            break;
        case MULTI_LENGTH:
            square_column(work, c, padded);
            break;
        case MULTI_SCORES:
            keep_scores(work, c, span);
            break;
        }
}

/* Scores, residuals and gradients of one block. */
static void dense_block(const struct multi_work *work, struct row_span span)
{
    const struct multi_objective *multi = work->multi;
    const struct multi_scratch *scratch = work->scratch;
    const struct scale *scale = multi->fold ? NULL : multi->spec.scale;
    MANY many = {.block = {DENSE_ROWS(multi->kernel, multi->x, span, scale, scratch->rows), span.count, multi->columns},
                 .classes = multi->batch.count,
                 .stride = multi->stride,
                 .scratch = scratch->linear,
                 .of = MULTI_WIDTH};
    multi->kernel->LINEAR->many_times(&many, multi->weights, scratch->activation);
    all_columns(work, span);
    many.classes = multi->batch.evaluated;
    if (many.classes)
        multi->kernel->LINEAR->many_back(&many, scratch->residual, work->sums->gradient);
}

/* A part is processed block by block, with its pages announced before each. */
static void part_run(const struct multi_work *work, size_t part)
{
    for (size_t i = 0; i < work->multi->layout.part_blocks; i++) {
        struct row_span span = block_rows_of(&work->multi->layout, part, i);
        page_window_rows(work->multi->x, span.from, span.count);
        if (span.count)
            dense_block(work, span);
    }
}
