/* complete_zsh: writes the completion function for zsh, to be put on its fpath: a call of _arguments for the program,
 * and one for each command. */
#include "documents/documents.h"
#include "options/command_line.h"

/* The content of a single-quoted specification of _arguments, in which brackets and colons are syntax and are escaped;
 * a quote ends the string, and \\' follows. */
static void quoted(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", out);
        else if (*text == '[' || *text == ']' || *text == ':')
            fputc('\\', out);
        fputc(*text, out);
    }
}

/* The action part of a specification: how zsh completes the word. */
static void action(FILE *out, enum completion completion, const char *words)
{
    if (completion == COMPLETE_FILE) {
        fputs("_files", out);
    } else if (completion == COMPLETE_FOLDER) {
        fputs("_files -/", out);
    } else if (completion == COMPLETE_LOSSES) {
        fputs("_values -s , loss ", out);
        completion_words(out, completion, words, " ");
    } else if (completion != COMPLETE_NOTHING) {
        fputc('(', out);
        completion_words(out, completion, words, " ");
        fputc(')', out);
    }
}

/* The exclusion list: an option is not offered again once it was typed in either spelling; after --help nothing is. */
static void exclusion(FILE *out, const struct option *option)
{
    if (option->stops)
        fputs("'(- *)'", out);
    else if (option->letter)
        fprintf(out, "'(-%c --%s)'", option->letter, option->name);
}

/* One specification: '(-o --output)'{-o+,--output=}'[write to FILE]:FILE:_files' */
static void option_row(FILE *out, const struct option *option)
{
    /* "=" and "+": the value may follow in the same word or in the next one. */
    const char *equals = option->type == TYPE_FLAG ? "" : "=";
    fputs(" \\\n            ", out);
    exclusion(out, option);
    if (option->letter)
        fprintf(out, "{-%c%s,--%s%s}'[", option->letter, *equals ? "+" : "", option->name, equals);
    else
        fprintf(out, "'--%s%s[", option->name, equals);
    /* The description in brackets. */
    quoted(out, option->help);
    fputc(']', out);
    if (option->type != TYPE_FLAG) {
        fprintf(out, ":%s:", option->placeholder);
        action(out, option_completion(option), option->words);
    }
    fputc('\'', out);
}

/* The specifications of all options of the command, each on a line of its own. */
static void option_rows(FILE *out, const struct command *command)
{
    for (size_t i = 0; i < OPT_COUNT; i++)
        if (option_belongs(&option_table[i], command))
            option_row(out, &option_table[i]);
}

/* The state in which a command is completed: all visible commands with their summaries. */
static void command_rows(FILE *out)
{
    fputs("    case $state in\n    command)\n        local -a commands=(\n", out);
    for (size_t i = CMD_PROGRAM + 1; i < CMD_COUNT; i++) {
        if (command_table[i].hidden)
            continue;
        fprintf(out, "            '%s:", command_table[i].name);
        quoted(out, command_table[i].summary);
        fputs("'\n", out);
    }
    fputs("        )\n        _describe command commands\n        ;;\n", out);
}

/* An operand specification, '1:plot:(losses path)'. `place` is its number, or "*" for all others. */
static void operand_row(FILE *out, const struct command *command, const char *place, enum completion completion)
{
    fprintf(out, " \\\n            '%s:%s:", place, command->name);
    action(out, completion, command->operand_words);
    fputc('\'', out);
}

/* The branch of one command, with its options and operands. */
static void command_case(FILE *out, const struct command *command)
{
    fprintf(out, "        %s)\n            _arguments", command->name);
    option_rows(out, command);
    /* With other candidates after the first operand, the first has its own row. */
    bool rest = command->rest_completion != COMPLETE_NOTHING;
    /* "1": one operand, or the first of different kinds; "*": any number of the same kind. */
    if (command->operands)
        operand_row(out, command, command->most == 1 || rest ? "1" : "*", command->operand_completion);
    if (rest)
        operand_row(out, command, "*", command->rest_completion);
    fputs("\n            ;;\n", out);
}

/* The whole function. With "*::", _arguments reduces $words to what follows the command, so that the inner calls see
 * the words of the command only. */
void zsh_completion(FILE *out)
{
    fputs("#compdef temper\n"
          "# zsh completion for temper, written by 'temper documents' from its table of options.\n\n"
          "_temper() {\n"
          "    local curcontext=$curcontext state line\n"
          "    _arguments -C",
          out);
    option_rows(out, &command_table[CMD_PROGRAM]);
    fputs(" \\\n            '1:command:->command' '*::argument:->argument'\n", out);
    /* Two states: the command itself, and what follows it. */
    command_rows(out);
    fputs("    argument)\n        case $words[1] in\n", out);
    for (size_t i = CMD_PROGRAM + 1; i < CMD_COUNT; i++)
        command_case(out, &command_table[i]);
    fputs("        esac\n        ;;\n    esac\n}\n\n"
          "# Run when zsh has found the file by itself, defined when it was sourced.\n"
          "if [[ $funcstack[1] == _temper ]]; then\n    _temper \"$@\"\n"
          "else\n    compdef _temper temper\nfi\n",
          out);
}
