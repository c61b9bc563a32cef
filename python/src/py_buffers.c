/* py_buffers: arrays of other packages through the buffer protocol, of exactly the type that is
 * wanted; whatever else there is was converted before. */
#include <string.h>

#include "core.h"

/* 'f' of "f", "=f", "<f": the letter alone, whatever says that the bytes are in our order. */
static char letter_of(const Py_buffer *buffer)
{
    const char *format = buffer->format ? buffer->format : "B";
    if (*format == '@' || *format == '=' || *format == (PY_LITTLE_ENDIAN ? '<' : '>'))
        format++;
    return format[0] && !format[1] ? format[0] : '?';
}

/* Letters are those of NumPy on this machine: of long and long long, the one that has 8 bytes. */
static bool is_letter(const Py_buffer *buffer, char letter)
{
    char found = letter_of(buffer);
    if (letter == 'q' || letter == 'Q')
        return buffer->itemsize == 8 && strchr("lqLQ", found) != NULL;
    if (letter == 'i' || letter == 'I')
        return buffer->itemsize == 4 && strchr("ilIL", found) != NULL;
    return found == letter;
}

size_t buffer_count(const Py_buffer *buffer)
{
    return (size_t)(buffer->len / (buffer->itemsize ? buffer->itemsize : 1));
}

bool take_buffer(PyObject *object, char letter, bool writable, const char *name, Py_buffer *buffer)
{
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, buffer, flags) != 0)
        return false;
    if (is_letter(buffer, letter))
        return true;
    PyErr_Format(PyExc_TypeError, "%s has elements of type '%s', and '%c' was expected", name,
                 buffer->format ? buffer->format : "B", letter);
    PyBuffer_Release(buffer);
    return false;
}

bool take_exactly(PyObject *object, char letter, bool writable, size_t count, Py_buffer *buffer)
{
    if (!take_buffer(object, letter, writable, "an array", buffer))
        return false;
    if (buffer_count(buffer) == count)
        return true;
    PyErr_Format(PyExc_ValueError, "an array has %zu elements, and %zu were expected", buffer_count(buffer), count);
    PyBuffer_Release(buffer);
    return false;
}
