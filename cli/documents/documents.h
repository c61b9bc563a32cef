/* documents: help pages, man pages and completions, all from the tables of commands and options. */
#ifndef CLI_DOCUMENTS_H
#define CLI_DOCUMENTS_H

#include <stddef.h>
#include <stdio.h>

#include "options/command_line.h"

void man_page(FILE *out, const struct command *command);
void bash_completion(FILE *out);
void zsh_completion(FILE *out);
void fish_completion(FILE *out);

void help_page(FILE *out, const struct command *command);
/* Shows it on the standard output. */
temper_status help_print(const struct command *command);

/* What an option means, with its range and default: "... (>= 0; default: 0.6)". */
enum { MEANING_LENGTH = 480 };
void option_meaning(const struct option *option, char meaning[MEANING_LENGTH]);

#endif
