/* cut: looks for the last whole line of a piece of text. */
#include "data/read/line_boundary.h"

#include <stdint.h>
#include <string.h>

/* Eight bytes at a time, each of which has a parity of its own. */
bool odd_quotes(const char *bytes, size_t length)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7f, quotes = 0x2222222222222222;
    uint64_t parity = 0;
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        word ^= quotes; /* a quote is a zero byte now; its top bit is set below, no other's */
        parity ^= ~(((word & low) + low) | word | low);
    }
    parity ^= parity >> 32;
    parity ^= parity >> 16;
    parity ^= parity >> 8;
    bool odd = (parity & 0x80) != 0;
    for (; i < length; i++)
        odd ^= bytes[i] == '"';
    return odd;
}

/* Backwards, so it looks at one line or so. */
size_t last_cut(const char *bytes, size_t from, size_t to, bool odd)
{
    for (size_t at = to; at > from; at--) {
        if (bytes[at - 1] == '\n' && !odd)
            return at;
        odd ^= bytes[at - 1] == '"';
    }
    return 0;
}

/* The same walk; most files have no quotes to look for. */
size_t last_newline(const char *bytes, size_t from, size_t to)
{
    while (to > from && bytes[to - 1] != '\n')
        to--;
    return to > from ? to : 0;
}

size_t first_table_row(const char *bytes, size_t length)
{
    bool quoted = false, seen = false;
    for (size_t end = 0; end < length; end++) {
        quoted = bytes[end] == '"' ? !quoted : quoted;
        seen = seen || !strchr(" \t\r\n", bytes[end]);
        if (bytes[end] == '\n' && seen && !quoted)
            return end + 1;
    }
    return length;
}

uint64_t count_lines(const char *bytes, size_t length)
{
    uint64_t lines = 0;
    for (const char *p = bytes; length && (p = memchr(p, '\n', length - (size_t)(p - bytes))); p++)
        lines++;
    return lines;
}
