/* region: the smallest value of a quadratic function within a ball, for a dense matrix. */
#ifndef OPTIM_TRUST_REGION_DENSE_H
#define OPTIM_TRUST_REGION_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/* Minimises g's + s'Hs/2 over |s| <= radius (within a tenth of it). H may be anything symmetric. */
struct trust_region {
    size_t n;
    const double *h; /* lower triangle, row by row */
    const double *g;
    double radius;
    double *s;      /* the answer */
    double *factor; /* n x n; spoilt */
    double *z;      /* n; spoilt */
};

/* True if s lies on the edge. */
bool trust_region_solve(const struct trust_region *region);

/* s'Hs, from the lower triangle. */
double trust_region_curvature(const double *h, const double *s, size_t n);

#endif
