/* margin_table: fits polynomials to the loss of a margin. The slope is interpolated at Chebyshev points and integrated,
 * so that value, slope and curvature have one set of coefficients.
 *
 * The loss of two classes is a function of one number, the margin, and in general its exact evaluation solves an
 * equation. In each interval the polynomial of the lowest degree is taken whose error, measured at points between the
 * nodes, is below the limit; if there is none, or a margin is beyond the last interval, kernels take the exact path.
 * Intervals are octaves of 1 + |m|, or halves of them: the loss changes fast near 0 and slowly far from it. Polynomials
 * in floats are rounded from those in doubles and checked with the rounding of their evaluation. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "kernel/loss/chebyshev.h"
#include "kernel/loss/margin.h"
#include "tempered/losses.h"

/* Nodes are those of the slope, whose degree is one less than that of the value; checks are between. */
enum { NODES = MARGIN_MAX_DEGREE, CHECKS = NODES + 1 };
_Static_assert(NODES <= (int)CHEBYSHEV_MOST, "the grid has room for the nodes");

/* The degree grows until the errors are below this; polynomials that cannot get there are not used.
 */
static const double ENOUGH = 8e-13; /* of the bound 1e-12 of margin.h */

/* The same for floats: rounding alone takes two thirds of it. */
static const double ENOUGH_FLOATS = 1.5e-7;

/* Up to this number of rows, fitting the polynomials takes longer than they save in the about twenty evaluations of a
 * training: for t2 = 1, which has a formula, for t2 > 1, and for t2 < 1, which has more intervals. */
enum { FEW_ROWS_FORMULA = 2048, FEW_ROWS_EXACT = 64, FEW_ROWS_SPARSE = 160 };

/* What is being fitted: some of the polynomials of a table. */
struct margin_fit {
    double t1, t2;
    struct margin_polynomials *polynomials;
    const struct margin_polynomials *from; /* those that are fitted; NULL: the exact functions */
    const struct chebyshev_grid *points;
    int split, side; /* intervals of an octave: 2^split; of each sign */
    long double series[MARGIN_FLOAT_INTERVALS][NODES + 1];
    double middle[MARGIN_FLOAT_INTERVALS];                    /* the value there */
    struct margin_loss exact[MARGIN_FLOAT_INTERVALS][CHECKS]; /* where it is checked */
};

/* The function that is approximated: for floats the polynomials of doubles, which are faster than the solver. */
static struct margin_loss exact_loss(const struct margin_fit *fit, double margin)
{
    if (fit->from)
        return margin_polynomial(fit->from, margin);
    if (fit->t2 == 1)
        return margin_sigmoid(margin, fit->t1);
    return tempered_margin_loss(margin, fit->t1, fit->t2);
}

/* d margin / dx: half the width of an interval, negative on the left. */
static double margin_per_x(const struct margin_fit *fit, int interval)
{
    int exponent = (interval % fit->side) >> fit->split;
    double half_width = ldexp(1, exponent - fit->split) / 2;
    return interval < fit->side ? half_width : -half_width;
}

/* The margin at x in [-1, 1] of an interval. */
static double margin_at(const struct margin_fit *fit, int interval, double x)
{
    int parts = 1 << fit->split, exponent = (interval % fit->side) >> fit->split;
    double begin = 1 + (double)(interval % parts) / parts; /* where in its octave 1 + |m| begins */
    double from = begin * ldexp(1, exponent) - 1, half_width = margin_per_x(fit, interval);
    return copysign(from, half_width) + half_width * (x + 1);
}

/* Chebyshev coefficients of the value by x, up to a constant, from the slope at the nodes. */
static void fit_slope(const struct margin_fit *fit, int interval, long double *series)
{
    double slope[NODES];
    for (int k = 0; k < NODES; k++)
        slope[k] = exact_loss(fit, margin_at(fit, interval, fit->points->node[k])).slope * margin_per_x(fit, interval);
    chebyshev_integral(fit->points, slope, series);
}

/* The integral is right up to a constant, which the value in the middle gives. */
static void fit_powers(const struct margin_fit *fit, int interval, int degree, long double *powers)
{
    chebyshev_to_powers(fit->series[interval], degree, powers);
    powers[0] = fit->middle[interval];
}

/* Stores the coefficients of one interval, highest power first, as Horner's scheme reads them. */
static void place_interval(const struct margin_fit *fit, int interval)
{
    struct margin_polynomials *polynomials = fit->polynomials;
    long double powers[NODES + 1];
    fit_powers(fit, interval, polynomials->degree, powers);
    for (int i = 0; i <= polynomials->degree; i++)
        polynomials->coefficient[polynomials->degree - i][interval] = (double)powers[i];
}

/* The larger error of value and slope, relative to max(1, |value|). */
static double relative_error(struct margin_loss found, struct margin_loss exact)
{
    /* curvature is not checked: it is the derivative of the slope, with a bound of its own in margin.h */
    double error = fmax(fabs(found.value - exact.value), fabs(found.slope - exact.slope));
    return error / fmax(1, fabs(exact.value));
}

/* The largest error over all intervals and check points; infinite if any result is NaN. */
static double fit_error(const struct margin_fit *fit)
{
    double worst = 0;
    for (int i = 0; i < 2 * fit->side; i++)
        for (int k = 0; k < CHECKS; k++) {
            double margin = margin_at(fit, i, fit->points->check[k]);
            double error = relative_error(margin_polynomial(fit->polynomials, margin), fit->exact[i][k]);
            worst = error <= worst ? worst : isnan(error) ? INFINITY : error;
        }
    return worst;
}

/* Samples for the fit and for the checks; independent of the degree. */
static void sample_function(struct margin_fit *fit)
{
    for (int i = 0; i < 2 * fit->side; i++) {
        fit_slope(fit, i, fit->series[i]);
        fit->middle[i] = exact_loss(fit, margin_at(fit, i, 0)).value;
        for (int k = 0; k < CHECKS; k++)
            fit->exact[i][k] = exact_loss(fit, margin_at(fit, i, fit->points->check[k]));
    }
}

/* The error of the slope at the ends of an interval by the first neglected term: T_j has the slope j^2
 * there. */
static double first_neglected(const struct margin_fit *fit, int interval, int degree)
{
    const double j = degree + 1;
    const double size = fmax(fabs(fit->exact[interval][0].value), fabs(fit->exact[interval][CHECKS - 1].value));
    const double slope = (double)fit->series[interval][degree + 1] * j * j;
    return fabs(slope / margin_per_x(fit, interval)) / fmax(1, size);
}

/* The lowest degree worth trying: later terms cannot compensate a larger first neglected term. */
static int first_degree(const struct margin_fit *fit, int lowest, int most, double enough)
{
    enum { MAKE_UP = 4 };
    int degree = lowest;
    for (int i = 0; i < 2 * fit->side; i++)
        while (degree < most && first_neglected(fit, i, degree) > MAKE_UP * enough)
            degree++;
    return degree;
}

/* The lowest degree that is good enough; false if none is. */
static bool fit_polynomials(struct margin_fit *fit)
{
    enum { LOWEST_DEGREE = 8 };
    sample_function(fit);
    fit->polynomials->error = INFINITY;
    int degree = first_degree(fit, LOWEST_DEGREE, NODES, ENOUGH);
    for (; degree <= NODES; degree++) {
        fit->polynomials->degree = degree;
        for (int i = 0; i < MARGIN_INTERVALS; i++)
            place_interval(fit, i);
        fit->polynomials->error = fit_error(fit);
        if (fit->polynomials->error <= ENOUGH)
            return true;
    }
    return false;
}

/* Fits all intervals of one range of margins. */
static bool fit_range(struct margin_fit *fit, struct margin_polynomials *polynomials)
{
    fit->polynomials = polynomials;
    fit->split = polynomials->split;
    fit->side = MARGIN_INTERVALS / 2;
    return fit_polynomials(fit);
}

/* ---- Floats ---------------------------------------------------------------------------------- */

/* The error of a polynomial of floats at a check, as kernels evaluate it. */
static double floats_error(const struct margin_fit *fit, const struct margin_floats *floats, int interval, int check)
{
    float x = (float)fit->points->check[check], value = floats->coefficient[0][interval], slope = 0;
    for (int i = 1; i <= floats->degree; i++) {
        slope = slope * x + value;
        value = value * x + floats->coefficient[i][interval];
    }
    const struct margin_loss found = {.value = (double)value, .slope = (double)slope / margin_per_x(fit, interval)};
    return relative_error(found, fit->exact[interval][check]);
}

/* Coefficients in floats for all intervals, and their largest error, rounding of the evaluation included. */
static void place_floats(const struct margin_fit *fit, struct margin_floats *floats)
{
    floats->error = 0;
    for (int interval = 0; interval < MARGIN_FLOAT_INTERVALS; interval++) {
        long double powers[NODES + 1];
        fit_powers(fit, interval, floats->degree, powers);
        for (int i = 0; i <= floats->degree; i++)
            floats->coefficient[floats->degree - i][interval] = (float)powers[i];
        for (int k = 0; k < CHECKS; k++)
            floats->error = fmax(floats->error, floats_error(fit, floats, interval, k));
    }
}

/* From the polynomials of doubles, which are accurate enough. */
static void fit_floats(struct margin_table *table, struct margin_fit *fit)
{
    enum { LOWEST_DEGREE = 4 };
    struct margin_floats *floats = &table->floats;
    fit->from = &table->near;
    fit->split = 2;
    fit->side = MARGIN_FLOAT_INTERVALS / 2;
    sample_function(fit);
    floats->error = INFINITY;
    floats->degree = first_degree(fit, LOWEST_DEGREE, MARGIN_FLOAT_DEGREE, ENOUGH_FLOATS);
    /* increases the degree until the error is small enough, or rounding prevents it */
    for (; floats->error > ENOUGH_FLOATS; floats->degree++) {
        place_floats(fit, floats);
        if (floats->degree == MARGIN_FLOAT_DEGREE || floats->error <= ENOUGH_FLOATS)
            break;
    }
    /* a limit of 0 disables them: the losses of float activations are then computed in doubles */
    floats->limit = floats->error <= ENOUGH_FLOATS ? (float)table->near.limit : 0;
}

/* Polynomials of degree 0 and value 0 for no margin. Other coefficients are not set: with those of t2 < 1 they are
 * 23 KiB, six pages, whose faults would be a tenth of a training on a hundred rows. */
static void clear_polynomials(struct margin_polynomials *polynomials)
{
    memset(polynomials, 0, offsetof(struct margin_polynomials, coefficient));
    memset(polynomials->coefficient[0], 0, sizeof polynomials->coefficient[0]);
}

/* No polynomials: every margin takes the exact path. Cleared in place, since a table takes 23 KiB of a stack. */
static void clear_table(struct margin_table *table, double t1, double t2)
{
    table->t1 = t1;
    table->t2 = t2;
    table->form = MARGIN_EXACT;
    clear_polynomials(&table->near);
    clear_polynomials(&table->far);
    memset(&table->floats, 0, offsetof(struct margin_floats, coefficient));
    memset(table->floats.coefficient[0], 0, sizeof table->floats.coefficient[0]);
    memset(&table->sparse, 0, offsetof(struct margin_sparse, coefficient));
}

/* `near` covers |m| < 15 with two intervals for each octave of 1 + |m|, `far` covers |m| < 255 with one. t2 = 1
 * needs no far table, as it has a formula. Polynomials in floats take as long as those in doubles, and are left out
 * where no kernel reads them. */
static void build(struct margin_table *table, double t1, double t2, bool floats)
{
    clear_table(table, t1, t2);
    table->near.split = 1;
    table->near.limit = 15;
    table->far.limit = 255;
    if (!(t2 >= 1)) {
        if (t2 >= 0 && margin_sparse_build(&table->sparse, t1, t2))
            table->form = MARGIN_SPARSE;
        return;
    }
    /* One after the other in the same memory: some threads have a stack of 128 KiB, and a fit takes 26. */
    struct chebyshev_grid points;
    struct margin_fit fit;
    fit.t1 = t1;
    fit.t2 = t2;
    fit.from = NULL;
    fit.points = &points;
    chebyshev_grid_init(&points, NODES);
    /* too inaccurate near 0: no table at all */
    if (!fit_range(&fit, &table->near))
        return;
    if (t2 == 1)
        table->form = MARGIN_SIGMOID;
    else if (fit_range(&fit, &table->far))
        table->form = MARGIN_TABLE;
    if (floats)
        fit_floats(table, &fit);
}

void margin_table_build(struct margin_table *table, double t1, double t2)
{
    build(table, t1, t2, true);
}

/* For few rows the limits of the polynomials are 0, so that all margins use the formula or the exact path. */
void margin_table_for_rows(struct margin_table *table, double t1, double t2, uint64_t rows, bool floats)
{
    const uint64_t few = t2 == 1 ? FEW_ROWS_FORMULA : t2 < 1 ? FEW_ROWS_SPARSE : FEW_ROWS_EXACT;
    if (rows > few) {
        build(table, t1, t2, floats);
        return;
    }
    clear_table(table, t1, t2);
    if (t2 == 1)
        table->form = MARGIN_SIGMOID;
}
