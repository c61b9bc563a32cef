/* py_data: rows, labels and what belongs to them, borrowed from the caller's buffers. */
#include <string.h>

#include "core.h"
#include "temper_extra.h"

/* ---- Life ------------------------------------------------------------------------------------ */

static void data_dealloc(PyObject *self)
{
    struct data_object *object = (struct data_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    temper_data_free(object->data); /* before the numbers that it borrows */
    for (size_t i = 0; i < object->holds; i++)
        PyBuffer_Release(&object->held[i]);
    release(self);
    Py_DECREF(type);
}

static PyObject *data_rows(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLongLong(temper_data_rows(((struct data_object *)self)->data));
}

static PyGetSetDef data_members[] = {{"rows", data_rows, NULL, "how many there are", NULL},
                                     {"feature_names", data_feature_names, NULL, "of all features", NULL},
                                     {"class_names", data_class_names, NULL, "of all classes", NULL},
                                     {"labels", data_labels, NULL, "the class of each row, as bytes, or None", NULL},
                                     {"notes", data_notes, NULL, "what was inferred, a line each", NULL},
                                     {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot data_slots[] = {{Py_tp_dealloc, (void *)data_dealloc}, {Py_tp_getset, data_members}, {0, NULL}};

PyType_Spec data_spec = {.name = "temperlr._temper.Data",
                         .basicsize = sizeof(struct data_object),
                         .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                         .slots = data_slots};

/* ---- Features -------------------------------------------------------------------------------- */

/* Class numbers, or none. */
struct labels {
    const int *given;
    size_t count;
};

/* Looked at before they are: there must be one for each row. */
static bool labels_fit(struct labels labels, size_t rows)
{
    if (!labels.given || labels.count == rows)
        return true;
    PyErr_Format(PyExc_ValueError, "there are %zu labels for %zu rows", labels.count, rows);
    return false;
}

/* Holds one more buffer; NULL with an exception set. */
static Py_buffer *hold(struct data_object *object, PyObject *array, char letter, const char *name)
{
    Py_buffer *buffer = &object->held[object->holds];
    if (!take_buffer(array, letter, false, name, buffer))
        return NULL;
    object->holds++;
    return buffer;
}

static char dense_letter(PyObject *array)
{
    Py_buffer buffer;
    char letter = '?';
    if (PyObject_GetBuffer(array, &buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0)
        return 0;
    if (buffer.ndim == 2 && buffer.format && strlen(buffer.format) == 1)
        letter = buffer.format[0];
    PyBuffer_Release(&buffer);
    return letter;
}

static bool borrow_dense(struct data_object *object, PyObject *array, struct labels labels)
{
    char letter = dense_letter(array);
    Py_buffer *x = letter ? hold(object, array, letter, "X") : NULL;
    temper_error error;
    temper_status status;
    if (!x)
        return false;
    size_t rows = x->ndim == 2 ? (size_t)x->shape[0] : 0;
    size_t columns = x->ndim == 2 ? (size_t)x->shape[1] : 0;
    if (!labels_fit(labels, rows))
        return false;
    /* Without the GIL: every number is looked at. */
    PyThreadState *state = PyEval_SaveThread();
    if (letter == 'd')
        status = temper_data_borrow_f64(x->buf, rows, columns, labels.given, &object->data, &error);
    else if (letter == 'f')
        status = temper_data_borrow_f32(x->buf, rows, columns, labels.given, &object->data, &error);
    else if (letter == 'B')
        status = temper_data_borrow_u8(x->buf, rows, columns, labels.given, &object->data, &error);
    else
        status = TEMPER_BUG;
    PyEval_RestoreThread(state);
    if (status == TEMPER_OK)
        return true;
    if (status == TEMPER_BUG)
        PyErr_SetString(PyExc_TypeError, "X has to be two-dimensional, of float64, float32 or "
                                         "uint8");
    else
        raise_error(status, &error);
    return false;
}

/* The same for an array of the first or the second type. */
static Py_buffer *hold_either(struct data_object *object, PyObject *array, const char *letters, const char *name)
{
    Py_buffer *buffer = hold(object, array, letters[0], name);
    if (buffer || !PyErr_ExceptionMatches(PyExc_TypeError))
        return buffer;
    PyErr_Clear();
    return hold(object, array, letters[1], name);
}

/* One that is below 0 becomes too large, and is refused as that. */
static uint64_t integer_at(const Py_buffer *buffer, size_t i)
{
    if (buffer->itemsize == sizeof(uint64_t))
        return ((const uint64_t *)buffer->buf)[i];
    return ((const uint32_t *)buffer->buf)[i];
}

/* (row_start, column, value, columns) */
static bool borrow_sparse(struct data_object *object, PyObject *tuple, struct labels labels)
{
    PyObject *start, *column, *value;
    Py_ssize_t columns;
    temper_error error;
    if (!PyArg_ParseTuple(tuple, "OOOn", &start, &column, &value, &columns))
        return false;
    const Py_buffer *starts = hold_either(object, start, "qi", "row_start");
    const Py_buffer *indices = starts ? hold_either(object, column, "qi", "column") : NULL;
    const Py_buffer *values = indices ? hold_either(object, value, "df", "value") : NULL;
    if (!values)
        return false;
    size_t rows = buffer_count(starts) - 1, entries = buffer_count(values);
    if (buffer_count(starts) == 0 || buffer_count(indices) != entries || integer_at(starts, rows) != entries) {
        PyErr_SetString(PyExc_ValueError, "the arrays of a sparse matrix do not fit together");
        return false;
    }
    if (!labels_fit(labels, rows))
        return false;
    temper_csr_any sparse = {.rows = rows,
                             .columns = (size_t)columns,
                             .row_start = starts->buf,
                             .column = indices->buf,
                             .value = values->buf,
                             .row_start_size = (size_t)starts->itemsize,
                             .column_size = (size_t)indices->itemsize,
                             .value_size = (size_t)values->itemsize};
    PyThreadState *state = PyEval_SaveThread();
    temper_status status = temper_data_borrow_csr_any(&sparse, labels.given, &object->data, &error);
    PyEval_RestoreThread(state);
    if (status != TEMPER_OK)
        raise_error(status, &error);
    return status == TEMPER_OK;
}

/* Labels without features. */
static bool take_labels_alone(struct data_object *object, struct labels labels)
{
    temper_error error;
    temper_status status = temper_data_from_labels(labels.given, labels.count, &object->data, &error);
    if (status != TEMPER_OK)
        raise_error(status, &error);
    return status == TEMPER_OK;
}

static bool borrow_features(struct data_object *object, PyObject *x, PyObject *labels)
{
    Py_buffer buffer;
    struct labels given = {NULL, 0};
    if (labels != Py_None) {
        if (!take_buffer(labels, 'i', false, "labels", &buffer))
            return false;
        given = (struct labels){buffer.buf, buffer_count(&buffer)};
    }
    bool made = x == Py_None       ? take_labels_alone(object, given)
                : PyTuple_Check(x) ? borrow_sparse(object, x, given)
                                   : borrow_dense(object, x, given);
    if (labels != Py_None)
        PyBuffer_Release(&buffer);
    return made;
}

/* ---- What belongs to them -------------------------------------------------------------------- */

typedef temper_status name_fn(temper_data *data, const char *const *names, temper_error *error);

/* A name as UTF-8, borrowed; NULL with an exception. The library ends names at a NUL, which would cut such a name. */
static const char *name_text(PyObject *name)
{
    Py_ssize_t length = 0;
    const char *text = PyUnicode_AsUTF8AndSize(name, &length);
    if (!text || strlen(text) == (size_t)length)
        return text;
    PyErr_Format(PyExc_ValueError, "the name %R has a NUL character, which no model file can hold; rename it", name);
    return NULL;
}

static bool attach_names(temper_data *data, PyObject *list, size_t count, name_fn *attach)
{
    temper_error error;
    if (list == Py_None)
        return true;
    if (!PyList_Check(list) || (size_t)PyList_Size(list) != count) {
        PyErr_Format(PyExc_ValueError, "a list of %zu names was expected", count);
        return false;
    }
    const char **names = PyMem_Malloc((count + 1) * sizeof *names);
    if (!names)
        return PyErr_NoMemory();
    for (size_t i = 0; i < count; i++)
        if (!(names[i] = name_text(PyList_GetItem(list, (Py_ssize_t)i)))) {
            PyMem_Free(names);
            return false;
        }
    temper_status status = attach(data, names, &error);
    PyMem_Free(names);
    if (status != TEMPER_OK)
        raise_error(status, &error);
    return status == TEMPER_OK;
}

static bool attach_weights(temper_data *data, PyObject *weights)
{
    Py_buffer buffer;
    temper_error error;
    if (weights == Py_None)
        return true;
    if (!take_exactly(weights, 'd', false, (size_t)temper_data_rows(data), &buffer))
        return false;
    temper_status status = temper_data_set_weights(data, buffer.buf, &error);
    PyBuffer_Release(&buffer);
    if (status != TEMPER_OK)
        raise_error(status, &error);
    return status == TEMPER_OK;
}

bool data_take_names(temper_data *data, PyObject *class_names, PyObject *weights)
{
    return attach_names(data, class_names, temper_data_classes(data), temper_data_set_class_names) &&
           attach_weights(data, weights);
}

PyObject *data_new(PyObject *module, PyObject *args)
{
    PyObject *x, *labels, *class_names, *feature_names, *weights;
    PyTypeObject *type = core_of(module)->data;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    if (!PyArg_ParseTuple(args, "OOOOO", &x, &labels, &class_names, &feature_names, &weights))
        return NULL;
    struct data_object *object = (struct data_object *)allocate(type, 0);
    if (!object)
        return NULL;
    if (borrow_features(object, x, labels) &&
        attach_names(object->data, class_names, temper_data_classes(object->data), temper_data_set_class_names) &&
        attach_names(object->data, feature_names, (size_t)temper_data_features(object->data),
                     temper_data_set_feature_names) &&
        attach_weights(object->data, weights))
        return (PyObject *)object;
    Py_DECREF(object);
    return NULL;
}
