/* command_line: the tables of commands and options, and the parser that turns the words of a command line into options
 * and operands. Parsing, help, man pages and shell completions all come from the two tables. */
#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"
#include "options/suggest.h"

struct arguments;

/* ---- Commands -------------------------------------------------------------------------------- */

enum command_id {
#define COMMAND(id, ...) CMD_##id,
#include "options/command_list.h"
#undef COMMAND
    CMD_COUNT
};

struct command_example {
    const char *what;
    const char *typed; /* may have several lines */
};

struct command {
    const char *name;
    const char *operands; /* as the synopsis shows them, or NULL */
    enum completion operand_completion;
    const char *operand_words;       /* COMPLETE_WORDS: the legal first operands, separated by spaces */
    enum completion rest_completion; /* of operands after the first; COMPLETE_NOTHING: as for the first */
    size_t fewest, most;             /* operands */
    bool hidden;                     /* from the list of commands */
    const char *summary;             /* a phrase without a full stop */
    const char *description;
    const struct command_example *examples; /* ends with one without `what` */
    temper_status (*run)(const struct arguments *arguments);
};

/* Indexed by command_id. The first row is the program itself, with the options that may precede a command. */
extern const struct command command_table[CMD_COUNT];

/* NULL if there is no such command. */
const struct command *command_find(const char *name);
enum command_id command_id(const struct command *command);

/* Prints "temper plot", or "temper" for the program itself; `between` separates the two words. */
void command_full_name(FILE *out, const struct command *command, const char *between);

/* "unknown command 'plto'; did you mean plot?" */
temper_status fail_unknown_command(const char *name);

/* One for each command; each is defined in cmd_NAME.c, help and version in documents/help.c. */
temper_status cmd_plot(const struct arguments *arguments);
temper_status cmd_experiment(const struct arguments *arguments);
temper_status cmd_demo(const struct arguments *arguments);
temper_status cmd_train(const struct arguments *arguments);
temper_status cmd_tune(const struct arguments *arguments);
temper_status cmd_audit(const struct arguments *arguments);
temper_status cmd_annotators(const struct arguments *arguments);
temper_status cmd_predict(const struct arguments *arguments);
temper_status cmd_eval(const struct arguments *arguments);
temper_status cmd_explain(const struct arguments *arguments);
temper_status cmd_info(const struct arguments *arguments);
temper_status cmd_convert(const struct arguments *arguments);
temper_status cmd_noise(const struct arguments *arguments);
temper_status cmd_split(const struct arguments *arguments);
temper_status cmd_help(const struct arguments *arguments);
temper_status cmd_version(const struct arguments *arguments);
temper_status cmd_documents(const struct arguments *arguments);

/* ---- Options --------------------------------------------------------------------------------- */

enum option_id {
#define OPTION(id, ...) OPT_##id,
#include "options/option_list.h"
#undef OPTION
    OPT_COUNT
};

enum option_type {
    TYPE_FLAG, /* takes no value */
    TYPE_FILE,
    TYPE_TEXT,  /* any text that is not empty; `wanted` describes it */
    TYPE_WORD,  /* one of `words` */
    TYPE_WHOLE, /* a whole number */
    TYPE_NUMBER,
    TYPE_NUMBER_OR, /* a number, or one of `words` */
    TYPE_NUMBERS,   /* separated by commas */
    TYPE_SPAN,      /* two numbers, the smaller one first */
    TYPE_LETTERS,   /* one or more of `words`, each at most once */
    TYPE_LOSS,      /* a name, perhaps with parameters */
    TYPE_LOSSES,    /* separated by commas */
    TYPE_SIZE,      /* of memory: 500M, 2G, 1.5GiB */
    TYPE_COUNT
};

struct option {
    const char *name;        /* without the dashes */
    char letter;             /* of the short form, or 0 */
    const char *placeholder; /* of its value, in help */
    enum option_type type;
    double least, most;   /* of each number; infinite for no bound. Infinity itself is refused */
    const char *words;    /* TYPE_LETTERS, TYPE_WORD, TYPE_NUMBER_OR: the legal ones; words are separated by spaces.
                           * TYPE_FILE: those that are no files */
    const char *wanted;   /* TYPE_TEXT: "a column by name or number" */
    const char *standard; /* the default value, parsed like any other; or NULL */
    bool is_result;       /* TYPE_FILE: the command writes it; it reads all other files */
    bool stops;           /* parsing ends after this option, as for --help */
    unsigned commands;    /* a bit for each command that has it */
    const char *help;     /* a phrase without a full stop */
};

/* Indexed by option_id. */
extern const struct option option_table[OPT_COUNT];

bool option_belongs(const struct option *option, const struct command *command);
/* The option of the command with this name of `length` characters, or this letter; or NULL. */
const struct option *option_find(const struct command *command, const char *name, size_t length);
const struct option *option_find_letter(const struct command *command, char letter);

/* What a shell may offer as its value. */
enum completion option_completion(const struct option *option);
/* The range of its numbers as text: ">= 0", "from 0 to 1"; "" if there is none. Returns `words`. */
enum { RANGE_LENGTH = 64, WANTED_LENGTH = 160 };
const char *option_range(const struct option *option, char words[RANGE_LENGTH]);
/* What to give: "a number >= 0"; "numbers >= 0, separated by commas". Returns `words`. */
const char *option_wanted(const struct option *option, char words[WANTED_LENGTH]);

/* ---- Values: every failure has been reported --------------------------------------------------- */

enum { LIST_LIMIT = 64 }; /* of one list; a figure with more curves is illegible */

struct number_list {
    double value[LIST_LIMIT];
    size_t count;
};

struct loss_list {
    temper_loss_spec value[LIST_LIMIT];
    size_t count;
    bool took_t1, took_t2; /* some loss came without temperatures and took the default */
};

/* Finite, in the range of the option, and nothing else in the text. Decimal points in every locale. *number is
 * untouched on failure. */
temper_status read_number(const struct option *option, const char *text, double *number);
temper_status read_numbers(const struct option *option, const char *text, struct number_list *numbers);
temper_status read_span(const struct option *option, const char *text, double *from, double *to);
/* The temperatures that a method fixes, in a spec of it; NAN: free. */
temper_loss_spec fixed_temperatures(temper_method method);
/* "sce:0.1:1:-4"; *given: parameters follow the name. Temperatures that are not given stay as they are. */
temper_status read_loss_text(const struct option *option, const char *text, temper_loss_spec *loss, bool *given);
/* "tempered:0.6:1.6,hinge"; t1 and t2 are for losses without parameters. See loss_list.c. */
temper_status read_losses(const struct option *option, const char *text, double t1, double t2,
                          struct loss_list *losses);

/* "1.5G", "1.5GiB": K, M, G and T are powers of 1024, optionally followed by B or iB; a number alone is bytes. At
 * least 1. */
temper_status read_size(const struct option *option, const char *text, double *bytes);

/* Whether the text is a legal value of the option. */
temper_status check_value(const struct option *option, const char *text);

/* Copies the next word of a list and moves *list behind the separator; *list is NULL after the last. A word that does
 * not fit ends in "...", which makes it neither a number nor a name. */
enum { WORD_LENGTH = 128 };
void next_word(const char **list, char separator, char word[WORD_LENGTH]);
/* Whether the word is one of a list. */
bool is_listed(const char *list, char separator, const char *word);

/* ---- Parsing --------------------------------------------------------------------------------- */

enum { OPERAND_LIMIT = 8 };

struct arguments {
    const struct command *command;
    const char *given[OPT_COUNT]; /* the values as typed, or NULL; the last one wins */
    const char *operand[OPERAND_LIMIT];
    size_t operand_count;
};

/* Options and operands in any order; "--" ends the options; "-" is an operand. Each value is checked by its type.
 * Errors have been reported. */
temper_status parse_words(const struct command *command, char **words, struct arguments *arguments);

/* Whether the option was given. */
bool was_given(const struct arguments *arguments, enum option_id id);
/* Its value, or else its default. */
const char *text_of(const struct arguments *arguments, enum option_id id);
double number_of(const struct arguments *arguments, enum option_id id);
size_t size_of(const struct arguments *arguments, enum option_id id);

/* Parses the words, up to a NULL, and runs the command. Everything has been reported on return. */
temper_status command_line_run(char **words);

#endif
