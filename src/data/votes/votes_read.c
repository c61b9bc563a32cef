/* votes_read: votes from a table in long or wide layout.
 *
 * Items, annotators and labels are numbered in the order of their first appearance while the rows are read, into one
 * list of votes; the classes are sorted at the end, and votes.c sorts the list. Both layouts produce the same list, so
 * that nothing behind this file depends on the layout. */
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/csv/csv_text_rows.h"
#include "data/quote_text.h"
#include "data/schema.h"
#include "data/votes/votes.h"
#include "data/votes/votes_layout.h"

/* A table of votes that is being read. */
struct votes_reader {
    struct csv_text_table table;
    struct votes_layout layout;
    struct text_numbers items, annotators;
    struct classes classes;
    struct vote *list;
    size_t count, capacity;
    uint64_t *item_line;
    size_t lines_kept, line_capacity;
    size_t gaps; /* long: rows without a label */
};

static void votes_reader_free(struct votes_reader *reader)
{
    csv_text_table_free(&reader->table);
    text_numbers_free(&reader->items);
    text_numbers_free(&reader->annotators);
    classes_free(&reader->classes);
    mem_free(reader->list);
    mem_free(reader->item_line);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* Appends a vote. */
static temper_status add_vote(struct votes_reader *reader, struct vote vote, temper_error *error)
{
    if (reader->count == reader->capacity) {
        size_t capacity = reader->capacity ? 2 * reader->capacity : 1024;
        struct vote *list = mem_resize(reader->list, capacity, sizeof *list);
        if (!list)
            return error_no_memory(error);
        reader->list = list;
        reader->capacity = capacity;
    }
    reader->list[reader->count++] = vote;
    return TEMPER_OK;
}

/* The number of an item or an annotator by the text of its cell, which must not be missing. */
static temper_status read_name(struct votes_reader *reader, const struct csv_text_row *row, size_t field,
                               struct text_numbers *texts, uint32_t *number, temper_error *error)
{
    const struct csv_cell *cell = &row->cell[field];
    size_t length, line, column;
    const char *text = csv_cell_text(&reader->table, cell, &length);
    if (length == 0) {
        csv_text_place(row, field, &line, &column);
        return error_at(error, TEMPER_BAD_DATA, line, column, "%s:%zu:%zu: no %s in %s; fill it in, or remove the line",
                        place_text(reader->table.plan.path).text, line, column,
                        texts == &reader->items ? "item" : "annotator",
                        csv_column_shown(&reader->table.plan, field).text);
    }
    *number = text ? text_numbers_add(texts, text, length) : TEXT_NUMBERS_FULL;
    return *number == TEXT_NUMBERS_FULL ? error_no_memory(error) : TEMPER_OK;
}

/* The class of a label, which is not missing. */
static temper_status read_label(struct votes_reader *reader, const struct csv_text_row *row, size_t field,
                                uint32_t *label, temper_error *error)
{
    const struct csv_cell *cell = &row->cell[field];
    double ignored;
    size_t length;
    const char *text = csv_cell_text(&reader->table, cell, &length);
    enum number_result number = number_f64(cell->from, cell->to, &ignored);
    if (number == NUMBER_NOT_FINITE || number == NUMBER_OVERFLOW)
        return csv_text_refuse(&reader->table, row, field, CSV_LABEL_NOT_FINITE, error);
    *label = text ? classes_add(&reader->classes, text, length) : CLASSES_NO_MEMORY;
    if (*label == CLASSES_FULL) {
        size_t line, column;
        csv_text_place(row, field, &line, &column);
        return error_at(error, TEMPER_BAD_DATA, line, column,
                        "%s:%zu:%zu: more than %s different labels; is %s a column of labels? name the columns by "
                        "--columns",
                        place_text(reader->table.plan.path).text, line, column, count_shown(MOST_CLASSES).text,
                        csv_column_shown(&reader->table.plan, field).text);
    }
    return *label == CLASSES_NO_MEMORY ? error_no_memory(error) : TEMPER_OK;
}

/* Keeps the line of an item that was not there before. */
static temper_status keep_line(struct votes_reader *reader, uint32_t item, uint64_t line, temper_error *error)
{
    if (item < reader->lines_kept)
        return TEMPER_OK;
    if (reader->lines_kept == reader->line_capacity) {
        size_t capacity = reader->line_capacity ? 2 * reader->line_capacity : 1024;
        uint64_t *grown = mem_resize(reader->item_line, capacity, sizeof *grown);
        if (!grown)
            return error_no_memory(error);
        reader->item_line = grown;
        reader->line_capacity = capacity;
    }
    reader->item_line[reader->lines_kept++] = line;
    return TEMPER_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* One line of a long table (csv_text_row_fn): one vote, or a gap where the label is missing. */
static temper_status read_long_row(void *context, const struct csv_text_row *row, temper_error *error)
{
    struct votes_reader *reader = context;
    const struct votes_layout *layout = &reader->layout;
    struct vote vote = {0};
    TRY(read_name(reader, row, layout->item, &reader->items, &vote.item, error));
    TRY(keep_line(reader, vote.item, row->line, error));
    TRY(read_name(reader, row, layout->annotator, &reader->annotators, &vote.annotator, error));
    /* An item without a label stays an item. */
    if (csv_is_missing(&row->cell[layout->label])) {
        reader->gaps++;
        return TEMPER_OK;
    }
    TRY(read_label(reader, row, layout->label, &vote.label, error));
    return add_vote(reader, vote, error);
}

/* The item of a row of a wide table. Its identifier must not occur twice: two rows would be two items. */
static temper_status read_wide_item(struct votes_reader *reader, const struct csv_text_row *row, uint32_t *item,
                                    temper_error *error)
{
    size_t column = reader->layout.item, line, place;
    *item = (uint32_t)reader->lines_kept;
    if (column == CSV_NO_COLUMN)
        return *item == UINT32_MAX ? error_no_memory(error) : TEMPER_OK;
    TRY(read_name(reader, row, column, &reader->items, item, error));
    if (*item == reader->lines_kept)
        return TEMPER_OK;
    csv_text_place(row, column, &line, &place);
    return error_at(error, TEMPER_BAD_DATA, line, place,
                    "%s:%zu:%zu: item '%s' is on line %llu already; join the lines, or pass --columns none if this is "
                    "a column of labels",
                    place_text(reader->table.plan.path).text, line, place,
                    short_token(row->cell[column].from, row->cell[column].to).text,
                    (unsigned long long)reader->item_line[*item]);
}

/* One line of a wide table (csv_text_row_fn): an item, and a vote for each annotator whose cell is not empty. Columns
 * are counted without that of the items, as name_annotators does. */
static temper_status read_wide_row(void *context, const struct csv_text_row *row, temper_error *error)
{
    struct votes_reader *reader = context;
    size_t columns = reader->table.plan.columns;
    struct vote vote = {0};
    TRY(read_wide_item(reader, row, &vote.item, error));
    TRY(keep_line(reader, vote.item, row->line, error));
    for (size_t i = 0, annotator = 0; i < columns; i++) {
        if (i == reader->layout.item)
            continue;
        vote.annotator = (uint32_t)annotator++;
        if (csv_is_missing(&row->cell[i]))
            continue;
        TRY(read_label(reader, row, i, &vote.label, error));
        TRY(add_vote(reader, vote, error));
    }
    return TEMPER_OK;
}

/* The annotators of a wide table are its columns; without a header they have their numbers. */
static temper_status name_annotators(struct votes_reader *reader, temper_error *error)
{
    const struct names *names = &reader->table.plan.names;
    for (size_t i = 0; i < reader->table.plan.columns; i++) {
        struct text name = {0};
        size_t before = reader->annotators.count;
        if (i == reader->layout.item)
            continue;
        if (i < names->count && names->name[i][0])
            text_append(&name, names->name[i]);
        else
            text_format(&name, "column %zu", i + 1);
        bool failed =
            name.failed || text_numbers_add(&reader->annotators, name.bytes, name.length) == TEXT_NUMBERS_FULL;
        text_free(&name);
        if (failed)
            return error_no_memory(error);
        if (reader->annotators.count == before)
            return error_set(error, TEMPER_BAD_DATA, "%s: two columns are called '%s'; give every annotator a name",
                             place_text(reader->table.plan.path).text, short_text(names->name[i]).text);
    }
    return TEMPER_OK;
}

/* ---- The result ------------------------------------------------------------------------------ */

/* Sentences on the layout, and on rows that do not count. */
static void note_layout(struct votes *votes, const struct votes_reader *reader)
{
    const struct csv_column_plan *plan = &reader->table.plan;
    const struct votes_layout *layout = &reader->layout;
    char *notes = votes->notes;
    size_t size = sizeof votes->notes;
    if (layout->wide)
        sentence_append(notes, size, "votes: wide layout, %zu annotator%s with a column each, %s%s; or --layout long",
                        votes->annotators, plural(votes->annotators),
                        layout->item == CSV_NO_COLUMN ? "items numbered by row" : "items by ",
                        layout->item == CSV_NO_COLUMN ? "" : csv_column_shown(plan, layout->item).text);
    else
        sentence_append(notes, size,
                        "votes: long layout, items by %s, annotators by %s, labels in %s; or --layout wide",
                        csv_column_shown(plan, layout->item).text, csv_column_shown(plan, layout->annotator).text,
                        csv_column_shown(plan, layout->label).text);
    if (!plan->header)
        sentence_append(notes, size, "votes: the first line is a row; pass --header yes if it holds names");
    if (reader->gaps)
        sentence_append(notes, size, "votes: %s line%s without a label", count_shown(reader->gaps).text,
                        plural(reader->gaps));
    if (votes->repeated)
        sentence_append(notes, size, "votes: %s repeat another and count%s once", count_shown(votes->repeated).text,
                        votes->repeated == 1 ? "s" : "");
    if (votes->contradicting)
        sentence_append(notes, size, "votes: %s time%s an annotator gave an item a second label; both count",
                        count_shown(votes->contradicting).text, plural(votes->contradicting));
}

/* Takes the names from the texts. */
static void take_names(struct text_numbers *texts, struct names *names)
{
    *names = (struct names){texts->name, texts->count};
    texts->name = NULL;
    texts->count = 0;
}

/* Sorts the classes, and gives every vote the new number of its label. */
static temper_status sort_classes(struct votes_reader *reader, temper_error *error)
{
    uint32_t *new_number = mem_alloc(reader->classes.count, sizeof *new_number);
    if (!new_number)
        return error_no_memory(error);
    temper_status status = classes_sort(&reader->classes, new_number, error);
    for (size_t i = 0; status == TEMPER_OK && i < reader->count; i++)
        reader->list[i].label = new_number[reader->list[i].label];
    mem_free(new_number);
    return status;
}

/* Turns the list into sorted votes, and moves names, classes and lines out of the reader, which frees only what it
 * keeps. A wide table without identifiers has no item names: its items are counted by lines_kept. */
static temper_status make_votes(struct votes_reader *reader, struct votes *votes, temper_error *error)
{
    const char *path = reader->table.plan.path;
    if (reader->count == 0)
        return error_set(error, TEMPER_BAD_DATA, "%s: no labels; give at least one", place_text(path).text);
    TRY(sort_classes(reader, error));
    votes->items = reader->lines_kept;
    votes->annotators = reader->annotators.count;
    TRY(votes_sort(votes, reader->list, reader->count, error));
    if (!copy_string(path, &votes->path))
        return error_no_memory(error);
    note_layout(votes, reader);
    take_names(&reader->items, &votes->item_names);
    take_names(&reader->annotators, &votes->annotator_names);
    votes->classes = reader->classes;
    votes->item_line = reader->item_line;
    reader->classes = (struct classes){0};
    reader->item_line = NULL;
    return TEMPER_OK;
}

/* The steps in order. */
static temper_status read_table(struct votes_reader *reader, const temper_votes_options *options, struct votes *votes,
                                temper_error *error)
{
    TRY(votes_layout_find(&reader->table, options, &reader->layout, error));
    if (reader->layout.wide)
        TRY(name_annotators(reader, error));
    TRY(csv_text_rows(&reader->table, SIZE_MAX, reader->layout.wide ? read_wide_row : read_long_row, reader, error));
    return make_votes(reader, votes, error);
}

/* The reader is freed after a success too: make_votes has taken from it what the votes keep. */
temper_status votes_read(const char *path, const temper_votes_options *options, struct votes **out, temper_error *error)
{
    struct votes_reader reader = {0};
    struct votes *votes = mem_zeroed(1, sizeof *votes);
    temper_status status =
        votes ? csv_text_table_open(path, options->format, &reader.table, error) : error_no_memory(error);
    if (status == TEMPER_OK) {
        status = read_table(&reader, options, votes, error);
        votes_reader_free(&reader);
    }
    if (status == TEMPER_OK)
        *out = votes;
    else
        votes_free(votes);
    return status;
}
