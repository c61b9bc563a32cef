/* py_errors: statuses as exceptions, in the words of Python. */
#include <ctype.h>
#include <string.h>

#include "core.h"

static PyObject *exception_of(temper_status status)
{
    switch (status) {
    case TEMPER_NO_INPUT:
        return PyExc_FileNotFoundError;
    case TEMPER_NO_MEMORY:
        return PyExc_MemoryError;
    case TEMPER_IO:
        return PyExc_OSError;
    case TEMPER_INTERRUPTED:
        return PyExc_KeyboardInterrupt;
    case TEMPER_OK:
    case TEMPER_BUG:
        return PyExc_RuntimeError;
    case TEMPER_USAGE:
    case TEMPER_BAD_DATA:
        break;
    }
    return PyExc_ValueError;
}

/* Whether the word after a flag is its value, and not the next word of the sentence. */
static bool is_value(const char *word, size_t length)
{
    static const char *const values[] = {"standard", "none",     "log", "maxabs", "minmax",
                                         "auto",     "balanced", "f64", "f32"};
    if (length > 0 && isdigit((unsigned char)word[0]))
        return true;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strlen(values[i]) == length && memcmp(values[i], word, length) == 0)
            return true;
    return false;
}

/* A flag that begins at `from`: writes its name in Python. Returns the end of the flag. */
static const char *put_flag(const char *from, char *out, size_t room, size_t *used)
{
    size_t name = strspn(from, "abcdefghijklmnopqrstuvwxyz0123456789-");
    const char *word = from + name + 1;
    size_t length = from[name] == ' ' || from[name] == '=' ? strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789.-") : 0;
    while (length > 0 && word[length - 1] == '.')
        length--;
    for (size_t i = 0; i < name && *used + 1 < room; i++)
        out[(*used)++] = from[i] == '-' ? '_' : from[i];
    if (!is_value(word, length) || *used + length + 4 > room)
        return from + name;
    const char *quote = isdigit((unsigned char)*word) ? "" : "\"";
    *used += (size_t)PyOS_snprintf(out + *used, room - *used, "=%s%.*s%s", quote, (int)length, word, quote);
    return word + length;
}

PyObject *python_words(const char *message)
{
    char out[4096];
    size_t used = 0;
    while (*message && used + 1 < sizeof out) {
        bool flag = message[0] == '-' && message[1] == '-' && islower((unsigned char)message[2]);
        if (flag)
            message = put_flag(message + 2, out, sizeof out, &used);
        else
            out[used++] = *message++;
    }
    return PyUnicode_DecodeUTF8(out, (Py_ssize_t)used, "replace");
}

PyObject *python_warnings(const temper_warnings *warnings)
{
    char lines[sizeof warnings->list];
    size_t used = 0;
    for (size_t i = 0; i < warnings->count; i++) {
        size_t length = strlen(warnings->list[i].text);
        memcpy(lines + used, warnings->list[i].text, length);
        used += length;
        lines[used++] = '\n';
    }
    lines[used] = '\0';
    return python_words(lines);
}

PyObject *raise_error(temper_status status, const temper_error *error)
{
    PyObject *words = python_words(error->message);
    if (words)
        PyErr_SetObject(exception_of(status), words);
    Py_XDECREF(words);
    return NULL;
}

/* Which losses there are or, of a known method, how it is written. */
static void raise_no_loss(const char *text, const temper_method *method)
{
    static const char losses[] =
#define LOSS_WORD(name, word, t1, t2, text) ", " word
        TEMPER_METHOD_LIST(LOSS_WORD);
#undef LOSS_WORD
    if (!method)
        PyErr_Format(PyExc_ValueError, "there is no loss '%s'; losses are %s", text, losses + strlen(", "));
    else if (!temper_method_parameter(*method, 0))
        PyErr_Format(PyExc_ValueError, "loss '%s' has parameters after its name, where %s has none; give t1 and t2",
                     text, temper_method_name(*method));
    else
        PyErr_Format(PyExc_ValueError, "loss '%s' has too few or too many parameters, or one out of range", text);
}

bool take_loss(const char *text, temper_loss_spec *loss)
{
    char name[32] = "";
    size_t length = strcspn(text, ":");
    temper_method method;
    if (length < sizeof name)
        memcpy(name, text, length);
    bool known = temper_method_find(name, &method);
    /* Temperatures after the name would contradict the arguments t1 and t2. */
    bool allowed = known && (!text[length] || temper_method_parameter(method, 0));
    if (allowed && temper_loss_parse(text, loss))
        return true;
    raise_no_loss(text, known ? &method : NULL);
    return false;
}
