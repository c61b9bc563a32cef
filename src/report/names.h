/* names: words that come from data, made short and harmless. */
#ifndef REPORT_NAMES_H
#define REPORT_NAMES_H

#include <stddef.h>

#include "base/text.h"

/* The bytes without their control characters, <, >, & and quotes made harmless, and U+FFFD for what
 * is not UTF-8. */
void escape_bytes(struct text *out, const char *bytes, size_t length);
/* At most so many characters; a longer name ends in an ellipsis. */
void append_short(struct text *out, const char *name, size_t characters);

#endif
