/* dense_array_write: writes any matrix as a rectangle of numbers. */
#include <string.h>

#include "base/memory.h"
#include "data/memory/page_window.h"
#include "data/read/dense_array.h"

/* One row as it is written to the file: `columns` elements of `size` bytes, in the byte order of the file (`swap`: not
 * that of this machine). */
struct row_buffer {
    void *bytes;
    size_t columns, size; /* of an element */
    bool swap;
};

/* Expands a sparse row to a dense one, zeros included. The values are floats, or doubles if the row has value64; the
 * buffer has the same type. */
static void spread(const struct row *row, const struct row_buffer *buffer)
{
    float *floats = buffer->bytes;
    double *doubles = buffer->bytes;
    memset(buffer->bytes, 0, buffer->columns * buffer->size);
    for (size_t i = 0; i < row->count; i++)
        if (row->value64)
            doubles[row_column(row, i)] = row->value64[i];
        else
            floats[row_column(row, i)] = row->value[i];
}

/* Writes the matrix row by row through the buffer. page_window_rows announces each row, since the matrix may be mapped
 * with only a window of it resident. */
static temper_status write_rows(const struct matrix *x, struct row_buffer *buffer, struct atomic_file *sink,
                                temper_error *error)
{
    temper_status status = TEMPER_OK;
    size_t length = buffer->columns * buffer->size;
    for (uint64_t i = 0; i < x->rows && status == TEMPER_OK; i++) {
        page_window_rows(x, i, 1);
        struct row row = matrix_row(x, i);
        if (row.dense)
            memcpy(buffer->bytes, row.dense, length);
        else
            spread(&row, buffer);
        if (buffer->swap)
            swap_elements(buffer->bytes, buffer->columns, buffer->size);
        status = atomic_file_write(sink, buffer->bytes, length, error);
    }
    return status;
}

/* Writes any matrix as rows * columns numbers of its own type: bytes, floats or doubles. A dense matrix in memory that
 * has the right byte order is written in one call. */
temper_status dense_write(const struct matrix *x, bool big_endian, struct atomic_file *sink, temper_error *error)
{
    bool sparse = x->kind == MATRIX_CSR;
    struct row_buffer buffer = {.columns = (size_t)x->columns,
                                .size = x->kind == MATRIX_U8    ? 1
                                        : matrix_has_doubles(x) ? sizeof(double)
                                                                : sizeof(float)};
    buffer.swap = big_endian != host_is_big_endian() && buffer.size > 1;
    if (!sparse && !buffer.swap && !x->pages) /* the array has the layout of the file */
        return atomic_file_write(sink, x->dense, (size_t)matrix_bytes(x), error);
    buffer.bytes = mem_alloc(buffer.columns, buffer.size);
    if (!buffer.bytes)
        return error_no_memory(error);
    temper_status status = write_rows(x, &buffer, sink, error);
    mem_free(buffer.bytes);
    return status;
}
