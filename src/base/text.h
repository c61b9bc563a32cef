/* text: a growing string. Numbers are written the same way in every locale. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Start from {0}. After a failed allocation `failed` stays set and appending does nothing, so a
 * writer checks once, at its end. */
struct text {
    char *bytes; /* always ends in '\0' once anything was appended */
    size_t length;
    size_t capacity;
    bool failed;
};

void text_free(struct text *text);
void text_append(struct text *text, const char *string);
void text_append_bytes(struct text *text, const char *bytes, size_t length);
/* %s, %d, %zu and the like; no floating-point conversions, which follow the locale. */
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* At most `decimals` (0..9) digits after the point, trailing zeros dropped: 1.5, 0.01, -3. */
void text_append_number(struct text *text, double value, int decimals);

#endif
