/* matrix: one view of rows for dense floats, doubles and uint8 and for CSR; and gathering of rows, into a copy or in
 * place (a kept row never moves to a higher index).
 *
 * Gathering in place needs no memory and cannot fail: rows are copied from the first to the last, each to an index that
 * is not above its own, and CSR entries likewise, so that nothing is overwritten that is still to be read. Arrays of a
 * caller, with other widths of starts, columns and values, are converted when they are copied, never in place. */
#include "data/matrix.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "data/memory/page_window.h"

/* Bytes of a dense element; CSR has none. */
static const uint8_t element_size[] = {
    [MATRIX_F32] = sizeof(float), [MATRIX_F64] = sizeof(double), [MATRIX_U8] = 1, [MATRIX_CSR] = 0};

/* A view of one row, borrowed; valid as long as the matrix. */
struct row matrix_row(const struct matrix *matrix, uint64_t index)
{
    assert(index < matrix->rows);
    if (matrix->kind == MATRIX_CSR) {
        uint64_t start = matrix_start(matrix, index);
        size_t count = (size_t)(matrix_start(matrix, index + 1) - start);
        /* Only the arrays that exist are offset: offsets of NULL are undefined. */
        return (struct row){.kind = MATRIX_CSR,
                            .count = count,
                            .column = matrix->column64 ? NULL : matrix->column + start,
                            .column64 = matrix->column64 ? matrix->column64 + start : NULL,
                            .value = matrix->value64 ? NULL : matrix->value + start,
                            .value64 = matrix->value64 ? matrix->value64 + start : NULL};
    }
    /* Cannot overflow: the reader has checked that rows * columns * size fits a size_t. */
    size_t offset = (size_t)(index * matrix->columns) * element_size[matrix->kind];
    return (struct row){
        .kind = matrix->kind, .count = (size_t)matrix->columns, .dense = (const char *)matrix->dense + offset};
}

/* Converts a row to doubles. One loop for each kind, with the switch outside, so that compilers vectorise them. */
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
    case MATRIX_CSR: /* the other columns are 0 already */
        for (size_t i = 0; i < row.count; i++)
            out[row_column(&row, i)] = row_value(&row, i);
        break;
    }
}

/* One row as `columns` doubles, zeros included. */
void matrix_row_f64(const struct matrix *matrix, uint64_t index, double *out)
{
    /* row_to_f64 writes only the stored entries. */
    if (matrix->kind == MATRIX_CSR)
        for (uint64_t j = 0; j < matrix->columns; j++)
            out[j] = 0;
    row_to_f64(matrix_row(matrix, index), out);
}

/* Rows [from, from + count) of a matrix, borrowed. Starts of CSR rows stay absolute, so that columns and values need
 * no shift; nonzeros is still that of the whole matrix. */
struct matrix matrix_slice(const struct matrix *matrix, uint64_t from, uint64_t count)
{
    struct matrix slice = *matrix;
    /* The slice owns nothing. */
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

/* Bytes of all arrays, in the widths in which they are stored. */
uint64_t matrix_bytes(const struct matrix *matrix)
{
    if (matrix->kind != MATRIX_CSR)
        return matrix->rows * matrix->columns * element_size[matrix->kind];
    /* Borrowed CSR arrays may have other widths than those of files. */
    size_t start = matrix->row_start32 ? sizeof(uint32_t) : sizeof(uint64_t);
    size_t column = matrix->column64 ? sizeof(uint64_t) : sizeof(uint32_t);
    size_t value = matrix->value64 ? sizeof(double) : sizeof(float);
    return (matrix->rows + 1) * start + matrix->nonzeros * (column + value);
}

/* Frees owned arrays only; borrowed and mapped ones belong to others. */
void matrix_free(struct matrix *matrix)
{
    if (!matrix)
        return;
    for (size_t i = 0; i < sizeof matrix->owned / sizeof *matrix->owned; i++)
        mem_free(matrix->owned[i]);
    *matrix = (struct matrix){0};
}

/* The arrays that a gather writes; for a gather in place they are the ones that it reads. */
struct gather_target {
    void *dense;
    uint64_t *row_start;
    uint32_t *column;
    float *value;    /* or */
    double *value64; /* if one of the matrices has doubles */
};

/* A row of two matrices, the second of which continues the row numbers of the first; `second` may be NULL if there is
 * no such row. */
static struct row row_of(const struct matrix *first, const struct matrix *second, size_t index)
{
    /* Row numbers of the second matrix follow those of the first. */
    const struct matrix *x = second && index >= first->rows ? second : first;
    index -= x == first ? 0 : (size_t)first->rows;
    page_window_row(x, index);
    return matrix_row(x, index);
}

/* memmove, since in place a row may overlap its new position. */
static void copy_dense(const struct matrix *first, const struct matrix *second, const size_t *row, size_t count,
                       struct gather_target to)
{
    size_t bytes = (size_t)first->columns * element_size[first->kind];
    /* Without columns there is nothing to copy, and no address to compute. */
    for (size_t i = 0; bytes > 0 && i < count; i++) {
        const struct row here = row_of(first, second, row[i]);
        assert(here.dense);
        memmove((char *)to.dense + i * bytes, here.dense, bytes);
    }
}

/* Copies the columns of a row, 64-bit ones as 32-bit ones; in place, a row may overlap its new position. */
static void copy_columns(const struct row *row, uint32_t *to)
{
    if (row->count == 0) /* a matrix without entries may have no array of them */
        return;
    assert(to && (row->column || row->column64));
    if (row->column)
        memmove(to, row->column, row->count * sizeof *to);
    else
        for (size_t i = 0; i < row->count; i++)
            to[i] = row_column(row, i);
}

/* Copies the values of a row behind the `used` first entries. Floats become doubles where the other matrix has
 * doubles. A matrix of floats never has a row of doubles. */
static void copy_values(const struct row *row, struct gather_target to, uint64_t used)
{
    if (row->count == 0)
        return;
    assert(!to.value || row->value);
    if (to.value)
        memmove(to.value + used, row->value, row->count * sizeof *to.value);
    else if (row->value64)
        memmove(to.value64 + used, row->value64, row->count * sizeof *to.value64);
    else
        for (size_t i = 0; i < row->count; i++)
            to.value64[used + i] = row_value(row, i);
}

/* Gathers CSR rows. Each row is read before its entry of row_start is written; in place i <= row[i], so nothing is
 * overwritten that is still needed. */
static void copy_sparse(const struct matrix *first, const struct matrix *second, const size_t *row, size_t count,
                        struct gather_target to)
{
    uint64_t used = 0;
    for (size_t i = 0; i < count; i++) {
        struct row here = row_of(first, second, row[i]);
        /* A row without entries may have a start behind the arrays. */
        if (here.count > 0) {
            copy_columns(&here, to.column + used);
            copy_values(&here, to, used);
        }
        to.row_start[i] = used;
        used += here.count;
    }
    to.row_start[count] = used; /* last: in place, a kept row may begin here */
}

/* Stored entries of the rows, in *entries; false if their number overflows a size. */
static bool count_entries(const struct matrix *first, const struct matrix *second, const size_t *row, size_t count,
                          size_t *entries)
{
    *entries = 0;
    /* All dense rows have the same number of entries. */
    if (first->kind != MATRIX_CSR)
        return first->columns <= SIZE_MAX && mul_size(count, (size_t)first->columns, entries);
    for (size_t i = 0; i < count; i++)
        if (!add_size(*entries, row_of(first, second, row[i]).count, entries))
            return false;
    return true;
}

/* Allocates the arrays of the result, owned by `matrix`; `doubles`: sparse values are doubles. false without memory,
 * and the caller then frees the matrix. */
static bool allocate(struct matrix *matrix, size_t entries, bool doubles, struct gather_target *to)
{
    size_t starts;
    *to = (struct gather_target){0};
    if (matrix->kind != MATRIX_CSR) {
        matrix->dense = matrix->owned[0] = to->dense = mem_aligned(entries, element_size[matrix->kind]);
        return to->dense != NULL;
    }
    /* One more start than rows. */
    if (!add_size((size_t)matrix->rows, 1, &starts))
        return false;
    matrix->row_start = matrix->owned[0] = to->row_start = mem_alloc(starts, sizeof *to->row_start);
    matrix->column = matrix->owned[1] = to->column = mem_aligned(entries, sizeof *to->column);
    if (doubles)
        matrix->value64 = matrix->owned[2] = to->value64 = mem_aligned(entries, sizeof *to->value64);
    else
        matrix->value = matrix->owned[2] = to->value = mem_aligned(entries, sizeof *to->value);
    return to->row_start && to->column && matrix->owned[2];
}

/* Rows are copied one by one: neighbours in the list need not be neighbours in the matrix. */
static void copy_rows(const struct matrix *first, const struct matrix *second, const size_t *row, size_t count,
                      struct gather_target to)
{
    if (first->kind == MATRIX_CSR)
        copy_sparse(first, second, row, count, to);
    else
        copy_dense(first, second, row, count, to);
}

/* A copy of rows of two matrices of one kind, in any order and with repetitions; the caller frees it. */
temper_status matrix_gather(const struct matrix *first, const struct matrix *second, const size_t *row, size_t count,
                            struct matrix *out, temper_error *error)
{
    /* Shape first; the arrays are allocated below. */
    struct matrix matrix = {.kind = first->kind, .rows = count, .columns = first->columns};
    struct gather_target to;
    size_t entries;
    /* The caller has checked that the matrices fit together. */
    assert(!second || (second->kind == first->kind && second->columns == first->columns));
    bool doubles = first->value64 || (second && second->value64);
    if (!count_entries(first, second, row, count, &entries) || !allocate(&matrix, entries, doubles, &to)) {
        matrix_free(&matrix);
        return error_no_memory(error);
    }
    matrix.nonzeros = entries;
    copy_rows(first, second, row, count, to);
    *out = matrix;
    return TEMPER_OK;
}

/* Whether the arrays may be changed in place; false for arrays of the caller or of a mapped file. */
bool matrix_is_ours(const struct matrix *matrix)
{
    return matrix->owned[0] || matrix->owned[1] || matrix->owned[2];
}

/* Returns memory of an owned array to the system; if that fails, the array stays as large as it was. Arrays that the
 * matrix does not own are left alone. */
static const void *shrink(struct matrix *matrix, const void *array, size_t count, size_t size)
{
    for (size_t i = 0; array && i < sizeof matrix->owned / sizeof *matrix->owned; i++) {
        /* Pointers into an owned array, or of others, are not resized. */
        if (matrix->owned[i] != array)
            continue;
        void *smaller = mem_resize(matrix->owned[i], count, size);
        if (smaller)
            matrix->owned[i] = smaller;
        return matrix->owned[i];
    }
    return array;
}

/* Reduces the matrix to some of its rows, in ascending order, in place; needs no memory and cannot fail. */
void matrix_keep(struct matrix *matrix, const size_t *row, size_t count)
{
    /* The matrix owns these arrays, so the casts drop a const that only protects readers. */
    struct gather_target to = {.dense = (void *)matrix->dense,
                               .row_start = (uint64_t *)matrix->row_start,
                               .column = (uint32_t *)matrix->column,
                               .value = (float *)matrix->value,
                               .value64 = (double *)matrix->value64};
    size_t entries;
    count_entries(matrix, NULL, row, count, &entries); /* fits, since there are no more rows than before */
    copy_rows(matrix, NULL, row, count, to);
    matrix->rows = count;
    matrix->nonzeros = entries;
    matrix->dense = shrink(matrix, matrix->dense, entries, element_size[matrix->kind]);
    matrix->column = shrink(matrix, matrix->column, entries, sizeof *matrix->column);
    matrix->value = shrink(matrix, matrix->value, entries, sizeof *matrix->value);
    matrix->value64 = shrink(matrix, matrix->value64, entries, sizeof *matrix->value64);
}
