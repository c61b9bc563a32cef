/* fits_batched: many two-class fits in step, and how many of them there are at a time. */
#ifndef SEARCH_FITS_BATCHED_H
#define SEARCH_FITS_BATCHED_H

#include "search/many_fits.h"

/* The number of solvers in progress, of solver_bytes each, and of score vectors for fits that have ended. */
struct fit_slots {
    size_t solvers, scores;
    double solver_bytes;
};
struct fit_slots fit_slots_for(const struct dataset *data, size_t size, size_t fits);

#endif
