/* parse: the words of the command line become options and operands. */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include <stdbool.h>

#include "command.h"
#include "option.h"

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
