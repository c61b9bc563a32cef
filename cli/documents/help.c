/* help: the help pages of the commands, and the version. */
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

void option_meaning(const struct option *option, char meaning[MEANING_LENGTH])
{
    char words[RANGE_LENGTH];
    const char *range = option_range(option, words), *standard = option->standard;
    bool both = *range && standard, any = *range || standard;
    snprintf(meaning, MEANING_LENGTH, "%s%s%s%s%s%s%s", option->help, any ? " (" : "", range, both ? "; " : "",
             standard ? "default: " : "", standard ? standard : "", any ? ")" : "");
}

/* "  -o, --output FILE" */
static void option_name(const struct option *option, char name[NAME_LENGTH])
{
    char letter[] = {'-', option->letter, ',', '\0'};
    snprintf(name, NAME_LENGTH, "  %3s --%s%s%s", option->letter ? letter : "", option->name,
             option->placeholder ? " " : "", option->placeholder ? option->placeholder : "");
}

/* "  plot losses" */
static void command_name(const struct command *command, char name[NAME_LENGTH])
{
    snprintf(name, NAME_LENGTH, "  %s%s%s", command->name, command->operands ? " " : "",
             command->operands ? command->operands : "");
}

/* The column where the meanings begin: after the widest name that is not too wide. */
static size_t widen(size_t indent, const char *name)
{
    size_t needed = strlen(name) + 2;
    return needed > indent && needed <= WIDEST_NAMES ? needed : indent;
}

/* Two passes over the table: the first finds the width of the names. */
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

/* The same for the options of a command. */
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

/* What it does, and below it what to type. */
static void list_examples(FILE *out, const struct command *command)
{
    fprintf(out, "\nExamples:\n");
    for (const struct command_example *example = command->examples; example->what; example++) {
        fprintf(out, "  %s:\n", example->what);
        print_indented(out, example->typed, 4);
    }
}

/* Only for the program: they are the same for every command. */
static void list_statuses(FILE *out)
{
    fprintf(out, "\nExit status:\n");
#define STATUS_LINE(name, code, text) fprintf(out, "  %3d  %s\n", code, text);
    TEMPER_STATUS_LIST(STATUS_LINE)
    STATUS_LINE(, INTERRUPT_BY_READER, "the reader of the standard output has closed it")
    STATUS_LINE(, INTERRUPT_TERMINATED, "interrupted by SIGTERM")
#undef STATUS_LINE
}

/* Summary, usage, description, and the lists. */
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

/* Also called for --version. */
temper_status cmd_version(const struct arguments *arguments)
{
    (void)arguments;
    struct output_buffer buffer;
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
