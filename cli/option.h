/* option: the table of options. */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "command.h"
#include "hint.h"

enum option_id {
#define OPTION(id, ...) OPT_##id,
#include "option_list.h"
#undef OPTION
    OPT_COUNT
};

enum option_type {
    TYPE_FLAG, /* takes no value */
    TYPE_FILE,
    TYPE_TEXT,  /* anything but nothing; `wanted` says what */
    TYPE_WORD,  /* one of `words` */
    TYPE_WHOLE, /* a whole number */
    TYPE_NUMBER,
    TYPE_NUMBER_OR, /* a number, or one of `words` */
    TYPE_NUMBERS,   /* with commas between them */
    TYPE_SPAN,      /* two numbers, the smaller one first */
    TYPE_LETTERS,   /* one or more of `words`, each at most once */
    TYPE_LOSSES,    /* with commas between them */
    TYPE_SIZE,      /* of memory: 500M, 2G, 1.5GiB */
    TYPE_COUNT
};

struct option {
    const char *name;        /* without the dashes */
    char letter;             /* of the short form, or 0 */
    const char *placeholder; /* of its value, in help */
    enum option_type type;
    double least, most;   /* of each number; infinite for no bound. Infinity itself is refused */
    const char *words;    /* TYPE_LETTERS, TYPE_WORD, TYPE_NUMBER_OR: the legal ones; words have
                           * spaces between them */
    const char *wanted;   /* TYPE_TEXT: "a column by name or number" */
    const char *standard; /* the value without the option, read like any other; or NULL */
    bool stops;           /* parsing: what comes after it does not matter */
    unsigned commands;    /* a bit for each command that has it */
    const char *help;     /* a phrase without a full stop */
};

/* By option_id. */
extern const struct option option_table[OPT_COUNT];

bool option_belongs(const struct option *option, const struct command *command);
/* The option of the command that has this name of `length` characters, or this letter; or NULL. */
const struct option *option_find(const struct command *command, const char *name, size_t length);
const struct option *option_find_letter(const struct command *command, char letter);
enum option_id option_id(const struct option *option);

/* What a shell may offer as its value. */
enum hint option_hint(const struct option *option);
/* The range of its numbers in words: ">= 0", "from 0 to 1"; "" if there is none. Returns `words`.
 */
enum { RANGE_LENGTH = 64, WANTED_LENGTH = 160 };
const char *option_range(const struct option *option, char words[RANGE_LENGTH]);
/* What to give: "a number >= 0"; "numbers >= 0, with commas between them". Returns `words`. */
const char *option_wanted(const struct option *option, char words[WANTED_LENGTH]);

#endif
