/* message: what is wrong; what to do. On the standard error, a line each. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "temper.h"

/* Each returns the status, so that a failure is one line:
 *     return complain(TEMPER_USAGE, "--%s needs a value; give %s", name, wanted); */
temper_status complain(temper_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
temper_status complain_error(const temper_error *error);
temper_status complain_no_memory(void);

/* Something that the user should know and that stops nothing. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What was assumed, and the like; for who wants to know. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
