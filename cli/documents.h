/* documents: man pages and shell completions, made from the tables. */
#ifndef CLI_DOCUMENTS_H
#define CLI_DOCUMENTS_H

#include <stdio.h>

#include "command.h"

void man_page(FILE *out, const struct command *command);
void bash_completion(FILE *out);
void zsh_completion(FILE *out);
void fish_completion(FILE *out);

#endif
