/* npy: arrays as numpy.save writes them, one or two dimensions. Labels come from another file. */
#include <stdio.h>
#include <string.h>

#include "data/read/dense_array.h"
#include "data/read/npy_header.h"
#include "data/read/read.h"
#include "data/write/write.h"

enum { NPY_ALIGNMENT = 64 }; /* of the first number, as numpy has it */

temper_status read_npy(struct reading *reading, struct dataset *data)
{
    struct rectangle rectangle;
    temper_status status = npy_header_read(reading, &rectangle);
    if (status == TEMPER_OK)
        status = dense_read(reading, &rectangle, &data->x);
    source_close(reading->source);
    if (status != TEMPER_OK)
        return status;
    data->file.format = "npy";
    if (rectangle.by_columns && rectangle.columns > 1)
        dataset_note(data, "Fortran order: transposed; numpy.ascontiguousarray before saving halves the "
                           "memory that reading takes");
    return TEMPER_OK;
}

/* Version 1, with blanks so that the numbers begin at a multiple of 64. */
static size_t make_header(const struct matrix *x, char header[2 * NPY_ALIGNMENT])
{
    const char *type = x->kind == MATRIX_U8 ? "u1" : matrix_has_doubles(x) ? "f8" : "f4";
    const char *order = x->kind == MATRIX_U8 ? "|" : host_is_big_endian() ? ">" : "<";
    char text[2 * NPY_ALIGNMENT];
    int written = snprintf(text, sizeof text, "{'descr': '%s%s', 'fortran_order': False, 'shape': (%llu, %llu), }",
                           order, type, (unsigned long long)x->rows, (unsigned long long)x->columns);
    size_t length = (size_t)written, total = 10 + length + 1;
    total = (total + NPY_ALIGNMENT - 1) / NPY_ALIGNMENT * NPY_ALIGNMENT;
    memset(header, ' ', total);
    memcpy(header, "\x93NUMPY\x01", 8); /* and the 0 of version 1.0 */
    header[8] = (char)((total - 10) & 0xff);
    header[9] = (char)((total - 10) >> 8);
    memcpy(header + 10, text, length);
    header[total - 1] = '\n';
    return total;
}

/* The matrix alone: NPY has no place for labels, weights or names. */
temper_status write_npy(const struct dataset *data, struct atomic_file *sink, temper_error *error)
{
    char header[2 * NPY_ALIGNMENT];
    size_t length = make_header(&data->x, header);
    temper_status status = atomic_file_write(sink, header, length, error);
    return status == TEMPER_OK ? dense_write(&data->x, host_is_big_endian(), sink, error) : status;
}
