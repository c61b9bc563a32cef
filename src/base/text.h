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

/* The end of a plural: "1 row", "2 rows". */
static inline const char *plural(unsigned long long count)
{
    return count == 1 ? "" : "s";
}

/* Appends small letters for capital ones, and no blanks; what is not ASCII as it is. */
void text_append_folded(struct text *text, const char *string);
/* Whether two strings are the same but for case and blanks. */
bool text_alike(const char *a, const char *b);

/* Appends a sentence and a line break to a list of `size` bytes; nothing if they do not fit. */
void sentence_append(char *list, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
