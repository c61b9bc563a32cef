/* multiclass_f64: multiclass.inc.h with scores in doubles; and Hessian-vector products, which exist in doubles only. */
#include <stdint.h>

typedef double real;
typedef int64_t mask; /* as wide as `real`, for vectorised comparisons */
#define SOFTMAX       struct softmax_f64
#define RUN(o, block) (o)->kernel->softmax_f64(block)
enum { LABEL_ROWS = 64 };
#include "objective/multiclass.inc.h"

/* ---- Hessian --------------------------------------------------------------------------------- */

/* The Hessian of a row by its scores a, times u. With p = exp_t2(a - G(a)), its escort distribution q_c = p_c^t2 / Z
 * and the importance i = p_y^(t2 - t1), the gradient is i (q - e_y), and differentiating once more gives
 *
 *     H u = i [t2 (b_c d_c - q_c sum b d) - (t2 - t1) p_y^(t2 - 1) d_y (e_y - q)_c],
 *
 * d = u - q.u, b_c = q_c p_c^(t2 - 1). So the residual and the loss -log_t1 p_y, which the evaluation has stored,
 * determine everything. This turns them into q, b and the factors, once for a point since powers are expensive; rows
 * whose importance underflows are flat and have no curvature. */
static void prepare_row(struct objective *o, double *residual, double *power, size_t row)
{
    struct eval_point *point = &o->curvature.point[1 - o->curvature.last];
    double t1 = o->spec.loss.t1, t2 = o->spec.loss.t2;
    double py = exp_t(-point->loss[row], t1), importance = t1 == t2 ? 1 : pow(py, t2 - t1);
    uint32_t y = o->label[row];
    bool flat = !(importance > 1e-290) || !(py > 0) || !isfinite(importance);
    for (size_t c = 0; c < o->classes; c++) {
        double r = residual[c * o->stride];
        double q = flat ? 0 : (c == y ? 1 + r / importance : r / importance);
        residual[c * o->stride] = q > 0 ? q : 0; /* rounding */
    }
    double log_z = t2 == 1 ? 0 : t2 * log(py) - log(residual[y * o->stride]);
    for (size_t c = 0; c < o->classes; c++) {
        double q = residual[c * o->stride];
        power[c * o->stride] = t2 == 1 ? q : q > 0 ? q * exp((t2 - 1) / t2 * (log(q) + log_z)) : 0;
    }
    point->loss[row] = flat ? 0 : weight_of(o, row) * importance;
    o->curvature.label_term[row] = flat || t1 == t2 ? 0 : (t2 - t1) * pow(py, t2 - 1);
}

/* Index of a block in arrays laid out like eval_point.residual. */
static size_t block_at(const struct objective *o, struct row_span span)
{
    return span.block * o->classes * o->stride;
}

/* Prepares all rows of a block: residuals become escorts, losses become row weights, in place. */
static void prepare_block(struct objective *o, struct row_span span)
{
    size_t at = block_at(o, span);
    for (size_t i = 0; i < span.count; i++)
        prepare_row(o, o->curvature.point[1 - o->curvature.last].residual + at + i, o->curvature.escort_power + at + i,
                    span.from + i);
}

/* mean = q.u and sum = b.(u - mean) of each row; loops over rows are innermost, for vectorisation. */
static void block_means(const struct objective *o, struct row_span span, const double *u, double *mean, double *sum)
{
    const double *q = o->curvature.point[1 - o->curvature.last].residual + block_at(o, span);
    const double *b = o->curvature.escort_power + block_at(o, span);
    memset(mean, 0, span.count * sizeof *mean);
    memset(sum, 0, span.count * sizeof *sum);
    for (size_t c = 0; c < o->classes; c++)
        for (size_t i = 0; i < span.count; i++)
            mean[i] += q[c * o->stride + i] * u[c * o->stride + i];
    for (size_t c = 0; c < o->classes; c++)
        for (size_t i = 0; i < span.count; i++)
            sum[i] += b[c * o->stride + i] * (u[c * o->stride + i] - mean[i]);
}

/* One block of PASS_MULTIPLY: r = weight H u. */
static void multiclass_multiply(const struct pass_work *work, struct row_span span, const double *activation, double *r)
{
    struct objective *o = work->o;
    const struct eval_point *point = &o->curvature.point[1 - o->curvature.last];
    const double *q = point->residual + block_at(o, span), *b = o->curvature.escort_power + block_at(o, span);
    const double *weight = point->loss + span.from, t2 = o->spec.loss.t2;
    double *mean = work->scratch->number[0], *sum = work->scratch->number[1];
    double *label_term = work->scratch->number[2];
    if (!point->prepared) /* no other thread touches this block */
        prepare_block(o, span);
    block_means(o, span, activation, mean, sum);
    for (size_t i = 0; i < span.count; i++) {
        size_t y = o->label[span.from + i] * o->stride + i;
        label_term[i] = o->curvature.label_term[span.from + i] * (activation[y] - mean[i]);
        sum[i] = label_term[i] - t2 * sum[i]; /* the factor of q */
    }
    for (size_t c = 0; c < o->classes; c++) {
        const size_t at = c * o->stride;
        for (size_t i = 0; i < span.count; i++) {
            double own = t2 * b[at + i] * (activation[at + i] - mean[i]);
            r[at + i] = weight[i] * (own + q[at + i] * sum[i]);
        }
        memset(r + at + span.count, 0, (o->stride - span.count) * sizeof *r);
    }
    for (size_t i = 0; i < span.count; i++)
        r[o->label[span.from + i] * o->stride + i] -= weight[i] * label_term[i];
}

/* One block of PASS_DIAGONAL: r = weight times the diagonal of H by the scores, t2 (b_c (1 - 2 q_c) + q_c^2 sum b),
 * without the term of the label, which may be negative. */
static void multiclass_diagonal(const struct pass_work *work, struct row_span span, double *r)
{
    struct objective *o = work->o;
    const struct eval_point *point = &o->curvature.point[1 - o->curvature.last];
    const double *q = point->residual + block_at(o, span), *b = o->curvature.escort_power + block_at(o, span);
    const double *weight = point->loss + span.from, t2 = o->spec.loss.t2;
    double *sum = work->scratch->number[0];
    if (!point->prepared) /* no other thread touches this block */
        prepare_block(o, span);
    memset(sum, 0, span.count * sizeof *sum);
    for (size_t c = 0; c < o->classes; c++)
        for (size_t i = 0; i < span.count; i++)
            sum[i] += b[c * o->stride + i];
    for (size_t c = 0; c < o->classes; c++)
        for (size_t i = 0; i < span.count; i++) {
            const size_t at = c * o->stride + i;
            r[at] = weight[i] * t2 * (b[at] * (1 - 2 * q[at]) + q[at] * q[at] * sum[i]);
        }
}

/* One block of a pass, [class * stride + row]; the kinds of pass are mutually exclusive. */
void multiclass_rows_f64(const struct pass_work *work, struct row_span span, const double *activation, double *r)
{
    if (work->pass == PASS_EVALUATE)
        evaluate_rows(work, span, activation, r);
    else if (work->pass == PASS_MULTIPLY)
        multiclass_multiply(work, span, activation, r);
    else if (work->pass == PASS_DIAGONAL)
        multiclass_diagonal(work, span, r);
    else if (work->pass == PASS_WEIGH)
        weigh_rows(work, span, activation, r);
    else
        square_rows(work, span, activation);
}
