/* margin_plain: the reference, one margin at a time. */
#include <math.h>

#include "kernel/loss/margin_plain.h"
#include "tempered/tempered_functions.h"

/* t2 = 1: p is the logistic function, and the rest follows. */
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
    double value = polynomials->coefficient[0][interval], slope = 0, half_bend = 0;
    for (int i = 1; i <= polynomials->degree; i++) {
        half_bend = half_bend * x + slope;
        slope = slope * x + value;
        value = value * x + polynomials->coefficient[i][interval];
    }
    double x_per_margin = copysign(ldexp(2, split - octave), margin);
    return (struct margin_loss){
        .value = value,
        .slope = slope * x_per_margin,
        .curvature = 2 * half_bend * x_per_margin * x_per_margin,
    };
}

static struct margin_loss plain_loss(const struct margin_table *table, double margin)
{
    if (table->form != MARGIN_EXACT && fabs(margin) < table->near.limit)
        return margin_polynomial(&table->near, margin);
    if (table->form == MARGIN_TABLE && fabs(margin) < table->far.limit)
        return margin_polynomial(&table->far, margin);
    if (table->form == MARGIN_SIGMOID)
        return margin_sigmoid(margin, table->t1);
    return tempered_margin_loss(margin, table->t1, table->t2);
}

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
