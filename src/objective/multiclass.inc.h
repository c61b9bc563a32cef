/* multiclass: template for many classes: from scores [class * stride + row] to losses and residuals, in floats or
 * doubles. The including file defines `real`, SOFTMAX (the struct of the kernel) and RUN (its call). */
#include <math.h>
#include <string.h>

#include "objective/objective_internal.h"
#include "tempered/loss_family.h"
#include "tempered/tempered_functions.h"

/* Losses without a kernel: row by row, in doubles. */
static void exact_rows(const struct pass_work *work, struct row_span span, const real *activation, real *r, real *loss)
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

/* The two-temperature loss and its residuals by the vector kernel. */
static void kernel_rows(const struct pass_work *work, struct row_span span, const real *activation, real *r, real *loss)
{
    const struct objective *o = work->o;
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

/* From the cross-entropy and its residuals, which the kernel has computed with t1 = t2 = 1, to those of a loss that is
 * a function of it. */
static void from_cross_entropy(const struct pass_work *work, size_t count, real *r, real *loss)
{
    const struct objective *o = work->o;
    double *factor = work->scratch->number[0];
    for (size_t i = 0; i < count; i++) {
        struct sce_terms terms = sce_terms(o->spec.loss, (double)loss[i]);
        loss[i] = (real)terms.value;
        factor[i] = terms.factor;
    }
    for (size_t c = 0; c < o->classes; c++)
        for (size_t i = 0; i < count; i++)
            r[c * o->stride + i] *= (real)factor[i];
}

/* The same for forward correction. The kernel's residuals are p - e_y, and -log p_y its loss; with
 * S = sum_c p_c T[c][y] the corrected residuals are p_c (1 - T[c][y] / S). */
static void from_transition(const struct pass_work *work, struct row_span span, real *r, real *loss)
{
    const struct objective *o = work->o;
    const uint32_t *label = o->label + span.from;
    double *sum = work->scratch->number[0], *rest = work->scratch->number[1];
    memset(sum, 0, span.count * sizeof *sum);
    memset(rest, 0, span.count * sizeof *rest);
    for (size_t c = 0; c < o->classes; c++)
        for (size_t i = 0; i < span.count; i++) {
            real *p = &r[c * o->stride + i];
            double noise = o->transition[label[i] * o->classes + c];
            *p = c == label[i] ? (real)exp(-(double)loss[i]) : *p;
            sum[i] += (double)*p * noise;
            rest[i] += (double)*p * (1 - noise);
        }
    for (size_t c = 0; c < o->classes; c++)
        for (size_t i = 0; i < span.count; i++)
            r[c * o->stride + i] *= (real)(1 - o->transition[label[i] * o->classes + c] / sum[i]);
    for (size_t i = 0; i < span.count; i++)
        loss[i] = (real)forward_value(sum[i], rest[i]);
}

/* loss[i] and r[c * stride + i] = d loss_i / d score_c of all rows of a span. */
static void loss_rows(const struct pass_work *work, struct row_span span, const real *activation, real *r, real *loss)
{
    temper_loss_spec spec = work->o->spec.loss;
    bool cross_entropy = loss_is_of_cross_entropy(spec) || loss_has_transition(spec);
    if (!loss_is_two_temperature(spec) && !cross_entropy) {
        exact_rows(work, span, activation, r, loss);
        return;
    }
    kernel_rows(work, span, activation, r, loss);
    if (loss_is_of_cross_entropy(spec))
        from_cross_entropy(work, span.count, r, loss);
    if (is_corrected(work->o))
        from_transition(work, span, r, loss);
}

/* The sum of the weights of the rows that are not marked. */
static double sum_unmarked(const struct objective *o, size_t from, size_t count, const mask *wrong)
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

/* Marks the rows of which another class has a larger score, or an equal one before that of the label. */
static void mark_by_label(const struct objective *o, const uint32_t *label, size_t count, const real *activation,
                          const real *own, mask *wrong)
{
    for (size_t c = 0; c < o->classes; c++) {
        const real *a = activation + c * o->stride;
        for (size_t i = 0; i < count; i++)
            wrong[i] |= (mask)(a[i] > own[i]);
        for (size_t i = 0; i < count; i++)
            wrong[i] |= (mask)(a[i] == own[i]) & (mask)(c < label[i]);
    }
}

/* The same by the largest score of each row; false if that is not the score of one class alone in each, so that it does
 * not show the first of equal ones. */
static bool mark_by_largest(const struct objective *o, size_t count, const real *activation, const real *own,
                            mask *wrong)
{
    real most[LABEL_ROWS];
    mask equal[LABEL_ROWS] = {0}, all = 0;
    for (size_t i = 0; i < LABEL_ROWS; i++)
        most[i] = -(real)INFINITY;
    for (size_t c = 0; c < o->classes; c++) {
        const real *a = activation + c * o->stride;
        for (size_t i = 0; i < count; i++)
            most[i] = a[i] > most[i] ? a[i] : most[i];
    }
    for (size_t c = 0; c < o->classes; c++) {
        const real *a = activation + c * o->stride;
        for (size_t i = 0; i < count; i++)
            equal[i] += (mask)(a[i] == most[i]);
    }
    for (size_t i = 0; i < count; i++) {
        all |= equal[i] ^ 1;
        wrong[i] = (mask)(most[i] > own[i]);
    }
    return all == 0;
}

/* Adds the weights of the rows that are predicted correctly; of equal scores the first class wins, as in predict/.
 * Loops over rows are innermost and free of branches, so that they are vectorised. */
static void count_correct(const struct pass_work *work, struct row_span span, const real *activation)
{
    const struct objective *o = work->o;
    for (size_t from = 0; from < span.count; from += LABEL_ROWS) {
        size_t count = span.count - from < LABEL_ROWS ? span.count - from : LABEL_ROWS;
        const uint32_t *label = o->label + span.from + from;
        real own[LABEL_ROWS] = {0};
        mask wrong[LABEL_ROWS] = {0};
        for (size_t i = 0; i < count; i++)
            own[i] = activation[label[i] * o->stride + from + i];
        if (!mark_by_largest(o, count, activation + from, own, wrong)) /* what it marks is wrong in any case */
            mark_by_label(o, label, count, activation + from, own, wrong);
        work->part->correct += sum_unmarked(o, span.from + from, count, wrong);
    }
}

/* Stores residuals and losses, from which multiclass_multiply derives the Hessian at this point. */
static void keep_point(const struct pass_work *work, struct row_span span, const real *r, const real *loss)
{
    const struct objective *o = work->o;
    struct eval_point *point = &work->o->curvature.point[o->curvature.last];
    if (!point->residual)
        return;
    double *to = point->residual + span.block * o->classes * o->stride;
    for (size_t i = 0; i < o->classes * o->stride; i++)
        to[i] = (double)r[i];
    for (size_t i = 0; i < span.count; i++)
        point->loss[span.from + i] = (double)loss[i];
}

/* Multiplies the residuals by the row weights, and clears the padding. */
static void weigh_residuals(const struct objective *o, struct row_span span, real *r)
{
    for (size_t c = 0; c < o->classes; c++) {
        real *row = r + c * o->stride;
        for (size_t i = 0; o->spec.data->weight && i < span.count; i++)
            row[i] *= (real)o->spec.data->weight[span.from + i];
        memset(row + span.count, 0, (o->stride - span.count) * sizeof *row);
    }
}

/* Four interleaved sums, so that additions do not wait for each other. */
static double sum_losses(const struct objective *o, struct row_span span, const real *loss)
{
    double sum[4] = {0};
    for (size_t i = 0; i < span.count; i++)
        sum[i % 4] += weight_of(o, span.from + i) * (double)loss[i];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

static void evaluate_rows(const struct pass_work *work, struct row_span span, const real *activation, real *r)
{
    const struct objective *o = work->o;
    real *loss = work->scratch->loss;
    loss_rows(work, span, activation, r, loss);
    work->part->loss += sum_losses(o, span, loss);
    keep_point(work, span, r, loss);
    weigh_residuals(o, span, r);
    count_correct(work, span, activation);
}

/* Rounding may leave a negative or infinite curvature, of which no preconditioner can be made. */
static double usable_curvature(double curvature)
{
    return curvature > 0 && isfinite(curvature) ? curvature : 0;
}

/* PASS_WEIGH: the diagonal of a row's Hessian by the scores, for each class and as their mean. With the escort q and
 * the importance i = p_y^(t2 - t1) the residual is i (q - e_y), and the diagonal is i t2 q (1 - q) up to a factor
 * p^(t2 - 1) and a term that may be negative; both are left out, for a preconditioner needs neither. */
static void weigh_rows(const struct pass_work *work, struct row_span span, const real *activation, real *r)
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
            if (o->curvature.class_weight)
                o->curvature.class_weight[c * o->rows + row] = usable_curvature(scale * q * (1 - q));
        }
        if (o->curvature.row_weight)
            o->curvature.row_weight[row] = usable_curvature(scale * sum / (double)o->classes);
    }
}

/* PASS_LENGTH: adds the weighted squares of all scores. */
static void square_rows(const struct pass_work *work, struct row_span span, const real *activation)
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
