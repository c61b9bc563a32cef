/* py_shards: training on remote shards: surveys, the plan, partial sums, and the training that requests them. */
#include <string.h>

#include "core.h"
#include "temper_extra.h"

static PyObject *bytes_or_raise(temper_status status, char *bytes, size_t length, const temper_error *error)
{
    if (status != TEMPER_OK)
        return raise_error(status, error);
    PyObject *made = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)length);
    temper_free(bytes);
    return made;
}

PyObject *survey_rows(PyObject *module, PyObject *args)
{
    PyObject *rows;
    Py_ssize_t threads;
    temper_error error;
    temper_text bytes = {0};
    if (!PyArg_ParseTuple(args, "O!n", core_of(module)->data, &rows, &threads))
        return NULL;
    PyThreadState *state = PyEval_SaveThread();
    temper_status status = temper_shard_stats(((struct data_object *)rows)->data, (size_t)threads, &bytes, &error);
    PyEval_RestoreThread(state);
    return bytes_or_raise(status, bytes.bytes, bytes.length, &error);
}

/* ---- The plan -------------------------------------------------------------------------------- */

static PyObject *plan_wrap(const struct core *core, temper_shard_plan *plan)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(core->plan, Py_tp_alloc);
    struct plan_object *object = (struct plan_object *)allocate(core->plan, 0);
    if (object)
        object->plan = plan;
    else
        temper_shard_plan_free(plan);
    return (PyObject *)object;
}

static void plan_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    temper_shard_plan_free(((struct plan_object *)self)->plan);
    release(self);
    Py_DECREF(type);
}

/* The bytes of a list stay where they are as long as the list does. */
static temper_bytes *list_bytes(PyObject *list, size_t count)
{
    temper_bytes *bytes = PyMem_Malloc((count + 1) * sizeof *bytes);
    if (!bytes)
        PyErr_NoMemory();
    for (size_t i = 0; bytes && i < count; i++) {
        PyObject *item = PyList_GetItem(list, (Py_ssize_t)i);
        char *at;
        Py_ssize_t length;
        if (!item || PyBytes_AsStringAndSize(item, &at, &length) != 0) {
            PyMem_Free(bytes);
            return NULL;
        }
        bytes[i] = (temper_bytes){at, (size_t)length};
    }
    return bytes;
}

PyObject *plan_new(PyObject *module, PyObject *args, PyObject *keywords)
{
    PyObject *objects[5]; /* surveys, and what a plan does not need */
    temper_train_options options;
    temper_error error;
    temper_shard_plan *plan;
    if (!train_options(args, keywords, objects, &options))
        return NULL;
    if (!PyList_Check(objects[0]))
        return PyErr_Format(PyExc_TypeError, "a list of surveys was expected");
    size_t count = (size_t)PyList_Size(objects[0]);
    temper_bytes *surveys = list_bytes(objects[0], count);
    if (!surveys)
        return NULL;
    temper_status status = temper_shard_plan_new(surveys, count, &options, &plan, &error);
    PyMem_Free(surveys);
    return status == TEMPER_OK ? plan_wrap(core_of(module), plan) : raise_error(status, &error);
}

PyObject *plan_from_bytes(PyObject *module, PyObject *args)
{
    const char *text;
    Py_ssize_t length;
    temper_error error;
    temper_shard_plan *plan;
    if (!PyArg_ParseTuple(args, "y#", &text, &length))
        return NULL;
    temper_status status = temper_shard_plan_from_text(text, (size_t)length, &plan, &error);
    return status == TEMPER_OK ? plan_wrap(core_of(module), plan) : raise_error(status, &error);
}

static PyObject *plan_text(PyObject *self, PyObject *nothing)
{
    temper_text text = {0};
    temper_error error;
    (void)nothing;
    temper_status status = temper_shard_plan_to_text(((struct plan_object *)self)->plan, &text, &error);
    return bytes_or_raise(status, text.bytes, text.length, &error);
}

static PyObject *plan_reduce(PyObject *self, PyObject *nothing)
{
    PyObject *text = plan_text(self, nothing), *module, *maker;
    if (!text)
        return NULL;
    module = PyImport_ImportModule("temperlr._temper");
    maker = module ? PyObject_GetAttrString(module, "plan_from_text") : NULL;
    Py_XDECREF(module);
    if (maker)
        return Py_BuildValue("N(N)", maker, text);
    Py_DECREF(text);
    return NULL;
}

static PyObject *plan_answer_length(PyObject *self, PyObject *args)
{
    int asked;
    if (!PyArg_ParseTuple(args, "i", &asked))
        return NULL;
    return PyLong_FromSize_t(
        temper_shard_reply_length(((struct plan_object *)self)->plan, (temper_shard_request_kind)asked));
}

static PyObject *plan_size(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromSize_t(temper_shard_plan_weight_count(((struct plan_object *)self)->plan));
}

static PyObject *plan_l2(PyObject *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(temper_shard_plan_l2(((struct plan_object *)self)->plan));
}

static PyMethodDef plan_methods[] = {{"text", plan_text, METH_NOARGS, "the bytes that travel"},
                                     {"answer_length", plan_answer_length, METH_VARARGS, "numbers of an answer"},
                                     {"__reduce__", plan_reduce, METH_NOARGS, NULL},
                                     {NULL, NULL, 0, NULL}};

static PyGetSetDef plan_members[] = {{"size", plan_size, NULL, "numbers of w", NULL},
                                     {"l2", plan_l2, NULL, "the penalty", NULL},
                                     {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot plan_slots[] = {
    {Py_tp_dealloc, (void *)plan_dealloc}, {Py_tp_methods, plan_methods}, {Py_tp_getset, plan_members}, {0, NULL}};

PyType_Spec plan_spec = {.name = "temperlr._temper.Plan",
                         .basicsize = sizeof(struct plan_object),
                         .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                         .slots = plan_slots};

/* ---- A shard --------------------------------------------------------------------------------- */

struct shard_object {
    PyObject_HEAD temper_shard *shard;
    PyObject *data, *plan; /* which it borrows */
    bool busy;             /* answering, without the GIL */
};

static void shard_dealloc(PyObject *self)
{
    struct shard_object *object = (struct shard_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    temper_shard_free(object->shard); /* before what it borrows */
    Py_XDECREF(object->data);
    Py_XDECREF(object->plan);
    release(self);
    Py_DECREF(type);
}

PyObject *shard_from_python(PyObject *module, PyObject *args)
{
    PyObject *rows, *plan;
    Py_ssize_t threads;
    temper_error error;
    const struct core *core = core_of(module);
    allocfunc allocate = (allocfunc)PyType_GetSlot(core->shard, Py_tp_alloc);
    if (!PyArg_ParseTuple(args, "O!O!n", core->data, &rows, core->plan, &plan, &threads))
        return NULL;
    struct shard_object *object = (struct shard_object *)allocate(core->shard, 0);
    if (!object)
        return NULL;
    object->data = Py_NewRef(rows);
    object->plan = Py_NewRef(plan);
    PyThreadState *state = PyEval_SaveThread();
    temper_status status = temper_shard_borrow(((struct data_object *)rows)->data, ((struct plan_object *)plan)->plan,
                                               (size_t)threads, &object->shard, &error);
    PyEval_RestoreThread(state);
    if (status == TEMPER_OK)
        return (PyObject *)object;
    Py_DECREF(object);
    return raise_error(status, &error);
}

static PyObject *answer(struct shard_object *object, const temper_shard_request *request, const Py_buffer *w,
                        Py_buffer *out)
{
    temper_error error;
    object->busy = true;
    PyThreadState *state = PyEval_SaveThread();
    temper_status status = temper_shard_reply(object->shard, request, w->buf, out->buf, &error);
    PyEval_RestoreThread(state);
    object->busy = false;
    if (status != TEMPER_OK)
        return raise_error(status, &error);
    Py_RETURN_NONE;
}

/* answer(asked, loss, t1, t2, smoothing, w, out) */
static PyObject *shard_answer(PyObject *self, PyObject *args)
{
    struct shard_object *object = (struct shard_object *)self;
    const temper_shard_plan *plan = ((struct plan_object *)object->plan)->plan;
    PyObject *w, *out, *done = NULL;
    const char *loss;
    int asked;
    temper_shard_request request;
    Py_buffer from, to;
    if (!PyArg_ParseTuple(args, "isdddOO", &asked, &loss, &request.loss.t1, &request.loss.t2, &request.loss.smoothing,
                          &w, &out))
        return NULL;
    request.kind = (temper_shard_request_kind)asked;
    double smoothing = request.loss.smoothing;
    if (!take_loss(loss, &request.loss))
        return NULL;
    request.loss.smoothing = smoothing; /* an argument of its own */
    if (object->busy)
        return PyErr_Format(PyExc_RuntimeError, "a shard answers one request at a time; wait for the last answer");
    if (!take_exactly(w, 'd', false, temper_shard_plan_weight_count(plan), &from))
        return NULL;
    if (take_exactly(out, 'd', true, temper_shard_reply_length(plan, request.kind), &to)) {
        done = answer(object, &request, &from, &to);
        PyBuffer_Release(&to);
    }
    PyBuffer_Release(&from);
    return done;
}

static PyMethodDef shard_methods[] = {
    {"answer", shard_answer, METH_VARARGS, "answer(asked, loss, t1, t2, smoothing, w, out)"}, {NULL, NULL, 0, NULL}};

static PyType_Slot shard_slots[] = {{Py_tp_dealloc, (void *)shard_dealloc}, {Py_tp_methods, shard_methods}, {0, NULL}};

PyType_Spec shard_spec = {.name = "temperlr._temper.Shard",
                          .basicsize = sizeof(struct shard_object),
                          .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                          .slots = shard_slots};

/* ---- All of them ----------------------------------------------------------------------------- */

/* reduce(answers, out): rows of one array, in the order of the shards. */
PyObject *reduce_answers(PyObject *module, PyObject *args)
{
    PyObject *answers, *out;
    Py_buffer from, to;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &answers, &out) || !take_buffer(out, 'd', true, "the sum", &to))
        return NULL;
    size_t length = buffer_count(&to), count = 0;
    const double **row = NULL;
    if (take_buffer(answers, 'd', false, "the answers", &from)) {
        count = length ? buffer_count(&from) / length : 0;
        if (length == 0 || buffer_count(&from) % length != 0)
            PyErr_SetString(PyExc_ValueError, "answers and their sum are not equally long");
        else if (!(row = PyMem_Malloc((count + 1) * sizeof *row)))
            PyErr_NoMemory();
        for (size_t i = 0; row && i < count; i++)
            row[i] = (const double *)from.buf + i * length;
        if (row)
            temper_shard_sum(row, count, length, to.buf);
        PyMem_Free((void *)row);
        PyBuffer_Release(&from);
    }
    PyBuffer_Release(&to);
    if (!row)
        return NULL;
    Py_RETURN_NONE;
}

/* With the GIL. False with an exception set. */
static bool ask_python(const struct asking *asking, const temper_shard_request *request, const double *w, double *sum)
{
    const temper_shard_plan *plan = ((struct plan_object *)asking->plan)->plan;
    size_t length = temper_shard_reply_length(plan, request->kind);
    Py_buffer buffer;
    char loss[TEMPER_LOSS_TEXT];
    temper_loss_format(request->loss, loss);
    PyObject *given = PyObject_CallFunction(asking->callable, "isdddy#", (int)request->kind, loss, request->loss.t1,
                                            request->loss.t2, request->loss.smoothing, (const char *)w,
                                            (Py_ssize_t)(temper_shard_plan_weight_count(plan) * sizeof *w));
    if (!given)
        return false;
    bool taken = take_exactly(given, 'd', false, length, &buffer);
    if (taken) {
        memcpy(sum, buffer.buf, length * sizeof *sum);
        PyBuffer_Release(&buffer);
    }
    Py_DECREF(given);
    return taken;
}

temper_status ask_shards(void *context, const temper_shard_request *request, const double *w, double *sum,
                         temper_error *error)
{
    struct asking *asking = context;
    PyEval_RestoreThread(*asking->state);
    bool done = ask_python(asking, request, w, sum);
    *asking->state = PyEval_SaveThread();
    if (!done)
        *error = (temper_error){.status = TEMPER_INTERRUPTED};
    return done ? TEMPER_OK : TEMPER_INTERRUPTED;
}
