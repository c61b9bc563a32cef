/* paper_solvers: the paper's solvers of G_t and bisection, as references for log_partition. */
#ifndef TEMPERED_PAPER_SOLVERS_H
#define TEMPERED_PAPER_SOLVERS_H

#include <stdbool.h>
#include <stddef.h>

/* What a solver did. */
struct iterations {
    size_t updates;
    bool converged;
};

/* When a fixed-point iteration stops: at a relative change of `tolerance`, or after `limit` updates. */
struct stop_rule {
    double tolerance;
    size_t limit;
};

/* Algorithms 1 and 2 of the paper; t > 1, NaN otherwise. The largest activation has to be finite,
 * here and below: else NaN too. */
double algorithm1(const double *a, size_t n, double t, struct stop_rule rule, struct iterations *iterations);
double algorithm2(double a, double t, struct stop_rule rule, struct iterations *iterations);

/* Bisection on lambda in [0, (n^(t-1) - 1)/(t-1)]; every t >= 0. */
double bisection(const double *a, size_t n, double t, struct iterations *iterations);

#endif
