/* string_table: a hash table from strings to numbers, for labels and categories. It is searched once for each row of a
 * file, so a short string that was seen before must cost nanoseconds. */
#ifndef DATA_STRING_TABLE_H
#define DATA_STRING_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Initialise with {0}. */
struct string_table {
    struct string_slot *slot;
    size_t slots, used; /* slots is 0 or a power of two */
    uint64_t seed;      /* of the hash; changed whenever the table grows */
};

/* UINT32_MAX if it is not there. */
uint32_t string_table_find(const struct string_table *table, const char *text, size_t length);
/* Copies the text, which must be new; false without memory, and the table is unchanged. */
bool string_table_add(struct string_table *table, const char *text, size_t length, uint32_t number);
/* Every number n becomes new_number[n]. */
void string_table_renumber(struct string_table *table, const uint32_t *new_number);
void string_table_free(struct string_table *table);

#endif
