/* lbfgs_history: the last steps of L-BFGS, and the approximation of the inverse Hessian that they define.
 *
 * A pair is a step s and the change y of the gradient along it. They are stored in a ring buffer in the memory of the
 * solver: each as s, y and 1/(s'y), the counters in its head. */
#ifndef OPTIM_LBFGS_HISTORY_H
#define OPTIM_LBFGS_HISTORY_H

#include "optim/solver_state.h"

struct lbfgs_history {
    struct solver_state *state;
    size_t limit;   /* pairs at most */
    double *weight; /* alpha of each pair, from the first loop to the second */
    double sy;      /* of the pair that is being added */
};

/* How many pairs are kept of vectors of that size, unless the options specify it; and the doubles that they need in the
 * memory and beside it, false if that overflows. */
size_t lbfgs_history_limit(size_t size, const struct optim_options *options);
bool lbfgs_history_workspace(size_t size, size_t limit, struct solver_workspace *room);
void lbfgs_history_clear(const struct lbfgs_history *pairs);
/* Whether the pairs of a memory that was handed in are consistent. */
bool lbfgs_history_is_valid(const struct lbfgs_history *pairs);

/* The two-loop recursion (Nocedal 1980): d becomes the inverse Hessian times d. The preconditioner M^-1, where there is
 * one, is applied to d between the loops; gamma M^-1 is the inverse Hessian that the pairs update. */
void lbfgs_history_first_loop(const struct lbfgs_history *pairs, double *d);
void lbfgs_history_second_loop(const struct lbfgs_history *pairs, double gamma, double *d);

/* The step from state->w to state->trial becomes a pair. First s and y are computed; false if their curvature s'y is
 * not clearly positive. Then, with M^-1 y, the pair is completed. */
bool lbfgs_history_begin(struct lbfgs_history *pairs, double *s, double *y);
void lbfgs_history_complete(const struct lbfgs_history *pairs, const double *preconditioned_y);

/* Adds shift |w|^2 / 2 over the first `penalised` numbers to the function that the pairs are of: y += shift s there,
 * which is exact. Without a preconditioner. All pairs are dropped if one has no positive curvature then. */
void lbfgs_history_shift(const struct lbfgs_history *pairs, double shift, size_t penalised);

#endif
