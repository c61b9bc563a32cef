/* reading: the options of every command that reads data, and the reading itself. */
#ifndef CLI_READING_H
#define CLI_READING_H

#include "options/options.h"
#include "temper.h"

/* What the command line says of how to read. Options that the command does not have are those that
 * are not given. */
temper_read_options reading_options(const struct arguments *arguments);

/* An empty name is no file; nor is it the standard input. */
temper_status check_path(const struct arguments *arguments, const char *path);

/* Reads a file as the options say. *data is freed by temper_data_free; nothing on failure, which
 * has been complained about. `seconds` is how long it took, or NULL. */
temper_status read_data(const struct arguments *arguments, const char *path, temper_data **data, double *seconds);

/* What the reader has assumed, on the standard error, unless --quiet. */
void print_notes(const struct arguments *arguments, const temper_data *data);

/* The same for sentences from elsewhere, one a line. */
void print_sentences(const struct arguments *arguments, const char *sentences);

/* --threads */
size_t threads_of(const struct arguments *arguments);
/* A clock that only goes forward. */
double seconds_now(void);

#endif
