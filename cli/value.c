/* value: numbers, lists, and the check of a value by the type of its option. */
#include "value.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

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
