/* output_paths: output is composed in memory, then written at once, so that a failure is noticed and reported; and
 * output files are checked before the work begins. */
#ifndef CLI_OUTPUT_PATHS_H
#define CLI_OUTPUT_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "options/command_line.h"
#include "temper_extra.h"

/* Output in memory: write to `stream`, then finish it with output_close, output_print or output_save. */
struct output_buffer {
    FILE *stream;
    char *bytes;
    size_t length;
};

/* Nothing to free on failure, which has been reported. */
temper_status output_open(struct output_buffer *buffer);
/* The text is in `bytes`, for the caller to free; nothing to free on failure, which has been reported. */
temper_status output_close(struct output_buffer *buffer);
/* Both free the buffer. */
temper_status output_print(struct output_buffer *buffer);
temper_status output_save(struct output_buffer *buffer, const char *path);
/* The same to the standard error, for help that follows an error. */
temper_status output_print_stderr(struct output_buffer *buffer);

/* "-" is the standard output; a closed reader of it is not reported as an error. */
temper_status output_write(const char *path, const char *bytes, size_t length);
/* Writes a text that the library has allocated, and frees it. */
temper_status output_write_text(const char *path, temper_text *text);
/* Reports an error of a library call that wrote to `path`; handles a closed reader as output_write does. */
temper_status output_failed(const char *path, const temper_error *error);
/* "-" or /dev/stdout. */
bool is_stdout(const char *path);
/* Whether the path is the standard output, and that is a terminal. */
bool output_is_terminal(const char *path);

/* To be called first: no signals where an error can be reported, and no other file may take the descriptor of a
 * standard stream that the caller has closed. */
void output_prepare(void);

/* ---- Checks before the work begins -------------------------------------------------------------- */

/* Whether the file can be written: an error should come before hours of work. */
temper_status check_target(const char *path);

/* Whether the path is a regular file, which a result would replace. */
bool is_file(const char *path);

/* Concatenates two strings, to be freed; NULL without memory, which has been reported. */
char *concatenate(const char *first, const char *second);

#endif
