/* many_f64: many classes, activations in doubles, and the curvature, which has no other form. */
typedef double real;
#define SOFTMAX       struct softmax_f64
#define RUN(o, block) (o)->kernel->softmax_f64(block)
enum { LABEL_ROWS = 64 };
#include "objective/many_body.h"

void many_rows_f64(const struct work *work, struct span span, const double *activation, double *r)
{
    if (work->pass == PASS_EVALUATE)
        evaluate_rows(work, span, activation, r);
    else if (work->pass == PASS_MULTIPLY)
        many_multiply(work, span, activation, r);
    else if (work->pass == PASS_WEIGH)
        weigh_rows(work, span, activation, r);
    else
        square_rows(work, span, activation);
}

/* ---- Curvature ------------------------------------------------------------------------------- */

/* With p = exp_t2(a - G), its escort q and the importance i = p_y^(t2 - t1) the residual is
 * i (q - e_y), so that it and the loss, which is -log_t1 p_y, have everything in them:
 *
 *     H u = i [t2 (b_c d_c - q_c sum b d) - (t2 - t1) p_y^(t2 - 1) d_y (e_y - q)_c],
 *
 * d = u - q.u, b_c = q_c p_c^(t2 - 1). Powers of p_c come from q_c = p_c^t2 / Z. */
static void prepare_row(struct objective *o, double *residual, double *bend, size_t row)
{
    struct point *point = &o->point[1 - o->last];
    double t1 = o->spec.loss.t1, t2 = o->spec.loss.t2;
    double py = exp_t(-point->loss[row], t1), importance = pow(py, t2 - t1);
    uint32_t y = o->label[row];
    bool flat = !(importance > 1e-290) || !(py > 0) || !isfinite(importance);
    for (size_t c = 0; c < o->classes; c++) {
        double r = residual[c * o->stride];
        double q = flat ? 0 : (c == y ? 1 + r / importance : r / importance);
        residual[c * o->stride] = q > 0 ? q : 0; /* rounding; and flat rows have no curvature */
    }
    double log_z = t2 * log(py) - log(residual[y * o->stride]);
    for (size_t c = 0; c < o->classes; c++) {
        double q = residual[c * o->stride];
        bend[c * o->stride] = t2 == 1 ? q : q > 0 ? q * exp((t2 - 1) / t2 * (log(q) + log_z)) : 0;
    }
    point->loss[row] = flat ? 0 : py; /* from now on the probability of the given class */
}

void many_prepare(struct objective *o)
{
    struct point *point = &o->point[1 - o->last];
    if (point->prepared)
        return;
    for (size_t row = 0; row < o->rows; row++) {
        size_t at = row / o->block_rows * o->classes * o->stride + row % o->block_rows;
        prepare_row(o, point->residual + at, o->escort_bend + at, row);
    }
    point->prepared = true;
}

/* One row of H u; entries are o->stride apart. */
static void multiply_row(const struct objective *o, size_t row, const double *u, double *r)
{
    const struct point *point = &o->point[1 - o->last];
    size_t at = row / o->block_rows * o->classes * o->stride + row % o->block_rows, s = o->stride;
    const double *q = point->residual + at, *b = o->escort_bend + at;
    double t1 = o->spec.loss.t1, t2 = o->spec.loss.t2, py = point->loss[row], mean = 0, sum = 0;
    uint32_t y = o->label[row];
    double weight = py > 0 ? weight_of(o, row) * pow(py, t2 - t1) : 0;
    for (size_t c = 0; c < o->classes; c++)
        mean += q[c * s] * u[c * s];
    for (size_t c = 0; c < o->classes; c++)
        sum += b[c * s] * (u[c * s] - mean);
    double lean = py > 0 ? (t2 - t1) * pow(py, t2 - 1) * (u[y * s] - mean) : 0;
    for (size_t c = 0; c < o->classes; c++) {
        double bent = t2 * (b[c * s] * (u[c * s] - mean) - q[c * s] * sum);
        r[c * s] = weight * (bent - lean * ((c == y ? 1 : 0) - q[c * s]));
    }
}

void many_multiply(const struct work *work, struct span span, const double *activation, double *r)
{
    const struct objective *o = work->o;
    for (size_t i = 0; i < span.count; i++)
        multiply_row(o, span.from + i, activation + i, r + i);
    for (size_t c = 0; c < o->classes; c++)
        memset(r + c * o->stride + span.count, 0, (o->stride - span.count) * sizeof *r);
}
