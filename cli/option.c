/* option: the table of options, made from the list. */
#include "option.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define IN(command) (1u << CMD_##command)
#define EVERYWHERE  (~0u)
#define APPLYING    (IN(PREDICT) | IN(EVAL))                                  /* a model to data */
#define FITTING     (IN(TRAIN) | IN(PLOT))                                    /* a model to data */
#define SOLVING     (FITTING | IN(TUNE) | IN(AUDIT))                          /* one or many */
#define LABELLED    (IN(INFO) | IN(CONVERT) | IN(NOISE) | IN(EVAL) | SOLVING) /* may need labels */
#define READING     (LABELLED | IN(PREDICT))                                  /* commands that read data */
#define BOUNDED     /* those of them that keep to a limit of memory */                                                 \
    (IN(TRAIN) | IN(TUNE) | IN(AUDIT) | IN(PREDICT) | IN(EVAL) | IN(CONVERT) | IN(INFO))

/* "tempered logistic ...": one literal, made from the list, with a space too many in front. */
#define METHOD_WORD(name, word, t1, t2, text) " " word
#define METHOD_WORDS                          (&TEMPER_METHOD_LIST(METHOD_WORD)[1])

_Static_assert(CMD_COUNT <= 32, "option.commands has a bit for each command");

const struct option option_table[OPT_COUNT] = {
#define OPTION(id, ...) [OPT_##id] = {__VA_ARGS__},
#include "option_list.h"
#undef OPTION
};

/* What goes with a type, apart from the check in value.c. */
static const struct {
    enum hint hint;
    const char *wanted; /* in front of the range, and behind it */
    const char *after;
} types[TYPE_COUNT] = {
    [TYPE_FLAG] = {HINT_NONE, "nothing", ""},
    [TYPE_FILE] = {HINT_FILE, "the name of a file", ""},
    [TYPE_TEXT] = {HINT_NONE, "", ""},
    [TYPE_WORD] = {HINT_WORDS, "one of", ""},
    [TYPE_NUMBER] = {HINT_NONE, "a number", ""},
    [TYPE_WHOLE] = {HINT_NONE, "a whole number", ""},
    [TYPE_NUMBER_OR] = {HINT_WORDS, "a number", ", or "},
    [TYPE_NUMBERS] = {HINT_NONE, "numbers", ", with commas between them"},
    [TYPE_SPAN] = {HINT_NONE, "two numbers", ", the smaller one first, with a comma between them"},
    [TYPE_LETTERS] = {HINT_WORDS, "some of the letters", ", each at most once"},
    [TYPE_LOSSES] = {HINT_LOSSES, "losses", ", with commas between them"},
    [TYPE_SIZE] = {HINT_NONE, "a size like 500M, 2G or 1.5GiB", ""},
};

bool option_belongs(const struct option *option, const struct command *command)
{
    return option->commands >> command_id(command) & 1u;
}

/* A name may have several rows, of which a command has at most one; see check_tables. */
const struct option *option_find(const struct command *command, const char *name, size_t length)
{
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const struct option *option = &option_table[i];
        if (option_belongs(option, command) && strlen(option->name) == length &&
            memcmp(option->name, name, length) == 0)
            return option;
    }
    return NULL;
}

const struct option *option_find_letter(const struct command *command, char letter)
{
    for (size_t i = 0; i < OPT_COUNT; i++)
        if (option_table[i].letter == letter && option_belongs(&option_table[i], command))
            return &option_table[i];
    return NULL;
}

enum option_id option_id(const struct option *option)
{
    return (enum option_id)(option - option_table);
}

enum hint option_hint(const struct option *option)
{
    return types[option->type].hint;
}

/* Others have no range, whatever their row says. */
static bool has_numbers(const struct option *option)
{
    return option->type == TYPE_NUMBER || option->type == TYPE_NUMBERS || option->type == TYPE_SPAN ||
           option->type == TYPE_WHOLE || option->type == TYPE_NUMBER_OR;
}

const char *option_range(const struct option *option, char words[RANGE_LENGTH])
{
    bool below = isfinite(option->least), above = isfinite(option->most);
    words[0] = '\0';
    if (!has_numbers(option) || (!below && !above))
        return words;
    if (below && above)
        snprintf(words, RANGE_LENGTH, "from %.16g to %.16g", option->least, option->most);
    else if (below)
        snprintf(words, RANGE_LENGTH, ">= %g", option->least);
    else
        snprintf(words, RANGE_LENGTH, "<= %g", option->most);
    return words;
}

const char *option_wanted(const struct option *option, char words[WANTED_LENGTH])
{
    char range[RANGE_LENGTH];
    const char *more = option_range(option, range);
    if (option->type == TYPE_LETTERS || option->type == TYPE_WORD)
        more = option->words;
    if (option->type == TYPE_TEXT)
        snprintf(words, WANTED_LENGTH, "%s", option->wanted);
    else
        snprintf(words, WANTED_LENGTH, "%s%s%s%s%s", types[option->type].wanted, *more ? " " : "", more,
                 types[option->type].after, option->type == TYPE_NUMBER_OR ? option->words : "");
    return words;
}
