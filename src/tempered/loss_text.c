/* loss_text: losses as text, such as "sce:0.1:1:-4" or "gce:0.3", for the command line, grids and Python. */
#include <string.h>

#include "base/number.h"
#include "tempered/loss_family.h"

/* The longest name of a method is far shorter. */
enum { NAME_MOST = 32 };

/* The text before the next colon of [*from, to); *from moves behind the colon, or to NULL at the end. */
static const char *next_colon(const char **from, const char *to)
{
    const char *end = memchr(*from, ':', (size_t)(to - *from));
    *from = end ? end + 1 : NULL;
    return end ? end : to;
}

/* One number within a range. */
static bool read_within(const char *from, const char *to, double least, double most, double *out)
{
    double value;
    if (number_f64(from, to, &value) != NUMBER_OK || !(value >= least && value <= most))
        return false;
    *out = value;
    return true;
}

/* The k-th number behind the name: a parameter of the method, or else a free temperature. False: there is none, or
 * the number is out of its range. */
static bool read_number(const char *from, const char *to, size_t k, bool own, temper_loss_spec *loss)
{
    const temper_loss_parameter *parameter = method_parameter(loss->method, k);
    if (parameter)
        return read_within(from, to, parameter->least, parameter->most, loss_parameter(loss, parameter));
    /* A method has either parameters of its own or free temperatures. */
    if (own || method_parameter(loss->method, 0))
        return false;
    bool first = method_has_free_temperature(loss->method, 0), second = method_has_free_temperature(loss->method, 1);
    if (k >= (size_t)first + (size_t)second)
        return false;
    return read_within(from, to, 0, 1e300, k == 0 && first ? &loss->t1 : &loss->t2);
}

/* How many numbers may follow the name. */
static size_t number_count(temper_method method)
{
    size_t count = 0;
    while (method_parameter(method, count))
        count++;
    if (count == 0)
        count = (size_t)method_has_free_temperature(method, 0) + (size_t)method_has_free_temperature(method, 1);
    return count;
}

/* NAME or NAME:NUMBER:..., with all numbers of the method or none. `own`: temperatures are not taken from the text,
 * since other options have them. Parameters that the text does not give get their standard values; *loss is unchanged
 * on failure. */
bool loss_parse(const char *text, size_t length, bool own, temper_loss_spec *loss)
{
    const char *from = text, *to = text + length, *end = next_colon(&from, to);
    temper_loss_spec made = *loss;
    char name[NAME_MOST];
    size_t count = 0;
    if ((size_t)(end - text) >= sizeof name)
        return false;
    memcpy(name, text, (size_t)(end - text));
    name[end - text] = '\0';
    if (!method_find(name, &made.method))
        return false;
    loss_set_standard(&made);
    for (; from; count++) {
        const char *number = from;
        end = next_colon(&from, to);
        if (!read_number(number, end, count, own, &made))
            return false;
    }
    /* All numbers or none: a list that is too short is a mistake. */
    if (count > 0 && count < number_count(made.method))
        return false;
    *loss = made;
    return true;
}

/* The inverse of loss_parse for the parameters: the name alone where all of them are standard. Temperatures are not
 * part of the text: callers that need them keep them beside it. */
void loss_format(temper_loss_spec loss, char text[TEMPER_LOSS_TEXT])
{
    const temper_loss_parameter *parameter;
    bool standard = true;
    for (size_t k = 0; (parameter = method_parameter(loss.method, k)); k++)
        standard = standard && *loss_parameter(&loss, parameter) == parameter->standard;
    const char *name = method_name(loss.method);
    size_t at = strlen(name);
    memcpy(text, name, at + 1);
    for (size_t k = 0; !standard && (parameter = method_parameter(loss.method, k)); k++) {
        /* A name and three numbers of NUMBER_LENGTH fit. */
        text[at++] = ':';
        at += number_write_f64(*loss_parameter(&loss, parameter), text + at);
    }
}
