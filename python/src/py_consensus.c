/* py_consensus: the consensus of several annotators, without the GIL; items and annotators as bytes of arrays. */
#include <stddef.h>
#include <string.h>

#include "core.h"

/* What the caller gives. */
struct consensus_request {
    PyObject *item, *annotator, *label, *data, *probabilities, *on_progress, *signals;
    temper_vote_arrays arrays;
    temper_consensus_options options;
    Py_buffer held[4];
    size_t holds;
};

static bool read_arguments(PyObject *args, PyObject *keywords, struct consensus_request *r)
{
    static char *names[] = {"item",       "annotator", "label",   "follow", "signals",       "items",
                            "annotators", "classes",   "method",  "data",   "probabilities", "folds",
                            "rounds",     "seed",      "threads", NULL};
    Py_ssize_t items, annotators, classes, folds, rounds, threads;
    r->options = temper_consensus_defaults();
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOOOO$nnnzOOnnKn", names, &r->item, &r->annotator, &r->label,
                                     &r->on_progress, &r->signals, &items, &annotators, &classes, &r->options.method,
                                     &r->data, &r->probabilities, &folds, &rounds, &r->options.seed, &threads))
        return false;
    r->arrays.items = (size_t)items;
    r->arrays.annotators = (size_t)annotators;
    r->arrays.classes = (size_t)classes;
    r->options.folds = (size_t)folds;
    r->options.rounds = (size_t)rounds;
    r->options.threads = (size_t)threads;
    return true;
}

static void release(struct consensus_request *r)
{
    while (r->holds > 0)
        PyBuffer_Release(&r->held[--r->holds]);
}

/* Holds a buffer until the call ends. */
static const void *hold(struct consensus_request *r, PyObject *object, char letter, size_t count)
{
    Py_buffer *buffer = &r->held[r->holds];
    if (!take_exactly(object, letter, false, count, buffer))
        return NULL;
    r->holds++;
    return buffer->buf;
}

static bool take_arrays(const struct core *core, struct consensus_request *r)
{
    Py_ssize_t count = PyObject_Length(r->item);
    if (count < 0)
        return false;
    r->arrays.count = (size_t)count;
    r->arrays.item = hold(r, r->item, 'I', r->arrays.count);
    r->arrays.annotator = r->arrays.item ? hold(r, r->annotator, 'I', r->arrays.count) : NULL;
    r->arrays.label = r->arrays.annotator ? hold(r, r->label, 'I', r->arrays.count) : NULL;
    if (!r->arrays.label)
        return false;
    if (r->probabilities != Py_None) {
        r->options.probabilities = hold(r, r->probabilities, 'd', r->arrays.items * r->arrays.classes);
        if (!r->options.probabilities)
            return false;
    }
    if (r->data == Py_None)
        return true;
    if (!PyObject_TypeCheck(r->data, core->data)) {
        PyErr_Format(PyExc_TypeError, "rows were expected, as _temper.data makes them");
        return false;
    }
    r->options.data = ((struct data_object *)r->data)->data;
    return true;
}

/* ---- The report ------------------------------------------------------------------------------ */

/* A field of an array of structs. */
struct consensus_column {
    const char *name;
    size_t offset, bytes;
};

#define FIELD(type, field) {#field, offsetof(type, field), sizeof(((type *)0)->field)}
static const struct consensus_column item_columns[] = {
    FIELD(temper_item_consensus, label),
    FIELD(temper_item_consensus, votes),
    FIELD(temper_item_consensus, probability),
    FIELD(temper_item_consensus, agreement),
    FIELD(temper_item_consensus, entropy),
    FIELD(temper_item_consensus, gain),
    {NULL, 0, 0},
};
static const struct consensus_column annotator_columns[] = {
    FIELD(temper_annotator_summary, labels),
    FIELD(temper_annotator_summary, accuracy),
    FIELD(temper_annotator_summary, low),
    FIELD(temper_annotator_summary, high),
    FIELD(temper_annotator_summary, chance),
    FIELD(temper_annotator_summary, agreement),
    FIELD(temper_annotator_summary, confused),
    FIELD(temper_annotator_summary, confused_with),
    FIELD(temper_annotator_summary, confused_labels),
    FIELD(temper_annotator_summary, flags),
    {NULL, 0, 0},
};
#undef FIELD

/* A dict of columns, from `count` structs of `size` bytes. */
static PyObject *columns_of(const void *structs, size_t count, size_t size, const struct consensus_column *columns)
{
    PyObject *dict = PyDict_New();
    for (; dict && columns->name; columns++) {
        PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * columns->bytes));
        char *to = bytes ? PyBytes_AsString(bytes) : NULL;
        for (size_t i = 0; to && i < count; i++)
            memcpy(to + i * columns->bytes, (const char *)structs + i * size + columns->offset, columns->bytes);
        if (!dict_put(dict, columns->name, bytes))
            Py_CLEAR(dict);
    }
    return dict;
}

/* None for NULL. */
static PyObject *doubles_of(const double *values, size_t count)
{
    if (!values)
        return Py_NewRef(Py_None);
    return PyBytes_FromStringAndSize((const char *)values, (Py_ssize_t)(count * sizeof *values));
}

static PyObject *report_of(const temper_consensus_report *r)
{
    PyObject *dict = PyDict_New();
    bool made =
        dict && dict_put(dict, "item", columns_of(r->item, r->items, sizeof *r->item, item_columns)) &&
        dict_put(dict, "annotator", columns_of(r->annotator, r->annotators, sizeof *r->annotator, annotator_columns)) &&
        dict_put(dict, "posterior", doubles_of(r->posterior, r->items * r->classes)) &&
        dict_put(dict, "confusion", doubles_of(r->confusion, r->annotators * r->classes * r->classes)) &&
        dict_put(dict, "shares", doubles_of(r->shares, r->classes)) &&
        dict_put(dict, "again",
                 PyBytes_FromStringAndSize((const char *)r->again, (Py_ssize_t)(r->items * sizeof *r->again))) &&
        dict_put(dict, "suggested_again", PyLong_FromSize_t(r->suggested_again)) &&
        dict_put(dict, "wrong", PyFloat_FromDouble(r->wrong)) &&
        dict_put(dict, "strength", PyFloat_FromDouble(r->strength)) &&
        dict_put(dict, "likelihood", PyFloat_FromDouble(r->likelihood)) &&
        dict_put(dict, "iterations", PyLong_FromSize_t(r->iterations)) &&
        dict_put(dict, "sharpness", PyFloat_FromDouble(r->sharpness)) &&
        dict_put(dict, "model_agreement", PyFloat_FromDouble(r->model_agreement)) &&
        dict_put(dict, "rounds", PyLong_FromSize_t(r->rounds)) && dict_put(dict, "notes", python_words(r->notes));
    if (!made)
        Py_CLEAR(dict);
    return dict;
}

/* ---- The call -------------------------------------------------------------------------------- */

/* Both steps without the GIL. */
static temper_status compute(const struct consensus_request *r, temper_consensus_report *report, temper_error *error)
{
    temper_votes *votes;
    PyThreadState *state = PyEval_SaveThread();
    temper_status status = temper_votes_from_arrays(&r->arrays, &votes, error);
    if (status == TEMPER_OK) {
        status = temper_consensus(votes, &r->options, report, error);
        temper_votes_free(votes);
    }
    PyEval_RestoreThread(state);
    return status;
}

/* A dict, or None if the callable has ended it. An exception raised during the call takes precedence. */
PyObject *find_consensus(PyObject *module, PyObject *args, PyObject *keywords)
{
    struct consensus_request r = {0};
    struct tuning_watch watch;
    temper_consensus_report report;
    temper_error error;
    PyObject *result = NULL;
    if (!read_arguments(args, keywords, &r) || !take_arrays(core_of(module), &r) ||
        !watch_begin(&watch, r.on_progress, r.signals)) {
        release(&r);
        return NULL;
    }
    r.options.on_progress = watch_tuning;
    r.options.progress_context = &watch;
    temper_status status = compute(&r, &report, &error);
    if (watch.exception)
        PyErr_SetObject((PyObject *)Py_TYPE(watch.exception), watch.exception);
    else if (status == TEMPER_OK)
        result = report_of(&report);
    else if (status == TEMPER_INTERRUPTED)
        result = Py_NewRef(Py_None);
    else
        raise_error(status, &error);
    if (status == TEMPER_OK)
        temper_consensus_report_free(&report);
    Py_XDECREF(watch.exception);
    release(&r);
    return result;
}
