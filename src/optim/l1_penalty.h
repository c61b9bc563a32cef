/* l1_penalty: the part of a function that has no gradient at 0: l1 |w_j| for the first problem->penalised numbers of w.
 *
 * The minimum-norm subgradient takes the place of the gradient: it is 0 at a minimum, and minus it is the direction of
 * steepest descent. Its entry is that of the derivative in the direction in which w_j can move. */
#ifndef OPTIM_L1_PENALTY_H
#define OPTIM_L1_PENALTY_H

#include <math.h>

#include "optim/minimise.h"

static inline bool is_penalised(const struct problem *problem, size_t j)
{
    return j < problem->penalised;
}

/* Entry j of the minimum-norm subgradient, from w_j and the derivative g of the smooth part. At w_j = 0 the
 * subdifferential is [g - l1, g + l1], and its entry nearest to 0 is g moved towards 0 by l1. */
static inline double l1_subgradient(const struct problem *problem, size_t j, double w, double g)
{
    const double l1 = problem->l1;
    if (!is_penalised(problem, j))
        return g;
    if (w != 0)
        return w > 0 ? g + l1 : g - l1;
    return g > l1 ? g - l1 : g < -l1 ? g + l1 : 0;
}

/* The norm of the gradient at w, g; with a penalty that of the minimum-norm subgradient. Infinite where the squares
 * overflow. */
double l1_gradient_norm(const struct problem *problem, const double *w, const double *g);

/* The change of the penalty from w to `to`. */
double l1_change(const struct problem *problem, const double *w, const double *to);

#endif
