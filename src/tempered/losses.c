/* losses: the two-temperature loss (eq. 13) and the Bregman loss with their derivatives, for many classes
 * and, for two, as functions of the margin.
 *
 * Gradients and Hessians are composed of logarithms and exponentiated last: products such as
 * p^(t2-t1) q_c must not be infinity times zero. Every Hessian of a t-exponential family is a sum
 * sum_c h_c (e_c - q)(e_c - q)' with the escort q, called an escort form (docs/math.md, section 7). */
#include "tempered/losses.h"

#include <float.h>
#include <math.h>

#include "tempered/log_partition.h"
#include "tempered/sparse_pair.h"
#include "tempered/tempered_functions.h"

/* ---- One example ----------------------------------------------------------------------------- */

/* A solved family, its activations and the label. */
struct loss_row {
    struct partition family;
    const double *a; /* n of them */
    size_t n, label;
    double t1;
};

/* log p_c of the row, -infinity outside the support. */
static double row_log_p(const struct loss_row *row, size_t c)
{
    return partition_log_p(&row->family, c, row->a[c]);
}

/* Logarithms are multiplied by it before they are added up: that of a softmax of finite activations may exceed the
 * double range, and so may products with temperatures, although their sum does not. A power of two rounds nothing. */
static const double LOG_UNIT = 0x1p-512;

/* log p_c in this unit. */
static double row_scaled_log_p(const struct loss_row *row, size_t c)
{
    const struct partition *family = &row->family;
    double log_p = row_log_p(row, c);
    if (family->t != 1 || log_p != -INFINITY || row->a[c] == -INFINITY || isinf(family->max))
        return log_p * LOG_UNIT;
    return row->a[c] * LOG_UNIT - family->max * LOG_UNIT - family->lambda * LOG_UNIT;
}

/* An exponent times a logarithm in this unit; bounded, as differences of infinite ones would be NaN. */
static double scaled_product(double exponent, double log_p)
{
    double product = exponent * log_p;
    return product > DBL_MAX ? DBL_MAX : product < -DBL_MAX ? -DBL_MAX : product;
}

/* e^x of an x in this unit. */
static double exp_scaled(double x)
{
    return exp(x / LOG_UNIT);
}

/* ---- Escort forms ---------------------------------------------------------------------------- */

/* log(p^t), where 0^0 is 0: only classes of the support count. */
static double log_power(double log_p, double t)
{
    return log_p == -INFINITY ? -INFINITY : t * log_p;
}

/* p^t, with the same rule. */
static double exp_power(double log_p, double t)
{
    return exp(log_power(log_p, t));
}

/* A class: its escort q and weight h, and the sums of both over all other classes. */
struct class_share {
    double q, h, others_q, others_h;
};

/* Entry (j, k) of the escort form, written with sums over the other classes in place of 1 - q and sum h - h, which
 * cancel for the likeliest class. */
static double off_diagonal(struct class_share j, struct class_share k)
{
    return j.q * k.q * (j.others_h - k.h) - j.h * k.q * j.others_q - k.h * j.q * k.others_q;
}

/* Entry (j, j), with the same sums. */
static double on_diagonal(struct class_share j)
{
    return j.h * j.others_q * j.others_q + j.q * j.q * j.others_h;
}

/* The class with the largest q. Where q is near 1, 1 - q cancels, so for this class the others are
 * summed. */
static struct class_share top_share(const double *q, size_t n, const double *matrix, size_t *top)
{
    *top = 0;
    for (size_t c = 1; c < n; c++)
        if (q[c] > q[*top])
            *top = c;
    struct class_share share = {.q = q[*top], .h = matrix[*top * n + *top]};
    for (size_t c = 0; c < n; c++)
        if (c != *top) {
            share.others_q += q[c];
            share.others_h += matrix[c * n + c];
        }
    return share;
}

/* With weights h on the diagonal of `matrix` and an escort q, makes it
 *     sum_c h_c (e_c - q)(e_c - q)'  =  diag h - h q' - q h' + (sum h) q q'.
 * With h_c = t p_c^(2t-1)/Z that is the Hessian of G_t. */
static void escort_form(const double *q, size_t n, double *matrix)
{
    size_t top;
    const struct class_share likeliest = top_share(q, n, matrix, &top);
    double sum = likeliest.h + likeliest.others_h;
    for (size_t j = 0; j < n; j++) {
        if (j == top)
            continue;
        double h_j = matrix[j * n + j];
        const struct class_share share = {q[j], h_j, 1 - q[j], sum - h_j};
        for (size_t k = 0; k < j; k++) {
            double h_k = matrix[k * n + k];
            const struct class_share other = {q[k], h_k, 1 - q[k], sum - h_k};
            if (k != top)
                matrix[j * n + k] = matrix[k * n + j] = off_diagonal(share, other);
        }
        matrix[j * n + top] = matrix[top * n + j] = off_diagonal(likeliest, share);
    }
    for (size_t j = 0; j < n; j++) {
        double h = matrix[j * n + j];
        matrix[j * n + j] = on_diagonal(j == top ? likeliest : (struct class_share){q[j], h, 1 - q[j], sum - h});
    }
}

/* ---- The two-temperature loss ---------------------------------------------------------------- */

static void fill(double *values, size_t n, double value)
{
    for (size_t i = 0; i < n; i++)
        values[i] = value;
}

/* What every class has in common: log of f/Z in LOG_UNIT, f = p_y^(t2-t1), Z relative to the likeliest class. */
static double log_factor(const struct loss_row *row)
{
    double log_share = partition_log_share(&row->family, row->a, row->n);
    return scaled_product(row->family.t - row->t1, row_scaled_log_p(row, row->label)) - log_share * LOG_UNIT;
}

/* log of f p_c^t2 / Z in LOG_UNIT, given log p_c and log_factor(): relative to the likeliest class, so that high
 * temperatures cost no digits. */
static double log_term(const struct loss_row *row, double log_p, double factor)
{
    if (log_p == -INFINITY)
        return -INFINITY; /* also at t2 = 0: the support alone counts */
    return factor + row->family.t * (log_p - row->family.log_top * LOG_UNIT);
}

/* gradient_c = p_y^(t2-t1) (q_c - [c = y]), eq. 14 for one row. The entry of the label is minus the
 * sum of the others, which keeps its digits where q_y is near 1. */
static void tempered_gradient(const struct loss_row *row, double *gradient)
{
    double others = 0, factor = log_factor(row);
    for (size_t c = 0; c < row->n; c++) {
        if (c == row->label)
            continue;
        gradient[c] = exp_scaled(log_term(row, row_scaled_log_p(row, c), factor));
        others += gradient[c];
    }
    gradient[row->label] = 0 - others; /* never -0 */
}

/* log of f p_c^(2 t2-1)/Z in LOG_UNIT. */
static double log_weight(const struct loss_row *row, size_t c, double factor)
{
    double log_p = row_scaled_log_p(row, c);
    return log_term(row, log_p, factor) + log_power(log_p, row->family.t - 1);
}

/* The weights of the escort form below, on the diagonal of `hessian`, divided by e^(returned value):
 * beyond the double range they would be inf - inf. */
static double tempered_weights(const struct loss_row *row, double *hessian)
{
    double t1 = row->t1, t2 = row->family.t, factor = log_factor(row);
    double log_curve = scaled_product(2 * t2 - t1 - 1, row_scaled_log_p(row, row->label)), scale = log_curve;
    size_t next = row->n + 1; /* along the diagonal */
    for (size_t c = 0; c < row->n; c++) {
        hessian[c * next] = log_weight(row, c, factor);
        scale = fmax(scale, hessian[c * next]);
    }
    for (size_t c = 0; c < row->n; c++)
        hessian[c * next] = t2 * exp_scaled(hessian[c * next] - scale);
    hessian[row->label * next] -= (t2 - t1) * exp_scaled(log_curve - scale);
    return scale / LOG_UNIT;
}

/* f d^2 G - (t2-t1) p_y^(2 t2-t1-1) (e_y - q)(e_y - q)', f = p_y^(t2-t1): an escort form with weights
 * f t2 p_c^(2 t2-1)/Z, reduced at the label. `q` is workspace. */
static void tempered_hessian(const struct loss_row *row, double *q, double *hessian)
{
    double unit = exp(tempered_weights(row, hessian));
    partition_escort(&row->family, row->a, row->n, q);
    escort_form(q, row->n, hessian);
    for (size_t i = 0; i < row->n * row->n; i++)
        /* 0 times an infinite unit would be NaN */
        hessian[i] = hessian[i] != 0 ? hessian[i] * unit : 0;
}

/* The Hessian first: it uses the gradient as workspace for the escort. */
double tempered_loss(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient, double *hessian)
{
    const struct loss_row row = {partition_solve(a, n, loss.t2), a, n, label, loss.t1};
    double log_label = row_log_p(&row, label);
    if (!isfinite(row_scaled_log_p(&row, label))) { /* outside the support: constant at its bound; or no family */
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

/* p_y^(t2-t1): the factor by which the loss scales the gradient of the row relative to t1 = t2. Exactly 1 there,
 * also where the power is 0^0. */
double importance(const double *a, size_t n, size_t label, double t1, double t2)
{
    struct partition family = partition_solve(a, n, t2);
    double log_label = partition_log_p(&family, label, a[label]);
    return t1 == t2 && !isnan(log_label) ? 1 : exp((t2 - t1) * log_label);
}

/* ---- Two classes: functions of the margin m -------------------------------------------------- */

/* log p of the given label and log q of the other. */
struct log_pair {
    double log_p, log_q;
};

/* The pair in the order of label and other class: the label is the likelier one for positive margins. */
static struct log_pair label_first(struct sparse_pair pair, double margin)
{
    return margin < 0 ? (struct log_pair){pair.log_q, pair.log_p} : (struct log_pair){pair.log_p, pair.log_q};
}

/* The family of two classes; p and q = 1 - p both as logarithms, as either may be tiny. */
static struct log_pair margin_pair(double margin, double t2)
{
    if (t2 >= 0 && t2 < 1 && isfinite(margin))
        return label_first(sparse_pair_at_margin(fabs(margin), t2), margin);
    const double a[2] = {margin, 0}; /* m/2, -m/2 shifted by m/2: nothing is rounded */
    struct partition family = partition_solve(a, 2, t2);
    return (struct log_pair){partition_log_p(&family, 0, margin), partition_log_p(&family, 1, 0)};
}

double margin_probability(double margin, double t2)
{
    return exp(margin_pair(margin, t2).log_p);
}

/* The logarithm of the escort q^t2/(p^t2 + q^t2) = p^-t2 dp/dm of the class with log_q. */
static double log_share(double log_q, double log_p, double t2)
{
    double x = t2 * (log_p - log_q);
    return x > 0 ? -x - log1p(exp(-x)) : -log1p(exp(x));
}

/* With the escorts r of the label and v of the other class, the formula of docs/math.md is
 * v^2 [(t1 - t2 v) p^(2 t2-t1-1) + t2 r p^(2 t2-t1)/q]: each power is finite where its term is. */
static double margin_curvature(struct log_pair pair, double log_v, double t1, double t2)
{
    double log_r = log_share(pair.log_p, pair.log_q, t2);
    /* t1 - t2 v, from the smaller of r and v = 1 - r */
    double sign = log_r < log_v ? t1 - t2 + t2 * exp(log_r) : t1 - t2 * exp(log_v);
    double first = sign * exp(2 * log_v + (2 * t2 - t1 - 1) * pair.log_p);
    return first + t2 * exp(2 * log_v - pair.log_q + log_r + (2 * t2 - t1) * pair.log_p);
}

/* Value and derivatives from the two logarithms. */
static struct margin_loss pair_loss(struct log_pair pair, double t1, double t2)
{
    struct margin_loss loss = {.value = fabs(stretch_exp(pair.log_p, 1 - t1))};
    if (pair.log_p == -INFINITY && t2 >= 1 && !(t1 < t2)) /* a margin of -infinity: the limits */
        return (struct margin_loss){loss.value, t1 == t2 ? -1 : -INFINITY, t1 == t2 ? 0 : INFINITY};
    if (pair.log_p == -INFINITY || pair.log_q == -INFINITY)
        return loss; /* outside the support, or certain: constant */
    double log_v = log_share(pair.log_q, pair.log_p, t2);
    loss.slope = -exp(log_v + (t2 - t1) * pair.log_p);
    loss.curvature = margin_curvature(pair, log_v, t1, t2);
    return loss;
}

/* The two-temperature loss of two classes as a function of the margin m = a_label - a_other. */
struct margin_loss tempered_margin_loss(double margin, double t1, double t2)
{
    return pair_loss(margin_pair(margin, t2), t1, t2);
}

/* The same by the distance of |m| from the edge of support, for t2 < 1; `sign` is that of the margin. */
struct margin_loss tempered_gap_loss(double gap, double sign, double t1, double t2)
{
    return pair_loss(label_first(sparse_pair_at_gap(gap, t2), sign), t1, t2);
}

/* ---- The Bregman loss: -log_t1 p_y - (1 - sum_c p_c^(2-t1))/(2 - t1), t1 < 2 ----------------- */

/* The term of the label: -log_t1 p - (1 - p^(2-t1))/(2-t1) = E(y, 2-t1) - E(y, 1-t1), y = log p. Both
 * begin with y, which cancels, so for p near 1 their series from y^2 on. */
static double bregman_label(double y, double t1)
{
    if (!(y > -0.25))
        return stretch_exp(y, 2 - t1) - stretch_exp(y, 1 - t1);
    double sum = 0, power = y, first = 1, second = 1;
    /* sum of y^k/k! ((2-t1)^(k-1) - (1-t1)^(k-1)); 15 terms suffice for |y| < 1/4 and 0 <= t1 < 2 */
    for (int k = 2; k <= 16; k++) {
        power *= y / k;
        first *= 2 - t1;
        second *= 1 - t1;
        sum += power * (first - second);
    }
    return sum;
}

/* The terms of the other classes: the sum of p_c^(2-t1)/(2-t1). */
static double bregman_others(const struct loss_row *row)
{
    double sum = 0;
    for (size_t c = 0; c < row->n; c++)
        if (c != row->label)
            sum += exp_power(row_log_p(row, c), 2 - row->t1);
    return sum / (2 - row->t1);
}

/* g_c = p_c^(t2-t1) (p_c - y_c): the derivative by p_c times dp_c/da_c without its escort. */
static double bregman_term(const struct loss_row *row, size_t c)
{
    double log_p = row_log_p(row, c), power = row->family.t - row->t1;
    if (c == row->label)
        return exp_power(log_p, power) * expm1(log_p);
    return exp_power(log_p, power + 1);
}

/* sum g over all classes, the multiplier of the escort in the gradient. */
static double bregman_term_sum(const struct loss_row *row)
{
    double sum = 0;
    for (size_t c = 0; c < row->n; c++)
        sum += bregman_term(row, c);
    return sum;
}

/* The gradient where g of the label, which dominates the sum, exceeds the double range: its products with q may not.
 * `gradient` holds the escort q on entry. */
static void bregman_gradient_overflown(const struct loss_row *row, double *gradient)
{
    double log_g = log_power(row_log_p(row, row->label), row->family.t - row->t1);
    for (size_t c = 0; c < row->n; c++)
        gradient[c] = c == row->label ? -exp(log_g + log1p(-gradient[c])) : exp(log_g + log(gradient[c]));
}

/* gradient_c = g_c - q_c sum g; `gradient` holds the escort q on entry. The entry of the likeliest
 * class is minus the sum of the others, which keeps its digits where q is near 1. */
static void bregman_gradient(const struct loss_row *row, double *gradient)
{
    double sum = bregman_term_sum(row), others = 0;
    size_t top = row->family.top;
    if (sum == -INFINITY) {
        bregman_gradient_overflown(row, gradient);
        return;
    }
    for (size_t c = 0; c < row->n; c++) {
        gradient[c] = bregman_term(row, c) - gradient[c] * sum;
        others += c == top ? 0 : gradient[c];
    }
    gradient[top] = isnan(sum) ? NAN : 0 - others;
}

/* An escort form too: the weights are p_c^t2 dg_c/dp_c, less sum g times those of G. */
static void bregman_hessian(const struct loss_row *row, double *q, double *hessian)
{
    double t1 = row->t1, t2 = row->family.t;
    double log_z = partition_escort(&row->family, row->a, row->n, q);
    double sum = bregman_term_sum(row) * exp(-log_z);
    for (size_t c = 0; c < row->n; c++) {
        double log_p = row_log_p(row, c);
        double weight = (1 + t2 - t1) * exp_power(log_p, 2 * t2 - t1);
        if (c == row->label)
            weight -= (t2 - t1) * exp_power(log_p, 2 * t2 - t1 - 1);
        hessian[c * (row->n + 1)] = weight - sum * t2 * exp_power(log_p, 2 * t2 - 1);
    }
    escort_form(q, row->n, hessian);
}

/* Defined for t1 < 2; other t1 give NaN in all results. */
double bregman_loss(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient, double *hessian)
{
    double t1 = loss.t1 < 2 ? loss.t1 : NAN;
    const struct loss_row row = {partition_solve(a, n, loss.t2), a, n, label, t1};
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
