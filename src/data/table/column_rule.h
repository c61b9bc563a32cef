/* column_rule: what a column of a table is, and how a cell of it becomes numbers.
 *
 * A rule is decided once, from the cells of the training table (table_profile.h), stored in the schema of the model,
 * and applied to every later table in the same way. Categories are not read here: they are codes of texts, which the
 * schema lists. */
#ifndef DATA_COLUMN_RULE_H
#define DATA_COLUMN_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kinds, with the words of model files and notes. */
#define COLUMN_KIND_LIST(X)                                                                                            \
    X(NUMBER, "number")                                                                                                \
    X(BOOLEAN, "boolean")                                                                                              \
    X(CATEGORY, "category")                                                                                            \
    X(DATE, "date")                                                                                                    \
    X(TEXT, "text")

enum column_kind {
#define COLUMN_KIND_ENUM(name, word) COLUMN_##name,
    COLUMN_KIND_LIST(COLUMN_KIND_ENUM)
#undef COLUMN_KIND_ENUM
};

/* The order of day, month and year in dates that consist of numbers alone. A year of four digits in front is
 * recognised under every order. */
#define DATE_ORDER_LIST(X)                                                                                             \
    X(YMD, "ymd")                                                                                                      \
    X(DMY, "dmy")                                                                                                      \
    X(MDY, "mdy")

enum date_order {
#define DATE_ORDER_ENUM(name, word) DATE_##name,
    DATE_ORDER_LIST(DATE_ORDER_ENUM)
#undef DATE_ORDER_ENUM
        DATE_ORDERS
};

/* Features that the words of a column of text are hashed to, unless a model says otherwise. */
enum { TEXT_FEATURES = 1024, TEXT_FEATURES_MOST = 1 << 20 };

/* {0} is a column of plain numbers. */
struct column_rule {
    enum column_kind kind;
    char decimal;          /* of numbers that may have separators of thousands, signs of money and of percent: '.' or
                            * ','; 0: plain numbers */
    enum date_order order; /* of dates */
    bool days, times;      /* dates: cells have a day; a time of day */
    uint32_t words;        /* text: how many features */
    bool indicator;        /* one more feature, which is 1 where the cell has no value */
};

/* The word of a kind or an order, and the reverse; false for another word. */
const char *column_kind_name(enum column_kind kind);
bool column_kind_find(const char *word, enum column_kind *kind);
const char *date_order_name(enum date_order order);
bool date_order_find(const char *word, enum date_order *order);

/* Whether cells are plain numbers, and nothing is added to them. */
bool column_rule_is_plain(const struct column_rule *rule);
/* How many numbers a cell becomes, without the indicator; 1 for a category, which is a code. */
size_t column_rule_numbers(const struct column_rule *rule);
/* Reads a cell that is neither a gap nor a category into so many numbers; false if it is not of the rule's kind. */
bool column_rule_read(const struct column_rule *rule, const char *from, const char *to, double *out);
/* The name of number `index` after that of the column: "", ":days", ":month", ":word17". */
struct column_suffix {
    char text[32];
};
struct column_suffix column_rule_suffix(const struct column_rule *rule, size_t index);
#define COLUMN_INDICATOR_SUFFIX ":missing"

#endif
