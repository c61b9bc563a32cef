/* csv_raw_rows: reads a table again and hands out the cells of some of its rows. Rows are found by the lines on which
 * they begin, which the reader has recorded. */
#include "data/csv/csv_raw_rows.h"

#include <string.h>
#include <sys/stat.h>

#include "data/quote_text.h"
#include "data/read/text_chunks.h"

/* A second reading in progress. */
struct reread {
    const struct dataset *data;
    const struct raw_rows *wanted;
    temper_error *error;
    struct csv_format format;
    bool header;    /* is still to come */
    uint64_t lines; /* before the current position */
    size_t next;    /* of the wanted rows: the first that was not found yet */
};

bool csv_can_reread(const struct dataset *data)
{
    struct stat there;
    bool table = data->file.format && (strcmp(data->file.format, "csv") == 0 || strcmp(data->file.format, "tsv") == 0);
    return table && !data->file.reencoded && !data->file.short_header && data->file.separator && data->line &&
           data->schema && data->file.path && !data->ranks.comm && stat(data->file.path, &there) == 0 &&
           S_ISREG(there.st_mode);
}

/* Other cells than the reader has seen. */
static temper_status has_changed(const struct reread *r)
{
    return error_set(r->error, TEMPER_BAD_DATA, "%s: has changed since it was read; run the command again",
                     place_text(r->data->file.path).text);
}

/* The position behind the row at p, whose cells are not needed. */
static temper_status skip_row(const struct reread *r, const char *p, const char *to, const char **next)
{
    struct csv_cell cell = {.next = p};
    while (!cell.ends_line)
        if (csv_scan(&r->format, cell.next, to, &cell) != CSV_FINE)
            return has_changed(r);
    *next = cell.next;
    return TEMPER_OK;
}

/* Splits the row at p and hands it out. */
static temper_status visit_row(const struct reread *r, const char *p, const char *to, size_t index, const char **next)
{
    struct csv_line line;
    enum csv_error_kind kind = csv_line_read(&r->format, p, to, &line);
    temper_status status = TEMPER_OK;
    if (kind == CSV_MEMORY)
        status = error_no_memory(r->error);
    else if (kind != CSV_FINE || line.count != r->data->schema->file_columns)
        status = has_changed(r);
    if (status == TEMPER_OK)
        status = r->wanted->visit(r->wanted->context, index, &line);
    *next = line.next;
    csv_line_free(&line);
    return status;
}

/* The rows of a chunk [from, to), which ends in a newline. */
static temper_status read_chunk_rows(struct reread *r, const char *from, const char *to)
{
    for (;;) {
        const char *row = csv_skip_blank_lines(&r->format, from, to, &r->lines);
        if (row == to)
            return TEMPER_OK;
        if (r->lines < r->data->file.skipped_lines) {
            const char *newline = memchr(row, '\n', (size_t)(to - row));
            from = newline ? newline + 1 : to;
            r->lines++;
            continue;
        }
        bool wanted = r->next < r->wanted->count && r->data->line[r->wanted->row[r->next]] == r->lines + 1;
        if (r->header)
            TRY(visit_row(r, row, to, RAW_HEADER, &from));
        else if (wanted)
            TRY(visit_row(r, row, to, r->next++, &from));
        else
            TRY(skip_row(r, row, to, &from));
        r->header = false;
        r->lines += count_lines(row, (size_t)(from - row));
    }
}

/* A chunk without the byte order mark of the file, and with a newline at its end, for which there is space. */
static temper_status read_chunk(struct reread *r, const struct text_chunk *chunk)
{
    char *from = chunk->bytes, *to = from + chunk->length;
    if (chunk->number == 0 && chunk->length >= 3 && memcmp(from, "\xef\xbb\xbf", 3) == 0)
        from += 3;
    if (to > from && to[-1] != '\n')
        *to++ = '\n';
    return read_chunk_rows(r, from, to);
}

/* Ends after the last wanted row. */
static temper_status read_chunks(struct reread *r)
{
    struct source *source;
    struct text_chunks *chunks;
    struct text_chunk *chunk;
    TRY(source_open(r->data->file.path, &source, r->error));
    TRY(text_chunks_open(source, true, 0, &chunks, r->error));
    temper_status status = TEMPER_OK;
    while (status == TEMPER_OK && (r->header || r->next < r->wanted->count)) {
        status = text_chunks_next(chunks, &chunk, r->error);
        if (status != TEMPER_OK || chunk->length == 0)
            break;
        status = read_chunk(r, chunk);
        if (status == TEMPER_OK)
            text_chunks_give_back(chunks, chunk);
    }
    text_chunks_close(chunks);
    return status;
}

temper_status csv_reread(const struct dataset *data, const struct raw_rows *wanted, temper_error *error)
{
    struct reread r = {.data = data, .wanted = wanted, .error = error, .header = data->file.header};
    csv_format_set(&r.format, data->file.separator);
    TRY(read_chunks(&r));
    return r.next == wanted->count ? TEMPER_OK : has_changed(&r);
}
