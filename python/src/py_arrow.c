/* py_arrow: data from files and from tables of other packages, by the options of the command. */
#include <string.h>

#include "core.h"
#include "temper_arrow.h"

/* Words of temper_read_options, by their names in Python; each is a str or None. */
static const struct {
    const char *name;
    size_t offset;
} words[] = {
    {"label", offsetof(temper_read_options, label)},
    {"ignore", offsetof(temper_read_options, ignore)},
    {"categorical", offsetof(temper_read_options, categorical)},
    {"text", offsetof(temper_read_options, text)},
    {"weights", offsetof(temper_read_options, weights)},
    {"missing", offsetof(temper_read_options, missing)},
    {"na", offsetof(temper_read_options, na)},
    {"date", offsetof(temper_read_options, date)},
    {"decimal", offsetof(temper_read_options, decimal)},
    {"classes", offsetof(temper_read_options, classes)},
    {"class_weight", offsetof(temper_read_options, class_weight)},
    {"format", offsetof(temper_read_options, format)},
};

/* Takes the words of a dict, which outlives the options. False with an exception set. */
static bool take_words(PyObject *dict, temper_read_options *options)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        PyObject *word = PyDict_GetItemString(dict, words[i].name); /* borrowed */
        if (!word || word == Py_None)
            continue;
        const char *text = PyUnicode_AsUTF8AndSize(word, NULL);
        if (!text)
            return false;
        memcpy((char *)options + words[i].offset, (const void *)&text, sizeof text);
    }
    return true;
}

/* {"label": "kind", ..., "strict": False, "f64": False, "threads": 1} */
static bool take_options(PyObject *dict, temper_read_options *options)
{
    PyObject *strict = PyDict_GetItemString(dict, "strict"), *f64 = PyDict_GetItemString(dict, "f64");
    PyObject *threads = PyDict_GetItemString(dict, "threads");
    *options = temper_read_defaults();
    options->automatic = !(strict && PyObject_IsTrue(strict));
    options->f64 = f64 && PyObject_IsTrue(f64);
    options->threads = threads ? PyLong_AsSize_t(threads) : 0;
    return !PyErr_Occurred() && take_words(dict, options);
}

/* An empty object; NULL with an exception. */
static struct data_object *new_data(PyObject *module)
{
    PyTypeObject *type = core_of(module)->data;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return (struct data_object *)allocate(type, 0);
}

/* The object, or NULL with the exception of a status. */
static PyObject *finish(struct data_object *object, temper_status status, const temper_error *error)
{
    if (status == TEMPER_OK)
        return (PyObject *)object;
    raise_error(status, error);
    Py_DECREF(object);
    return NULL;
}

PyObject *data_from_path(PyObject *module, PyObject *args)
{
    PyObject *path, *dict;
    temper_read_options options;
    temper_error error;
    if (!PyArg_ParseTuple(args, "O&O!", PyUnicode_FSConverter, &path, &PyDict_Type, &dict))
        return NULL;
    struct data_object *object = take_options(dict, &options) ? new_data(module) : NULL;
    if (!object) {
        Py_DECREF(path);
        return NULL;
    }
    const char *name = PyBytes_AsString(path);
    PyThreadState *state = PyEval_SaveThread();
    temper_status status = temper_data_read(name, &options, &object->data, &error);
    PyEval_RestoreThread(state);
    Py_DECREF(path);
    return finish(object, status, &error);
}

/* A stream that is moved out of its capsule, so that the capsule releases nothing. */
static bool take_stream(PyObject *capsule, struct ArrowArrayStream *stream)
{
    struct ArrowArrayStream *given = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (!given)
        return false;
    if (!given->release) {
        PyErr_SetString(PyExc_ValueError, "the Arrow stream was read already; give a new one");
        return false;
    }
    *stream = *given;
    given->release = NULL;
    return true;
}

/* arrow(capsule, options, model or None, labels or None). The GIL is kept: the stream may call Python. */
PyObject *data_from_arrow(PyObject *module, PyObject *args)
{
    PyObject *capsule, *dict, *model, *labels;
    temper_read_options read;
    temper_arrow_options options = temper_arrow_defaults();
    temper_error error;
    Py_buffer buffer;
    struct ArrowArrayStream stream;
    if (!PyArg_ParseTuple(args, "OO!OO", &capsule, &PyDict_Type, &dict, &model, &labels) || !take_options(dict, &read))
        return NULL;
    options.read = &read;
    if (model != Py_None && !PyObject_TypeCheck(model, core_of(module)->model)) {
        PyErr_SetString(PyExc_TypeError, "the model is none");
        return NULL;
    }
    if (model != Py_None)
        options.model = ((struct model_object *)model)->model;
    if (labels != Py_None && !take_buffer(labels, 'i', false, "labels", &buffer))
        return NULL;
    if (labels != Py_None) {
        options.labels = buffer.buf;
        options.label_count = buffer_count(&buffer);
    }
    struct data_object *object = take_stream(capsule, &stream) ? new_data(module) : NULL;
    PyObject *made = NULL;
    if (object)
        made = finish(object, temper_data_from_arrow_stream(&stream, &options, &object->data, &error), &error);
    if (labels != Py_None)
        PyBuffer_Release(&buffer);
    return made;
}

/* ---- What the data has ----------------------------------------------------------------------- */

/* A list of names; NULL with an exception. */
static PyObject *name_list(const temper_data *data, size_t count,
                           const char *(*name)(const temper_data *data, size_t index))
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count; i++) {
        const char *text = name(data, i);
        PyObject *item = text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape")
                              : PyUnicode_FromFormat("f%zu", i + 1);
        if (!item || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

PyObject *data_feature_names(PyObject *self, void *closure)
{
    const temper_data *data = ((struct data_object *)self)->data;
    (void)closure;
    return name_list(data, temper_data_features(data), temper_data_feature_name);
}

PyObject *data_class_names(PyObject *self, void *closure)
{
    const temper_data *data = ((struct data_object *)self)->data;
    (void)closure;
    return name_list(data, temper_data_classes(data), temper_data_class_name);
}

PyObject *data_notes(PyObject *self, void *closure)
{
    const char *notes = temper_data_notes(((struct data_object *)self)->data);
    (void)closure;
    return PyUnicode_DecodeUTF8(notes, (Py_ssize_t)strlen(notes), "replace");
}

/* The class of each row, as the bytes of 32-bit numbers; None without labels. */
PyObject *data_labels(PyObject *self, void *closure)
{
    const temper_data *data = ((struct data_object *)self)->data;
    const uint32_t *labels = temper_data_labels(data);
    (void)closure;
    if (!labels)
        Py_RETURN_NONE;
    return PyBytes_FromStringAndSize((const char *)labels, (Py_ssize_t)(temper_data_rows(data) * sizeof *labels));
}

/* attach(data, class_names or None, weights or None) */
PyObject *data_attach(PyObject *module, PyObject *args)
{
    PyObject *data, *class_names, *weights;
    if (!PyArg_ParseTuple(args, "O!OO", core_of(module)->data, &data, &class_names, &weights))
        return NULL;
    if (!data_take_names(((struct data_object *)data)->data, class_names, weights))
        return NULL;
    Py_RETURN_NONE;
}
