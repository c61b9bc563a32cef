/* two: two classes: from activations to losses and residuals. */
#include "objective/inside.h"
#include "tempered/method.h"

/* +1 for class 1, -1 for class 0. */
static double sign_of(const struct objective *o, size_t row)
{
    return o->label[row] == 1 ? 1 : -1;
}

void margin_losses(const struct margin_source *source, size_t count, double *const number[4],
                   bool bends)
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

static void losses(const struct objective *o, size_t count, const struct scratch *scratch,
                   bool bends)
{
    const struct margin_source source = {o->kernel, o->table, o->spec.loss};
    margin_losses(&source, count, scratch->number, bends);
}

/* Negative curvature makes no metric. */
static void weigh(const struct work *work, struct span span, const double *activation)
{
    const struct objective *o = work->o;
    for (size_t i = 0; i < span.count; i++)
        work->scratch->number[0][i] = sign_of(o, span.from + i) * activation[i];
    losses(o, span.count, work->scratch, true);
    for (size_t i = 0; i < span.count; i++) {
        double bend = work->scratch->number[3][i];
        o->bending[span.from + i] = bend > 0 ? weight_of(o, span.from + i) * bend : 0;
    }
}

static void evaluate(const struct work *work, struct span span, const double *activation, double *r)
{
    struct objective *o = work->o;
    struct part *part = work->part;
    struct scratch *scratch = work->scratch;
    double *bend = o->point[o->last].bend, *margin = scratch->number[0];
    for (size_t i = 0; i < span.count; i++)
        margin[i] = sign_of(o, span.from + i) * activation[i];
    losses(o, span.count, scratch, bend != NULL);
    for (size_t i = 0; i < span.count; i++) {
        size_t row = span.from + i;
        double weight = weight_of(o, row), sign = sign_of(o, row);
        part->loss += weight * scratch->number[1][i];
        r[i] = weight * sign * scratch->number[2][i];
        /* An activation of 0 is for class 0, here as in predict. */
        if ((activation[i] > 0) == (sign > 0))
            part->correct += weight;
        if (bend)
            bend[row] = weight * scratch->number[3][i];
    }
}

void two_rows(const struct work *work, struct span span, const double *activation, double *r)
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
