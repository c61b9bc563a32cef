/* pairs: what L-BFGS remembers of its last steps, and the inverse Hessian that it makes of them.
 *
 * A pair is a step s and the change y of the gradient on it. They are a ring in the memory of the
 * run: each as s, y and 1/(s'y), the counters in its head. */
#ifndef OPTIM_LBFGS_HISTORY_H
#define OPTIM_LBFGS_HISTORY_H

#include "optim/solver_state.h"

struct lbfgs_history {
    struct solver_state *run;
    size_t limit;   /* how many there may be */
    double *weight; /* of each, between the two loops */
    double sy;      /* of the pair that is being added */
};

/* How many are kept of vectors of that size, unless the options say; and the room that they need
 * in the memory and beside it; false if it is too much for any computer. */
size_t lbfgs_history_limit(size_t size, const struct optim_options *options);
bool lbfgs_history_room(size_t size, size_t limit, struct optim_room *room);
void lbfgs_history_forget(const struct lbfgs_history *pairs);
/* Whether those of a memory that was handed in make sense. */
bool lbfgs_history_sound(const struct lbfgs_history *pairs);

/* d becomes the inverse Hessian times d: the two loops. The metric M^-1, where there is one, is
 * applied to d between them. */
void lbfgs_history_first_loop(const struct lbfgs_history *pairs, double *d);
void lbfgs_history_second_loop(const struct lbfgs_history *pairs, double *d);

/* The step from run->w to run->trial becomes a pair. First s and y are found; false if they say
 * nothing of the curvature. Then, with y as the metric made it, the pair is complete. */
bool lbfgs_history_begin(struct lbfgs_history *pairs, double *s, double *y);
void lbfgs_history_complete(const struct lbfgs_history *pairs, const double *metric_y);

#endif
