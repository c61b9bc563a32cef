/* suggest: the name nearest to a mistyped one, and the words that a shell can complete. */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>
#include <stdio.h>

enum hint {
    HINT_NONE,
    HINT_FILE,
    HINT_FOLDER,
    HINT_WORDS,    /* those in the table */
    HINT_COMMANDS, /* names of commands */
    HINT_LOSSES    /* names of losses, several with commas between them */
};

/* The words of a hint, with `between` between them; `words` are those of HINT_WORDS, with spaces.
 * Nothing for files and folders. */
void hint_words(FILE *out, enum hint hint, const char *words, const char *between);

/* Start from {.wanted = what was typed} and offer every name that there is. */
struct nearest {
    const char *wanted;
    const char *name; /* the nearest so far, or NULL if none is near */
    size_t distance;
};
void nearest_offer(struct nearest *nearest, const char *name);

#endif
