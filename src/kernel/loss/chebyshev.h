/* chebyshev: interpolation at Chebyshev points, for the polynomials of the margin tables. */
#ifndef KERNEL_CHEBYSHEV_H
#define KERNEL_CHEBYSHEV_H

/* The largest number of nodes, which is the largest degree of an integrated interpolant. */
enum { CHEBYSHEV_MOST = 21 };

/* Positions in [-1, 1] at which functions are sampled: nodes for the interpolation, one more check between and beside
 * them; and cos(pi m / (2 nodes)), which gives all T_j at node k, m = j (2k + 1). */
struct chebyshev_grid {
    int nodes;
    double node[CHEBYSHEV_MOST], check[CHEBYSHEV_MOST + 1];
    long double cosine[4 * CHEBYSHEV_MOST]; /* a whole turn */
};

void chebyshev_grid_init(struct chebyshev_grid *grid, int nodes);

/* series[0 .. nodes]: coefficients of T_j of the integral of the function with these values at the nodes; that of T_0
 * is 0. In long double, as the conversion to powers of x amplifies rounding errors. */
void chebyshev_integral(const struct chebyshev_grid *grid, const double *sample, long double *series);

/* powers[0 .. CHEBYSHEV_MOST]: the terms of the series up to T_degree as powers of x. */
void chebyshev_to_powers(const long double *series, int degree, long double *powers);

#endif
