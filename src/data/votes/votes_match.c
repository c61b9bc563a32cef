/* votes_match: the items of votes as rows of data, by number or by a column of identifiers; classes as columns of a
 * table.
 *
 * Identifiers are read from the text of the data a second time, because they are no features and the dataset does not
 * keep them. The votes are then sorted again with rows in place of items: rows without votes become items without
 * votes, and two names of one row are joined. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/csv/csv_text_rows.h"
#include "data/quote_text.h"
#include "data/schema.h"
#include "data/votes/votes.h"

#define NO_ROW SIZE_MAX

/* A match in progress. */
struct votes_matcher {
    struct votes *votes;
    const struct dataset *data;
    const char *id;              /* the column; NULL: by number */
    size_t *row;                 /* of each item */
    struct text_numbers ids;     /* of rows, in the order of the file */
    size_t capacity;             /* of: */
    size_t *row_of_id;           /* NO_ROW: the row was dropped when it was read */
    struct csv_text_table table; /* the text of the data, for its identifiers */
    size_t column, next;         /* of the identifiers; the next row of the data */
};

/* ---- Identifiers of rows --------------------------------------------------------------------- */

/* Space for one more row, behind so many. */
static bool make_space(struct votes_matcher *matcher, size_t count)
{
    if (count < matcher->capacity)
        return true;
    size_t capacity = count ? 2 * count : 1024;
    size_t *grown = mem_resize(matcher->row_of_id, capacity, sizeof *grown);
    if (grown) {
        matcher->row_of_id = grown;
        matcher->capacity = capacity;
    }
    return grown != NULL;
}

/* Numbers the identifier of a line, and finds the row of the data that was read from it. Both ascend by line, so that
 * one pass over the two lists suffices (a merge). Identifiers that occur twice are refused, because a vote for one of
 * them would have two rows. */
static temper_status read_id(void *context, const struct csv_text_row *row, temper_error *error)
{
    struct votes_matcher *matcher = context;
    const struct dataset *data = matcher->data;
    const struct csv_cell *cell = &row->cell[matcher->column];
    size_t length, line, column, before = matcher->ids.count;
    const char *text = csv_cell_text(&matcher->table, cell, &length);
    uint32_t number = text ? text_numbers_add(&matcher->ids, text, length) : TEXT_NUMBERS_FULL;
    if (number == TEXT_NUMBERS_FULL || !make_space(matcher, before))
        return error_no_memory(error);
    if (number != before) {
        csv_text_place(row, matcher->column, &line, &column);
        return error_at(error, TEMPER_BAD_DATA, line, column,
                        "%s:%zu:%zu: '%s' occurs twice in %s; give every row an identifier of its own",
                        place_text(data->file.path).text, line, column, short_token(cell->from, cell->to).text,
                        csv_column_shown(&matcher->table.plan, matcher->column).text);
    }
    /* Rows of the data ascend by line; those that were dropped have none. */
    while (matcher->next < data->x.rows && data->line[matcher->next] < row->line)
        matcher->next++;
    bool there = matcher->next < data->x.rows && data->line[matcher->next] == row->line;
    matcher->row_of_id[number] = there ? matcher->next : NO_ROW;
    return TEMPER_OK;
}

/* Reads the column of identifiers from the text of the data. */
static temper_status read_ids(struct votes_matcher *matcher, temper_error *error)
{
    const struct dataset *data = matcher->data;
    bool table = data->file.path && data->line && strcmp(data->file.path, "-") != 0 &&
                 (strcmp(data->file.format, "csv") == 0 || strcmp(data->file.format, "tsv") == 0);
    if (!table)
        return error_set(error, TEMPER_USAGE,
                         "--id needs a table (csv, tsv) that can be read twice; give such a file, or number the items "
                         "by row, from 1");
    TRY(csv_text_table_open(data->file.path, data->file.format, &matcher->table, error));
    csv_text_table_header(&matcher->table, data->file.header);
    matcher->column = csv_text_column(&matcher->table, matcher->id);
    if (matcher->column == CSV_NO_COLUMN)
        return error_set(error, TEMPER_USAGE, "%s: no column '%s' for --id; give a name of the header or a number",
                         place_text(data->file.path).text, short_text(matcher->id).text);
    return csv_text_rows(&matcher->table, SIZE_MAX, read_id, matcher, error);
}

/* ---- Items ----------------------------------------------------------------------------------- */

/* "votes.csv:12: ", or "item 3: " of arrays. */
static void append_place(struct text *text, const struct votes *votes, size_t item)
{
    if (votes->path && votes->item_line)
        text_format(text, "%s:%llu: ", place_text(votes->path).text, (unsigned long long)votes->item_line[item]);
}

/* An item that is no row of the data. Names are shortened, so that the remedy fits into the message. */
static temper_status refuse_item(const struct votes_matcher *matcher, size_t item, temper_error *error)
{
    const struct votes *votes = matcher->votes;
    struct text place = {0};
    char number[32];
    size_t line = votes->item_line ? (size_t)votes->item_line[item] : 0;
    snprintf(number, sizeof number, "%zu", item + 1);
    const char *name = item < votes->item_names.count ? votes->item_names.name[item] : number;
    append_place(&place, votes, item);
    if (matcher->id)
        error_at(error, TEMPER_BAD_DATA, line, 0,
                 "%sitem '%s' is not in column '%.32s' of the data; remove its votes, or add the row",
                 place.bytes ? place.bytes : "", short_text(name).text, matcher->id);
    else
        error_at(error, TEMPER_BAD_DATA, line, 0,
                 "%sitem '%s' is no row of the data, which has rows 1 to %llu; number the items by row, or pass --id "
                 "COLUMN for the column of the data that names them",
                 place.bytes ? place.bytes : "", short_text(name).text, (unsigned long long)matcher->data->x.rows);
    text_free(&place);
    return TEMPER_BAD_DATA;
}

/* The row of an item; NO_ROW if there is none. Without --id the name of an item is the number of its row, from 1, or
 * the item has no name and its own number counts. With --id the name is looked up among the identifiers. */
static size_t row_of_item(const struct votes_matcher *matcher, size_t item)
{
    const struct votes *votes = matcher->votes;
    size_t rows = (size_t)matcher->data->x.rows;
    unsigned long long number;
    if (item >= votes->item_names.count)
        return !matcher->id && item < rows ? item : NO_ROW;
    const char *name = votes->item_names.name[item];
    if (!matcher->id)
        return number_u64(name, name + strlen(name), &number) && number >= 1 && number <= rows ? (size_t)number - 1
                                                                                               : NO_ROW;
    uint32_t id = string_table_find(&matcher->ids.table, name, strlen(name));
    return id == UINT32_MAX || !matcher->row_of_id ? NO_ROW : matcher->row_of_id[id];
}

/* Fills matcher->row. Two items of one row, such as 7 and 07, are two names of it: their votes are joined. */
static temper_status find_rows(struct votes_matcher *matcher, temper_error *error)
{
    for (size_t item = 0; item < matcher->votes->items; item++) {
        matcher->row[item] = row_of_item(matcher, item);
        if (matcher->row[item] == NO_ROW)
            return refuse_item(matcher, item, error);
    }
    return TEMPER_OK;
}

/* Names of the rows: their identifiers, or none. */
static temper_status name_rows(struct votes_matcher *matcher, struct names *names, temper_error *error)
{
    size_t rows = (size_t)matcher->data->x.rows;
    if (!matcher->id)
        return TEMPER_OK;
    names->name = (char **)mem_zeroed(rows, sizeof *names->name);
    if (!names->name)
        return error_no_memory(error);
    names->count = rows;
    for (size_t i = 0; i < matcher->ids.count; i++) {
        size_t row = matcher->row_of_id[i];
        if (row != NO_ROW && !copy_string(matcher->ids.name[i], &names->name[row]))
            return error_no_memory(error);
    }
    return TEMPER_OK;
}

/* ---- The votes by row ------------------------------------------------------------------------ */

/* Sorts the votes again, by row, into `made`, together with the names and first lines of the rows. */
static temper_status sort_by_row(struct votes_matcher *matcher, struct votes *made, temper_error *error)
{
    const struct votes *votes = matcher->votes;
    struct vote *list = mem_alloc(votes->count, sizeof *list);
    size_t count = 0;
    made->items = (size_t)matcher->data->x.rows;
    made->annotators = votes->annotators;
    made->item_line = mem_zeroed(made->items, sizeof *made->item_line);
    temper_status status =
        list && made->item_line ? name_rows(matcher, &made->item_names, error) : error_no_memory(error);
    for (size_t item = 0; status == TEMPER_OK && item < votes->items; item++) {
        size_t row = matcher->row[item];
        if (votes->item_line && made->item_line[row] == 0)
            made->item_line[row] = votes->item_line[item];
        for (size_t i = votes->item_start[item]; i < votes->item_start[item + 1]; i++)
            list[count++] = (struct vote){(uint32_t)row, votes->of_item[i].other, votes->of_item[i].label};
    }
    if (status == TEMPER_OK)
        status = votes_sort(made, list, count, error);
    mem_free(list);
    return status;
}

/* Moves what belongs to items from `made` to the votes, which keep their classes, annotators, path and notes. `made`
 * gets the old arrays, so that the caller frees them with it. Both counts are sums: two items that are the same row may
 * repeat or contradict each other. */
static void exchange_items(struct votes *votes, struct votes *made)
{
    struct votes old = *votes;
    *votes = *made;
    votes->classes = old.classes;
    votes->annotator_names = old.annotator_names;
    votes->path = old.path;
    votes->repeated += old.repeated;
    votes->contradicting = old.contradicting + made->contradicting;
    memcpy(votes->notes, old.notes, sizeof votes->notes);
    *made = old;
    made->classes = (struct classes){0};
    made->annotator_names = (struct names){0};
    made->path = NULL;
}

/* Rows that have no votes. */
static void note_rows(struct votes *votes)
{
    size_t without = 0;
    for (size_t i = 0; i < votes->items; i++)
        without += votes->item_start[i] == votes->item_start[i + 1];
    if (without)
        sentence_append(votes->notes, sizeof votes->notes, "votes: %s of the %s rows ha%s no label by an annotator",
                        count_shown(without).text, count_shown(votes->items).text, without == 1 ? "s" : "ve");
}

/* On success only, exchange_items replaces the items by the rows; a failure leaves the votes as they were. */
temper_status votes_match(struct votes *votes, const struct dataset *data, const char *id, temper_error *error)
{
    struct votes_matcher matcher = {.votes = votes, .data = data, .id = id};
    struct votes *made = mem_zeroed(1, sizeof *made);
    matcher.row = mem_alloc(votes->items, sizeof *matcher.row);
    temper_status status = made && matcher.row ? TEMPER_OK : error_no_memory(error);
    if (status == TEMPER_OK && id)
        status = read_ids(&matcher, error);
    if (status == TEMPER_OK)
        status = find_rows(&matcher, error);
    if (status == TEMPER_OK && made)
        status = sort_by_row(&matcher, made, error);
    if (status == TEMPER_OK && made) {
        exchange_items(votes, made);
        note_rows(votes);
    }
    votes_free(made);
    csv_text_table_free(&matcher.table);
    text_numbers_free(&matcher.ids);
    mem_free(matcher.row_of_id);
    mem_free(matcher.row);
    return status;
}

/* Whether the first line has a column for every class. Class names that are numbers look like a row of a table, so that
 * reading the table cannot decide; the votes, which have the classes, can. */
bool votes_name_columns(const struct votes *votes, const char *path)
{
    struct csv_text_table table;
    size_t found = 0;
    if (strcmp(path, "-") == 0 || csv_text_table_open(path, NULL, &table, NULL) != TEMPER_OK)
        return false;
    for (size_t c = 0; c < votes->classes.count; c++) {
        bool named = false;
        for (size_t j = 0; j < table.plan.names.count && !named; j++) {
            const char *name = table.plan.names.name[j];
            named = classes_find(&votes->classes, name, strlen(name)) == c;
        }
        found += named;
    }
    csv_text_table_free(&table);
    return found == votes->classes.count;
}
