/* parse: a small parser that follows the tables. */
#include "parse.h"

#include <string.h>

#include "message.h"
#include "nearest.h"
#include "value.h"

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
