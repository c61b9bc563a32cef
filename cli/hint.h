/* hint: what a shell may offer in place of a word. */
#ifndef CLI_HINT_H
#define CLI_HINT_H

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

#endif
