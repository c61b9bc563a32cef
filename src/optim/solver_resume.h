/* resume: takes up a run from the memory of an earlier one. */
#ifndef OPTIM_SOLVER_RESUME_H
#define OPTIM_SOLVER_RESUME_H

#include "optim/solver_state.h"

/* run->memory becomes a copy of options->memory, and run->trial its w, which is to be evaluated.
 * `sound` tells whether the method's own numbers make sense. TEMPER_BAD_DATA if it is not the
 * memory of such a run. */
temper_status solver_restore(struct solver_state *run, enum optim_kind kind, bool (*sound)(const void *self),
                             const void *self);
/* The trial was evaluated: the problem stands at its w again. TEMPER_BAD_DATA if it was another
 * problem's. */
temper_status solver_resume(struct solver_state *run);

#endif
