/* penalty_path: which fits of a search start from the solution of the next stronger penalty (a warm start). */
#ifndef SEARCH_PENALTY_PATH_H
#define SEARCH_PENALTY_PATH_H

#include "search/crossval.h"

/* How many fits should be independent of each other: enough for a few threads, or for a pass that serves several fits.
 * Measured on paths of 100 penalties: more segments take more iterations, fewer leave passes half empty. Not the number
 * of threads at hand, on which results must not depend. */
enum { INDEPENDENT_FITS = 8 };

/* Sets segment[i], for i < count, to the first entry of which[] that is in the same segment as entry i. In a segment
 * every fit starts from the one before it, the first from zero. Segments have more than one candidate only for a convex
 * loss with many penalties: it has one optimum, so that the start changes the time only. `parts` is the number of fits
 * of a candidate, `at_once` how many fits should be independent of each other. */
void penalty_segments(const temper_tune_candidate *table, const size_t *which, size_t count, size_t parts,
                      size_t at_once, size_t *segment);

#endif
