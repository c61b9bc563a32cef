/* main: finds the command and runs it. */
#include <stdbool.h>
#include <string.h>

#include "documents/documents.h"
#include "message.h"
#include "options/command.h"
#include "options/options.h"
#include "output_paths.h"
#include "process_group.h"
#include "progress.h"

/* What is typed by someone who wants to know what can be typed. */
static temper_status no_command(void)
{
    struct page page;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    help_page(page.stream, &command_table[CMD_PROGRAM]);
    status = page_print_as_message(&page);
    return status == TEMPER_OK ? complain(TEMPER_USAGE, "no command; give one of those above") : status;
}

/* "-" and "--" are no options of their own; as commands, they are unknown ones. */
static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] && strcmp(word, "--") != 0;
}

/* Options in front of the command are those of the program: --help and --version. */
static temper_status run(char **words)
{
    struct arguments arguments;
    const struct command *command = &command_table[CMD_PROGRAM];
    if (*words && !is_option(*words)) {
        command = command_find(*words);
        if (!command)
            return complain_unknown_command(*words);
        words++;
    }
    temper_status status = parse_words(command, words, &arguments);
    if (status != TEMPER_OK)
        return status;
    if (was_given(&arguments, OPT_HELP))
        return help_print(command);
    if (was_given(&arguments, OPT_VERSION))
        return cmd_version(&arguments);
    if (!command->run)
        return no_command();
    status = process_group_check(command->name, arguments.operand_count ? arguments.operand[0] : NULL);
    return status == TEMPER_OK ? command->run(&arguments) : status;
}

/* A status has its exit code; everything has been said by now. */
int main(int count, char **words)
{
    output_prepare();
    process_group_begin(&count, &words);
    return process_group_end(interrupt_exit_code(run(count > 0 ? words + 1 : words)));
}
