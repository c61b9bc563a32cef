/* message: prints errors, warnings and notes. */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

#include "process_group.h"

enum { LINE_LENGTH = 1024 };

/* Replaces control characters: messages quote what the user typed, which must not control the terminal. */
static void replace_controls(char *line)
{
    for (; *line; line++)
        if ((unsigned char)*line < ' ' || *line == 127)
            *line = '?';
}

/* One call of fprintf, so that lines of two processes do not mix. */
static void print_line(const char *kind, const char *format, va_list arguments)
{
    char line[LINE_LENGTH];
    vsnprintf(line, sizeof line, format, arguments);
    replace_controls(line);
    if (process_group_keeps(line, *kind == '\0'))
        return;
    fprintf(stderr, "temper: %s%s\n", kind, line);
}

temper_status fail(temper_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("", format, arguments);
    va_end(arguments);
    return status;
}

/* The library's message already has the fault, its place and the remedy. */
temper_status fail_with(const temper_error *error)
{
    return fail(error->status, "%s", error->message);
}

temper_status fail_no_memory(void)
{
    return fail(TEMPER_NO_MEMORY, "out of memory; close other programs, or use less data");
}

void warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("warning: ", format, arguments);
    va_end(arguments);
}

void note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("note: ", format, arguments);
    va_end(arguments);
}
