/* status: an error is a status, a place (line, column) and a sentence; every failing call fills one. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include "temper.h"

/* Fills *error (if there is one) and returns the status, so that a failure is one line:
 *     return error_at(error, TEMPER_BAD_DATA, line, column, "value '%s' is not finite", token); */
temper_status error_at(temper_error *error, temper_status status, size_t line, size_t column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The same without a place. */
temper_status error_set(temper_error *error, temper_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Inline, so that static analysers see that the result is not TEMPER_OK. */
static inline temper_status error_no_memory(temper_error *error)
{
    error_set(error, TEMPER_NO_MEMORY, "out of memory");
    return TEMPER_NO_MEMORY;
}

/* Returns from the calling function with the status of `call`, unless that is TEMPER_OK. For functions that have
 * nothing to free at that point. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        temper_status try_status = (call);                                                                             \
        if (try_status != TEMPER_OK)                                                                                   \
            return try_status;                                                                                         \
    } while (0)

#endif
