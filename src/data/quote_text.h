/* quote_text: pieces of text and file names for messages: never too long, control characters escaped. */
#ifndef DATA_QUOTE_TEXT_H
#define DATA_QUOTE_TEXT_H

#include <stddef.h>

#include "base/path.h"

enum { TOKEN_SHOWN = 64 };

struct token_text {
    char text[4 * TOKEN_SHOWN + 4]; /* every byte may become \xNN; then "..." */
};

/* The bytes [from, to) for printing with %s, truncated to TOKEN_SHOWN of them. */
struct token_text token_text(const char *from, const char *to);

/* A file's name for printing with %s, shortened from the left. */
struct place_text {
    char text[PATH_SHOWN];
};

struct place_text place_text(const char *path);

#endif
