/* file_join: several files of text as one text, for tables in parts: CSV, TSV and JSON lines.
 *
 * The rows of all files are read as those of one file would be: columns are inferred from the first rows, and apply to
 * all. Every file has the same header, which counts once. Messages have the file and the line in it. */
#ifndef DATA_FILE_JOIN_H
#define DATA_FILE_JOIN_H

#include "data/read/read.h"

/* The files of a path (file_names.h), if they are to be joined: columns are inferred, one process reads, and the first
 * file is a table. Else *out is NULL. */
temper_status file_join_find(const char *path, const temper_read_options *options, struct file_join **out,
                             temper_error *error);
void file_join_free(struct file_join *join);
/* Whether the first lines were taken for headers; the reader must agree. */
bool file_join_has_header(const struct file_join *join);
/* Options of the caller, with the format of the first file. */
const temper_read_options *file_join_options(const struct file_join *join);

/* The whole text. Refuses a file whose header is another when it is reached. */
temper_status file_join_open(const struct file_join *join, struct source **out, temper_error *error);
/* Replaces a line of the whole text by the file that has it and the line there; for messages. Reads the files again. */
void file_join_place(const struct file_join *join, const char **path, uint64_t *line);

#endif
