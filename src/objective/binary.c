/* binary: two classes: from scores to losses, residuals and curvatures.
 *
 * The margin of a row is y . score with y = +1 for class 1 and -1 for class 0. A loss is a function of the margin;
 * the residual of a row is the derivative of its weighted loss by the score, y s_n loss'(margin). */
#include "objective/objective_internal.h"
#include "tempered/loss_family.h"

/* margin = y . score. The same product converts slopes by the margin into slopes by the score. */
static void take_margins(const uint32_t *restrict label, size_t count, const double *restrict activation,
                         double *restrict margin)
{
    for (size_t i = 0; i < count; i++)
        margin[i] = (label[i] == 1 ? 1 : -1) * activation[i];
}

/* value, slope and, if wanted, curvature of the loss at `count` margins: number[0] is the input, number[1..3] the
 * results. By table and vector kernel for the two-temperature family, else row by row. */
void margin_losses(const struct margin_source *source, size_t count, double *const number[4], bool curvatures)
{
    double *margin = number[0], *value = number[1], *slope = number[2], *curvature = number[3];
    /* Interpolation in a table, many margins at a time. */
    if (source->table) {
        source->kernel->margins(source->table, margin, count, value, slope, curvatures ? curvature : NULL);
        return;
    }
    /* Losses without a table are evaluated exactly. */
    for (size_t i = 0; i < count; i++) {
        struct margin_loss loss = any_margin_loss(source->loss, margin[i]);
        value[i] = loss.value;
        slope[i] = loss.slope;
        if (curvatures)
            curvature[i] = loss.curvature;
    }
}

/* Forward correction: the loss depends on the label too, as one class may be mistaken for the other more often. */
static void corrected_losses(const struct objective *o, const uint32_t *label, size_t count, double *const number[4],
                             bool curvatures)
{
    for (size_t i = 0; i < count; i++) {
        const double *column = o->transition + 2 * (size_t)label[i];
        struct margin_loss loss = forward_margin_loss(number[0][i], column[label[i]], column[1 - label[i]]);
        number[1][i] = loss.value;
        number[2][i] = loss.slope;
        if (curvatures)
            number[3][i] = loss.curvature;
    }
}

/* The same with the objective's loss and a worker's buffers, for the rows that begin with these labels. */
static void losses(const struct objective *o, const uint32_t *label, size_t count, const struct pass_scratch *scratch,
                   bool curvatures)
{
    if (is_corrected(o)) {
        corrected_losses(o, label, count, scratch->number, curvatures);
        return;
    }
    const struct margin_source source = {o->kernel, o->table, o->spec.loss};
    margin_losses(&source, count, scratch->number, curvatures);
}

/* The weight of each row in a Gram matrix: its curvature s_n loss''(margin), or 0 where that is negative, since a
 * preconditioner must be positive definite. */
static void weigh(const struct pass_work *work, struct row_span span, const double *activation)
{
    const struct objective *o = work->o;
    take_margins(o->label + span.from, span.count, activation, work->scratch->number[0]);
    losses(o, o->label + span.from, span.count, work->scratch, true);
    for (size_t i = 0; i < span.count; i++) {
        double curvature = work->scratch->number[3][i];
        o->curvature.row_weight[span.from + i] = curvature > 0 ? weight_of(o, span.from + i) * curvature : 0;
    }
}

/* The order of additions is fixed, so that results do not depend on the compiler. */
double sum_products(const double *x, const double *factor, size_t count)
{
    double sum[8] = {0};
    /* Full groups of eight, without and with factors; the remainder joins the first sums. */
    size_t i = 0;
    for (; !factor && i + 8 <= count; i += 8)
        for (size_t k = 0; k < 8; k++)
            sum[k] += x[i + k];
    for (; factor && i + 8 <= count; i += 8)
        for (size_t k = 0; k < 8; k++)
            sum[k] += x[i + k] * factor[i + k];
    for (; i < count; i++)
        sum[i % 8] += factor ? x[i] * factor[i] : x[i];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

/* 1 where the predicted class is the label, else 0; in arithmetic, since branches would be mispredicted. A score of 0
 * predicts class 0, here as in predict/. */
static void mark_correct(const uint32_t *restrict label, size_t count, const double *restrict activation,
                         double *restrict mark)
{
    for (size_t i = 0; i < count; i++) {
        /* Both are 0 or 1, so the squared difference is 1 exactly where they differ. */
        double for_one = activation[i] > 0 ? 1 : 0, is_one = label[i] == 1 ? 1 : 0;
        mark[i] = 1 - (for_one - is_one) * (for_one - is_one);
    }
}

/* Residuals r = s_n y slope; weight NULL: ones. */
static void take_residuals(const uint32_t *restrict label, const double *restrict weight, size_t count,
                           const double *restrict slope, double *restrict r)
{
    take_margins(label, count, slope, r);
    for (size_t i = 0; weight && i < count; i++)
        r[i] *= weight[i];
}

/* PASS_EVALUATE for losses without a table: loss, residual and, if it is kept, curvature of each row. */
static void evaluate(const struct pass_work *work, struct row_span span, const double *activation, double *r)
{
    struct objective *o = work->o;
    struct part_sums *part = work->part;
    double *const *number = work->scratch->number, *curvature = o->curvature.point[o->curvature.last].curvature;
    const uint32_t *label = o->label + span.from;
    const double *weight = o->spec.data->weight ? o->spec.data->weight + span.from : NULL;
    /* number[0] is used twice: for margins, then for marks. */
    take_margins(label, span.count, activation, number[0]);
    losses(o, label, span.count, work->scratch, curvature != NULL);
    part->loss += sum_products(number[1], weight, span.count);
    take_residuals(label, weight, span.count, number[2], r);
    mark_correct(label, span.count, activation, number[0]);
    part->correct += sum_products(number[0], weight, span.count);
    for (size_t i = 0; curvature && i < span.count; i++)
        curvature[span.from + i] = number[3][i] * (weight ? weight[i] : 1);
}

/* One block of any kind of pass: scores to residuals, sums or curvatures. Hessian-vector products use the curvature of
 * the accepted point, 1 - last. */
void binary_rows(const struct pass_work *work, struct row_span span, const double *activation, double *r)
{
    const struct objective *o = work->o;
    /* The accepted point, not the one last evaluated. */
    const double *curvature = o->curvature.point[1 - o->curvature.last].curvature;
    if (work->pass == PASS_EVALUATE)
        evaluate(work, span, activation, r);
    if (work->pass == PASS_WEIGH)
        weigh(work, span, activation);
    /* By the score, the sign y occurs twice and cancels. */
    for (size_t i = 0; work->pass == PASS_MULTIPLY && i < span.count; i++)
        r[i] = curvature[span.from + i] * activation[i];
    for (size_t i = 0; work->pass == PASS_LENGTH && i < span.count; i++)
        work->part->squares += weight_of(o, span.from + i) * activation[i] * activation[i];
}

/* For data that is not read from memory but from the third-level cache, one product after the other is as fast. Scaled
 * rows are copies. Two steps have room in the scores of a block. */
size_t binary_fused_rows(const struct objective *o, size_t step)
{
    size_t row = o->columns * (o->x->kind == MATRIX_F64 ? sizeof(double) : sizeof(float));
    size_t most = o->layout.blocks.block_rows / 2;
    bool as_stored = o->weights.folded || !o->spec.scale;
    bool fuses = o->x->kind == MATRIX_F32 || (o->x->kind == MATRIX_F64 && o->spec.f64);
    /* The rows of all processes count, since the sums of a block have other bits. */
    double bytes = (double)row * (double)dataset_all_rows(o->spec.data);
    if (o->vectors > 1 || !as_stored || !fuses || bytes <= BEYOND_CACHES)
        return 0;
    size_t rows = linear_fused_rows(row, step);
    return most < step ? 0 : rows < most ? rows : most / step * step;
}

/* Lets the loss kernel prefetch an eighth of the half block that the second product will read, so that the memory bus
 * is not idle while losses are computed; less of long rows, for which the losses take too little time. */
static void set_prefetch(const struct objective *o, struct row_span span, struct residual_rows *rows)
{
    enum { MOST_BYTES = 24 };
    /* Bytes of a row; no division by 0 without rows. */
    size_t row = (size_t)matrix_bytes(o->x) / (o->rows + !o->rows);
    if (matrix_bytes(o->x) <= CACHED_BYTES || binary_fused_rows(o, 1) > 0)
        return;
    rows->next = (const char *)o->x->dense + (span.from + span.count) * row + span.count * row / 2;
    rows->row_bytes = row / 8 < MOST_BYTES ? row / 8 : MOST_BYTES;
}

/* The input of the fused evaluation kernel, which goes from scores to residuals in one loop; all pointers are
 * borrowed. */
struct residual_rows binary_evaluation(const struct pass_work *work, struct row_span span)
{
    const struct objective *o = work->o;
    const double *weight = o->spec.data->weight;
    double *curvature = o->curvature.point[o->curvature.last].curvature;
    struct residual_rows rows = {.table = o->table,
                                 .label = o->label + span.from,
                                 .weight = weight ? weight + span.from : NULL,
                                 .rows = span.count,
                                 .bias = o->weights.raw[o->columns],
                                 .curvature = curvature ? curvature + span.from : NULL};
    set_prefetch(o, span, &rows);
    return rows;
}

/* Adds the sums of a block to those of its part; these are doubles in either precision. */
void binary_add(const struct pass_work *work, const struct residual_sums *sums)
{
    struct part_sums *part = work->part;
    part->loss += sums->loss;
    part->correct += sums->correct;
    part->gradient[work->o->columns] += sums->residual;
}
