/* arrow_read: plain numbers by copying columns, other tables by way of CSV. */
#include "data/arrow/arrow_read.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/csv/csv.h"
#include "data/csv/csv_source.h"
#include "data/from_arrays.h"
#include "data/quote_text.h"

enum { NUMBERS_AT_ONCE = 256 };

/* ---- Texts as cells ---------------------------------------------------------------------------- */

/* The cell that the reader of CSV would find: blanks around a text that needs no quotes are no part of it. */
static struct csv_cell cell_of(const char *from, const char *to)
{
    if (!csv_cell_needs_quotes(from, (size_t)(to - from))) {
        while (from < to && (*from == ' ' || *from == '\t'))
            from++;
        while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
            to--;
    }
    return (struct csv_cell){.from = from, .to = to};
}

/* The names of the columns as the cells of a header. False without memory. */
static bool make_header(const struct arrow_table *table, struct csv_line *line)
{
    line->cell = mem_alloc(table->columns, sizeof *line->cell);
    if (!line->cell)
        return false;
    for (size_t i = 0; i < table->columns; i++) {
        const char *name = table->column[i].name;
        line->cell[line->count++] = cell_of(name, name + strlen(name));
    }
    return true;
}

/* ---- Plain numbers ----------------------------------------------------------------------------- */

/* A table whose rows are copied. */
struct arrow_copy {
    const struct arrow_table *table;
    const struct csv_column_plan *plan;
    struct csv_rows *rows;
};

/* Whether a column has no gaps in any chunk. */
static bool is_complete(const struct arrow_table *table, const struct arrow_column *column)
{
    bool complete = true;
    for (size_t i = 0; complete && i < table->chunks; i++) {
        struct arrow_values values = arrow_column_values(table, column, i);
        complete = table->chunk[i].length == 0 || !arrow_may_have_gaps(&values);
    }
    return complete;
}

/* Whether all features are numbers without gaps, and no option asks for more than to copy them. */
static bool may_be_plain(const struct arrow_table *table, const struct csv_column_plan *plan)
{
    bool plain = table->rows > 0 && plan->inferred.gaps.count == 0;
    for (size_t i = 0; plain && i < table->columns; i++) {
        const struct arrow_column *column = &table->column[i];
        bool number = arrow_is_number(column) && is_complete(table, column);
        switch ((enum csv_role)plan->role[i]) {
        case CSV_FEATURE:
        case CSV_WEIGHT_COLUMN:
            plain = number;
            break;
        case CSV_LABEL:
            plain = is_complete(table, column);
            break;
        case CSV_CATEGORY:
        case CSV_CONVERTED:
            plain = false;
            break;
        case CSV_IGNORED:
            break;
        }
    }
    return plain;
}

/* Whether a double is rounded to a float otherwise than its decimals are, which are not exactly the number: it is half
 * way between two floats, or below the normal ones. */
static bool rounds_by_decimals(double value)
{
    enum { DROPPED = 29 }; /* bits of the fraction that a float has not */
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits & ((UINT64_C(1) << DROPPED) - 1)) == UINT64_C(1) << (DROPPED - 1) ||
           (value != 0 && fabs(value) < (double)FLT_MIN);
}

/* Stores one number; false if it is not finite. */
static bool store_number(const struct arrow_copy *copy, unsigned char *out, double value)
{
    float narrow = (float)value;
    if (!copy->plan->f64 && rounds_by_decimals(value)) {
        char text[NUMBER_LENGTH];
        number_f32(text, text + number_write_f64(value, text), &narrow);
    }
    memcpy(out, copy->plan->f64 ? (const void *)&value : (const void *)&narrow, copy->plan->cell_size);
    return copy->plan->f64 ? isfinite(value) : isfinite(narrow);
}

/* Stores numbers of consecutive rows in a slot of each, or as their weights; false if one is not allowed. */
static bool store_numbers(const struct arrow_copy *copy, const double *number, size_t row, size_t count, size_t slot)
{
    const struct csv_column_plan *plan = copy->plan;
    bool allowed = true;
    for (size_t i = 0; allowed && i < count; i++)
        if (slot == CSV_NO_COLUMN) {
            copy->rows->weight[row + i] = number[i];
            allowed = isfinite(number[i]) && number[i] >= 0;
        } else {
            unsigned char *out = copy->rows->cells + (row + i) * plan->row_size + slot * plan->cell_size;
            allowed = store_number(copy, out, number[i]);
        }
    return allowed;
}

/* Copies a column of features to its slot of every row, or one of weights (CSV_NO_COLUMN). *plain: all numbers are
 * allowed. */
static void copy_numbers(const struct arrow_copy *copy, const struct arrow_column *column, size_t slot, bool *plain)
{
    double number[NUMBERS_AT_ONCE];
    size_t row = 0;
    for (size_t k = 0; *plain && k < copy->table->chunks; k++) {
        struct arrow_values values = arrow_column_values(copy->table, column, k);
        size_t length = (size_t)copy->table->chunk[k].length;
        for (size_t done = 0, count; *plain && done < length; done += count, row += count) {
            count = length - done < NUMBERS_AT_ONCE ? length - done : NUMBERS_AT_ONCE;
            arrow_numbers(column, &values, done, count, number);
            *plain = store_numbers(copy, number, row, count, slot);
        }
    }
}

/* Whether a label is one: neither a gap nor an infinite number. */
static bool is_label(const struct csv_column_plan *plan, const struct csv_cell *cell)
{
    double ignored;
    enum number_result result = number_f64(cell->from, cell->to, &ignored);
    return !csv_is_gap(plan, cell, true) && result != NUMBER_NOT_FINITE && result != NUMBER_OVERFLOW;
}

/* Gives each row the code of its label. *plain: all have one. */
static temper_status copy_labels(const struct arrow_copy *copy, const struct arrow_column *column, bool *plain,
                                 temper_error *error)
{
    struct arrow_cell text;
    size_t row = 0;
    for (size_t k = 0; k < copy->table->chunks; k++) {
        struct arrow_values values = arrow_column_values(copy->table, column, k);
        for (size_t i = 0; i < (size_t)copy->table->chunk[k].length; i++, row++) {
            *plain = arrow_cell_text(column, &values, i, &text);
            struct csv_cell cell = *plain ? cell_of(text.from, text.to) : (struct csv_cell){.from = ""};
            *plain = *plain && is_label(copy->plan, &cell) && !memchr(cell.from, '\0', (size_t)(cell.to - cell.from));
            if (!*plain)
                return TEMPER_OK;
            uint32_t code = classes_add(&copy->rows->classes, cell.from, (size_t)(cell.to - cell.from));
            if (code == CLASSES_NO_MEMORY)
                return error_no_memory(error);
            *plain = code != CLASSES_FULL;
            if (!*plain)
                return TEMPER_OK;
            copy->rows->label[row] = code;
        }
    }
    return TEMPER_OK;
}

/* Copies all columns. */
static temper_status copy_columns(const struct arrow_copy *copy, bool *plain, temper_error *error)
{
    const struct csv_column_plan *plan = copy->plan;
    size_t slot = 0;
    for (size_t i = 0; *plain && i < plan->columns; i++) {
        const struct arrow_column *column = &copy->table->column[i];
        if (plan->role[i] == CSV_FEATURE)
            copy_numbers(copy, column, slot++, plain);
        else if (plan->role[i] == CSV_WEIGHT_COLUMN)
            copy_numbers(copy, column, CSV_NO_COLUMN, plain);
        else if (plan->role[i] == CSV_LABEL)
            TRY(copy_labels(copy, column, plain, error));
    }
    return TEMPER_OK;
}

/* Makes the rows. *plain: that is what the table is. */
static temper_status copy_table(const struct arrow_copy *copy, bool *plain, temper_error *error)
{
    size_t count = copy->table->rows;
    if (!csv_rows_start(copy->rows, copy->plan))
        return error_no_memory(error);
    csv_rows_expect(copy->rows, copy->plan, count);
    if (copy->rows->capacity < count)
        return error_no_memory(error);
    TRY(copy_columns(copy, plain, error));
    copy->rows->rows = copy->rows->lines = count;
    for (size_t i = 0; i < count; i++)
        copy->rows->line[i] = i + 1;
    if (copy->plan->inferred.wanted && csv_rows_are_suspect(copy->plan, copy->rows))
        *plain = false;
    return TEMPER_OK;
}

/* Decides what the columns are, by their names and the options. *plain: so far nothing speaks against it. */
static temper_status plan_columns(struct data_reader *reader, struct csv_column_plan *plan, bool *plain)
{
    struct csv_line line = {.count = 0};
    if (!make_header(reader->arrow, &line))
        return error_no_memory(reader->error);
    plan->path = reader->path;
    plan->origin = reader->origin;
    plan->header = plan->header_given = true;
    csv_format_set(&plan->format, ',');
    temper_status status = csv_columns_plan(plan, reader, &line);
    mem_free(line.cell);
    *plain = status == TEMPER_OK && may_be_plain(reader->arrow, plan);
    plan->inferred.applied = plan->inferred.applied || plan->inferred.wanted;
    return *plain ? csv_columns_finish(plan, reader) : status;
}

/* Reads the table if it is one of plain numbers. */
static temper_status read_plain(struct data_reader *reader, struct dataset *data, bool *plain)
{
    struct csv_column_plan plan = {.path = reader->path};
    struct csv_rows rows = {.spill = reader->spill};
    const struct arrow_copy copy = {reader->arrow, &plan, &rows};
    TRY(csv_check_options(reader));
    temper_status status = plan_columns(reader, &plan, plain);
    if (status == TEMPER_OK && *plain)
        status = copy_table(&copy, plain, reader->error);
    if (status == TEMPER_OK && *plain)
        status = csv_to_dataset(&plan, &rows, reader, data);
    csv_rows_free(&rows, &plan);
    csv_columns_free(&plan);
    return status;
}

/* ---- By way of CSV ----------------------------------------------------------------------------- */

/* The row that is converted next. */
struct arrow_rows {
    const struct arrow_table *table;
    struct arrow_values *values; /* of each column, in the present chunk */
    size_t chunk, row;           /* in that chunk */
    bool header;                 /* it was made */
};

static void free_rows(void *context)
{
    struct arrow_rows *rows = context;
    mem_free(rows->values);
    mem_free(rows);
}

static void append_header(const struct arrow_table *table, struct text *csv)
{
    for (size_t i = 0; i < table->columns; i++) {
        if (i > 0)
            text_append_bytes(csv, ",", 1);
        csv_append_cell(csv, table->column[i].name, strlen(table->column[i].name), table->columns == 1);
    }
    text_append_bytes(csv, "\n", 1);
}

/* Goes to the next chunk if the rows of the present one were converted; false after the last. */
static bool find_chunk(struct arrow_rows *rows)
{
    const struct arrow_table *table = rows->table;
    while (rows->chunk < table->chunks && rows->row == (size_t)table->chunk[rows->chunk].length) {
        rows->chunk++;
        rows->row = 0;
    }
    if (rows->chunk == table->chunks)
        return false;
    for (size_t i = 0; rows->row == 0 && i < table->columns; i++)
        rows->values[i] = arrow_column_values(table, &table->column[i], rows->chunk);
    return true;
}

/* csv_row_maker.append_line. */
static temper_status append_line(void *context, struct text *csv, bool *ended, temper_error *error)
{
    struct arrow_rows *rows = context;
    const struct arrow_table *table = rows->table;
    struct arrow_cell cell;
    (void)error;
    if (!rows->header) {
        append_header(table, csv);
        rows->header = true;
        return TEMPER_OK;
    }
    *ended = !find_chunk(rows);
    if (*ended)
        return TEMPER_OK;
    for (size_t i = 0; i < table->columns; i++) {
        if (i > 0)
            text_append_bytes(csv, ",", 1);
        bool value = arrow_cell_text(&table->column[i], &rows->values[i], rows->row, &cell);
        csv_append_cell(csv, value ? cell.from : "", value ? (size_t)(cell.to - cell.from) : 0, table->columns == 1);
    }
    text_append_bytes(csv, "\n", 1);
    rows->row++;
    return TEMPER_OK;
}

/* A source with the table as CSV. */
static temper_status open_csv(struct data_reader *reader)
{
    struct arrow_rows *rows = mem_zeroed(1, sizeof *rows);
    if (!rows)
        return error_no_memory(reader->error);
    rows->table = reader->arrow;
    rows->values = mem_alloc(reader->arrow->columns, sizeof *rows->values);
    if (!rows->values) {
        free_rows(rows);
        return error_no_memory(reader->error);
    }
    const struct csv_row_maker maker = {rows, append_line, free_rows};
    return csv_source_open(reader->path, &maker, &reader->source, reader->error);
}

/* ---- The reader -------------------------------------------------------------------------------- */

/* Arrays have no text: table_origin.find_column. */
static size_t no_column(const void *context, uint64_t line, size_t column)
{
    (void)context, (void)line, (void)column;
    return 0;
}

temper_status read_arrow(struct data_reader *reader, struct dataset *data)
{
    static const struct table_origin origin = {.find_column = no_column};
    temper_read_options options = *reader->options;
    const temper_read_options *given = reader->options;
    bool plain = false;
    options.header = "yes";
    options.separator = ",";
    reader->options = &options;
    reader->origin = &origin;
    temper_status status = read_plain(reader, data, &plain);
    if (status == TEMPER_OK && !plain) {
        status = open_csv(reader);
        if (status == TEMPER_OK)
            status = read_csv(reader, data);
    }
    reader->options = given;
    data->file.format = "arrow";
    return status;
}

/* ---- Lists without a copy ---------------------------------------------------------------------- */

/* Whether the table is one list of floats or doubles and perhaps a column of labels, which is *label then. */
static bool is_list(const struct arrow_table *table, const temper_read_options *options, size_t *label)
{
    size_t lists = 0, others = 0;
    const struct arrow_column *column = table->column;
    *label = CSV_NO_COLUMN;
    for (size_t i = 0; i < table->columns; i++) {
        lists += column[i].items > 0 && column[i].item == 0;
        others += column[i].items == 0;
        if (column[i].items == 0)
            *label = i;
    }
    const struct arrow_column *list = &column[*label == 0 ? 1 : 0];
    bool named = options->label && strcmp(options->label, "none") != 0 &&
                 (*label == CSV_NO_COLUMN || strcmp(options->label, column[*label].name) != 0);
    return lists == 1 && others <= 1 && table->chunks == 1 && table->rows > 0 && !named && !options->ignore &&
           !options->categorical && !options->text && !options->weights && !options->f64 &&
           (options->label || others == 1) && list->type.kind == ARROW_FLOAT && list->type.size >= 4 &&
           is_complete(table, list);
}

static void release_table(void *table)
{
    arrow_table_free(table);
}

/* The names of the items of the list. */
static temper_status name_items(const struct arrow_table *table, size_t first, struct dataset *data,
                                temper_error *error)
{
    size_t count = (size_t)data->x.columns;
    const char **name = (const char **)mem_alloc(count, sizeof *name);
    if (!name)
        return error_no_memory(error);
    for (size_t i = 0; i < count; i++)
        name[i] = table->column[first + i].name;
    temper_status status = dataset_name_features(data, name, error);
    mem_free((void *)name);
    return status;
}

/* The labels of the other column. *plain: all rows have one. */
static temper_status take_labels(const struct arrow_table *table, size_t label, struct dataset *data, bool *plain,
                                 temper_error *error)
{
    const struct csv_column_plan plan = {.path = table->name};
    struct csv_rows rows = {.label = mem_alloc(table->rows, sizeof *rows.label)};
    const struct arrow_copy copy = {table, &plan, &rows};
    *plain = true;
    temper_status status =
        rows.label ? copy_labels(&copy, &table->column[label], plain, error) : error_no_memory(error);
    data->label = rows.label;
    data->classes = rows.classes;
    return status == TEMPER_OK && *plain ? dataset_sort_classes(data, error) : status;
}

/* The matrix of the list, in its array; false if floats would not be aligned there. */
static bool find_matrix(const struct arrow_table *table, const struct arrow_column *list, struct matrix *x)
{
    struct arrow_values values = arrow_column_values(table, list, 0);
    const unsigned char *numbers = values.array->buffers[1];
    *x = (struct matrix){.kind = list->type.size == 8 ? MATRIX_F64 : MATRIX_F32,
                         .rows = table->rows,
                         .columns = list->items,
                         .dense = numbers + values.first * list->type.size};
    return (uintptr_t)x->dense % list->type.size == 0;
}

temper_status arrow_borrow_list(struct arrow_table *table, const temper_read_options *options, struct dataset **out,
                                temper_error *error)
{
    size_t label;
    struct matrix x;
    struct dataset *data = NULL;
    *out = NULL;
    if (!is_list(table, options, &label))
        return TEMPER_OK;
    size_t first = label == 0;
    bool none = options->label && strcmp(options->label, "none") == 0;
    bool plain = find_matrix(table, &table->column[first], &x);
    temper_status status = plain ? dataset_from_matrix(&x, NULL, &data, NULL) : TEMPER_BAD_DATA;
    if (status == TEMPER_OK)
        status = name_items(table, first, data, error);
    if (status == TEMPER_OK && label != CSV_NO_COLUMN && !none)
        status = take_labels(table, label, data, &plain, error);
    if (status == TEMPER_OK && plain) {
        data->storage.held = table;
        data->storage.release_held = release_table;
        data->file.format = "arrow";
        *out = data;
        return TEMPER_OK;
    }
    dataset_free(data);
    /* A number that is not finite is a gap: the table is to be read as others are. */
    return status == TEMPER_BAD_DATA ? TEMPER_OK : status;
}
