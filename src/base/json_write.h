/* json_write: values as JSON text, the same bytes for the same values. */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include "base/text.h"

enum { JSON_COLUMNS = 100 }; /* of a line, where a list is wrapped */

/* In double quotes. Letters as they are; a byte that is no UTF-8 becomes \udc80 to \udcff, as
 * Python's "surrogateescape" has it, so that any label comes back as it was. */
void json_write_string(struct text *text, const char *string);
/* The shortest decimal; the number must be finite. */
void json_write_f64(struct text *text, double value);
/* [1, 2, 3], wrapped; what follows the last line break of the text counts. */
void json_write_f64_array(struct text *text, const double *values, size_t count);
void json_write_string_array(struct text *text, char *const *strings, size_t count);

#endif
