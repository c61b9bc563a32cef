/* table_profile: counts what the cells of a column are, and decides what the column is from what most of them are.
 *
 * The counts are of the first rows of a table, as many as the reader holds at once (1 MiB of text or more). */
#ifndef DATA_TABLE_PROFILE_H
#define DATA_TABLE_PROFILE_H

#include "data/dataset.h"
#include "data/string_table.h"
#include "data/table/column_rule.h"

/* Why a column is left out. The texts complete the sentence "column 'a' is left out: ...". */
#define COLUMN_FATE_LIST(X)                                                                                            \
    X(USED, "used")                                                                                                    \
    X(EMPTY, "has no values")                                                                                          \
    X(COUNTER, "counts the rows")                                                                                      \
    X(IDENTIFIER, "identifies the rows")                                                                               \
    X(NAMES, "has another text in nearly every row")                                                                   \
    X(FREE_TEXT, "is free text")                                                                                       \
    X(MANY_VALUES, "has too many different texts")                                                                     \
    X(MIXED, "mixes numbers and text")

enum column_fate {
#define COLUMN_FATE_ENUM(name, words) COLUMN_##name,
    COLUMN_FATE_LIST(COLUMN_FATE_ENUM)
#undef COLUMN_FATE_ENUM
};

const char *column_fate_words(enum column_fate fate);

enum { PROFILE_EXAMPLES = 3, EXAMPLE_LENGTH = 24, DISTINCT_MOST = 20000 };

/* Initialise with {0}. */
struct column_profile {
    size_t cells, gaps;
    size_t numbers;        /* plain ones */
    size_t point, comma;   /* numbers with this decimal mark, plain ones included */
    size_t dotted;         /* cells that have a point */
    size_t booleans;       /* and the pairs of words that all of them are of, */
    unsigned pairs;        /* less those that no cell is of */
    size_t words_of_truth; /* booleans that are not 0 or 1 */
    size_t dates[DATE_ORDERS];
    size_t days, times; /* dates that have a day, a time */
    size_t words;       /* of all texts */
    size_t in_sequence; /* numbers, plain or with separators: what the next three are about */
    size_t whole;       /* numbers that are whole */
    bool ascends;       /* whole numbers from 0 or 1 on, each by one more than the last */
    double last;
    struct string_table texts; /* different cells */
    size_t distinct;           /* how many; DISTINCT_MOST is "or more" */
    char example[PROFILE_EXAMPLES][EXAMPLE_LENGTH];
    size_t examples;
};

/* Counts a cell; `more`: further words for gaps, may be NULL. False without memory. */
bool column_profile_add(struct column_profile *profile, const char *from, const char *to, const struct names *more);
void column_profile_free(struct column_profile *profile);

/* What the options say about all columns. */
struct profile_options {
    char decimal;   /* '.' or ','; 0: decided by the cells */
    bool has_order; /* the order of dates is given */
    enum date_order order;
    bool comma_likely; /* other columns have decimal commas */
    bool semicolons;   /* separate the cells: a comma in a number is then rather a decimal mark */
};

struct column_decision {
    struct column_rule rule;
    enum column_fate fate;
};

/* Decides from the counts and the column's name, which may be NULL or empty. */
struct column_decision column_decide(const struct column_profile *profile, const char *name,
                                     const struct profile_options *options);
/* Whether some numbers have a decimal comma and can have nothing else. */
bool column_has_decimal_comma(const struct column_profile *profile);
/* Whether a name is that of an identifier: id, customer_id, uuid, index, rownames. */
bool name_is_identifier(const char *name);
/* Whether a name is that of a label: label, class, target. */
bool name_is_label(const char *name);

#endif
