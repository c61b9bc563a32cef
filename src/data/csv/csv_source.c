/* csv_source: collects lines, and gives their bytes to the source. */
#include "data/csv/csv_source.h"

#include <string.h>

#include "base/memory.h"

enum { LINES_AT_ONCE = 65536 }; /* bytes that are made before they are read, about */

/* Lines that were made and not read yet. */
struct csv_line_buffer {
    struct csv_row_maker maker;
    struct text text;
    size_t taken; /* bytes of it that were read */
    bool ended;
};

/* Makes the next lines, after all bytes of the last ones were read. */
static temper_status make_lines(struct csv_line_buffer *lines, temper_error *error)
{
    lines->text.length = lines->taken = 0;
    while (!lines->ended && lines->text.length < LINES_AT_ONCE)
        TRY(lines->maker.append_line(lines->maker.context, &lines->text, &lines->ended, error));
    return lines->text.failed ? error_no_memory(error) : TEMPER_OK;
}

/* source_maker.fill. */
static temper_status fill(void *context, void *bytes, size_t size, size_t *got, temper_error *error)
{
    struct csv_line_buffer *lines = context;
    size_t done = 0;
    for (;;) {
        size_t left = lines->text.length - lines->taken, count = left < size - done ? left : size - done;
        if (count > 0)
            memcpy((char *)bytes + done, lines->text.bytes + lines->taken, count);
        done += count;
        lines->taken += count;
        if (done == size || (lines->ended && lines->taken == lines->text.length))
            break;
        TRY(make_lines(lines, error));
    }
    *got = done;
    return TEMPER_OK;
}

static void free_lines(void *context)
{
    struct csv_line_buffer *lines = context;
    lines->maker.free_context(lines->maker.context);
    text_free(&lines->text);
    mem_free(lines);
}

temper_status csv_source_open(const char *name, const struct csv_row_maker *maker, struct source **out,
                              temper_error *error)
{
    struct csv_line_buffer *lines = mem_zeroed(1, sizeof *lines);
    if (!lines) {
        maker->free_context(maker->context);
        return error_no_memory(error);
    }
    lines->maker = *maker;
    const struct source_maker bytes = {lines, fill, free_lines};
    return source_made(name, &bytes, out, error);
}

bool csv_cell_needs_quotes(const char *text, size_t length)
{
    bool plain = true;
    for (size_t i = 0; i < length && plain; i++)
        plain = text[i] != ',' && text[i] != '"' && text[i] != '\n' && text[i] != '\r';
    return !plain;
}

void csv_append_cell(struct text *csv, const char *text, size_t length, bool alone)
{
    if (!csv_cell_needs_quotes(text, length) && (length > 0 || !alone)) {
        text_append_bytes(csv, text, length);
        return;
    }
    text_append_bytes(csv, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            text_append_bytes(csv, "\"", 1);
        text_append_bytes(csv, &text[i], 1);
    }
    text_append_bytes(csv, "\"", 1);
}
