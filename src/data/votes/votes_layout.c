/* votes_layout: finds the layout of a table of votes from options, the words of its header, and its first rows.
 *
 * Options are certain, words of the header nearly so, and the contents of the first rows decide the rest: counts of
 * distinct texts in the first column, in the first two columns together, and in the columns of labels. Nothing is
 * guessed silently: votes_read notes the layout and the option that would choose the other one. */
#include "data/votes/votes_layout.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "data/name_list.h"
#include "data/quote_text.h"
#include "data/votes/votes.h"

enum { ROWS_EXAMINED = 10000, LONG_COLUMNS = 3 };

/* Words for the columns, those that are most certain first. Blanks and the case of letters do not matter. */
static const char *const item_words[] = {"item",      "item_id", "task",       "task_id",  "row",         "row_id",
                                         "id",        "example", "example_id", "question", "question_id", "object",
                                         "object_id", "unit",    "unit_id",    "document", "document_id", "sample",
                                         "sample_id", "image",   "image_id",   "index",    NULL};
static const char *const annotator_words[] = {
    "annotator", "annotator_id", "worker", "worker_id", "rater",  "rater_id",  "user",        "user_id",
    "labeler",   "labeller",     "coder",  "judge",     "expert", "performer", "participant", NULL};
static const char *const label_words[] = {"label",     "answer",   "response", "vote",   "annotation",
                                          "class",     "category", "rating",   "choice", "judgment",
                                          "judgement", "value",    NULL};

/* The column whose name is one of the words, the earliest word first; CSV_NO_COLUMN if there is none. */
static size_t column_of_words(const struct names *names, const char *const *words)
{
    for (; *words; words++)
        for (size_t i = 0; i < names->count; i++)
            if (text_alike(names->name[i], *words))
                return i;
    return CSV_NO_COLUMN;
}

/* ---- The header ------------------------------------------------------------------------------ */

/* Compares rows with the first line. */
struct first_line_search {
    const struct names *names;
    bool first; /* the first line itself is next */
    bool found; /* one of its cells occurs again in its column */
};

/* Whether a later row has the same text as the first line, in the same column. A name of a column hardly occurs among
 * its values; an identifier or a label does. Missing cells do not count, and the first line, which comes first, is not
 * compared with itself. */
static temper_status compare_first(void *context, const struct csv_text_row *row, temper_error *error)
{
    struct first_line_search *search = context;
    (void)error;
    for (size_t i = 0; i < search->names->count && !search->first && !search->found; i++)
        search->found = !csv_is_missing(&row->cell[i]) &&
                        csv_cell_is(&row->cell[i], search->names->name[i], strlen(search->names->name[i]));
    search->first = false;
    return TEMPER_OK;
}

/* Whether an item of --columns is a name of the first line. */
static bool is_named(const struct names *names, const struct list *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        for (size_t k = 0; k < names->count; k++)
            if (strcmp(columns->item[i].name, names->name[k]) == 0)
                return true;
    return false;
}

/* Decides by --header; else by the words of the first line or a name that --columns gives, which need no row; else by
 * comparing the first line with up to ROWS_EXAMINED rows: if no cell of it occurs again, it is a header. */
static temper_status find_header(struct csv_text_table *table, const char *given, const struct list *columns,
                                 temper_error *error)
{
    const struct names *names = &table->plan.names;
    struct first_line_search search = {names, true, false};
    bool words = column_of_words(names, item_words) != CSV_NO_COLUMN ||
                 column_of_words(names, annotator_words) != CSV_NO_COLUMN ||
                 column_of_words(names, label_words) != CSV_NO_COLUMN;
    bool header = words || is_named(names, columns);
    if (given && strcmp(given, "auto") != 0) {
        header = strcmp(given, "yes") == 0;
        if (!header && strcmp(given, "no") != 0)
            return error_set(error, TEMPER_USAGE, "--header is none of yes, no and auto; pass one of them");
    } else if (!header) {
        TRY(csv_text_rows(table, ROWS_EXAMINED, compare_first, &search, error));
        header = !search.found;
    }
    csv_text_table_header(table, header);
    return TEMPER_OK;
}

/* ---- The first rows -------------------------------------------------------------------------- */

/* What the first rows have in common. */
struct votes_sample {
    struct csv_text_table *table;
    size_t rows;
    bool gaps;                  /* in the first column */
    struct text_numbers first;  /* texts of the first column, */
    struct text_numbers pairs;  /* of the first two together, */
    struct text_numbers others; /* of all but the first; of three columns, of the last */
};

static void votes_sample_free(struct votes_sample *sample)
{
    text_numbers_free(&sample->first);
    text_numbers_free(&sample->pairs);
    text_numbers_free(&sample->others);
}

/* The number of a cell's text among the texts, which it becomes one of. TEXT_NUMBERS_FULL without memory. */
static uint32_t number_of_cell(struct votes_sample *sample, struct text_numbers *texts, const struct csv_cell *cell)
{
    size_t length;
    const char *text = csv_cell_text(sample->table, cell, &length);
    return text ? text_numbers_add(texts, text, length) : TEXT_NUMBERS_FULL;
}

/* Counts the distinct texts that looks_long and first_identifies compare. The key of a pair begins with the number of
 * the first text and a blank: texts may contain any separator, but a number ends at its first blank, so that different
 * pairs have different keys. */
static temper_status add_sample(void *context, const struct csv_text_row *row, temper_error *error)
{
    struct votes_sample *sample = context;
    size_t columns = sample->table->plan.columns;
    uint32_t first = number_of_cell(sample, &sample->first, &row->cell[0]);
    bool failed = first == TEXT_NUMBERS_FULL;
    sample->gaps |= csv_is_missing(&row->cell[0]);
    for (size_t i = columns == LONG_COLUMNS ? 2 : 1; i < columns; i++)
        if (!csv_is_missing(&row->cell[i]))
            failed |= number_of_cell(sample, &sample->others, &row->cell[i]) == TEXT_NUMBERS_FULL;
    if (columns == LONG_COLUMNS) {
        struct text key = {0};
        size_t length;
        const char *second = csv_cell_text(sample->table, &row->cell[1], &length);
        text_format(&key, "%lu ", (unsigned long)first);
        if (second)
            text_append_bytes(&key, second, length);
        failed |= !second || key.failed || text_numbers_add(&sample->pairs, key.bytes, key.length) == TEXT_NUMBERS_FULL;
        text_free(&key);
    }
    sample->rows++;
    return failed ? error_no_memory(error) : TEMPER_OK;
}

/* Whether every text of the first column is a label too. Then the column holds labels, of an annotator, and not
 * items. */
static bool first_has_labels_only(const struct votes_sample *sample)
{
    for (size_t i = 0; i < sample->first.count; i++)
        if (string_table_find(&sample->others.table, sample->first.name[i], strlen(sample->first.name[i])) ==
            UINT32_MAX)
            return false;
    return true;
}

/* Whether three columns are item, annotator and label: items repeat, since several annotators label them; no annotator
 * labels an item twice; and items are named unlike labels. */
static bool looks_long(const struct votes_sample *sample)
{
    return sample->table->plan.columns == LONG_COLUMNS && !sample->gaps && sample->first.count < sample->rows &&
           sample->pairs.count == sample->rows && !first_has_labels_only(sample);
}

/* Whether the first column of a wide table identifies the items: all texts differ, though there are more rows than
 * labels. */
static bool first_identifies(const struct votes_sample *sample)
{
    return !sample->gaps && sample->table->plan.columns > 1 && sample->first.count == sample->rows &&
           sample->rows > sample->others.count;
}

/* ---- The columns ----------------------------------------------------------------------------- */

/* A column that --columns names. */
static temper_status find_column(const struct csv_text_table *table, const char *name, size_t *column,
                                 temper_error *error)
{
    *column = csv_text_column(table, name);
    if (*column != CSV_NO_COLUMN)
        return TEMPER_OK;
    struct suggestion near = {.typed = name};
    for (size_t i = 0; i < table->plan.names.count; i++)
        suggestion_offer(&near, table->plan.names.name[i]);
    if (near.name)
        return error_set(error, TEMPER_USAGE, "%s: no column '%s' for --columns; did you mean '%s'?",
                         place_text(table->plan.path).text, short_text(name).text, short_text(near.name).text);
    return error_set(error, TEMPER_USAGE, "%s: no column '%s'; --columns takes names of the header, or numbers from 1",
                     place_text(table->plan.path).text, short_text(name).text);
}

/* The columns of a long table: those that are named, else those with the words, else the first three. */
static temper_status find_long(const struct csv_text_table *table, const struct list *columns, struct votes_layout *out,
                               temper_error *error)
{
    size_t *place[LONG_COLUMNS] = {&out->item, &out->annotator, &out->label};
    bool complete = out->item != CSV_NO_COLUMN && out->annotator != CSV_NO_COLUMN && out->label != CSV_NO_COLUMN;
    for (size_t i = 0; i < columns->count && i < LONG_COLUMNS; i++)
        TRY(find_column(table, columns->item[i].name, place[i], error));
    if (columns->count == 0 && !complete) {
        if (table->plan.columns != LONG_COLUMNS)
            return error_set(
                error, TEMPER_BAD_DATA,
                "%s: which of the %zu columns are item, annotator and label? pass --columns NAME,NAME,NAME",
                place_text(table->plan.path).text, table->plan.columns);
        for (size_t i = 0; i < LONG_COLUMNS; i++)
            *place[i] = i;
    }
    if (out->item != out->annotator && out->item != out->label && out->annotator != out->label)
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE, "%s: item, annotator and label need a column each; give three with --columns",
                     place_text(table->plan.path).text);
}

/* The column of the items of a wide table: named, or with a word, or one whose texts all differ. */
static temper_status find_wide(const struct csv_text_table *table, const struct votes_sample *sample,
                               const struct list *columns, struct votes_layout *out, temper_error *error)
{
    const struct names *names = &table->plan.names;
    bool unnamed = names->count > 1 && (names->name[0][0] == '\0' || strcmp(names->name[0], "Unnamed: 0") == 0);
    if (columns->count == 1 && strcmp(columns->item[0].name, "none") == 0)
        out->item = CSV_NO_COLUMN;
    else if (columns->count == 1)
        TRY(find_column(table, columns->item[0].name, &out->item, error));
    else if (out->item == CSV_NO_COLUMN && (unnamed || first_identifies(sample)))
        out->item = 0;
    if (table->plan.columns - (out->item != CSV_NO_COLUMN) > 0)
        return TEMPER_OK;
    return error_set(error, TEMPER_BAD_DATA, "%s: no column of labels; give one column for each annotator",
                     place_text(table->plan.path).text);
}

/* Whether the option asks for the layout; refuses unknown words, and lists of columns that do not fit. */
static temper_status check_options(const temper_votes_options *options, const struct list *columns, temper_error *error)
{
    const char *layout = options->layout;
    bool any = !layout || strcmp(layout, "auto") == 0, wide = !any && strcmp(layout, "wide") == 0;
    if (!any && !wide && strcmp(layout, "long") != 0)
        return error_set(error, TEMPER_USAGE, "--layout is none of long, wide and auto; pass one of them");
    if (columns->count == 0 || columns->count == (wide ? 1 : LONG_COLUMNS) || (any && columns->count == 1))
        return TEMPER_OK;
    return error_set(
        error, TEMPER_USAGE,
        "--columns names %zu columns; give ITEM,ANNOTATOR,LABEL of a long table, or the column of the items "
        "of a wide one",
        columns->count);
}

/* Decides on the layout. An option decides first; then the number of columns that --columns names (one for a wide
 * table, three for a long one); then the words of the header; then the first rows. */
static temper_status decide(struct csv_text_table *table, const char *given, const struct list *columns,
                            struct votes_layout *out, temper_error *error)
{
    const struct names *names = &table->plan.names;
    struct votes_sample sample = {.table = table};
    out->item = column_of_words(names, item_words);
    out->annotator = column_of_words(names, annotator_words);
    out->label = column_of_words(names, label_words);
    temper_status status = csv_text_rows(table, ROWS_EXAMINED, add_sample, &sample, error);
    if (status == TEMPER_OK) {
        bool words = out->item != CSV_NO_COLUMN && out->annotator != CSV_NO_COLUMN && out->label != CSV_NO_COLUMN;
        bool any = !given || strcmp(given, "auto") == 0;
        out->wide = any ? columns->count == 1 || (columns->count == 0 && !words && !looks_long(&sample))
                        : strcmp(given, "wide") == 0;
        status = out->wide ? find_wide(table, &sample, columns, out, error) : find_long(table, columns, out, error);
    }
    votes_sample_free(&sample);
    return status;
}

/* Checks the options before it reads rows, and finds the header before the columns, which may be named by it. */
temper_status votes_layout_find(struct csv_text_table *table, const temper_votes_options *options,
                                struct votes_layout *out, temper_error *error)
{
    struct list columns = {0};
    if (options->columns)
        TRY(list_read("--columns", options->columns, false, &columns, error));
    temper_status status = check_options(options, &columns, error);
    if (status == TEMPER_OK)
        status = find_header(table, options->header, &columns, error);
    if (status == TEMPER_OK)
        status = decide(table, options->layout, &columns, out, error);
    list_free(&columns);
    return status;
}
