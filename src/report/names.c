/* names: words that come from data, made short and harmless. */
#include "report/names.h"

static bool goes_on(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* How many bytes the first byte of a character announces; 0 for one that begins none. */
static size_t announced(unsigned char byte)
{
    if (byte < 0x80)
        return 1;
    if (byte >= 0xc2 && byte <= 0xdf)
        return 2;
    if ((byte & 0xf0) == 0xe0)
        return 3;
    return byte >= 0xf0 && byte <= 0xf4 ? 4 : 0;
}

/* Longer forms of short ones, halves of UTF-16 pairs, numbers beyond U+10FFFF, and the two numbers
 * that XML leaves out. */
static bool is_forbidden(const unsigned char *at, size_t length)
{
    if (length == 3)
        return (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
               (at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe);
    return length == 4 && ((at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f));
}

/* The bytes of the character at the start of `bytes`; 0 if there is none. */
static size_t character_length(const char *bytes, size_t length)
{
    size_t count = announced((unsigned char)bytes[0]);
    if (count == 0 || count > length)
        return 0;
    for (size_t i = 1; i < count; i++)
        if (!goes_on(bytes[i]))
            return 0;
    return is_forbidden((const unsigned char *)bytes, count) ? 0 : count;
}

/* One byte of ASCII; XML 1.0 has no way at all to write most control characters. */
static void escape_ascii(struct text *out, char c)
{
    switch (c) {
    case '&':
        text_append(out, "&amp;");
        break;
    case '<':
        text_append(out, "&lt;");
        break;
    case '>':
        text_append(out, "&gt;");
        break;
    case '"':
        text_append(out, "&quot;");
        break;
    default:
        if ((unsigned char)c >= ' ' && c != 127)
            text_append_bytes(out, &c, 1);
    }
}

void escape_bytes(struct text *out, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t count = character_length(bytes + i, length - i);
        if (count == 1)
            escape_ascii(out, bytes[i]);
        else if (count > 1)
            text_append_bytes(out, bytes + i, count);
        else
            text_append(out, "\xef\xbf\xbd");
        i += count ? count : 1;
    }
}

void append_short(struct text *out, const char *name, size_t characters)
{
    size_t seen = 0, cut = 0, length = 0;
    for (; name[length]; length++) {
        if (goes_on(name[length]))
            continue;
        if (seen + 1 == characters)
            cut = length; /* here the ellipsis would stand */
        if (seen++ == characters)
            break;
    }
    text_append_bytes(out, name, name[length] ? cut : length);
    if (name[length])
        text_append(out, "\xe2\x80\xa6");
}
