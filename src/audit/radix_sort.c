/* radix_sort: from the lowest digit to the highest, each pass stable; digits that all keys share need no pass. */
#include "audit/radix_sort.h"

enum { DIGITS = 8, BITS = 8, VALUES = 1 << BITS };

static size_t digit_of(uint64_t key, size_t digit)
{
    return (size_t)(key >> (digit * BITS)) % VALUES;
}

/* Counts the rows of each value of a digit. */
static void count_values(const struct keyed_row *rows, size_t count, size_t digit, size_t *of_value)
{
    memset(of_value, 0, VALUES * sizeof *of_value);
    for (size_t i = 0; i < count; i++)
        of_value[digit_of(rows[i].key, digit)]++;
}

/* Moves all rows to their places by one digit. place[] has the rows of each value, and is overwritten. */
static void move_rows(const struct keyed_row *from, size_t count, size_t digit, size_t *place, struct keyed_row *to)
{
    size_t before = 0;
    for (size_t value = 0; value < VALUES; value++) {
        size_t rows = place[value];
        place[value] = before;
        before += rows;
    }
    for (size_t i = 0; i < count; i++)
        to[place[digit_of(from[i].key, digit)]++] = from[i];
}

/* From the highest digit on, only the keys whose digit is that of the key in question are kept. */
uint64_t radix_select(uint64_t *key, size_t count, size_t index)
{
    for (size_t digit = DIGITS; digit-- > 0 && count > 1;) {
        size_t of_value[VALUES] = {0}, value = 0, kept = 0;
        for (size_t i = 0; i < count; i++)
            of_value[digit_of(key[i], digit)]++;
        for (; index >= of_value[value]; value++)
            index -= of_value[value];
        for (size_t i = 0; i < count; i++) {
            uint64_t copied = key[i];
            key[kept] = copied;
            kept += digit_of(copied, digit) == value;
        }
        count = kept;
    }
    return key[0];
}

void radix_sort(struct keyed_row *rows, size_t count, struct keyed_row *space)
{
    struct keyed_row *from = rows, *to = space;
    for (size_t digit = 0; digit < DIGITS && count > 0; digit++) {
        size_t of_value[VALUES];
        count_values(from, count, digit, of_value);
        if (of_value[digit_of(from[0].key, digit)] == count)
            continue;
        move_rows(from, count, digit, of_value, to);
        struct keyed_row *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != rows)
        memcpy(rows, from, count * sizeof *rows);
}
