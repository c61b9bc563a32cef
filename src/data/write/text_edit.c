/* text_edit: copies the text that a dataset was read from, byte for byte, without some rows, with other labels or
 * with weights; chunk by chunk, from the file to a new one. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/number.h"
#include "base/text.h"
#include "data/csv/csv.h"
#include "data/quote_text.h"
#include "data/read/format.h"
#include "data/read/text_chunks.h"
#include "data/schema.h"
#include "data/write/text_edit.h"

/* A copy in progress. */
struct text_copier {
    const struct dataset *data;
    const struct text_changes *changes;
    struct atomic_file *sink;
    temper_error *error;
    char *weights;            /* [TEXT_COLUMN] */
    uint64_t lines;           /* before the current position */
    size_t row, found;        /* the next row to look for; rows that were found */
    const char *end;          /* of the bytes of the file: a newline may have been added there */
    struct csv_format format; /* of a table; else it has no separator */
    bool header;              /* is still to come */
};

/* A span of a line that is replaced. */
struct text_edit {
    const char *from, *to;
    const char *text;
    size_t length;
};

#define TEXT_NO_ROW SIZE_MAX

/* The same format, or the same extension: table.csv may have tabs. */
static bool keeps_format(const struct dataset *data, const char *path, const char *format)
{
    const struct format *own = format_named(data->file.format);
    const struct format *by_name = format_of_path(path);
    if (format)
        return format_named(format) == own;
    return by_name && (by_name == own || by_name == format_of_path(data->file.path));
}

/* The source must be a text file that can be read again, labels included. */
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

/* The file differs from what was read. */
static temper_status text_has_changed(const struct text_copier *copier)
{
    return error_set(copier->error, TEMPER_BAD_DATA, "%s: has changed since it was read; audit it again",
                     place_text(copier->data->file.path).text);
}

/* The row that begins on the line, if one does; lines are asked for in ascending order. */
static size_t text_row_at(struct text_copier *copier, uint64_t line)
{
    const struct dataset *data = copier->data;
    while (copier->row < data->x.rows && data->line[copier->row] < line)
        copier->row++;
    if (copier->row == data->x.rows || data->line[copier->row] != line)
        return TEXT_NO_ROW;
    copier->found++;
    return copier->row;
}

/* Copies bytes, except a newline that was added to the last line. */
static temper_status text_put(struct text_copier *copier, const char *from, const char *to)
{
    if (to > copier->end)
        to = copier->end;
    return from < to ? atomic_file_write(copier->sink, from, (size_t)(to - from), copier->error) : TEMPER_OK;
}

/* Copies a line with one span replaced. */
static temper_status text_put_edited(struct text_copier *copier, const char *from, const char *to,
                                     const struct text_edit *edit)
{
    TRY(text_put(copier, from, edit->from));
    TRY(atomic_file_write(copier->sink, edit->text, edit->length, copier->error));
    return text_put(copier, edit->to, to);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* A row of the text: what may change of it. */
struct csv_row_text {
    const char *from, *next; /* of the row; `next` is behind its newline */
    const char *end;         /* before its newline */
    struct csv_cell label, weight;
    size_t columns;
};

/* Scans a row and finds the cells that may change. */
static temper_status scan_row(struct text_copier *copier, const char *p, const char *to, struct csv_row_text *found)
{
    const struct dataset *data = copier->data;
    struct csv_cell cell = {.next = p};
    *found = (struct csv_row_text){.from = p};
    while (!cell.ends_line) {
        if (csv_scan(&copier->format, cell.next, to, &cell) != CSV_FINE)
            return text_has_changed(copier);
        if (found->columns == data->schema->label_position)
            found->label = cell;
        if (++found->columns == data->file.weight_column)
            found->weight = cell;
    }
    if (found->columns != data->schema->file_columns)
        return text_has_changed(copier);
    found->next = cell.next;
    found->end = found->next - 1;
    if (found->end > p && found->end[-1] == '\r')
        found->end--;
    return TEMPER_OK;
}

/* ---- The header ------------------------------------------------------------------------------ */

/* Whether the header has this name. */
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

/* Chooses a name for the new column that the header does not have: a second column of one name could not be selected.
 */
static temper_status name_column(struct text_copier *copier, const struct csv_row_text *found)
{
    struct csv_line line = {0};
    temper_status status = TEMPER_OK;
    snprintf(copier->weights, TEXT_COLUMN, "weight");
    enum csv_error_kind kind = csv_line_read(&copier->format, found->from, found->next, &line);
    if (kind != CSV_FINE)
        status = kind == CSV_MEMORY ? error_no_memory(copier->error) : text_has_changed(copier);
    for (size_t i = 2; status == TEMPER_OK && has_name(&line, copier->weights); i++)
        snprintf(copier->weights, TEXT_COLUMN, "weight_%zu", i);
    csv_line_free(&line);
    return status;
}

/* Copies the row with one more cell at its end. */
static temper_status append_cell(struct text_copier *copier, const struct csv_row_text *found, const char *cell)
{
    char text[TEXT_COLUMN + 1];
    int length = snprintf(text, sizeof text, "%c%s", copier->format.separator, cell);
    struct text_edit edit = {found->end, found->end, text, (size_t)length};
    return text_put_edited(copier, found->from, found->next, &edit);
}

/* Adds the name of the new column, if there is one. */
static temper_status copy_header(struct text_copier *copier, const struct csv_row_text *found)
{
    copier->header = false;
    if (!copier->changes->factor || copier->data->file.weight_column)
        return text_put(copier, found->from, found->next);
    TRY(name_column(copier, found));
    return append_cell(copier, found, copier->weights);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Replaces the label, within its quotes if it has some, in quotes if it needs them. */
static temper_status relabel(struct text_copier *copier, const struct csv_row_text *found, uint32_t label)
{
    const char *name = copier->data->classes.name[label];
    const struct csv_cell *cell = &found->label;
    struct text text = {0};
    csv_append_text(&text, name, cell->quoted);
    temper_status status = text.failed ? error_no_memory(copier->error) : TEMPER_OK;
    struct text_edit edit = {cell->from - cell->quoted, cell->to + cell->quoted, text.bytes, text.length};
    if (status == TEMPER_OK)
        status = text_put_edited(copier, found->from, found->next, &edit);
    text_free(&text);
    return status;
}

/* Multiplies the weight in its column. */
static temper_status multiply(struct text_copier *copier, const struct csv_row_text *found, double factor)
{
    const struct csv_cell *cell = &found->weight;
    char text[NUMBER_LENGTH];
    double weight;
    if (factor == 1)
        return text_put(copier, found->from, found->next);
    if (number_f64(cell->from, cell->to, &weight) != NUMBER_OK)
        return text_has_changed(copier);
    struct text_edit edit = {cell->from, cell->to, text, number_write_f64(weight * factor, text)};
    return text_put_edited(copier, found->from, found->next, &edit);
}

/* Sets the weight of a row; rows that were not read have weight 1. */
static temper_status weigh(struct text_copier *copier, const struct csv_row_text *found, size_t row)
{
    const struct dataset *data = copier->data;
    double factor = row == TEXT_NO_ROW ? 1 : copier->changes->factor[row];
    char text[NUMBER_LENGTH];
    if (data->file.weight_column)
        return multiply(copier, found, factor);
    if (row != TEXT_NO_ROW && data->weight)
        factor *= data->weight[row];
    number_write_f64(factor, text);
    return append_cell(copier, found, text);
}

/* Drops, relabels, weighs or copies one row. */
static temper_status copy_row(struct text_copier *copier, const struct csv_row_text *found)
{
    const struct text_changes *changes = copier->changes;
    size_t row = text_row_at(copier, copier->lines + 1);
    for (const char *p = found->from; p < found->next; p++)
        copier->lines += *p == '\n';
    if (row != TEXT_NO_ROW && changes->dropped && changes->dropped[row])
        return TEMPER_OK;
    if (row != TEXT_NO_ROW && changes->label && changes->label[row] != copier->data->label[row])
        return relabel(copier, found, changes->label[row]);
    if (changes->factor)
        return weigh(copier, found, row);
    return text_put(copier, found->from, found->next);
}

/* All rows of a chunk of a table. */
static temper_status csv_copy(struct text_copier *copier, const char *from, const char *to)
{
    temper_status status = TEMPER_OK;
    while (status == TEMPER_OK) {
        struct csv_row_text found;
        const char *row = csv_skip_blank_lines(&copier->format, from, to, &copier->lines);
        status = text_put(copier, from, row);
        if (status != TEMPER_OK || row == to)
            return status;
        status = scan_row(copier, row, to, &found);
        from = found.next;
        if (status == TEMPER_OK && copier->header) {
            for (const char *p = row; p < from; p++)
                copier->lines += *p == '\n';
            status = copy_header(copier, &found);
        } else if (status == TEMPER_OK)
            status = copy_row(copier, &found);
    }
    return status;
}

/* ---- libsvm text ----------------------------------------------------------------------------- */

/* Replaces the first word of the line. */
static temper_status relabel_line(struct text_copier *copier, const char *from, const char *to, uint32_t label)
{
    const char *name = copier->data->classes.name[label];
    struct text_edit edit = {.from = from, .text = name, .length = strlen(name)};
    while (edit.from < to && strchr(" \t\r\v\f", *edit.from))
        edit.from++;
    for (edit.to = edit.from; edit.to < to && !strchr(" \t\r\v\f\n#", *edit.to);)
        edit.to++;
    return text_put_edited(copier, from, to, &edit);
}

/* Drops, relabels or copies one line. */
static temper_status copy_line(struct text_copier *copier, const char *from, const char *to)
{
    const struct text_changes *changes = copier->changes;
    size_t row = text_row_at(copier, ++copier->lines);
    if (row != TEXT_NO_ROW && changes->dropped && changes->dropped[row])
        return TEMPER_OK;
    if (row != TEXT_NO_ROW && changes->label && changes->label[row] != copier->data->label[row])
        return relabel_line(copier, from, to, changes->label[row]);
    return text_put(copier, from, to);
}

/* All lines of a chunk of libsvm text. */
static temper_status libsvm_copy(struct text_copier *copier, const char *from, const char *to)
{
    temper_status status = TEMPER_OK;
    while (status == TEMPER_OK && from < to) {
        const char *newline = memchr(from, '\n', (size_t)(to - from));
        const char *next = newline ? newline + 1 : to;
        status = copy_line(copier, from, next);
        from = next;
    }
    return status;
}

/* ---- All of the file ------------------------------------------------------------------------- */

/* Keeps a byte order mark. The last line of a table gets a newline for the scan, for which there is space. */
static temper_status copy_chunk(struct text_copier *copier, struct text_chunk *chunk)
{
    const bool table = copier->format.separator;
    char *from = chunk->bytes, *to = from + chunk->length;
    temper_status status = TEMPER_OK;
    copier->end = to;
    if (chunk->number == 0 && chunk->length >= 3 && memcmp(from, "\xef\xbb\xbf", 3) == 0) {
        status = text_put(copier, from, from + 3);
        from += 3;
    }
    if (table && to > from && to[-1] != '\n')
        *to++ = '\n';
    if (status != TEMPER_OK)
        return status;
    return table ? csv_copy(copier, from, to) : libsvm_copy(copier, from, to);
}

/* All chunks; every row must have been found again. */
static temper_status copy_chunks(struct text_copier *copier)
{
    struct source *source;
    struct text_chunks *chunks;
    struct text_chunk *chunk;
    temper_status status = source_open(copier->data->file.path, &source, copier->error);
    if (status == TEMPER_OK)
        status = text_chunks_open(source, copier->format.separator, 0, &chunks, copier->error);
    if (status != TEMPER_OK)
        return status;
    while ((status = text_chunks_next(chunks, &chunk, copier->error)) == TEMPER_OK && chunk->length > 0) {
        status = copy_chunk(copier, chunk);
        if (status != TEMPER_OK)
            break;
        text_chunks_give_back(chunks, chunk);
    }
    text_chunks_close(chunks);
    if (status == TEMPER_OK && copier->found != copier->data->x.rows)
        return text_has_changed(copier);
    return status;
}

/* The copy replaces the target only when it is complete. */
temper_status text_copy(const struct dataset *data, const struct text_changes *changes, const char *path,
                        char weights[TEXT_COLUMN], temper_error *error)
{
    struct text_copier copier = {
        .data = data, .changes = changes, .error = error, .weights = weights, .header = data->file.header};
    weights[0] = '\0';
    if (strcmp(data->file.format, "libsvm") != 0) {
        csv_format_set(&copier.format, data->file.separator);
        if (changes->factor) /* a header gives it a name */
            snprintf(weights, TEXT_COLUMN, "%zu",
                     data->file.weight_column ? data->file.weight_column : data->schema->file_columns + 1);
    }
    TRY(atomic_file_open(path, &copier.sink, error));
    temper_status status = copy_chunks(&copier);
    if (status == TEMPER_OK)
        return atomic_file_commit(copier.sink, error);
    atomic_file_drop(copier.sink);
    return status;
}
