/* cut: where a piece of text may end so that the next begins with a line. */
#ifndef DATA_LINE_BOUNDARY_H
#define DATA_LINE_BOUNDARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The last place in [from, to) behind a newline; 0 if there is none. */
size_t last_newline(const char *bytes, size_t from, size_t to);
/* The same, counting only newlines outside double quotes. `odd`: whether a quote is open at `to`.
 */
size_t last_cut(const char *bytes, size_t from, size_t to, bool odd);
/* Whether there is an odd number of double quotes. */
bool odd_quotes(const char *bytes, size_t length);
/* Behind the first line of a table that is not blank, and blank ones before it. */
size_t first_table_row(const char *bytes, size_t length);
/* Newlines. */
uint64_t count_lines(const char *bytes, size_t length);

#endif
