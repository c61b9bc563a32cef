/* l1_model: the minimum of a quadratic function plus an L1 penalty in a box, by coordinate descent.
 *
 *     m(x) = g'(x - w) + (x - w)'H(x - w) / 2 + sum_j l1_j |x_j|,  |x_j - w_j| <= box_j
 *
 * H may be anything symmetric: the box bounds directions of negative curvature. */
#ifndef OPTIM_L1_MODEL_H
#define OPTIM_L1_MODEL_H

#include <stdbool.h>
#include <stddef.h>

struct l1_model {
    size_t n;
    const double *h;   /* n x n, both triangles */
    const double *w;   /* the centre of the box */
    const double *l1;  /* of each number */
    const double *box; /* half of its width, for each number */
    double *x;         /* begins at any point of the box; ends at the minimum */
    double *r;         /* the gradient of the quadratic part at x: g if x = w at the beginning */
};

/* Sweeps until the entries of the model's minimum-norm subgradient, as they were before the update of each number, have
 * a norm of at most `tolerance`, or `sweeps` are over. Every update decreases m. Returns whether the tolerance was
 * reached. */
bool l1_model_minimise(const struct l1_model *model, double tolerance, size_t sweeps);

/* Makes H from its lower triangle. */
void l1_model_mirror(double *h, size_t n);

#endif
