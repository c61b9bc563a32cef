/* py_audit: which labels look wrong, without the GIL; rows and figures as bytes of arrays. */
#include <stddef.h>
#include <string.h>

#include "core.h"

/* What the caller gives; buffers are held during the call. */
struct request {
    PyObject *data, *on_progress, *signals;
    PyObject *probabilities, *features, *fold; /* array, rows, array; or None */
    Py_buffer held[2];
    size_t holds;
    temper_audit_options options;
};

static bool read_request(PyObject *args, PyObject *keywords, struct request *r)
{
    static char *names[] = {"data",      "follow",         "signals",   "kind",    "folds",
                            "choose",    "grid",           "t1",        "t2",      "l2",
                            "scale",     "solver",         "precision", "starts",  "no_intercept",
                            "tolerance", "max_iterations", "seed",      "threads", "probabilities",
                            "features",  "fold",           NULL};
    temper_audit_options *o = &r->options;
    temper_train_options *train = &o->train;
    Py_ssize_t folds, starts, iterations, threads;
    *o = temper_audit_defaults();
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO$znpzdddzzznpdnKnOOO", names, &r->data, &r->on_progress,
                                     &r->signals, &o->kind, &folds, &o->choose, &o->grid, &train->loss.t1,
                                     &train->loss.t2, &train->l2, &train->scale, &train->solver, &train->precision,
                                     &starts, &train->no_intercept, &train->tolerance, &iterations, &train->seed,
                                     &threads, &r->probabilities, &r->features, &r->fold))
        return false;
    o->folds = (size_t)folds;
    train->starts = (size_t)starts;
    train->max_iterations = (size_t)iterations;
    train->threads = (size_t)threads;
    return true;
}

/* An array of exactly `count` numbers, held until request_end; NULL with an exception set. */
static const void *hold(struct request *r, PyObject *array, char letter, size_t count)
{
    Py_buffer *buffer = &r->held[r->holds];
    if (!take_exactly(array, letter, false, count, buffer))
        return NULL;
    r->holds++;
    return buffer->buf;
}

static bool read_arrays(const struct core *core, struct request *r)
{
    temper_audit_options *o = &r->options;
    if (!PyObject_TypeCheck(r->data, core->data) ||
        (r->features != Py_None && !PyObject_TypeCheck(r->features, core->data))) {
        PyErr_SetString(PyExc_TypeError, "rows were expected, as _temper.data makes them");
        return false;
    }
    const temper_data *data = ((struct data_object *)r->data)->data;
    size_t rows = temper_data_rows(data);
    if (r->features != Py_None)
        o->features = ((struct data_object *)r->features)->data;
    if (r->fold != Py_None && !(o->fold = hold(r, r->fold, 'I', rows)))
        return false;
    return r->probabilities == Py_None ||
           (o->probabilities = hold(r, r->probabilities, 'd', rows * temper_data_classes(data)));
}

static void request_end(struct request *r)
{
    while (r->holds > 0)
        PyBuffer_Release(&r->held[--r->holds]);
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

/* The bytes of an array of a C type. */
#define BYTES_OF(array, count) PyBytes_FromStringAndSize((const char *)(array), (Py_ssize_t)((count) * sizeof *(array)))

/* A column of the pairs of duplicates. */
static PyObject *pairs_of(const temper_audit_health *h, size_t offset, size_t bytes)
{
    PyObject *object = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(h->duplicate_count * bytes));
    char *to = object ? PyBytes_AsString(object) : NULL;
    for (size_t i = 0; to && i < h->duplicate_count; i++)
        memcpy(to + i * bytes, (const char *)&h->duplicates[i] + offset, bytes);
    return object;
}

#define PAIRS_OF(h, field)                                                                                             \
    pairs_of(h, offsetof(temper_near_duplicate, field), sizeof(((temper_near_duplicate *)0)->field))

/* Classes as seven doubles each, in the order of temper_class_health. */
static PyObject *classes_of(const temper_audit_report *r)
{
    enum { FIGURES = 7 };
    PyObject *object = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(r->classes * FIGURES * sizeof(double)));
    char *to = object ? PyBytes_AsString(object) : NULL;
    for (size_t c = 0; to && c < r->classes; c++) {
        const temper_class_health *h = &r->health->classes[c];
        const double figures[FIGURES] = {
            (double)h->rows,     h->wrong, h->missed, h->predicted, (double)h->duplicates, (double)h->outliers,
            (double)h->conflicts};
        memcpy(to + c * sizeof figures, figures, sizeof figures);
    }
    return object;
}

static PyObject *overlap_of(const temper_audit_report *r)
{
    if (!r->health->overlap)
        return Py_NewRef(Py_None);
    return BYTES_OF(r->health->overlap, r->classes * r->classes);
}

static PyObject *health_of(const temper_audit_report *r)
{
    const temper_audit_health *h = r->health;
    PyObject *dict = PyDict_New();
    bool made = dict && dict_put(dict, "classes", classes_of(r)) && dict_put(dict, "overlap", overlap_of(r)) &&
                dict_put(dict, "row", PAIRS_OF(h, row)) && dict_put(dict, "other", PAIRS_OF(h, other)) &&
                dict_put(dict, "distance", PAIRS_OF(h, distance)) && dict_put(dict, "across", PAIRS_OF(h, across)) &&
                dict_put(dict, "outliers", BYTES_OF(h->outliers, h->outlier_count)) &&
                dict_put(dict, "outlier_scores", BYTES_OF(h->outlier_scores, h->outlier_count));
    if (!made)
        Py_CLEAR(dict);
    return dict;
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
           dict_put(dict, "undecided", PyBool_FromLong(r->undecided)) &&
           dict_put(dict, "gain", PyFloat_FromDouble(r->gain)) &&
           dict_put(dict, "certainty", PyFloat_FromDouble(r->certainty)) &&
           dict_put(dict, "t1", PyFloat_FromDouble(r->loss.t1)) &&
           dict_put(dict, "t2", PyFloat_FromDouble(r->loss.t2)) && dict_put(dict, "l2", PyFloat_FromDouble(r->l2)) &&
           dict_put(dict, "accuracy", PyFloat_FromDouble(r->accuracy)) &&
           dict_put(dict, "folds", PyLong_FromSize_t(r->folds)) &&
           dict_put(dict, "seconds", PyFloat_FromDouble(r->seconds)) && dict_put(dict, "health", health_of(r)) &&
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
    struct request r = {.holds = 0};
    struct tuning_watch watch;
    temper_audit_report report;
    temper_error error;
    if (!read_request(args, keywords, &r))
        return NULL;
    if (!read_arrays(core, &r) || !watch_begin(&watch, r.on_progress, r.signals)) {
        request_end(&r);
        return NULL;
    }
    r.options.health = 1;
    r.options.on_progress = watch_tuning;
    r.options.progress_context = &watch;
    PyThreadState *state = PyEval_SaveThread();
    temper_status status = temper_audit(((struct data_object *)r.data)->data, &r.options, NULL, &report, &error);
    PyEval_RestoreThread(state);
    request_end(&r);
    PyObject *result = result_of(status, &report, &error, watch.exception);
    if (status == TEMPER_OK)
        temper_audit_report_free(&report);
    Py_XDECREF(watch.exception);
    return result;
}
