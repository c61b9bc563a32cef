/* text_edit: copies the text that a dataset was read from, byte for byte, without some rows, with other labels or with
 * weights; chunk by chunk, from the file to a new one.
 *
 * The dataset has the line of each of its rows, ascending, so that one pass over the file finds them again, and each is
 * a span of bytes. A changed label or weight replaces a span within it; everything else is copied as it is. The file
 * may have been changed since it was read: a row that is not found at its line, or has another number of cells, ends
 * the copy with an error and leaves the target as it was. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/json/json_write.h"
#include "base/number.h"
#include "base/text.h"
#include "data/csv/csv.h"
#include "data/jsonl/jsonl_line.h"
#include "data/quote_text.h"
#include "data/read/format.h"
#include "data/read/line_reader.h"
#include "data/read/text_chunks.h"
#include "data/schema.h"
#include "data/write/text_edit.h"

/* A copy in progress. Rows are found again by their line numbers, which the reader has recorded in data->line. */
struct text_copier {
    const struct dataset *data;
    const struct text_changes *changes;
    struct atomic_file *sink;
    temper_error *error;
    char *weights;            /* [TEXT_COLUMN] */
    uint64_t lines;           /* before the current position */
    size_t row, found;        /* the next row to look for; rows that were found */
    const char *end;          /* of the bytes of the file: a newline may have been added there */
    struct csv_format format; /* of a CSV table; else it has no separator */
    bool objects;             /* JSON lines */
    bool header;              /* is still to come */
};

/* A span [from, to) of a line that is replaced by `text`. */
struct text_edit {
    const char *from, *to;
    const char *text;
    size_t length;
};

#define TEXT_NO_ROW SIZE_MAX

/* Whether the target has the format of the source: by its name if one is given, else by the extension. The same
 * extension is enough, because table.csv may have tabs and is still to be copied as it is. */
static bool keeps_format(const struct dataset *data, const char *path, const char *format)
{
    const struct format *own = format_named(data->file.format);
    const struct format *by_name = format_of_path(path);
    if (format)
        return format_named(format) == own;
    return by_name && (by_name == own || by_name == format_of_path(data->file.path));
}

/* Whether the text that the data was read from can be copied with changes. It must be a regular file with its labels
 * inside, read by one process, and the columns of a table must be known. */
bool text_can_copy(const struct dataset *data, const char *path, const char *format)
{
    struct stat there;
    bool objects = strcmp(data->file.format, "jsonl") == 0;
    bool table = strcmp(data->file.format, "csv") == 0 || strcmp(data->file.format, "tsv") == 0 || objects;
    if (!table && strcmp(data->file.format, "libsvm") != 0)
        return false;
    if (objects && data->file.weight_column > 0) /* of which the key is not known here */
        return false;
    if (!data->file.separator || !data->line || !data->label || data->file.separate_labels || data->ranks.comm)
        return false;
    if (data->file.reencoded || data->file.short_header)
        return false;
    if (table && (!data->schema || data->schema->label_position == SCHEMA_NO_LABEL))
        return false;
    if (stat(data->file.path, &there) != 0 || !S_ISREG(there.st_mode)) /* what came by a pipe is gone */
        return false;
    return keeps_format(data, path, format);
}

/* ---- What the formats share ------------------------------------------------------------------ */

/* The file differs from what was read. Copying it would change the wrong rows. */
static temper_status text_has_changed(const struct text_copier *copier)
{
    return error_set(copier->error, TEMPER_BAD_DATA, "%s: has changed since it was read; audit it again",
                     place_text(copier->data->file.path).text);
}

/* The index of the row that begins on a line, or TEXT_NO_ROW: blank lines, comments and dropped rows have none. Lines
 * must be passed in ascending order, so that the whole search takes linear time. */
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

/* Copies the bytes [from, to), except the newline that copy_chunk has added after the last line. */
static temper_status text_put(struct text_copier *copier, const char *from, const char *to)
{
    if (to > copier->end)
        to = copier->end;
    return from < to ? atomic_file_write(copier->sink, from, (size_t)(to - from), copier->error) : TEMPER_OK;
}

/* Copies the line [from, to) with one span replaced. */
static temper_status text_put_edited(struct text_copier *copier, const char *from, const char *to,
                                     const struct text_edit *edit)
{
    TRY(text_put(copier, from, edit->from));
    TRY(atomic_file_write(copier->sink, edit->text, edit->length, copier->error));
    return text_put(copier, edit->to, to);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* A row of a table in the text, and the cells of it that may change. */
struct csv_row_text {
    const char *from, *next; /* of the row; `next` is behind its newline */
    const char *end;         /* before its newline */
    struct csv_cell label, weight;
    size_t columns;
};

/* Scans the row at p and locates the cells of the label and the weight. Any difference from what the reader has seen,
 * an error or another number of columns, means that the file has changed. */
static temper_status scan_row(struct text_copier *copier, const char *p, const char *to, struct csv_row_text *found)
{
    const struct dataset *data = copier->data;
    struct csv_cell cell = {.next = p};
    *found = (struct csv_row_text){.from = p};
    while (!cell.ends_line) {
        if (csv_scan(&copier->format, cell.next, to, &cell) != CSV_FINE)
            return text_has_changed(copier);
        /* Positions of the schema count from 0, weight_column from 1 (0: there is none). */
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

/* Whether the header has this name. Names are compared without unquoting, since a cell with doubled quotes cannot be
 * one of the names that are tried. */
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

/* Chooses the name of the new weight column: "weight", else "weight_2" and so on. It must not exist in the header,
 * since a second column of one name could not be selected by an option. */
static temper_status name_column(struct text_copier *copier, const struct csv_row_text *found)
{
    struct csv_line line = {0};
    temper_status status = TEMPER_OK;
    snprintf(copier->weights, TEXT_COLUMN, "weight");
    enum csv_error_kind kind = csv_line_read(&copier->format, found->from, found->next, &line);
    if (kind != CSV_FINE)
        status = kind == CSV_MEMORY ? error_no_memory(copier->error) : text_has_changed(copier);
    /* Ends, because the header has finitely many names. */
    for (size_t i = 2; status == TEMPER_OK && has_name(&line, copier->weights); i++)
        snprintf(copier->weights, TEXT_COLUMN, "weight_%zu", i);
    csv_line_free(&line);
    return status;
}

/* Copies the row with one more cell before its line end. */
static temper_status append_cell(struct text_copier *copier, const struct csv_row_text *found, const char *cell)
{
    char text[TEXT_COLUMN + 1];
    int length = snprintf(text, sizeof text, "%c%s", copier->format.separator, cell);
    struct text_edit edit = {found->end, found->end, text, (size_t)length};
    return text_put_edited(copier, found->from, found->next, &edit);
}

/* Copies the header; if the rows get a new column of weights, its name is appended. */
static temper_status copy_header(struct text_copier *copier, const struct csv_row_text *found)
{
    copier->header = false;
    if (!copier->changes->factor || copier->data->file.weight_column)
        return text_put(copier, found->from, found->next);
    TRY(name_column(copier, found));
    return append_cell(copier, found, copier->weights);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Copies a row with another label. The new label keeps the quotes of the cell, and gets quotes if it needs them. */
static temper_status relabel(struct text_copier *copier, const struct csv_row_text *found, uint32_t label)
{
    const char *name = copier->data->classes.name[label];
    const struct csv_cell *cell = &found->label;
    struct text text = {0};
    csv_append_text(&text, name, cell->quoted);
    temper_status status = text.failed ? error_no_memory(copier->error) : TEMPER_OK;
    /* The span includes the quotes of the cell, which csv_append_text writes again. */
    struct text_edit edit = {cell->from - cell->quoted, cell->to + cell->quoted, text.bytes, text.length};
    if (status == TEMPER_OK)
        status = text_put_edited(copier, found->from, found->next, &edit);
    text_free(&text);
    return status;
}

/* Copies a row with the number in its weight column multiplied. A factor of 1 leaves the number as it is written. */
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

/* Copies a row with its weight: multiplied in the existing column, else in a new cell at the end, which every row gets.
 * Rows that were dropped when reading have factor 1. */
static temper_status weigh(struct text_copier *copier, const struct csv_row_text *found, size_t row)
{
    const struct dataset *data = copier->data;
    double factor = row == TEXT_NO_ROW ? 1 : copier->changes->factor[row];
    char text[NUMBER_LENGTH];
    if (data->file.weight_column)
        return multiply(copier, found, factor);
    /* Weights from another file become part of the new column. */
    if (row != TEXT_NO_ROW && data->weight)
        factor *= data->weight[row];
    number_write_f64(factor, text);
    return append_cell(copier, found, text);
}

/* Drops, relabels, weighs or copies one row. A row may take several lines of the file, because quoted cells contain
 * newlines. */
static temper_status copy_row(struct text_copier *copier, const struct csv_row_text *found)
{
    const struct text_changes *changes = copier->changes;
    /* A row is recorded with the line that it begins on. */
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

/* Copies a line before the table; *next is after it. */
static temper_status copy_skipped(struct text_copier *copier, const char *line, const char *to, const char **next)
{
    const char *newline = memchr(line, '\n', (size_t)(to - line));
    *next = newline ? newline + 1 : to;
    copier->lines++;
    return text_put(copier, line, *next);
}

/* Copies all rows of a chunk [from, to) of a table; blank lines between them are kept. */
static temper_status csv_copy(struct text_copier *copier, const char *from, const char *to)
{
    temper_status status = TEMPER_OK;
    while (status == TEMPER_OK) {
        struct csv_row_text found;
        /* Blank lines count, and are copied. */
        const char *row = csv_skip_blank_lines(&copier->format, from, to, &copier->lines);
        status = text_put(copier, from, row);
        if (status != TEMPER_OK || row == to)
            return status;
        if (copier->lines < copier->data->file.skipped_lines) {
            status = copy_skipped(copier, row, to, &from);
            continue;
        }
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

/* ---- JSON lines ------------------------------------------------------------------------------ */

/* Copies an object with another label. A number or a word stays one if the new label is one too. */
static temper_status relabel_object(struct text_copier *copier, const char *from, const char *to, uint32_t label)
{
    const char *name = copier->data->classes.name[label];
    struct jsonl_line line;
    struct jsonl_member member;
    struct text text = {0};
    const char *key = copier->data->schema->label;
    jsonl_line_open(&line, from, to);
    do {
        if (!jsonl_line_next(&line, &member))
            return text_has_changed(copier);
    } while (!jsonl_string_is(&member.key, key));
    if (member.kind != JSONL_TEXT && jsonl_is_word(name))
        text_append(&text, name);
    else
        json_write_string(&text, name);
    struct text_edit edit = {member.from, member.to, text.bytes, text.length};
    temper_status status = text.failed ? error_no_memory(copier->error) : text_put_edited(copier, from, to, &edit);
    text_free(&text);
    return status;
}

/* Copies an object with one more key, its weight. Rows that were dropped when reading have factor 1. */
static temper_status weigh_object(struct text_copier *copier, const char *from, const char *to, size_t row)
{
    const struct dataset *data = copier->data;
    double factor = row == TEXT_NO_ROW ? 1 : copier->changes->factor[row];
    char text[TEXT_COLUMN + NUMBER_LENGTH + 8], number[NUMBER_LENGTH];
    const char *brace = to - 1;
    while (brace > from && *brace != '}')
        brace--;
    if (*brace != '}')
        return text_put(copier, from, to); /* a blank line */
    if (row != TEXT_NO_ROW && data->weight)
        factor *= data->weight[row];
    number_write_f64(factor, number);
    int length = snprintf(text, sizeof text, ", \"%s\": %s", copier->weights, number);
    struct text_edit edit = {brace, brace, text, (size_t)length};
    return text_put_edited(copier, from, to, &edit);
}

/* Whether an object of the file has this key. */
static temper_status find_key(const struct text_copier *copier, const char *key, bool *found)
{
    struct lines lines;
    const char *text = "";
    size_t length;
    struct jsonl_line line;
    struct jsonl_member member;
    *found = false;
    TRY(lines_open(copier->data->file.path, &lines, copier->error));
    temper_status status = TEMPER_OK;
    while (status == TEMPER_OK && text && !*found) {
        status = lines_next(&lines, &text, &length, copier->error);
        if (status != TEMPER_OK || !text)
            break;
        jsonl_line_open(&line, text, text + length);
        while (!*found && jsonl_line_next(&line, &member))
            *found = jsonl_string_is(&member.key, key);
    }
    lines_close(&lines);
    return status;
}

/* Chooses the key of the weights: "weight", else "weight_2" and so on. */
static temper_status name_key(struct text_copier *copier)
{
    bool found = true;
    for (size_t i = 1; found; i++) {
        if (i == 1)
            snprintf(copier->weights, TEXT_COLUMN, "weight");
        else
            snprintf(copier->weights, TEXT_COLUMN, "weight_%zu", i);
        TRY(find_key(copier, copier->weights, &found));
    }
    return TEMPER_OK;
}

/* ---- libsvm text ----------------------------------------------------------------------------- */

/* Copies a line of libsvm text with its first word, the label, replaced. */
static temper_status relabel_line(struct text_copier *copier, const char *from, const char *to, uint32_t label)
{
    const char *name = copier->data->classes.name[label];
    struct text_edit edit = {.from = from, .text = name, .length = strlen(name)};
    /* The blanks that the libsvm reader skips. */
    while (edit.from < to && strchr(" \t\r\v\f", *edit.from))
        edit.from++;
    for (edit.to = edit.from; edit.to < to && !strchr(" \t\r\v\f\n#", *edit.to);)
        edit.to++;
    return text_put_edited(copier, from, to, &edit);
}

/* Drops, relabels, weighs or copies one line: a row of libsvm text, which has no weights, or an object. */
static temper_status copy_line(struct text_copier *copier, const char *from, const char *to)
{
    const struct text_changes *changes = copier->changes;
    size_t row = text_row_at(copier, ++copier->lines);
    if (row != TEXT_NO_ROW && changes->dropped && changes->dropped[row])
        return TEMPER_OK;
    if (row != TEXT_NO_ROW && changes->label && changes->label[row] != copier->data->label[row])
        return copier->objects ? relabel_object(copier, from, to, changes->label[row])
                               : relabel_line(copier, from, to, changes->label[row]);
    if (changes->factor && copier->objects)
        return weigh_object(copier, from, to, row);
    return text_put(copier, from, to);
}

/* All lines of a chunk of libsvm text or of objects. */
static temper_status lines_copy(struct text_copier *copier, const char *from, const char *to)
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

/* Copies one chunk, with the byte order mark of the first one. The last line of a table gets a newline for the scan, in
 * the zero bytes after the chunk; text_put does not copy it. */
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
    return table ? csv_copy(copier, from, to) : lines_copy(copier, from, to);
}

/* Copies the whole file. Every row must have been found again; if not, the file has changed. */
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

/* Copies the text of `data` with `changes`. `weights` receives the option value that selects the weight column of the
 * copy, its name or number; it is empty if there is none. */
temper_status text_copy_to(const struct dataset *data, const struct text_changes *changes, struct atomic_file *sink,
                           char weights[TEXT_COLUMN], temper_error *error)
{
    struct text_copier copier = {.data = data,
                                 .changes = changes,
                                 .sink = sink,
                                 .error = error,
                                 .weights = weights,
                                 .header = data->file.header};
    weights[0] = '\0';
    copier.objects = strcmp(data->file.format, "jsonl") == 0;
    if (copier.objects && changes->factor)
        TRY(name_key(&copier));
    if (!copier.objects && strcmp(data->file.format, "libsvm") != 0) {
        csv_format_set(&copier.format, data->file.separator);
        /* The number of the weight column; copy_header replaces it by a name if there is a header. */
        if (changes->factor) /* a header gives it a name */
            snprintf(weights, TEXT_COLUMN, "%zu",
                     data->file.weight_column ? data->file.weight_column : data->schema->file_columns + 1);
    }
    return copy_chunks(&copier);
}

/* The target is replaced only when the copy is complete. */
temper_status text_copy(const struct dataset *data, const struct text_changes *changes, const char *path,
                        char weights[TEXT_COLUMN], temper_error *error)
{
    struct atomic_file *sink;
    TRY(atomic_file_open(path, &sink, error));
    temper_status status = text_copy_to(data, changes, sink, weights, error);
    if (status == TEMPER_OK)
        return atomic_file_commit(sink, error);
    atomic_file_drop(sink);
    return status;
}
