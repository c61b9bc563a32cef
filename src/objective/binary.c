/* two: two classes: from activations to losses and residuals. */
#include "objective/objective_internal.h"
#include "tempered/loss_family.h"

/* Margins are activations, +1 times for class 1 and -1 times for class 0. */
static void take_margins(const uint32_t *restrict label, size_t count, const double *restrict activation,
                         double *restrict margin)
{
    for (size_t i = 0; i < count; i++)
        margin[i] = (label[i] == 1 ? 1 : -1) * activation[i];
}

void margin_losses(const struct margin_source *source, size_t count, double *const number[4], bool bends)
{
    double *margin = number[0], *value = number[1], *slope = number[2], *bend = number[3];
    if (source->table) {
        source->kernel->margins(source->table, margin, count, value, slope, bends ? bend : NULL);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct margin_loss loss = any_margin_loss(source->loss, margin[i]);
        value[i] = loss.value;
        slope[i] = loss.slope;
        if (bends)
            bend[i] = loss.curvature;
    }
}

static void losses(const struct objective *o, size_t count, const struct scratch *scratch, bool bends)
{
    const struct margin_source source = {o->kernel, o->table, o->spec.loss};
    margin_losses(&source, count, scratch->number, bends);
}

/* Negative curvature makes no metric. */
static void weigh(const struct work *work, struct span span, const double *activation)
{
    const struct objective *o = work->o;
    take_margins(o->label + span.from, span.count, activation, work->scratch->number[0]);
    losses(o, span.count, work->scratch, true);
    for (size_t i = 0; i < span.count; i++) {
        double bend = work->scratch->number[3][i];
        o->bending[span.from + i] = bend > 0 ? weight_of(o, span.from + i) * bend : 0;
    }
}

double sum_products(const double *x, const double *factor, size_t count)
{
    double sum[8] = {0};
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

/* 1 where the activation is for the class of the label, else 0; without branches, which would often
 * be guessed wrong. An activation of 0 is for class 0, here as in predict. */
static void mark_correct(const uint32_t *restrict label, size_t count, const double *restrict activation,
                         double *restrict mark)
{
    for (size_t i = 0; i < count; i++) {
        double for_one = activation[i] > 0 ? 1 : 0, is_one = label[i] == 1 ? 1 : 0;
        mark[i] = 1 - (for_one - is_one) * (for_one - is_one);
    }
}

static void take_residuals(const uint32_t *restrict label, const double *restrict weight, size_t count,
                           const double *restrict slope, double *restrict r)
{
    take_margins(label, count, slope, r); /* signs are the same to slopes */
    for (size_t i = 0; weight && i < count; i++)
        r[i] *= weight[i];
}

static void evaluate(const struct work *work, struct span span, const double *activation, double *r)
{
    struct objective *o = work->o;
    struct part *part = work->part;
    double *const *number = work->scratch->number, *bend = o->point[o->last].bend;
    const uint32_t *label = o->label + span.from;
    const double *weight = o->spec.data->weight ? o->spec.data->weight + span.from : NULL;
    take_margins(label, span.count, activation, number[0]);
    losses(o, span.count, work->scratch, bend != NULL);
    part->loss += sum_products(number[1], weight, span.count);
    take_residuals(label, weight, span.count, number[2], r);
    mark_correct(label, span.count, activation, number[0]);
    part->correct += sum_products(number[0], weight, span.count);
    for (size_t i = 0; bend && i < span.count; i++)
        bend[span.from + i] = number[3][i] * (weight ? weight[i] : 1);
}

void binary_rows(const struct work *work, struct span span, const double *activation, double *r)
{
    const struct objective *o = work->o;
    const double *bend = o->point[1 - o->last].bend;
    if (work->pass == PASS_EVALUATE)
        evaluate(work, span, activation, r);
    if (work->pass == PASS_WEIGH)
        weigh(work, span, activation);
    for (size_t i = 0; work->pass == PASS_MULTIPLY && i < span.count; i++)
        r[i] = bend[span.from + i] * activation[i];
    for (size_t i = 0; work->pass == PASS_LENGTH && i < span.count; i++)
        work->part->squares += weight_of(o, span.from + i) * activation[i] * activation[i];
}

/* An eighth of the half that the second product fetches, so that the memory does not rest until
 * then; of long rows less, for the losses take too little time. */
static void fetch_meanwhile(const struct objective *o, struct span span, struct residual_rows *rows)
{
    enum { MOST_BYTES = 24 };
    size_t row = (size_t)matrix_bytes(o->x) / (o->rows + !o->rows);
    if (matrix_bytes(o->x) <= CACHED_BYTES)
        return;
    rows->next = (const char *)o->x->dense + (span.from + span.count) * row + span.count * row / 2;
    rows->row_bytes = row / 8 < MOST_BYTES ? row / 8 : MOST_BYTES;
}

struct residual_rows binary_evaluation(const struct work *work, struct span span)
{
    const struct objective *o = work->o;
    const double *weight = o->spec.data->weight;
    double *bend = o->point[o->last].bend;
    struct residual_rows rows = {.table = o->table,
                                 .label = o->label + span.from,
                                 .weight = weight ? weight + span.from : NULL,
                                 .rows = span.count,
                                 .bias = o->raw[o->columns],
                                 .bend = bend ? bend + span.from : NULL};
    fetch_meanwhile(o, span, &rows);
    return rows;
}

void binary_add(const struct work *work, const struct residual_sums *sums)
{
    struct part *part = work->part;
    part->loss += sums->loss;
    part->correct += sums->correct;
    part->gradient[work->o->columns] += sums->residual;
}
