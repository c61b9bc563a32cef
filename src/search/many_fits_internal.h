/* fits_inside: the two ways to do many fits. */
#ifndef SEARCH_MANY_FITS_INTERNAL_H
#define SEARCH_MANY_FITS_INTERNAL_H

#include "search/many_fits.h"

/* Each for itself, several at a time. Any data, any loss. */
temper_status fits_separate(const struct fits_job *job, bool *finished, temper_error *error);

/* In step: one pass over the rows serves all of them. For two classes on dense rows. */
/* Whether the solver that is asked for can do many at once. */
bool fits_solver_batches(const struct fits_job *job);
bool fits_can_batch(const struct fits_job *job);
temper_status fits_batched(const struct fits_job *job, bool *finished, temper_error *error);

#endif
