/* peers: plain implementations. */
#include "peers/plain_peers.h"

#include <math.h>

void libm_logistic(const double *margin, size_t n, double *value, double *slope)
{
    for (size_t i = 0; i < n; i++) {
        double e = exp(-fabs(margin[i]));
        double r = 1 / (1 + e);
        value[i] = log1p(e) + (margin[i] < 0 ? -margin[i] : 0);
        slope[i] = margin[i] < 0 ? -r : -e * r;
    }
}

static double printed_exp_t(double x, double t)
{
    double base = 1 + (1 - t) * x;
    return base > 0 ? pow(base, 1 / (1 - t)) : 0;
}

static double printed_log_t(double x, double t)
{
    return t == 1 ? log(x) : (pow(x, 1 - t) - 1) / (1 - t);
}

/* Algorithm 2, then the loss and its slope, -p^(t2-t1) times the other's escort. */
void paper_margins(const double *margin, size_t n, double t1, double t2, double *value, double *slope)
{
    for (size_t i = 0; i < n; i++) {
        double a = fabs(margin[i]), scaled = a, z = 0, before;
        do {
            before = scaled;
            z = 1 + printed_exp_t(-scaled, t2);
            scaled = pow(z, 1 - t2) * a;
        } while (fabs(scaled - before) > 1e-12 * a);
        double g = a / 2 - printed_log_t(1 / z, t2);
        double p = printed_exp_t(margin[i] / 2 - g, t2), q = printed_exp_t(-margin[i] / 2 - g, t2);
        value[i] = -printed_log_t(p, t1);
        slope[i] = -pow(p, t2 - t1) * pow(q, t2) / (pow(p, t2) + pow(q, t2));
    }
}

double paper_row(const double *a, size_t n, size_t label, double t1, double t2, double *gradient)
{
    double max = a[0], scale = 1, before, z = 0, escort = 0;
    for (size_t c = 1; c < n; c++)
        max = fmax(max, a[c]);
    do {
        before = scale;
        z = 0;
        for (size_t c = 0; c < n; c++)
            z += printed_exp_t(scale * (a[c] - max), t2);
        scale = pow(z, 1 - t2);
    } while (fabs(scale - before) > 1e-7 * scale);
    double g = max - printed_log_t(1 / z, t2);
    for (size_t c = 0; c < n; c++)
        escort += gradient[c] = pow(printed_exp_t(a[c] - g, t2), t2);
    double p = printed_exp_t(a[label] - g, t2), factor = pow(p, t2 - t1);
    for (size_t c = 0; c < n; c++)
        gradient[c] = factor * (gradient[c] / escort - (c == label));
    return -printed_log_t(p, t1);
}
