/* bregman: the bi-tempered loss of Amid, Warmuth, Anil, Koren (NeurIPS 2019), for comparison.
 *
 *     -log_t1 p_y - (1 - sum_c p_c^(2-t1))/(2 - t1),  p = exp_t2(a - G_t2(a)),  t1 < 2. */
#include <math.h>
#include <stdbool.h>

#include "tempered/escort_form.h"
#include "tempered/functions.h"
#include "tempered/loss.h"
#include "tempered/partition.h"

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
static double bregman_others(const struct partition *family, const double *a, size_t n,
                             size_t label, double t1)
{
    double sum = 0;
    for (size_t c = 0; c < n; c++)
        if (c != label)
            sum += exp(log_power(partition_log_p(family, c, a[c]), 2 - t1));
    return sum / (2 - t1);
}

/* g_c = p_c^(t2-t1) (p_c - y_c): how the loss pulls at p_c, times dp_c/da_c without its escort. */
static double bregman_pull(double log_p, bool is_label, double power)
{
    if (is_label)
        return exp(log_power(log_p, power)) * expm1(log_p);
    return exp(log_power(log_p, power + 1));
}

static double bregman_pull_sum(const struct partition *family, const double *a, size_t n,
                               size_t label, double power)
{
    double sum = 0;
    for (size_t c = 0; c < n; c++)
        sum += bregman_pull(partition_log_p(family, c, a[c]), c == label, power);
    return sum;
}

/* gradient_c = g_c - q_c sum g; `gradient` holds the escort q on entry. The entry of the likeliest
 * class is minus the sum of the others, which keeps its digits where q is near 1. */
static void bregman_gradient(const struct partition *family, const double *a, size_t n,
                             size_t label, double t1, double *gradient)
{
    double power = family->t - t1, sum = bregman_pull_sum(family, a, n, label, power), others = 0;
    for (size_t c = 0; c < n; c++) {
        double pull = bregman_pull(partition_log_p(family, c, a[c]), c == label, power);
        gradient[c] = pull - gradient[c] * sum;
        others += c == family->top ? 0 : gradient[c];
    }
    gradient[family->top] = isnan(sum) ? NAN : 0 - others;
}

/* An escort form again: the weights are p_c^t2 dg_c/dp_c, less sum g times those of G. */
static void bregman_hessian(const struct partition *family, const double *a, size_t n,
                            size_t label, double t1, double *q, double *hessian)
{
    double t2 = family->t, log_z = partition_escort(family, a, n, q);
    double sum = bregman_pull_sum(family, a, n, label, t2 - t1) * exp(-log_z);
    for (size_t c = 0; c < n; c++) {
        double log_p = partition_log_p(family, c, a[c]);
        double weight = (1 + t2 - t1) * exp(log_power(log_p, 2 * t2 - t1));
        if (c == label)
            weight -= (t2 - t1) * exp(log_power(log_p, 2 * t2 - t1 - 1));
        hessian[c * n + c] = weight - sum * t2 * exp(log_power(log_p, 2 * t2 - 1));
    }
    escort_form(q, n, hessian);
}

double bregman_loss(temper_loss_spec loss, const double *a, size_t n, size_t label,
                    double *gradient, double *hessian)
{
    double t1 = loss.t1 < 2 ? loss.t1 : NAN;
    struct partition family = partition_solve(a, n, loss.t2);
    double log_label = partition_log_p(&family, label, a[label]);
    if (hessian)
        bregman_hessian(&family, a, n, label, t1, gradient, hessian);
    if (gradient) {
        partition_escort(&family, a, n, gradient);
        bregman_gradient(&family, a, n, label, t1, gradient);
    }
    return bregman_others(&family, a, n, label, t1) + bregman_label(log_label, t1);
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
