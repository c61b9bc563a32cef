/* csv_copy: lines of a table, without some rows, with other labels, or with weights. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "data/schema.h"
#include "data/write/text_edit.h"

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
