/* message: prints errors, warnings and notes on the standard error, each on one line that begins with "temper:". */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/display/display_width.h"
#include "process_group.h"

/* Longer messages are truncated; a buffer on the stack works even when memory is exhausted. */
enum { LINE_LENGTH = 1024 };

/* NO_COLOR counts with any value that is not empty (https://no-color.org). */
bool messages_have_colours(void)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return !(no_color && *no_color) && terminal && *terminal && strcmp(terminal, "dumb") != 0 &&
           isatty(STDERR_FILENO) == 1;
}

/* The kinds of lines, with what they begin with and its colour on a terminal (ECMA-48): bold red, bold yellow, cyan. */
enum line_kind { LINE_ERROR, LINE_WARNING, LINE_NOTE };
static const struct {
    const char *words, *colour;
} line_kinds[] = {[LINE_ERROR] = {"temper:", "\033[1;31m"},
                  [LINE_WARNING] = {"temper: warning:", "\033[1;33m"},
                  [LINE_NOTE] = {"temper: note:", "\033[36m"}};

/* Formats and prints one line by a single call of fprintf, so that lines of several processes do not mix. Under
 * MPI an error may have to be kept until it is known which process failed first. */
static void print_line(enum line_kind kind, const char *format, va_list arguments)
{
    char line[LINE_LENGTH];
    /* Formatted before the check, because a kept error is stored as text. */
    vsnprintf(line, sizeof line, format, arguments);
    /* Messages quote file names and cells of data. */
    line[display_mask_controls(line, strlen(line), false)] = '\0';
    if (process_group_keeps(line, kind == LINE_ERROR))
        return;
    bool coloured = messages_have_colours();
    fprintf(stderr, "%s%s%s %s\n", coloured ? line_kinds[kind].colour : "", line_kinds[kind].words,
            coloured ? "\033[0m" : "", line);
}

/* The status is returned so that a failure is one statement in the caller. */
temper_status fail(temper_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(LINE_ERROR, format, arguments);
    va_end(arguments);
    return status;
}

/* The library's message already has the fault, its place and the remedy; it is data here and not a format. */
temper_status fail_with(const temper_error *error)
{
    return fail(error->status, "%s", error->message);
}

/* Must not allocate: the message is a constant. */
temper_status fail_no_memory(void)
{
    return fail(TEMPER_NO_MEMORY, "out of memory; close other programs, or use less data");
}

/* Warnings are printed even with --quiet; notes are not, which their callers decide. */
void warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(LINE_WARNING, format, arguments);
    va_end(arguments);
}

/* For information that needs no reaction. */
void note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(LINE_NOTE, format, arguments);
    va_end(arguments);
}
