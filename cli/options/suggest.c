/* suggest: the name nearest to a mistyped one, and the words that a shell can complete. */
#include <stdbool.h>
#include <string.h>

#include "options/command.h"
#include "options/suggest.h"
#include "temper.h"

enum { NAME_LENGTH = 32 };

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many characters to insert, drop, exchange or swap with their neighbour (the "optimal string
 * alignment" distance). Three rows of its table are enough. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][NAME_LENGTH + 1], columns = strlen(b), i;
    for (size_t j = 0; j <= columns; j++)
        rows[0][j] = j;
    for (i = 1; a[i - 1]; i++) {
        size_t *now = rows[i % 3];
        const size_t *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            now[j] = min_size(last[j - 1] + (a[i - 1] != b[j - 1]), min_size(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = min_size(now[j], before[j - 2] + 1);
        }
    }
    return rows[(i - 1) % 3][columns];
}

/* A beginning is near, whatever it lacks; otherwise one mistake in three characters is allowed. */
void nearest_offer(struct nearest *nearest, const char *name)
{
    size_t typed = strlen(nearest->wanted), length = strlen(name);
    if (typed == 0 || typed > NAME_LENGTH || length > NAME_LENGTH)
        return;
    bool begins = typed >= 2 && strncmp(name, nearest->wanted, typed) == 0;
    size_t distance = begins ? 1 : edit_distance(nearest->wanted, name);
    if (distance > 1 + length / 4 || distance >= length || (nearest->name && distance >= nearest->distance))
        return;
    nearest->name = name;
    nearest->distance = distance;
}

/* ---- Words to complete ----------------------------------------------------------------------- */

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
