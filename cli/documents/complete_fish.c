/* complete_fish: writes the completion script for fish: one `complete` command for each option, command and operand,
 * with the condition under which it applies. */
#include "documents/documents.h"
#include "options/command_line.h"

/* Quotes a text. Within single quotes fish knows two escapes, of the quote and of the backslash. */
static void quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

/* The beginning of a row with its condition: no command typed yet, or this command. */
static void condition(FILE *out, const struct command *command)
{
    if (command_id(command) == CMD_PROGRAM)
        fputs("complete -c temper -n __fish_use_subcommand", out);
    else
        fprintf(out, "complete -c temper -n '__fish_seen_subcommand_from %s'", command->name);
}

/* The kind of value. -x: a value is required, and files are not offered; -r -F: required, files are offered.
 * __fish_append completes the last word of a list with commas. */
static void values(FILE *out, enum completion completion, const char *words)
{
    if (completion == COMPLETE_FILE) {
        fputs(" -r -F", out);
    } else if (completion == COMPLETE_FOLDER) {
        fputs(" -x -a '(__fish_complete_directories)'", out);
    } else if (completion == COMPLETE_NOTHING) {
        fputs(" -x", out);
    } else {
        fputs(completion == COMPLETE_LOSSES ? " -x -a '(__fish_append , " : " -x -a '", out);
        completion_words(out, completion, words, " ");
        fputs(completion == COMPLETE_LOSSES ? ")'" : "'", out);
    }
}

/* complete -c temper -n '__fish_seen_subcommand_from plot' -s o -l output -r -F -d '...' */
static void option_row(FILE *out, const struct command *command, const struct option *option)
{
    condition(out, command);
    if (option->letter)
        fprintf(out, " -s %c", option->letter);
    /* -s is the letter, -l the long name, -d the description. */
    fprintf(out, " -l %s", option->name);
    if (option->type != TYPE_FLAG)
        values(out, option_completion(option), option->words);
    fputs(" -d ", out);
    quoted(out, option->help);
    fputc('\n', out);
}

/* The name of a command with its summary, offered while no command has been typed. */
static void command_row(FILE *out, const struct command *command)
{
    condition(out, &command_table[CMD_PROGRAM]);
    fprintf(out, " -a %s -d ", command->name);
    quoted(out, command->summary);
    fputc('\n', out);
}

/* Candidates for the operands. If the second operand differs from the first, its row needs a word of the first kind to
 * be present. */
static void operand_row(FILE *out, const struct command *command)
{
    condition(out, command);
    values(out, command->operand_completion, command->operand_words);
    fputc('\n', out);
    if (command->rest_completion == COMPLETE_NOTHING)
        return;
    fprintf(out,
            "complete -c temper -n '__fish_seen_subcommand_from %s; and "
            "__fish_seen_subcommand_from %s'",
            command->name, command->operand_words);
    values(out, command->rest_completion, NULL);
    fputc('\n', out);
}

/* The whole script. The general -f switches file names off; rows that need files switch them on. */
void fish_completion(FILE *out)
{
    fputs("# fish completion for temper, written by 'temper documents' from its table of options.\n"
          "complete -c temper -f\n",
          out);
    for (size_t i = 0; i < CMD_COUNT; i++) {
        const struct command *command = &command_table[i];
        /* The program's own row has options only. */
        if (i != CMD_PROGRAM && !command->hidden)
            command_row(out, command);
        /* An option of several commands gets a row for each, since defaults and values may differ. */
        for (size_t j = 0; j < OPT_COUNT; j++)
            if (option_belongs(&option_table[j], command))
                option_row(out, command, &option_table[j]);
        if (i != CMD_PROGRAM && command->operand_completion != COMPLETE_NOTHING)
            operand_row(out, command);
    }
}
