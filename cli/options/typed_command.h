/* typed_command: a command line as text that a shell reads as the same words, for advice on what to run next. */
#ifndef CLI_TYPED_COMMAND_H
#define CLI_TYPED_COMMAND_H

#include <stdio.h>

#include "options/command_line.h"

/* A word, in single quotes if a shell would read it as anything else. */
void print_shell_word(FILE *out, const char *word);

/* The command with its operands and given options, without those of the list, which ends in OPT_COUNT. */
void print_typed_command(FILE *out, const struct arguments *arguments, const enum option_id *left_out);

#endif
