/* quote_text: escapes and truncates text for messages. */
#include "data/quote_text.h"

#include <stdio.h>
#include <string.h>

/* A token of the user's file as messages show it: control characters and backslashes as \xNN, at most TOKEN_SHOWN
 * bytes. By value, so that it can be used within an argument list. */
struct token_text token_text(const char *from, const char *to)
{
    struct token_text shown = {{0}};
    size_t n = 0;
    /* Truncated by bytes, before escaping, so that the result has a fixed bound. */
    const char *end = to - from > TOKEN_SHOWN ? from + TOKEN_SHOWN : to;
    for (const char *p = from; p < end; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < 0x20 || c == 0x7f || c == '\\')
            n += (size_t)snprintf(shown.text + n, 5, "\\x%02x", c);
        else
            shown.text[n++] = (char)c; /* UTF-8 sequences are not escaped */
    }
    if (end < to)
        memcpy(shown.text + n, "...", 3);
    return shown;
}

/* A path in the same form. */
struct place_text place_text(const char *path)
{
    struct place_text shown = {{0}};
    path_shown(path, shown.text);
    return shown;
}
