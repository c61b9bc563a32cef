/* help: what --help prints. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stddef.h>
#include <stdio.h>

#include "command.h"
#include "option.h"

void help_page(FILE *out, const struct command *command);
/* Shows it on the standard output. */
temper_status help_print(const struct command *command);

/* What an option means, with its range and default: "... (>= 0; default: 0.6)". */
enum { MEANING_LENGTH = 480 };
void option_meaning(const struct option *option, char meaning[MEANING_LENGTH]);

#endif
