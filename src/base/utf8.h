/* utf8: letters as bytes. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>

/* How many bytes the letter at p has; 0 if what is there is no UTF-8 (a stray or missing byte, a
 * longer form than needed, half of a pair, beyond U+10FFFF). p < to. */
size_t utf8_length(const char *p, const char *to);
/* Writes up to four bytes, returns how many; for letters that exist. */
size_t utf8_encode(unsigned long letter, char *out);

#endif
