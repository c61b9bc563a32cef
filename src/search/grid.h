/* grid: the candidates among which tuning chooses. */
#ifndef SEARCH_GRID_H
#define SEARCH_GRID_H

#include <stdbool.h>

#include "base/status.h"

/* Temperatures of the reference, by which the rule CV+C judges the labels. */
#define REFERENCE_T1 0.1
#define REFERENCE_T2 1.12

struct candidate_grid {
    temper_tune_candidate *table; /* by loss, then by falling l2 and l1; all measures NAN */
    size_t count;
    char note[256]; /* "", or a sentence that the user should read */
};

/* The grid of a text as described in temper.h (temper_tune_options.grid), for data of so many rows; NULL: the default
 * grid. */
temper_status grid_parse(const char *text, double default_l2, uint64_t rows, struct candidate_grid *out,
                         temper_error *error);
void grid_free(struct candidate_grid *grid);

#endif
