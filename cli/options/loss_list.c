/* loss_list: parses losses with parameters, such as "sce:0.1:1:-4", and lists of them, "tempered:0.6:1.6,hinge". A loss
 * without parameters gets the temperatures of the options --t1 and --t2.
 *
 * The parameters of a method are those of the library's list, or else its free temperatures; all are given, or none.
 * Errors name what is accepted: the nearest name for an unknown loss, both forms for a wrong number of parameters, the
 * range for a value. */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "options/command_line.h"
#include "temper_extra.h"

enum { PARAMETERS_MOST = 4 };

/* The parameters that a loss takes, in the order in which they are written. */
struct loss_parameters {
    double *value[PARAMETERS_MOST]; /* where to store them, in a temper_loss_spec */
    double least[PARAMETERS_MOST], most[PARAMETERS_MOST];
    const char *name[PARAMETERS_MOST]; /* for messages */
    size_t count;
};

temper_loss_spec fixed_temperatures(temper_method method)
{
    return temper_loss_resolve((temper_loss_spec){.method = method, .t1 = NAN, .t2 = NAN});
}

/* The hinge loss has no temperatures; other losses take those that they do not fix. */
static bool takes_t1(temper_method method)
{
    return method != TEMPER_HINGE && isnan(fixed_temperatures(method).t1);
}

/* The same for t2: NAN in the list of methods marks a free parameter. */
static bool takes_t2(temper_method method)
{
    return method != TEMPER_HINGE && isnan(fixed_temperatures(method).t2);
}

/* The range includes its ends. */
static void parameter_add(struct loss_parameters *parameters, const temper_loss_parameter *parameter, double *value)
{
    size_t i = parameters->count++;
    parameters->name[i] = parameter->name;
    parameters->least[i] = parameter->least;
    parameters->most[i] = parameter->most;
    parameters->value[i] = value;
}

/* The parameters of the loss's method: its own, or free temperatures; the pointers are into `loss`. */
static struct loss_parameters parameters_of(temper_loss_spec *loss)
{
    static const temper_loss_parameter t1 = {.name = "t1", .most = DBL_MAX}, t2 = {.name = "t2", .most = DBL_MAX};
    struct loss_parameters parameters = {.count = 0};
    const temper_loss_parameter *own;
    for (size_t k = 0; (own = temper_method_parameter(loss->method, k)) && k < PARAMETERS_MOST; k++)
        parameter_add(&parameters, own, temper_loss_parameter_field(loss, own));
    if (takes_t1(loss->method))
        parameter_add(&parameters, &t1, &loss->t1);
    if (takes_t2(loss->method))
        parameter_add(&parameters, &t2, &loss->t2);
    return parameters;
}

/* Writes a name in capitals; returns its end. */
static char *append_capitals(char *to, const char *name)
{
    for (; *name; name++)
        *to++ = (char)toupper((unsigned char)*name);
    return to;
}

/* "T1:T2", in capitals as in help texts. */
static void print_parameters(const struct loss_parameters *parameters, char words[WORD_LENGTH])
{
    char *at = words;
    for (size_t i = 0; i < parameters->count; i++) {
        if (i)
            *at++ = ':';
        at = append_capitals(at, parameters->name[i]);
    }
    *at = '\0';
}

/* Reports an unknown loss: suggests the nearest name, or else names all losses, since there are few. */
static temper_status unknown_loss(const struct option *option, const char *name)
{
    /* One literal made from the list; the leading separator is skipped. */
#define METHOD_NAME(id, word, t1, t2, text) ", " word
    static const char all[] = TEMPER_METHOD_LIST(METHOD_NAME);
#undef METHOD_NAME
    struct suggestion suggestion = {.typed = name};
    for (size_t i = 0; i < TEMPER_METHODS; i++)
        suggestion_offer(&suggestion, temper_method_name((temper_method)i));
    if (suggestion.name)
        return fail(TEMPER_USAGE, "--%s: unknown loss '%s'; did you mean %s?", option->name, name, suggestion.name);
    return fail(TEMPER_USAGE, "--%s: unknown loss '%s'; give one of %s", option->name, name, all + strlen(", "));
}

/* Reports a wrong number of parameters with the two accepted forms: "give tempered or tempered:T1:T2". */
static temper_status wrong_count(const struct option *option, const char *text, temper_method method,
                                 const struct loss_parameters *parameters)
{
    const char *name = temper_method_name(method);
    if (parameters->count == 0)
        return fail(TEMPER_USAGE, "--%s: '%s' has a parameter; %s takes none", option->name, text, name);
    char words[WORD_LENGTH];
    print_parameters(parameters, words);
    return fail(TEMPER_USAGE, "--%s: '%s' has the wrong number of parameters; give %s or %s:%s", option->name, text,
                name, name, words);
}

/* Reads the parameters from `rest`, the text after the name of the loss. All must be given, or none. */
static temper_status read_parameters(const struct option *option, const char *text, const char *rest,
                                     temper_loss_spec *loss)
{
    struct loss_parameters parameters = parameters_of(loss);
    char word[WORD_LENGTH], name[2 * WORD_LENGTH];
    snprintf(name, sizeof name, "%s: %s", option->name, text); /* for messages */
    size_t count = 0;
    for (; rest && count < parameters.count; count++) {
        const struct option number = {.name = name,
                                      .type = TYPE_NUMBER,
                                      .least = parameters.least[count] > -DBL_MAX ? parameters.least[count] : -INFINITY,
                                      .most = parameters.most[count] < DBL_MAX ? parameters.most[count] : INFINITY};
        next_word(&rest, ':', word);
        TRY(read_number(&number, word, parameters.value[count]));
    }
    if (rest || count < parameters.count)
        return wrong_count(option, text, loss->method, &parameters);
    return TEMPER_OK;
}

/* Reads "NAME" or "NAME:PARAMETERS"; `loss` has the default temperatures on entry, and keeps them without parameters:
 * *given is false then. */
temper_status read_loss_text(const struct option *option, const char *text, temper_loss_spec *loss, bool *given)
{
    char name[WORD_LENGTH];
    const char *rest = text;
    next_word(&rest, ':', name);
    *given = rest != NULL;
    if (!temper_loss_parse(name, loss)) /* parameters that only this method has get their standard values */
        return unknown_loss(option, name);
    return rest ? read_parameters(option, text, rest, loss) : TEMPER_OK;
}

/* One loss of a list. Notes in `losses` whether the default temperatures were used, so that the caller can refuse a
 * --t1 that has no effect. */
static temper_status read_one_loss(const struct option *option, const char *text, struct loss_list *losses,
                                   temper_loss_spec *loss)
{
    bool given;
    TRY(read_loss_text(option, text, loss, &given));
    losses->took_t1 |= !given && takes_t1(loss->method);
    losses->took_t2 |= !given && takes_t2(loss->method);
    return TEMPER_OK;
}

/* The whole list; t1 and t2 are the defaults for losses without parameters. */
temper_status read_losses(const struct option *option, const char *text, double t1, double t2, struct loss_list *losses)
{
    char word[WORD_LENGTH];
    *losses = (struct loss_list){.count = 0};
    for (const char *rest = text; rest;) {
        if (losses->count == LIST_LIMIT)
            return fail(TEMPER_USAGE, "--%s: the list is too long; give at most %d", option->name, LIST_LIMIT);
        temper_loss_spec loss = {.t1 = t1, .t2 = t2};
        next_word(&rest, ',', word);
        TRY(read_one_loss(option, word, losses, &loss));
        losses->value[losses->count++] = loss;
    }
    return TEMPER_OK;
}
