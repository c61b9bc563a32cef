/* spellings: a hash table from strings to numbers, for labels.
 *
 * Looked up once for each row of a file, so that a short string seen before costs nanoseconds. */
#ifndef DATA_STRING_TABLE_H
#define DATA_STRING_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start from {0}. */
struct string_table {
    struct string_slot *slot;
    size_t slots, used; /* slots is 0 or a power of two */
    uint64_t seed;      /* of the hash: another one whenever the table grows */
};

/* UINT32_MAX if it is not there. */
uint32_t string_table_find(const struct string_table *table, const char *text, size_t length);
/* Copies the text, which must not be there yet; false, and nothing changed, without memory. */
bool string_table_add(struct string_table *table, const char *text, size_t length, uint32_t number);
/* Every number n becomes new_number[n]. */
void string_table_renumber(struct string_table *table, const uint32_t *new_number);
void string_table_free(struct string_table *table);

#endif
