/* margin_sparse: fits the polynomials of a margin table for t2 < 1.
 *
 * As in margin_table.c the slope is interpolated at Chebyshev points and integrated. The functions are powers of the
 * gap to the edge of support there, so that intervals of half an octave have the same error at every scale; those
 * next to the edge are left to the exact path. */
#include <math.h>
#include <string.h>

#include "kernel/loss/chebyshev.h"
#include "kernel/loss/margin.h"
#include "tempered/losses.h"
#include "tempered/sparse_pair.h"

enum {
    NODES = MARGIN_SPARSE_DEGREE,
    OCTAVES = 20, /* of the gap: at most a millionth of the support takes the exact path for want of intervals */
};

/* Of the bounds of margin.h, 1e-12 and 1e-10. */
static const double ENOUGH = 8e-13, ENOUGH_CURVATURE = 8e-11;

/* Above this edge (t2 > 0.9997) there are too few intervals. */
static const double LARGEST_EDGE = 4096;

/* Below this edge the bits of the gap give intervals that are small enough also around margin 0. */
static const double CENTRAL_EDGE = 8;

/* One interval of one sign. */
struct sparse_cell {
    double t1, t2, edge;
    double sign;         /* of the margins */
    bool central;        /* z is 1 + |m|; else it is the gap */
    double middle, half; /* of the interval of z */
};

/* The exact functions at x in [-1, 1] of the interval. Next to the edge by the gap, as the margin has not the digits.
 */
static struct margin_loss cell_loss(const struct sparse_cell *cell, double x)
{
    double z = cell->middle + cell->half * x;
    if (cell->central)
        return tempered_margin_loss(cell->sign * (z - 1), cell->t1, cell->t2);
    if (z > cell->edge / 2) /* the interval may extend beyond margin 0 */
        return tempered_margin_loss(cell->sign * (cell->edge - z), cell->t1, cell->t2);
    return tempered_gap_loss(z, cell->sign, cell->t1, cell->t2);
}

/* d margin / dx */
static double cell_width(const struct sparse_cell *cell)
{
    return cell->central ? cell->sign * cell->half : -cell->sign * cell->half;
}

/* Coefficients of one interval: up to `degree`, lowest power first. */
struct cell_fit {
    struct margin_loss exact[NODES + 1]; /* where it is checked */
    long double series[NODES + 1];
    double middle; /* the value there, which integration leaves open */
};

static void sample_cell(const struct sparse_cell *cell, const struct chebyshev_grid *grid, struct cell_fit *fit)
{
    double slope[NODES];
    for (int k = 0; k < NODES; k++)
        slope[k] = cell_loss(cell, grid->node[k]).slope * cell_width(cell);
    for (int k = 0; k <= NODES; k++)
        fit->exact[k] = cell_loss(cell, grid->check[k]);
    fit->middle = cell_loss(cell, 0).value;
    chebyshev_integral(grid, slope, fit->series);
}

/* Value, slope and curvature by the polynomial at x. */
static struct margin_loss cell_polynomial(const struct sparse_cell *cell, const double *coefficient, int degree,
                                          double x)
{
    double value = coefficient[degree], slope = 0, half_curvature = 0, width = cell_width(cell);
    for (int i = degree - 1; i >= 0; i--) {
        half_curvature = half_curvature * x + slope;
        slope = slope * x + value;
        value = value * x + coefficient[i];
    }
    return (struct margin_loss){value, slope / width, 2 * half_curvature / (width * width)};
}

/* Are all results at a check within the bounds? False for NaN. */
static bool close_enough(struct margin_loss found, struct margin_loss exact)
{
    double size = fmax(1, fabs(exact.value)), curved = fmax(size, fabs(exact.curvature));
    return fabs(found.value - exact.value) <= ENOUGH * size && fabs(found.slope - exact.slope) <= ENOUGH * size &&
           fabs(found.curvature - exact.curvature) <= ENOUGH_CURVATURE * curved;
}

/* Fits one interval with at least *degree, which grows where the error demands it; false if no degree suffices. */
static bool fit_cell(const struct sparse_cell *cell, const struct chebyshev_grid *grid, int *degree,
                     double *coefficient)
{
    struct cell_fit fit;
    sample_cell(cell, grid, &fit);
    for (int most = *degree; most <= NODES; most++) {
        long double powers[CHEBYSHEV_MOST + 1];
        bool close = true;
        chebyshev_to_powers(fit.series, most, powers);
        for (int i = 0; i <= most; i++)
            coefficient[i] = i == 0 ? fit.middle : (double)powers[i];
        for (int k = 0; k <= NODES && close; k++)
            close = close_enough(cell_polynomial(cell, coefficient, most, grid->check[k]), fit.exact[k]);
        if (close) {
            /* An attempt with other intervals may have left higher powers, which a later interval may bring into use.
             */
            memset(coefficient + most + 1, 0, (size_t)(NODES - most) * sizeof *coefficient);
            *degree = most;
            return true;
        }
    }
    return false;
}

/* The interval of z that is cell `index` of margin_half_octave. */
static void set_range(struct sparse_cell *cell, int64_t index)
{
    int64_t from = index << 51, to = (index + 1) << 51;
    double begin, end;
    memcpy(&begin, &from, sizeof begin);
    memcpy(&end, &to, sizeof end);
    cell->middle = (begin + end) / 2;
    cell->half = (end - begin) / 2;
}

/* All intervals of one sign: the central ones must succeed, the others end where the first fails. */
static bool fit_side(struct margin_sparse *sparse, const struct chebyshev_grid *grid, struct sparse_cell cell)
{
    const int negative = cell.sign < 0;
    const int64_t one = margin_half_octave(1),
                  inner = sparse->central > 0 ? margin_half_octave(1 + sparse->central) - one + 1 : 0;
    double(*coefficient)[MARGIN_SPARSE_DEGREE + 1] = sparse->coefficient + negative * MARGIN_SPARSE_SIDE;
    cell.central = true;
    for (int64_t i = 0; i < inner; i++) {
        set_range(&cell, one + i);
        if (!fit_cell(&cell, grid, &sparse->degree, coefficient[i]))
            return false;
    }
    cell.central = false;
    for (int64_t i = inner; i < MARGIN_SPARSE_SIDE && i < inner + 2 * OCTAVES; i++) {
        set_range(&cell, sparse->first_cell - i);
        if (!fit_cell(&cell, grid, &sparse->degree, coefficient[i]))
            break;
        sparse->smallest[negative] = cell.middle - cell.half;
    }
    /* beyond margin 0 at least, or the table is useless */
    return sparse->smallest[negative] < cell.edge / 4;
}

/* Both signs, with the bits of 1 + |m| below the margin `central`. */
static bool fit_both(struct margin_sparse *sparse, const struct chebyshev_grid *grid, double central, double t1,
                     double t2)
{
    struct sparse_cell cell = {.t1 = t1, .t2 = t2, .edge = sparse->edge, .sign = 1};
    /* the largest gap that is not central */
    const int64_t top = margin_half_octave((sparse->edge - central) + sparse->edge_low), one = margin_half_octave(1);
    sparse->central = central;
    sparse->first_cell = top + (central > 0 ? margin_half_octave(1 + central) - one + 1 : 0);
    sparse->smallest[0] = sparse->smallest[1] = sparse->edge;
    if (!fit_side(sparse, grid, cell))
        return false;
    cell.sign = -1;
    return fit_side(sparse, grid, cell);
}

/* The intervals next to the change from 1 + |m| to the gap are only used in part, and may extend too far on the other
 * side: then another place of the change is tried. */
bool margin_sparse_build(struct margin_sparse *sparse, double t1, double t2)
{
    static const double shares[] = {0.5, 0.625, 0.4375};
    const struct support_edge edge = support_edge(t2);
    struct chebyshev_grid grid;
    if (!(edge.high <= LARGEST_EDGE))
        return false;
    *sparse = (struct margin_sparse){.edge = edge.high, .edge_low = edge.low, .degree = 1};
    for (int k = 0; k < 2; k++)
        sparse->outside[k] = tempered_margin_loss(k ? -2 * edge.high : 2 * edge.high, t1, t2).value;
    chebyshev_grid_init(&grid, NODES);
    if (edge.high < CENTRAL_EDGE)
        return fit_both(sparse, &grid, 0, t1, t2);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (fit_both(sparse, &grid, shares[i] * edge.high, t1, t2))
            return true;
    return false;
}
