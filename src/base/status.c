/* status: names, texts and exit codes of the public status list, and filling of errors. */
#include "base/status.h"
#include "temper_extra.h"

#include <stdarg.h>
#include <stdio.h>

/* Indexed by the status. One list in the public header makes the enumerators and this table, so that they cannot
 * diverge. */
static const struct {
    const char *name;
    const char *text;
    int exit_code;
} statuses[] = {
#define STATUS_ROW(name, exit_code, text) {#name, text, exit_code},
    TEMPER_STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};

/* Row of the table; an invalid status is a bug of the caller, and is reported as TEMPER_BUG. */
static size_t status_row(temper_status status)
{
    size_t row = (size_t)status;
    return row < sizeof statuses / sizeof *statuses ? row : (size_t)TEMPER_BUG;
}

/* The enumerator as text, for logs and for bindings in other languages. */
const char *temper_status_name(temper_status status)
{
    return statuses[status_row(status)].name;
}

const char *temper_status_text(temper_status status)
{
    return statuses[status_row(status)].text;
}

/* Several statuses share an exit code; scripts distinguish bad usage, bad input and failures of the system by it. */
int temper_status_exit_code(temper_status status)
{
    return statuses[status_row(status)].exit_code;
}

/* Messages that exceed the buffer are truncated. Callers that quote a path or a value shorten it before
 * (path_shown), so that cause and remedy at the end still fit. */
static temper_status error_fill(temper_error *error, temper_status status, const char *format, va_list arguments)
{
    if (error) {
        error->status = status;
        vsnprintf(error->message, sizeof error->message, format, arguments);
    }
    return status;
}

/* Lines and columns count from 1, columns in bytes: what editors show for ASCII text. */
temper_status error_at(temper_error *error, temper_status status, size_t line, size_t column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_fill(error, status, format, arguments);
    va_end(arguments);
    if (error) {
        error->line = line;
        error->column = column;
    }
    return status;
}

/* Line 0 means "no place", which matters where an error structure is used again: an old place must not remain. */
temper_status error_set(temper_error *error, temper_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_fill(error, status, format, arguments);
    va_end(arguments);
    if (error)
        error->line = error->column = 0;
    return status;
}
