/* bregman: the bi-tempered loss of Amid, Warmuth, Anil, Koren (NeurIPS 2019), for comparison.
 *
 *     -log_t1 p_y - (1 - sum_c p_c^(2-t1))/(2 - t1),  p = exp_t2(a - G_t2(a)),  t1 < 2. */
#include <math.h>

#include "tempered/escort_form.h"
#include "tempered/loss_row.h"
#include "tempered/losses.h"
#include "tempered/tempered_functions.h"

/* What the label adds: -log_t1 p - (1 - p^(2-t1))/(2-t1) = E(y, 2-t1) - E(y, 1-t1), y = log p. Both
 * are y at first, so near certainty the series from y^2 on. */
static double bregman_label(double y, double t1)
{
    if (!(y > -0.25))
        return stretch_exp(y, 2 - t1) - stretch_exp(y, 1 - t1);
    double sum = 0, power = y, first = 1, second = 1;
    for (int k = 2; k <= 16; k++) {
        power *= y / k;
        first *= 2 - t1;
        second *= 1 - t1;
        sum += power * (first - second);
    }
    return sum;
}

/* What the other classes add: the sum of p_c^(2-t1)/(2-t1). */
static double bregman_others(const struct row *row)
{
    double sum = 0;
    for (size_t c = 0; c < row->n; c++)
        if (c != row->label)
            sum += exp_power(row_log_p(row, c), 2 - row->t1);
    return sum / (2 - row->t1);
}

/* g_c = p_c^(t2-t1) (p_c - y_c): how the loss pulls at p_c, times dp_c/da_c without its escort. */
static double bregman_pull(const struct row *row, size_t c)
{
    double log_p = row_log_p(row, c), power = row->family.t - row->t1;
    if (c == row->label)
        return exp_power(log_p, power) * expm1(log_p);
    return exp_power(log_p, power + 1);
}

static double bregman_pull_sum(const struct row *row)
{
    double sum = 0;
    for (size_t c = 0; c < row->n; c++)
        sum += bregman_pull(row, c);
    return sum;
}

/* gradient_c = g_c - q_c sum g; `gradient` holds the escort q on entry. The entry of the likeliest
 * class is minus the sum of the others, which keeps its digits where q is near 1. */
static void bregman_gradient(const struct row *row, double *gradient)
{
    double sum = bregman_pull_sum(row), others = 0;
    size_t top = row->family.top;
    for (size_t c = 0; c < row->n; c++) {
        gradient[c] = bregman_pull(row, c) - gradient[c] * sum;
        others += c == top ? 0 : gradient[c];
    }
    gradient[top] = isnan(sum) ? NAN : 0 - others;
}

/* An escort form again: the weights are p_c^t2 dg_c/dp_c, less sum g times those of G. */
static void bregman_hessian(const struct row *row, double *q, double *hessian)
{
    double t1 = row->t1, t2 = row->family.t;
    double log_z = partition_escort(&row->family, row->a, row->n, q);
    double sum = bregman_pull_sum(row) * exp(-log_z);
    for (size_t c = 0; c < row->n; c++) {
        double log_p = row_log_p(row, c);
        double weight = (1 + t2 - t1) * exp_power(log_p, 2 * t2 - t1);
        if (c == row->label)
            weight -= (t2 - t1) * exp_power(log_p, 2 * t2 - t1 - 1);
        hessian[c * (row->n + 1)] = weight - sum * t2 * exp_power(log_p, 2 * t2 - 1);
    }
    escort_form(q, row->n, hessian);
}

double bregman_loss(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient, double *hessian)
{
    double t1 = loss.t1 < 2 ? loss.t1 : NAN;
    const struct row row = {partition_solve(a, n, loss.t2), a, n, label, t1};
    if (hessian)
        bregman_hessian(&row, gradient, hessian);
    if (gradient) {
        partition_escort(&row.family, a, n, gradient);
        bregman_gradient(&row, gradient);
    }
    return bregman_others(&row) + bregman_label(row_log_p(&row, label), t1);
}

struct margin_loss bregman_margin_loss(double margin, double t1, double t2)
{
    /* Activations margin, 0 are those of margin/2, -margin/2 shifted: all is in the first entry. */
    const double a[2] = {margin, 0};
    const temper_loss_spec loss = {.method = TEMPER_BREGMAN, .t1 = t1, .t2 = t2};
    double gradient[2], hessian[4];
    double value = bregman_loss(loss, a, 2, 0, gradient, hessian);
    return (struct margin_loss){.value = value, .slope = gradient[0], .curvature = hessian[0]};
}
