/* csv_infer: what the columns of a table are, by what most of their cells are, and the notes about it.
 *
 * A table whose first rows are plain numbers is never looked at here. The others are profiled column by column over
 * the first chunks of the file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/csv/csv.h"
#include "data/name_list.h"
#include "data/quote_text.h"
#include "data/table/table_cells.h"
#include "data/table/table_profile.h"

enum {
    LIST_SHOWN = 8,    /* columns of a list in a note */
    SUSPECT_ROWS = 20, /* fewer may count up by chance */
    HEADER_ROWS = 5,   /* below a first line of text, to tell a header by */
    HEADER_LOOKED = 1000
};

/* Of all rows: with more odd cells than this the columns are not what their first rows are. */
static const double ODD_MOST = 0.1;

void csv_inference_free(struct csv_inference *inferred)
{
    mem_free(inferred->rule);
    mem_free(inferred->fate);
    names_free(&inferred->gaps);
    *inferred = (struct csv_inference){0};
}

/* ---- Options ----------------------------------------------------------------------------------- */

/* Copies the words of --na. */
static temper_status copy_words(const char *option, struct names *out, temper_error *error)
{
    struct list list;
    TRY(list_read("--na", option, false, &list, error));
    bool fine = (out->name = (char **)mem_zeroed(list.count, sizeof *out->name)) != NULL;
    for (size_t i = 0; fine && i < list.count; i++, out->count++)
        fine = copy_string(list.item[i].name, &out->name[i]);
    list_free(&list);
    return fine ? TEMPER_OK : error_no_memory(error);
}

temper_status csv_take_gap_words(struct csv_column_plan *plan, const struct data_reader *reader)
{
    if (reader->options->na)
        return copy_words(reader->options->na, &plan->inferred.gaps, reader->error);
    if (reader->schema && !names_copy(&reader->schema->gaps, &plan->inferred.gaps))
        return error_no_memory(reader->error);
    return TEMPER_OK;
}

temper_status csv_check_options(const struct data_reader *reader)
{
    const temper_read_options *options = reader->options;
    const char *separator = options->separator, *decimal = options->decimal;
    enum date_order ignored;
    if (separator && (strlen(separator) != 1 || !strchr(",;|\t ", separator[0])))
        return error_set(reader->error, TEMPER_USAGE,
                         "--sep is none of comma, semicolon, tab, bar and space; pass one of them");
    if (decimal && strcmp(decimal, ".") != 0 && strcmp(decimal, ",") != 0)
        return error_set(reader->error, TEMPER_USAGE, "--decimal is neither point nor comma; pass one of them");
    if (options->date && !date_order_find(options->date, &ignored))
        return error_set(reader->error, TEMPER_USAGE, "--date is none of ymd, dmy and mdy; pass one of them");
    return TEMPER_OK;
}

temper_status csv_guard_numbers(struct csv_column_plan *plan, temper_error *error)
{
    struct csv_inference *inferred = &plan->inferred;
    bool numbers = false;
    double ignored;
    for (size_t i = 0; i < inferred->gaps.count; i++) {
        const char *word = inferred->gaps.name[i];
        numbers = numbers || number_f64(word, word + strlen(word), &ignored) == NUMBER_OK;
    }
    if (!numbers)
        return TEMPER_OK;
    if (!inferred->rule)
        inferred->rule = mem_zeroed(plan->columns, sizeof *inferred->rule);
    if (!inferred->rule)
        return error_no_memory(error);
    for (size_t i = 0; i < plan->columns; i++)
        if (plan->role[i] == CSV_FEATURE)
            plan->role[i] = CSV_CONVERTED;
    return TEMPER_OK;
}

/* What the options say about numbers and dates; csv_check_options has accepted them. */
static struct profile_options read_options(const struct csv_column_plan *plan, const temper_read_options *options)
{
    struct profile_options out = {.semicolons = plan->format.separator == ';',
                                  .decimal = options->decimal ? options->decimal[0] : '\0'};
    out.has_order = options->date && date_order_find(options->date, &out.order);
    return out;
}

/* ---- Profiles ---------------------------------------------------------------------------------- */

/* Calls column_profile_add for every cell of a chunk, up to `most` rows. Ends at a row that the parser will refuse. */
static bool profile_chunk(const struct csv_column_plan *plan, const struct csv_chunk *text, size_t most,
                          struct column_profile *profile)
{
    const char *p = text->from;
    for (size_t row = 0; row < most; row++) {
        struct csv_cell cell = {.ends_line = false};
        p = csv_skip_blank_lines(&plan->format, p, text->to, NULL);
        for (size_t i = 0; p < text->to && !cell.ends_line; i++) {
            if (csv_scan(&plan->format, p, text->to, &cell) != CSV_FINE || i >= plan->columns)
                return true;
            p = cell.next;
            if (!column_profile_add(&profile[i], cell.from, cell.to, &plan->inferred.gaps))
                return false;
        }
        if (p == text->to)
            break;
    }
    return true;
}

static void free_profiles(struct column_profile *profile, size_t columns)
{
    for (size_t i = 0; profile && i < columns; i++)
        column_profile_free(&profile[i]);
    mem_free(profile);
}

/* The profiles of all columns over the sample; NULL without memory. */
static struct column_profile *profile_columns(const struct csv_column_plan *plan, const struct csv_sample *sample,
                                              size_t most)
{
    struct column_profile *profile = mem_zeroed(plan->columns, sizeof *profile);
    bool fine = profile != NULL;
    for (size_t i = 0; fine && i < sample->chunks; i++)
        fine = profile_chunk(plan, &sample->chunk[i], most, profile);
    if (fine)
        return profile;
    free_profiles(profile, plan->columns);
    return NULL;
}

/* ---- Roles ------------------------------------------------------------------------------------- */

/* Whether a text that says nothing as a category may say something by its words. */
static bool has_words(enum column_fate fate)
{
    return fate == COLUMN_FREE_TEXT || fate == COLUMN_NAMES;
}

/* Gives a column the role that was decided. --categorical all keeps texts that would be left out. */
static void apply_decision(struct csv_column_plan *plan, size_t column, const struct column_decision *decision)
{
    struct column_decision used = *decision;
    if (plan->all_text && used.rule.kind == COLUMN_CATEGORY)
        used.fate = COLUMN_USED;
    plan->inferred.rule[column] = used.rule;
    plan->inferred.fate[column] = (unsigned char)used.fate;
    if (used.fate != COLUMN_USED)
        plan->role[column] = CSV_IGNORED;
    else if (used.rule.kind == COLUMN_CATEGORY)
        plan->role[column] = CSV_CATEGORY;
    else if (!column_rule_is_plain(&used.rule))
        plan->role[column] = CSV_CONVERTED;
}

/* Where nothing else is left, the words of texts are the features. */
static void use_words(struct csv_column_plan *plan)
{
    bool any = false;
    for (size_t i = 0; i < plan->columns; i++)
        any = any || csv_column_numbers(plan, i) > 0;
    for (size_t i = 0; !any && i < plan->columns; i++)
        if (has_words((enum column_fate)plan->inferred.fate[i])) {
            plan->inferred.rule[i] = (struct column_rule){.kind = COLUMN_TEXT, .words = TEXT_FEATURES};
            plan->inferred.fate[i] = COLUMN_USED;
            plan->role[i] = CSV_CONVERTED;
        }
}

/* Decides for all columns that no option has given a role. */
static void decide_columns(struct csv_column_plan *plan, const struct column_profile *profile,
                           struct profile_options *options)
{
    for (size_t i = 0; i < plan->columns; i++)
        options->comma_likely = options->comma_likely || (i != plan->label && column_has_decimal_comma(&profile[i]));
    for (size_t i = 0; i < plan->columns; i++) {
        if (plan->role[i] != CSV_FEATURE)
            continue;
        const char *name = i < plan->names.count ? plan->names.name[i] : NULL;
        struct column_decision decision = column_decide(&profile[i], name, options);
        apply_decision(plan, i, &decision);
    }
}

/* Whether all used columns are plain numbers, or categories that an option has named, and none is left out. */
static bool is_plain(const struct csv_column_plan *plan)
{
    bool plain = true;
    for (size_t i = 0; plain && i < plan->columns; i++) {
        bool category = plan->role[i] == CSV_CATEGORY && plan->inferred.rule[i].kind == COLUMN_CATEGORY;
        plain = plan->inferred.fate[i] == COLUMN_USED && plan->role[i] != CSV_CONVERTED && !category;
    }
    return plain;
}

/* The table is one of plain numbers after all, perhaps with gaps: its model is that of such a table. */
static void forget_rules(struct csv_inference *inferred)
{
    mem_free(inferred->rule);
    mem_free(inferred->fate);
    inferred->rule = NULL;
    inferred->fate = NULL;
}

temper_status csv_infer_columns(struct csv_column_plan *plan, const struct data_reader *reader,
                                const struct csv_sample *sample)
{
    struct profile_options options = read_options(plan, reader->options);
    struct csv_inference *inferred = &plan->inferred;
    if (!inferred->rule)
        inferred->rule = mem_zeroed(plan->columns, sizeof *inferred->rule);
    inferred->fate = mem_zeroed(plan->columns, sizeof *inferred->fate);
    struct column_profile *profile = profile_columns(plan, sample, SIZE_MAX);
    bool fine = inferred->rule && inferred->fate && profile;
    if (fine)
        decide_columns(plan, profile, &options);
    if (fine && !reader->options->labels_alone)
        use_words(plan);
    free_profiles(profile, plan->columns);
    if (fine && is_plain(plan))
        forget_rules(inferred);
    return fine ? TEMPER_OK : error_no_memory(reader->error);
}

/* Rules of the schema, for the columns of this file that it has. */
temper_status csv_infer_from_schema(struct csv_column_plan *plan, const struct data_reader *reader)
{
    const struct schema *schema = reader->schema;
    if (!schema->automatic)
        return TEMPER_OK;
    plan->inferred.applied = true;
    plan->inferred.rule = mem_zeroed(plan->columns, sizeof *plan->inferred.rule);
    if (!plan->inferred.rule)
        return error_no_memory(reader->error);
    for (size_t i = 0; i < schema->columns; i++) {
        const struct column_rule *rule = &schema->column[i].rule;
        size_t column = plan->matched[i];
        plan->inferred.rule[column] = *rule;
        if (schema->column[i].texts.count == 0 && (rule->kind != COLUMN_NUMBER || rule->decimal))
            plan->role[column] = CSV_CONVERTED;
    }
    return TEMPER_OK;
}

/* ---- Plain numbers that are no features -------------------------------------------------------- */

/* A number of a parsed row. */
static double number_at(const struct csv_column_plan *plan, const struct csv_rows *rows, size_t row, size_t slot)
{
    const unsigned char *cell = rows->cells + row * plan->row_size + slot * plan->cell_size;
    double wide;
    float narrow;
    if (plan->f64) {
        memcpy(&wide, cell, sizeof wide);
        return wide;
    }
    memcpy(&narrow, cell, sizeof narrow);
    return (double)narrow;
}

/* Whether a column continues to count from 0 or 1. Ends at the first row that does not, mostly the second. */
static bool counts_up(const struct csv_column_plan *plan, const struct csv_rows *rows, size_t slot)
{
    double first = number_at(plan, rows, 0, slot);
    if (first != 0 && first != 1)
        return false;
    for (size_t r = 1; r < rows->rows; r++)
        if (number_at(plan, rows, r, slot) != first + (double)r)
            return false;
    return true;
}

bool csv_rows_are_suspect(const struct csv_column_plan *plan, const struct csv_rows *rows)
{
    if (rows->rows < SUSPECT_ROWS || plan->width < 2)
        return false;
    for (size_t i = 0, slot = 0; i < plan->columns; slot += csv_column_numbers(plan, i), i++) {
        if (plan->role[i] != CSV_FEATURE)
            continue;
        if (counts_up(plan, rows, slot) || (i < plan->names.count && name_is_identifier(plan->names.name[i])))
            return true;
    }
    return false;
}

/* ---- Headers ----------------------------------------------------------------------------------- */

/* Whether a text is of the kind that nearly all cells of the column are. False without memory. */
static bool fits_column(const struct column_profile *profile, const struct csv_cell *cell, bool *fits)
{
    struct column_profile own = {0};
    size_t values = profile->cells - profile->gaps;
    bool fine = column_profile_add(&own, cell->from, cell->to, NULL);
    *fits = true;
    if (own.gaps > 0)
        *fits = true;
    else if (profile->point == values || profile->comma == values)
        *fits = own.point + own.comma > 0;
    else if (profile->booleans == values)
        *fits = own.booleans > 0;
    else if (profile->days == values || profile->times == values)
        *fits = own.days + own.times > 0;
    column_profile_free(&own);
    return fine;
}

/* What one cell of the first line says: it is among the values below, or it is no such value. False without memory. */
static bool compare_cell(const struct csv_cell *cell, const struct column_profile *below, size_t *names, size_t *values)
{
    size_t length = (size_t)(cell->to - cell->from);
    bool fits;
    if (length == 0 || below->cells == below->gaps)
        return true;
    if (!fits_column(below, cell, &fits))
        return false;
    bool recurs = below->cells >= HEADER_ROWS && below->distinct * 2 <= below->cells - below->gaps;
    bool occurs = string_table_find(&below->texts, cell->from, length) != UINT32_MAX;
    *values += occurs;
    *names += (recurs && !occurs) || !fits;
    return true;
}

/* Compares the first line with the rows below it: a name is not among the values of its column where these recur. */
bool csv_header_by_columns(struct csv_column_plan *plan, const struct csv_line *first, const struct csv_sample *sample,
                           enum csv_header_guess *guess)
{
    size_t names = 0, values = 0;
    plan->columns = first->count;
    struct column_profile *profile = profile_columns(plan, sample, HEADER_LOOKED);
    bool fine = profile != NULL;
    for (size_t i = 0; fine && i < first->count; i++)
        fine = compare_cell(&first->cell[i], &profile[i], &names, &values);
    free_profiles(profile, first->count);
    *guess = names > 0 && values == 0 ? CSV_HEADER_YES : values > 0 && names == 0 ? CSV_HEADER_NO : CSV_HEADER_UNKNOWN;
    return fine;
}

/* ---- Notes ------------------------------------------------------------------------------------- */

/* A list of columns for a note, which ends after LIST_SHOWN. */
struct column_list_text {
    struct text text;
    size_t count;
};

static void list_column(struct column_list_text *list, const struct csv_column_plan *plan, size_t column)
{
    if (list->count++ >= LIST_SHOWN)
        return;
    if (list->count > 1)
        text_append(&list->text, ", ");
    text_append(&list->text, csv_column_shown(plan, column).text + strlen("column "));
}

/* Notes a list with its title, and frees it. */
static void note_list(struct dataset *data, const char *title, struct column_list_text *list)
{
    char more[40] = "";
    if (list->count > LIST_SHOWN)
        snprintf(more, sizeof more, " and %zu more", list->count - LIST_SHOWN);
    if (list->count > 0 && !list->text.failed)
        dataset_note(data, "%s: %s%s", title, list->text.bytes, more);
    text_free(&list->text);
}

/* Whether a column is used as a rule of this kind: notation for numbers that are not plain. */
static bool is_used_as(const struct csv_column_plan *plan, size_t column, enum column_kind kind)
{
    const struct column_rule *rule = &plan->inferred.rule[column];
    bool inferred = plan->inferred.fate && plan->inferred.fate[column] == COLUMN_USED;
    if (kind == COLUMN_CATEGORY)
        return plan->role[column] == CSV_CATEGORY && inferred && rule->kind == COLUMN_CATEGORY;
    return plan->role[column] == CSV_CONVERTED && rule->kind == kind;
}

static void note_kinds(const struct csv_column_plan *plan, struct dataset *data)
{
    static const struct {
        enum column_kind kind;
        const char *title;
    } kinds[] = {{COLUMN_CATEGORY, "categories, a feature for each text"},
                 {COLUMN_BOOLEAN, "true or false, as 1 or 0"},
                 {COLUMN_DATE, "dates, as days, month, weekday and hour"},
                 {COLUMN_TEXT, "text, its words and pairs of words hashed to features"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct column_list_text list = {.count = 0};
        for (size_t i = 0; i < plan->columns; i++)
            if (is_used_as(plan, i, kinds[k].kind))
                list_column(&list, plan, i);
        note_list(data, kinds[k].title, &list);
    }
    for (int comma = 0; comma < 2; comma++) {
        struct column_list_text list = {.count = 0};
        for (size_t i = 0; i < plan->columns; i++)
            if (is_used_as(plan, i, COLUMN_NUMBER) && plan->inferred.rule[i].decimal == (comma ? ',' : '.'))
                list_column(&list, plan, i);
        note_list(data, comma ? "numbers with decimal commas" : "numbers with separators or units", &list);
    }
}

/* One line for each reason. */
static void note_left_out(const struct csv_column_plan *plan, struct dataset *data)
{
    for (int fate = COLUMN_USED + 1; fate <= COLUMN_MIXED; fate++) {
        struct column_list_text list = {.count = 0};
        char title[120];
        bool words = has_words((enum column_fate)fate) || fate == COLUMN_MANY_VALUES || fate == COLUMN_MIXED;
        for (size_t i = 0; i < plan->columns; i++)
            if (plan->inferred.fate[i] == fate && plan->role[i] == CSV_IGNORED)
                list_column(&list, plan, i);
        snprintf(title, sizeof title, "left out, as it %s%s", column_fate_words((enum column_fate)fate),
                 words                  ? " (--text or --categorical NAME uses it)"
                 : fate == COLUMN_EMPTY ? ""
                                        : " (--strict uses it)");
        note_list(data, title, &list);
    }
}

void csv_note_columns(const struct csv_column_plan *plan, const struct csv_rows *rows, struct dataset *data)
{
    (void)rows;
    if (!plan->inferred.rule || plan->matched)
        return;
    note_kinds(plan, data);
    if (plan->inferred.fate)
        note_left_out(plan, data);
}

/* ---- Odd cells --------------------------------------------------------------------------------- */

/* The places of the first odd cells: 'abc' in column 'x' (line 5, byte 3). */
static void list_odd(const struct csv_column_plan *plan, const struct csv_odd_cells *odd, struct text *text)
{
    for (size_t i = 0; i < odd->count && i < CSV_ODD_SHOWN; i++) {
        uint64_t line = odd->cell[i].line;
        const char *file = csv_error_file(plan, &line);
        text_format(text, "%s'%s' in %s (%s%s%llu:%zu)", i ? ", " : "", odd->cell[i].token,
                    csv_column_shown(plan, odd->cell[i].field).text, plan->join ? place_text(file).text : "",
                    plan->join ? ":" : "", (unsigned long long)line, csv_error_column(plan, &odd->cell[i]));
    }
    if (odd->count > CSV_ODD_SHOWN)
        text_append(text, ", ...");
}

temper_status csv_check_odd_cells(const struct csv_column_plan *plan, const struct csv_rows *rows, struct dataset *data,
                                  temper_error *error)
{
    const struct csv_odd_cells *odd = &rows->odd;
    struct text text = {0};
    temper_status status = TEMPER_OK;
    if (odd->count == 0)
        return TEMPER_OK;
    list_odd(plan, odd, &text);
    if (text.failed)
        status = error_no_memory(error);
    else if ((double)odd->count > ODD_MOST * (double)rows->rows && !plan->matched)
        status =
            error_set(error, TEMPER_BAD_DATA,
                      "%s: %s cell%s not fit what the first rows have in %s: %s; correct %s, or pass "
                      "--categorical or --ignore with the column",
                      place_text(plan->path).text, count_shown(odd->count).text, odd->count == 1 ? " does" : "s do",
                      odd->count == 1 ? "its column" : "their columns", text.bytes, odd->count == 1 ? "it" : "them");
    else
        dataset_note(data, "warning: %s cell%s not fit %s column and became %s: %s", count_shown(odd->count).text,
                     odd->count == 1 ? " does" : "s do", odd->count == 1 ? "its" : "their",
                     odd->count == 1 ? "a gap" : "gaps", text.bytes);
    text_free(&text);
    return status;
}
