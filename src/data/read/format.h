/* format: which of the formats a file has, by its first bytes and by its name. */
#ifndef DATA_FORMAT_H
#define DATA_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "data/read/read.h"
#include "data/write/write.h"

struct format {
    const char *name; /* "csv" */
    reader_fn *read;
    writer_fn *write;
    const char *extensions; /* " .csv .txt ": a blank before and behind each */
};

/* NULL if there is none of that name. */
const struct format *format_named(const char *name);
/* By the extension of a path, .gz and .zst aside; NULL if that tells nothing. */
const struct format *format_of_path(const char *path);
/* By the first bytes of a file; NULL if they could be anything. */
const struct format *format_of_content(const unsigned char *bytes, size_t length);

/* "libsvm, csv, ..." */
extern const char format_names[];

#endif
