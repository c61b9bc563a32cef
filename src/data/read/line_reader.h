/* line_reader: a small text file line by line, decompressed if necessary: labels, weights, matrices. The data itself is
 * read by text_chunks. */
#ifndef DATA_LINE_READER_H
#define DATA_LINE_READER_H

#include "base/source.h"

struct lines {
    const char *path;
    struct source *source;
    char *bytes;
    size_t from, to, capacity; /* what is read and not returned yet is in [from, to) */
    bool ended;
    size_t number; /* of the last line returned, from 1 */
};

/* The path is borrowed. */
temper_status lines_open(const char *path, struct lines *out, temper_error *error);
/* The same from a source that is open already, which is taken over. */
temper_status lines_from(struct source *source, const char *path, struct lines *out, temper_error *error);
/* The next line without its end (\n or \r\n), and without the byte order mark of the first; valid
 * until the next call. *line is NULL after the last one. A NUL byte is refused. */
temper_status lines_next(struct lines *lines, const char **line, size_t *length, temper_error *error);
void lines_close(struct lines *lines);

/* The part of a line without blanks at both ends. */
const char *line_trim(const char *line, size_t *length);

#endif
