/* py_functions: the paper's functions on arrays. functions.py broadcasts and allocates; here are
 * contiguous doubles only, and loops without the GIL. */
#include <math.h>

#include "core.h"
#include "temper_extra.h"

/* ---- Element by element ---------------------------------------------------------------------- */

typedef double element_fn(double x, double t);

/* out[i] = f(x[i], t[i]) */
static PyObject *map_elements(PyObject *args, element_fn *f)
{
    PyObject *objects[3];
    Py_buffer x, t, out;
    if (!PyArg_ParseTuple(args, "OOO", &objects[0], &objects[1], &objects[2]) ||
        !take_buffer(objects[2], 'd', true, "out", &out))
        return NULL;
    size_t count = buffer_count(&out);
    bool got_x = take_exactly(objects[0], 'd', false, count, &x);
    bool got_t = got_x && take_exactly(objects[1], 'd', false, count, &t);
    if (got_t) {
        PyThreadState *state = PyEval_SaveThread();
        for (size_t i = 0; i < count; i++)
            ((double *)out.buf)[i] = f(((const double *)x.buf)[i], ((const double *)t.buf)[i]);
        PyEval_RestoreThread(state);
        PyBuffer_Release(&t);
    }
    if (got_x)
        PyBuffer_Release(&x);
    PyBuffer_Release(&out);
    return got_t ? Py_NewRef(Py_None) : NULL;
}

static PyObject *function_log_t(PyObject *module, PyObject *args)
{
    (void)module;
    return map_elements(args, temper_log_t);
}

static PyObject *function_exp_t(PyObject *module, PyObject *args)
{
    (void)module;
    return map_elements(args, temper_exp_t);
}

/* ---- Row by row ------------------------------------------------------------------------------ */

/* One row of n numbers at temperature t; writes one number, or n. */
typedef void row_fn(const double *row, size_t n, double t, double *out);

static void row_log_partition(const double *a, size_t n, double t, double *out)
{
    *out = temper_log_partition(a, n, t);
}

static void row_entropy(const double *p, size_t n, double t, double *out)
{
    *out = temper_entropy(p, n, t);
}

/* (rows[count * n], n, t, out[count * width]) */
static PyObject *map_rows(PyObject *args, row_fn *f, bool wide)
{
    PyObject *objects[2];
    Py_buffer rows, out;
    Py_ssize_t n;
    double t;
    if (!PyArg_ParseTuple(args, "OndO", &objects[0], &n, &t, &objects[1]) ||
        !take_buffer(objects[0], 'd', false, "rows", &rows))
        return NULL;
    size_t width = n > 0 ? (size_t)n : 1, count = buffer_count(&rows) / width;
    bool got = take_exactly(objects[1], 'd', true, count * (wide ? width : 1), &out);
    if (got) {
        PyThreadState *state = PyEval_SaveThread();
        for (size_t i = 0; i < count; i++)
            f((const double *)rows.buf + i * width, width, t, (double *)out.buf + i * (wide ? width : 1));
        PyEval_RestoreThread(state);
        PyBuffer_Release(&out);
    }
    PyBuffer_Release(&rows);
    return got ? Py_NewRef(Py_None) : NULL;
}

static PyObject *function_log_partition(PyObject *module, PyObject *args)
{
    (void)module;
    return map_rows(args, row_log_partition, false);
}

static PyObject *function_probabilities(PyObject *module, PyObject *args)
{
    (void)module;
    return map_rows(args, temper_probabilities, true);
}

static PyObject *function_escort(PyObject *module, PyObject *args)
{
    (void)module;
    return map_rows(args, temper_escort, true);
}

static PyObject *function_entropy(PyObject *module, PyObject *args)
{
    (void)module;
    return map_rows(args, row_entropy, false);
}

/* ---- Two inputs ------------------------------------------------------------------------------ */

/* (p[count * n], q[count * n], n, t, out[count]) */
static PyObject *function_divergence(PyObject *module, PyObject *args)
{
    PyObject *objects[3];
    Py_buffer p, q, out;
    Py_ssize_t n;
    double t;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOndO", &objects[0], &objects[1], &n, &t, &objects[2]) ||
        !take_buffer(objects[2], 'd', true, "out", &out))
        return NULL;
    size_t width = n > 0 ? (size_t)n : 1, count = buffer_count(&out);
    bool got_p = take_exactly(objects[0], 'd', false, count * width, &p);
    bool got_q = got_p && take_exactly(objects[1], 'd', false, count * width, &q);
    if (got_q) {
        PyThreadState *state = PyEval_SaveThread();
        for (size_t i = 0; i < count; i++)
            ((double *)out.buf)[i] =
                temper_divergence((const double *)p.buf + i * width, (const double *)q.buf + i * width, width, t);
        PyEval_RestoreThread(state);
        PyBuffer_Release(&q);
    }
    if (got_p)
        PyBuffer_Release(&p);
    PyBuffer_Release(&out);
    return got_q ? Py_NewRef(Py_None) : NULL;
}

/* ---- The loss -------------------------------------------------------------------------------- */

/* What Python has to know of each loss: whether it is a two-temperature loss, and which temperatures are free. */
static PyObject *function_losses(PyObject *module, PyObject *nothing)
{
    PyObject *all = PyDict_New();
    (void)module;
    (void)nothing;
    for (size_t i = 0; all && i < TEMPER_METHODS; i++) {
        const temper_loss_spec open = {.method = (temper_method)i, .t1 = NAN, .t2 = NAN};
        temper_loss_spec loss = temper_loss_resolve(open);
        bool temperatures = loss.method != TEMPER_HINGE;
        PyObject *facts = Py_BuildValue("(NNN)", PyBool_FromLong(temper_loss_is_two_temperature(loss)),
                                        PyBool_FromLong(temperatures && isnan(loss.t1)),
                                        PyBool_FromLong(temperatures && isnan(loss.t2)));
        if (!facts || PyDict_SetItemString(all, temper_method_name(loss.method), facts) != 0)
            Py_CLEAR(all);
        Py_XDECREF(facts);
    }
    return all;
}

/* The arrays of a call: activations, labels or targets, losses, and gradients or None. */
enum { ACTIVATIONS, LABELS, TARGETS, LOSSES, GRADIENTS, ARRAYS };

struct loss_call {
    PyObject *object[ARRAYS];
    Py_buffer buffer[ARRAYS];
    bool taken[ARRAYS];
    bool f32;
    temper_loss_spec loss;
    temper_loss_rows_options options;
};

/* 'f' if the activations are floats, else 'd', which take_buffer demands then. */
static bool activations_are_floats(PyObject *object)
{
    Py_buffer buffer;
    if (PyObject_GetBuffer(object, &buffer, PyBUF_FORMAT) != 0) {
        PyErr_Clear();
        return false;
    }
    bool f32 = buffer.itemsize == sizeof(float);
    PyBuffer_Release(&buffer);
    return f32;
}

static bool take_loss_array(struct loss_call *call, size_t which)
{
    char letter = which == LABELS ? 'q' : call->f32 ? 'f' : 'd';
    if (call->object[which] == Py_None)
        return true;
    call->taken[which] = take_buffer(call->object[which], letter, which >= LOSSES, "an array", &call->buffer[which]);
    return call->taken[which];
}

/* Takes the arrays, and compares their sizes. */
static bool take_loss_arrays(struct loss_call *call)
{
    call->f32 = activations_are_floats(call->object[ACTIVATIONS]);
    for (size_t k = 0; k < ARRAYS; k++)
        if (!take_loss_array(call, k))
            return false;
    size_t rows = buffer_count(&call->buffer[LOSSES]), numbers = rows * call->options.classes;
    const size_t wanted[ARRAYS] = {numbers, rows, numbers, rows, numbers};
    for (size_t k = 0; k < ARRAYS; k++)
        if (call->taken[k] && buffer_count(&call->buffer[k]) != wanted[k]) {
            PyErr_SetString(PyExc_ValueError, "there are not as many labels as rows");
            return false;
        }
    call->options.rows = rows;
    call->options.labels = call->taken[LABELS] ? call->buffer[LABELS].buf : NULL;
    call->options.targets = call->taken[TARGETS] ? call->buffer[TARGETS].buf : NULL;
    return true;
}

static bool fill_losses(struct loss_call *call)
{
    const void *a = call->buffer[ACTIVATIONS].buf;
    void *losses = call->buffer[LOSSES].buf, *gradients = call->taken[GRADIENTS] ? call->buffer[GRADIENTS].buf : NULL;
    temper_error error;
    PyThreadState *state = PyEval_SaveThread();
    temper_status status = call->f32 ? temper_loss_rows_f32(call->loss, &call->options, a, losses, gradients, &error)
                                     : temper_loss_rows_f64(call->loss, &call->options, a, losses, gradients, &error);
    PyEval_RestoreThread(state);
    return status == TEMPER_OK || (raise_error(status, &error), false);
}

/* What a caller may want to treat in another way: are all losses finite, and how many rows were left out? */
static PyObject *count_losses(const struct loss_call *call)
{
    const int64_t *label = call->options.labels;
    bool finite = true;
    Py_ssize_t ignored = 0;
    for (size_t i = 0; i < call->options.rows; i++) {
        const void *losses = call->buffer[LOSSES].buf;
        finite &= isfinite(call->f32 ? (double)((const float *)losses)[i] : ((const double *)losses)[i]);
        ignored += label && label[i] == call->options.ignored_label;
    }
    return Py_BuildValue("(Nn)", PyBool_FromLong(finite), ignored);
}

/* (activations, classes, labels or None, targets or None, loss, (t1, t2, smoothing), ignored, threads, losses,
 * gradients or None) */
static PyObject *function_loss_rows(PyObject *module, PyObject *args)
{
    struct loss_call call = {.options = temper_loss_rows_defaults()};
    const char *name;
    Py_ssize_t classes, threads;
    long long ignored;
    (void)module;
    if (!PyArg_ParseTuple(args, "OnOOs(ddd)LnOO", &call.object[ACTIVATIONS], &classes, &call.object[LABELS],
                          &call.object[TARGETS], &name, &call.loss.t1, &call.loss.t2, &call.options.label_smoothing,
                          &ignored, &threads, &call.object[LOSSES], &call.object[GRADIENTS]))
        return NULL;
    call.options.classes = classes > 0 ? (size_t)classes : 0;
    call.options.ignored_label = ignored;
    call.options.threads = threads > 0 ? (size_t)threads : 0;
    bool done = take_loss(name, &call.loss) && take_loss_arrays(&call) && fill_losses(&call);
    PyObject *counts = done ? count_losses(&call) : NULL;
    for (size_t k = 0; k < ARRAYS; k++)
        if (call.taken[k])
            PyBuffer_Release(&call.buffer[k]);
    return counts;
}

PyMethodDef function_methods[] = {
    {"log_t", function_log_t, METH_VARARGS, "log_t(x, t, out)"},
    {"exp_t", function_exp_t, METH_VARARGS, "exp_t(x, t, out)"},
    {"log_partition", function_log_partition, METH_VARARGS, "log_partition(a, n, t, out)"},
    {"probabilities", function_probabilities, METH_VARARGS, "probabilities(a, n, t, out)"},
    {"escort", function_escort, METH_VARARGS, "escort(p, n, t, out)"},
    {"entropy", function_entropy, METH_VARARGS, "entropy(p, n, t, out)"},
    {"divergence", function_divergence, METH_VARARGS, "divergence(p, q, n, t, out)"},
    {"losses", function_losses, METH_NOARGS, "losses(): {name: (two temperatures, free t1, free t2)}"},
    {"loss_rows", function_loss_rows, METH_VARARGS,
     "loss_rows(a, classes, labels, targets, loss, (t1, t2, smoothing), ignored, threads, losses, gradients)"},
    {NULL, NULL, 0, NULL}};
