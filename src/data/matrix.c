/* matrix: one row view for dense floats, doubles and bytes, and for sparse rows. */
#include "data/matrix.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

/* Bytes of a dense element; CSR has none. */
static const uint8_t element_size[] = {
    [MATRIX_F32] = sizeof(float), [MATRIX_F64] = sizeof(double), [MATRIX_U8] = 1, [MATRIX_CSR] = 0};

struct row matrix_row(const struct matrix *matrix, uint64_t index)
{
    assert(index < matrix->rows);
    if (matrix->kind == MATRIX_CSR) {
        uint64_t start = matrix_start(matrix, index);
        size_t count = (size_t)(matrix_start(matrix, index + 1) - start);
        return (struct row){.kind = MATRIX_CSR,
                            .count = count,
                            .column = matrix->column64 ? NULL : matrix->column + start,
                            .column64 = matrix->column64 ? matrix->column64 + start : NULL,
                            .value = matrix->value64 ? NULL : matrix->value + start,
                            .value64 = matrix->value64 ? matrix->value64 + start : NULL};
    }
    /* The reader has checked that rows * columns * size is a size; so no product here can wrap. */
    size_t offset = (size_t)(index * matrix->columns) * element_size[matrix->kind];
    return (struct row){
        .kind = matrix->kind, .count = (size_t)matrix->columns, .dense = (const char *)matrix->dense + offset};
}

/* One loop a kind: the switch stays out of the loops. */
static void row_to_f64(struct row row, double *out)
{
    const float *f32 = row.dense;
    const double *f64 = row.dense;
    const uint8_t *u8 = row.dense;
    switch (row.kind) {
    case MATRIX_F32:
        for (size_t i = 0; i < row.count; i++)
            out[i] = (double)f32[i];
        break;
    case MATRIX_F64:
        for (size_t i = 0; i < row.count; i++)
            out[i] = f64[i];
        break;
    case MATRIX_U8:
        for (size_t i = 0; i < row.count; i++)
            out[i] = (double)u8[i];
        break;
    case MATRIX_CSR: /* the others are 0 already */
        for (size_t i = 0; i < row.count; i++)
            out[row_column(&row, i)] = row_value(&row, i);
        break;
    }
}

void matrix_row_f64(const struct matrix *matrix, uint64_t index, double *out)
{
    if (matrix->kind == MATRIX_CSR)
        for (uint64_t j = 0; j < matrix->columns; j++)
            out[j] = 0;
    row_to_f64(matrix_row(matrix, index), out);
}

struct matrix matrix_slice(const struct matrix *matrix, uint64_t from, uint64_t count)
{
    struct matrix slice = *matrix;
    slice.owned[0] = slice.owned[1] = slice.owned[2] = NULL;
    slice.rows = count;
    if (matrix->kind == MATRIX_CSR && matrix->row_start)
        slice.row_start += from;
    else if (matrix->kind == MATRIX_CSR)
        slice.row_start32 += from;
    else if (count)
        slice.dense = matrix_row(matrix, from).dense;
    return slice;
}

uint64_t matrix_bytes(const struct matrix *matrix)
{
    if (matrix->kind != MATRIX_CSR)
        return matrix->rows * matrix->columns * element_size[matrix->kind];
    size_t start = matrix->row_start32 ? sizeof(uint32_t) : sizeof(uint64_t);
    size_t column = matrix->column64 ? sizeof(uint64_t) : sizeof(uint32_t);
    size_t value = matrix->value64 ? sizeof(double) : sizeof(float);
    return (matrix->rows + 1) * start + matrix->nonzeros * (column + value);
}

void matrix_free(struct matrix *matrix)
{
    if (!matrix)
        return;
    for (size_t i = 0; i < sizeof matrix->owned / sizeof *matrix->owned; i++)
        mem_free(matrix->owned[i]);
    *matrix = (struct matrix){0};
}
