/* json_write: values as JSON text; equal values give equal bytes. */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include "base/text.h"

enum { JSON_COLUMNS = 100 }; /* of a line, beyond which a list is wrapped */

/* In double quotes. A byte that is not UTF-8 becomes \udc80 to \udcff, as Python's "surrogateescape"
 * does, so that any label survives. */
void json_write_string(struct text *text, const char *string);
/* The shortest decimal; the number must be finite. */
void json_write_f64(struct text *text, double value);
/* [1, 2, 3], wrapped at JSON_COLUMNS, counting what precedes on the current line. */
void json_write_f64_array(struct text *text, const double *values, size_t count);
void json_write_string_array(struct text *text, char *const *strings, size_t count);

#endif
