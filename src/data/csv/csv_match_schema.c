/* csv_match_schema: the columns of a new table that are those of a schema, and rows as the features of the schema.
 *
 * Columns are matched by name if both have names: then the order does not matter, and columns that the schema does
 * not have are ignored. Otherwise by position, which must be unambiguous: the new table has all columns of the old
 * one, or those that were used and perhaps the label. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/csv/csv.h"
#include "data/quote_text.h"
#include "data/string_table.h"

enum { MISSING_LENGTH = 200 }; /* bytes of a list of names in a message */

enum { NAMES_TRIED = 64 }; /* of a schema, to see whether a line is a header */

/* ---- Header and missing values --------------------------------------------------------------- */

/* Whether a cell of the line is this name. Numbers and missing values are not names: a row of numbers could otherwise
 * match columns that are named 1, 2, 3. */
static bool line_has(const struct csv_line *line, const char *name)
{
    for (size_t i = 0; i < line->count; i++) {
        const struct csv_cell *cell = &line->cell[i];
        if (csv_cell_is(cell, name, strlen(name)) && !csv_is_number(cell) && !csv_is_missing(cell))
            return true;
    }
    return false;
}

/* The first names are enough: a table of the model has them all, or is refused later. The limit keeps the search
 * linear: each name is compared with every cell of the line. */
bool csv_match_header(const struct schema *schema, const struct csv_line *first)
{
    for (size_t i = 0; i < schema->columns && i < NAMES_TRIED; i++)
        if (schema->column[i].name && line_has(first, schema->column[i].name))
            return true;
    return false;
}

/* Takes the rule for missing values from the schema unless an option gives one. Rows are not dropped because training
 * dropped them: a prediction is expected for each row, so that missing values are refused then. Means exist only if
 * training stored them. */
temper_status csv_match_missing(struct csv_column_plan *plan, const struct data_reader *reader)
{
    enum schema_missing rule = reader->schema->missing;
    if (!reader->options->missing && rule != SCHEMA_DROP)
        plan->missing = rule == SCHEMA_MEAN ? CSV_MEAN : rule == SCHEMA_ZERO ? CSV_ZERO : CSV_REFUSE;
    if (plan->missing == CSV_MEAN && !reader->options->missing && reader->schema->automatic)
        plan->missing = CSV_FILL; /* as in training */
    if (plan->missing == CSV_MEAN && rule != SCHEMA_MEAN)
        return error_set(reader->error, TEMPER_USAGE,
                         "--missing mean: the model keeps no means, as it was trained without that "
                         "option; pass --missing zero or drop, or train again with it");
    return TEMPER_OK;
}

/* ---- Matching -------------------------------------------------------------------------------- */

/* The assignment of the file's columns to the columns of the schema, which goes to plan->matched. */
struct schema_match {
    struct csv_column_plan *plan;
    const struct data_reader *reader;
    const struct schema *schema;
    size_t label;               /* column of the file; CSV_NO_COLUMN: none */
    struct string_table header; /* names of the file */
    bool *twice;                /* of each column: another one has its name */
};

/* Whether the table has as many columns as that of the schema, with the same names where both have them. Then positions
 * are used, even if names occur twice. */
static bool is_same_table(const struct schema_match *match)
{
    const struct schema *schema = match->schema;
    const struct csv_column_plan *plan = match->plan;
    bool named = plan->header && schema_has_names(schema);
    if (plan->columns != schema->file_columns)
        return false;
    if (named && schema->label && strcmp(plan->names.name[schema->label_position], schema->label) != 0)
        return false;
    for (size_t i = 0; named && i < schema->columns; i++)
        if (strcmp(plan->names.name[schema->column[i].position], schema->column[i].name) != 0)
            return false;
    return true;
}

/* Every column is at its old position. */
static void take_positions(struct schema_match *match)
{
    const struct schema *schema = match->schema;
    for (size_t i = 0; i < schema->columns; i++)
        match->plan->matched[i] = schema->column[i].position;
    if (schema->label_position != SCHEMA_NO_LABEL)
        match->label = schema->label_position;
}

/* ---- By name --------------------------------------------------------------------------------- */

/* Builds a hash table from name to column of the header, and marks names that occur more than once. A name that the
 * model does not use may be repeated; take_names refuses the others. */
static temper_status index_header(struct schema_match *match)
{
    const struct names *names = &match->plan->names;
    match->twice = mem_zeroed(names->count, sizeof *match->twice);
    if (!match->twice)
        return error_no_memory(match->reader->error);
    for (uint32_t i = 0; i < names->count; i++) {
        size_t length = strlen(names->name[i]);
        uint32_t first = string_table_find(&match->header, names->name[i], length);
        if (first != UINT32_MAX)
            match->twice[first] = true;
        else if (!string_table_add(&match->header, names->name[i], length, i))
            return error_no_memory(match->reader->error);
    }
    return TEMPER_OK;
}

/* The column of a name; CSV_NO_COLUMN if there is none. */
static size_t find_name(const struct schema_match *match, const char *name)
{
    uint32_t found = string_table_find(&match->header, name, strlen(name));
    return found == UINT32_MAX ? CSV_NO_COLUMN : found;
}

/* Names that differ in case or blanks only are nearly always meant to be equal, but that is not decided here. */
static temper_status refuse_spelling(const struct schema_match *match, const char *wanted, const char *found)
{
    return error_set(match->reader->error, TEMPER_BAD_DATA,
                     "%s: there is no column '%.80s', which the model needs, but one named "
                     "'%.80s'; name columns as in the file that it was trained on",
                     place_text(match->plan->path).text, token_text(wanted, wanted + strlen(wanted)).text,
                     token_text(found, found + strlen(found)).text);
}

/* "'age', 'colour' and 'income'": the columns that the model needs and the header does not have, as many as fit.
 * Returns how many there are. */
static size_t list_missing(const struct schema_match *match, char out[MISSING_LENGTH])
{
    const struct schema *schema = match->schema;
    size_t count = 0, shown = 0, used = 0;
    for (size_t i = 0; i < schema->columns; i++)
        count += find_name(match, schema->column[i].name) == CSV_NO_COLUMN;
    for (size_t i = 0; i < schema->columns; i++) {
        const char *name = schema->column[i].name;
        struct token_text token = token_text(name, name + strlen(name));
        if (find_name(match, name) != CSV_NO_COLUMN)
            continue;
        /* The first one is always there; after it, space for the number of the others is kept. */
        if (shown > 0 && used + strlen(token.text) + sizeof " '' and 4294967295 more" > MISSING_LENGTH)
            break;
        const char *before = shown == 0 ? "" : shown + 1 == count ? " and " : ", ";
        used += (size_t)snprintf(out + used, MISSING_LENGTH - used, "%s'%.80s'", before, token.text);
        shown++;
    }
    if (shown < count)
        snprintf(out + used, MISSING_LENGTH - used, " and %zu more", count - shown);
    return count;
}

/* Names the missing columns. A name that differs only in case or blanks from the first of them is reported as the
 * probable cause. */
static temper_status refuse_missing(const struct schema_match *match, size_t first)
{
    const struct names *names = &match->plan->names;
    const char *name = match->schema->column[first].name;
    struct suggestion near = {.typed = name};
    char missing[MISSING_LENGTH], hint[160] = "";
    for (size_t i = 0; i < names->count; i++)
        if (text_alike(names->name[i], name))
            return refuse_spelling(match, name, names->name[i]);
    for (size_t i = 0; i < names->count && strlen(name) > 2; i++)
        suggestion_offer(&near, names->name[i]);
    if (near.name) /* it may be another column: only proposed */
        snprintf(hint, sizeof hint, " ('%.80s' is similar)", token_text(near.name, near.name + strlen(near.name)).text);
    bool one = list_missing(match, missing) == 1;
    return error_set(match->reader->error, TEMPER_BAD_DATA,
                     "%s: there %s %s%s, which the model needs; add what is missing, or give a file with "
                     "the columns that it was trained on",
                     place_text(match->plan->path).text, one ? "is no column" : "are no columns", missing, hint);
}

/* Finds every column of the schema by its name, in expected linear time. The label is optional: a table for prediction
 * usually has none. */
static temper_status take_names(struct schema_match *match)
{
    const struct schema *schema = match->schema;
    temper_status status = index_header(match);
    for (size_t i = 0; status == TEMPER_OK && i < schema->columns; i++) {
        const char *name = schema->column[i].name;
        size_t column = find_name(match, name);
        if (column == CSV_NO_COLUMN)
            return refuse_missing(match, i);
        if (match->twice[column])
            return error_set(match->reader->error, TEMPER_BAD_DATA,
                             "%s: several columns are named '%.80s', and the model needs one of "
                             "that name; rename the others",
                             place_text(match->plan->path).text, token_text(name, name + strlen(name)).text);
        match->plan->matched[i] = column;
    }
    if (status == TEMPER_OK && schema->label)
        match->label = find_name(match, schema->label);
    return status;
}

/* ---- By position ----------------------------------------------------------------------------- */

/* The number of columns fits neither the table of the schema nor the columns that it uses. */
static temper_status refuse_count(const struct schema_match *match)
{
    const struct schema *schema = match->schema;
    return error_set(match->reader->error, TEMPER_BAD_DATA,
                     "%s: %zu column%s without names that the model knows; it was trained on a table "
                     "of %zu and uses %zu of them: give either, or a header",
                     place_text(match->plan->path).text, match->plan->columns, plural(match->plan->columns),
                     schema->file_columns, schema->columns);
}

/* The position of the label among the columns that are used. Schema columns are in file order, so that this is the
 * number of features before the label. */
static size_t label_index(const struct schema *schema)
{
    size_t rank = 0;
    while (rank < schema->columns && schema->column[rank].position < schema->label_position)
        rank++;
    return rank;
}

/* Matches columns by order alone. The columns without a role are either the features of the schema, or these with the
 * label among them at its old index. The label is assumed only if nothing else explains the number of columns: an
 * option has named other columns, or the training table had no ignored columns that the extra one could be. */
static temper_status take_order(struct schema_match *match)
{
    const struct schema *schema = match->schema;
    const struct csv_column_plan *plan = match->plan;
    size_t left = 0, label = SIZE_MAX;
    for (size_t i = 0; i < plan->columns; i++)
        left += plan->role[i] == CSV_FEATURE;
    bool labelled = schema->label_position != SCHEMA_NO_LABEL;
    bool decided = left < plan->columns || schema->file_columns == schema->columns + labelled;
    if (left == schema->columns + 1 && labelled && decided)
        label = label_index(schema);
    else if (left != schema->columns)
        return refuse_count(match);
    for (size_t i = 0, at = 0, n = 0; i < plan->columns; i++) {
        if (plan->role[i] != CSV_FEATURE)
            continue;
        if (at++ == label)
            match->label = i;
        else
            plan->matched[n++] = i;
    }
    return TEMPER_OK;
}

/* ---- Roles ----------------------------------------------------------------------------------- */

/* Sets the final roles: matched columns become features or categories, as in training; the label column becomes the
 * label, unless an option has named other labels; all columns left are ignored and counted for a note. An option that
 * gives a matched column another role is refused. */
static temper_status give_roles(const struct schema_match *match)
{
    struct csv_column_plan *plan = match->plan;
    const struct schema *schema = match->schema;
    for (size_t i = 0; i < schema->columns; i++)
        if (plan->role[plan->matched[i]] != CSV_FEATURE)
            return error_set(match->reader->error, TEMPER_USAGE,
                             "%s: the model needs %s as a feature; name another for --label, "
                             "--ignore or --weights",
                             place_text(plan->path).text, csv_column_shown(plan, plan->matched[i]).text);
    /* The label column of the schema, if the file has it and no option uses it otherwise. */
    bool free_label = match->label != CSV_NO_COLUMN && plan->role[match->label] == CSV_FEATURE;
    if (free_label) {
        bool wanted = !match->reader->options->label && !match->reader->options->labels;
        plan->role[match->label] = wanted ? CSV_LABEL : CSV_IGNORED;
        if (wanted)
            plan->label = match->label;
    }
    for (size_t i = 0; i < schema->columns; i++) /* marked, so that the columns left are unknown */
        plan->role[plan->matched[i]] = CSV_CATEGORY;
    /* Columns that still have the default role are not in the schema. */
    for (size_t i = 0; i < plan->columns; i++) {
        if (plan->role[i] != CSV_FEATURE)
            continue;
        plan->role[i] = CSV_IGNORED;
        plan->unknown = plan->unknowns++ ? plan->unknown : i;
    }
    /* The marked columns receive their final role: only those with texts are categorical. */
    for (size_t i = 0; i < schema->columns; i++)
        if (schema->column[i].texts.count == 0)
            plan->role[plan->matched[i]] = CSV_FEATURE;
    return TEMPER_OK;
}

/* Same table, else by name, else by order. In this order, since an identical table is the common case and needs no
 * names, and names are safer than positions. */
temper_status csv_match_columns(struct csv_column_plan *plan, const struct data_reader *reader)
{
    const struct schema *schema = reader->schema;
    struct schema_match match = {.plan = plan, .reader = reader, .schema = schema, .label = CSV_NO_COLUMN};
    plan->matched = mem_alloc(schema->columns, sizeof *plan->matched);
    if (!plan->matched)
        return error_no_memory(reader->error);
    temper_status status = TEMPER_OK;
    if (is_same_table(&match))
        take_positions(&match);
    else if (plan->header && schema_has_names(schema))
        status = take_names(&match);
    else
        status = take_order(&match);
    if (status == TEMPER_OK)
        status = give_roles(&match);
    string_table_free(&match.header);
    mem_free(match.twice);
    return status;
}

/* ---- Rows: from kept cells to the features of the schema ------------------------------------- */

/* A column of the schema, and where its cells are found in a parsed row. */
struct matched_column {
    size_t slot;    /* among the kept cells of a row */
    uint32_t *text; /* of each code: which text of the schema; CSV_NO_CODE: none */
};

/* The conversion of parsed rows (plan->row_size bytes) to rows of features (row_size bytes, schema->features values).
 * */
struct matched_rows {
    const struct csv_column_plan *plan;
    struct csv_rows *whole;
    const struct schema *schema;
    struct matched_column *source; /* one for each column of the schema */
    size_t row_size;
    uint64_t unseen; /* texts that training never saw */
    size_t unseen_column;
};

/* ---- Texts ----------------------------------------------------------------------------------- */

/* Maps codes to features: (*out)[code] is the index of that text among the schema's texts of the column, or CSV_NO_CODE
 * if training never saw it. *out has found->count elements and is freed by free_sources, also on failure. */
static bool match_texts(const struct schema_column *column, const struct classes *found, uint32_t **out)
{
    uint32_t *text = mem_alloc(found->count, sizeof *text);
    *out = text;
    for (size_t i = 0; text && i < found->count; i++)
        text[i] = CSV_NO_CODE;
    if (!text)
        return false;
    /* The file's texts are in a hash table already, as "=TEXT". */
    for (uint32_t k = 0; k < column->texts.count; k++) {
        size_t length = strlen(column->texts.name[k]);
        char *key = mem_alloc(length + 1, 1);
        if (!key)
            return false;
        key[0] = '=';
        memcpy(key + 1, column->texts.name[k], length);
        uint32_t code = classes_find(found, key, length + 1);
        mem_free(key);
        if (code != CLASSES_NONE)
            text[code] = k;
    }
    return true;
}

/* The tables of match_texts; columns of numbers have none. */
static void free_sources(struct matched_rows *rows)
{
    for (size_t i = 0; rows->source && i < rows->schema->columns; i++)
        mem_free(rows->source[i].text);
    mem_free(rows->source);
}

/* Where the cells of each column are, and which texts of the schema its codes mean. Each categorical column of the file
 * has its own class table; those of different columns assign codes independently. */
static bool find_sources(struct matched_rows *rows)
{
    const struct csv_column_plan *plan = rows->plan;
    const struct schema *schema = rows->schema;
    size_t *slot = mem_zeroed(plan->columns, sizeof *slot);
    rows->source = mem_zeroed(schema->columns, sizeof *rows->source);
    bool fine = slot && rows->source;
    for (size_t i = 0, n = 0; fine && i < plan->columns; i++) {
        slot[i] = n;
        n += csv_column_numbers(plan, i);
    }
    for (size_t i = 0; fine && i < schema->columns; i++) {
        rows->source[i].slot = slot[plan->matched[i]];
        size_t category = 0;
        while (category < plan->categories && plan->category[category] != plan->matched[i])
            category++;
        if (schema->column[i].texts.count > 0)
            fine = match_texts(&schema->column[i], &rows->whole->category[category], &rows->source[i].text);
    }
    mem_free(slot);
    return fine;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Whether missing values become the means of the training data. */
static bool fills_means(const struct csv_column_plan *plan)
{
    return plan->missing == CSV_MEAN || plan->missing == CSV_FILL;
}

/* Stores a value as a float or a double; returns the position after it. */
static unsigned char *write_cell(const struct matched_rows *rows, unsigned char *out, double value)
{
    float narrow = (float)value;
    size_t size = rows->plan->cell_size;
    memcpy(out, rows->plan->f64 ? (const void *)&value : (const void *)&narrow, size);
    return out + size;
}

/* Writes one feature for each text of the schema: a single 1; zeros for a text that was not in the training data, which
 * is counted; the frequencies from training for a missing text under the rule mean, else zeros. Returns the position
 * after the features. */
static unsigned char *write_texts(struct matched_rows *rows, size_t column, const unsigned char *cell,
                                  unsigned char *out)
{
    const struct schema_column *schema = &rows->schema->column[column];
    const double *fill = fills_means(rows->plan) ? schema->fill : NULL;
    uint32_t code, text = CSV_NO_CODE;
    memcpy(&code, cell, sizeof code);
    if (code != CSV_NO_CODE) {
        text = rows->source[column].text[code];
        if (text == CSV_NO_CODE && rows->unseen++ == 0)
            rows->unseen_column = rows->plan->matched[column];
        fill = NULL;
    }
    for (uint32_t k = 0; k < schema->texts.count; k++)
        out = write_cell(rows, out, fill ? fill[k] : k == text);
    return schema->rule.indicator ? write_cell(rows, out, code == CSV_NO_CODE) : out;
}

/* Copies the numbers of a cell. Missing ones, which the parser stored as NaN, become the means of the training data or
 * 0. */
static unsigned char *write_numbers(const struct matched_rows *rows, size_t column, const unsigned char *cell,
                                    unsigned char *out)
{
    const struct schema_column *schema = &rows->schema->column[column];
    const double *fill = fills_means(rows->plan) ? schema->fill : NULL;
    size_t count = column_rule_numbers(&schema->rule);
    double wide = 0;
    float narrow = 0;
    memcpy(rows->plan->f64 ? (void *)&wide : (void *)&narrow, cell, rows->plan->cell_size);
    bool missing = isnan(wide) || isnan(narrow);
    for (size_t k = 0; missing && k < count; k++)
        out = write_cell(rows, out, fill ? fill[k] : 0);
    if (!missing) {
        memcpy(out, cell, count * rows->plan->cell_size);
        out += count * rows->plan->cell_size;
    }
    return schema->rule.indicator ? write_cell(rows, out, missing) : out;
}

/* All features of a row, in the order of the schema. */
static void write_row(struct matched_rows *rows, const unsigned char *row, unsigned char *out)
{
    for (size_t i = 0; i < rows->schema->columns; i++) {
        const unsigned char *cell = row + rows->source[i].slot * rows->plan->cell_size;
        out = rows->schema->column[i].texts.count > 0 ? write_texts(rows, i, cell, out)
                                                      : write_numbers(rows, i, cell, out);
    }
}

/* Whether parsed rows are already rows of features, in order, except for missing numbers: then rows without missing
 * values need no conversion at all. This is the common case of a table of numbers. */
static bool rows_are_straight(const struct matched_rows *rows)
{
    bool straight = rows->row_size == rows->plan->row_size;
    for (size_t i = 0; straight && i < rows->schema->columns; i++)
        straight = rows->source[i].slot == i && rows->schema->column[i].texts.count == 0 &&
                   column_rule_numbers(&rows->schema->column[i].rule) == 1 && !rows->schema->column[i].rule.indicator;
    return straight;
}

/* Whether no number of the row is missing. All cells are tested without an early exit, since most rows are complete. */
static bool row_is_whole(const struct matched_rows *rows, const void *row)
{
    const float *narrow = row;
    const double *wide = row;
    bool missing = false;
    for (size_t i = 0; i < rows->schema->columns; i++)
        missing |= rows->plan->f64 ? isnan(wide[i]) != 0 : isnan(narrow[i]) != 0;
    return !missing;
}

/* Converts all rows in place, from the last to the first. In this direction no row is overwritten before it was read,
 * because a row of features is never narrower than its parsed row: every kept column gives at least one feature. One
 * row is buffered, since source and target overlap. */
static bool write_rows(struct matched_rows *rows)
{
    struct csv_rows *whole = rows->whole;
    size_t old_size = rows->plan->row_size;
    unsigned char *row = mem_alloc(old_size, 1);
    unsigned char *cells = row ? array_resize(whole->spill, whole->cells, whole->rows, rows->row_size) : NULL;
    if (cells)
        whole->cells = cells;
    bool straight = rows_are_straight(rows);
    for (size_t r = whole->rows; cells && r-- > 0;) {
        if (!straight || !row_is_whole(rows, cells + r * old_size)) {
            memcpy(row, cells + r * old_size, old_size);
            write_row(rows, row, cells + r * rows->row_size);
        }
        disk_array_used(whole->spill, old_size + rows->row_size);
    }
    mem_free(row);
    return cells != NULL;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Notes ignored columns, the label and unknown texts. */
static void note(const struct matched_rows *rows, struct dataset *data)
{
    const struct csv_column_plan *plan = rows->plan;
    if (plan->unknowns > 0 && plan->header)
        dataset_note(data, "columns: %zu ignored that the model does not use, first %s", plan->unknowns,
                     csv_column_shown(plan, plan->unknown).text);
    if (plan->label != CSV_NO_COLUMN)
        dataset_note(data, "label: %s", csv_column_shown(plan, plan->label).text);
    if (rows->unseen > 0)
        dataset_note(data, "categorical: %s text%s that training never saw became zeros, the last in %s",
                     count_shown(rows->unseen).text, plural(rows->unseen),
                     csv_column_shown(plan, rows->unseen_column).text);
}

/* The width of the result is that of the schema, whatever the file has. The dataset receives a copy of the schema, so
 * that it can be used without the model. */
temper_status csv_match_finish(const struct csv_column_plan *plan, struct csv_rows *whole,
                               const struct data_reader *reader, struct dataset *data, size_t *width)
{
    struct matched_rows rows = {.plan = plan, .whole = whole, .schema = reader->schema};
    size_t ignored;
    bool fine = mul_size(rows.schema->features, plan->cell_size, &rows.row_size) &&
                mul_size(rows.row_size, whole->rows, &ignored) && find_sources(&rows) && write_rows(&rows);
    free_sources(&rows);
    if (!fine)
        return error_no_memory(reader->error);
    *width = rows.schema->features;
    note(&rows, data);
    TRY(csv_check_odd_cells(plan, whole, data, reader->error));
    return schema_copy(rows.schema, &data->schema, reader->error);
}
