/* message: complaints and warnings. */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

#include "process_group.h"

enum { LINE_LENGTH = 1024 };

/* What the user typed is quoted in messages, and must not play with the terminal. */
static void make_harmless(char *line)
{
    for (; *line; line++)
        if ((unsigned char)*line < ' ' || *line == 127)
            *line = '?';
}

/* In one call, so that lines of two processes do not mix. */
static void print_line(const char *kind, const char *format, va_list arguments)
{
    char line[LINE_LENGTH];
    vsnprintf(line, sizeof line, format, arguments);
    make_harmless(line);
    if (process_group_keeps(line, *kind == '\0'))
        return;
    fprintf(stderr, "temper: %s%s\n", kind, line);
}

temper_status complain(temper_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("", format, arguments);
    va_end(arguments);
    return status;
}

/* The library has said what, where and what to do. */
temper_status complain_error(const temper_error *error)
{
    return complain(error->status, "%s", error->message);
}

temper_status complain_no_memory(void)
{
    return complain(TEMPER_NO_MEMORY, "out of memory; close other programs, or ask for less");
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
