/* command: the table of commands, made from the list. */
#include "options/command.h"

#include <string.h>

#include "message.h"
#include "options/suggest.h"

/* A list that ends itself, to be written in a row of the table. */
#define EXAMPLES(...) ((const struct example[]){__VA_ARGS__, {NULL, NULL}})

const struct command command_table[CMD_COUNT] = {
#define COMMAND(id, ...) [CMD_##id] = {__VA_ARGS__},
#include "options/command_list.h"
#undef COMMAND
};

/* The program itself is no command. */
const struct command *command_find(const char *name)
{
    for (size_t i = CMD_PROGRAM + 1; i < CMD_COUNT; i++)
        if (strcmp(command_table[i].name, name) == 0)
            return &command_table[i];
    return NULL;
}

/* A command is always a row of the table. */
enum command_id command_id(const struct command *command)
{
    return (enum command_id)(command - command_table);
}

void command_full_name(FILE *out, const struct command *command, const char *between)
{
    fputs(command_table[CMD_PROGRAM].name, out);
    if (command_id(command) != CMD_PROGRAM)
        fprintf(out, "%s%s", between, command->name);
}

/* Hidden commands are not guessed at. */
temper_status complain_unknown_command(const char *name)
{
    struct nearest nearest = {.wanted = name};
    for (size_t i = CMD_PROGRAM + 1; i < CMD_COUNT; i++)
        if (!command_table[i].hidden)
            nearest_offer(&nearest, command_table[i].name);
    if (!nearest.name)
        return complain(TEMPER_USAGE, "unknown command '%s'; see 'temper --help'", name);
    return complain(TEMPER_USAGE, "unknown command '%s'; did you mean %s?", name, nearest.name);
}
