/* table_profile: counts of the cells of a column, and the rules that decide what it is. */
#include "data/table/table_profile.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "data/quote_text.h"
#include "data/table/table_cells.h"

enum {
    FEW_ROWS = 10,          /* fewer show neither identifiers nor names */
    COUNTED_ROWS = 20,      /* fewer may count up by chance */
    CATEGORIES_ALWAYS = 50, /* so many different texts are categories, however few the rows */
    CATEGORIES_MOST = 1000,
    ROWS_A_CATEGORY = 10, /* on average, with more than CATEGORIES_ALWAYS */
    CODES_MOST = 12,      /* different values of numbers and texts that are codes: 0, 1, 2, 3+ */
    WORDS_OF_TEXT = 4     /* words a cell has on average in free text */
};

/* The share of cells that decides for a kind. */
static const double MOST_CELLS = 0.9;

const char *column_fate_words(enum column_fate fate)
{
    static const char *const words[] = {
#define COLUMN_FATE_WORDS(name, text) text,
        COLUMN_FATE_LIST(COLUMN_FATE_WORDS)
#undef COLUMN_FATE_WORDS
    };
    return words[fate];
}

/* ---- Counts ------------------------------------------------------------------------------------ */

/* Whole numbers that count from 0 or 1. */
static void count_number(struct column_profile *profile, double value)
{
    bool whole = value == floor(value);
    bool first = profile->in_sequence++ == 0;
    bool next = first ? value == 0 || value == 1 : profile->ascends && value == profile->last + 1;
    profile->ascends = whole && next;
    profile->last = value;
    profile->whole += whole;
}

/* Numbers in other notations, booleans and dates. */
static void count_notation(struct column_profile *profile, const char *from, const char *to)
{
    double value;
    struct cell_date date;
    profile->point += cell_number(from, to, '.', &value);
    profile->comma += cell_number(from, to, ',', &value);
    unsigned pairs = cell_boolean_pairs(from, to, &value);
    if (pairs) {
        profile->pairs = profile->booleans++ ? profile->pairs & pairs : pairs;
        profile->words_of_truth += pairs != (1u << BOOLEAN_PAIRS) - 1;
    }
    bool day = false, time = false;
    for (int order = 0; order < DATE_ORDERS; order++)
        if (cell_date(from, to, (enum date_order)order, &date)) {
            profile->dates[order]++;
            day = day || date.day;
            time = time || (date.time && (!date.day || date.hour > 0)); /* days at midnight have none */
        }
    profile->days += day;
    profile->times += time;
}

/* Keeps a new text, and the first ones as examples. */
static bool count_text(struct column_profile *profile, const char *from, const char *to)
{
    size_t length = (size_t)(to - from);
    if (profile->distinct == DISTINCT_MOST || string_table_find(&profile->texts, from, length) != UINT32_MAX)
        return true;
    if (!string_table_add(&profile->texts, from, length, (uint32_t)profile->distinct))
        return false;
    profile->distinct++;
    if (profile->examples < PROFILE_EXAMPLES) {
        char *example = profile->example[profile->examples++];
        size_t kept = 0;
        for (size_t next; from + kept < to && (next = utf8_length(from + kept, to)) > 0; kept += next)
            if (kept + next >= EXAMPLE_LENGTH)
                break;
        memcpy(example, from, kept);
        example[kept] = '\0';
    }
    return true;
}

bool column_profile_add(struct column_profile *profile, const char *from, const char *to, const struct names *more)
{
    double value;
    profile->cells++;
    if (cell_is_gap(from, to, more, false)) {
        profile->gaps++;
        return true;
    }
    enum number_result result = number_f64(from, to, &value);
    bool plain = result == NUMBER_OK;
    /* A number that is too large, or infinite, is no text: it is in a column of numbers, and will be an odd cell. */
    profile->numbers += result != NUMBER_NONE;
    if (plain || cell_number(from, to, '.', &value))
        count_number(profile, value);
    else
        profile->words += cell_count_words(from, to);
    count_notation(profile, from, to);
    profile->dotted += memchr(from, '.', (size_t)(to - from)) != NULL;
    return count_text(profile, from, to);
}

void column_profile_free(struct column_profile *profile)
{
    string_table_free(&profile->texts);
    *profile = (struct column_profile){0};
}

/* ---- Names ------------------------------------------------------------------------------------- */

/* Whether a name is one of the words, but for case and blanks. */
static bool is_among(const char *name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text_alike(name, words[i]))
            return true;
    return false;
}

/* Whether a name ends in an abbreviation of number: "Kundennr", "order number", "Matrikelnummer". */
static bool ends_in_number(const char *name, size_t length)
{
    static const char *const endings[] = {"nr", "nr.", "number", "nummer"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (length > strlen(endings[i]) && text_alike(name + length - strlen(endings[i]), endings[i]))
            return true;
    return false;
}

/* Also names that end in id as a word of its own: customer_id, userId, "row id". */
bool name_is_identifier(const char *name)
{
    static const char *const words[] = {"id",    "uuid",      "guid",       "index",     "rownames", "row.names",
                                        "rowid", "rownumber", "row_number", "unnamed:0", "key",      "identifier"};
    size_t length = name ? strlen(name) : 0;
    if (length == 0)
        return false;
    if (is_among(name, words, sizeof words / sizeof *words))
        return true;
    const char *end = name + length;
    if (ends_in_number(name, length))
        return true;
    if (length > 3 && strchr("_- .", end[-3]) && text_alike(end - 2, "id"))
        return true;
    return length > 2 && (strcmp(end - 2, "Id") == 0 || strcmp(end - 2, "ID") == 0) && end[-3] >= 'a' && end[-3] <= 'z';
}

bool name_is_label(const char *name)
{
    static const char *const words[] = {"label", "labels", "class", "target"};
    return name && is_among(name, words, sizeof words / sizeof *words);
}

/* ---- Numbers and dates ------------------------------------------------------------------------- */

static bool is_most(size_t count, size_t values)
{
    return (double)count >= MOST_CELLS * (double)values;
}

bool column_has_decimal_comma(const struct column_profile *profile)
{
    size_t values = profile->cells - profile->gaps;
    return values > 0 && profile->comma > profile->point && is_most(profile->comma, values);
}

/* The decimal mark that most numbers of the column can have; 0 if plain notation is enough. Where both are possible,
 * 1,234 is a thousand unless other columns have decimal commas, or semicolons separate the cells. */
static char choose_decimal(const struct column_profile *profile, const struct profile_options *options)
{
    size_t point = profile->point, comma = profile->comma;
    bool likely = options->comma_likely || (options->semicolons && !profile->dotted);
    char decimal = comma > point || (comma == point && likely) ? ',' : '.';
    if (options->decimal)
        decimal = options->decimal;
    if (decimal == ',' && profile->numbers == profile->point && profile->numbers >= comma && !profile->dotted)
        return 0; /* whole numbers alone */
    if (decimal == '.')
        return profile->numbers >= point ? 0 : '.';
    return ',';
}

/* The order under which most cells are dates; day before month where both fit. */
static enum date_order choose_order(const struct column_profile *profile, const struct profile_options *options)
{
    if (options->has_order)
        return options->order;
    enum date_order best = DATE_MDY;
    if (profile->dates[DATE_DMY] > profile->dates[best])
        best = DATE_DMY;
    return profile->dates[DATE_YMD] >= profile->dates[best] ? DATE_YMD : best;
}

/* Whether the column is of dates, times or both, and its rule. Plain numbers are never dates. */
static bool decide_date(const struct column_profile *profile, const struct profile_options *options,
                        struct column_rule *rule)
{
    size_t values = profile->cells - profile->gaps;
    enum date_order order = choose_order(profile, options);
    if (!is_most(profile->dates[order], values) || profile->numbers > 0)
        return false;
    bool days = is_most(profile->days, values);
    *rule = (struct column_rule){.kind = COLUMN_DATE, .order = order, .days = days, .times = profile->times > 0};
    return days || is_most(profile->times, values);
}

/* Whether the column is of numbers, and its rule. Few different values of which some are texts are codes instead. */
static bool decide_number(const struct column_profile *profile, const struct profile_options *options,
                          struct column_rule *rule)
{
    size_t values = profile->cells - profile->gaps;
    char decimal = choose_decimal(profile, options);
    size_t count = decimal == 0 ? profile->numbers : decimal == '.' ? profile->point : profile->comma;
    if (!is_most(count, values))
        return false;
    if (count < values && profile->distinct <= CODES_MOST && values > (size_t)CODES_MOST * 2)
        return false;
    *rule = (struct column_rule){.kind = COLUMN_NUMBER, .decimal = decimal};
    return true;
}

/* Whole numbers that count the rows, or that identify them: all different, in a column of such a name. */
static enum column_fate fate_of_number(const struct column_profile *profile, const char *name)
{
    size_t values = profile->cells - profile->gaps;
    bool whole = profile->whole == values;
    if (whole && profile->ascends && profile->gaps == 0 && values >= COUNTED_ROWS)
        return COLUMN_COUNTER;
    bool different = profile->distinct == values || profile->distinct == DISTINCT_MOST;
    return whole && different && values >= COUNTED_ROWS && name_is_identifier(name) ? COLUMN_IDENTIFIER : COLUMN_USED;
}

/* ---- Texts ------------------------------------------------------------------------------------- */

/* Texts that recur are categories; others say nothing about new rows, unless their words do. */
static enum column_fate fate_of_text(const struct column_profile *profile, const char *name)
{
    size_t values = profile->cells - profile->gaps, distinct = profile->distinct;
    bool own = values >= FEW_ROWS && is_most(distinct, values);
    bool many = distinct > CATEGORIES_ALWAYS && distinct * 2 > values;
    if ((own || many) && profile->words >= values * WORDS_OF_TEXT)
        return COLUMN_FREE_TEXT;
    if (own || many)
        return name_is_identifier(name) ? COLUMN_IDENTIFIER : COLUMN_NAMES;
    if (distinct <= CATEGORIES_ALWAYS || (distinct <= CATEGORIES_MOST && distinct * ROWS_A_CATEGORY <= values))
        return COLUMN_USED;
    return profile->numbers * 2 > values ? COLUMN_MIXED : COLUMN_MANY_VALUES;
}

/* ---- The decision ------------------------------------------------------------------------------ */

struct column_decision column_decide(const struct column_profile *profile, const char *name,
                                     const struct profile_options *options)
{
    struct column_decision decision = {.fate = COLUMN_USED};
    size_t values = profile->cells - profile->gaps;
    bool booleans = profile->booleans == values && profile->pairs != 0 && profile->words_of_truth > 0;
    if (values == 0) {
        decision.fate = COLUMN_EMPTY;
    } else if (booleans) {
        decision.rule.kind = COLUMN_BOOLEAN;
    } else if (decide_number(profile, options, &decision.rule)) {
        decision.fate = fate_of_number(profile, name);
    } else if (!decide_date(profile, options, &decision.rule)) {
        decision.rule = (struct column_rule){.kind = COLUMN_CATEGORY};
        decision.fate = fate_of_text(profile, name);
    }
    return decision;
}
