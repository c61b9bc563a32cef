/* pairs: what L-BFGS remembers of its last steps, and the inverse Hessian that it makes of them.
 *
 * A pair is a step s and the change y of the gradient on it. They are a ring in the memory of the
 * run: each as s, y and 1/(s'y), the counters in its head. */
#ifndef OPTIM_LBFGS_HISTORY_H
#define OPTIM_LBFGS_HISTORY_H

#include "optim/solver_state.h"

struct pairs {
    struct optim_run *run;
    size_t limit;   /* how many there may be */
    double *weight; /* of each, between the two loops */
    double sy;      /* of the pair that is being added */
};

/* How many are kept of vectors of that size, unless the options say; and the room that they need
 * in the memory and beside it; false if it is too much for any computer. */
size_t pairs_limit(size_t size, const struct optim_options *options);
bool pairs_room(size_t size, size_t limit, struct optim_room *room);
void pairs_forget(const struct pairs *pairs);
/* Whether those of a memory that was handed in make sense. */
bool pairs_sound(const struct pairs *pairs);

/* d becomes the inverse Hessian times d: the two loops. The metric M^-1, where there is one, is
 * applied to d between them. */
void pairs_first_loop(const struct pairs *pairs, double *d);
void pairs_second_loop(const struct pairs *pairs, double *d);

/* The step from run->w to run->trial becomes a pair. First s and y are found; false if they say
 * nothing of the curvature. Then, with y as the metric made it, the pair is complete. */
bool pairs_begin(struct pairs *pairs, double *s, double *y);
void pairs_complete(const struct pairs *pairs, const double *metric_y);

#endif
