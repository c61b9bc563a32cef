/* py_train: training without the GIL; after each iteration it looks for signals and asks the caller.
 */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "temper_extra.h"

/* The progress callback of one training: its history, and the callable. */
struct following {
    PyThreadState *state; /* ours, while the GIL is away */
    const struct core *core;
    struct progress_caller caller;
    bool signals;    /* on the main thread: Ctrl-C ends training */
    double *history; /* objective and gradient of each iteration */
    size_t count, room;
    bool no_memory;
};

/* ---- After an iteration ---------------------------------------------------------------------- */

static bool remember(struct following *f, const temper_train_progress *progress)
{
    if (f->count == f->room) {
        size_t room = f->room ? 2 * f->room : 64;
        double *history = realloc(f->history, 2 * room * sizeof *history);
        if (!history)
            return false;
        f->history = history;
        f->room = room;
    }
    f->history[2 * f->count] = progress->objective;
    f->history[2 * f->count + 1] = progress->gradient;
    f->count++;
    return true;
}

/* The model as it is now; None in phases that have none. A new reference. */
static PyObject *model_now(const struct core *core, const temper_train_progress *progress)
{
    temper_model *model;
    temper_error error;
    if (!progress->state)
        Py_RETURN_NONE;
    temper_status status = temper_train_progress_model(progress, &model, &error);
    return status == TEMPER_OK ? model_wrap(core, model) : raise_error(status, &error);
}

/* Whether the caller wants to stop; an exception says so too, and stays set. */
static bool ask(const struct following *f, const temper_train_progress *p)
{
    PyObject *model = f->caller.models ? model_now(f->core, p) : NULL, *answer = NULL;
    if (model)
        answer = PyObject_CallFunction(f->caller.callable, "snndddddN", p->phase, (Py_ssize_t)p->iteration,
                                       (Py_ssize_t)p->max_iterations, p->objective, p->gradient, p->tolerance,
                                       p->accuracy, p->seconds, model);
    else if (!f->caller.models)
        answer = PyObject_CallFunction(f->caller.callable, "snnddddd", p->phase, (Py_ssize_t)p->iteration,
                                       (Py_ssize_t)p->max_iterations, p->objective, p->gradient, p->tolerance,
                                       p->accuracy, p->seconds);
    int stop = answer ? PyObject_IsTrue(answer) : 1;
    Py_XDECREF(answer);
    return stop != 0;
}

static int follow(void *context, const temper_train_progress *progress)
{
    struct following *f = context;
    bool stop = false;
    /* The fits of the calibration and of the audit are no part of the course of the training. */
    bool follows =
        strcmp(progress->phase, TEMPER_PHASE_CALIBRATE) == 0 || strcmp(progress->phase, TEMPER_PHASE_NOISE) == 0;
    if (!follows && !remember(f, progress)) {
        f->no_memory = true;
        return 1;
    }
    bool reports = f->caller.callable && progress->seconds >= f->caller.after;
    if (!f->signals && !reports)
        return 0;
    PyEval_RestoreThread(f->state);
    if (f->signals)
        stop = PyErr_CheckSignals() != 0;
    if (!stop && reports)
        stop = ask(f, progress);
    f->state = PyEval_SaveThread();
    return stop;
}

/* ---- Options --------------------------------------------------------------------------------- */

bool train_options(PyObject *args, PyObject *keywords, PyObject *objects[5], temper_train_options *options)
{
    static char *names[] = {"data",
                            "warm",
                            "follow",
                            "signals",
                            "loss",
                            "t1",
                            "t2",
                            "l2",
                            "scale",
                            "solver",
                            "precision",
                            "starts",
                            "no_intercept",
                            "tolerance",
                            "max_iterations",
                            "seed",
                            "threads",
                            "calibrate",
                            "estimate_noise",
                            "clean",
                            "l1",
                            "fold",
                            "folds",
                            NULL};
    const char *loss;
    Py_ssize_t starts, iterations, threads, folds;
    *options = temper_train_defaults();
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOOO$sdddzzznpdnKnzpzdOn", names, &objects[0], &objects[1],
                                     &objects[2], &objects[3], &loss, &options->loss.t1, &options->loss.t2,
                                     &options->l2, &options->scale, &options->solver, &options->precision, &starts,
                                     &options->no_intercept, &options->tolerance, &iterations, &options->seed, &threads,
                                     &options->calibrate, &options->estimate_noise, &options->clean, &options->l1,
                                     &objects[4], &folds))
        return false;
    options->starts = (size_t)starts;
    options->max_iterations = (size_t)iterations;
    options->threads = (size_t)threads;
    options->folds = (size_t)folds;
    return take_loss(loss, &options->loss);
}

/* ---- Afterwards ------------------------------------------------------------------------------ */

PyObject *training_report(const temper_train_report *r, const double *history, size_t count)
{
    PyObject *words = python_warnings(&r->warnings);
    PyObject *course = PyBytes_FromStringAndSize((const char *)history, (Py_ssize_t)(2 * count * sizeof *history));
    if (!words || !course) {
        Py_XDECREF(words);
        Py_XDECREF(course);
        return NULL;
    }
    return Py_BuildValue(
        "{s:s,s:s,s:s,s:d,s:d,s:d,s:d,s:d,s:d,s:n,s:n,s:d,s:d,s:n,s:d,s:N,s:N}", "stop", temper_stop_name(r->stop),
        "solver", r->solver, "precision", r->precision, "l2", r->l2, "l1", r->l1, "objective", r->objective, "loss",
        r->train_loss, "gradient", r->gradient_norm, "accuracy", r->accuracy, "iterations", (Py_ssize_t)r->iterations,
        "evaluations", (Py_ssize_t)r->evaluations, "passes", r->passes, "seconds", r->seconds, "cleaned",
        (Py_ssize_t)r->cleaned_rows, "expected_wrong", r->expected_wrong, "warnings", words, "history", course);
}

PyObject *pending_exception(void)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (!type)
        Py_RETURN_NONE;
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace)
        PyException_SetTraceback(value, trace);
    Py_DECREF(type);
    Py_XDECREF(trace);
    return value;
}

static PyObject *result_of(const struct core *core, temper_model *model, const temper_train_report *report,
                           const struct following *f)
{
    PyObject *exception = pending_exception();
    PyObject *wrapped = model_wrap(core, model), *told = training_report(report, f->history, f->count);
    if (wrapped && told)
        return Py_BuildValue("NNN", wrapped, told, exception);
    Py_DECREF(exception);
    Py_XDECREF(wrapped);
    Py_XDECREF(told);
    return NULL;
}

/* Checks the types: data, or a plan and its evaluator; and a model or None. */
static bool check_objects(const struct core *core, PyObject *objects[5], struct asking *asking)
{
    bool away = PyTuple_Check(objects[0]);
    if (away && !PyArg_ParseTuple(objects[0], "O!O", core->plan, &asking->plan, &asking->callable))
        return false;
    if ((away || PyObject_TypeCheck(objects[0], core->data)) &&
        (objects[1] == Py_None || PyObject_TypeCheck(objects[1], core->model)))
        return true;
    PyErr_SetString(PyExc_TypeError, "rows, and a model or None, were expected");
    return false;
}

/* The folds of the rows, held during the call; None, and rows of other workers, have none. */
static bool take_folds(PyObject *objects[5], Py_buffer *fold, temper_train_options *options)
{
    if (objects[4] == Py_None)
        return true;
    if (PyTuple_Check(objects[0])) {
        PyErr_SetString(PyExc_ValueError, "folds of rows that lie with workers are drawn");
        return false;
    }
    size_t rows = (size_t)temper_data_rows(((struct data_object *)objects[0])->data);
    if (!take_exactly(objects[4], 'I', false, rows, fold))
        return false;
    options->fold = fold->buf;
    return true;
}

/* Without the GIL. */
static temper_status train(PyObject *objects[5], struct asking *asking, const temper_train_options *options,
                           temper_model **model, temper_train_report *report, temper_error *error)
{
    const temper_shard_engine engine = {asking, ask_shards};
    if (asking->plan)
        return temper_train_shards(((struct plan_object *)asking->plan)->plan, &engine, options, model, report, error);
    return temper_train(((struct data_object *)objects[0])->data, options, model, report, error);
}

PyObject *train_from_python(PyObject *module, PyObject *args, PyObject *keywords)
{
    PyObject *objects[5]; /* data, warm, follow, signals, fold */
    const struct core *core = core_of(module);
    temper_train_options options;
    temper_train_report report;
    temper_error error;
    temper_model *model;
    struct asking asking = {0};
    struct following f = {.core = core};
    Py_buffer fold = {0};
    if (!train_options(args, keywords, objects, &options) || !check_objects(core, objects, &asking) ||
        !take_caller(objects[2], &f.caller) || !take_folds(objects, &fold, &options))
        return NULL;
    if (objects[1] != Py_None)
        options.warm_start = ((struct model_object *)objects[1])->model;
    f.signals = PyObject_IsTrue(objects[3]) == 1;
    options.on_progress = follow;
    options.progress_context = &f;
    asking.state = &f.state;
    f.state = PyEval_SaveThread();
    temper_status status = train(objects, &asking, &options, &model, &report, &error);
    PyEval_RestoreThread(f.state);
    PyObject *result = NULL;
    if (status == TEMPER_OK && !f.no_memory)
        result = result_of(core, model, &report, &f);
    else if (status == TEMPER_OK)
        temper_model_free(model);
    if (f.no_memory)
        PyErr_NoMemory();
    else if (status != TEMPER_OK && !PyErr_Occurred())
        raise_error(status, &error);
    free(f.history);
    PyBuffer_Release(&fold); /* nothing, if there are none */
    return result;
}
