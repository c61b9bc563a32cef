/* chebyshev: interpolation at Chebyshev points, integration of the interpolant, conversion to powers. */
#include "kernel/loss/chebyshev.h"

#include <math.h>

/* Chebyshev nodes (zeros of T_nodes) for the interpolation; the extrema, where the interpolation error is largest,
 * for the checks. These are moved inside a little, as the ends belong to neighbouring intervals. */
void chebyshev_grid_init(struct chebyshev_grid *grid, int nodes)
{
    grid->nodes = nodes;
    for (int k = 0; k < nodes; k++)
        grid->node[k] = cos(acos(-1) * (k + 0.5) / nodes);
    for (int k = 0; k <= nodes; k++)
        grid->check[k] = 0.999999 * cos(acos(-1) * k / nodes);
    for (int m = 0; m < 4 * nodes; m++)
        grid->cosine[m] = cosl(acosl(-1) * m / (2 * nodes));
}

/* Discrete cosine transform of the samples, by its definition: there are few nodes. */
static void interpolate(const struct chebyshev_grid *grid, const double *sample, long double *series)
{
    const int nodes = grid->nodes;
    for (int j = 0; j < nodes; j++) {
        long double sum = 0;
        for (int k = 0; k < nodes; k++)
            sum += (long double)sample[k] * grid->cosine[j * (2 * k + 1) % (4 * nodes)];
        series[j] = sum * (j == 0 ? 1 : 2) / nodes;
    }
}

/* The integral of sum c_j T_j has the coefficients (c_{j-1} - c_{j+1})/(2j). */
void chebyshev_integral(const struct chebyshev_grid *grid, const double *sample, long double *series)
{
    const int nodes = grid->nodes;
    long double slope[CHEBYSHEV_MOST];
    interpolate(grid, sample, slope);
    series[0] = 0;
    for (int j = 1; j <= nodes; j++) {
        long double before = j == 1 ? 2 * slope[0] : slope[j - 1];
        long double after = j + 1 < nodes ? slope[j + 1] : 0;
        series[j] = (before - after) / (2 * j);
    }
}

/* T_{j+1} = 2x T_j - T_{j-1}. */
void chebyshev_to_powers(const long double *series, int degree, long double *powers)
{
    long double last[CHEBYSHEV_MOST + 1] = {1}, now[CHEBYSHEV_MOST + 1] = {0, 1};
    for (int i = 0; i <= CHEBYSHEV_MOST; i++)
        powers[i] = i == 0 ? series[0] : i == 1 ? series[1] : 0;
    for (int j = 2; j <= degree; j++) {
        long double next[CHEBYSHEV_MOST + 1] = {0};
        for (int i = 0; i <= j; i++)
            next[i] = (i ? 2 * now[i - 1] : 0) - last[i];
        for (int i = 0; i <= j; i++) {
            powers[i] += series[j] * next[i];
            last[i] = now[i];
            now[i] = next[i];
        }
    }
}
