/* loss: the two-temperature loss of many classes (eq. 12) and its derivatives. */
#include "tempered/loss.h"

#include <math.h>

#include "tempered/escort_form.h"
#include "tempered/functions.h"
#include "tempered/partition.h"

/* Everything is composed of logarithms and exponentiated last: products such as p^(t2-t1) q_c must
 * not meet infinity times zero on the way. */

static void fill(double *values, size_t n, double value)
{
    for (size_t i = 0; i < n; i++)
        values[i] = value;
}

/* log Z, Z = sum p_c^t. */
static double log_normaliser(const struct partition *family, const double *a, size_t n)
{
    double sum = 0, scale = family->t * family->log_top;
    for (size_t c = 0; c < n; c++)
        sum += exp(log_power(partition_log_p(family, c, a[c]), family->t) - scale);
    return scale + log(sum);
}

/* gradient_c = p_y^(t2-t1) (q_c - [c = y]), eq. 13 for one row. The entry of the label is minus the
 * sum of the others, which keeps its digits where q_y is near 1. */
static void tempered_gradient(const struct partition *family, const double *a, size_t n,
                              size_t label, double t1, double *gradient)
{
    double t2 = family->t, log_label = partition_log_p(family, label, a[label]), others = 0;
    double log_factor = (t2 - t1) * log_label - log_normaliser(family, a, n);
    for (size_t c = 0; c < n; c++) {
        if (c == label)
            continue;
        gradient[c] = exp(log_factor + log_power(partition_log_p(family, c, a[c]), t2));
        others += gradient[c];
    }
    gradient[label] = 0 - others; /* never -0 */
}

/* f d^2 G - (t2-t1) p_y^(2 t2-t1-1) (e_y - q)(e_y - q)', f = p_y^(t2-t1): an escort form with
 * weights f t2 p_c^(2 t2-1)/Z, and a little less at the label. `q` is scratch. */
static void tempered_hessian(const struct partition *family, const double *a, size_t n,
                             size_t label, double t1, double *q, double *hessian)
{
    double t2 = family->t, log_label = partition_log_p(family, label, a[label]);
    double log_factor = (t2 - t1) * log_label - partition_escort(family, a, n, q);
    double log_bend = (2 * t2 - t1 - 1) * log_label, scale = log_bend;
    for (size_t c = 0; c < n; c++) {
        double log_p = partition_log_p(family, c, a[c]);
        hessian[c * n + c] = log_factor + log_power(log_p, 2 * t2 - 1);
        scale = fmax(scale, hessian[c * n + c]);
    }
    /* Relative to the largest, so that weights beyond the double range do not meet as inf - inf. */
    for (size_t c = 0; c < n; c++)
        hessian[c * n + c] = t2 * exp(hessian[c * n + c] - scale);
    hessian[label * n + label] -= (t2 - t1) * exp(log_bend - scale);
    escort_form(q, n, hessian);
    double unit = exp(scale);
    for (size_t i = 0; i < n * n; i++)
        hessian[i] = hessian[i] != 0 ? hessian[i] * unit : 0;
}

double tempered_loss(temper_loss_spec loss, const double *a, size_t n, size_t label,
                     double *gradient, double *hessian)
{
    struct partition family = partition_solve(a, n, loss.t2);
    double log_label = partition_log_p(&family, label, a[label]);
    if (!isfinite(log_label)) { /* outside the support: at the cap, flat; or no family at all */
        double flat = isnan(log_label) ? NAN : 0;
        if (gradient)
            fill(gradient, n, flat);
        if (hessian)
            fill(hessian, n * n, flat);
        return -stretch_exp(log_label, 1 - loss.t1);
    }
    if (hessian)
        tempered_hessian(&family, a, n, label, loss.t1, gradient, hessian);
    if (gradient)
        tempered_gradient(&family, a, n, label, loss.t1, gradient);
    return fabs(stretch_exp(log_label, 1 - loss.t1)); /* log p <= 0; never -0 */
}

double importance(const double *a, size_t n, size_t label, double t1, double t2)
{
    struct partition family = partition_solve(a, n, t2);
    double log_label = partition_log_p(&family, label, a[label]);
    return t1 == t2 && !isnan(log_label) ? 1 : exp((t2 - t1) * log_label);
}
