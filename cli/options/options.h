/* options: the table of options, the parser of the command line, and the values of options. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "options/command.h"
#include "options/suggest.h"
#include "temper.h"

enum option_id {
#define OPTION(id, ...) OPT_##id,
#include "options/option_list.h"
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

enum { LIST_LIMIT = 64 }; /* of one list; a figure with more curves shows nothing */

struct numbers {
    double value[LIST_LIMIT];
    size_t count;
};

struct losses {
    temper_loss_spec value[LIST_LIMIT];
    size_t count;
    bool took_t1, took_t2; /* some loss came without and took the default */
};

/* Finite, in the range of the option, and nothing else in the text. Decimal points, whatever the
 * locale is. *number is untouched on failure. */
temper_status read_number(const struct option *option, const char *text, double *number);
temper_status read_numbers(const struct option *option, const char *text, struct numbers *numbers);
temper_status read_span(const struct option *option, const char *text, double *from, double *to);
/* "tempered:0.6:1.6,hinge"; t1 and t2 are for those that come without. */
temper_status read_losses(const struct option *option, const char *text, double t1, double t2, struct losses *losses);

/* "1.5G", "1.5GiB": K, M, G and T are powers of 1024, with or without B or iB behind them; a number
 * alone is bytes. At least 1. */
temper_status read_size(const struct option *option, const char *text, double *bytes);

/* Whether the text is a legal value of the option. */
temper_status check_value(const struct option *option, const char *text);

/* The next word of a list and on to behind the mark; *list is NULL after the last. A word that does
 * not fit ends in "...", which makes it no number and no name. */
enum { WORD_LENGTH = 128 };
void next_word(const char **list, char mark, char word[WORD_LENGTH]);

enum { OPERAND_LIMIT = 8 };

struct arguments {
    const struct command *command;
    const char *given[OPT_COUNT]; /* the values as typed, or NULL; the last one wins */
    const char *operand[OPERAND_LIMIT];
    size_t operand_count;
};

/* Options and operands in any order; "--" ends the options; "-" is an operand. Each value is
 * checked by its type. What is wrong has been complained about. */
temper_status parse_words(const struct command *command, char **words, struct arguments *arguments);

/* Whether the option was given. */
bool was_given(const struct arguments *arguments, enum option_id id);
/* Its value, or else its default. */
const char *text_of(const struct arguments *arguments, enum option_id id);
double number_of(const struct arguments *arguments, enum option_id id);

#endif
