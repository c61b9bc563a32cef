/* typed_command: prints the words of a command line in the order operands, options. */
#include "options/typed_command.h"

#include <string.h>

/* Letters, digits and these have no meaning to any shell within a word. */
static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%";
    return *word && word[strspn(word, plain)] == '\0';
}

/* Within single quotes only the quote itself is special: it is written as '\''. */
void print_shell_word(FILE *out, const char *word)
{
    if (is_plain(word)) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

static bool is_left_out(const enum option_id *left_out, enum option_id id)
{
    for (; *left_out != OPT_COUNT; left_out++)
        if (*left_out == id)
            return true;
    return false;
}

void print_typed_command(FILE *out, const struct arguments *arguments, const enum option_id *left_out)
{
    command_full_name(out, arguments->command, " ");
    for (size_t i = 0; i < arguments->operand_count; i++) {
        fputc(' ', out);
        print_shell_word(out, arguments->operand[i]);
    }
    for (int id = 0; id < OPT_COUNT; id++) {
        if (!arguments->given[id] || is_left_out(left_out, (enum option_id)id))
            continue;
        fprintf(out, " --%s", option_table[id].name);
        if (option_table[id].type != TYPE_FLAG) {
            fputc(' ', out);
            print_shell_word(out, arguments->given[id]);
        }
    }
}
