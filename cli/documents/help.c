/* help: the help pages, generated from the tables, and the commands `help` and `version`.
 *
 * All texts are in cli/options/option_list.h and command_list.h: this file only arranges them, in two columns, the name
 * of an option and its meaning. The page of the program lists the commands, that of a command its options in the order
 * of the table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/documents.h"
#include "documents/wrap_text.h"
#include "message.h"
#include "options/command_line.h"
#include "output_paths.h"
#include "progress.h"
#include "temper_extra.h"

enum {
    NAME_LENGTH = 128,
    WIDEST_NAMES = 30 /* a longer one gets a line of its own */
};

/* "the L2 penalty (>= 0; default: auto)": help text, range and default. Shared with the man pages. */
void option_meaning(const struct option *option, char meaning[MEANING_LENGTH])
{
    char words[RANGE_LENGTH];
    const char *range = option_range(option, words), *standard = option->standard;
    /* "(RANGE; default: VALUE)", or one of them, or nothing. */
    bool both = *range && standard, any = *range || standard;
    snprintf(meaning, MEANING_LENGTH, "%s%s%s%s%s%s%s", option->help, any ? " (" : "", range, both ? "; " : "",
             standard ? "default: " : "", standard ? standard : "", any ? ")" : "");
}

/* The left column of an option: " -o, --output FILE"; without a letter the names stay aligned. */
static void option_name(const struct option *option, char name[NAME_LENGTH])
{
    char letter[] = {'-', option->letter, ',', '\0'};
    snprintf(name, NAME_LENGTH, "  %3s --%s%s%s", option->letter ? letter : "", option->name,
             option->placeholder ? " " : "", option->placeholder ? option->placeholder : "");
}

/* The left column of a command: " plot losses". */
static void command_name(const struct command *command, char name[NAME_LENGTH])
{
    snprintf(name, NAME_LENGTH, "  %s%s%s", command->name, command->operands ? " " : "",
             command->operands ? command->operands : "");
}

/* The column where the meanings begin: after the widest name that is not too wide. */
static size_t widen(size_t indent, const char *name)
{
    /* Two blanks between the columns. */
    size_t needed = strlen(name) + 2;
    return needed > indent && needed <= WIDEST_NAMES ? needed : indent;
}

/* The visible commands with their summaries. Two passes over the table: the first finds the width of the left column.
 * */
static void list_commands(FILE *out)
{
    char name[NAME_LENGTH];
    size_t indent = 0;
    for (size_t i = CMD_PROGRAM + 1; i < CMD_COUNT; i++) {
        command_name(&command_table[i], name);
        indent = command_table[i].hidden ? indent : widen(indent, name);
    }
    fprintf(out, "\nCommands:\n");
    for (size_t i = CMD_PROGRAM + 1; i < CMD_COUNT; i++) {
        command_name(&command_table[i], name);
        if (!command_table[i].hidden)
            wrap_row(out, name, command_table[i].summary, indent);
    }
}

/* The options of a command in the order of the table, which groups related ones. */
static void list_options(FILE *out, const struct command *command)
{
    char name[NAME_LENGTH], meaning[MEANING_LENGTH];
    size_t indent = 0;
    for (size_t i = 0; i < OPT_COUNT; i++) {
        option_name(&option_table[i], name);
        indent = option_belongs(&option_table[i], command) ? widen(indent, name) : indent;
    }
    fprintf(out, "\nOptions:\n");
    for (size_t i = 0; i < OPT_COUNT; i++) {
        option_name(&option_table[i], name);
        option_meaning(&option_table[i], meaning);
        if (option_belongs(&option_table[i], command))
            wrap_row(out, name, meaning, indent);
    }
}

/* Each example: a phrase, and indented below it the command. */
static void list_examples(FILE *out, const struct command *command)
{
    fprintf(out, "\nExamples:\n");
    /* The list ends with an empty row. */
    for (const struct command_example *example = command->examples; example->what; example++) {
        fprintf(out, "  %s:\n", example->what);
        print_indented(out, example->typed, 4);
    }
}

/* The exit codes; only on the page of the program, since they are the same for every command. The last two come from
 * signals and are not statuses of the library. */
static void list_statuses(FILE *out)
{
    fprintf(out, "\nExit status:\n");
#define STATUS_LINE(name, code, text) fprintf(out, "  %3d  %s\n", code, text);
    TEMPER_STATUS_LIST(STATUS_LINE)
    STATUS_LINE(, INTERRUPT_BY_READER, "the reader of the standard output has closed it")
    STATUS_LINE(, INTERRUPT_TERMINATED, "interrupted by SIGTERM")
#undef STATUS_LINE
}

/* A page: summary, usage, description, options, examples; that of the program also lists commands and exit codes. */
void help_page(FILE *out, const struct command *command)
{
    bool program = command_id(command) == CMD_PROGRAM;
    command_full_name(out, command, " ");
    fprintf(out, ": %s\n\nUsage: ", command->summary);
    command_full_name(out, command, " ");
    fprintf(out, "%s%s [OPTION]...\n\n", command->operands ? " " : "", command->operands ? command->operands : "");
    wrap_paragraphs(out, command->description);
    if (program)
        list_commands(out);
    list_options(out, command);
    list_examples(out, command);
    if (program) {
        list_statuses(out);
        fprintf(out, "\n'temper help COMMAND' describes each.\n");
    }
}

/* To the standard output, as one write. */
temper_status help_print(const struct command *command)
{
    struct output_buffer buffer;
    TRY(output_open(&buffer));
    help_page(buffer.stream, command);
    return output_print(&buffer);
}

/* Shows the list of commands, or the help of one of them, hidden or not. */
temper_status cmd_help(const struct arguments *arguments)
{
    if (arguments->operand_count == 0)
        return help_print(&command_table[CMD_PROGRAM]);
    const struct command *command = command_find(arguments->operand[0]);
    return command ? help_print(command) : fail_unknown_command(arguments->operand[0]);
}

/* The version, and the kernels of this machine, which bug reports need. Also called for --version. */
temper_status cmd_version(const struct arguments *arguments)
{
    (void)arguments;
    struct output_buffer buffer;
    /* NULL only if $TEMPER_KERNEL requests what this CPU does not have. */
    const char *kernel = temper_kernel_name();
    if (!kernel)
        return fail(TEMPER_USAGE,
                    "TEMPER_KERNEL: this processor has no kernel '%s'; "
                    "unset it, or give plain",
                    getenv("TEMPER_KERNEL"));
    TRY(output_open(&buffer));
    fprintf(buffer.stream, "temper %s\nkernel %s\n", temper_version(), kernel);
    return output_print(&buffer);
}
