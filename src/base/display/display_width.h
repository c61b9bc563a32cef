/* display_width: how many columns a text takes on a terminal, and what of it must not reach one. */
#ifndef BASE_DISPLAY_WIDTH_H
#define BASE_DISPLAY_WIDTH_H

#include <stdbool.h>
#include <stddef.h>

/* A character of a text. */
struct shown_character {
    size_t bytes;   /* 1 for a byte that is not UTF-8 */
    size_t columns; /* 0: a combining mark; 2: most characters of East Asia, emoji; 1: any other */
    bool control;   /* it moves the cursor, begins an escape sequence or changes the direction of the text after it */
};

/* The character at p < to. */
struct shown_character display_character(const char *p, const char *to);
/* Columns of a whole text; a control character counts as one, since it is shown as "?". */
size_t display_width(const char *text);
/* Replaces each control character by "?", except line breaks and tabs where `lines` is set; returns the new length,
 * which is never larger. Names of files, classes and columns come from others, and an escape sequence in them could
 * change what a person sees. */
size_t display_mask_controls(char *bytes, size_t length, bool lines);

#endif
