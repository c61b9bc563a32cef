/* format: which of the formats a file has, by its first bytes and by its name. */
#ifndef DATA_FORMAT_H
#define DATA_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/read/read.h"
#include "data/write/write.h"

struct format {
    const char *name; /* "csv" */
    reader_fn *read;
    writer_fn *write;
    const char *extensions; /* " .csv .data ": a blank before and after each */
};

/* Whether it is a table with named columns, whose reader matches them with a schema: CSV, TSV, JSON lines or Arrow. */
static inline bool format_is_table(const struct format *format)
{
    return format->read == read_csv || format->read == read_jsonl || format->read == read_arrow;
}

/* NULL if there is none of that name. */
const struct format *format_named(const char *name);
/* By the extension of a path, without .gz and .zst; NULL if it is unknown. */
const struct format *format_of_path(const char *path);
/* By the first bytes of a file; NULL if they could be anything. */
const struct format *format_of_content(const unsigned char *bytes, size_t length);

/* "libsvm, csv, ..." */
extern const char format_names[];

/* ---- Files that temper does not read ---------------------------------------------------------- */

/* What a file is, by its first bytes, and what to do with it: "a Parquet file; save its table as .csv or .npy"; or
 * NULL. 'FILE' in it stands for the name of the file. If the format was given, only files that cannot have it are
 * named. */
const char *unsupported_file(const unsigned char *bytes, size_t length, bool format_given);
/* The same for tables that are not CSV as we read it: blanks or bars between the columns, or decimal commas. */
const char *unsupported_table(const unsigned char *bytes, size_t length);
/* Whether there are bytes that no text has; images have them, even bright ones without a 0. */
bool bytes_are_binary(const unsigned char *bytes, size_t length);

#endif
