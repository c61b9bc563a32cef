/* losses: reads "tempered:0.6:1.6,hinge,gce:0.3". */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "options/options.h"
#include "options/suggest.h"

/* What a loss may bring, in this order. */
struct parameters {
    double *value[2];
    const char *name[2];
    size_t count;
};

static const struct {
    double t1, t2; /* NAN: free */
} methods[] = {
#define METHOD_ROW(name, word, t1, t2, text) {t1, t2},
    TEMPER_METHOD_LIST(METHOD_ROW)
#undef METHOD_ROW
};

/* ", tempered, logistic": one literal, made from the list, with a separator too many in front. */
static const char method_names[] =
#define METHOD_NAME(name, word, t1, t2, text) ", " word
    TEMPER_METHOD_LIST(METHOD_NAME);
#undef METHOD_NAME

/* The hinge loss has no temperatures; the others leave free what they do not fix. */
static bool takes_t1(temper_method method)
{
    return method != TEMPER_HINGE && isnan(methods[method].t1);
}

static bool takes_t2(temper_method method)
{
    return method != TEMPER_HINGE && isnan(methods[method].t2);
}

static void parameter_add(struct parameters *parameters, const char *name, double *value)
{
    parameters->name[parameters->count] = name;
    parameters->value[parameters->count++] = value;
}

/* What the method leaves free, in the order in which it is written. */
static struct parameters parameters_of(temper_loss_spec *loss)
{
    struct parameters parameters = {.count = 0};
    if (loss->method == TEMPER_HINGE)
        parameter_add(&parameters, "WIDTH", &loss->smoothing);
    if (takes_t1(loss->method))
        parameter_add(&parameters, "T1", &loss->t1);
    if (takes_t2(loss->method))
        parameter_add(&parameters, "T2", &loss->t2);
    return parameters;
}

/* The nearest name, or all of them: there are few. */
static temper_status unknown_loss(const struct option *option, const char *name)
{
    struct nearest nearest = {.wanted = name};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        nearest_offer(&nearest, temper_method_name((temper_method)i));
    if (nearest.name)
        return complain(TEMPER_USAGE, "--%s: no loss is called '%s'; did you mean %s?", option->name, name,
                        nearest.name);
    return complain(TEMPER_USAGE, "--%s: no loss is called '%s'; there are %s", option->name, name,
                    method_names + strlen(", "));
}

/* "give tempered or tempered:T1:T2" */
static temper_status wrong_count(const struct option *option, const char *text, temper_method method,
                                 const struct parameters *parameters)
{
    const char *name = temper_method_name(method);
    if (parameters->count == 0)
        return complain(TEMPER_USAGE, "--%s: '%s' has a parameter; %s takes none", option->name, text, name);
    bool two = parameters->count == 2;
    return complain(TEMPER_USAGE, "--%s: '%s' has the wrong number of parameters; give %s or %s:%s%s%s", option->name,
                    text, name, name, parameters->name[0], two ? ":" : "", two ? parameters->name[1] : "");
}

/* All parameters are there, or none. */
static temper_status read_parameters(const struct option *option, const char *text, const char *rest,
                                     temper_loss_spec *loss)
{
    struct parameters parameters = parameters_of(loss);
    char word[WORD_LENGTH], name[2 * WORD_LENGTH];
    const struct option number = {.name = name, .type = TYPE_NUMBER, .least = 0, .most = INFINITY};
    snprintf(name, sizeof name, "%s: %s", option->name, text); /* for messages */
    size_t count = 0;
    for (; rest && count < parameters.count; count++) {
        next_word(&rest, ':', word);
        temper_status status = read_number(&number, word, parameters.value[count]);
        if (status != TEMPER_OK)
            return status;
    }
    if (rest || count < parameters.count)
        return wrong_count(option, text, loss->method, &parameters);
    return TEMPER_OK;
}

/* `loss` holds the defaults. */
static temper_status read_loss(const struct option *option, const char *text, struct losses *losses,
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

temper_status read_losses(const struct option *option, const char *text, double t1, double t2, struct losses *losses)
{
    char word[WORD_LENGTH];
    *losses = (struct losses){.count = 0};
    for (const char *rest = text; rest;) {
        if (losses->count == LIST_LIMIT)
            return complain(TEMPER_USAGE, "--%s: the list is too long; give at most %d", option->name, LIST_LIMIT);
        temper_loss_spec loss = {.t1 = t1, .t2 = t2, .smoothing = 0};
        next_word(&rest, ',', word);
        temper_status status = read_loss(option, word, losses, &loss);
        if (status != TEMPER_OK)
            return status;
        losses->value[losses->count++] = loss;
    }
    return TEMPER_OK;
}
