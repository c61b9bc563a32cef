/* py_noise: labels changed on purpose, as temper noise does it. */
#include "core.h"
#include "temper_extra.h"

/* [(row, was, is, from), ...], rows counted from 0; from is -1 where no features move. */
static PyObject *list_changes(const temper_noise_change *changes, size_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        const temper_noise_change *c = &changes[i];
        PyObject *change =
            Py_BuildValue("LnnL", (long long)c->row - 1, (Py_ssize_t)c->was, (Py_ssize_t)c->is, (long long)c->from - 1);
        if (!change) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SetItem(list, (Py_ssize_t)i, change);
    }
    return list;
}

PyObject *make_noise(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"data",   "pool",    "kind",       "rate",    "seed", "map",
                            "matrix", "rank_l2", "rank_scale", "threads", NULL};
    const struct core *core = core_of(module);
    temper_noise_options options = temper_noise_defaults();
    temper_noise_change *changes;
    temper_data *noisy;
    temper_error error;
    PyObject *data, *pool;
    Py_ssize_t threads;
    size_t count;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O$sdKzzdzn", names, core->data, &data, &pool, &options.kind,
                                     &options.rate, &options.seed, &options.map, &options.matrix, &options.rank_l2,
                                     &options.rank_scale, &threads))
        return NULL;
    if (pool != Py_None && !PyObject_TypeCheck(pool, core->data))
        return PyErr_Format(PyExc_TypeError, "a pool of rows, or None, was expected");
    options.pool = pool == Py_None ? NULL : ((struct data_object *)pool)->data;
    options.threads = (size_t)threads;
    PyThreadState *state = PyEval_SaveThread();
    temper_status status =
        temper_data_add_noise(((struct data_object *)data)->data, &options, &noisy, &changes, &count, &error);
    PyEval_RestoreThread(state);
    if (status != TEMPER_OK)
        return raise_error(status, &error);
    PyObject *list = list_changes(changes, count);
    temper_data_free(noisy);
    temper_free(changes);
    return list;
}
