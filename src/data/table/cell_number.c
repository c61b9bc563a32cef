/* cell_number: numbers as people and spreadsheets write them: 1,234.50  1.234,50  $5  5 %  (12)  1'000  EUR 7.
 *
 * The decimal mark is that of the column, which all its cells decide together: 1,234 alone could be either. */
#include <string.h>

#include "base/number.h"
#include "data/table/table_cells.h"

enum { CELL_LONGEST = 64 }; /* bytes; no number that people write is longer */

/* A number in plain notation, as it is taken from a cell. */
struct plain_number {
    char bytes[CELL_LONGEST + 1];
    size_t length;
};

static void put(struct plain_number *number, char c)
{
    number->bytes[number->length++] = c; /* never more bytes than the cell has */
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- What surrounds the digits ----------------------------------------------------------------- */

/* Signs that may be before or after an amount. */
static const char *const signs[] = {"$",
                                    "\xc2\xa3" /* pound */,
                                    "\xc2\xa5" /* yen */,
                                    "\xe2\x82\xac" /* euro */,
                                    "\xe2\x82\xb9" /* rupee */,
                                    "US$",
                                    "USD",
                                    "EUR",
                                    "GBP",
                                    "CHF",
                                    "JPY",
                                    "\xc2\xa0",
                                    "\xe2\x80\xaf",
                                    " "};

/* The length of a sign at p; 0 if there is none. */
static size_t sign_at(const char *p, const char *to)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t length = strlen(signs[i]);
        if ((size_t)(to - p) >= length && memcmp(p, signs[i], length) == 0)
            return length;
    }
    return 0;
}

/* The length of a sign that ends at `to`. */
static size_t sign_before(const char *from, const char *to)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t length = strlen(signs[i]);
        if ((size_t)(to - from) >= length && memcmp(to - length, signs[i], length) == 0)
            return length;
    }
    return 0;
}

/* Removes parentheses, a sign, signs of money and blanks from the front; *negative is set for a minus. */
static const char *skip_front(const char *from, const char *to, bool *negative)
{
    bool plus_or_minus = false;
    for (;;) {
        size_t sign = sign_at(from, to);
        bool minus = !plus_or_minus && from < to && (*from == '-' || *from == '+');
        if (minus) {
            *negative ^= *from == '-';
            plus_or_minus = true;
            sign = 1;
        }
        if (sign == 0)
            return from;
        from += sign;
    }
}

/* Removes signs of money, a sign of percent and blanks from the end. */
static const char *skip_back(const char *from, const char *to)
{
    bool percent = false;
    for (;;) {
        size_t sign = sign_before(from, to);
        if (!percent && to > from && to[-1] == '%') {
            percent = true;
            sign = 1;
        }
        if (sign == 0)
            return to;
        to -= sign;
    }
}

/* ---- The digits -------------------------------------------------------------------------------- */

/* The length of a separator of thousands at p, if the decimal mark is this; 0 if there is none. */
static size_t separator_at(const char *p, const char *to, char decimal)
{
    if (*p == (decimal == '.' ? ',' : '.') || *p == ' ' || *p == '\'' || *p == '_')
        return 1;
    if (to - p >= 2 && memcmp(p, "\xc2\xa0", 2) == 0)
        return 2;
    return to - p >= 3 && (memcmp(p, "\xe2\x80\xaf", 3) == 0 || memcmp(p, "\xe2\x80\x99", 3) == 0) ? 3 : 0;
}

/* Copies the whole part without its separators. Groups after a separator have three digits; before the last group two
 * are accepted too, as in 1,00,000. Returns the position after it, or NULL. */
static const char *take_whole(const char *p, const char *to, char decimal, struct plain_number *digits)
{
    size_t group = 0, separators = 0;
    for (; p < to; p++) {
        if (is_digit(*p)) {
            put(digits, *p);
            group++;
            continue;
        }
        size_t length = separator_at(p, to, decimal);
        if (length == 0)
            break;
        bool first = separators++ == 0;
        if (group == 0 || group > 3 || (!first && group < 2))
            return NULL;
        group = 0;
        p += length - 1;
    }
    bool grouped = separators > 0; /* 0.123 has no thousands */
    return grouped && (group != 3 || digits->bytes[0] == '0') ? NULL : p;
}

/* Copies fraction and exponent, which have no separators. */
static bool take_rest(const char *p, const char *to, char decimal, struct plain_number *digits)
{
    if (p < to && *p == decimal) {
        put(digits, '.');
        p++;
    }
    for (; p < to; p++) { /* the exponent may have a sign; no other mark is left */
        if (!is_digit(*p) && (*p == '\0' || !strchr("eE+-", *p)))
            return false;
        put(digits, *p);
    }
    return true;
}

bool cell_number(const char *from, const char *to, char decimal, double *out)
{
    bool negative = false;
    if (to - from > CELL_LONGEST)
        return false;
    if (to - from > 2 && *from == '(' && to[-1] == ')') {
        negative = true;
        from++, to--;
    }
    from = skip_front(from, to, &negative);
    to = skip_back(from, to);
    if (from == to || (!is_digit(*from) && *from != decimal))
        return false;
    struct plain_number digits = {.length = 0};
    const char *rest = take_whole(from, to, decimal, &digits);
    double value = 0;
    bool fine = rest && take_rest(rest, to, decimal, &digits) &&
                number_f64(digits.bytes, digits.bytes + digits.length, &value) == NUMBER_OK;
    if (fine)
        *out = negative ? -value : value;
    return fine;
}
