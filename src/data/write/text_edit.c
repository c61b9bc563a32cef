/* text_copy: chunk by chunk, from the file to a sink. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/text.h"
#include "data/quote_text.h"
#include "data/read/format.h"
#include "data/read/text_chunks.h"
#include "data/schema.h"
#include "data/write/text_edit.h"

/* The same format, or the same kind of name: table.csv may have tabs. */
static bool keeps_format(const struct dataset *data, const char *path, const char *format)
{
    const struct format *own = format_named(data->file.format);
    const struct format *by_name = format_of_path(path);
    if (format)
        return format_named(format) == own;
    return by_name && (by_name == own || by_name == format_of_path(data->file.path));
}

bool text_can_copy(const struct dataset *data, const char *path, const char *format)
{
    struct stat there;
    bool table = strcmp(data->file.format, "csv") == 0 || strcmp(data->file.format, "tsv") == 0;
    if (!table && strcmp(data->file.format, "libsvm") != 0)
        return false;
    if (!data->file.separator || !data->line || !data->label || data->file.separate_labels || data->ranks.comm)
        return false;
    if (table && (!data->schema || data->schema->label_position == SCHEMA_NO_LABEL))
        return false;
    if (stat(data->file.path, &there) != 0 || !S_ISREG(there.st_mode)) /* what came by a pipe is gone */
        return false;
    return keeps_format(data, path, format);
}

/* ---- What the formats share ------------------------------------------------------------------ */

temper_status text_has_changed(const struct text_copying *copying)
{
    return error_set(copying->error, TEMPER_BAD_DATA, "%s: has changed since it was read; audit it again",
                     place_text(copying->data->file.path).text);
}

size_t text_row_at(struct text_copying *copying, uint64_t line)
{
    const struct dataset *data = copying->data;
    while (copying->row < data->x.rows && data->line[copying->row] < line)
        copying->row++;
    if (copying->row == data->x.rows || data->line[copying->row] != line)
        return TEXT_NO_ROW;
    copying->found++;
    return copying->row;
}

temper_status text_put(struct text_copying *copying, const char *from, const char *to)
{
    if (to > copying->end)
        to = copying->end;
    return from < to ? atomic_file_write(copying->sink, from, (size_t)(to - from), copying->error) : TEMPER_OK;
}

temper_status text_put_edited(struct text_copying *copying, const char *from, const char *to,
                              const struct text_edit *edit)
{
    temper_status status = text_put(copying, from, edit->from);
    if (status == TEMPER_OK)
        status = atomic_file_write(copying->sink, edit->text, edit->length, copying->error);
    return status == TEMPER_OK ? text_put(copying, edit->to, to) : status;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* A row of the text: what may change of it. */
struct spot {
    const char *from, *next; /* of the row; `next` is behind its newline */
    const char *end;         /* before its newline */
    struct csv_cell label, weight;
    size_t columns;
};

static temper_status find_spots(struct text_copying *copying, const char *p, const char *to, struct spot *spot)
{
    const struct dataset *data = copying->data;
    struct csv_cell cell = {.next = p};
    *spot = (struct spot){.from = p};
    while (!cell.ends_line) {
        if (csv_scan(&copying->format, cell.next, to, &cell) != CSV_FINE)
            return text_has_changed(copying);
        if (spot->columns == data->schema->label_position)
            spot->label = cell;
        if (++spot->columns == data->file.weight_column)
            spot->weight = cell;
    }
    if (spot->columns != data->schema->file_columns)
        return text_has_changed(copying);
    spot->next = cell.next;
    spot->end = spot->next - 1;
    if (spot->end > p && spot->end[-1] == '\r')
        spot->end--;
    return TEMPER_OK;
}

/* ---- The header ------------------------------------------------------------------------------ */

static bool has_name(const struct csv_line *line, const char *name)
{
    for (size_t i = 0; i < line->count; i++) {
        const struct csv_cell *cell = &line->cell[i];
        size_t length = (size_t)(cell->to - cell->from);
        if (length == strlen(name) && memcmp(cell->from, name, length) == 0)
            return true;
    }
    return false;
}

/* A second column of one name could not be asked for. */
static temper_status name_column(struct text_copying *copying, const struct spot *spot)
{
    struct csv_line line = {0};
    temper_status status = TEMPER_OK;
    snprintf(copying->weights, TEXT_COLUMN, "weight");
    enum csv_error_kind kind = csv_line_read(&copying->format, spot->from, spot->next, &line);
    if (kind != CSV_FINE)
        status = kind == CSV_MEMORY ? error_no_memory(copying->error) : text_has_changed(copying);
    for (size_t i = 2; status == TEMPER_OK && has_name(&line, copying->weights); i++)
        snprintf(copying->weights, TEXT_COLUMN, "weight_%zu", i);
    csv_line_free(&line);
    return status;
}

/* One more cell at the end of the row. */
static temper_status append(struct text_copying *copying, const struct spot *spot, const char *cell)
{
    char text[TEXT_COLUMN + 1];
    int length = snprintf(text, sizeof text, "%c%s", copying->format.separator, cell);
    struct text_edit edit = {spot->end, spot->end, text, (size_t)length};
    return text_put_edited(copying, spot->from, spot->next, &edit);
}

static temper_status copy_header(struct text_copying *copying, const struct spot *spot)
{
    copying->header = false;
    if (!copying->changes->factor || copying->data->file.weight_column)
        return text_put(copying, spot->from, spot->next);
    temper_status status = name_column(copying, spot);
    return status == TEMPER_OK ? append(copying, spot, copying->weights) : status;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Within its quotes if it has some, in quotes if it needs them. */
static temper_status relabel(struct text_copying *copying, const struct spot *spot, uint32_t label)
{
    const char *name = copying->data->classes.name[label];
    const struct csv_cell *cell = &spot->label;
    struct text text = {0};
    csv_append_text(&text, name, cell->quoted);
    temper_status status = text.failed ? error_no_memory(copying->error) : TEMPER_OK;
    struct text_edit edit = {cell->from - cell->quoted, cell->to + cell->quoted, text.bytes, text.length};
    if (status == TEMPER_OK)
        status = text_put_edited(copying, spot->from, spot->next, &edit);
    text_free(&text);
    return status;
}

static temper_status multiply(struct text_copying *copying, const struct spot *spot, double factor)
{
    const struct csv_cell *cell = &spot->weight;
    char text[NUMBER_LENGTH];
    double weight;
    if (factor == 1)
        return text_put(copying, spot->from, spot->next);
    if (number_f64(cell->from, cell->to, &weight) != NUMBER_OK)
        return text_has_changed(copying);
    struct text_edit edit = {cell->from, cell->to, text, number_write_f64(weight * factor, text)};
    return text_put_edited(copying, spot->from, spot->next, &edit);
}

/* Rows that were not read weigh 1. */
static temper_status weigh(struct text_copying *copying, const struct spot *spot, size_t row)
{
    const struct dataset *data = copying->data;
    double factor = row == TEXT_NO_ROW ? 1 : copying->changes->factor[row];
    char text[NUMBER_LENGTH];
    if (data->file.weight_column)
        return multiply(copying, spot, factor);
    if (row != TEXT_NO_ROW && data->weight)
        factor *= data->weight[row];
    number_write_f64(factor, text);
    return append(copying, spot, text);
}

static temper_status copy_row(struct text_copying *copying, const struct spot *spot)
{
    const struct text_changes *changes = copying->changes;
    size_t row = text_row_at(copying, copying->lines + 1);
    for (const char *p = spot->from; p < spot->next; p++)
        copying->lines += *p == '\n';
    if (row != TEXT_NO_ROW && changes->dropped && changes->dropped[row])
        return TEMPER_OK;
    if (row != TEXT_NO_ROW && changes->label && changes->label[row] != copying->data->label[row])
        return relabel(copying, spot, changes->label[row]);
    if (changes->factor)
        return weigh(copying, spot, row);
    return text_put(copying, spot->from, spot->next);
}

temper_status csv_copy(struct text_copying *copying, const char *from, const char *to)
{
    temper_status status = TEMPER_OK;
    while (status == TEMPER_OK) {
        struct spot spot;
        const char *row = csv_skip_blank_lines(&copying->format, from, to, &copying->lines);
        status = text_put(copying, from, row);
        if (status != TEMPER_OK || row == to)
            return status;
        status = find_spots(copying, row, to, &spot);
        from = spot.next;
        if (status == TEMPER_OK && copying->header) {
            for (const char *p = row; p < from; p++)
                copying->lines += *p == '\n';
            status = copy_header(copying, &spot);
        } else if (status == TEMPER_OK)
            status = copy_row(copying, &spot);
    }
    return status;
}

/* ---- libsvm text ----------------------------------------------------------------------------- */

/* The first word of the row. */
static temper_status relabel_line(struct text_copying *copying, const char *from, const char *to, uint32_t label)
{
    const char *name = copying->data->classes.name[label];
    struct text_edit edit = {.from = from, .text = name, .length = strlen(name)};
    while (edit.from < to && strchr(" \t\r\v\f", *edit.from))
        edit.from++;
    for (edit.to = edit.from; edit.to < to && !strchr(" \t\r\v\f\n#", *edit.to);)
        edit.to++;
    return text_put_edited(copying, from, to, &edit);
}

static temper_status copy_line(struct text_copying *copying, const char *from, const char *to)
{
    const struct text_changes *changes = copying->changes;
    size_t row = text_row_at(copying, ++copying->lines);
    if (row != TEXT_NO_ROW && changes->dropped && changes->dropped[row])
        return TEMPER_OK;
    if (row != TEXT_NO_ROW && changes->label && changes->label[row] != copying->data->label[row])
        return relabel_line(copying, from, to, changes->label[row]);
    return text_put(copying, from, to);
}

temper_status libsvm_copy(struct text_copying *copying, const char *from, const char *to)
{
    temper_status status = TEMPER_OK;
    while (status == TEMPER_OK && from < to) {
        const char *newline = memchr(from, '\n', (size_t)(to - from));
        const char *next = newline ? newline + 1 : to;
        status = copy_line(copying, from, next);
        from = next;
    }
    return status;
}

/* ---- All of the file ------------------------------------------------------------------------- */

/* The last line of a table gets a newline to be read by, for which there is room. */
static temper_status copy_chunk(struct text_copying *copying, struct chunk *chunk)
{
    const bool table = copying->format.separator;
    char *from = chunk->bytes, *to = from + chunk->length;
    temper_status status = TEMPER_OK;
    copying->end = to;
    if (chunk->number == 0 && chunk->length >= 3 && memcmp(from, "\xef\xbb\xbf", 3) == 0) {
        status = text_put(copying, from, from + 3);
        from += 3;
    }
    if (table && to > from && to[-1] != '\n')
        *to++ = '\n';
    if (status != TEMPER_OK)
        return status;
    return table ? csv_copy(copying, from, to) : libsvm_copy(copying, from, to);
}

static temper_status copy_chunks(struct text_copying *copying)
{
    struct source *source;
    struct text_chunks *chunks;
    struct chunk *chunk;
    temper_status status = source_open(copying->data->file.path, &source, copying->error);
    if (status == TEMPER_OK)
        status = text_chunks_open(source, copying->format.separator, 0, &chunks, copying->error);
    if (status != TEMPER_OK)
        return status;
    while ((status = text_chunks_next(chunks, &chunk, copying->error)) == TEMPER_OK && chunk->length > 0) {
        status = copy_chunk(copying, chunk);
        if (status != TEMPER_OK)
            break;
        text_chunks_give_back(chunks, chunk);
    }
    text_chunks_close(chunks);
    if (status == TEMPER_OK && copying->found != copying->data->x.rows)
        return text_has_changed(copying);
    return status;
}

temper_status text_copy(const struct dataset *data, const struct text_changes *changes, const char *path,
                        char weights[TEXT_COLUMN], temper_error *error)
{
    struct text_copying copying = {
        .data = data, .changes = changes, .error = error, .weights = weights, .header = data->file.header};
    weights[0] = '\0';
    if (strcmp(data->file.format, "libsvm") != 0) {
        csv_format_set(&copying.format, data->file.separator);
        if (changes->factor) /* a header gives it a name */
            snprintf(weights, TEXT_COLUMN, "%zu",
                     data->file.weight_column ? data->file.weight_column : data->schema->file_columns + 1);
    }
    temper_status status = atomic_file_open(path, &copying.sink, error);
    if (status != TEMPER_OK)
        return status;
    status = copy_chunks(&copying);
    if (status == TEMPER_OK)
        return atomic_file_commit(copying.sink, error);
    atomic_file_drop(copying.sink);
    return status;
}
