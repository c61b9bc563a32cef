/* complete_bash: writes the completion script for bash, which works with or without the package bash-completion. It is
 * one function with two case statements over COMMAND:WORD, generated from the tables. */
#include "documents/documents.h"
#include "options/command_line.h"

/* The part that does not depend on the tables. mapfile keeps names with blanks whole; compopt prints an error where the
 * function is called outside of a completion, as tests do. */
static const char head[] = "# bash completion for temper, written by 'temper documents' from its table of options.\n"
                           "\n"
                           "_temper_words() { # WORDS: those that begin like the current one\n"
                           "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n"
                           "}\n"
                           "\n"
                           "_temper_paths() { # -f or -d\n"
                           "    compopt -o filenames 2>/dev/null\n"
                           "    mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n"
                           "}\n"
                           "\n"
                           "_temper_list() { # WORDS: a list with commas, of which the last word is completed\n"
                           "    local done=\n"
                           "    [[ $cur == *,* ]] && done=${cur%,*},\n"
                           "    compopt -o nospace 2>/dev/null\n"
                           "    mapfile -t COMPREPLY < <(compgen -P \"$done\" -W \"$1\" -- \"${cur##*,}\")\n"
                           "}\n"
                           "\n"
                           "_temper() {\n"
                           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command= i\n"
                           "    COMPREPLY=()\n"
                           "    # --name=value arrives as three words\n"
                           "    if [[ $cur == '=' ]]; then\n"
                           "        cur=\n"
                           "    elif [[ $prev == '=' ]]; then\n"
                           "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
                           "    fi\n"
                           "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                           "        if [[ ${COMP_WORDS[i]} != -* ]]; then\n"
                           "            command=${COMP_WORDS[i]}\n"
                           "            break\n"
                           "        fi\n"
                           "    done\n";

/* Writes the shell command that fills COMPREPLY with the candidates of a kind. Losses are lists with commas, of which
 * only the last word is completed. */
static void offer(FILE *out, enum completion completion, const char *words)
{
    if (completion == COMPLETE_NOTHING) {
        fputs(":", out);
    } else if (completion == COMPLETE_FILE || completion == COMPLETE_FOLDER) {
        fprintf(out, "_temper_paths %s", completion == COMPLETE_FILE ? "-f" : "-d");
    } else {
        fprintf(out, "%s '", completion == COMPLETE_LOSSES ? "_temper_list" : "_temper_words");
        completion_words(out, completion, words, " ");
        fputc('\'', out);
    }
}

/* One branch for the value of an option: " plot:--output | plot:-o) _temper_paths -f; return ;;" */
static void value_row(FILE *out, const struct command *command, const struct option *option)
{
    fprintf(out, "    %s:--%s", command->name, option->name);
    /* Both spellings share a branch. */
    if (option->letter)
        fprintf(out, " | %s:-%c", command->name, option->letter);
    fputs(") ", out);
    offer(out, option_completion(option), option->words);
    fputs("; return ;;\n", out);
}

/* The first case statement: if the previous word is an option with a value, complete that value and return. */
static void complete_values(FILE *out)
{
    fputs("    case $command:$prev in\n", out);
    /* Hidden commands too: completion after a typed name does no harm. */
    for (size_t i = CMD_PROGRAM + 1; i < CMD_COUNT; i++)
        for (size_t j = 0; j < OPT_COUNT; j++)
            if (option_table[j].type != TYPE_FLAG && option_belongs(&option_table[j], &command_table[i]))
                value_row(out, &command_table[i], &option_table[j]);
    fputs("    esac\n", out);
}

/* One branch for the option names of a command: " plot:-*) _temper_words '--output --help' ;;" */
static void option_row(FILE *out, const struct command *command, const char *name)
{
    /* Only long names are offered: they explain themselves. */
    const char *space = "";
    fprintf(out, "    %s:-*) _temper_words '", name);
    for (size_t i = 0; i < OPT_COUNT; i++)
        if (option_belongs(&option_table[i], command)) {
            fprintf(out, "%s--%s", space, option_table[i].name);
            space = " ";
        }
    fputs("' ;;\n", out);
}

/* Candidates for operands: "_temper_words 'losses path'"; commands like plot have other candidates (files) after the
 * first operand, recognised by the previous word. */
static void offer_operands(FILE *out, const struct command *command)
{
    if (command->rest_completion != COMPLETE_NOTHING) {
        /* The previous word is the command itself while the first operand is typed. */
        fprintf(out, "if [[ $prev != %s ]]; then ", command->name);
        offer(out, command->rest_completion, NULL);
        fputs("; else ", out);
    }
    offer(out, command->operand_completion, command->operand_words);
    if (command->rest_completion != COMPLETE_NOTHING)
        fputs("; fi", out);
}

/* The second case statement: the current word is an option or an operand. */
static void complete_names(FILE *out)
{
    /* Option rows come before operand rows, as the first matching pattern wins. */
    fputs("    case $command:$cur in\n", out);
    for (size_t i = 0; i < CMD_COUNT; i++) {
        const struct command *command = &command_table[i];
        /* Until a command has been typed, $command is empty, and one is the operand. */
        const char *name = i == CMD_PROGRAM ? "" : command->name;
        option_row(out, command, name);
        fprintf(out, "    %s:*) ", name);
        offer_operands(out, command);
        fputs(" ;;\n", out);
    }
    fputs("    esac\n", out);
}

/* The whole script. */
void bash_completion(FILE *out)
{
    fputs(head, out);
    complete_values(out);
    complete_names(out);
    fputs("}\n\ncomplete -F _temper temper\n", out);
}
