/* progress: where a training is, on the standard error. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "temper.h"

/* Begins as zeros but for what is asked for. */
struct progress {
    bool line; /* one line that changes; for a terminal */
    bool log;  /* a line for each iteration */
    bool bold; /* the line has some; see NO_COLOR */
    size_t columns;
    size_t shown; /* columns that the line takes now */
    double drawn; /* when that was */
    bool moving;  /* some iteration was seen: */
    size_t last;  /* the last one; and where this phase began: */
    size_t first;
    double begun;  /* seconds */
    double height; /* logarithm of the gradient */
};

/* What to show: nothing if quiet, each iteration if verbose, else a line on a terminal. */
void progress_begin(struct progress *progress, bool quiet, bool verbose);
/* A temper_progress_fn, with a struct progress as its context; it stops for interrupt_noted. */
int progress_follow(void *context, const temper_progress *now);
/* The same for a temper_tune_progress_fn. */
int progress_follow_tuning(void *context, const temper_tune_progress *now);
/* Erases the line. */
void progress_end(struct progress *progress);

/* Seconds that are left, by how the logarithm of the gradient has fallen and by the limit of
 * iterations; NAN if nothing can be said yet. */
double progress_left(const struct progress *progress, const temper_progress *now);

#endif
