/* table_cells: reads the text of one cell as what people write in tables: gaps, booleans, numbers with separators,
 * dates, words. Each call has the whole text [from, to), without quotes and without blanks around it. */
#ifndef DATA_TABLE_CELLS_H
#define DATA_TABLE_CELLS_H

#include "data/dataset.h"
#include "data/table/column_rule.h"

/* Words for "no value". `certain`: only those that are never a class: a class may be named none, - or the like. */
bool cell_is_gap(const char *from, const char *to, const struct names *more, bool certain);

/* Pairs of words for true and false, as bits: a column of booleans has words of one pair, in any case, or 0 and 1. */
#define BOOLEAN_PAIRS 6
/* 0 if it is none; *value is 1 or 0. */
unsigned cell_boolean_pairs(const char *from, const char *to, double *value);

/* A number with this decimal mark. Accepted in addition to plain numbers: separators of thousands (the other mark,
 * blanks, apostrophes, underscores) between groups of three digits, a sign of money or a code such as EUR before or
 * after it, a sign of percent after it, parentheses for a negative amount. */
bool cell_number(const char *from, const char *to, char decimal, double *out);

struct cell_date {
    bool day, time;  /* which parts it has */
    double days;     /* since 1970-01-01, with the fraction of the day */
    int year, month; /* 1 to 12 */
    int weekday;     /* 0 is Monday */
    double hour;     /* with its fraction */
};
/* A date, a time of day, or both. Names of months are English. A time zone is accepted and ignored. */
bool cell_date(const char *from, const char *to, enum date_order order, struct cell_date *out);

/* Hashes words and pairs of neighbouring words, in lower case, to `count` numbers of unit length in sum of squares. */
void cell_words(const char *from, const char *to, double *out, size_t count);
/* The number of words. */
size_t cell_count_words(const char *from, const char *to);

#endif
