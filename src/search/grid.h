/* grid: the candidates among which tuning chooses. */
#ifndef SEARCH_GRID_H
#define SEARCH_GRID_H

#include <stdbool.h>

#include "base/status.h"

/* Temperatures of the reference, which CV+C asks about the labels, and of logistic regression. */
#define REFERENCE_T1 0.1
#define REFERENCE_T2 1.12

struct grid {
    temper_tune_candidate *table; /* by loss, then by falling l2; nothing known of them yet */
    size_t count;
    char note[256]; /* "", or a sentence that the user should read */
};

/* The text as temper.h says (temper_tune_options.grid); NULL: the default. */
temper_status grid_parse(const char *text, double default_l2, struct grid *out, temper_error *error);
void grid_free(struct grid *grid);

#endif
