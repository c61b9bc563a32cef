/* orthant: one iteration on the face of the orthant that the minimum-norm subgradient points into, where an L1 penalty
 * is linear.
 *
 * Numbers that are 0 and whose subgradient is 0 stay 0. The others move along a direction that takes the penalty for a
 * linear function; those that would change their sign become 0 (Andrew and Gao 2007, "Scalable training of
 * L1-regularized log-linear models"; Byrd, Chin, Nocedal and Oztoprak 2012 for Newton directions). */
#ifndef OPTIM_ORTHANT_H
#define OPTIM_ORTHANT_H

#include "optim/lbfgs_history.h"
#include "optim/solver_state.h"

struct orthant {
    struct solver_state *state;
    struct lbfgs_history *pairs; /* NULL: directions by conjugate gradients with problem->multiply */
    /* Vectors of the size of w, in the scratch space of the minimiser: */
    double *subgradient, *direction;
    double *residual, *search, *product; /* conjugate gradients; of L-BFGS `product` is y */
    double slope;                        /* subgradient' direction */
};

enum { ORTHANT_VECTORS = 5 };

/* Divides ORTHANT_VECTORS vectors among the above. */
void orthant_lay_out(struct orthant *self, struct solver_state *state, double *scratch);
/* See struct optim_method. */
temper_status orthant_iterate(struct orthant *self, bool *moved);

#endif
