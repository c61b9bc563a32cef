/* message: errors, warnings and notes on the standard error, one line each. An error states the fault, then the
 * remedy. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <stdbool.h>

#include "temper.h"

/* Each prints an error and returns its status, so that a failure is one statement:
 *     return fail(TEMPER_USAGE, "--%s needs a value; give %s", name, wanted); */
temper_status fail(temper_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
temper_status fail_with(const temper_error *error); /* an error of the library */
temper_status fail_no_memory(void);

/* Prints the error of a library call that has failed: return checked(temper_model_load(path, &model, &error), &error);
 */
static inline temper_status checked(temper_status status, const temper_error *error)
{
    if (status != TEMPER_OK)
        fail_with(error);
    return status; /* the call's own, whatever the error has */
}

/* Something that the user should know and that stops nothing. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What was assumed, and the like; --quiet suppresses it. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether lines on the standard error may have colours: it is a terminal that knows them, and NO_COLOR is not set. */
bool messages_have_colours(void);

#endif
