/* interrupt: Ctrl-C and SIGTERM while there is something to save. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include "temper.h"

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
