/* csv_like: the columns of a new table that are those of a schema.
 *
 * By name where both have names: then the order does not matter, and what the schema does not know
 * is passed over. Else by position, which must leave no doubt: the new table has all the columns
 * of the old one, or those that were used and, perhaps, the label. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/csv/csv_schema.h"
#include "data/quote_text.h"
#include "data/string_table.h"

enum { NAMES_TRIED = 64 }; /* of a schema, to see whether a line is a header */

/* ---- Header and missing values --------------------------------------------------------------- */

static bool line_has(const struct csv_line *line, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < line->count; i++) {
        const struct csv_cell *cell = &line->cell[i];
        if (!cell->doubled && (size_t)(cell->to - cell->from) == length && memcmp(cell->from, name, length) == 0 &&
            !csv_is_number(cell) && !csv_is_missing(cell))
            return true;
    }
    return false;
}

bool csv_match_header(const struct schema *schema, const struct csv_line *first)
{
    for (size_t i = 0; i < schema->columns && i < NAMES_TRIED; i++)
        if (schema->column[i].name && line_has(first, schema->column[i].name))
            return true;
    return false;
}

/* Rows cannot be dropped without being asked: an answer is expected for each. */
temper_status csv_match_missing(struct csv_column_plan *plan, const struct reading *reading)
{
    enum schema_missing rule = reading->schema->missing;
    if (!reading->options->missing && rule != SCHEMA_DROP)
        plan->missing = rule == SCHEMA_MEAN ? CSV_MEAN : rule == SCHEMA_ZERO ? CSV_ZERO : CSV_REFUSE;
    if (plan->missing == CSV_MEAN && rule != SCHEMA_MEAN)
        return error_set(reading->error, TEMPER_USAGE,
                         "--missing mean: the model keeps no means, as it was trained without that "
                         "option; pass --missing zero or drop, or train again with it");
    return TEMPER_OK;
}

/* ---- The search ------------------------------------------------------------------------------ */

struct search {
    struct csv_column_plan *plan;
    const struct reading *reading;
    const struct schema *schema;
    size_t label;               /* column of the file; CSV_NO_COLUMN: none */
    struct string_table header; /* names of the file */
    bool *twice;                /* of each column: another one has its name */
};

/* As many columns as the schema's table, with the same names where both have them. */
static bool is_same_table(const struct search *search)
{
    const struct schema *schema = search->schema;
    const struct csv_column_plan *plan = search->plan;
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

static void take_positions(struct search *search)
{
    const struct schema *schema = search->schema;
    for (size_t i = 0; i < schema->columns; i++)
        search->plan->like[i] = schema->column[i].position;
    if (schema->label_position != SCHEMA_NO_LABEL)
        search->label = schema->label_position;
}

/* ---- By name --------------------------------------------------------------------------------- */

static temper_status index_header(struct search *search)
{
    const struct names *names = &search->plan->names;
    search->twice = mem_zeroed(names->count, sizeof *search->twice);
    if (!search->twice)
        return error_no_memory(search->reading->error);
    for (uint32_t i = 0; i < names->count; i++) {
        size_t length = strlen(names->name[i]);
        uint32_t first = string_table_find(&search->header, names->name[i], length);
        if (first != UINT32_MAX)
            search->twice[first] = true;
        else if (!string_table_add(&search->header, names->name[i], length, i))
            return error_no_memory(search->reading->error);
    }
    return TEMPER_OK;
}

static size_t find_name(const struct search *search, const char *name)
{
    uint32_t found = string_table_find(&search->header, name, strlen(name));
    return found == UINT32_MAX ? CSV_NO_COLUMN : found;
}

/* Names that differ in case or blanks are nearly always the same ones, and yet not for us to join.
 */
static temper_status refuse_spelling(const struct search *search, const char *wanted, const char *found)
{
    return error_set(search->reading->error, TEMPER_BAD_DATA,
                     "%s: there is no column '%.80s', which the model needs, but one named "
                     "'%.80s'; name columns as in the file that it was trained on",
                     place_text(search->plan->path).text, token_text(wanted, wanted + strlen(wanted)).text,
                     token_text(found, found + strlen(found)).text);
}

/* All that are missing are counted, the first is named. */
static temper_status refuse_missing(const struct search *search, size_t first)
{
    const struct schema *schema = search->schema;
    const char *name = schema->column[first].name;
    size_t more = 0;
    for (size_t i = first + 1; i < schema->columns; i++)
        more += find_name(search, schema->column[i].name) == CSV_NO_COLUMN;
    char others[40] = "";
    for (size_t i = 0; i < search->plan->names.count; i++)
        if (text_alike(search->plan->names.name[i], name))
            return refuse_spelling(search, name, search->plan->names.name[i]);
    if (more > 0)
        snprintf(others, sizeof others, " and %zu more", more);
    return error_set(search->reading->error, TEMPER_BAD_DATA,
                     "%s: there is no column '%.80s'%s, which the model needs; add it, or give a "
                     "file with the columns that it was trained on",
                     place_text(search->plan->path).text, token_text(name, name + strlen(name)).text, others);
}

static temper_status take_names(struct search *search)
{
    const struct schema *schema = search->schema;
    temper_status status = index_header(search);
    for (size_t i = 0; status == TEMPER_OK && i < schema->columns; i++) {
        const char *name = schema->column[i].name;
        size_t column = find_name(search, name);
        if (column == CSV_NO_COLUMN)
            return refuse_missing(search, i);
        if (search->twice[column])
            return error_set(search->reading->error, TEMPER_BAD_DATA,
                             "%s: several columns are named '%.80s', and the model needs one of "
                             "that name; rename the others",
                             place_text(search->plan->path).text, token_text(name, name + strlen(name)).text);
        search->plan->like[i] = column;
    }
    if (status == TEMPER_OK && schema->label)
        search->label = find_name(search, schema->label);
    return status;
}

/* ---- By position ----------------------------------------------------------------------------- */

static temper_status refuse_count(const struct search *search)
{
    const struct schema *schema = search->schema;
    return error_set(search->reading->error, TEMPER_BAD_DATA,
                     "%s: %zu column%s without names that the model knows; it was trained on a table "
                     "of %zu and uses %zu of them: give either, or a header",
                     place_text(search->plan->path).text, search->plan->columns, plural(search->plan->columns),
                     schema->file_columns, schema->columns);
}

/* Where the label stands among the columns that are used. */
static size_t label_rank(const struct schema *schema)
{
    size_t rank = 0;
    while (rank < schema->columns && schema->column[rank].position < schema->label_position)
        rank++;
    return rank;
}

/* The columns that no option took are those that are used, with the label among them or without.
 * With the label only if there is no other way to come to this number. */
static temper_status take_order(struct search *search)
{
    const struct schema *schema = search->schema;
    const struct csv_column_plan *plan = search->plan;
    size_t left = 0, rank = SIZE_MAX;
    for (size_t i = 0; i < plan->columns; i++)
        left += plan->role[i] == CSV_FEATURE;
    bool labelled = schema->label_position != SCHEMA_NO_LABEL;
    bool told = left < plan->columns || schema->file_columns == schema->columns + labelled;
    if (left == schema->columns + 1 && labelled && told)
        rank = label_rank(schema);
    else if (left != schema->columns)
        return refuse_count(search);
    for (size_t i = 0, at = 0, n = 0; i < plan->columns; i++) {
        if (plan->role[i] != CSV_FEATURE)
            continue;
        if (at++ == rank)
            search->label = i;
        else
            plan->like[n++] = i;
    }
    return TEMPER_OK;
}

/* ---- Roles ----------------------------------------------------------------------------------- */

/* A column that the model needs cannot be anything else. */
static temper_status give_roles(const struct search *search)
{
    struct csv_column_plan *plan = search->plan;
    const struct schema *schema = search->schema;
    for (size_t i = 0; i < schema->columns; i++)
        if (plan->role[plan->like[i]] != CSV_FEATURE)
            return error_set(search->reading->error, TEMPER_USAGE,
                             "%s: the model needs %s as a feature; name another for --label, "
                             "--ignore or --weights",
                             place_text(plan->path).text, csv_column_shown(plan, plan->like[i]).text);
    bool free_label = search->label != CSV_NO_COLUMN && plan->role[search->label] == CSV_FEATURE;
    if (free_label) {
        bool wanted = !search->reading->options->label && !search->reading->options->labels;
        plan->role[search->label] = wanted ? CSV_LABEL : CSV_IGNORED;
        if (wanted)
            plan->label = search->label;
    }
    for (size_t i = 0; i < schema->columns; i++) /* marked, so that what is left is unknown */
        plan->role[plan->like[i]] = CSV_CATEGORY;
    for (size_t i = 0; i < plan->columns; i++) {
        if (plan->role[i] != CSV_FEATURE)
            continue;
        plan->role[i] = CSV_IGNORED;
        plan->unknown = plan->unknowns++ ? plan->unknown : i;
    }
    for (size_t i = 0; i < schema->columns; i++)
        if (schema->column[i].texts.count == 0)
            plan->role[plan->like[i]] = CSV_FEATURE;
    return TEMPER_OK;
}

temper_status csv_match_columns(struct csv_column_plan *plan, const struct reading *reading)
{
    const struct schema *schema = reading->schema;
    struct search search = {.plan = plan, .reading = reading, .schema = schema, .label = CSV_NO_COLUMN};
    plan->like = mem_alloc(schema->columns, sizeof *plan->like);
    if (!plan->like)
        return error_no_memory(reading->error);
    temper_status status = TEMPER_OK;
    if (is_same_table(&search))
        take_positions(&search);
    else if (plan->header && schema_has_names(schema))
        status = take_names(&search);
    else
        status = take_order(&search);
    if (status == TEMPER_OK)
        status = give_roles(&search);
    string_table_free(&search.header);
    mem_free(search.twice);
    return status;
}
