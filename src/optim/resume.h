/* resume: takes up a run from the memory of an earlier one. */
#ifndef OPTIM_RESUME_H
#define OPTIM_RESUME_H

#include "optim/run.h"

/* run->memory becomes a copy of options->memory, and the problem stands at its w again.
 * TEMPER_BAD_DATA if it is not the memory of such a run. */
temper_status run_resume(struct optim_run *run, const struct optim_method *method,
                         const void *self);

#endif
