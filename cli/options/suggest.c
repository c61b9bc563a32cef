/* suggest: prints lists of words for shell completion. */
#include "options/suggest.h"

#include "options/command_line.h"

/* ---- Completion ------------------------------------------------------------------------------ */

/* The names of all losses, from the list of methods. */
static void print_losses(FILE *out, const char *between)
{
    static const char *const names[] = {
#define METHOD_NAME(name, word, t1, t2, text) word,
        TEMPER_METHOD_LIST(METHOD_NAME)
#undef METHOD_NAME
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fprintf(out, "%s%s", i ? between : "", names[i]);
}

/* The names of the commands, without hidden ones. */
static void print_commands(FILE *out, const char *between)
{
    const char *separator = "";
    for (size_t i = CMD_PROGRAM + 1; i < CMD_COUNT; i++)
        if (!command_table[i].hidden) {
            fprintf(out, "%s%s", separator, command_table[i].name);
            separator = between;
        }
}

/* The candidates of a kind, with `between` between them; nothing for kinds that are not lists of words. */
void completion_words(FILE *out, enum completion completion, const char *words, const char *between)
{
    if (completion == COMPLETE_COMMANDS)
        print_commands(out, between);
    else if (completion == COMPLETE_LOSSES)
        print_losses(out, between);
    for (; completion == COMPLETE_WORDS && *words; words++)
        if (*words == ' ') /* single spaces in the tables */
            fputs(between, out);
        else
            fputc(*words, out);
}
