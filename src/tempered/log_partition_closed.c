/* partition_closed: two classes, activations a/2 and -a/2, where G_t has a closed form. */
#include "tempered/log_partition.h"

#include <math.h>

/* t = 0, sparsemax: the two probabilities are (1 +- a)/2. */
static double closed_0(double a)
{
    return a < 1 ? 0.5 : a / 2;
}

/* t = 1/2: with y = 1 - G/2 and h = a/4, (y + h)^2 + (y - h)^2 = 1. */
static double closed_half(double a)
{
    double h = a / 4;
    return a < 2 ? 2 - 2 * sqrt(0.5 - h * h) : a / 2;
}

static double closed_1(double a)
{
    return a / 2 + log1p(exp(-a));
}

/* t = 3/2: with y = 1 + G/2 and h = a/4, (y + h)^-2 + (y - h)^-2 = 1. */
static double closed_three_halves(double a)
{
    double h = a / 4;
    double root = h < 1e150 ? sqrt(1 + h * h + sqrt(1 + 4 * h * h)) : h;
    return 2 * root - 2;
}

static double closed_2(double a)
{
    return hypot(a / 2, 1);
}

double partition_closed(double a, double t)
{
    static const struct {
        double t;
        double (*form)(double);
    } forms[] = {
        {0, closed_0}, {0.5, closed_half}, {1, closed_1}, {1.5, closed_three_halves}, {2, closed_2},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].t == t)
            return forms[i].form(fabs(a));
    return NAN;
}
