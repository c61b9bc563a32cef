/* reference: the paper's own solvers of G_t and a bracketing one, to hold the fast one to. */
#ifndef TEMPERED_PAPER_SOLVERS_H
#define TEMPERED_PAPER_SOLVERS_H

#include <stdbool.h>
#include <stddef.h>

struct iterations {
    size_t updates;
    bool converged;
};

/* How long a fixed point is followed: to a relative change of `tolerance`, or `limit` times. */
struct patience {
    double tolerance;
    size_t limit;
};

/* Algorithms 1 and 2 of the paper; t > 1, NaN otherwise. The largest activation has to be finite,
 * here and below: else NaN too. */
double algorithm1(const double *a, size_t n, double t, struct patience patience, struct iterations *iterations);
double algorithm2(double a, double t, struct patience patience, struct iterations *iterations);

/* Bisection on lambda in [0, (n^(t-1) - 1)/(t-1)]; every t >= 0. */
double bisection(const double *a, size_t n, double t, struct iterations *iterations);

#endif
