/* loss_list: parses lists of losses with parameters, such as "tempered:0.6:1.6,hinge,gce:0.3". A loss without
 * parameters gets the temperatures of the options --t1 and --t2. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "options/command_line.h"

/* The parameters that a loss takes, in the order in which they are written. */
struct loss_parameters {
    double *value[2];    /* where to store them, in a temper_loss_spec */
    const char *name[2]; /* for messages */
    size_t count;
};

/* Temperatures that a loss fixes; NAN: free. */
static const struct {
    double t1, t2;
} fixed[] = {
#define FIXED_ROW(name, word, t1, t2, text) {t1, t2},
    TEMPER_METHOD_LIST(FIXED_ROW)
#undef FIXED_ROW
};

/* The hinge loss has no temperatures; other losses take those that they do not fix. */
static bool takes_t1(temper_method method)
{
    return method != TEMPER_HINGE && isnan(fixed[method].t1);
}

/* The same for t2: NAN in the list of methods marks a free parameter. */
static bool takes_t2(temper_method method)
{
    return method != TEMPER_HINGE && isnan(fixed[method].t2);
}

/* At most two: no loss has more. */
static void parameter_add(struct loss_parameters *parameters, const char *name, double *value)
{
    parameters->name[parameters->count] = name;
    parameters->value[parameters->count++] = value;
}

/* The parameters of the loss's method; the pointers are into `loss`. */
static struct loss_parameters parameters_of(temper_loss_spec *loss)
{
    struct loss_parameters parameters = {.count = 0};
    if (loss->method == TEMPER_HINGE)
        parameter_add(&parameters, "WIDTH", &loss->smoothing);
    if (takes_t1(loss->method))
        parameter_add(&parameters, "T1", &loss->t1);
    if (takes_t2(loss->method))
        parameter_add(&parameters, "T2", &loss->t2);
    return parameters;
}

/* Reports an unknown loss: suggests the nearest name, or else names all losses, since there are few. */
static temper_status unknown_loss(const struct option *option, const char *name)
{
    /* One literal made from the list; the leading separator is skipped. */
#define METHOD_NAME(id, word, t1, t2, text) ", " word
    static const char all[] = TEMPER_METHOD_LIST(METHOD_NAME);
#undef METHOD_NAME
    struct suggestion suggestion = {.typed = name};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
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
    bool two = parameters->count == 2;
    return fail(TEMPER_USAGE, "--%s: '%s' has the wrong number of parameters; give %s or %s:%s%s%s", option->name, text,
                name, name, parameters->name[0], two ? ":" : "", two ? parameters->name[1] : "");
}

/* Reads the parameters from `rest`, the text after the name of the loss. All must be given, or none. */
static temper_status read_parameters(const struct option *option, const char *text, const char *rest,
                                     temper_loss_spec *loss)
{
    struct loss_parameters parameters = parameters_of(loss);
    char word[WORD_LENGTH], name[2 * WORD_LENGTH];
    const struct option number = {.name = name, .type = TYPE_NUMBER, .least = 0, .most = INFINITY};
    snprintf(name, sizeof name, "%s: %s", option->name, text); /* for messages */
    size_t count = 0;
    for (; rest && count < parameters.count; count++) {
        next_word(&rest, ':', word);
        TRY(read_number(&number, word, parameters.value[count]));
    }
    if (rest || count < parameters.count)
        return wrong_count(option, text, loss->method, &parameters);
    return TEMPER_OK;
}

/* Reads "NAME" or "NAME:PARAMETERS"; `loss` has the default temperatures on entry. Notes in `losses` whether these
 * defaults were used, so that the caller can refuse a --t1 that has no effect. */
static temper_status read_one_loss(const struct option *option, const char *text, struct loss_list *losses,
                                   temper_loss_spec *loss)
{
    char name[WORD_LENGTH];
    const char *rest = text;
    next_word(&rest, ':', name);
    if (!temper_method_find(name, &loss->method))
        return unknown_loss(option, name);
    if (rest)
        return read_parameters(option, text, rest, loss);
    losses->took_t1 |= takes_t1(loss->method);
    losses->took_t2 |= takes_t2(loss->method);
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
        /* Smoothing 0: the exact hinge, unless a width is given. */
        temper_loss_spec loss = {.t1 = t1, .t2 = t2, .smoothing = 0};
        next_word(&rest, ',', word);
        TRY(read_one_loss(option, word, losses, &loss));
        losses->value[losses->count++] = loss;
    }
    return TEMPER_OK;
}
