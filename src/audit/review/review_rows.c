/* review_rows: reads the cells of the rows of a page from the file again, finds the column that has texts, and makes
 * pictures of rows that are images.
 *
 * The page has limits, so that a browser opens it quickly: up to 256 columns and two million cells all of a row is
 * shown; beyond, the columns that matter for the row and those that are not features. */
#include "audit/review/review_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/csv/csv_raw_rows.h"
#include "data/memory/page_window.h"
#include "report/png.h"
#include "report/review/review_page.h"

enum {
    ALL_COLUMNS = 256,        /* columns up to which all are shown */
    ALL_CELLS = 2000000,      /* and cells of all rows */
    OTHER_COLUMNS = 16,       /* of wide data: columns that are not features */
    CELL_LIMIT = 2000,        /* bytes of a cell */
    NEAR_TEXT_LIMIT = 240,    /* of the text of a nearest row */
    CELLS_LIMIT = 48 << 20,   /* bytes of all cells */
    PICTURES_LIMIT = 24 << 20 /* of all pictures */
};
/* A column of texts has cells of this mean length and number of blanks. */
static const double TEXT_LENGTH = 30, TEXT_BLANKS = 3;

/* ---- Cells of the file ----------------------------------------------------------------------- */

/* A row to read again, and the item or list entry that it is for. */
struct wanted_row {
    size_t row, index;
};

/* A reading in progress. */
struct cell_reader {
    const struct review_request *request;
    struct review_columns *columns;
    const struct review_evidence *evidence;
    struct review_rows *out;
    const struct wanted_row *wanted;
    char *unquoted; /* space for a cell */
    size_t capacity;
    double *length, *blanks; /* [columns]: sums over the cells of the items */
};

/* The text of a cell, valid until the next call; NULL without memory. */
static const char *cell_text(struct cell_reader *reader, const struct csv_cell *cell, size_t *length)
{
    *length = (size_t)(cell->to - cell->from);
    if (!cell->doubled)
        return cell->from;
    if (reader->capacity < *length) {
        char *grown = mem_resize(reader->unquoted, *length, 1);
        if (!grown)
            return NULL;
        reader->unquoted = grown;
        reader->capacity = *length;
    }
    *length = csv_unquote(cell, reader->unquoted);
    return reader->unquoted;
}

/* Appends a cell as a JSON string. */
static temper_status append_cell(struct cell_reader *reader, const struct csv_cell *cell, size_t limit)
{
    size_t length;
    const char *text = cell_text(reader, cell, &length);
    if (!text)
        return error_no_memory(reader->request->error);
    review_string(&reader->out->cells, text, length, limit);
    return TEMPER_OK;
}

/* Keeps the names of the columns. */
static temper_status take_header(struct cell_reader *reader, const struct csv_line *line)
{
    struct review_columns *columns = reader->columns;
    if (columns->header)
        return TEMPER_OK;
    columns->header = (char **)mem_zeroed(columns->count, sizeof *columns->header);
    for (size_t i = 0; columns->header && i < columns->count; i++) {
        size_t length;
        const char *text = cell_text(reader, &line->cell[i], &length);
        columns->header[i] = text ? mem_alloc(length + 1, 1) : NULL;
        if (!columns->header[i])
            return error_no_memory(reader->request->error);
        memcpy(columns->header[i], text, length);
        columns->header[i][length] = '\0';
    }
    return columns->header ? TEMPER_OK : error_no_memory(reader->request->error);
}

/* Whether a column is among the evidence of an item. */
static bool matters(const struct review_evidence *evidence, size_t column)
{
    for (size_t i = 0; i < evidence->count; i++)
        if (evidence->part[i].column == column)
            return true;
    return false;
}

/* Whether a cell of an item is kept; of wide data, `others` counts the columns that are not features. The label is
 * shown as such. */
static bool keeps_cell(const struct cell_reader *reader, size_t item, size_t column, size_t *others)
{
    const struct review_columns *columns = reader->columns;
    if (column == columns->data->schema->label_position)
        return false;
    if (!reader->out->wide)
        return true;
    if (!review_is_feature(columns, column))
        return (*others)++ < OTHER_COLUMNS;
    return matters(&reader->evidence[item], column);
}

/* Adds a cell to the statistics by which the column of texts is found. */
static void measure_cell(struct cell_reader *reader, size_t column, const struct csv_cell *cell)
{
    reader->length[column] += (double)(cell->to - cell->from);
    for (const char *p = cell->from; p < cell->to; p++)
        reader->blanks[column] += *p == ' ';
}

/* The cells of an item as an array: null for what is not kept, or pairs [column, text] of wide data. */
static temper_status take_item(void *context, size_t index, const struct csv_line *line)
{
    struct cell_reader *reader = context;
    struct review_rows *out = reader->out;
    size_t others = 0, from = out->cells.length;
    bool first = true;
    if (index == RAW_HEADER)
        return take_header(reader, line);
    size_t item = reader->wanted[index].index;
    if (from > CELLS_LIMIT)
        return TEMPER_OK;
    text_append(&out->cells, "[");
    for (size_t i = 0; i < line->count; i++) {
        bool kept = keeps_cell(reader, item, i, &others);
        if (out->wide && !kept)
            continue;
        text_append(&out->cells, first ? "" : ",");
        first = false;
        if (out->wide)
            text_format(&out->cells, "[%zu,", i);
        if (kept) {
            measure_cell(reader, i, &line->cell[i]);
            TRY(append_cell(reader, &line->cell[i], CELL_LIMIT));
        } else {
            text_append(&out->cells, "null");
        }
        text_append(&out->cells, out->wide ? "]" : "");
    }
    text_append(&out->cells, "]");
    out->cell[item] = (struct review_span){from, out->cells.length - from};
    return TEMPER_OK;
}

/* The text of a row of the list. */
static temper_status take_words(void *context, size_t index, const struct csv_line *line)
{
    struct cell_reader *reader = context;
    struct review_rows *out = reader->out;
    size_t from = out->cells.length;
    if (index == RAW_HEADER || from > CELLS_LIMIT)
        return TEMPER_OK;
    TRY(append_cell(reader, &line->cell[out->text_column], NEAR_TEXT_LIMIT));
    out->words[index] = (struct review_span){from, out->cells.length - from};
    return TEMPER_OK;
}

/* The column with the longest texts, if they are texts; its cells are read for the nearest rows too. */
static size_t find_text_column(const struct cell_reader *reader)
{
    size_t best = SIZE_MAX;
    double items = (double)reader->request->count;
    for (size_t i = 0; i < reader->columns->count; i++)
        if (reader->length[i] >= TEXT_LENGTH * items && reader->blanks[i] >= TEXT_BLANKS * items &&
            (best == SIZE_MAX || reader->length[i] > reader->length[best]))
            best = i;
    return best;
}

/* For qsort. */
static int by_row(const void *a, const void *b)
{
    const struct wanted_row *one = a, *other = b;
    return one->row < other->row ? -1 : one->row > other->row;
}

/* Reads the cells of the items, then the texts of all rows of the list. `row` and `wanted` are space for the items. */
static temper_status read_cells(struct cell_reader *reader, size_t *row, struct wanted_row *wanted)
{
    const struct review_request *request = reader->request;
    struct review_rows *out = reader->out;
    for (size_t i = 0; i < request->count; i++)
        wanted[i] = (struct wanted_row){request->items[i].row, i};
    qsort(wanted, request->count, sizeof *wanted, by_row);
    for (size_t i = 0; i < request->count; i++)
        row[i] = wanted[i].row;
    reader->wanted = wanted;
    const struct raw_rows items = {row, request->count, take_item, reader};
    TRY(csv_reread(request->data, &items, request->error));
    out->text_column = find_text_column(reader);
    const struct raw_rows all = {out->row, out->count, take_words, reader};
    return out->text_column == SIZE_MAX ? TEMPER_OK : csv_reread(request->data, &all, request->error);
}

/* Allocates for read_cells, and frees. */
static temper_status reread(const struct review_request *request, struct review_columns *columns,
                            const struct review_evidence *evidence, struct review_rows *out)
{
    struct cell_reader reader = {.request = request, .columns = columns, .evidence = evidence, .out = out};
    size_t *row = mem_alloc(request->count, sizeof *row);
    struct wanted_row *wanted = mem_alloc(request->count, sizeof *wanted);
    reader.length = mem_zeroed(columns->count, sizeof *reader.length);
    reader.blanks = mem_zeroed(columns->count, sizeof *reader.blanks);
    bool allocated = row && wanted && reader.length && reader.blanks;
    temper_status status = allocated ? read_cells(&reader, row, wanted) : error_no_memory(request->error);
    mem_free(row);
    mem_free(wanted);
    mem_free(reader.length);
    mem_free(reader.blanks);
    mem_free(reader.unquoted);
    return status;
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Bytes whose number is a square are taken for a picture where the format has no shape. */
bool review_picture_shape(const struct dataset *data, uint32_t shape[3])
{
    uint64_t side = (uint64_t)llround(sqrt((double)data->x.columns));
    if (data->x.kind != MATRIX_U8)
        return false;
    memcpy(shape, data->file.image_shape, sizeof data->file.image_shape);
    if (shape[2])
        return true;
    shape[0] = shape[1] = (uint32_t)side;
    shape[2] = 1;
    return side >= 4 && side * side == data->x.columns;
}

/* Pictures in progress. */
struct picture_maker {
    const struct review_request *request;
    struct review_rows *out;
    uint32_t shape[3];
    uint32_t made;
};

/* Appends a picture, and sets *number; the page has to have space for it. */
static void append_picture(struct picture_maker *maker, const struct picture *picture, uint32_t *number)
{
    struct text *out = &maker->out->pictures;
    if (out->length > PICTURES_LIMIT)
        return;
    text_append(out, maker->made ? ",\"" : "\"");
    png_append(out, picture);
    text_append(out, "\"");
    *number = maker->made++;
}

/* Makes the picture of a row, unless it exists. */
static void add_picture(struct picture_maker *maker, size_t row)
{
    const struct matrix *x = &maker->request->data->x;
    uint32_t *number = &maker->out->picture[review_rows_find(maker->out, row)];
    if (*number != REVIEW_NONE)
        return;
    page_window_rows(x, row, 1);
    const struct picture picture = {matrix_row(x, row).dense, maker->shape[0], maker->shape[1], maker->shape[2]};
    append_picture(maker, &picture, number);
}

/* Draws the evidence of all items, which are pictures. */
static temper_status draw_evidence(struct picture_maker *maker, const double *mean)
{
    const struct review_request *request = maker->request;
    size_t size = (size_t)maker->shape[0] * maker->shape[1];
    unsigned char *rgb = mem_alloc(3, size);
    const struct picture picture = {rgb, maker->shape[0], maker->shape[1], 3};
    if (!rgb)
        return error_no_memory(request->error);
    for (size_t i = 0; i < request->count; i++) {
        review_draw_evidence(request, mean, &request->items[i], size, rgb);
        append_picture(maker, &picture, &maker->out->drawn[i]);
    }
    mem_free(rgb);
    return TEMPER_OK;
}

/* The items first, then their evidence, then their nearest rows. */
static temper_status add_pictures(const struct review_request *request, const double *mean, struct review_rows *out)
{
    struct picture_maker maker = {.request = request, .out = out};
    size_t near = review_near_count(request);
    if (!review_picture_shape(request->data, maker.shape))
        return TEMPER_OK;
    for (size_t i = 0; i < request->count; i++)
        add_picture(&maker, request->items[i].row);
    if (mean)
        TRY(draw_evidence(&maker, mean));
    for (size_t i = 0; i < request->count; i++)
        for (size_t j = 0; j < near; j++)
            add_picture(&maker, request->neighbours[request->items[i].row * request->neighbour_count + j]);
    return TEMPER_OK;
}

/* ---- All of it ------------------------------------------------------------------------------- */

size_t review_near_count(const struct review_request *request)
{
    size_t known = request->neighbours ? request->neighbour_count : 0;
    return known < REVIEW_NEAR ? known : (size_t)REVIEW_NEAR;
}

size_t review_rows_find(const struct review_rows *rows, size_t row)
{
    size_t from = 0, to = rows->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (rows->row[middle] < row)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* For qsort. */
static int ascending_rows(const void *a, const void *b)
{
    size_t one = *(const size_t *)a, other = *(const size_t *)b;
    return one < other ? -1 : one > other;
}

/* Fills the list of the items and their nearest rows. */
static temper_status list_rows(const struct review_request *request, struct review_rows *out)
{
    size_t near = review_near_count(request), filled = 0;
    out->row = mem_alloc(request->count, (near + 1) * sizeof *out->row);
    if (!out->row)
        return error_no_memory(request->error);
    for (size_t i = 0; i < request->count; i++) {
        size_t row = request->items[i].row;
        out->row[filled++] = row;
        for (size_t j = 0; j < near; j++)
            out->row[filled++] = request->neighbours[row * request->neighbour_count + j];
    }
    qsort(out->row, filled, sizeof *out->row, ascending_rows);
    for (size_t i = 0; i < filled; i++)
        if (out->count == 0 || out->row[out->count - 1] != out->row[i])
            out->row[out->count++] = out->row[i];
    return TEMPER_OK;
}

temper_status review_rows_open(const struct review_request *request, struct review_columns *columns,
                               const struct review_evidence *evidence, const double *mean, struct review_rows *out)
{
    *out = (struct review_rows){.text_column = SIZE_MAX};
    out->wide = columns->count > ALL_COLUMNS || columns->count * request->count > ALL_CELLS ||
                request->data->x.kind == MATRIX_CSR;
    TRY(list_rows(request, out));
    out->cell = mem_zeroed(request->count, sizeof *out->cell);
    out->words = mem_zeroed(out->count, sizeof *out->words);
    out->picture = mem_alloc(out->count, sizeof *out->picture);
    out->drawn = mem_alloc(request->count, sizeof *out->drawn);
    if (!out->cell || !out->words || !out->picture || !out->drawn)
        return error_no_memory(request->error);
    for (size_t i = 0; i < out->count; i++)
        out->picture[i] = REVIEW_NONE;
    for (size_t i = 0; i < request->count; i++)
        out->drawn[i] = REVIEW_NONE;
    TRY(add_pictures(request, mean, out));
    return columns->raw ? reread(request, columns, evidence, out) : TEMPER_OK;
}

void review_rows_free(struct review_rows *rows)
{
    text_free(&rows->cells);
    text_free(&rows->pictures);
    mem_free(rows->cell);
    mem_free(rows->row);
    mem_free(rows->words);
    mem_free(rows->picture);
    mem_free(rows->drawn);
    *rows = (struct review_rows){0};
}
