/* progress: a status line or a log of the iterations, and the signals that stop them. */
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
/* A temper_train_progress_fn, with a struct progress as its context; it stops for interrupt_noted. */
int progress_follow(void *context, const temper_train_progress *now);
/* The same for a temper_tune_progress_fn. */
int progress_follow_tuning(void *context, const temper_tune_progress *now);
/* Erases the line. */
void progress_end(struct progress *progress);

/* Seconds that are left, by how the logarithm of the gradient has fallen and by the limit of
 * iterations; NAN if nothing can be said yet. */
double progress_left(const struct progress *progress, const temper_train_progress *now);

/* From now on a signal ends the program with 130 or 143, at once: nothing is begun yet. */
void interrupt_prepare(void);
/* From now on the first signal is only noted, for the command to stop in order; a second one ends
 * the program at once. */
void interrupt_defer(void);
/* Whether one has been noted. */
int interrupt_noted(void);

/* The reader of the standard output has seen enough, as 'head' does: the program ends as if by
 * SIGPIPE, with 141 and without a word. Returns TEMPER_INTERRUPTED. */
temper_status interrupt_by_reader(void);

/* Not in the list of statuses, which knows of 130 only. */
enum { INTERRUPT_TERMINATED = 143, INTERRUPT_BY_READER = 141 };
/* That of the status, or of the signal that has led to it. */
int interrupt_exit_code(temper_status status);

#endif
