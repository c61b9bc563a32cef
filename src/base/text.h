/* text: a growing string, independent of the locale; UTF-8. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "temper.h"

/* Initialised to {0}. After a failed allocation `failed` stays set and appending does nothing, so that
 * a writer checks once, at the end. */
struct text {
    char *bytes; /* always ends in '\0' once anything was appended */
    size_t length;
    size_t capacity;
    bool failed;
};

void text_free(struct text *text);
void text_append(struct text *text, const char *string);
void text_append_bytes(struct text *text, const char *bytes, size_t length);
/* printf formats except those of floating-point numbers, which follow the locale. */
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* At most `decimals` (0..9) digits after the point, trailing zeros dropped: 1.5, 0.01, -3. */
void text_append_number(struct text *text, double value, int decimals);

/* The suffix of a plural: "1 row", "2 rows". */
static inline const char *plural(unsigned long long count)
{
    return count == 1 ? "" : "s";
}

/* A count as all texts for people have it: 1,234,567. */
struct count_text {
    char text[32];
};
struct count_text count_shown(unsigned long long count);

/* Appends ASCII letters in lower case, without blanks; other characters unchanged. */
void text_append_folded(struct text *text, const char *string);
/* Are two strings equal except for the case of ASCII letters and blanks? */
bool text_alike(const char *a, const char *b);

/* Start from {.typed = the unknown name} and offer every existing name. */
struct suggestion {
    const char *typed;
    const char *name; /* the nearest so far, or NULL if none is near */
    size_t distance;
};
void suggestion_offer(struct suggestion *suggestion, const char *name);

/* Appends a sentence and a line break to a list of `size` bytes; nothing if they do not fit. */
void sentence_append(char *list, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Appends a warning; nothing if the list is full or the sentence does not fit. */
void warning_append(temper_warnings *warnings, temper_warning_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Length in bytes of the UTF-8 character at p < to; 0 if it is invalid: a stray or missing byte, an
 * overlong form, a surrogate, beyond U+10FFFF. */
size_t utf8_length(const char *p, const char *to);
/* Writes a code point as 1 to 4 bytes; returns how many. */
size_t utf8_encode(unsigned long code, char *out);

#endif
