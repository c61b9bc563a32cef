/* csv_describe: profiles all columns of the first chunk of a table, and proposes the options of a training. */
#include "data/csv/csv_describe.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "data/csv/csv.h"
#include "data/name_list.h"
#include "data/quote_text.h"
#include "data/read/text_chunks.h"
#include "data/table/table_profile.h"

enum { CLASSES_LIKELY = 20, OPTIONS_LENGTH = 512 };

/* The result, and what its texts point into. */
struct csv_description {
    temper_table table; /* first: what the caller sees */
    temper_table_column *column;
    struct column_profile *profile;
    struct csv_column_plan plan;
    char options[OPTIONS_LENGTH];
    char problem[OPTIONS_LENGTH];
};

/* A description in progress. */
struct describer {
    struct data_reader *reader;
    struct csv_description *made;
    const char *from, *to; /* the lines of the chunk that are not read yet */
    uint64_t line;         /* before `from` */
    bool no_memory;        /* a line could not be split for want of memory */
};

/* ---- Lines ------------------------------------------------------------------------------------- */

/* Splits the next line that is not blank; false at the end. A line that cannot be split is left out as ragged. */
static bool next_line(struct describer *d, struct csv_line *line, uint64_t *number)
{
    const struct csv_format *format = &d->made->plan.format;
    for (;;) {
        d->from = csv_skip_blank_lines(format, d->from, d->to, &d->line);
        if (d->from == d->to)
            return false;
        *number = d->line + 1;
        enum csv_error_kind kind = csv_line_read(format, d->from, d->to, line);
        const char *newline = memchr(d->from, '\n', (size_t)(d->to - d->from));
        const char *next = kind == CSV_FINE ? line->next : newline ? newline + 1 : d->to;
        d->line += count_lines(d->from, (size_t)(next - d->from));
        d->from = next;
        if (kind == CSV_FINE)
            return true;
        csv_line_free(line);
        d->no_memory = kind == CSV_MEMORY;
        if (d->no_memory)
            return false;
        if (d->made->table.ragged++ == 0)
            d->made->table.ragged_line = (size_t)*number;
    }
}

/* Counts the cells of a row; rows of another width are only counted. */
static bool add_row(struct describer *d, const struct csv_line *line, uint64_t number)
{
    struct csv_description *made = d->made;
    if (line->count != made->plan.columns) {
        if (made->table.ragged++ == 0)
            made->table.ragged_line = (size_t)number;
        return true;
    }
    made->table.rows++;
    for (size_t i = 0; i < line->count; i++)
        if (!column_profile_add(&made->profile[i], line->cell[i].from, line->cell[i].to, &made->plan.inferred.gaps))
            return false;
    return true;
}

static bool add_rows(struct describer *d)
{
    struct csv_line line = {0};
    uint64_t number;
    bool fine = true;
    while (fine && next_line(d, &line, &number)) {
        fine = add_row(d, &line, number);
        csv_line_free(&line);
    }
    return fine;
}

/* ---- The first line ---------------------------------------------------------------------------- */

/* Copies the cells of the header. */
static bool keep_names(struct csv_column_plan *plan, const struct csv_line *line)
{
    plan->names.name = (char **)mem_zeroed(line->count, sizeof *plan->names.name);
    for (size_t i = 0; plan->names.name && i < line->count; i++) {
        char *name = mem_alloc((size_t)(line->cell[i].to - line->cell[i].from) + 1, 1);
        if (!name)
            return false;
        name[csv_unquote(&line->cell[i], name)] = '\0';
        plan->names.name[plan->names.count++] = name;
    }
    return plan->names.name != NULL;
}

/* Whether the first line is a header: by the option, by the rules of the reader, else unknown. A name that it lacks is
 * added. */
static temper_status find_header(struct describer *d, struct csv_line *first)
{
    struct csv_description *made = d->made;
    struct csv_chunk rest = {.from = d->from, .to = d->to};
    const struct csv_sample below = {&rest, 1};
    struct csv_line second = {0};
    temper_error ignored = {0};
    struct data_reader quiet = *d->reader;
    quiet.error = &ignored;
    struct describer ahead = *d;
    struct csv_description lines = *made; /* its counts of ragged lines are not kept */
    uint64_t number;
    ahead.made = &lines;
    bool has_second = next_line(&ahead, &second, &number);
    if (has_second && !csv_complete_header(first, &second, &made->plan.short_header)) {
        csv_line_free(&second);
        return error_no_memory(d->reader->error);
    }
    temper_status status = csv_find_header(&made->plan, &quiet, first, has_second ? &second : NULL, &below);
    csv_line_free(&second);
    if (status == TEMPER_NO_MEMORY || status == TEMPER_USAGE) {
        if (d->reader->error)
            *d->reader->error = ignored;
        return status;
    }
    made->table.header = status == TEMPER_OK ? made->plan.header : -1;
    made->plan.header = made->table.header == 1;
    return TEMPER_OK;
}

/* The first line: names of the columns, or a row. */
static temper_status take_first(struct describer *d)
{
    struct csv_description *made = d->made;
    struct csv_line first = {0};
    uint64_t number = 0;
    if (!next_line(d, &first, &number))
        return TEMPER_OK; /* no lines at all: no columns */
    temper_status status = find_header(d, &first);
    made->plan.columns = first.count;
    made->profile = mem_zeroed(first.count, sizeof *made->profile);
    made->column = mem_zeroed(first.count, sizeof *made->column);
    bool fine = made->profile && made->column;
    if (fine && status == TEMPER_OK)
        fine = made->plan.header ? keep_names(&made->plan, &first) : add_row(d, &first, number);
    csv_line_free(&first);
    return fine || status != TEMPER_OK ? status : error_no_memory(d->reader->error);
}

/* ---- Columns ----------------------------------------------------------------------------------- */

/* The column that an option names, by name or number; CSV_NO_COLUMN: none. */
static size_t named_column(const struct csv_column_plan *plan, const char *name)
{
    char *end;
    for (size_t i = 0; i < plan->names.count; i++)
        if (strcmp(plan->names.name[i], name) == 0)
            return i;
    unsigned long long number = 0;
    end = (char *)name;
    for (; *end >= '0' && *end <= '9' && number <= plan->columns; end++)
        number = number * 10 + (unsigned long long)(*end - '0');
    return *name && !*end && number >= 1 && number <= plan->columns ? (size_t)number - 1 : CSV_NO_COLUMN;
}

/* Whether a column could be the label: few different values that recur. */
static bool may_be_label(const struct column_profile *profile)
{
    size_t values = profile->cells - profile->gaps;
    return profile->distinct >= 2 && profile->distinct <= CLASSES_LIKELY && profile->distinct * 2 <= values;
}

/* Whether a column has so many different numbers that they are measured, not classes. */
static bool is_target(const struct column_profile *profile)
{
    return !may_be_label(profile) && profile->distinct > CLASSES_LIKELY && profile->numbers * 2 > profile->cells;
}

/* The label: of the option, of a name for labels, the last column if it may be one, else the last that may be. */
static size_t find_label(const struct describer *d)
{
    const struct csv_description *made = d->made;
    const char *option = d->reader->options->label;
    size_t columns = made->plan.columns;
    if (option)
        return named_column(&made->plan, option);
    for (size_t i = 0; i < made->plan.names.count; i++)
        if (name_is_label(made->plan.names.name[i]))
            return i;
    for (size_t i = columns; i-- > 0;)
        if (may_be_label(&made->profile[i]))
            return i;
    return columns > 0 ? columns - 1 : CSV_NO_COLUMN;
}

/* How many features a column becomes. */
static size_t count_features(const struct column_decision *decision, const struct column_profile *profile)
{
    if (decision->fate != COLUMN_USED)
        return 0;
    return decision->rule.kind == COLUMN_CATEGORY ? profile->distinct : column_rule_numbers(&decision->rule);
}

/* Fills what the caller sees of a column. */
static void describe_column(struct csv_description *made, size_t i, const struct column_decision *decision,
                            bool is_label)
{
    const struct column_profile *profile = &made->profile[i];
    temper_table_column *out = &made->column[i];
    bool used = decision->fate == COLUMN_USED;
    *out = (temper_table_column){
        .name = i < made->plan.names.count && *made->plan.names.name[i] ? made->plan.names.name[i] : NULL,
        .kind = decision->fate == COLUMN_FREE_TEXT ? "text" : column_kind_name(decision->rule.kind),
        .role = is_label ? "label"
                : used   ? "feature"
                         : "left out",
        .reason = is_label || used ? NULL : column_fate_words(decision->fate),
        .cells = profile->cells,
        .gaps = profile->gaps,
        .distinct = profile->distinct,
        .features = is_label ? 0 : count_features(decision, profile),
    };
    for (size_t k = 0; k < profile->examples; k++)
        out->example[k] = profile->example[k];
}

/* Applies a list of columns of an option: --ignore, --text, --categorical. */
static temper_status apply_list(struct describer *d, const char *option, const char *text,
                                const struct column_decision *decision)
{
    struct csv_description *made = d->made;
    struct list list;
    if (!text)
        return TEMPER_OK;
    TRY(list_read(option, text, false, &list, d->reader->error));
    for (size_t i = 0; i < list.count; i++) {
        size_t column = named_column(&made->plan, list.item[i].name);
        if (column == CSV_NO_COLUMN || strcmp(made->column[column].role, "label") == 0)
            continue;
        describe_column(made, column, decision, false);
        if (decision->fate != COLUMN_USED) {
            made->column[column].role = "ignored";
            made->column[column].reason = NULL;
        }
    }
    list_free(&list);
    return TEMPER_OK;
}

/* What options say about columns precedes what their cells are. */
static temper_status apply_options(struct describer *d)
{
    const temper_read_options *options = d->reader->options;
    const struct column_decision ignored = {.fate = COLUMN_EMPTY}, category = {.rule = {.kind = COLUMN_CATEGORY}},
                                 text = {.rule = {.kind = COLUMN_TEXT, .words = TEXT_FEATURES}};
    TRY(apply_list(d, "--ignore", options->ignore, &ignored));
    TRY(apply_list(d, "--text", options->text, &text));
    return apply_list(d, "--categorical", options->categorical, &category);
}

static void describe_columns(struct describer *d, size_t label)
{
    struct csv_description *made = d->made;
    struct profile_options options = {.semicolons = made->plan.format.separator == ';'};
    for (size_t i = 0; i < made->plan.columns; i++)
        options.comma_likely = options.comma_likely || (i != label && column_has_decimal_comma(&made->profile[i]));
    for (size_t i = 0; i < made->plan.columns; i++) {
        const char *name = i < made->plan.names.count ? made->plan.names.name[i] : NULL;
        struct column_decision decision = column_decide(&made->profile[i], name, &options);
        describe_column(made, i, &decision, i == label);
    }
}

/* ---- What to do -------------------------------------------------------------------------------- */

/* The first two columns of one name. */
static bool find_twins(const struct csv_column_plan *plan, size_t *first, size_t *second)
{
    for (size_t i = 0; i < plan->names.count; i++)
        for (size_t k = i + 1; k < plan->names.count; k++)
            if (*plan->names.name[i] && strcmp(plan->names.name[i], plan->names.name[k]) == 0) {
                *first = i;
                *second = k;
                return true;
            }
    return false;
}

/* Why the table cannot be trained on as it is; the most basic reason first. */
static void find_problem(struct csv_description *made, size_t label)
{
    const temper_table *table = &made->table;
    size_t first, second, features = 0;
    char *out = made->problem;
    for (size_t i = 0; i < made->plan.columns; i++)
        features += made->column[i].features;
    if (table->rows == 0)
        snprintf(out, OPTIONS_LENGTH, "it has no rows");
    else if (table->ragged > 0)
        snprintf(out, OPTIONS_LENGTH,
                 "%zu line%s another number of cells than the first, or a stray quote; see line %zu", table->ragged,
                 table->ragged == 1 ? " has" : "s have", table->ragged_line);
    else if (find_twins(&made->plan, &first, &second))
        snprintf(out, OPTIONS_LENGTH,
                 "columns %zu and %zu have the same name; rename one, or leave it out by --ignore %zu", first + 1,
                 second + 1, second + 1);
    else if (label == CSV_NO_COLUMN)
        snprintf(out, OPTIONS_LENGTH, "there is no such column as --label names");
    else if (made->profile[label].distinct < 2)
        snprintf(out, OPTIONS_LENGTH, "%s has one value only, and a label needs two",
                 csv_column_shown(&made->plan, label).text);
    else if (is_target(&made->profile[label]))
        snprintf(out, OPTIONS_LENGTH, "%s has many different numbers: this looks like a regression target, not a label",
                 csv_column_shown(&made->plan, label).text);
    else if (features == 0)
        snprintf(out, OPTIONS_LENGTH, "no column is left for features");
    made->table.problem = *out ? out : NULL;
}

/* The options that a training needs beside the file. */
static void find_options(struct describer *d, size_t label)
{
    struct csv_description *made = d->made;
    /* A regression target is not proposed as a label. */
    bool proposed = label != CSV_NO_COLUMN && !is_target(&made->profile[label]);
    snprintf(made->options, OPTIONS_LENGTH, "--label %s%s",
             proposed ? csv_column_option(&made->plan, label).text : "NAME",
             made->table.header < 0 ? " --header yes" : "");
    made->table.options = made->options;
}

/* ---- All --------------------------------------------------------------------------------------- */

/* The separator and the lines before the table. */
static void find_dialect(struct describer *d)
{
    static const char separators[] = ",;\t| ";
    static const char *const names[] = {"comma", "semicolon", "tab", "bar", "space"};
    struct csv_column_plan *plan = &d->made->plan;
    const char *given = d->reader->options->separator, *next = d->from;
    char separator = given && given[0] ? given[0] : csv_is_tsv(d->reader) ? '\t' : csv_infer_separator(d->from, d->to);
    const char *found = strchr(separators, separator);
    csv_format_set(&plan->format, separator);
    d->made->table.separator = d->reader->origin ? "none" : names[found && *found ? found - separators : 0];
    for (size_t left = d->reader->options->skip; left > 0 && next < d->to; left--) {
        const char *newline = memchr(next, '\n', (size_t)(d->to - next));
        next = newline ? newline + 1 : d->to;
        plan->skipped++;
    }
    if (plan->skipped == 0 && !d->reader->origin)
        plan->skipped = csv_count_preamble(&plan->format, d->from, d->to, &next);
    d->from = next;
    d->line = plan->skipped;
    d->made->table.skipped = (size_t)plan->skipped;
}

/* Describes the text [from, to), which ends in a newline. */
static temper_status describe_text(struct describer *d)
{
    struct csv_description *made = d->made;
    find_dialect(d);
    TRY(csv_take_gap_words(&made->plan, d->reader));
    TRY(take_first(d));
    if ((made->plan.columns > 0 && !add_rows(d)) || d->no_memory)
        return error_no_memory(d->reader->error);
    size_t label = find_label(d);
    describe_columns(d, label);
    TRY(apply_options(d));
    made->table.columns = made->plan.columns;
    made->table.column = made->column;
    find_problem(made, label);
    find_options(d, label);
    return TEMPER_OK;
}

/* The first chunk of the file. */
static temper_status describe_chunk(struct describer *d, struct text_chunk *chunk)
{
    char *from = chunk->bytes, *to = from + chunk->length;
    if (chunk->length >= 3 && memcmp(from, "\xef\xbb\xbf", 3) == 0)
        from += 3;
    if (to > from && to[-1] != '\n')
        *to++ = '\n';
    d->from = from;
    d->to = to;
    d->made->table.more_rows = !chunk->last;
    return describe_text(d);
}

temper_status csv_describe(struct data_reader *reader, temper_table **out)
{
    struct csv_description *made = mem_zeroed(1, sizeof *made);
    struct describer d = {.reader = reader, .made = made};
    struct text_chunks *chunks = NULL;
    struct text_chunk *chunk;
    struct source *source = reader->source;
    reader->source = NULL;
    if (!made) {
        source_close(source);
        return error_no_memory(reader->error);
    }
    made->plan.path = reader->path;
    made->table.encoding = reader->reencoded ? "converted to UTF-8" : "UTF-8";
    temper_status status = text_chunks_open(source, true, 0, &chunks, reader->error);
    if (status == TEMPER_OK)
        status = text_chunks_next(chunks, &chunk, reader->error);
    if (status == TEMPER_OK)
        status = describe_chunk(&d, chunk);
    text_chunks_close(chunks);
    if (status == TEMPER_OK)
        *out = &made->table;
    else
        csv_description_free(&made->table);
    return status;
}

void csv_description_free(temper_table *table)
{
    struct csv_description *made = (struct csv_description *)table;
    if (!made)
        return;
    for (size_t i = 0; made->profile && i < made->plan.columns; i++)
        column_profile_free(&made->profile[i]);
    mem_free(made->profile);
    mem_free(made->column);
    csv_columns_free(&made->plan);
    mem_free(made);
}
