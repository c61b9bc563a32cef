/* hint: lists of words for completion and for messages. */
#include "hint.h"

#include "command.h"
#include "temper.h"

static const char *const method_names[] = {
#define METHOD_NAME(name, word, t1, t2, text) word,
    TEMPER_METHOD_LIST(METHOD_NAME)
#undef METHOD_NAME
};

/* "tempered logistic t-logistic ..." */
static void method_words(FILE *out, const char *between)
{
    for (size_t i = 0; i < sizeof method_names / sizeof *method_names; i++)
        fprintf(out, "%s%s", i ? between : "", method_names[i]);
}

/* Without the hidden ones. */
static void command_words(FILE *out, const char *between)
{
    const char *separator = "";
    for (size_t i = CMD_PROGRAM + 1; i < CMD_COUNT; i++)
        if (!command_table[i].hidden) {
            fprintf(out, "%s%s", separator, command_table[i].name);
            separator = between;
        }
}

/* Those of the table have single spaces between them. */
static void table_words(FILE *out, const char *words, const char *between)
{
    for (; *words; words++)
        if (*words == ' ')
            fputs(between, out);
        else
            fputc(*words, out);
}

void hint_words(FILE *out, enum hint hint, const char *words, const char *between)
{
    if (hint == HINT_WORDS)
        table_words(out, words, between);
    else if (hint == HINT_COMMANDS)
        command_words(out, between);
    else if (hint == HINT_LOSSES)
        method_words(out, between);
}
