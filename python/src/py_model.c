/* py_model: a trained model: what it says of rows, what is known of it, and its files. */
#include <stdint.h>
#include <string.h>

#include "core.h"
#include "temper_explain.h"
#include "temper_extra.h"

static temper_model *inside(PyObject *self)
{
    return ((struct model_object *)self)->model;
}

static PyObject *done_or_raise(temper_status status, const temper_error *error)
{
    if (status != TEMPER_OK)
        return raise_error(status, error);
    Py_RETURN_NONE;
}

/* ---- Applying -------------------------------------------------------------------------------- */

static const temper_data *data_of(PyObject *self, PyObject *object)
{
    const struct core *core = PyType_GetModuleState(Py_TYPE(self));
    if (core && PyObject_TypeCheck(object, core->data))
        return ((struct data_object *)object)->data;
    PyErr_SetString(PyExc_TypeError, "rows were expected, as _temper.data makes them");
    return NULL;
}

static PyObject *model_width(PyObject *self, PyObject *args)
{
    int output;
    if (!PyArg_ParseTuple(args, "i", &output))
        return NULL;
    return PyLong_FromSize_t(temper_prediction_width(inside(self), (temper_prediction)output));
}

static PyObject *model_predict(PyObject *self, PyObject *args)
{
    PyObject *rows, *out;
    Py_buffer buffer;
    Py_ssize_t threads;
    temper_error error;
    int output;
    if (!PyArg_ParseTuple(args, "OinO", &rows, &output, &threads, &out))
        return NULL;
    const temper_data *data = data_of(self, rows);
    size_t width = temper_prediction_width(inside(self), (temper_prediction)output);
    if (!data || !take_exactly(out, 'd', true, (size_t)temper_data_rows(data) * width, &buffer))
        return NULL;
    PyThreadState *state = PyEval_SaveThread();
    temper_status status =
        temper_predict(inside(self), data, (temper_prediction)output, (size_t)threads, buffer.buf, &error);
    PyEval_RestoreThread(state);
    PyBuffer_Release(&buffer);
    return done_or_raise(status, &error);
}

/* Rows as the library reads them: two-dimensional, C-contiguous, aligned, of float64 or float32. False without an
 * exception for anything else. */
static bool take_rows(PyObject *array, Py_buffer *buffer)
{
    if (PyObject_GetBuffer(array, buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
        PyErr_Clear();
        return false;
    }
    const char *format = buffer->format ? buffer->format : "";
    bool known = strcmp(format, "d") == 0 || strcmp(format, "f") == 0;
    if (known && buffer->ndim == 2 && buffer->shape[0] > 0 && (uintptr_t)buffer->buf % (size_t)buffer->itemsize == 0)
        return true;
    PyBuffer_Release(buffer);
    return false;
}

/* Writable, of exactly so many float64 or float32. */
static bool take_numbers(PyObject *array, size_t count, Py_buffer *buffer)
{
    if (take_exactly(array, 'd', true, count, buffer))
        return true;
    if (!PyErr_ExceptionMatches(PyExc_TypeError))
        return false;
    PyErr_Clear();
    return take_exactly(array, 'f', true, count, buffer);
}

/* predict_rows(X, output, threads, out): predictions of rows without making a Data of them. False if X is nothing that
 * can be read in place, or is refused: then the caller's checks find the reason. */
static PyObject *model_predict_rows(PyObject *self, PyObject *args)
{
    PyObject *array, *result;
    Py_buffer x, out;
    Py_ssize_t threads;
    int output;
    if (!PyArg_ParseTuple(args, "OinO", &array, &output, &threads, &result))
        return NULL;
    if (!take_rows(array, &x))
        Py_RETURN_FALSE;
    bool floats = x.itemsize == sizeof(float);
    temper_dense_rows rows = {.x_f32 = floats ? x.buf : NULL,
                              .x_f64 = floats ? NULL : x.buf,
                              .rows = (size_t)x.shape[0],
                              .columns = (size_t)x.shape[1]};
    size_t count = rows.rows * temper_prediction_width(inside(self), (temper_prediction)output);
    if (!take_numbers(result, count, &out)) {
        PyBuffer_Release(&x);
        return NULL;
    }
    if (out.itemsize == sizeof(float))
        rows.out_f32 = out.buf;
    else
        rows.out_f64 = out.buf;
    PyThreadState *state = PyEval_SaveThread();
    temper_status status = temper_predict_rows(inside(self), &rows, (temper_prediction)output, (size_t)threads, NULL);
    PyEval_RestoreThread(state);
    PyBuffer_Release(&out);
    PyBuffer_Release(&x);
    return PyBool_FromLong(status == TEMPER_OK);
}

/* A call of the library that fills `width` numbers for each row. */
typedef temper_status row_numbers_fn(const temper_model *model, const temper_data *data, size_t threads, double *out,
                                     temper_error *error);

/* Calls it without the lock of the interpreter. args: rows, threads, out. */
static PyObject *fill_rows(PyObject *self, PyObject *args, row_numbers_fn *call, size_t width)
{
    PyObject *rows, *out;
    Py_buffer buffer;
    Py_ssize_t threads;
    temper_error error;
    if (!PyArg_ParseTuple(args, "OnO", &rows, &threads, &out))
        return NULL;
    const temper_data *data = data_of(self, rows);
    if (!data || !take_exactly(out, 'd', true, temper_data_rows(data) * width, &buffer))
        return NULL;
    PyThreadState *state = PyEval_SaveThread();
    temper_status status = call(inside(self), data, (size_t)threads, buffer.buf, &error);
    PyEval_RestoreThread(state);
    PyBuffer_Release(&buffer);
    return done_or_raise(status, &error);
}

static PyObject *model_importances(PyObject *self, PyObject *args)
{
    return fill_rows(self, args, temper_predict_importance, 1);
}

/* Fills out (rows x vectors x (features + 1)): contributions, and the base as the last of each. */
static PyObject *model_contributions(PyObject *self, PyObject *args)
{
    size_t width = temper_model_weight_vectors(inside(self)) * (temper_model_features(inside(self)) + 1);
    return fill_rows(self, args, temper_contributions, width);
}

/* ---- Weights and words ----------------------------------------------------------------------- */

/* Fills coef (vectors x features) and intercept (vectors). */
static PyObject *model_weights(PyObject *self, PyObject *args)
{
    PyObject *coef, *intercept;
    Py_buffer weights, biases;
    size_t vectors = temper_model_weight_vectors(inside(self));
    size_t features = (size_t)temper_model_features(inside(self));
    if (!PyArg_ParseTuple(args, "OO", &coef, &intercept) ||
        !take_exactly(coef, 'd', true, vectors * features, &weights))
        return NULL;
    if (!take_exactly(intercept, 'd', true, vectors, &biases)) {
        PyBuffer_Release(&weights);
        return NULL;
    }
    for (size_t v = 0; v < vectors; v++) {
        const double *from = temper_model_weights(inside(self), v);
        for (size_t j = 0; j < features; j++)
            ((double *)weights.buf)[v * features + j] = from[j];
        ((double *)biases.buf)[v] = temper_model_intercept(inside(self), v);
    }
    PyBuffer_Release(&weights);
    PyBuffer_Release(&biases);
    Py_RETURN_NONE;
}

/* Replaces the weights of a model by those of two buffers. */
static temper_status set_weights(temper_model *model, const double *coef, const double *intercept, temper_error *error)
{
    size_t vectors = temper_model_weight_vectors(model), features = temper_model_features(model);
    temper_status status = TEMPER_OK;
    for (size_t v = 0; v < vectors && status == TEMPER_OK; v++)
        status = temper_model_set_weights(model, v, coef + v * features, intercept[v], error);
    return status;
}

/* A copy of the model, by way of the bytes of its file. */
static temper_status copy_model(const temper_model *model, temper_model **copy, temper_error *error)
{
    temper_text text = {0};
    temper_status status = temper_model_to_text(model, &text, error);
    if (status == TEMPER_OK)
        status = temper_model_from_text(text.bytes, text.length, copy, error);
    temper_text_free(&text);
    return status;
}

/* A copy of the model with other weights: coef (vectors x features) and intercept (vectors). */
static PyObject *model_with_weights(PyObject *self, PyObject *args)
{
    PyObject *coef, *intercept;
    Py_buffer weights, biases;
    temper_model *copy = NULL;
    temper_error error;
    size_t vectors = temper_model_weight_vectors(inside(self));
    if (!PyArg_ParseTuple(args, "OO", &coef, &intercept) ||
        !take_exactly(coef, 'd', false, vectors * temper_model_features(inside(self)), &weights))
        return NULL;
    if (!take_exactly(intercept, 'd', false, vectors, &biases)) {
        PyBuffer_Release(&weights);
        return NULL;
    }
    temper_status status = copy_model(inside(self), &copy, &error);
    if (status == TEMPER_OK)
        status = set_weights(copy, weights.buf, biases.buf, &error);
    PyBuffer_Release(&weights);
    PyBuffer_Release(&biases);
    if (status == TEMPER_OK)
        return model_wrap(PyType_GetModuleState(Py_TYPE(self)), copy);
    temper_model_free(copy);
    return raise_error(status, &error);
}

typedef const char *name_fn(const temper_model *model, size_t number);

/* Bytes of a name that are no UTF-8 come back as they were when it is used as a name again. */
static PyObject *list_names(const temper_model *model, size_t count, name_fn *name_of)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        const char *text = name_of(model, i);
        PyObject *name = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
        if (!name) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SetItem(list, (Py_ssize_t)i, name);
    }
    return list;
}

/* None if the model knows no names. */
static PyObject *feature_names(const temper_model *model)
{
    if (!temper_model_feature_name(model, 0))
        Py_RETURN_NONE;
    return list_names(model, temper_model_features(model), temper_model_feature_name);
}

static PyObject *model_describe(PyObject *self, PyObject *nothing)
{
    temper_model_summary s;
    char loss[TEMPER_LOSS_TEXT];
    (void)nothing;
    temper_model_summarise(inside(self), &s);
    temper_loss_format(temper_model_loss(inside(self)), loss);
    PyObject *names = list_names(inside(self), temper_model_classes(inside(self)), temper_model_class_name);
    PyObject *features = feature_names(inside(self));
    if (!names || !features) {
        Py_XDECREF(names);
        Py_XDECREF(features);
        return NULL;
    }
    return Py_BuildValue(
        "{s:N,s:N,s:K,s:s,s:s,s:s,s:s,s:s,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:K,s:K,s:K,s:O,s:{s:d,s:d,s:n,s:n},s:d}",
        "classes", names, "feature_names", features, "features", temper_model_features(inside(self)), "loss", loss,
        "scale", s.scale, "solver", s.solver, "stop", s.stop, "precision", s.precision, "t1", s.t1, "t2", s.t2, "l2",
        s.l2, "tolerance", s.tolerance, "objective", s.objective, "gradient", s.gradient, "accuracy", s.accuracy,
        "rows", s.rows, "iterations", s.iterations, "seed", s.seed, "intercept", s.intercept ? Py_True : Py_False,
        "calibration", "order", s.calibration_order, "floor", s.calibration_floor, "rows",
        (Py_ssize_t)s.calibration_rows, "folds", (Py_ssize_t)s.calibration_folds, "noise_rate", s.noise_rate);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static PyObject *model_save(PyObject *self, PyObject *args)
{
    PyObject *path;
    temper_error error;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    temper_status status = temper_model_save(inside(self), PyBytes_AsString(path), &error);
    Py_DECREF(path);
    return done_or_raise(status, &error);
}

static PyObject *model_export(PyObject *self, PyObject *args)
{
    PyObject *path;
    const char *format;
    temper_error error;
    if (!PyArg_ParseTuple(args, "O&s", PyUnicode_FSConverter, &path, &format))
        return NULL;
    temper_status status = temper_model_export(inside(self), PyBytes_AsString(path), format, &error);
    Py_DECREF(path);
    return done_or_raise(status, &error);
}

static PyObject *model_text(PyObject *self, PyObject *nothing)
{
    temper_text text = {0};
    temper_error error;
    (void)nothing;
    temper_status status = temper_model_to_text(inside(self), &text, &error);
    if (status != TEMPER_OK)
        return raise_error(status, &error);
    PyObject *bytes = PyBytes_FromStringAndSize(text.bytes, (Py_ssize_t)text.length);
    temper_text_free(&text);
    return bytes;
}

/* Pickled as the bytes of its file: any later version reads them. */
static PyObject *model_reduce(PyObject *self, PyObject *nothing)
{
    PyObject *text = model_text(self, nothing), *module, *maker;
    if (!text)
        return NULL;
    module = PyImport_ImportModule("temperlr._temper");
    maker = module ? PyObject_GetAttrString(module, "from_text") : NULL;
    Py_XDECREF(module);
    if (maker)
        return Py_BuildValue("N(N)", maker, text);
    Py_DECREF(text);
    return NULL;
}

PyObject *model_from_path(PyObject *module, PyObject *args)
{
    PyObject *path;
    temper_error error;
    temper_model *model;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    temper_status status = temper_model_load(PyBytes_AsString(path), &model, &error);
    Py_DECREF(path);
    return status == TEMPER_OK ? model_wrap(core_of(module), model) : raise_error(status, &error);
}

PyObject *model_from_bytes(PyObject *module, PyObject *args)
{
    const char *text;
    Py_ssize_t length;
    temper_error error;
    temper_model *model;
    if (!PyArg_ParseTuple(args, "y#", &text, &length))
        return NULL;
    temper_status status = temper_model_from_text(text, (size_t)length, &model, &error);
    return status == TEMPER_OK ? model_wrap(core_of(module), model) : raise_error(status, &error);
}

/* ---- The type -------------------------------------------------------------------------------- */

PyObject *model_wrap(const struct core *core, temper_model *model)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(core->model, Py_tp_alloc);
    struct model_object *object = (struct model_object *)allocate(core->model, 0);
    if (object)
        object->model = model;
    else
        temper_model_free(model);
    return (PyObject *)object;
}

static void model_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    temper_model_free(inside(self));
    release(self);
    Py_DECREF(type);
}

static PyMethodDef model_methods[] = {
    {"width", model_width, METH_VARARGS, "numbers a row of an output; 0 if there is none"},
    {"predict", model_predict, METH_VARARGS, "predict(data, output, threads, out)"},
    {"predict_rows", model_predict_rows, METH_VARARGS, "predict_rows(X, output, threads, out)"},
    {"importances", model_importances, METH_VARARGS, "importances(data, threads, out)"},
    {"contributions", model_contributions, METH_VARARGS, "contributions(data, threads, out)"},
    {"weights", model_weights, METH_VARARGS, "weights(coef, intercept) fills both"},
    {"with_weights", model_with_weights, METH_VARARGS, "with_weights(coef, intercept): a copy that has these"},
    {"describe", model_describe, METH_NOARGS, "what is known of it"},
    {"save", model_save, METH_VARARGS, "save(path)"},
    {"export", model_export, METH_VARARGS, "export(path, format)"},
    {"text", model_text, METH_NOARGS, "the bytes of its file"},
    {"__reduce__", model_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyType_Slot model_slots[] = {{Py_tp_dealloc, (void *)model_dealloc}, {Py_tp_methods, model_methods}, {0, NULL}};

PyType_Spec model_spec = {.name = "temperlr._temper.Model",
                          .basicsize = sizeof(struct model_object),
                          .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                          .slots = model_slots};
