/* complete_fish: completion for fish. */
#include "documents/documents.h"
#include "options/command_line.h"

/* In single quotes, where fish knows two escapes. */
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

/* Which state of the command line a row is for. */
static void condition(FILE *out, const struct command *command)
{
    if (command_id(command) == CMD_PROGRAM)
        fputs("complete -c temper -n __fish_use_subcommand", out);
    else
        fprintf(out, "complete -c temper -n '__fish_seen_subcommand_from %s'", command->name);
}

/* -x: a value is needed, and no file will do; -r -F: a file will. */
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
    fprintf(out, " -l %s", option->name);
    if (option->type != TYPE_FLAG)
        values(out, option_completion(option), option->words);
    fputs(" -d ", out);
    quoted(out, option->help);
    fputc('\n', out);
}

/* The name of a command, as long as there is none yet. */
static void command_row(FILE *out, const struct command *command)
{
    condition(out, &command_table[CMD_PROGRAM]);
    fprintf(out, " -a %s -d ", command->name);
    quoted(out, command->summary);
    fputc('\n', out);
}

/* What a command works on. */
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

/* -f: no files, unless a row asks for them. */
void fish_completion(FILE *out)
{
    fputs("# fish completion for temper, written by 'temper documents' from its table of options.\n"
          "complete -c temper -f\n",
          out);
    for (size_t i = 0; i < CMD_COUNT; i++) {
        const struct command *command = &command_table[i];
        if (i != CMD_PROGRAM && !command->hidden)
            command_row(out, command);
        for (size_t j = 0; j < OPT_COUNT; j++)
            if (option_belongs(&option_table[j], command))
                option_row(out, command, &option_table[j]);
        if (i != CMD_PROGRAM && command->operand_completion != COMPLETE_NOTHING)
            operand_row(out, command);
    }
}
