/* csv_columns: plans what each column is: a feature, categories, the label, weights, or ignored.
 *
 * Options name columns by name or by number. A column that an option names must exist, once, and have one role only:
 * a wrong guess would silently train a model on the wrong columns. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/csv/csv.h"
#include "data/name_list.h"
#include "data/quote_text.h"
#include "data/string_table.h"
#include "data/table/table_cells.h"
#include "data/table/table_profile.h"

enum { NAMES_LENGTH = 240 }; /* bytes of a list of names in a message */

/* ---- Names ----------------------------------------------------------------------------------- */

/* Copies the names: the chunk with the header is given back before the rows are parsed. Names are stored unquoted, with
 * doubled quotes made single. names.count grows with each name, so that a plan that is half made can be freed. */
static temper_status take_names(struct csv_column_plan *plan, const struct csv_line *header, temper_error *error)
{
    plan->names.name = (char **)mem_zeroed(header->count, sizeof *plan->names.name);
    if (!plan->names.name)
        return error_no_memory(error);
    for (size_t i = 0; i < header->count; i++) {
        const struct csv_cell *cell = &header->cell[i];
        char *name = mem_alloc((size_t)(cell->to - cell->from) + 1, 1);
        if (!name)
            return error_no_memory(error);
        name[csv_unquote(cell, name)] = '\0';
        plan->names.name[plan->names.count++] = name;
    }
    return TEMPER_OK;
}

/* The number of columns with this name; *column is the first. Names are compared byte by byte; a linear search is
 * enough for the few columns that options name. */
static size_t find_name(const struct csv_column_plan *plan, const char *name, size_t *column)
{
    size_t found = 0;
    for (size_t i = 0; i < plan->names.count; i++) {
        if (strcmp(plan->names.name[i], name) != 0)
            continue;
        if (found++ == 0)
            *column = i;
    }
    return found;
}

/* Whether a name needs no quotes in a shell. A leading '-' would be parsed as an option, and a comma would split a list
 * of names. */
static bool is_plain(const char *name)
{
    return *name && *name != '-' &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "0123456789_.-+/:@%")] == '\0';
}

/* Whether a name has no bytes that a terminal would interpret. */
static bool is_printable(const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name < 0x20 || *name == 0x7f || *name == '\\')
            return false;
    return true;
}

/* A name that occurs twice would select nothing, so that the number is shown instead. The text can be pasted into a
 * command line as it is. */
struct csv_column_text csv_column_option(const struct csv_column_plan *plan, size_t column)
{
    struct csv_column_text shown;
    size_t ignored;
    const char *name = column < plan->names.count ? plan->names.name[column] : "";
    if (strlen(name) <= CSV_NAME_SHOWN && is_plain(name) && find_name(plan, name, &ignored) == 1)
        snprintf(shown.text, sizeof shown.text, "%s", name);
    else
        snprintf(shown.text, sizeof shown.text, "%zu", column + 1);
    return shown;
}

/* Long names are shortened; those with control characters are replaced by the number. */
struct csv_column_text csv_column_shown(const struct csv_column_plan *plan, size_t column)
{
    struct csv_column_text shown;
    const char *name = column < plan->names.count ? plan->names.name[column] : "";
    bool is_long = strlen(name) > CSV_NAME_SHOWN;
    if (*name && is_printable(name))
        snprintf(shown.text, sizeof shown.text, "column '%.*s%s'", (int)CSV_NAME_SHOWN, name, is_long ? "..." : "");
    else
        snprintf(shown.text, sizeof shown.text, "column %zu", column + 1);
    return shown;
}

/* ---- Which column an option means ------------------------------------------------------------ */

/* A column that an option names; the option is part of every message about it. */
struct column_request {
    const char *option; /* "--label" */
    const char *name;   /* as the user wrote it: a name of the header, or a number from 1 */
    const struct data_reader *reader;
};

/* The name that the user gave, shortened and escaped for a message. */
static struct token_text shown_name(const struct column_request *wanted)
{
    size_t length = strlen(wanted->name);
    length = length < CSV_TOKEN_SHOWN ? length : CSV_TOKEN_SHOWN;
    return token_text(wanted->name, wanted->name + length);
}

/* A name that differs only in case or blanks, or by a typing mistake; else NULL. Only proposed in the message: choosing
 * it silently could train on the wrong column. */
static const char *meant_name(const struct csv_column_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->names.count; i++)
        if (text_alike(plan->names.name[i], name))
            return plan->names.name[i];
    struct suggestion near = {.typed = name};
    for (size_t i = 0; i < plan->names.count && strlen(name) > 2; i++) /* x1 is near to x2, and not meant */
        suggestion_offer(&near, plan->names.name[i]);
    return near.name;
}

/* "a name of the header: a, b, c, ...", as many as fit. The buffer is kept short, since the message has to hold the
 * file's name too. */
static void list_names(const struct csv_column_plan *plan, char out[NAMES_LENGTH])
{
    size_t used = (size_t)snprintf(out, NAMES_LENGTH, "a name of the header: "), i = 0;
    size_t shown_names = 0;
    for (; i < plan->names.count; i++) {
        const char *name = plan->names.name[i];
        struct token_text shown = token_text(name, name + strlen(name));
        if (!*name)
            continue;
        if (used + strlen(shown.text) + sizeof ", ..." > NAMES_LENGTH)
            break;
        used += (size_t)snprintf(out + used, NAMES_LENGTH - used, "%s%s", shown_names++ ? ", " : "", shown.text);
    }
    if (i < plan->names.count)
        snprintf(out + used, NAMES_LENGTH - used, i ? ", ..." : "...");
}

/* There is no such column. Without a header names cannot be found, which may be the cause. */
static temper_status refuse_column(const struct csv_column_plan *plan, const struct column_request *wanted)
{
    char advice[NAMES_LENGTH] = "--header yes if the file has a header";
    const char *meant = meant_name(plan, wanted->name);
    if (meant)
        return error_set(wanted->reader->error, TEMPER_USAGE, "%s: there is no column '%s' for %s; did you mean '%s'?",
                         place_text(plan->path).text, shown_name(wanted).text, wanted->option,
                         token_text(meant, meant + strlen(meant)).text);
    if (plan->header)
        list_names(plan, advice);
    return error_set(wanted->reader->error, TEMPER_USAGE,
                     "%s: there is no column '%s' for %s; pass %s, or a number from 1 to %zu",
                     place_text(plan->path).text, shown_name(wanted).text, wanted->option, advice, plan->columns);
}

/* Finds a column by name, else by number; CSV_NO_COLUMN if it is neither. A name takes precedence over a number, so
 * that a header of years can be addressed. The caller decides whether a column that was not found is an error: for
 * --weights it may be a file. */
static temper_status look_up(const struct csv_column_plan *plan, const struct column_request *wanted, size_t *column)
{
    unsigned long long number;
    size_t found = find_name(plan, wanted->name, column);
    if (found > 1)
        return error_set(wanted->reader->error, TEMPER_USAGE,
                         "%s: %zu columns are named '%s'; name one of them for %s by its number",
                         place_text(plan->path).text, found, shown_name(wanted).text, wanted->option);
    if (found == 1)
        return TEMPER_OK;
    bool is_number = number_u64(wanted->name, wanted->name + strlen(wanted->name), &number);
    *column = is_number && number >= 1 && number <= plan->columns ? (size_t)number - 1 : CSV_NO_COLUMN;
    return TEMPER_OK;
}

/* Gives a column a role, unless another option has given it a different one. CSV_FEATURE is the role of columns that no
 * option has mentioned; the same role twice is harmless. */
static temper_status assign_role(struct csv_column_plan *plan, const struct column_request *wanted, size_t column,
                                 enum csv_role role)
{
    if (column == CSV_NO_COLUMN)
        return refuse_column(plan, wanted);
    if (plan->role[column] != CSV_FEATURE && plan->role[column] != role)
        return error_set(wanted->reader->error, TEMPER_USAGE,
                         "%s: column '%s' is given two roles, one by %s; name it once", place_text(plan->path).text,
                         shown_name(wanted).text, wanted->option);
    plan->role[column] = (unsigned char)role;
    return TEMPER_OK;
}

/* Finds the column and gives it the role; *column is its index. */
static temper_status assign_by_name(struct csv_column_plan *plan, const struct column_request *wanted,
                                    enum csv_role role, size_t *column)
{
    TRY(look_up(plan, wanted, column));
    return assign_role(plan, wanted, *column, role);
}

/* "all" among categorical or kept columns, unless a column has that name. */
static bool means_all(const struct csv_column_plan *plan, const char *name)
{
    size_t column;
    return strcmp(name, "all") == 0 && find_name(plan, name, &column) == 0;
}

/* Gives a role to the columns of a list "A,B,...". Used by --ignore, --categorical and --text. */
static temper_status assign_list(struct csv_column_plan *plan, const struct column_request *option, const char *text,
                                 enum csv_role role)
{
    struct list list;
    if (!text)
        return TEMPER_OK;
    temper_status status = list_read(option->option, text, false, &list, option->reader->error);
    if (status != TEMPER_OK)
        return status;
    for (size_t i = 0; i < list.count && status == TEMPER_OK; i++) {
        struct column_request wanted = {option->option, list.item[i].name, option->reader};
        if (role == CSV_CATEGORY && means_all(plan, wanted.name))
            plan->all_text = true;
        else
            status = assign_by_name(plan, &wanted, role, &(size_t){0});
    }
    list_free(&list);
    return status;
}

/* ---- Roles ----------------------------------------------------------------------------------- */

/* Weights are a column if --weights names one, else a file, which read_complete reads. A name that is not a column
 * leaves plan->weight at CSV_NO_COLUMN and is no error here. */
static temper_status assign_weight(struct csv_column_plan *plan, const struct data_reader *reader)
{
    const char *name = reader->options->weights;
    if (!name)
        return TEMPER_OK;
    struct column_request wanted = {"--weights", name, reader};
    temper_status status = look_up(plan, &wanted, &plan->weight);
    if (status != TEMPER_OK || plan->weight == CSV_NO_COLUMN)
        return status;
    return assign_role(plan, &wanted, plan->weight, CSV_WEIGHT_COLUMN);
}

/* The only column without a role whose name is that of a label, if the last column has no such name; for tables that
 * have their label in front. CSV_NO_COLUMN if there is none, or several. */
static size_t find_named_label(const struct csv_column_plan *plan)
{
    size_t found = CSV_NO_COLUMN, last = CSV_NO_COLUMN;
    for (size_t i = 0; i < plan->names.count; i++) {
        if (plan->role[i] == CSV_IGNORED || plan->role[i] == CSV_WEIGHT_COLUMN)
            continue;
        last = i;
        if (!name_is_label(plan->names.name[i]))
            continue;
        if (found != CSV_NO_COLUMN)
            return CSV_NO_COLUMN;
        found = i;
    }
    return found == last ? CSV_NO_COLUMN : found;
}

/* Determines the label column: the one that --label names, else the last column without a role. No column is the label
 * if labels come from another file, or for --label none (unless a column has that name). */
static temper_status assign_label(struct csv_column_plan *plan, const struct data_reader *reader)
{
    const char *name = reader->options->label;
    size_t none;
    if (!name && reader->options->labels)
        return TEMPER_OK;
    if (name && strcmp(name, "none") == 0 && find_name(plan, "none", &none) == 0)
        return TEMPER_OK;
    if (name) {
        struct column_request wanted = {"--label", name, reader};
        return assign_by_name(plan, &wanted, CSV_LABEL, &plan->label);
    }
    /* The default. It is recorded as a guess, so that messages and notes can offer --label. */
    size_t named = plan->inferred.wanted ? find_named_label(plan) : CSV_NO_COLUMN;
    if (named != CSV_NO_COLUMN) {
        plan->label = named;
        plan->label_guessed = plan->inferred.label_named = true;
        plan->role[named] = CSV_LABEL;
        return TEMPER_OK;
    }
    for (size_t i = plan->columns; i-- > 0;) {
        if (plan->role[i] == CSV_IGNORED || plan->role[i] == CSV_WEIGHT_COLUMN)
            continue;
        /* Spreadsheets end rows by separators of columns that are empty, and have no name. */
        if (plan->inferred.wanted && i < plan->names.count && !*plan->names.name[i])
            continue;
        plan->label = i;
        plan->label_guessed = true;
        plan->role[i] = CSV_LABEL;
        return TEMPER_OK;
    }
    return TEMPER_OK; /* no feature is left either: csv_columns_finish reports it */
}

/* The rule that --missing names. With a schema the rule of the training data is the default. */
static temper_status take_missing_rule(struct csv_column_plan *plan, const struct data_reader *reader)
{
    static const char *const rules[] = {[CSV_ZERO] = "zero", [CSV_MEAN] = "mean", [CSV_DROP] = "drop"};
    const char *given = reader->options->missing;
    plan->missing = CSV_REFUSE;
    for (int rule = CSV_ZERO; given && rule <= CSV_DROP; rule++)
        if (strcmp(given, rules[rule]) == 0)
            plan->missing = (enum csv_missing_rule)rule;
    if (given && plan->missing == CSV_REFUSE)
        return error_set(reader->error, TEMPER_USAGE, "--missing is none of zero, mean and drop; pass one of them");
    if (!given && plan->inferred.wanted)
        plan->missing = CSV_FILL;
    return reader->schema ? csv_match_missing(plan, reader) : TEMPER_OK;
}

/* Allocates the rules of all columns: plain numbers at first. */
static temper_status make_rules(struct csv_column_plan *plan, temper_error *error)
{
    if (!plan->inferred.rule)
        plan->inferred.rule = mem_zeroed(plan->columns, sizeof *plan->inferred.rule);
    return plan->inferred.rule ? TEMPER_OK : error_no_memory(error);
}

/* --text: columns whose words are hashed. */
static temper_status assign_words(struct csv_column_plan *plan, const struct data_reader *reader)
{
    struct column_request words = {.option = "--text", .reader = reader};
    TRY(make_rules(plan, reader->error));
    TRY(assign_list(plan, &words, reader->options->text, CSV_CONVERTED));
    for (size_t i = 0; i < plan->columns; i++)
        if (plan->role[i] == CSV_CONVERTED)
            plan->inferred.rule[i] = (struct column_rule){.kind = COLUMN_TEXT, .words = TEXT_FEATURES};
    return TEMPER_OK;
}

/* Finds the columns of --keep, which may have any role. */
static temper_status find_kept(struct csv_column_plan *plan, const struct data_reader *reader)
{
    struct list list;
    const char *text = reader->options->keep;
    if (!text)
        return TEMPER_OK;
    TRY(list_read("--keep", text, false, &list, reader->error));
    bool all = list.count == 1 && means_all(plan, list.item[0].name);
    size_t count = all ? plan->columns : list.count;
    plan->kept = mem_alloc(count, sizeof *plan->kept);
    temper_status status = plan->kept ? TEMPER_OK : error_no_memory(reader->error);
    for (; status == TEMPER_OK && plan->kept_count < count; plan->kept_count++) {
        size_t *column = &plan->kept[plan->kept_count];
        struct column_request wanted = {"--keep", all ? "" : list.item[plan->kept_count].name, reader};
        *column = plan->kept_count;
        if (!all)
            status = look_up(plan, &wanted, column);
        if (status == TEMPER_OK && *column == CSV_NO_COLUMN)
            status = refuse_column(plan, &wanted);
    }
    list_free(&list);
    return status;
}

/* Refuses two used columns of one name: another table with these columns in another order could not be recognised. */
static temper_status refuse_twins(const struct csv_column_plan *plan, temper_error *error)
{
    struct string_table seen = {0};
    temper_status status = TEMPER_OK;
    for (uint32_t i = 0; status == TEMPER_OK && i < plan->names.count; i++) {
        const char *name = plan->names.name[i];
        size_t length = strlen(name);
        if (plan->role[i] == CSV_IGNORED || length == 0)
            continue;
        uint32_t first = string_table_find(&seen, name, length);
        if (first != UINT32_MAX)
            status = error_set(error, TEMPER_BAD_DATA,
                               "%s: columns %zu and %zu are both named '%.*s'; rename one of them, or leave it out: "
                               "--ignore %zu",
                               place_text(plan->path).text, (size_t)first + 1, (size_t)i + 1, (int)CSV_NAME_SHOWN,
                               token_text(name, name + length).text, (size_t)i + 1);
        else if (!string_table_add(&seen, name, length, i))
            status = error_no_memory(error);
    }
    string_table_free(&seen);
    return status;
}

/* Ignored columns and weights are assigned first, so that the label is the last of the others. With a schema the
 * features and their order are those of the model, and its label column is found by csv_match_columns; the options may
 * still name a label, weights and ignored columns. */
temper_status csv_columns_plan(struct csv_column_plan *plan, const struct data_reader *reader,
                               const struct csv_line *first)
{
    plan->columns = first->count;
    plan->inferred.wanted = reader->options->automatic && !reader->schema;
    plan->label = plan->weight = CSV_NO_COLUMN;
    plan->f64 = reader->options->f64 != 0;
    plan->role = mem_zeroed(plan->columns, sizeof *plan->role);
    if (!plan->role)
        return error_no_memory(reader->error);
    if (plan->header)
        TRY(take_names(plan, first, reader->error));
    TRY(csv_take_gap_words(plan, reader));
    TRY(take_missing_rule(plan, reader));
    TRY(find_kept(plan, reader));
    struct column_request ignored = {.option = "--ignore", .reader = reader};
    TRY(assign_list(plan, &ignored, reader->options->ignore, CSV_IGNORED));
    TRY(assign_weight(plan, reader));
    if (!reader->schema || reader->options->label)
        TRY(assign_label(plan, reader));
    if (reader->schema) {
        TRY(csv_match_columns(plan, reader));
        return csv_infer_from_schema(plan, reader);
    }
    struct column_request text = {.option = "--categorical", .reader = reader};
    TRY(assign_list(plan, &text, reader->options->categorical, CSV_CATEGORY));
    if (reader->options->text)
        TRY(assign_words(plan, reader));
    return plan->inferred.wanted ? refuse_twins(plan, reader->error) : TEMPER_OK;
}

/* A cell is a gap by the words of the reader, or, in a table that was inferred, by more of them. */
bool csv_is_gap(const struct csv_column_plan *plan, const struct csv_cell *cell, bool certain)
{
    if (plan->inferred.applied || plan->inferred.gaps.count > 0)
        return cell_is_gap(cell->from, cell->to, &plan->inferred.gaps, certain || !plan->inferred.applied);
    return csv_is_missing(cell);
}

size_t csv_column_numbers(const struct csv_column_plan *plan, size_t column)
{
    enum csv_role role = (enum csv_role)plan->role[column];
    if (role == CSV_CONVERTED)
        return column_rule_numbers(&plan->inferred.rule[column]);
    return role == CSV_FEATURE || role == CSV_CATEGORY;
}

/* Computes the layout of a parsed row: plan->width cells (features and categories, in file order) of cell_size bytes
 * each, and for each categorical column its index in the file and its slot in the row. Called after csv_columns_text,
 * which may still turn features into categories. */
temper_status csv_columns_finish(struct csv_column_plan *plan, const struct data_reader *reader)
{
    TRY(csv_guard_numbers(plan, reader->error));
    for (size_t i = 0; i < plan->columns; i++) {
        plan->categories += plan->role[i] == CSV_CATEGORY;
        plan->width += csv_column_numbers(plan, i);
    }
    if (plan->width == 0 && !(reader->options->labels_alone && plan->label != CSV_NO_COLUMN))
        return error_set(reader->error, TEMPER_BAD_DATA,
                         "%s: no column is left for features; pass another --label or --ignore, or "
                         "--format if this is not %s",
                         place_text(plan->path).text,
                         plan->origin                     ? "JSON lines"
                         : plan->format.separator == '\t' ? "TSV"
                                                          : "CSV");
    plan->cell_size = plan->f64 ? sizeof(double) : sizeof(float);
    plan->category = mem_alloc(plan->categories, sizeof *plan->category);
    plan->slot = mem_alloc(plan->categories, sizeof *plan->slot);
    if (!plan->category || !plan->slot || !mul_size(plan->width, plan->cell_size, &plan->row_size))
        return error_no_memory(reader->error);
    /* A slot is the number of kept numbers before this one. */
    for (size_t i = 0, slot = 0, n = 0; i < plan->columns; i++) {
        if (plan->role[i] == CSV_CATEGORY) {
            plan->category[n] = i;
            plan->slot[n++] = slot;
        }
        slot += csv_column_numbers(plan, i);
    }
    return TEMPER_OK;
}

/* Also frees a plan that is half made. Pointers that were not set yet are NULL. */
void csv_columns_free(struct csv_column_plan *plan)
{
    for (size_t i = 0; i < plan->names.count; i++)
        mem_free(plan->names.name[i]);
    mem_free((void *)plan->names.name);
    mem_free(plan->role);
    mem_free(plan->category);
    mem_free(plan->slot);
    mem_free(plan->matched);
    mem_free(plan->kept);
    csv_inference_free(&plan->inferred);
}

/* ---- Columns of text ------------------------------------------------------------------------- */

enum { TEXT_LINES = 1000 }; /* that are searched for a message */

/* Whether a cell of a feature is neither a number nor missing. */
static bool is_text_feature(const struct csv_column_plan *plan, size_t column, const struct csv_cell *cell)
{
    return column < plan->columns && plan->role[column] == CSV_FEATURE && !csv_is_number(cell) && !csv_is_missing(cell);
}

/* For --categorical all: classifies every cell of the chunk, and makes each feature that contains text categorical.
 * This parses every number a second time, but only in the chunks that were read ahead, usually the first MiB. */
void csv_columns_text(struct csv_column_plan *plan, const struct csv_chunk *text)
{
    const char *p = text->from;
    while (plan->all_text && (p = csv_skip_blank_lines(&plan->format, p, text->to, NULL)) < text->to) {
        struct csv_cell cell = {.ends_line = false};
        for (size_t i = 0; !cell.ends_line; i++) {
            if (csv_scan(&plan->format, p, text->to, &cell) != CSV_FINE)
                return; /* the parser reports it */
            p = cell.next;
            if (is_text_feature(plan, i, &cell))
                plan->role[i] = CSV_CATEGORY;
        }
    }
}

/* Inserts a column into plan->text, which is sorted and has each column once. Columns beyond CSV_TEXTS_KEPT are left
 * out: the message abbreviates long lists anyway. */
static void add_text(struct csv_column_plan *plan, size_t column)
{
    size_t at = plan->texts;
    for (size_t i = 0; i < plan->texts; i++)
        if (plan->text[i] == column)
            return;
    if (plan->texts == CSV_TEXTS_KEPT)
        return;
    for (; at > 0 && plan->text[at - 1] > column; at--)
        plan->text[at] = plan->text[at - 1];
    plan->text[at] = column;
    plan->texts++;
}

/* Collects the feature columns that contain text within the first TEXT_LINES lines, for one message about all of them.
 * The first row decides: if it has only numbers, later text is reported as a single wrong cell, and the search ends
 * after one line, so that valid tables pay nothing. */
void csv_columns_find_texts(struct csv_column_plan *plan, const struct csv_chunk *text)
{
    const char *p = text->from;
    for (size_t line = 0; line < TEXT_LINES && (line == 0 || plan->texts > 0); line++) {
        struct csv_cell cell = {.ends_line = false};
        p = csv_skip_blank_lines(&plan->format, p, text->to, NULL);
        for (size_t i = 0; p < text->to && !cell.ends_line; i++) {
            if (csv_scan(&plan->format, p, text->to, &cell) != CSV_FINE)
                return; /* the parser reports it */
            p = cell.next;
            if (is_text_feature(plan, i, &cell))
                add_text(plan, i);
        }
    }
}
