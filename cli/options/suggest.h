/* suggest: the words that a shell can complete, and the name nearest to a mistyped one (base/text.h). */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>
#include <stdio.h>

#include "base/text.h"

/* What a shell offers in place of a word. */
enum completion {
    COMPLETE_NOTHING,
    COMPLETE_FILE,
    COMPLETE_FOLDER,
    COMPLETE_WORDS,    /* a list of the option or command */
    COMPLETE_COMMANDS, /* names of commands */
    COMPLETE_LOSSES    /* names of losses, several separated by commas */
};

/* Prints the words, separated by `between`; `words` is the list of COMPLETE_WORDS, separated by spaces. Nothing for
 * files and folders. */
void completion_words(FILE *out, enum completion completion, const char *words, const char *between);

#endif
