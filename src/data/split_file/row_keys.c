/* row_keys: one pass over the text. Classes and groups become numbers; times are kept as texts, since whether they are
 * numbers or dates, and in which order dates are written, is known only after the last row. */
#include "data/split_file/row_keys.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/quote_text.h"
#include "data/string_table.h"
#include "data/table/table_cells.h"

enum { FIRST_ROWS = 1024 };

/* The pass in progress. */
struct key_reader {
    const struct text_file *file;
    struct key_columns columns;
    struct row_keys *keys;
    size_t capacity; /* rows that the arrays have space for */
    struct string_table groups;
    struct text cell; /* workspace */
    bool full;        /* more classes than a table of them can have */
    temper_error *error;
};

void row_keys_free(struct row_keys *keys)
{
    mem_free(keys->class_of);
    classes_free(&keys->classes);
    mem_free(keys->group);
    mem_free(keys->time);
    text_free(&keys->time_text);
    mem_free(keys->time_start);
    *keys = (struct row_keys){0};
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Grows one array; false without memory. */
static bool grow_array(void **array, size_t count, size_t size)
{
    void *grown = mem_resize(*array, count, size);
    if (grown)
        *array = grown;
    return grown != NULL;
}

/* Makes space for twice the rows, in the arrays that are asked for. */
static temper_status grow(struct key_reader *reader)
{
    struct row_keys *keys = reader->keys;
    size_t capacity = reader->capacity ? 2 * reader->capacity : FIRST_ROWS;
    bool fine = true;
    if (reader->columns.stratify != CSV_NO_COLUMN)
        fine = grow_array((void **)&keys->class_of, capacity, sizeof *keys->class_of);
    if (fine && reader->columns.group != CSV_NO_COLUMN)
        fine = grow_array((void **)&keys->group, capacity, sizeof *keys->group);
    if (fine && reader->columns.time != CSV_NO_COLUMN)
        fine = grow_array((void **)&keys->time_start, capacity, sizeof *keys->time_start);
    if (!fine)
        return error_no_memory(reader->error);
    reader->capacity = capacity;
    return TEMPER_OK;
}

/* The class of the row; more than a table of classes can have are no classes. */
static temper_status take_class(struct key_reader *reader, const struct text_piece *piece)
{
    struct row_keys *keys = reader->keys;
    if (reader->full)
        return TEMPER_OK;
    TRY(text_piece_cell(reader->file, piece, reader->columns.stratify, &reader->cell, reader->error));
    uint32_t number = classes_add(&keys->classes, reader->cell.bytes ? reader->cell.bytes : "", reader->cell.length);
    if (number == CLASSES_NO_MEMORY)
        return error_no_memory(reader->error);
    reader->full = number == CLASSES_FULL;
    keys->class_of[keys->rows] = number;
    return TEMPER_OK;
}

/* Refuses a row without a value in the column of an option. */
static temper_status refuse_gap(const struct key_reader *reader, const struct text_piece *piece, const char *option)
{
    return error_set(reader->error, TEMPER_BAD_DATA,
                     "%s:%llu: the row has no value in the column of %s; fill it in, or remove the row",
                     place_text(reader->file->path).text, (unsigned long long)piece->number, option);
}

/* The number of the row's group. */
static temper_status take_group(struct key_reader *reader, const struct text_piece *piece)
{
    struct row_keys *keys = reader->keys;
    TRY(text_piece_cell(reader->file, piece, reader->columns.group, &reader->cell, reader->error));
    if (reader->cell.length == 0)
        return refuse_gap(reader, piece, "--group");
    uint32_t number = string_table_find(&reader->groups, reader->cell.bytes, reader->cell.length);
    if (number == UINT32_MAX) {
        number = (uint32_t)keys->groups++;
        if (!string_table_add(&reader->groups, reader->cell.bytes, reader->cell.length, number))
            return error_no_memory(reader->error);
    }
    keys->group[keys->rows] = number;
    return TEMPER_OK;
}

/* Keeps the text of the row's time. */
static temper_status take_time(struct key_reader *reader, const struct text_piece *piece)
{
    struct row_keys *keys = reader->keys;
    TRY(text_piece_cell(reader->file, piece, reader->columns.time, &reader->cell, reader->error));
    if (reader->cell.length == 0)
        return refuse_gap(reader, piece, "--time");
    keys->time_start[keys->rows] = keys->time_text.length;
    text_append_bytes(&keys->time_text, reader->cell.bytes, reader->cell.length);
    text_append_bytes(&keys->time_text, "", 1);
    return keys->time_text.failed ? error_no_memory(reader->error) : TEMPER_OK;
}

static temper_status take_row(void *context, const struct text_piece *piece)
{
    struct key_reader *reader = context;
    if (!piece->is_row)
        return TEMPER_OK;
    if (reader->keys->rows == reader->capacity)
        TRY(grow(reader));
    if (reader->columns.stratify != CSV_NO_COLUMN)
        TRY(take_class(reader, piece));
    if (reader->columns.group != CSV_NO_COLUMN)
        TRY(take_group(reader, piece));
    if (reader->columns.time != CSV_NO_COLUMN)
        TRY(take_time(reader, piece));
    reader->keys->rows++;
    return TEMPER_OK;
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* Whether all times are numbers, which are stored then. */
static bool are_numbers(struct row_keys *keys)
{
    for (size_t row = 0; row < keys->rows; row++) {
        const char *text = keys->time_text.bytes + keys->time_start[row];
        if (number_f64(text, text + strlen(text), &keys->time[row]) != NUMBER_OK)
            return false;
    }
    return true;
}

/* The same for dates in an order of day, month and year. */
static bool are_dates(struct row_keys *keys, enum date_order order)
{
    for (size_t row = 0; row < keys->rows; row++) {
        const char *text = keys->time_text.bytes + keys->time_start[row];
        struct cell_date date;
        if (!cell_date(text, text + strlen(text), order, &date) || !date.day)
            return false;
        keys->time[row] = date.days;
    }
    return true;
}

/* Reads the times as numbers, else as dates. Dates that can be read in two orders are refused, unless --date gives one:
 * another order would put other rows last. */
static temper_status read_times(const struct text_file *file, struct row_keys *keys, temper_error *error)
{
    enum date_order order, given = DATE_ORDERS;
    keys->time = mem_alloc(keys->rows, sizeof *keys->time);
    if (!keys->time)
        return error_no_memory(error);
    if (are_numbers(keys))
        return TEMPER_OK;
    if (file->options.date && !date_order_find(file->options.date, &given))
        return error_set(error, TEMPER_USAGE, "--date is none of ymd, dmy and mdy; pass one of them");
    if (given != DATE_ORDERS ? are_dates(keys, given) : are_dates(keys, DATE_YMD))
        return TEMPER_OK;
    if (given == DATE_ORDERS && are_dates(keys, DATE_DMY) && are_dates(keys, DATE_MDY))
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: dates of --time can be read with the day or the month first; pass --date dmy or mdy",
                         place_text(file->path).text);
    for (order = DATE_DMY; given == DATE_ORDERS && order <= DATE_MDY; order++)
        if (are_dates(keys, order))
            return TEMPER_OK;
    return error_set(error, TEMPER_BAD_DATA, "%s: the column of --time holds neither numbers nor dates; give another",
                     place_text(file->path).text);
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Classes that hardly recur cannot be distributed evenly: a number that is measured, or an identifier. */
static void drop_classes(struct key_reader *reader)
{
    struct row_keys *keys = reader->keys;
    if (!keys->class_of || (!reader->full && keys->classes.count * 2 <= keys->rows))
        return;
    snprintf(keys->note, sizeof keys->note,
             "not stratified: the column of the classes has %s%zu different values in %zu rows",
             reader->full ? "more than " : "", keys->classes.count, keys->rows);
    mem_free(keys->class_of);
    keys->class_of = NULL;
    classes_free(&keys->classes);
    keys->classes = (struct classes){0};
}

temper_status row_keys_read(const struct text_file *file, struct key_columns columns, struct row_keys *out,
                            temper_error *error)
{
    struct row_keys keys = {.path = file->path};
    struct key_reader reader = {.file = file, .columns = columns, .keys = &keys, .error = error};
    temper_status status = text_file_visit(file, take_row, &reader, error);
    if (status == TEMPER_OK && keys.rows < 2)
        status = error_set(error, TEMPER_BAD_DATA, "%s: %s cannot be divided; give a file with more rows",
                           place_text(file->path).text, keys.rows == 1 ? "one row" : "no rows");
    if (status == TEMPER_OK && columns.time != CSV_NO_COLUMN)
        status = read_times(file, &keys, error);
    if (status == TEMPER_OK)
        drop_classes(&reader);
    string_table_free(&reader.groups);
    text_free(&reader.cell);
    if (status == TEMPER_OK)
        *out = keys;
    else
        row_keys_free(&keys);
    return status;
}
