/* py_tune: tuning without the GIL. */
#include <stddef.h>
#include <string.h>

#include "core.h"

/* What the caller gives; buffers are held during the call. */
struct request {
    PyObject *data, *trusted, *on_progress, *signals;
    PyObject *fold, *rows, *labels; /* arrays, or None */
    Py_buffer held[3];
    size_t holds;
    temper_tune_options options;
};

/* ---- The request ----------------------------------------------------------------------------- */

static bool read_words(PyObject *args, PyObject *keywords, struct request *r)
{
    static char *names[] = {"data",           "trusted",   "follow",    "signals", "grid",         "folds",
                            "fold",           "criterion", "assume",    "ask",     "trusted_rows", "trusted_labels",
                            "scale",          "solver",    "precision", "starts",  "no_intercept", "tolerance",
                            "max_iterations", "seed",      "threads",   "average", "calibrate",    "estimate_noise",
                            "clean",          NULL};
    temper_tune_options *o = &r->options;
    temper_train_options *train = &o->train;
    Py_ssize_t folds, questions, starts, iterations, threads;
    *o = temper_tune_defaults();
    if (!PyArg_ParseTupleAndKeywords(
            args, keywords, "OOOO$znOzznOOzzznpdnKnpzpz", names, &r->data, &r->trusted, &r->on_progress, &r->signals,
            &o->grid, &folds, &r->fold, &o->criterion, &o->assume, &questions, &r->rows, &r->labels, &train->scale,
            &train->solver, &train->precision, &starts, &train->no_intercept, &train->tolerance, &iterations,
            &train->seed, &threads, &o->average, &train->calibrate, &train->estimate_noise, &train->clean))
        return false;
    o->folds = (size_t)folds;
    o->ask = (size_t)questions;
    train->starts = (size_t)starts;
    train->max_iterations = (size_t)iterations;
    train->threads = (size_t)threads;
    return true;
}

/* The numbers of an array, as long as the request lives; `count` of them if that is not 0. NULL
 * with an exception set. */
static const void *hold(struct request *r, PyObject *array, char letter, size_t count)
{
    Py_buffer *buffer = &r->held[r->holds];
    bool held = count ? take_exactly(array, letter, false, count, buffer)
                      : take_buffer(array, letter, false, "trusted rows", buffer);
    if (!held)
        return NULL;
    r->holds++;
    return buffer->buf;
}

static bool read_arrays(const struct core *core, struct request *r)
{
    temper_tune_options *o = &r->options;
    if (!PyObject_TypeCheck(r->data, core->data) ||
        (r->trusted != Py_None && !PyObject_TypeCheck(r->trusted, core->data))) {
        PyErr_SetString(PyExc_TypeError, "rows, and other rows or None, were expected");
        return false;
    }
    if (r->trusted != Py_None)
        o->trusted = ((struct data_object *)r->trusted)->data;
    size_t rows = (size_t)temper_data_rows(((struct data_object *)r->data)->data);
    if (r->fold != Py_None && !(o->fold = hold(r, r->fold, 'I', rows)))
        return false;
    if (r->rows == Py_None)
        return true;
    if (!(o->trusted_rows = hold(r, r->rows, 'Q', 0)))
        return false;
    o->trusted_count = buffer_count(&r->held[r->holds - 1]);
    if (o->trusted_count == 0) {
        PyErr_SetString(PyExc_ValueError, "trusted has no rows; give some, or tune without it");
        return false;
    }
    return (o->trusted_labels = hold(r, r->labels, 'I', o->trusted_count));
}

static void request_end(struct request *r)
{
    while (r->holds > 0)
        PyBuffer_Release(&r->held[--r->holds]);
}

/* ---- The table ------------------------------------------------------------------------------- */

/* Of temper_tune_candidate: numbers for Python, `width` of them a candidate. */
static const struct column {
    const char *name;
    size_t offset, width;
} columns[] = {
    {"t1", offsetof(temper_tune_candidate, loss.t1), 1},
    {"t2", offsetof(temper_tune_candidate, loss.t2), 1},
    {"smoothing", offsetof(temper_tune_candidate, loss.smoothing), 1},
    {"l2", offsetof(temper_tune_candidate, l2), 1},
    {"accuracy", offsetof(temper_tune_candidate, accuracy), 1},
    {"accuracy_error", offsetof(temper_tune_candidate, accuracy_error), 1},
    {"log_loss", offsetof(temper_tune_candidate, log_loss), 1},
    {"bounded_loss", offsetof(temper_tune_candidate, bounded_loss), 1},
    {"trusted", offsetof(temper_tune_candidate, trusted), 1},
    {"half_accuracy", offsetof(temper_tune_candidate, half_accuracy), 1},
    {"agreement", offsetof(temper_tune_candidate, agreement), 1},
    {"balance", offsetof(temper_tune_candidate, balance), 1},
    {"band_error", offsetof(temper_tune_candidate, band_error), TEMPER_CONFIDENCE_BANDS},
    {"top_error", offsetof(temper_tune_candidate, top_error), 1},
    {"top_ratio", offsetof(temper_tune_candidate, top_ratio), 1},
    {"undecided", offsetof(temper_tune_candidate, undecided), 1},
    {"code_length", offsetof(temper_tune_candidate, code_length), 1},
};

/* One column, as bytes of doubles. */
static PyObject *column_of(const temper_tune_report *report, struct column column)
{
    size_t bytes = column.width * sizeof(double);
    PyObject *object = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(report->count * bytes));
    char *to = object ? PyBytes_AsString(object) : NULL;
    for (size_t i = 0; to && i < report->count; i++)
        memcpy(to + i * bytes, (const char *)&report->table[i] + column.offset, bytes);
    return object;
}

static PyObject *losses_of(const temper_tune_report *report)
{
    PyObject *list = PyList_New((Py_ssize_t)report->count);
    for (size_t i = 0; list && i < report->count; i++) {
        char loss[TEMPER_LOSS_TEXT];
        temper_loss_format(report->table[i].loss, loss);
        PyObject *name = PyUnicode_FromString(loss);
        if (!name || PyList_SetItem(list, (Py_ssize_t)i, name) != 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *stages_of(const temper_tune_report *report)
{
    PyObject *list = PyList_New((Py_ssize_t)report->count);
    for (size_t i = 0; list && i < report->count; i++) {
        PyObject *stage = PyLong_FromLong(report->table[i].stage);
        if (!stage || PyList_SetItem(list, (Py_ssize_t)i, stage) != 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *asked_of(const temper_tune_report *report)
{
    PyObject *list = PyList_New((Py_ssize_t)report->ask_count);
    for (size_t i = 0; list && i < report->ask_count; i++) {
        PyObject *row = PyLong_FromUnsignedLongLong(report->ask[i]);
        if (!row || PyList_SetItem(list, (Py_ssize_t)i, row) != 0)
            Py_CLEAR(list);
    }
    return list;
}

/* Without an end there is no choice either: only the table. */
static PyObject *report_of(const temper_tune_report *r, size_t rows)
{
    PyObject *dict = PyDict_New();
    bool made = dict && dict_put(dict, "loss", losses_of(r)) && dict_put(dict, "stage", stages_of(r));
    for (size_t i = 0; made && i < sizeof columns / sizeof *columns; i++)
        made = dict_put(dict, columns[i].name, column_of(r, columns[i]));
    PyObject *whole =
        made ? Py_BuildValue("{s:N,s:O}", "table", dict, "interrupted", r->interrupted ? Py_True : Py_False) : NULL;
    if (!made)
        Py_XDECREF(dict);
    if (!whole || r->interrupted)
        return whole;
    made =
        dict_put(whole, "best", PyLong_FromSize_t(r->best)) && dict_put(whole, "folds", PyLong_FromSize_t(r->folds)) &&
        dict_put(whole, "fold",
                 PyBytes_FromStringAndSize((const char *)r->fold, (Py_ssize_t)(rows * sizeof *r->fold))) &&
        dict_put(whole, "decided_by", PyUnicode_FromString(r->decided_by)) &&
        dict_put(whole, "reason", python_words(r->reason)) && dict_put(whole, "gain", PyFloat_FromDouble(r->gain)) &&
        dict_put(whole, "gain_error", PyFloat_FromDouble(r->gain_error)) && dict_put(whole, "ask", asked_of(r)) &&
        dict_put(whole, "expected",
                 Py_BuildValue("dddd", r->expected_accuracy, r->expected_error, r->expected_low, r->expected_high)) &&
        dict_put(whole, "averaged", PyLong_FromSize_t(r->averaged)) &&
        dict_put(whole, "suggested_ask", PyLong_FromSize_t(r->suggested_ask)) &&
        dict_put(whole, "suggested_reason", python_words(r->suggested_reason)) &&
        dict_put(whole, "notes", python_words(r->notes)) &&
        dict_put(whole, "warnings", python_warnings(&r->warnings)) &&
        dict_put(whole, "training", training_report(&r->training, NULL, 0));
    if (!made)
        Py_CLEAR(whole);
    return whole;
}

/* ---- Tuning ---------------------------------------------------------------------------------- */

/* (model or None, report, exception or None); takes the model and the report. */
static PyObject *result_of(const struct core *core, temper_model *model, PyObject *report, PyObject *exception)
{
    PyObject *wrapped = model ? model_wrap(core, model) : Py_NewRef(Py_None);
    if (report && wrapped)
        return Py_BuildValue("NNO", wrapped, report, exception ? exception : Py_None);
    Py_XDECREF(report);
    Py_XDECREF(wrapped);
    return NULL;
}

static PyObject *run(const struct core *core, struct request *r, struct tuning_watch *watch)
{
    const temper_data *data = ((struct data_object *)r->data)->data;
    temper_tune_report report;
    temper_error error;
    temper_model *model = NULL;
    PyThreadState *state = PyEval_SaveThread();
    temper_status status = temper_tune(data, &r->options, &model, &report, &error);
    PyEval_RestoreThread(state);
    if (status != TEMPER_OK)
        return raise_error(status, &error);
    PyObject *told = report_of(&report, (size_t)temper_data_rows(data));
    PyObject *result = result_of(core, model, told, watch->exception);
    temper_tune_report_free(&report);
    return result;
}

PyObject *tune_model(PyObject *module, PyObject *args, PyObject *keywords)
{
    const struct core *core = core_of(module);
    struct request r = {0};
    PyObject *result = NULL;
    struct tuning_watch watch;
    if (!read_words(args, keywords, &r) || !watch_begin(&watch, r.on_progress, r.signals))
        return NULL;
    r.options.on_progress = watch_tuning;
    r.options.progress_context = &watch;
    if (read_arrays(core, &r))
        result = run(core, &r, &watch);
    request_end(&r);
    Py_XDECREF(watch.exception);
    return result;
}
