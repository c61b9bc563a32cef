/* message: prints errors, warnings and notes on the standard error, each on one line that begins with "temper:". */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

#include "process_group.h"

/* Longer messages are truncated; a buffer on the stack works even when memory is exhausted. */
enum { LINE_LENGTH = 1024 };

/* Replaces control characters by "?": messages quote file names and cells of data, and an escape sequence in these must
 * not reach the terminal. UTF-8 passes, because its bytes are above 127. */
static void replace_controls(char *line)
{
    for (; *line; line++)
        if ((unsigned char)*line < ' ' || *line == 127)
            *line = '?';
}

/* Formats and prints one line by a single call of fprintf, so that lines of several processes do not mix. The kind ""
 * means an error, which under MPI may have to be kept until it is known which process failed first. */
static void print_line(const char *kind, const char *format, va_list arguments)
{
    char line[LINE_LENGTH];
    /* Formatted before the check, because a kept error is stored as text. */
    vsnprintf(line, sizeof line, format, arguments);
    replace_controls(line);
    if (process_group_keeps(line, *kind == '\0'))
        return;
    fprintf(stderr, "temper: %s%s\n", kind, line);
}

/* The status is returned so that a failure is one statement in the caller. */
temper_status fail(temper_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("", format, arguments);
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
    print_line("warning: ", format, arguments);
    va_end(arguments);
}

/* For information that needs no reaction. */
void note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("note: ", format, arguments);
    va_end(arguments);
}
