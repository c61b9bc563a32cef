/* column_rule: names of the kinds of columns, and the numbers that their cells become. */
#include "data/table/column_rule.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "data/table/table_cells.h"

static const char *const kind_words[] = {
#define COLUMN_KIND_WORD(name, word) word,
    COLUMN_KIND_LIST(COLUMN_KIND_WORD)
#undef COLUMN_KIND_WORD
};

static const char *const order_words[] = {
#define DATE_ORDER_WORD(name, word) word,
    DATE_ORDER_LIST(DATE_ORDER_WORD)
#undef DATE_ORDER_WORD
};

/* The index of a word; `count` if it is not among them. */
static size_t find_word(const char *const *words, size_t count, const char *word)
{
    size_t i = 0;
    while (i < count && strcmp(words[i], word) != 0)
        i++;
    return i;
}

const char *column_kind_name(enum column_kind kind)
{
    return kind_words[kind];
}

bool column_kind_find(const char *word, enum column_kind *kind)
{
    size_t count = sizeof kind_words / sizeof *kind_words, found = find_word(kind_words, count, word);
    if (found < count)
        *kind = (enum column_kind)found;
    return found < count;
}

const char *date_order_name(enum date_order order)
{
    return order_words[order];
}

bool date_order_find(const char *word, enum date_order *order)
{
    size_t found = find_word(order_words, DATE_ORDERS, word);
    if (found < DATE_ORDERS)
        *order = (enum date_order)found;
    return found < DATE_ORDERS;
}

bool column_rule_is_plain(const struct column_rule *rule)
{
    return rule->kind == COLUMN_NUMBER && rule->decimal == 0 && !rule->indicator;
}

/* ---- Numbers of a cell ------------------------------------------------------------------------- */

/* The parts that a date becomes: days, month and weekday of a day, hour of a time. */
enum date_part { PART_DAYS, PART_MONTH, PART_WEEKDAY, PART_HOUR };

/* The parts of the rule, in their order; returns how many. */
static size_t list_parts(const struct column_rule *rule, enum date_part parts[4])
{
    size_t count = 0;
    if (rule->days) {
        parts[count++] = PART_DAYS;
        parts[count++] = PART_MONTH;
        parts[count++] = PART_WEEKDAY;
    }
    if (rule->times)
        parts[count++] = PART_HOUR;
    return count;
}

size_t column_rule_numbers(const struct column_rule *rule)
{
    enum date_part parts[4];
    if (rule->kind == COLUMN_DATE)
        return list_parts(rule, parts);
    return rule->kind == COLUMN_TEXT ? rule->words : 1;
}

/* A cell of a date has to have the parts of its column; a time that only some cells have is 0 in the others. */
static bool read_date(const struct column_rule *rule, const char *from, const char *to, double *out)
{
    struct cell_date date;
    enum date_part parts[4];
    size_t count = list_parts(rule, parts);
    if (!cell_date(from, to, rule->order, &date) || (rule->days && !date.day) || (!rule->days && !date.time))
        return false;
    for (size_t i = 0; i < count; i++)
        out[i] = parts[i] == PART_DAYS    ? date.days
                 : parts[i] == PART_MONTH ? date.month
                 : parts[i] == PART_HOUR  ? date.hour
                                          : date.weekday;
    return true;
}

bool column_rule_read(const struct column_rule *rule, const char *from, const char *to, double *out)
{
    switch (rule->kind) {
    case COLUMN_NUMBER:
        return rule->decimal ? cell_number(from, to, rule->decimal, out) : number_f64(from, to, out) == NUMBER_OK;
    case COLUMN_BOOLEAN:
        return cell_boolean_pairs(from, to, out) != 0;
    case COLUMN_DATE:
        return read_date(rule, from, to, out);
    case COLUMN_TEXT:
        cell_words(from, to, out, rule->words);
        return true;
    case COLUMN_CATEGORY:
        break;
    }
    return false;
}

struct column_suffix column_rule_suffix(const struct column_rule *rule, size_t index)
{
    static const char *const names[] = {
        [PART_DAYS] = ":days", [PART_MONTH] = ":month", [PART_WEEKDAY] = ":weekday", [PART_HOUR] = ":hour"};
    struct column_suffix suffix = {""};
    enum date_part parts[4];
    if (rule->kind == COLUMN_DATE && index < list_parts(rule, parts))
        snprintf(suffix.text, sizeof suffix.text, "%s", names[parts[index]]);
    else if (rule->kind == COLUMN_TEXT)
        snprintf(suffix.text, sizeof suffix.text, ":word%zu", index + 1);
    return suffix;
}
