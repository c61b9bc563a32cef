/* radix_sort: rows in the ascending order of a number each, by the digits of its bits: for thousands of rows several
 * times as fast as qsort, and stable. */
#ifndef AUDIT_RADIX_SORT_H
#define AUDIT_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct keyed_row {
    uint64_t key;
    size_t row;
};

/* A key in the order of the numbers; 0 and -0 are equal. For numbers that are not NAN. */
static inline uint64_t radix_key(double number)
{
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t bits;
    number += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &number, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

/* The number of a key. */
static inline double radix_number(uint64_t key)
{
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t bits = key & sign ? key ^ sign : ~key;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Sorts rows[count] by their keys, rows of equal keys remaining in their order. space[count] is overwritten. */
void radix_sort(struct keyed_row *rows, size_t count, struct keyed_row *space);

/* The key that would be key[index] if all were sorted; index < count. Overwrites key[count]. */
uint64_t radix_select(uint64_t *key, size_t count, size_t index);

#endif
