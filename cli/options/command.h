/* command: the table of commands. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "options/suggest.h"
#include "temper.h"

struct arguments;

enum command_id {
#define COMMAND(id, ...) CMD_##id,
#include "options/command_list.h"
#undef COMMAND
    CMD_COUNT
};

struct example {
    const char *what;
    const char *typed; /* may have several lines */
};

struct command {
    const char *name;
    const char *operands; /* as the synopsis shows them, or NULL */
    enum hint operand_hint;
    const char *operand_words; /* HINT_WORDS: the legal ones, with spaces between them */
    enum hint rest_hint;       /* of operands behind the first; HINT_NONE: the same */
    size_t fewest, most;       /* operands */
    bool hidden;               /* from the list of commands */
    const char *summary;       /* a phrase without a full stop */
    const char *description;
    const struct example *examples; /* up to one without `what` */
    temper_status (*run)(const struct arguments *arguments);
};

/* By command_id. The first row is the program itself: what may stand in front of a command. */
extern const struct command command_table[CMD_COUNT];

/* NULL if there is no such command. */
const struct command *command_find(const char *name);
enum command_id command_id(const struct command *command);

/* "temper plot", or "temper" for the program itself, with `between` between them. */
void command_full_name(FILE *out, const struct command *command, const char *between);

/* "unknown command 'plto'; did you mean plot?" */
temper_status complain_unknown_command(const char *name);

/* One a command; each in cmd_NAME.c. */
temper_status cmd_plot(const struct arguments *arguments);
temper_status cmd_experiment(const struct arguments *arguments);
temper_status cmd_demo(const struct arguments *arguments);
temper_status cmd_train(const struct arguments *arguments);
temper_status cmd_tune(const struct arguments *arguments);
temper_status cmd_audit(const struct arguments *arguments);
temper_status cmd_predict(const struct arguments *arguments);
temper_status cmd_eval(const struct arguments *arguments);
temper_status cmd_info(const struct arguments *arguments);
temper_status cmd_convert(const struct arguments *arguments);
temper_status cmd_noise(const struct arguments *arguments);
temper_status cmd_help(const struct arguments *arguments);
temper_status cmd_version(const struct arguments *arguments);
temper_status cmd_documents(const struct arguments *arguments);

#endif
