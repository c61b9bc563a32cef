/* utf8: RFC 3629. */
#include "base/utf8.h"

/* Bytes of a letter by its first byte; 0 for bytes that cannot be first. */
static size_t length_told(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

size_t utf8_length(const char *p, const char *to)
{
    const unsigned char *bytes = (const unsigned char *)p;
    static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = length_told(bytes[0]);
    if (length < 2)
        return length;
    if ((size_t)(to - p) < length)
        return 0;
    unsigned long letter = bytes[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        letter = letter << 6 | (bytes[i] & 0x3fu);
    }
    int half = letter >= 0xd800 && letter <= 0xdfff;
    return letter < least[length] || half || letter > 0x10ffff ? 0 : length;
}

size_t utf8_encode(unsigned long letter, char *out)
{
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t length = letter < 0x80 ? 1 : letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; letter >>= 6)
        out[i] = (char)(0x80 | (letter & 0x3f));
    out[0] = (char)(length == 1 ? letter : marks[length] | letter);
    return length;
}
