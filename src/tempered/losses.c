/* loss: the two-temperature loss of many classes (eq. 13) and its derivatives. */
#include "tempered/losses.h"

#include <math.h>

#include "tempered/escort_form.h"
#include "tempered/loss_row.h"
#include "tempered/tempered_functions.h"

/* Everything is composed of logarithms and exponentiated last: products such as p^(t2-t1) q_c must
 * not meet infinity times zero on the way. */

static void fill(double *values, size_t n, double value)
{
    for (size_t i = 0; i < n; i++)
        values[i] = value;
}

/* log of f p_c^t2 / Z, f = p_y^(t2-t1), given partition_log_share: every term relative to the
 * likeliest class, so that high temperatures cost no digits. */
static long double log_pull(const struct row *row, size_t c, double log_share)
{
    double t2 = row->family.t;
    long double log_p = row_log_p_wide(row, c);
    if (log_p == -INFINITY)
        return -INFINITY; /* also at t2 = 0: the support alone counts */
    return (t2 - row->t1) * row_log_p_wide(row, row->label) - log_share + t2 * (log_p - row->family.log_top);
}

/* gradient_c = p_y^(t2-t1) (q_c - [c = y]), eq. 14 for one row. The entry of the label is minus the
 * sum of the others, which keeps its digits where q_y is near 1. */
static void tempered_gradient(const struct row *row, double *gradient)
{
    double others = 0, log_share = partition_log_share(&row->family, row->a, row->n);
    for (size_t c = 0; c < row->n; c++) {
        if (c == row->label)
            continue;
        gradient[c] = exp((double)log_pull(row, c, log_share));
        others += gradient[c];
    }
    gradient[row->label] = 0 - others; /* never -0 */
}

/* log of f p_c^(2 t2-1)/Z. */
static long double log_weight(const struct row *row, size_t c, double log_share)
{
    return log_pull(row, c, log_share) + log_power(row_log_p_wide(row, c), row->family.t - 1);
}

/* The weights of the escort form below, on the diagonal of `hessian`, relative to e^(what is
 * returned): beyond the double range they would meet as inf - inf. */
static double tempered_weights(const struct row *row, double *hessian)
{
    double t1 = row->t1, t2 = row->family.t;
    double log_share = partition_log_share(&row->family, row->a, row->n);
    long double log_bend = (2 * t2 - t1 - 1) * row_log_p_wide(row, row->label), scale = log_bend;
    size_t next = row->n + 1; /* along the diagonal */
    for (size_t c = 0; c < row->n; c++)
        scale = fmaxl(scale, log_weight(row, c, log_share));
    for (size_t c = 0; c < row->n; c++)
        hessian[c * next] = t2 * exp((double)(log_weight(row, c, log_share) - scale));
    hessian[row->label * next] -= (t2 - t1) * exp((double)(log_bend - scale));
    return (double)scale;
}

/* f d^2 G - (t2-t1) p_y^(2 t2-t1-1) (e_y - q)(e_y - q)', f = p_y^(t2-t1): an escort form with
 * weights f t2 p_c^(2 t2-1)/Z, and a little less at the label. `q` is scratch. */
static void tempered_hessian(const struct row *row, double *q, double *hessian)
{
    double unit = exp(tempered_weights(row, hessian));
    partition_escort(&row->family, row->a, row->n, q);
    escort_form(q, row->n, hessian);
    for (size_t i = 0; i < row->n * row->n; i++)
        hessian[i] = hessian[i] != 0 ? hessian[i] * unit : 0;
}

double tempered_loss(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient, double *hessian)
{
    const struct row row = {partition_solve(a, n, loss.t2), a, n, label, loss.t1};
    double log_label = row_log_p(&row, label);
    if (!isfinite(row_log_p_wide(&row, label))) { /* outside the support: at the cap, flat; or no family at all */
        double flat = isnan(log_label) ? NAN : 0;
        if (gradient)
            fill(gradient, n, flat);
        if (hessian)
            fill(hessian, n * n, flat);
        return -stretch_exp(log_label, 1 - loss.t1);
    }
    if (hessian)
        tempered_hessian(&row, gradient, hessian);
    if (gradient)
        tempered_gradient(&row, gradient);
    return fabs(stretch_exp(log_label, 1 - loss.t1)); /* log p <= 0; never -0 */
}

double importance(const double *a, size_t n, size_t label, double t1, double t2)
{
    struct partition family = partition_solve(a, n, t2);
    double log_label = partition_log_p(&family, label, a[label]);
    return t1 == t2 && !isnan(log_label) ? 1 : exp((t2 - t1) * log_label);
}
