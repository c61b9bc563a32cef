/* margin_plain: the references of two-class losses in plain C: margins, residuals, columns of margins.
 *
 * A margin is y (w . x + b) with y = 1 or -1. For a block of rows these functions replace scores by residuals, the
 * derivatives of the loss by the score times the weight of the row, and add up the losses. The vector kernels are
 * compared with them in tests, within stated bounds. */
#include <math.h>

#include "kernel/loss/column_margins.h"
#include "kernel/loss/residual.h"
#include "tempered/tempered_functions.h"

/* ---- Losses of margins ----------------------------------------------------------------------- */

/* t2 = 1: p is the logistic function of the margin, q = 1 - p; the loss is -log_t1 p with slope -p^(1-t1) q. Only
 * exp(-|margin|) is computed, so that nothing overflows and q keeps its digits where p is near 1. */
struct margin_loss margin_sigmoid(double margin, double t1)
{
    double e = exp(-fabs(margin)), log1p_e = log1p(e);
    double log_p = margin < 0 ? margin - log1p_e : -log1p_e;
    double p = margin < 0 ? e / (1 + e) : 1 / (1 + e), q = margin < 0 ? 1 / (1 + e) : e / (1 + e);
    double power = t1 == 1 ? 1 : exp((1 - t1) * log_p);
    return (struct margin_loss){
        .value = -stretch_exp(log_p, 1 - t1),
        .slope = -power * q,
        .curvature = power * q * (p - (1 - t1) * q),
    };
}

/* Horner's scheme for a polynomial and its first two derivatives. */
struct margin_loss margin_polynomial(const struct margin_polynomials *polynomials, double margin)
{
    int exponent, split = polynomials->split;
    double mantissa = 2 * frexp(1 + fabs(margin), &exponent); /* in [1, 2) */
    int octave = exponent - 1, second = split && mantissa >= 1.5;
    int interval = (octave << split) + second + (signbit(margin) ? 8 : 0);
    double x = split ? 4 * mantissa - (second ? 7 : 5) : 2 * mantissa - 3;
    /* value, slope and half the curvature advance together, each from the previous value of the one before */
    double value = polynomials->coefficient[0][interval], slope = 0, half_curvature = 0;
    for (int i = 1; i <= polynomials->degree; i++) {
        half_curvature = half_curvature * x + slope;
        slope = slope * x + value;
        value = value * x + polynomials->coefficient[i][interval];
    }
    /* chain rule: the polynomials are in x, their derivatives are wanted by the margin */
    double x_per_margin = copysign(ldexp(2, split - octave), margin);
    return (struct margin_loss){
        .value = value,
        .slope = slope * x_per_margin,
        .curvature = 2 * half_curvature * x_per_margin * x_per_margin,
    };
}

/* Beyond the edge of support the loss is constant; between the edges Horner's scheme as above, with the position
 * within [1, 3/2) or [3/2, 2) times a power of 2 of 1 + |m| or of the gap. */
bool margin_sparse_polynomial(const struct margin_sparse *sparse, double margin, struct margin_loss *loss)
{
    const int negative = margin < 0;
    const double size = fabs(margin), gap = (sparse->edge - size) + sparse->edge_low;
    const bool central = size < sparse->central;
    *loss = (struct margin_loss){.value = sparse->outside[negative]};
    if (gap <= 0)
        return true;
    if (!(gap > sparse->smallest[negative])) /* NaN too */
        return false;
    const double z = central ? 1 + size : gap;
    const int64_t cell =
        central ? margin_half_octave(z) - margin_half_octave(1) : sparse->first_cell - margin_half_octave(z);
    const double *coefficient = sparse->coefficient[cell + negative * MARGIN_SPARSE_SIDE];
    int exponent;
    const double mantissa = 2 * frexp(z, &exponent), x = 4 * mantissa - (mantissa < 1.5 ? 5 : 7);
    const double x_per_margin = (central == !negative ? 1 : -1) * ldexp(4, 1 - exponent);
    double value = coefficient[sparse->degree], slope = 0, half_curvature = 0;
    for (int i = sparse->degree - 1; i >= 0; i--) {
        half_curvature = half_curvature * x + slope;
        slope = slope * x + value;
        value = value * x + coefficient[i];
    }
    *loss = (struct margin_loss){value, slope * x_per_margin, 2 * half_curvature * x_per_margin * x_per_margin};
    return true;
}

/* The same choice of intervals as the vector kernels make, so that results differ by rounding only. */
static struct margin_loss plain_loss(const struct margin_table *table, double margin)
{
    struct margin_loss sparse;
    if (table->form == MARGIN_SPARSE)
        return margin_sparse_polynomial(&table->sparse, margin, &sparse)
                   ? sparse
                   : tempered_margin_loss(margin, table->t1, table->t2);
    if (table->form != MARGIN_EXACT && fabs(margin) < table->near.limit)
        return margin_polynomial(&table->near, margin);
    if (table->form == MARGIN_TABLE && fabs(margin) < table->far.limit)
        return margin_polynomial(&table->far, margin);
    if (table->form == MARGIN_SIGMOID)
        return margin_sigmoid(margin, table->t1);
    return tempered_margin_loss(margin, table->t1, table->t2);
}

/* n margins, one at a time; the vector kernels are compared with this one. */
void margins_plain(const struct margin_table *table, const double *margin, size_t n, double *value, double *slope,
                   double *curvature)
{
    for (size_t i = 0; i < n; i++) {
        struct margin_loss loss = plain_loss(table, margin[i]);
        value[i] = loss.value;
        slope[i] = loss.slope;
        if (curvature)
            curvature[i] = loss.curvature;
    }
}

/* ---- Residuals of activations ---------------------------------------------------------------- */

/* Adds one row to the sums; returns its residual. */
static double plain_row(const struct residual_rows *rows, size_t i, double activation, struct residual_sums *sums)
{
    double a = activation + rows->bias, weight = rows->weight ? rows->weight[i] : 1;
    /* at an activation of 0 the prediction is the other class */
    int for_one = a > 0, is_one = rows->label[i] == 1;
    /* positive if the activation has the sign of the label: class 1 or the other */
    double margin = is_one ? a : -a, value, slope, curvature;
    margins_plain(rows->table, &margin, 1, &value, &slope, &curvature);
    double residual = (is_one ? slope : -slope) * weight;
    if (rows->curvature)
        rows->curvature[i] = weight * curvature;
    sums->loss += weight * value;
    sums->correct += for_one == is_one ? weight : 0;
    sums->residual += residual;
    return residual;
}

/* Replaces each activation by its residual, weight times dloss/da, which the gradient product then multiplies by
 * the features. */
void residual_f32_plain(const struct residual_rows *rows, float *activation, struct residual_sums *sums)
{
    for (size_t i = 0; i < rows->rows; i++)
        activation[i] = (float)plain_row(rows, i, (double)activation[i], sums);
}

void residual_f64_plain(const struct residual_rows *rows, double *activation, struct residual_sums *sums)
{
    for (size_t i = 0; i < rows->rows; i++)
        activation[i] = plain_row(rows, i, activation[i], sums);
}

/* ---- Columns of activations ------------------------------------------------------------------ */

#define stored       float
#define COLUMN(name) plain_##name##_f32
#include "kernel/loss/column_margins_plain.inc.h"

#define stored       double
#define COLUMN(name) plain_##name##_f64
#include "kernel/loss/column_margins_plain.inc.h"

const struct column_margin_kernels column_margins_plain = {plain_margins_f32, plain_margins_f64, plain_residuals_f32,
                                                           plain_residuals_f64};
