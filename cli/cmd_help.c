/* cmd_help: temper help [COMMAND]. */
#include "help.h"
#include "parse.h"

/* Shows the list of commands, or one of them, hidden or not. */
temper_status cmd_help(const struct arguments *arguments)
{
    if (arguments->operand_count == 0)
        return help_print(&command_table[CMD_PROGRAM]);
    const struct command *command = command_find(arguments->operand[0]);
    return command ? help_print(command) : complain_unknown_command(arguments->operand[0]);
}
