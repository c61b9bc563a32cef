/* py_functions: the paper's functions on arrays. _functions.py broadcasts and allocates; here are
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

/* Rows, labels, losses and, unless it is empty, gradients. */
struct losses {
    Py_buffer rows, labels, out, gradient;
    size_t n;
    temper_loss_spec loss;
};

static bool labels_are_classes(const struct losses *l)
{
    const int *label = l->labels.buf;
    for (size_t i = 0; i < buffer_count(&l->labels); i++)
        if (label[i] < 0 || (size_t)label[i] >= l->n) {
            PyErr_Format(PyExc_ValueError, "label %d of row %zu is none of the %zu classes", label[i], i, l->n);
            return false;
        }
    return true;
}

static void fill_losses(const struct losses *l)
{
    bool wanted = buffer_count(&l->gradient) > 0;
    for (size_t i = 0; i < buffer_count(&l->out); i++) {
        double *gradient = wanted ? (double *)l->gradient.buf + i * l->n : NULL;
        ((double *)l->out.buf)[i] = temper_loss_of_spec(l->loss, (const double *)l->rows.buf + i * l->n, l->n,
                                                        (size_t)((const int *)l->labels.buf)[i], gradient, NULL);
    }
}

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

/* (rows[count * n], n, labels[count], loss, t1, t2, out[count], gradient[count * n] or [0]) */
static PyObject *function_loss(PyObject *module, PyObject *args)
{
    PyObject *objects[4];
    Py_buffer *buffers[4];
    const char *name;
    Py_ssize_t n;
    struct losses l = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "OnOsddOO", &objects[0], &n, &objects[1], &name, &l.loss.t1, &l.loss.t2, &objects[2],
                          &objects[3]))
        return NULL;
    if (!take_loss(name, &l.loss))
        return NULL;
    if (temper_loss_has_rounds(l.loss)) {
        PyErr_Format(PyExc_ValueError,
                     "loss %s is no function of activations: it depends on the other rows of a training; without them "
                     "it is \"logistic\"",
                     temper_method_name(l.loss.method));
        return NULL;
    }
    l.n = n > 0 ? (size_t)n : 1;
    buffers[0] = &l.rows, buffers[1] = &l.labels, buffers[2] = &l.out, buffers[3] = &l.gradient;
    size_t got = 0;
    while (got < 4 && take_buffer(objects[got], got == 1 ? 'i' : 'd', got > 1, "an array", buffers[got]))
        got++;
    size_t count = got == 4 ? buffer_count(&l.out) : 0, slopes = buffer_count(&l.gradient);
    bool fits = got == 4 && buffer_count(&l.rows) == count * l.n && buffer_count(&l.labels) == count &&
                (slopes == 0 || slopes == count * l.n);
    if (got == 4 && !fits)
        PyErr_SetString(PyExc_ValueError, "there are not as many labels as rows");
    fits = fits && labels_are_classes(&l);
    if (fits) {
        PyThreadState *state = PyEval_SaveThread();
        fill_losses(&l);
        PyEval_RestoreThread(state);
    }
    while (got > 0)
        PyBuffer_Release(buffers[--got]);
    return fits ? Py_NewRef(Py_None) : NULL;
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
    {"loss", function_loss, METH_VARARGS, "loss(a, n, labels, loss, t1, t2, out, gradient)"},
    {NULL, NULL, 0, NULL}};
