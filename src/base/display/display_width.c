/* display_width: widths of characters from tables of Unicode, independent of the locale: wcwidth of the C library knows
 * only the characters of the locale that the program has set, and temper sets none. */
#include "base/display/display_width.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

struct character_range {
    unsigned long first, last;
};

#include "base/display/display_width_ranges.h"

/* Bisection: ranges ascend and do not overlap. */
static bool is_in(const struct character_range *range, size_t count, unsigned long code)
{
    size_t low = 0;
    while (count > 0) {
        size_t half = count / 2;
        if (range[low + half].last < code) {
            low += half + 1;
            count -= half + 1;
        } else if (range[low + half].first > code) {
            count = half;
        } else {
            return true;
        }
    }
    return false;
}

/* The code point of a valid character of `length` bytes: the low bits of the first byte, then six of each other. */
static unsigned long decode(const char *p, size_t length)
{
    static const unsigned char bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    unsigned long code = (unsigned char)p[0] & bits[length];
    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)p[i] & 0x3f);
    return code;
}

/* C0, DEL and C1 (ECMA-48; U+009B begins an escape sequence as ESC [ does), and the embeddings, overrides and isolates
 * of the bidirectional algorithm, which reorder the text that follows. */
static bool is_control(unsigned long code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || (code >= 0x202a && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

/* A stray byte from 0x80 to 0x9f is a C1 control for a terminal in an 8-bit encoding. */
struct shown_character display_character(const char *p, const char *to)
{
    size_t length = utf8_length(p, to);
    if (length < 2)
        return (struct shown_character){1, 1, is_control((unsigned char)*p)};
    unsigned long code = decode(p, length);
    if (is_control(code))
        return (struct shown_character){length, 1, true};
    if (is_in(combining, sizeof combining / sizeof *combining, code))
        return (struct shown_character){length, 0, false};
    return (struct shown_character){length, is_in(wide, sizeof wide / sizeof *wide, code) ? 2 : 1, false};
}

size_t display_width(const char *text)
{
    const char *end = text + strlen(text);
    size_t columns = 0;
    while (text < end) {
        struct shown_character character = display_character(text, end);
        columns += character.columns;
        text += character.bytes;
    }
    return columns;
}

size_t display_mask_controls(char *bytes, size_t length, bool lines)
{
    const char *end = bytes + length;
    char *to = bytes;
    for (const char *p = bytes; p < end;) {
        struct shown_character next = display_character(p, end);
        if (next.control && !(lines && (*p == '\n' || *p == '\t'))) {
            *to++ = '?';
        } else {
            memmove(to, p, next.bytes);
            to += next.bytes;
        }
        p += next.bytes;
    }
    return (size_t)(to - bytes);
}
