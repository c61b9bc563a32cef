/* py_tcp: processes that are connected by TCP: a listening socket, and the operations of a group. */
#include <string.h>

#include "core.h"
#include "temper_tcp.h"

/* The exception for a failed connection is one of its own kind; the others are as everywhere. What a signal handler has
 * raised while waiting stays. */
static PyObject *raise_connection(temper_status status, const temper_error *error)
{
    if (status == TEMPER_INTERRUPTED && PyErr_Occurred())
        return NULL;
    if (status != TEMPER_IO)
        return raise_error(status, error);
    /* Words of another process, which may have been cut within a character. */
    PyObject *words = PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)strlen(error->message), "replace");
    if (words)
        PyErr_SetObject(PyExc_ConnectionError, words);
    Py_XDECREF(words);
    return NULL;
}

/* While waiting without the GIL: Ctrl-C ends it. On other threads than the main one there are no signals to look for.
 */
static int stop_by_signal(void *context)
{
    (void)context;
    PyGILState_STATE state = PyGILState_Ensure();
    int stop = PyErr_CheckSignals() != 0;
    PyGILState_Release(state);
    return stop;
}

static void free_object(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

/* ---- A listening socket ---------------------------------------------------------------------- */

struct listener_object {
    PyObject_HEAD temper_tcp_listener *listener; /* NULL: closed */
};

static PyObject *listener_close(PyObject *self, PyObject *nothing)
{
    struct listener_object *object = (struct listener_object *)self;
    (void)nothing;
    temper_tcp_listener_free(object->listener);
    object->listener = NULL;
    Py_RETURN_NONE;
}

static void listener_dealloc(PyObject *self)
{
    Py_XDECREF(listener_close(self, NULL));
    free_object(self);
}

/* listen(host, port) */
PyObject *listener_new(PyObject *module, PyObject *args)
{
    const char *host;
    unsigned port;
    temper_error error;
    PyTypeObject *type = core_of(module)->listener;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    if (!PyArg_ParseTuple(args, "sI", &host, &port))
        return NULL;
    struct listener_object *object = (struct listener_object *)allocate(type, 0);
    if (!object)
        return NULL;
    temper_status status = temper_tcp_listen(host, port, &object->listener, &error);
    if (status == TEMPER_OK)
        return (PyObject *)object;
    Py_DECREF(object);
    return raise_connection(status, &error);
}

static PyObject *listener_port(PyObject *self, void *closure)
{
    const struct listener_object *object = (const struct listener_object *)self;
    (void)closure;
    return PyLong_FromUnsignedLong(object->listener ? temper_tcp_listener_port(object->listener) : 0);
}

static PyMethodDef listener_methods[] = {{"close", listener_close, METH_NOARGS, "close()"}, {NULL, NULL, 0, NULL}};

static PyGetSetDef listener_members[] = {{"port", listener_port, NULL, "0: closed", NULL},
                                         {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot listener_slots[] = {{Py_tp_dealloc, (void *)listener_dealloc},
                                       {Py_tp_methods, listener_methods},
                                       {Py_tp_getset, listener_members},
                                       {0, NULL}};

PyType_Spec listener_spec = {.name = "temperlr._temper.Listener",
                             .basicsize = sizeof(struct listener_object),
                             .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             .slots = listener_slots};

/* ---- A group --------------------------------------------------------------------------------- */

struct group_object {
    PyObject_HEAD temper_tcp *tcp; /* NULL: closed */
    bool busy;                     /* in an operation, without the GIL */
};

/* The group, unless it is closed or another thread uses it; then NULL with an exception set. */
static const temper_comm *take_group(struct group_object *object)
{
    if (object->tcp && !object->busy)
        return temper_tcp_comm(object->tcp);
    PyErr_SetString(PyExc_RuntimeError, object->tcp ? "another thread uses this communicator; one operation at a time"
                                                    : "this communicator is closed");
    return NULL;
}

static PyObject *group_close(PyObject *self, PyObject *nothing)
{
    struct group_object *object = (struct group_object *)self;
    (void)nothing;
    if (object->busy)
        return PyErr_Format(PyExc_RuntimeError, "another thread uses this communicator");
    temper_tcp_free(object->tcp);
    object->tcp = NULL;
    Py_RETURN_NONE;
}

static void group_dealloc(PyObject *self)
{
    temper_tcp_free(((struct group_object *)self)->tcp);
    free_object(self);
}

/* meet(rank, size, listener or None, host, port, token, meet_seconds, silence_seconds) */
PyObject *group_new(PyObject *module, PyObject *args)
{
    Py_ssize_t rank, size, token_length;
    PyObject *listener;
    const struct core *core = core_of(module);
    temper_tcp_options options = temper_tcp_defaults();
    temper_error error;
    const char *token;
    allocfunc allocate = (allocfunc)PyType_GetSlot(core->group, Py_tp_alloc);
    if (!PyArg_ParseTuple(args, "nnOsIy#dd", &rank, &size, &listener, &options.host, &options.port, &token,
                          &token_length, &options.meet_seconds, &options.silence_seconds))
        return NULL;
    if (listener != Py_None && !PyObject_TypeCheck(listener, core->listener))
        return PyErr_Format(PyExc_TypeError, "a listener was expected");
    options.rank = (size_t)rank;
    options.size = (size_t)size;
    options.listener = listener == Py_None ? NULL : ((struct listener_object *)listener)->listener;
    options.token = token;
    options.token_length = (size_t)token_length;
    options.stop = stop_by_signal;
    struct group_object *object = (struct group_object *)allocate(core->group, 0);
    if (!object)
        return NULL;
    PyThreadState *state = PyEval_SaveThread();
    temper_status status = temper_tcp_meet(&options, &object->tcp, &error);
    PyEval_RestoreThread(state);
    if (status == TEMPER_OK)
        return (PyObject *)object;
    Py_DECREF(object);
    return raise_connection(status, &error);
}

/* Ends an operation: None, or NULL with the reason of the group, which knows which rank is lost. */
static PyObject *group_result(struct group_object *object, temper_status status, const temper_error *error)
{
    temper_error reason;
    temper_status failure = temper_tcp_failure(object->tcp, &reason);
    object->busy = false;
    if (failure != TEMPER_OK)
        return raise_connection(failure, &reason);
    if (status != TEMPER_OK)
        return raise_error(status, error);
    Py_RETURN_NONE;
}

/* A tuple of so many counts, as an array to be freed by PyMem_Free; NULL with an exception set. */
static size_t *take_counts(PyObject *tuple, size_t count)
{
    if (!PyTuple_Check(tuple) || (size_t)PyTuple_Size(tuple) != count)
        return (void *)PyErr_Format(PyExc_ValueError, "a tuple of %zu counts was expected", count);
    size_t *counts = PyMem_Malloc(count * sizeof *counts);
    if (!counts)
        return (void *)PyErr_NoMemory();
    for (size_t i = 0; i < count; i++) {
        PyObject *item = PyTuple_GetItem(tuple, (Py_ssize_t)i);
        counts[i] = item ? PyLong_AsSize_t(item) : 0;
    }
    if (!PyErr_Occurred())
        return counts;
    PyMem_Free(counts);
    return NULL;
}

/* The buffers fit the lengths: those of this rank, and of all. */
static bool fits(const temper_comm *comm, const size_t *bytes, const Py_buffer *mine, const Py_buffer *all)
{
    size_t sum = 0;
    for (size_t r = 0; r < comm->size; r++)
        sum += bytes[r];
    if ((size_t)mine->len == bytes[comm->rank] && (size_t)all->len == sum)
        return true;
    PyErr_SetString(PyExc_ValueError, "the lengths are not those of the arrays");
    return false;
}

/* gather(mine, bytes of each rank, all) */
static PyObject *group_gather(PyObject *self, PyObject *args)
{
    struct group_object *object = (struct group_object *)self;
    const temper_comm *comm = take_group(object);
    PyObject *lengths, *done = NULL, *to;
    Py_buffer mine, all;
    temper_error error = {0};
    if (!comm || !PyArg_ParseTuple(args, "y*OO", &mine, &lengths, &to))
        return NULL;
    size_t *bytes = take_counts(lengths, comm->size);
    if (bytes && take_buffer(to, 'B', true, "the result", &all)) {
        if (fits(comm, bytes, &mine, &all)) {
            object->busy = true;
            PyThreadState *state = PyEval_SaveThread();
            int failed = comm->gather(comm->context, mine.buf, bytes, all.buf);
            PyEval_RestoreThread(state);
            done = group_result(object, failed ? TEMPER_IO : TEMPER_OK, &error);
        }
        PyBuffer_Release(&all);
    }
    PyMem_Free(bytes);
    PyBuffer_Release(&mine);
    return done;
}

/* The sum of vectors that follow each other in one array; without the GIL. */
static PyObject *sum_rows(struct group_object *object, const size_t *first, Py_buffer *rows, Py_buffer *sum)
{
    const temper_comm *comm = temper_tcp_comm(object->tcp);
    size_t length = buffer_count(sum), count = first[comm->rank + 1] - first[comm->rank];
    temper_error error = {0};
    double **row = PyMem_Malloc((count + 1) * sizeof *row);
    if (!row)
        return PyErr_NoMemory();
    for (size_t i = 0; i < count; i++)
        row[i] = (double *)rows->buf + i * length;
    object->busy = true;
    PyThreadState *state = PyEval_SaveThread();
    temper_status status = temper_comm_sum(comm, first, row, length, sum->buf, &error);
    PyEval_RestoreThread(state);
    PyMem_Free((void *)row);
    return group_result(object, status, &error);
}

/* sum(rows, first, out): the rows are overwritten. */
static PyObject *group_sum(PyObject *self, PyObject *args)
{
    struct group_object *object = (struct group_object *)self;
    const temper_comm *comm = take_group(object);
    PyObject *rows, *counts, *out, *done = NULL;
    Py_buffer from, to;
    if (!comm || !PyArg_ParseTuple(args, "OOO", &rows, &counts, &out))
        return NULL;
    size_t *first = take_counts(counts, comm->size + 1);
    if (first && first[comm->rank] > first[comm->rank + 1])
        PyErr_SetString(PyExc_ValueError, "the counts have to increase");
    else if (first && take_buffer(out, 'd', true, "the sum", &to)) {
        size_t held = first[comm->rank + 1] - first[comm->rank];
        if (take_exactly(rows, 'd', true, held * buffer_count(&to), &from)) {
            done = sum_rows(object, first, &from, &to);
            PyBuffer_Release(&from);
        }
        PyBuffer_Release(&to);
    }
    PyMem_Free(first);
    return done;
}

/* abort(reason); nothing for a group that is closed. */
static PyObject *group_abort(PyObject *self, PyObject *args)
{
    struct group_object *object = (struct group_object *)self;
    const char *reason;
    if (!PyArg_ParseTuple(args, "s", &reason))
        return NULL;
    if (object->tcp && !object->busy)
        temper_tcp_abort(object->tcp, reason);
    Py_RETURN_NONE;
}

static PyMethodDef group_methods[] = {{"gather", group_gather, METH_VARARGS, "gather(mine, bytes, all)"},
                                      {"sum", group_sum, METH_VARARGS, "sum(rows, first, out)"},
                                      {"abort", group_abort, METH_VARARGS, "abort(reason)"},
                                      {"close", group_close, METH_NOARGS, "close()"},
                                      {NULL, NULL, 0, NULL}};

static PyType_Slot group_slots[] = {{Py_tp_dealloc, (void *)group_dealloc}, {Py_tp_methods, group_methods}, {0, NULL}};

PyType_Spec group_spec = {.name = "temperlr._temper.Group",
                          .basicsize = sizeof(struct group_object),
                          .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                          .slots = group_slots};
