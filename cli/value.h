/* value: texts become numbers and lists. Every failure has been complained about. */
#ifndef CLI_VALUE_H
#define CLI_VALUE_H

#include <stddef.h>

#include "option.h"
#include "temper.h"

enum { LIST_LIMIT = 64 }; /* of one list; a figure with more curves shows nothing */

struct numbers {
    double value[LIST_LIMIT];
    size_t count;
};

struct losses {
    temper_loss_spec value[LIST_LIMIT];
    size_t count;
    bool took_t1, took_t2; /* some loss came without and took the default */
};

/* Finite, in the range of the option, and nothing else in the text. Decimal points, whatever the
 * locale is. *number is untouched on failure. */
temper_status read_number(const struct option *option, const char *text, double *number);
temper_status read_numbers(const struct option *option, const char *text, struct numbers *numbers);
temper_status read_span(const struct option *option, const char *text, double *from, double *to);
/* "tempered:0.6:1.6,hinge"; t1 and t2 are for those that come without. */
temper_status read_losses(const struct option *option, const char *text, double t1, double t2, struct losses *losses);

/* "1.5G", "1.5GiB": K, M, G and T are powers of 1024, with or without B or iB behind them; a number
 * alone is bytes. At least 1. */
temper_status read_size(const struct option *option, const char *text, double *bytes);

/* Whether the text is a legal value of the option. */
temper_status check_value(const struct option *option, const char *text);

/* The next word of a list and on to behind the mark; *list is NULL after the last. A word that does
 * not fit ends in "...", which makes it no number and no name. */
enum { WORD_LENGTH = 128 };
void next_word(const char **list, char mark, char word[WORD_LENGTH]);

#endif
