/* cut: where a piece of text may end so that the next begins with a line. */
#ifndef DATA_CUT_H
#define DATA_CUT_H

#include <stdbool.h>
#include <stddef.h>

/* The last place in [from, to) behind a newline; 0 if there is none. */
size_t last_newline(const char *bytes, size_t from, size_t to);
/* The same, counting only newlines outside double quotes. `odd`: whether a quote is open at `to`.
 */
size_t last_cut(const char *bytes, size_t from, size_t to, bool odd);
/* Whether there is an odd number of double quotes. */
bool odd_quotes(const char *bytes, size_t length);

#endif
