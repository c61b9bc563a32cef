/* line_reader: a window over the source that grows for a long line. */
#include "data/read/line_reader.h"

#include <string.h>

#include "base/memory.h"
#include "base/path.h"

/* Bytes. The limit protects against binary files, which may have no newline at all. */
enum {
    FIRST_WINDOW = 65536,
    LONGEST_LINE = 1 << 26 /* a row of 65,536 numbers is far shorter */
};

/* Takes over the source, also on failure. The window grows only if a line is longer than it. */
temper_status lines_from(struct source *source, const char *path, struct lines *out, temper_error *error)
{
    struct lines lines = {.path = path, .source = source, .capacity = FIRST_WINDOW};
    lines.bytes = mem_alloc(lines.capacity, 1);
    if (!lines.bytes) {
        source_close(source);
        return error_no_memory(error);
    }
    *out = lines;
    return TEMPER_OK;
}

/* The path is used in messages and must outlive *out. */
temper_status lines_open(const char *path, struct lines *out, temper_error *error)
{
    struct source *source;
    TRY(source_open(path, &source, error));
    return lines_from(source, path, out, error);
}

/* A line that is too long is most likely not text; the message has its number. */
static temper_status refuse_long(const struct lines *lines, temper_error *error)
{
    char file[PATH_SHOWN];
    size_t line = lines->number + 1;
    return error_at(error, TEMPER_BAD_DATA, line, 1,
                    "%s:%zu:1: the line is longer than %d MiB; give a text of short lines",
                    path_shown(lines->path, file), line, LONGEST_LINE >> 20);
}

/* Reads more bytes: moves the unread part to the start of the window and appends to it. If the window is full of one
 * incomplete line, it doubles, so that the total cost of copying stays linear. */
static temper_status read_on(struct lines *lines, temper_error *error)
{
    size_t got;
    memmove(lines->bytes, lines->bytes + lines->from, lines->to - lines->from);
    lines->to -= lines->from;
    lines->from = 0;
    /* Nothing was consumed since the last read: the window is one incomplete line. */
    if (lines->to == lines->capacity) {
        if (lines->capacity >= LONGEST_LINE)
            return refuse_long(lines, error);
        char *bytes = mem_resize(lines->bytes, lines->capacity * 2, 1);
        if (!bytes)
            return error_no_memory(error);
        lines->bytes = bytes;
        lines->capacity *= 2;
    }
    TRY(source_read(lines->source, lines->bytes + lines->to, lines->capacity - lines->to, &got, error));
    lines->to += got;
    lines->ended = got == 0;
    return TEMPER_OK;
}

/* Refuses NUL bytes: the functions that parse numbers and names stop at them, and the rest of the line would be dropped
 * silently. */
static temper_status check_line(const struct lines *lines, const char *line, size_t length, temper_error *error)
{
    char file[PATH_SHOWN];
    const char *nul = memchr(line, '\0', length);
    if (!nul)
        return TEMPER_OK;
    size_t column = (size_t)(nul - line) + 1;
    return error_at(error, TEMPER_BAD_DATA, lines->number, column,
                    "%s:%zu:%zu: a NUL byte; give a plain text, in UTF-8", path_shown(lines->path, file), lines->number,
                    column);
}

/* Returns the line that ends at `end`, without a \r at its end or a byte order mark at the start of the file, and
 * advances the window past its newline. The last line of a file may have none. */
static temper_status give_line(struct lines *lines, const char *end, const char **line, size_t *length,
                               temper_error *error)
{
    static const char mark[] = "\xEF\xBB\xBF";
    const char *start = lines->bytes + lines->from;
    /* Past the newline, if there is one. */
    lines->from = (size_t)(end - lines->bytes) + (end < lines->bytes + lines->to);
    lines->number++;
    if (lines->number == 1 && end - start >= 3 && memcmp(start, mark, 3) == 0)
        start += 3;
    if (end > start && end[-1] == '\r')
        end--;
    *line = start;
    *length = (size_t)(end - start);
    return check_line(lines, *line, *length, error);
}

/* Searches only bytes that are new since the last read, so that a long line takes linear time. *line is NULL after the
 * last line. */
temper_status lines_next(struct lines *lines, const char **line, size_t *length, temper_error *error)
{
    size_t seen = 0; /* bytes without a newline */
    for (;;) {
        const char *start = lines->bytes + lines->from;
        /* read_on moves the window, so that both are computed again in each round. */
        size_t here = lines->to - lines->from;
        const char *end = here > seen ? memchr(start + seen, '\n', here - seen) : NULL;
        if (end)
            return give_line(lines, end, line, length, error);
        /* The last line has no newline. */
        if (lines->ended && here > 0)
            return give_line(lines, start + here, line, length, error);
        if (lines->ended) {
            *line = NULL;
            return TEMPER_OK;
        }
        seen = here;
        TRY(read_on(lines, error));
    }
}

void lines_close(struct lines *lines)
{
    source_close(lines->source);
    mem_free(lines->bytes);
}

/* Removes spaces and tabs at both ends; *length is updated. The line end is gone already. */
const char *line_trim(const char *line, size_t *length)
{
    while (*length > 0 && (*line == ' ' || *line == '\t')) {
        line++;
        --*length;
    }
    while (*length > 0 && (line[*length - 1] == ' ' || line[*length - 1] == '\t'))
        --*length;
    return line;
}
