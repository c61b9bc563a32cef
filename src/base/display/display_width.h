/* display_width: how many columns a text takes on a terminal. */
#ifndef BASE_DISPLAY_WIDTH_H
#define BASE_DISPLAY_WIDTH_H

#include <stddef.h>

/* A character of a text. */
struct shown_character {
    size_t bytes;   /* 1 for a byte that is not UTF-8 */
    size_t columns; /* 0: a combining mark; 2: most characters of East Asia, emoji; 1: any other */
};

/* The character at p < to. */
struct shown_character display_character(const char *p, const char *to);
/* Columns of a whole text; a control character counts as one, since it is shown as "?". */
size_t display_width(const char *text);

#endif
