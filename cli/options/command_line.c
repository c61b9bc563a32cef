/* command_line: the tables of commands and options, made from the X-macro lists in command_list.h and option_list.h,
 * and the parser that uses them. Parsing, help, man pages and shell completion all read these tables, so that an option
 * is described once. */
#include "options/command_line.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "documents/documents.h"
#include "message.h"
#include "options/file_roles.h"
#include "output_paths.h"
#include "process_group.h"

/* ---- Commands -------------------------------------------------------------------------------- */

/* A list of examples with its terminating row, for use within a row of the table. */
#define EXAMPLES(...) ((const struct command_example[]){__VA_ARGS__, {NULL, NULL}})

const struct command command_table[CMD_COUNT] = {
#define COMMAND(id, ...) [CMD_##id] = {__VA_ARGS__},
#include "options/command_list.h"
#undef COMMAND
};

/* The search starts after the row of the program itself, which is not a command. */
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

/* "temper train", or "temper" for the program itself; man pages have "-" between the words. */
void command_full_name(FILE *out, const struct command *command, const char *between)
{
    fputs(command_table[CMD_PROGRAM].name, out);
    if (command_id(command) != CMD_PROGRAM)
        fprintf(out, "%s%s", between, command->name);
}

/* Reports an unknown command with the nearest name; hidden commands are not suggested. */
temper_status fail_unknown_command(const char *name)
{
    struct suggestion suggestion = {.typed = name};
    for (size_t i = CMD_PROGRAM + 1; i < CMD_COUNT; i++)
        if (!command_table[i].hidden)
            suggestion_offer(&suggestion, command_table[i].name);
    if (!suggestion.name)
        return fail(TEMPER_USAGE, "unknown command '%s'; see 'temper --help'", name);
    return fail(TEMPER_USAGE, "unknown command '%s'; did you mean %s?", name, suggestion.name);
}

/* ---- Options --------------------------------------------------------------------------------- */

/* Sets of commands, as bits of option.commands. */
#define IN(command) (1u << CMD_##command)
#define EVERYWHERE  (~0u)
#define APPLYING    (IN(PREDICT) | IN(EVAL) | IN(EXPLAIN)) /* apply a model to data */
#define FITTING     (IN(TRAIN) | IN(PLOT))                 /* fit one model to data */
#define SOLVING     (FITTING | IN(TUNE) | IN(AUDIT))       /* fit one model or many */
#define LABELLED    (IN(INFO) | IN(CONVERT) | IN(NOISE) | IN(EVAL) | SOLVING)
#define READING     (LABELLED | IN(PREDICT) | IN(EXPLAIN)) /* read data at all */
#define BOUNDED                                            /* of those, the commands that keep to a memory limit */    \
    (IN(TRAIN) | IN(TUNE) | IN(AUDIT) | IN(PREDICT) | IN(EVAL) | IN(CONVERT) | IN(INFO))

/* "tempered logistic ...": one literal made from the list; [1] skips its leading space. */
#define METHOD_WORD(name, word, t1, t2, text) " " word
#define METHOD_WORDS                          (&TEMPER_METHOD_LIST(METHOD_WORD)[1])
#define FORMAT_WORDS                          "libsvm csv tsv jsonl npy idx cifar tmpr"

_Static_assert(CMD_COUNT <= 32, "option.commands has a bit for each command");

const struct option option_table[OPT_COUNT] = {
#define OPTION(id, ...) [OPT_##id] = {__VA_ARGS__},
#include "options/option_list.h"
#undef OPTION
};

/* What help and messages say about the values of each type, and how shells complete them; `checkers` below validates.
 * */
static const struct {
    enum completion completion;
    const char *wanted; /* text before the range, and after it */
    const char *after;
} types[TYPE_COUNT] = {
    [TYPE_FLAG] = {COMPLETE_NOTHING, "nothing", ""},
    [TYPE_FILE] = {COMPLETE_FILE, "the name of a file", ""},
    [TYPE_TEXT] = {COMPLETE_NOTHING, "", ""},
    [TYPE_WORD] = {COMPLETE_WORDS, "one of", ""},
    [TYPE_NUMBER] = {COMPLETE_NOTHING, "a number", ""},
    [TYPE_WHOLE] = {COMPLETE_NOTHING, "a whole number", ""},
    [TYPE_NUMBER_OR] = {COMPLETE_WORDS, "a number", ", or "},
    [TYPE_NUMBERS] = {COMPLETE_NOTHING, "numbers", ", separated by commas"},
    [TYPE_SPAN] = {COMPLETE_NOTHING, "two numbers", ", the smaller one first, separated by a comma"},
    [TYPE_LETTERS] = {COMPLETE_WORDS, "some of the letters", ", each at most once"},
    [TYPE_LOSS] = {COMPLETE_WORDS, "a loss", ""},
    [TYPE_LOSSES] = {COMPLETE_LOSSES, "losses", ", separated by commas"},
    [TYPE_SIZE] = {COMPLETE_NOTHING, "a size like 500M, 2G or 1.5GiB", ""},
};

/* One bit for each command. */
bool option_belongs(const struct option *option, const struct command *command)
{
    return option->commands >> command_id(command) & 1u;
}

/* The option of this name (of `length` bytes, not terminated) that the command has. A name may have several rows with
 * different defaults or ranges, of which a command has at most one; check_tables in cmd_documents.c asserts that. */
const struct option *option_find(const struct command *command, const char *name, size_t length)
{
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const struct option *option = &option_table[i];
        /* Names are short and tables small: a linear search is fast enough. */
        if (option_belongs(option, command) && strlen(option->name) == length &&
            memcmp(option->name, name, length) == 0)
            return option;
    }
    return NULL;
}

/* The option of a letter such as -o; NULL if the command has none. */
const struct option *option_find_letter(const struct command *command, char letter)
{
    for (size_t i = 0; i < OPT_COUNT; i++)
        if (option_table[i].letter == letter && option_belongs(&option_table[i], command))
            return &option_table[i];
    return NULL;
}

/* What a shell offers for the value. */
enum completion option_completion(const struct option *option)
{
    return types[option->type].completion;
}

/* The range in words, ">= 0" or "from 0 to 1"; "" without one. Only numeric types have a range; in rows of other types
 * the bounds are 0 and mean nothing. */
const char *option_range(const struct option *option, char words[RANGE_LENGTH])
{
    bool numeric = option->type == TYPE_NUMBER || option->type == TYPE_NUMBERS || option->type == TYPE_SPAN ||
                   option->type == TYPE_WHOLE || option->type == TYPE_NUMBER_OR;
    /* An infinite bound is no bound, and is not mentioned. */
    bool below = isfinite(option->least), above = isfinite(option->most);
    words[0] = '\0';
    if (numeric && below && above)
        snprintf(words, RANGE_LENGTH, "from %.16g to %.16g", option->least, option->most);
    else if (numeric && below)
        snprintf(words, RANGE_LENGTH, ">= %g", option->least);
    else if (numeric && above)
        snprintf(words, RANGE_LENGTH, "<= %g", option->most);
    return words;
}

/* What the option accepts, as the end of a message: "a number >= 0, or auto". */
const char *option_wanted(const struct option *option, char words[WANTED_LENGTH])
{
    char range[RANGE_LENGTH];
    const char *more = option_range(option, range);
    /* Types with a list of words show the list where others show a range. */
    if (option->type == TYPE_LETTERS || option->type == TYPE_WORD)
        more = option->words;
    if (option->type == TYPE_TEXT)
        snprintf(words, WANTED_LENGTH, "%s", option->wanted);
    else
        snprintf(words, WANTED_LENGTH, "%s%s%s%s%s", types[option->type].wanted, *more ? " " : "", more,
                 types[option->type].after, option->type == TYPE_NUMBER_OR ? option->words : "");
    return words;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Reports a wrong value together with what would be accepted: "--t1: 'abc' is not a number; give a number >= 0". */
static temper_status refuse(const struct option *option, const char *text, const char *fault)
{
    char wanted[WANTED_LENGTH];
    fail(TEMPER_USAGE, "--%s: '%s' %s; give %s", option->name, text, fault, option_wanted(option, wanted));
    return TEMPER_USAGE;
}

/* A finite number within the range of the option. strtod alone would accept leading blanks, "nan" and "inf", and stop
 * at the first letter. */
temper_status read_number(const struct option *option, const char *text, double *number)
{
    char *end;
    double value = strtod(text, &end);
    /* The whole text must be the number. */
    if (end == text || *end || isspace((unsigned char)*text) || isnan(value))
        return refuse(option, text, "is not a number");
    if (isinf(value))
        return refuse(option, text, "is not finite");
    if (value < option->least || value > option->most)
        return refuse(option, text, "is out of range");
    *number = value + 0.0; /* -0 becomes 0 */
    return TEMPER_OK;
}

/* Copies the next word of a list and advances *list, which becomes NULL after the last one. Words that are too long end
 * in "...", so that they match no name and are recognisable in messages. */
void next_word(const char **list, char separator, char word[WORD_LENGTH])
{
    const char *end = strchr(*list, separator);
    size_t length = end ? (size_t)(end - *list) : strlen(*list);
    if (length < WORD_LENGTH)
        snprintf(word, WORD_LENGTH, "%.*s", (int)length, *list);
    else
        snprintf(word, WORD_LENGTH, "%.*s...", WORD_LENGTH - 4, *list);
    *list = end ? end + 1 : NULL;
}

/* Whether a word is one of a separated list; the list may be NULL. */
bool is_listed(const char *list, char separator, const char *word)
{
    char listed[WORD_LENGTH];
    while (list) {
        next_word(&list, separator, listed);
        if (strcmp(listed, word) == 0)
            return true;
    }
    return false;
}

/* A list with commas, each number within the range of the option. An empty word between two commas is refused, as it is
 * no number. */
temper_status read_numbers(const struct option *option, const char *text, struct number_list *numbers)
{
    char word[WORD_LENGTH];
    numbers->count = 0;
    for (const char *rest = text; rest; numbers->count++) {
        if (numbers->count == LIST_LIMIT)
            return fail(TEMPER_USAGE, "--%s: the list is too long; give at most %d", option->name, LIST_LIMIT);
        next_word(&rest, ',', word);
        TRY(read_number(option, word, &numbers->value[numbers->count]));
    }
    return TEMPER_OK;
}

/* "FROM,TO" with FROM < TO, both within the range of the option. */
temper_status read_span(const struct option *option, const char *text, double *from, double *to)
{
    struct number_list numbers;
    TRY(read_numbers(option, text, &numbers));
    if (numbers.count != 2)
        return refuse(option, text, "is not two numbers");
    if (numbers.value[0] >= numbers.value[1])
        return refuse(option, text, "does not begin with the smaller number");
    *from = numbers.value[0];
    *to = numbers.value[1];
    return TEMPER_OK;
}

/* Bytes of the unit that follows the number of a size; 0 if it is unknown. k, kB and KiB all mean 1024: a memory limit
 * needs no finer distinction. */
static double size_unit(const char *text)
{
    static const char letters[] = "kmgt";
    /* strchr would find the terminating zero for an empty text. */
    const char *letter = *text ? strchr(letters, tolower((unsigned char)*text)) : NULL;
    if (!*text || strcmp(text, "B") == 0)
        return 1;
    if (!letter || (text[1] && strcmp(text + 1, "B") != 0 && strcmp(text + 1, "iB") != 0))
        return 0;
    return ldexp(1, 10 * (int)(letter - letters + 1));
}

/* A size in bytes, at least 1, rounded down. Signs and hexadecimal numbers, which strtod would accept, are refused. */
temper_status read_size(const struct option *option, const char *text, double *bytes)
{
    char *end;
    /* The unit follows the number without a blank. */
    double value = strtod(text, &end), unit = size_unit(end);
    bool digits = isdigit((unsigned char)*text) || *text == '.';
    if (end == text || !digits || unit == 0 || text[1] == 'x' || text[1] == 'X')
        return refuse(option, text, "is not a size");
    value *= unit;
    /* Also false for NaN. */
    if (!(value >= 1) || value > 0x1p63)
        return refuse(option, text, "is out of range");
    *bytes = floor(value);
    return TEMPER_OK;
}

/* ---- Checks by type -------------------------------------------------------------------------- */

/* Texts and file names: not empty. Whether a file can be read or written is found out when it is opened. */
static temper_status check_text(const struct option *option, const char *text)
{
    return *text ? TEMPER_OK : refuse(option, text, "is empty");
}

/* One of the words of the option. */
static temper_status check_word(const struct option *option, const char *text)
{
    return is_listed(option->words, ' ', text) ? TEMPER_OK : refuse(option, text, "is unknown");
}

/* Doubles represent whole numbers up to 2^53 exactly, and no option has a larger range. */
static temper_status check_whole(const struct option *option, const char *text)
{
    double number;
    TRY(read_number(option, text, &number));
    return number == floor(number) ? TEMPER_OK : refuse(option, text, "is not a whole number");
}

/* The checks below discard the value: commands convert the text when they need it. */
static temper_status check_number(const struct option *option, const char *text)
{
    double number;
    return read_number(option, text, &number);
}

/* A number, or a word such as "auto". */
static temper_status check_number_or(const struct option *option, const char *text)
{
    return is_listed(option->words, ' ', text) ? TEMPER_OK : check_number(option, text);
}

/* A list of numbers. */
static temper_status check_numbers(const struct option *option, const char *text)
{
    struct number_list numbers;
    return read_numbers(option, text, &numbers);
}

/* Two numbers, the smaller one first. */
static temper_status check_span(const struct option *option, const char *text)
{
    double from, to;
    return read_span(option, text, &from, &to);
}

/* A subset of the letters, in any order, without repetition. */
static temper_status check_letters(const struct option *option, const char *text)
{
    if (!*text)
        return refuse(option, text, "has no letter");
    for (const char *letter = text; *letter; letter++) {
        if (!strchr(option->words, *letter))
            return refuse(option, text, "has an unknown letter");
        if (strchr(letter + 1, *letter))
            return refuse(option, text, "has a letter twice");
    }
    return TEMPER_OK;
}

/* A loss, perhaps with parameters. */
static temper_status check_loss(const struct option *option, const char *text)
{
    temper_loss_spec loss = {0};
    bool given;
    return read_loss_text(option, text, &loss, &given);
}

/* The default temperatures do not matter for the syntax. */
static temper_status check_losses(const struct option *option, const char *text)
{
    struct loss_list losses;
    return read_losses(option, text, 1, 1, &losses);
}

/* A size with a unit. */
static temper_status check_size(const struct option *option, const char *text)
{
    double bytes;
    return read_size(option, text, &bytes);
}

/* Validates a value by the type of its option. Flags have no value and are never passed. */
temper_status check_value(const struct option *option, const char *text)
{
    static temper_status (*const checkers[TYPE_COUNT])(const struct option *, const char *) = {
        [TYPE_NUMBER_OR] = check_number_or, [TYPE_FILE] = check_text,     [TYPE_NUMBER] = check_number,
        [TYPE_NUMBERS] = check_numbers,     [TYPE_SPAN] = check_span,     [TYPE_LETTERS] = check_letters,
        [TYPE_LOSS] = check_loss,           [TYPE_LOSSES] = check_losses, [TYPE_TEXT] = check_text,
        [TYPE_WORD] = check_word,           [TYPE_WHOLE] = check_whole,   [TYPE_SIZE] = check_size,
    };
    return checkers[option->type](option, text);
}

/* ---- Parsing --------------------------------------------------------------------------------- */

/* State of the parser between two words. */
struct word_parser {
    char **next; /* the words that follow, up to a NULL */
    struct arguments *arguments;
    bool only_operands; /* after "--" */
    bool stopped;       /* after an option such as --help */
};

/* "unknown option --x; see 'temper plot --help'" */
static temper_status fail_see_help(const struct command *command, const char *fault, const char *what)
{
    bool program = command_id(command) == CMD_PROGRAM;
    return fail(TEMPER_USAGE, "%s%s; see 'temper%s%s --help'", fault, what, program ? "" : " ",
                program ? "" : command->name);
}

/* The option that has the meaning which a name has in other programs; NULL if there is none. */
static const char *synonym_of(const char *name)
{
    static const char *const synonyms[][2] = {
        {"drop", "ignore"},  {"exclude", "ignore"}, {"target", "label"},      {"delimiter", "sep"}, {"nan", "na"},
        {"na-values", "na"}, {"skiprows", "skip"},  {"charset", "encoding"},  {"out", "output"},    {"lambda", "l2"},
        {"learner", "loss"}, {"jobs", "threads"},   {"random-state", "seed"}, {"cv", "folds"}};
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (strcmp(name, synonyms[i][0]) == 0)
            return synonyms[i][1];
    return NULL;
}

/* The first command that has such an option; the demonstration, which has those of others, only if no other has it. */
static const struct command *command_with(const char *name, size_t length)
{
    const struct command *found = NULL;
    for (size_t i = CMD_PROGRAM + 1; i < CMD_COUNT; i++)
        if ((!found || found == &command_table[CMD_DEMO]) && option_find(&command_table[i], name, length))
            found = &command_table[i];
    return found;
}

/* Names a command that has such an option; otherwise the nearest option of this command. */
static temper_status unknown_option(const struct command *command, const char *name, size_t length)
{
    char word[WORD_LENGTH];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    /* Options of other commands first: the user knows the name, and has the wrong command. */
    struct suggestion suggestion = {.typed = word};
    const struct command *other = command_with(name, length);
    if (other)
        return fail(TEMPER_USAGE, "--%s is not an option of this command; it is one of 'temper %s'", word, other->name);
    for (size_t i = 0; i < OPT_COUNT; i++)
        if (option_belongs(&option_table[i], command))
            suggestion_offer(&suggestion, option_table[i].name);
    const char *synonym = synonym_of(word);
    if (synonym && option_find(command, synonym, strlen(synonym)))
        suggestion.name = synonym;
    if (!suggestion.name)
        return fail_see_help(command, "unknown option --", word);
    return fail(TEMPER_USAGE, "unknown option --%s; did you mean --%s?", word, suggestion.name);
}

/* `name` with `dashes`, as it was typed: --output, or -o. */
static temper_status missing_value(const struct option *option, const char *dashes, const char *name)
{
    char wanted[WANTED_LENGTH];
    return fail(TEMPER_USAGE, "%s%s needs a value; give %s", dashes, name, option_wanted(option, wanted));
}

/* Any word is taken as the value, even if it begins with a dash: --margins -4,4. */
static temper_status take_value(struct word_parser *parser, const struct option *option, const char *value)
{
    parser->arguments->given[option - option_table] = value;
    return check_value(option, value);
}

/* A flag has no value; that its pointer is not NULL means that it was given. */
static void take_flag(struct word_parser *parser, const struct option *option)
{
    parser->arguments->given[option - option_table] = "";
    parser->stopped = option->stops;
}

/* --name, --name value, --name=value; `word` begins after the dashes. */
static temper_status parse_long(struct word_parser *parser, const char *word)
{
    /* The name ends at "=", which separates a value in the same word. */
    size_t length = strcspn(word, "=");
    const char *value = word[length] ? word + length + 1 : NULL;
    const struct command *command = parser->arguments->command;
    const struct option *option = option_find(command, word, length);
    if (!option)
        return unknown_option(command, word, length);
    if (option->type == TYPE_FLAG && value)
        return fail(TEMPER_USAGE, "--%s takes no value; drop '=%s'", option->name, value);
    if (option->type == TYPE_FLAG) {
        take_flag(parser, option);
        return TEMPER_OK;
    }
    if (!value && !*parser->next)
        return missing_value(option, "--", option->name);
    return take_value(parser, option, value ? value : *parser->next++);
}

/* -o FILE, -oFILE, and several flags in one word; `word` begins after the dash. */
static temper_status parse_letters(struct word_parser *parser, const char *word)
{
    const struct command *command = parser->arguments->command;
    for (; *word && !parser->stopped; word++) {
        const char letter[] = {*word, '\0'};
        const struct option *option = option_find_letter(command, *word);
        if (!option)
            return fail_see_help(command, "unknown option -", letter);
        if (option->type == TYPE_FLAG) {
            take_flag(parser, option);
            continue;
        }
        /* The value is the rest of the word, or the next word. */
        if (!word[1] && !*parser->next)
            return missing_value(option, "-", letter);
        return take_value(parser, option, word[1] ? word + 1 : *parser->next++);
    }
    return TEMPER_OK;
}

/* The first operand may have to be one of a list; files are checked when they are opened. */
static temper_status parse_operand(struct arguments *arguments, const char *word)
{
    const struct command *command = arguments->command;
    if (arguments->operand_count == command->most)
        return fail_see_help(command, "too many arguments: ", word);
    /* Such commands have subcommands, like `plot losses`. */
    if (command->operand_words && arguments->operand_count == 0 && !is_listed(command->operand_words, ' ', word))
        return fail(TEMPER_USAGE, "%s: '%s' is unknown; give one of: %s", command->name, word, command->operand_words);
    arguments->operand[arguments->operand_count++] = word;
    return TEMPER_OK;
}

/* The kind of a word follows from its dashes, until "--" ends the options. */
static temper_status parse_word(struct word_parser *parser, const char *word)
{
    /* "-" alone is an operand: the standard input. */
    if (parser->only_operands || word[0] != '-' || !word[1])
        return parse_operand(parser->arguments, word);
    if (word[1] != '-')
        return parse_letters(parser, word + 1);
    if (word[2])
        return parse_long(parser, word + 2);
    parser->only_operands = true;
    return TEMPER_OK;
}

/* Parses the words after the command. Values are checked as they are read, so the first mistake on the line is
 * reported. --help ends the parsing: what follows it may be incomplete. */
temper_status parse_words(const struct command *command, char **words, struct arguments *arguments)
{
    struct word_parser parser = {.next = words, .arguments = arguments};
    *arguments = (struct arguments){.command = command};
    /* Options and operands may be mixed. */
    while (*parser.next && !parser.stopped)
        TRY(parse_word(&parser, *parser.next++));
    /* `temper train --help` needs no operands. */
    if (!parser.stopped && arguments->operand_count < command->fewest)
        return fail(TEMPER_USAGE, "%s: an argument is missing; give: temper %s %s", command->name, command->name,
                    command->operands);
    return TEMPER_OK;
}

/* Defaults do not count. */
bool was_given(const struct arguments *arguments, enum option_id id)
{
    return arguments->given[id] != NULL;
}

/* The value as text, or the default, which may be NULL. */
const char *text_of(const struct arguments *arguments, enum option_id id)
{
    return was_given(arguments, id) ? arguments->given[id] : option_table[id].standard;
}

/* Cannot fail: the parser has checked what was given, and check_tables checks the defaults. */
double number_of(const struct arguments *arguments, enum option_id id)
{
    double number = 0;
    read_number(&option_table[id], text_of(arguments, id), &number);
    return number;
}

/* For counts; the option's range excludes negative numbers. */
size_t size_of(const struct arguments *arguments, enum option_id id)
{
    return (size_t)number_of(arguments, id);
}

/* ---- Running --------------------------------------------------------------------------------- */

/* `temper` without a command: the help page on the standard error, since it is a usage error. */
static temper_status no_command(void)
{
    struct output_buffer buffer;
    TRY(output_open(&buffer));
    help_page(buffer.stream, &command_table[CMD_PROGRAM]);
    TRY(output_print_stderr(&buffer));
    return fail(TEMPER_USAGE, "no command; give one of those above");
}

/* Finds the command, parses its words and runs it. Options before the command are those of the program: --help and
 * --version. "-" and "--" are taken as the name of a command, which is unknown. */
temper_status command_line_run(char **words)
{
    struct arguments arguments;
    const struct command *command = &command_table[CMD_PROGRAM];
    bool is_option = *words && **words == '-' && (*words)[1] && strcmp(*words, "--") != 0;
    if (*words && !is_option) {
        command = command_find(*words);
        if (!command)
            return fail_unknown_command(*words);
        words++;
    }
    TRY(parse_words(command, words, &arguments));
    if (was_given(&arguments, OPT_HELP))
        return help_print(command);
    if (was_given(&arguments, OPT_VERSION))
        return cmd_version(&arguments);
    /* Only the program itself has no function. */
    if (!command->run)
        return no_command();
    /* Commands that cannot work on distributed rows are refused under MPI before they read anything. */
    TRY(process_group_check(command->name, arguments.operand_count ? arguments.operand[0] : NULL));
    TRY(check_file_roles(&arguments));
    return command->run(&arguments);
}
