/* hinge_loss: the loss of support vector machines (Crammer and Singer), optionally smoothed. */
#include <math.h>
#include <stdbool.h>

#include "tempered/losses.h"

/* The hinge as a function of z = 1 - margin, with its derivatives by z: 0 for z <= 0, a parabola up to `smoothing`,
 * then linear. Value and slope are continuous; the second derivative jumps at both ends of the parabola. */
static struct margin_loss smoothed_margin(double z, double smoothing)
{
    if (isnan(z) || !(smoothing >= 0) || isinf(smoothing))
        return (struct margin_loss){NAN, NAN, NAN};
    if (z <= 0)
        return (struct margin_loss){0, 0, 0};
    if (z < smoothing)
        return (struct margin_loss){z * (z / smoothing) / 2, z / smoothing, 1 / smoothing};
    return (struct margin_loss){z - smoothing / 2, 1, 0};
}

/* By the margin instead of z, which changes the sign of the slope; a slope of 0 stays +0. */
struct margin_loss hinge_margin_loss(double margin, double smoothing)
{
    struct margin_loss hinge = smoothed_margin(1 - margin, smoothing);
    hinge.slope = hinge.slope > 0 ? -hinge.slope : hinge.slope;
    return hinge;
}

/* The class with the largest activation except the label; the label if there is no other. */
static size_t best_rival(const double *a, size_t n, size_t label)
{
    size_t rival = label;
    for (size_t c = 0; c < n; c++)
        if (c != label && (rival == label || a[c] > a[rival] || isnan(a[c])))
            rival = c;
    return rival;
}

/* The hinge of many classes also has a kink where two other classes (rivals) are equal. All kinks are
 * smoothed together (Nesterov smoothing) by max_q sum q_c z_c - smoothing/2 |q|^2 over q >= 0,
 * sum q <= 1, which is the parabola above for a single rival: q_c = max(z_c - tau, 0) / smoothing, with
 * the smallest tau >= 0 such that sum q <= 1. Activations are relative to the best rival, so that large
 * ones lose no digits. */
struct smoothed_hinge {
    double width, top; /* smoothing; z of the best rival */
    double threshold;  /* tau - top: rivals below it have q = 0 */
    size_t active;     /* rivals above it */
    bool full;         /* sum q = 1 */
};

/* max(z_c - tau, 0) */
static double above(double activation, double best, double threshold)
{
    double d = activation - best - threshold;
    return d > 0 ? d : 0;
}

/* tau by the active-set method: the threshold rises until the set of active rivals is stable. */
static struct smoothed_hinge solve_smoothing(const double *a, size_t n, size_t label, size_t rival, double smoothing)
{
    struct smoothed_hinge r = {.width = smoothing, .top = 1 + (a[rival] - a[label])};
    r.full = r.top > smoothing;
    r.threshold = r.full ? -smoothing : -r.top;
    for (size_t before = 0;; before = r.active) {
        double sum = 0;
        r.active = 0;
        for (size_t c = 0; c < n; c++)
            if (c != label && a[c] - a[rival] > r.threshold) {
                r.active++;
                sum += a[c] - a[rival];
            }
        r.full = r.full || sum - (double)r.active * r.threshold > smoothing;
        if (!r.full || r.active == before)
            return r;
        r.threshold = (sum - smoothing) / (double)r.active;
    }
}

/* sum q_c z_c - smoothing/2 sum q_c^2 at the solution. Where sum q = 1 the common part `top` of all z_c is added
 * once, so that the terms are small differences. */
static double smoothed_value(const struct smoothed_hinge *r, const double *a, size_t n, size_t label, double best)
{
    double value = r->full ? r->top : 0;
    for (size_t c = 0; c < n; c++) {
        double z = above(a[c], best, r->threshold), q = c == label ? 0 : z / r->width;
        /* q z - width q^2 / 2, simplified */
        value += r->full ? q * (a[c] - best) - q * z / 2 : q * z / 2;
    }
    return value;
}

/* By z: 1/width on the diagonal of the active rivals, less their mean where sum q stays 1. */
static void smoothed_hessian(const struct smoothed_hinge *r, const double *a, size_t n, size_t label, double best,
                             double *hessian)
{
    /* z_c = 1 + a_c - a_label, so each entry by z contributes to four entries by the activations */
    double shared = r->full ? 1 / (double)r->active : 0;
    for (size_t c = 0; c < n; c++)
        for (size_t d = 0; d < n; d++) {
            bool both = c != label && d != label && a[c] - best > r->threshold && a[d] - best > r->threshold;
            double entry = both ? ((c == d) - shared) / r->width : 0;
            hessian[c * n + d] += entry;
            hessian[c * n + label] -= entry;
            hessian[label * n + d] -= entry;
            hessian[label * n + label] += entry;
        }
}

/* Several rivals, a finite z > 0 of the best, and smoothing > 0. */
static double smoothed_rivals(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient,
                              double *hessian)
{
    size_t rival = best_rival(a, n, label);
    double best = a[rival], sum = 0;
    struct smoothed_hinge r = solve_smoothing(a, n, label, rival, loss.smoothing);
    for (size_t c = 0; gradient && c < n; c++) {
        gradient[c] = c == label ? 0 : above(a[c], best, r.threshold) / r.width;
        sum += gradient[c];
    }
    if (gradient)
        gradient[label] = r.full ? -1 : -sum;
    if (hessian)
        smoothed_hessian(&r, a, n, label, best, hessian);
    return smoothed_value(&r, a, n, label, best);
}

/* Handles a single rival here (two classes, no smoothing, or no loss); several rivals share the gradient only
 * where the smoothing is positive and the loss is. */
double hinge_loss(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient, double *hessian)
{
    size_t rival = best_rival(a, n, label);
    struct margin_loss hinge = {0};
    if (rival != label)
        hinge = smoothed_margin(1 + (a[rival] - a[label]), loss.smoothing);
    for (size_t c = 0; gradient && c < n; c++)
        gradient[c] = c == rival ? hinge.slope : 0;
    for (size_t i = 0; hessian && i < n * n; i++)
        hessian[i] = 0;
    if (rival == label)
        return hinge.value; /* one class: nothing to separate */
    if (n > 2 && loss.smoothing > 0 && hinge.value > 0 && isfinite(hinge.value))
        return smoothed_rivals(loss, a, n, label, gradient, hessian);
    if (gradient)
        gradient[label] = -hinge.slope;
    if (hessian) {
        hessian[rival * n + rival] = hessian[label * n + label] = hinge.curvature;
        hessian[rival * n + label] = hessian[label * n + rival] = -hinge.curvature;
    }
    return hinge.value;
}
