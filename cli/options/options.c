/* options: the table of options, the parser of the command line, and the values of options. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options/options.h"
#include "options/suggest.h"

/* ---- Parsing --------------------------------------------------------------------------------- */

/* Where the parser is. */
struct parser {
    char **next; /* up to a NULL */
    struct arguments *arguments;
    bool stopped; /* by an option after which nothing matters */
};

/* "unknown option --x; see 'temper plot --help'" */
static temper_status complain_see_help(const struct command *command, const char *fault, const char *what)
{
    bool program = command_id(command) == CMD_PROGRAM;
    return complain(TEMPER_USAGE, "%s%s; see 'temper%s%s --help'", fault, what, program ? "" : " ",
                    program ? "" : command->name);
}

/* ---- Options --------------------------------------------------------------------------------- */

/* The first command that has an option of this name, or NULL. */
static const struct command *option_owner(const char *name, size_t length)
{
    for (size_t i = CMD_PROGRAM + 1; i < CMD_COUNT; i++)
        if (option_find(&command_table[i], name, length))
            return &command_table[i];
    return NULL;
}

static temper_status unknown_option(const struct command *command, const char *name, size_t length)
{
    char word[WORD_LENGTH];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    struct nearest nearest = {.wanted = word};
    const struct command *owner = option_owner(name, length);
    if (owner)
        return complain(TEMPER_USAGE, "--%s is no option here; it belongs behind 'temper %s'", word, owner->name);
    for (size_t i = 0; i < OPT_COUNT; i++)
        if (option_belongs(&option_table[i], command))
            nearest_offer(&nearest, option_table[i].name);
    if (!nearest.name)
        return complain_see_help(command, "unknown option --", word);
    return complain(TEMPER_USAGE, "unknown option --%s; did you mean --%s?", word, nearest.name);
}

/* `name` as it was typed: --output, or -o. */
static temper_status missing_value(const struct option *option, const char *dashes, const char *name)
{
    char wanted[WANTED_LENGTH];
    return complain(TEMPER_USAGE, "%s%s needs a value; give %s", dashes, name, option_wanted(option, wanted));
}

/* Whatever it is, even if it begins with a dash: --margins -4,4. */
static temper_status take_value(struct parser *parser, const struct option *option, const char *value)
{
    parser->arguments->given[option_id(option)] = value;
    return check_value(option, value);
}

/* Flags have no value; a pointer that is not NULL says that they were given. */
static void take_flag(struct parser *parser, const struct option *option)
{
    parser->arguments->given[option_id(option)] = "";
    parser->stopped = option->stops;
}

/* --name, --name value, --name=value; `word` begins behind the dashes. */
static temper_status parse_long(struct parser *parser, const char *word)
{
    size_t length = strcspn(word, "=");
    const char *value = word[length] ? word + length + 1 : NULL;
    const struct command *command = parser->arguments->command;
    const struct option *option = option_find(command, word, length);
    if (!option)
        return unknown_option(command, word, length);
    if (option->type == TYPE_FLAG && value)
        return complain(TEMPER_USAGE, "--%s takes no value; drop '=%s'", option->name, value);
    if (option->type == TYPE_FLAG) {
        take_flag(parser, option);
        return TEMPER_OK;
    }
    if (!value && !*parser->next)
        return missing_value(option, "--", option->name);
    return take_value(parser, option, value ? value : *parser->next++);
}

/* -o FILE, -oFILE, and flags in one word; `word` begins behind the dash. */
static temper_status parse_letters(struct parser *parser, const char *word)
{
    const struct command *command = parser->arguments->command;
    for (; *word && !parser->stopped; word++) {
        const char letter[] = {*word, '\0'};
        const struct option *option = option_find_letter(command, *word);
        if (!option)
            return complain_see_help(command, "unknown option -", letter);
        if (option->type == TYPE_FLAG) {
            take_flag(parser, option);
            continue;
        }
        if (!word[1] && !*parser->next)
            return missing_value(option, "-", letter);
        return take_value(parser, option, word[1] ? word + 1 : *parser->next++);
    }
    return TEMPER_OK;
}

/* ---- Operands -------------------------------------------------------------------------------- */

/* Whether the word is among those of the list, with spaces between them. */
static bool is_listed(const char *list, const char *word)
{
    char listed[WORD_LENGTH];
    while (list) {
        next_word(&list, ' ', listed);
        if (strcmp(listed, word) == 0)
            return true;
    }
    return false;
}

/* The first may have to be from a list; files are looked at by who opens them. */
static temper_status parse_operand(struct parser *parser, const char *word)
{
    struct arguments *arguments = parser->arguments;
    const struct command *command = arguments->command;
    if (arguments->operand_count == command->most)
        return complain_see_help(command, "one argument too many: ", word);
    if (command->operand_words && arguments->operand_count == 0 && !is_listed(command->operand_words, word))
        return complain(TEMPER_USAGE, "%s: there is no '%s' to %s; there is: %s", command->name, word, command->name,
                        command->operand_words);
    arguments->operand[arguments->operand_count++] = word;
    return TEMPER_OK;
}

/* Those that are too many were seen one by one. */
static temper_status check_operands(const struct arguments *arguments)
{
    const struct command *command = arguments->command;
    if (arguments->operand_count >= command->fewest)
        return TEMPER_OK;
    return complain(TEMPER_USAGE, "%s: an argument is missing; give: temper %s %s", command->name, command->name,
                    command->operands);
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* What kind of word it is depends on its dashes, until a "--" says that no more options come. */
static temper_status parse_word(struct parser *parser, const char *word, bool *only_operands)
{
    if (*only_operands || word[0] != '-' || !word[1])
        return parse_operand(parser, word);
    if (word[1] != '-')
        return parse_letters(parser, word + 1);
    if (word[2])
        return parse_long(parser, word + 2);
    *only_operands = true;
    return TEMPER_OK;
}

temper_status parse_words(const struct command *command, char **words, struct arguments *arguments)
{
    struct parser parser = {.next = words, .arguments = arguments};
    bool only_operands = false;
    *arguments = (struct arguments){.command = command};
    while (*parser.next) {
        temper_status status = parse_word(&parser, *parser.next++, &only_operands);
        if (status != TEMPER_OK || parser.stopped)
            return status;
    }
    return check_operands(arguments);
}

/* ---- What was found -------------------------------------------------------------------------- */

bool was_given(const struct arguments *arguments, enum option_id id)
{
    return arguments->given[id] != NULL;
}

const char *text_of(const struct arguments *arguments, enum option_id id)
{
    return was_given(arguments, id) ? arguments->given[id] : option_table[id].standard;
}

/* The parser has checked what was given, and a test what is the default. */
double number_of(const struct arguments *arguments, enum option_id id)
{
    double number = 0;
    read_number(&option_table[id], text_of(arguments, id), &number);
    return number;
}

/* ---- The table of options -------------------------------------------------------------------- */

#define IN(command) (1u << CMD_##command)
#define EVERYWHERE  (~0u)
#define APPLYING    (IN(PREDICT) | IN(EVAL))                                  /* a model to data */
#define FITTING     (IN(TRAIN) | IN(PLOT))                                    /* a model to data */
#define SOLVING     (FITTING | IN(TUNE) | IN(AUDIT))                          /* one or many */
#define LABELLED    (IN(INFO) | IN(CONVERT) | IN(NOISE) | IN(EVAL) | SOLVING) /* may need labels */
#define READING     (LABELLED | IN(PREDICT))                                  /* commands that read data */
#define BOUNDED     /* those of them that keep to a limit of memory */                                                 \
    (IN(TRAIN) | IN(TUNE) | IN(AUDIT) | IN(PREDICT) | IN(EVAL) | IN(CONVERT) | IN(INFO))

/* "tempered logistic ...": one literal, made from the list, with a space too many in front. */
#define METHOD_WORD(name, word, t1, t2, text) " " word
#define METHOD_WORDS                          (&TEMPER_METHOD_LIST(METHOD_WORD)[1])

_Static_assert(CMD_COUNT <= 32, "option.commands has a bit for each command");

const struct option option_table[OPT_COUNT] = {
#define OPTION(id, ...) [OPT_##id] = {__VA_ARGS__},
#include "options/option_list.h"
#undef OPTION
};

/* What goes with a type, apart from the check in value.c. */
static const struct {
    enum hint hint;
    const char *wanted; /* in front of the range, and behind it */
    const char *after;
} types[TYPE_COUNT] = {
    [TYPE_FLAG] = {HINT_NONE, "nothing", ""},
    [TYPE_FILE] = {HINT_FILE, "the name of a file", ""},
    [TYPE_TEXT] = {HINT_NONE, "", ""},
    [TYPE_WORD] = {HINT_WORDS, "one of", ""},
    [TYPE_NUMBER] = {HINT_NONE, "a number", ""},
    [TYPE_WHOLE] = {HINT_NONE, "a whole number", ""},
    [TYPE_NUMBER_OR] = {HINT_WORDS, "a number", ", or "},
    [TYPE_NUMBERS] = {HINT_NONE, "numbers", ", with commas between them"},
    [TYPE_SPAN] = {HINT_NONE, "two numbers", ", the smaller one first, with a comma between them"},
    [TYPE_LETTERS] = {HINT_WORDS, "some of the letters", ", each at most once"},
    [TYPE_LOSSES] = {HINT_LOSSES, "losses", ", with commas between them"},
    [TYPE_SIZE] = {HINT_NONE, "a size like 500M, 2G or 1.5GiB", ""},
};

bool option_belongs(const struct option *option, const struct command *command)
{
    return option->commands >> command_id(command) & 1u;
}

/* A name may have several rows, of which a command has at most one; see check_tables. */
const struct option *option_find(const struct command *command, const char *name, size_t length)
{
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const struct option *option = &option_table[i];
        if (option_belongs(option, command) && strlen(option->name) == length &&
            memcmp(option->name, name, length) == 0)
            return option;
    }
    return NULL;
}

const struct option *option_find_letter(const struct command *command, char letter)
{
    for (size_t i = 0; i < OPT_COUNT; i++)
        if (option_table[i].letter == letter && option_belongs(&option_table[i], command))
            return &option_table[i];
    return NULL;
}

enum option_id option_id(const struct option *option)
{
    return (enum option_id)(option - option_table);
}

enum hint option_hint(const struct option *option)
{
    return types[option->type].hint;
}

/* Others have no range, whatever their row says. */
static bool has_numbers(const struct option *option)
{
    return option->type == TYPE_NUMBER || option->type == TYPE_NUMBERS || option->type == TYPE_SPAN ||
           option->type == TYPE_WHOLE || option->type == TYPE_NUMBER_OR;
}

const char *option_range(const struct option *option, char words[RANGE_LENGTH])
{
    bool below = isfinite(option->least), above = isfinite(option->most);
    words[0] = '\0';
    if (!has_numbers(option) || (!below && !above))
        return words;
    if (below && above)
        snprintf(words, RANGE_LENGTH, "from %.16g to %.16g", option->least, option->most);
    else if (below)
        snprintf(words, RANGE_LENGTH, ">= %g", option->least);
    else
        snprintf(words, RANGE_LENGTH, "<= %g", option->most);
    return words;
}

const char *option_wanted(const struct option *option, char words[WANTED_LENGTH])
{
    char range[RANGE_LENGTH];
    const char *more = option_range(option, range);
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

/* "--t1: 'abc' is not a number; give a number >= 0" */
static temper_status refuse(const struct option *option, const char *text, const char *fault)
{
    char wanted[WANTED_LENGTH];
    complain(TEMPER_USAGE, "--%s: '%s' %s; give %s", option->name, text, fault, option_wanted(option, wanted));
    return TEMPER_USAGE;
}

/* strtod alone would take blanks in front, "nan" and "inf", and stop at the first letter. */
temper_status read_number(const struct option *option, const char *text, double *number)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || isspace((unsigned char)*text) || isnan(value))
        return refuse(option, text, "is not a number");
    if (isinf(value))
        return refuse(option, text, "is not finite");
    if (value < option->least || value > option->most)
        return refuse(option, text, "is out of range");
    *number = value + 0.0; /* -0 becomes 0 */
    return TEMPER_OK;
}

void next_word(const char **list, char mark, char word[WORD_LENGTH])
{
    const char *end = strchr(*list, mark);
    size_t length = end ? (size_t)(end - *list) : strlen(*list);
    if (length < WORD_LENGTH)
        snprintf(word, WORD_LENGTH, "%.*s", (int)length, *list);
    else
        snprintf(word, WORD_LENGTH, "%.*s...", WORD_LENGTH - 4, *list);
    *list = end ? end + 1 : NULL;
}

/* An empty word between two commas is no number. */
temper_status read_numbers(const struct option *option, const char *text, struct numbers *numbers)
{
    char word[WORD_LENGTH];
    numbers->count = 0;
    for (const char *rest = text; rest;) {
        if (numbers->count == LIST_LIMIT)
            return complain(TEMPER_USAGE, "--%s: the list is too long; give at most %d", option->name, LIST_LIMIT);
        next_word(&rest, ',', word);
        temper_status status = read_number(option, word, &numbers->value[numbers->count]);
        if (status != TEMPER_OK)
            return status;
        numbers->count++;
    }
    return TEMPER_OK;
}

/* The range of the option holds for both ends. */
temper_status read_span(const struct option *option, const char *text, double *from, double *to)
{
    struct numbers numbers;
    temper_status status = read_numbers(option, text, &numbers);
    if (status != TEMPER_OK)
        return status;
    if (numbers.count != 2)
        return refuse(option, text, "is not two numbers");
    if (numbers.value[0] >= numbers.value[1])
        return refuse(option, text, "does not begin with the smaller number");
    *from = numbers.value[0];
    *to = numbers.value[1];
    return TEMPER_OK;
}

/* What stands behind the number of a size; 0 if that is nothing known. */
static double size_unit(const char *text)
{
    static const char letters[] = "kmgt";
    const char *letter = *text ? strchr(letters, tolower((unsigned char)*text)) : NULL;
    if (!*text || strcmp(text, "B") == 0)
        return 1;
    if (!letter || (text[1] && strcmp(text + 1, "B") != 0 && strcmp(text + 1, "iB") != 0))
        return 0;
    return ldexp(1, 10 * (int)(letter - letters + 1));
}

temper_status read_size(const struct option *option, const char *text, double *bytes)
{
    char *end;
    double value = strtod(text, &end), unit = size_unit(end);
    bool digits = isdigit((unsigned char)*text) || *text == '.';
    if (end == text || !digits || unit == 0 || text[1] == 'x' || text[1] == 'X')
        return refuse(option, text, "is not a size");
    value *= unit;
    if (!(value >= 1) || value > 0x1p63)
        return refuse(option, text, "is out of range");
    *bytes = floor(value);
    return TEMPER_OK;
}

/* ---- Checks by type -------------------------------------------------------------------------- */

typedef temper_status checker(const struct option *option, const char *text);

/* Whether it can be written will be seen when it is. */
static temper_status check_file(const struct option *option, const char *text)
{
    return *text ? TEMPER_OK : refuse(option, text, "is no name");
}

static temper_status check_text(const struct option *option, const char *text)
{
    return *text ? TEMPER_OK : refuse(option, text, "says nothing");
}

static bool is_word_of(const struct option *option, const char *text)
{
    char word[WORD_LENGTH];
    for (const char *rest = option->words; rest;) {
        next_word(&rest, ' ', word);
        if (strcmp(word, text) == 0)
            return true;
    }
    return false;
}

static temper_status check_word(const struct option *option, const char *text)
{
    return is_word_of(option, text) ? TEMPER_OK : refuse(option, text, "is unknown");
}

/* Doubles hold whole numbers up to 2^53 exactly, and no option has more. */
static temper_status check_whole(const struct option *option, const char *text)
{
    double number;
    temper_status status = read_number(option, text, &number);
    if (status == TEMPER_OK && number != floor(number))
        return refuse(option, text, "is not a whole number");
    return status;
}

static temper_status check_number(const struct option *option, const char *text)
{
    double number;
    return read_number(option, text, &number);
}

static temper_status check_number_or(const struct option *option, const char *text)
{
    return is_word_of(option, text) ? TEMPER_OK : check_number(option, text);
}

static temper_status check_numbers(const struct option *option, const char *text)
{
    struct numbers numbers;
    return read_numbers(option, text, &numbers);
}

static temper_status check_span(const struct option *option, const char *text)
{
    double from, to;
    return read_span(option, text, &from, &to);
}

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

/* Here it does not matter which temperatures the others would get. */
static temper_status check_losses(const struct option *option, const char *text)
{
    struct losses losses;
    return read_losses(option, text, 1, 1, &losses);
}

static temper_status check_size(const struct option *option, const char *text)
{
    double bytes;
    return read_size(option, text, &bytes);
}

/* A flag has no value to check. */
static checker *const checkers[TYPE_COUNT] = {
    [TYPE_NUMBER_OR] = check_number_or, [TYPE_FILE] = check_file, [TYPE_NUMBER] = check_number,
    [TYPE_NUMBERS] = check_numbers,     [TYPE_SPAN] = check_span, [TYPE_LETTERS] = check_letters,
    [TYPE_LOSSES] = check_losses,       [TYPE_TEXT] = check_text, [TYPE_WORD] = check_word,
    [TYPE_WHOLE] = check_whole,         [TYPE_SIZE] = check_size,
};

temper_status check_value(const struct option *option, const char *text)
{
    return checkers[option->type](option, text);
}
