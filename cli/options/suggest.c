/* suggest: finds the existing name that is nearest to a mistyped one, and prints lists of words for shell completion.
 * */
#include "options/suggest.h"

#include <stdbool.h>
#include <string.h>

#include "base/order.h"
#include "options/command_line.h"

enum { NAME_LENGTH = 32 }; /* longer words are not compared */

/* Optimal string alignment distance: the number of insertions, deletions, substitutions and swaps of neighbours that
 * turn `a` into `b`. The recurrence needs three rows of its table. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][NAME_LENGTH + 1], columns = strlen(b), i;
    /* From an empty prefix of a, j insertions give the first j letters of b. */
    for (size_t j = 0; j <= columns; j++)
        rows[0][j] = j;
    for (i = 1; a[i - 1]; i++) {
        size_t *now = rows[i % 3];
        const size_t *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        /* i deletions give an empty prefix of b. */
        now[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            now[j] = min_size(last[j - 1] + (a[i - 1] != b[j - 1]), min_size(last[j], now[j - 1]) + 1);
            /* A swap of neighbours, the most frequent typing mistake, counts once. */
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = min_size(now[j], before[j - 2] + 1);
        }
    }
    return rows[(i - 1) % 3][columns];
}

/* Offers a candidate; the nearest one so far is kept, the first among equals. A prefix of two letters or more counts as
 * distance 1, however much is missing; otherwise about one mistake in four characters is tolerated. */
void suggestion_offer(struct suggestion *suggestion, const char *name)
{
    size_t typed = strlen(suggestion->typed), length = strlen(name);
    if (typed == 0 || typed > NAME_LENGTH || length > NAME_LENGTH)
        return;
    bool prefix = typed >= 2 && strncmp(name, suggestion->typed, typed) == 0;
    size_t distance = prefix ? 1 : edit_distance(suggestion->typed, name);
    if (distance > 1 + length / 4 || distance >= length || (suggestion->name && distance >= suggestion->distance))
        return;
    suggestion->name = name;
    suggestion->distance = distance;
}

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
