/* forward_loss: cross-entropy with forward correction (Patrini, Rozza, Menon, Nock, Qu: Making Deep Neural Networks
 * Robust to Label Noise: A Loss Correction Approach, CVPR 2017).
 *
 * T[c][y] is the probability that a row of true class c is given the label y. With the softmax p of the activations,
 * which is about the true class, a row with label y has the loss -log S, S = sum_c p_c T[c][y]. With the posterior
 * r_c = p_c T[c][y] / S of the true class
 *
 *     gradient  p - r
 *     Hessian   diag(p) - p p' - diag(r) + r r'
 *
 * A row needs the column T[.][y] only. */
#include <math.h>

#include "tempered/losses.h"

/* exp(a - max a) normalised; returns the likeliest class. */
static size_t softmax(const double *a, size_t n, double *p)
{
    size_t top = 0;
    double sum = 0;
    for (size_t c = 1; c < n; c++)
        top = a[c] > a[top] ? c : top;
    for (size_t c = 0; c < n; c++)
        sum += p[c] = exp(a[c] - a[top]);
    for (size_t c = 0; c < n; c++)
        p[c] /= sum;
    return top;
}

/* -log S. Where S is near 1, by 1 - S, which keeps the digits of a small loss. */
double forward_value(double sum, double rest)
{
    return rest < 0.5 ? -log1p(-rest) : -log(sum);
}

/* The gradient is written p_c (S - T[c][y]) / S, which equals p_c - r_c without the difference of two nearly equal
 * probabilities. `p` is workspace of n numbers; `gradient` may be NULL. */
double forward_loss(const double *column, const double *a, size_t n, double *p, double *gradient)
{
    size_t top = softmax(a, n, p);
    double sum = 0, rest = 0, others = 0;
    for (size_t c = 0; c < n; c++) {
        sum += p[c] * column[c];
        rest += p[c] * (1 - column[c]);
    }
    for (size_t c = 0; gradient && c < n; c++) {
        gradient[c] = p[c] * (sum - column[c]) / sum;
        others += c == top ? 0 : gradient[c];
    }
    /* sum - T[c][y] cancels where p_c is near 1; the entries add up to 0. */
    if (gradient)
        gradient[top] = 0 - others;
    return forward_value(sum, rest);
}

/* Two classes: `keep` = T[y][y] and `flip` = T[other][y]. With S = p keep + q flip and dp/dm = p q, the derivative of
 * log S is step = p q (keep - flip) / S; that of p q is p q (q - p), from which the second derivative of -log S
 * follows. Both probabilities come from exp(-|m|), which cannot overflow. */
struct margin_loss forward_margin_loss(double margin, double keep, double flip)
{
    double e = exp(-fabs(margin)), larger = 1 / (1 + e), smaller = e / (1 + e);
    double p = margin > 0 ? larger : smaller, q = margin > 0 ? smaller : larger;
    double sum = p * keep + q * flip, rest = p * (1 - keep) + q * (1 - flip);
    double step = p * q * (keep - flip) / sum; /* the derivative of log S */
    return (struct margin_loss){
        .value = forward_value(sum, rest), .slope = -step, .curvature = step * step - step * (q - p)};
}
