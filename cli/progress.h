/* progress: a status line or a log of the iterations on the standard error, and the signals that stop them. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "temper.h"

struct progress_line {
    bool line; /* one line that is redrawn, for a terminal */
    bool log;  /* a line for each iteration */
    bool bold; /* the name of the phase is bold; see NO_COLOR */
    size_t columns;
    size_t shown; /* columns that the line takes now */
    double drawn; /* seconds at the last redraw */
    /* Where the current phase began, to estimate the time left. */
    bool started;       /* some iteration was reported */
    size_t last, first; /* iterations */
    double begun;       /* seconds */
    double log_gradient;
};

/* What is shown: nothing if quiet, each iteration if verbose, otherwise a line on a terminal. */
void progress_begin(struct progress_line *progress, bool quiet, bool verbose);
/* A temper_train_progress_fn whose context is a struct progress_line; it stops the training after a signal. */
int progress_follow(void *context, const temper_train_progress *now);
/* The same as a temper_tune_progress_fn. */
int progress_follow_tuning(void *context, const temper_tune_progress *now);
/* Erases the line. */
void progress_end(struct progress_line *progress);
/* Draws `name` (bold, where the terminal has it) and `text` over the previous line, at most ten times a second. */
void progress_draw(struct progress_line *progress, const char *name, const char *text, double seconds);
bool progress_is_due(const struct progress_line *progress, double seconds);

/* A monotonic clock, in seconds. */
double seconds_now(void);

/* ---- Signals --------------------------------------------------------------------------------- */

/* From now on SIGINT and SIGTERM end the program at once with 130 or 143: nothing has begun yet. */
void interrupt_prepare(void);
/* From now on the first signal is only recorded, so that the command can stop and save; a second one ends the program
 * at once. */
void interrupt_defer(void);
/* Whether a signal has been recorded. */
int interrupt_noted(void);

/* The reader of the standard output has closed it, as 'head' does: the program ends as if by SIGPIPE, with 141 and
 * without a message. Returns TEMPER_INTERRUPTED. */
temper_status interrupt_by_reader(void);

/* Exit codes beyond the list of statuses, which has 130 only. */
enum { INTERRUPT_TERMINATED = 143, INTERRUPT_BY_READER = 141 };
/* The exit code of the status, or of the signal that has led to it. */
int interrupt_exit_code(temper_status status);

#endif
