/* foreign: files that temper does not read, told by their first bytes: people have them at hand,
 * and failed downloads leave them. */
#ifndef DATA_UNSUPPORTED_FORMATS_H
#define DATA_UNSUPPORTED_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

/* What it is and what to do with it: "a Parquet file; save its table as .csv or .npy"; or NULL. If
 * the format was told, only what cannot be that format is named: a text that looks like JSON may
 * still be a strange CSV. */
const char *unsupported_file(const unsigned char *bytes, size_t length, bool told);
/* Tables that people have and that are not CSV as we read it: blanks or bars between the columns,
 * or decimal commas. In the same words; or NULL. */
const char *unsupported_table(const unsigned char *bytes, size_t length);
/* Whether there are bytes that no text has; pictures have them, even bright ones without a 0. */
bool bytes_are_binary(const unsigned char *bytes, size_t length);

#endif
