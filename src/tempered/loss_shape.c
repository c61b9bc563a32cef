/* shape: convexity, bounds and the inflection of the two-temperature loss. */
#include "tempered/loss_shape.h"

#include <math.h>
#include <stdbool.h>

#include "tempered/tempered_functions.h"

/* Decreases in r = log(q/p) from 2 t1 at 0: t2 (1 + p/q) - (t2 - t1)(1 + (q/p)^t2), appendix B. */
static double bend(double r, double t1, double t2)
{
    return t2 * (1 + exp(-r)) - (t2 - t1) * (1 + exp(t2 * r));
}

/* Bisection down to neighbouring doubles; bend changes its sign once. */
static double bend_root(double t1, double t2)
{
    double low = 0, high = 1;
    while (bend(high, t1, t2) > 0)
        high *= 2;
    for (;;) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            return high;
        if (bend(middle, t1, t2) > 0)
            low = middle;
        else
            high = middle;
    }
}

double inflection_margin(double t1, double t2)
{
    if (!legal_temperature(t1) || !legal_temperature(t2))
        return NAN;
    if (t1 >= t2)
        return -INFINITY;
    if (t1 == 0) /* p itself bends at 1/2 */
        return 0;
    /* log_t2 p - log_t2 q = q^(1-t2) log_t2(p/q) */
    double r = bend_root(t1, t2), log_q = -log1p(exp(-r));
    return exp((1 - t2) * log_q) * stretch_exp(-r, 1 - t2);
}

temper_shape loss_shape(double t1, double t2)
{
    if (!legal_temperature(t1) || !legal_temperature(t2))
        return (temper_shape){.bound = NAN, .inflection = NAN};
    bool sparse = t2 < 1; /* p reaches 0 at a finite margin */
    return (temper_shape){
        .convex = t1 >= t2 && t1 >= 1 && !sparse,
        .extended = t1 >= 1 && sparse,
        .quasi_convex = 1,
        .bounded = t1 < 1,
        .bound = t1 < 1 ? 1 / (1 - t1) : INFINITY,
        .smooth = !(sparse && t1 > t2), /* else p^(t2-t1) grows without bound at the edge */
        .inflection = inflection_margin(t1, t2),
    };
}
