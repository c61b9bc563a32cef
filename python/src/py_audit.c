/* py_audit: which labels look wrong, without the GIL; rows and figures as bytes of arrays. */
#include <stddef.h>
#include <string.h>

#include "core.h"

/* What the caller gives. */
struct request {
    PyObject *data, *on_progress, *signals;
    temper_audit_options options;
};

static bool read_request(PyObject *args, PyObject *keywords, struct request *r)
{
    static char *names[] = {"data",      "follow",         "signals",   "kind",    "folds",
                            "choose",    "grid",           "t1",        "t2",      "l2",
                            "scale",     "solver",         "precision", "starts",  "no_intercept",
                            "tolerance", "max_iterations", "seed",      "threads", NULL};
    temper_audit_options *o = &r->options;
    temper_train_options *train = &o->train;
    Py_ssize_t folds, starts, iterations, threads;
    *o = temper_audit_defaults();
    if (!PyArg_ParseTupleAndKeywords(
            args, keywords, "OOO$znpzdddzzznpdnKn", names, &r->data, &r->on_progress, &r->signals, &o->kind, &folds,
            &o->choose, &o->grid, &train->loss.t1, &train->loss.t2, &train->l2, &train->scale, &train->solver,
            &train->precision, &starts, &train->no_intercept, &train->tolerance, &iterations, &train->seed, &threads))
        return false;
    o->folds = (size_t)folds;
    train->starts = (size_t)starts;
    train->max_iterations = (size_t)iterations;
    train->threads = (size_t)threads;
    return true;
}

/* ---- The report ------------------------------------------------------------------------------ */

/* Of temper_audit_suspect: a column for each, in the order of the list. */
static const struct column {
    const char *name;
    size_t offset, bytes;
} columns[] = {
#define COLUMN(field) {#field, offsetof(temper_audit_suspect, field), sizeof(((temper_audit_suspect *)0)->field)}
    COLUMN(row),      COLUMN(given),      COLUMN(suggested), COLUMN(score), COLUMN(probability), COLUMN(margin),
    COLUMN(distance), COLUMN(importance), COLUMN(conflict),  COLUMN(low),   COLUMN(high),
#undef COLUMN
};

static PyObject *column_of(const temper_audit_report *report, struct column column)
{
    PyObject *object = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)((size_t)report->rows * column.bytes));
    char *to = object ? PyBytes_AsString(object) : NULL;
    for (size_t i = 0; to && i < report->rows; i++)
        memcpy(to + i * column.bytes, (const char *)&report->suspects[i] + column.offset, column.bytes);
    return object;
}

/* None with more classes than the library makes a table of. */
static PyObject *transition_of(const temper_audit_report *r)
{
    if (!r->transition)
        return Py_NewRef(Py_None);
    return PyBytes_FromStringAndSize((const char *)r->transition,
                                     (Py_ssize_t)(r->classes * r->classes * sizeof *r->transition));
}

static PyObject *report_of(const temper_audit_report *r)
{
    PyObject *dict = PyDict_New();
    bool made = dict != NULL;
    for (size_t i = 0; made && i < sizeof columns / sizeof *columns; i++)
        made = dict_put(dict, columns[i].name, column_of(r, columns[i]));
    made = made && dict_put(dict, "transition", transition_of(r)) &&
           dict_put(dict, "supported", PyLong_FromUnsignedLongLong(r->supported)) &&
           dict_put(dict, "wrong", PyFloat_FromDouble(r->wrong)) &&
           dict_put(dict, "wrong_low", PyFloat_FromDouble(r->wrong_low)) &&
           dict_put(dict, "wrong_high", PyFloat_FromDouble(r->wrong_high)) &&
           dict_put(dict, "in_pairs", PyBool_FromLong(r->in_pairs)) &&
           dict_put(dict, "t1", PyFloat_FromDouble(r->loss.t1)) &&
           dict_put(dict, "t2", PyFloat_FromDouble(r->loss.t2)) && dict_put(dict, "l2", PyFloat_FromDouble(r->l2)) &&
           dict_put(dict, "accuracy", PyFloat_FromDouble(r->accuracy)) &&
           dict_put(dict, "folds", PyLong_FromSize_t(r->folds)) &&
           dict_put(dict, "seconds", PyFloat_FromDouble(r->seconds)) &&
           dict_put(dict, "notes", python_words(r->notes)) && dict_put(dict, "warnings", python_warnings(&r->warnings));
    if (!made)
        Py_CLEAR(dict);
    return dict;
}

/* ---- Auditing -------------------------------------------------------------------------------- */

/* An exception raised during the call takes precedence over the status that the library made of it. */
static PyObject *result_of(temper_status status, const temper_audit_report *report, const temper_error *error,
                           PyObject *raised)
{
    if (raised)
        PyErr_SetObject((PyObject *)Py_TYPE(raised), raised);
    else if (status == TEMPER_OK)
        return report_of(report);
    else if (status == TEMPER_INTERRUPTED)
        Py_RETURN_NONE;
    else
        raise_error(status, error);
    return NULL;
}

/* A dict, or None if the callable has ended it. */
PyObject *audit_rows(PyObject *module, PyObject *args, PyObject *keywords)
{
    const struct core *core = core_of(module);
    struct request r;
    struct tuning_watch watch;
    temper_audit_report report;
    temper_error error;
    if (!read_request(args, keywords, &r))
        return NULL;
    if (!PyObject_TypeCheck(r.data, core->data))
        return PyErr_Format(PyExc_TypeError, "rows were expected, as _temper.data makes them");
    watch_begin(&watch, r.on_progress, r.signals);
    r.options.on_progress = watch_tuning;
    r.options.progress_context = &watch;
    PyThreadState *state = PyEval_SaveThread();
    temper_status status = temper_audit(((struct data_object *)r.data)->data, &r.options, NULL, &report, &error);
    PyEval_RestoreThread(state);
    PyObject *result = result_of(status, &report, &error, watch.exception);
    if (status == TEMPER_OK)
        temper_audit_report_free(&report);
    Py_XDECREF(watch.exception);
    return result;
}
