/* many_body: many classes: from activations to losses and residuals, for floats or doubles.
 *
 * The including file defines `real`, SOFTMAX (the struct of the kernel) and RUN (its function). */
#include <math.h>
#include <string.h>

#include "objective/objective_internal.h"
#include "tempered/loss_family.h"
#include "tempered/tempered_functions.h"

/* The losses without a kernel: row by row, in doubles. */
static void exact_rows(const struct work *work, struct span span, const real *activation, real *r, real *loss)
{
    const struct objective *o = work->o;
    double *a = work->scratch->classes, *gradient = a + o->classes;
    for (size_t i = 0; i < span.count; i++) {
        for (size_t c = 0; c < o->classes; c++)
            a[c] = (double)activation[c * o->stride + i];
        loss[i] = (real)any_loss(o->spec.loss, a, o->classes, o->label[span.from + i], gradient, NULL);
        for (size_t c = 0; c < o->classes; c++)
            r[c * o->stride + i] = (real)gradient[c];
    }
}

static void loss_rows(const struct work *work, struct span span, const real *activation, real *r, real *loss)
{
    const struct objective *o = work->o;
    if (!loss_is_two_temperature(o->spec.loss)) {
        exact_rows(work, span, activation, r, loss);
        return;
    }
    SOFTMAX block = {.shape = {.rows = span.count,
                               .classes = o->classes,
                               .stride = o->stride,
                               .t1 = o->spec.loss.t1,
                               .t2 = o->spec.loss.t2},
                     .activation = activation,
                     .label = o->label + span.from,
                     .gradient = r,
                     .loss = loss};
    RUN(o, &block);
}

/* The weights of the rows that are not marked. */
static double sum_unmarked(const struct objective *o, size_t from, size_t count, const whole *wrong)
{
    const double *weight = o->spec.data->weight;
    size_t right = 0;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        right += wrong[i] == 0;
    for (size_t i = 0; weight && i < count; i++)
        sum += wrong[i] ? 0 : weight[from + i];
    return weight ? sum : (double)right;
}

/* The rows whose class comes first among those of the largest activation; class by class, so that
 * rows lie beside each other, and without branches, which would often be guessed wrong. */
static void count_correct(const struct work *work, struct span span, const real *activation)
{
    const struct objective *o = work->o;
    for (size_t from = 0; from < span.count; from += LABEL_ROWS) {
        size_t count = span.count - from < LABEL_ROWS ? span.count - from : LABEL_ROWS;
        const uint32_t *label = o->label + span.from + from;
        real own[LABEL_ROWS] = {0};
        whole wrong[LABEL_ROWS] = {0};
        for (size_t i = 0; i < count; i++)
            own[i] = activation[label[i] * o->stride + from + i];
        for (size_t c = 0; c < o->classes; c++) {
            const real *a = activation + c * o->stride + from;
            for (size_t i = 0; i < count; i++)
                wrong[i] |= (whole)(a[i] > own[i]);
            for (size_t i = 0; i < count; i++)
                wrong[i] |= (whole)(a[i] == own[i]) & (whole)(c < label[i]);
        }
        work->part->correct += sum_unmarked(o, span.from + from, count, wrong);
    }
}

/* What the curvature at this point will be made of. */
static void keep(const struct work *work, struct span span, const real *r, const real *loss)
{
    const struct objective *o = work->o;
    struct point *point = &work->o->point[o->last];
    if (!point->residual)
        return;
    double *to = point->residual + span.block * o->classes * o->stride;
    for (size_t i = 0; i < o->classes * o->stride; i++)
        to[i] = (double)r[i];
    for (size_t i = 0; i < span.count; i++)
        point->loss[span.from + i] = (double)loss[i];
}

static void weigh(const struct objective *o, struct span span, real *r)
{
    for (size_t c = 0; c < o->classes; c++) {
        real *row = r + c * o->stride;
        for (size_t i = 0; o->spec.data->weight && i < span.count; i++)
            row[i] *= (real)o->spec.data->weight[span.from + i];
        memset(row + span.count, 0, (o->stride - span.count) * sizeof *row);
    }
}

/* In four sums, for one alone would wait for itself. */
static double sum_losses(const struct objective *o, struct span span, const real *loss)
{
    double sum[4] = {0};
    for (size_t i = 0; i < span.count; i++)
        sum[i % 4] += weight_of(o, span.from + i) * (double)loss[i];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

static void evaluate_rows(const struct work *work, struct span span, const real *activation, real *r)
{
    const struct objective *o = work->o;
    real *loss = work->scratch->loss;
    loss_rows(work, span, activation, r, loss);
    work->part->loss += sum_losses(o, span, loss);
    keep(work, span, r, loss);
    weigh(o, span, r);
    count_correct(work, span, activation);
}

/* Rounding makes no metric. */
static double curvature_of(double bend)
{
    return bend > 0 && isfinite(bend) ? bend : 0;
}

/* A row's curvature along the weights of each class, and the mean of them, without what may be
 * negative: with the residual i (q - e_y) it is i t2 q (1 - q), but for powers of p near 1. */
static void weigh_rows(const struct work *work, struct span span, const real *activation, real *r)
{
    const struct objective *o = work->o;
    real *loss = work->scratch->loss;
    temper_loss_spec spec = o->spec.loss;
    loss_rows(work, span, activation, r, loss);
    for (size_t i = 0; i < span.count; i++) {
        size_t row = span.from + i;
        double p = exp_t(-(double)loss[i], spec.t1), importance = pow(p, spec.t2 - spec.t1);
        double scale = weight_of(o, row) * importance * spec.t2, sum = 0;
        for (size_t c = 0; c < o->classes; c++) {
            double q = (double)r[c * o->stride + i] / importance + (c == o->label[row]);
            sum += q * (1 - q);
            if (o->class_bending)
                o->class_bending[c * o->rows + row] = curvature_of(scale * q * (1 - q));
        }
        if (o->bending)
            o->bending[row] = curvature_of(scale * sum / (double)o->classes);
    }
}

static void square_rows(const struct work *work, struct span span, const real *activation)
{
    const struct objective *o = work->o;
    for (size_t i = 0; i < span.count; i++) {
        double sum = 0;
        for (size_t c = 0; c < o->classes; c++) {
            double a = (double)activation[c * o->stride + i];
            sum += a * a;
        }
        work->part->squares += weight_of(o, span.from + i) * sum;
    }
}
