/* py_folds: a path of penalties on folds, without the GIL; it looks for signals between passes. */
#include <stdlib.h>

#include "core.h"

/* The arrays of the caller, in the order of the tuple: folds, penalties, and what is filled. */
enum { FOLD, L2, WEIGHTS, INTERCEPTS, SCORES, ITERATIONS, STOPS, ARRAYS };

/* The buffers are held during the call. */
struct fold_arrays {
    Py_buffer held[ARRAYS];
    size_t holds, fits;
    temper_fold_path path;
};

/* Signals, as of a training. */
struct fold_watch {
    PyThreadState *state; /* ours, while the GIL is away */
    bool signals;
};

static int look_for_signals(void *context, const temper_train_progress *progress)
{
    struct fold_watch *watch = context;
    (void)progress;
    if (!watch->signals)
        return 0;
    PyEval_RestoreThread(watch->state);
    int stop = PyErr_CheckSignals() != 0;
    watch->state = PyEval_SaveThread();
    return stop;
}

/* Buffers of all arrays. False with an exception set. */
static bool take_arrays(const temper_data *data, PyObject *tuple, struct fold_arrays *arrays)
{
    PyObject *object[ARRAYS];
    Py_ssize_t folds, penalties;
    double entry;
    if (!PyArg_ParseTuple(tuple, "nndOOOOOOO", &folds, &penalties, &entry, &object[FOLD], &object[L2], &object[WEIGHTS],
                          &object[INTERCEPTS], &object[SCORES], &object[ITERATIONS], &object[STOPS]))
        return false;
    size_t rows = (size_t)temper_data_rows(data), features = (size_t)temper_data_features(data);
    size_t fits = arrays->fits = (size_t)folds * (size_t)penalties;
    const size_t count[ARRAYS] = {rows, fits, fits * features, fits, (size_t)penalties * rows, fits, fits};
    const char letter[ARRAYS] = {'I', 'd', 'd', 'd', 'd', 'Q', 'Q'};
    for (size_t i = 0; i < ARRAYS; i++) {
        if (!take_exactly(object[i], letter[i], i > L2, count[i], &arrays->held[i]))
            return false;
        arrays->holds++;
    }
    arrays->path = (temper_fold_path){.fold = arrays->held[FOLD].buf,
                                      .folds = (size_t)folds,
                                      .penalties = (size_t)penalties,
                                      .l2 = arrays->held[L2].buf,
                                      .gradient_entry = entry,
                                      .weights = arrays->held[WEIGHTS].buf,
                                      .intercepts = arrays->held[INTERCEPTS].buf,
                                      .scores = arrays->held[SCORES].buf};
    return true;
}

/* Counts and reasons as the array types of the caller. */
static void give_counts(const struct fold_arrays *arrays)
{
    uint64_t *iterations = arrays->held[ITERATIONS].buf, *stops = arrays->held[STOPS].buf;
    for (size_t i = 0; i < arrays->fits; i++) {
        iterations[i] = arrays->path.iterations[i];
        stops[i] = arrays->path.stops[i];
    }
}

/* Runs the fits. An exception of a signal handler is the one that is raised. */
static PyObject *fit(const temper_data *data, temper_train_options *options, struct fold_arrays *arrays, bool signals)
{
    temper_fold_path *path = &arrays->path;
    struct fold_watch watch = {.signals = signals};
    temper_error error;
    path->iterations = calloc(arrays->fits + 1, sizeof *path->iterations);
    path->stops = calloc(arrays->fits + 1, sizeof *path->stops);
    temper_status status = TEMPER_NO_MEMORY;
    if (path->iterations && path->stops) {
        options->on_progress = look_for_signals;
        options->progress_context = &watch;
        watch.state = PyEval_SaveThread();
        status = temper_fit_folds(data, options, path, &error);
        PyEval_RestoreThread(watch.state);
        if (status == TEMPER_OK)
            give_counts(arrays);
        else if (!PyErr_Occurred())
            raise_error(status, &error);
    } else {
        PyErr_NoMemory();
    }
    free(path->iterations);
    free(path->stops);
    if (status != TEMPER_OK)
        return NULL;
    Py_RETURN_NONE;
}

PyObject *fit_folds(PyObject *module, PyObject *args, PyObject *keywords)
{
    PyObject *objects[5]; /* data, the tuple of arrays, None, signals, None */
    const struct core *core = core_of(module);
    temper_train_options options;
    struct fold_arrays arrays = {0};
    if (!train_options(args, keywords, objects, &options))
        return NULL;
    if (!PyObject_TypeCheck(objects[0], core->data) || !PyTuple_Check(objects[1])) {
        PyErr_SetString(PyExc_TypeError, "rows, and a tuple of arrays, were expected");
        return NULL;
    }
    const temper_data *data = ((struct data_object *)objects[0])->data;
    PyObject *result = NULL;
    if (take_arrays(data, objects[1], &arrays))
        result = fit(data, &options, &arrays, PyObject_IsTrue(objects[3]) == 1);
    while (arrays.holds > 0)
        PyBuffer_Release(&arrays.held[--arrays.holds]);
    return result;
}
