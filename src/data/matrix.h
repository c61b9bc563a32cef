/* matrix: the features, dense or in compressed sparse rows (CSR), owned or borrowed. */
#ifndef DATA_MATRIX_H
#define DATA_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum matrix_kind { MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR };

struct page_window;

/* Dense kinds are stored row by row without gaps. CSR rows have ascending columns and no duplicates. The library's own
 * arrays have 64-bit starts, 32-bit columns and floats; arrays of a caller are borrowed in either width. Of the two
 * pointers of each pair one is NULL; matrix_start and matrix_column choose, row_value for values. */
struct matrix {
    enum matrix_kind kind;
    uint64_t rows, columns;
    uint64_t nonzeros;         /* stored entries: rows * columns for dense kinds */
    const void *dense;         /* float, double or uint8_t */
    const uint64_t *row_start; /* CSR: rows + 1 */
    const uint32_t *row_start32;
    const uint32_t *column; /* CSR: nonzeros, counted from 0 */
    const uint64_t *column64;
    const float *value; /* CSR: nonzeros */
    const double *value64;
    void *owned[3];            /* what matrix_free frees; all NULL if the memory is borrowed */
    struct page_window *pages; /* of the mapped file that holds it (memory/page_window.h); else NULL */
};

/* One row of any kind. */
struct row {
    enum matrix_kind kind;
    size_t count;           /* entries: all columns of a dense row */
    const void *dense;      /* NULL for CSR */
    const uint32_t *column; /* NULL for dense */
    const uint64_t *column64;
    const float *value;
    const double *value64;
};

/* CSR: the first entry of a row; the column of an entry. Columns are below 2^32 in either width. */
static inline uint64_t matrix_start(const struct matrix *matrix, uint64_t row)
{
    return matrix->row_start32 ? matrix->row_start32[row] : matrix->row_start[row];
}

static inline uint32_t matrix_column(const struct matrix *matrix, uint64_t entry)
{
    return matrix->column64 ? (uint32_t)matrix->column64[entry] : matrix->column[entry];
}

/* Column and value of an entry of a row. */
static inline uint32_t row_column(const struct row *row, size_t entry)
{
    return row->column64 ? (uint32_t)row->column64[entry] : row->column[entry];
}

static inline double row_value(const struct row *row, size_t entry)
{
    return row->value64 ? row->value64[entry] : (double)row->value[entry];
}

/* Whether the values are doubles, dense or sparse. */
static inline bool matrix_has_doubles(const struct matrix *matrix)
{
    return matrix->kind == MATRIX_F64 || matrix->value64;
}

/* Whether the arrays have the library's own widths, as all data from files has. */
static inline bool matrix_is_narrow(const struct matrix *matrix)
{
    return !matrix->row_start32 && !matrix->column64 && !matrix->value64;
}

struct row matrix_row(const struct matrix *matrix, uint64_t index);
/* All columns as doubles, out[matrix->columns]. */
void matrix_row_f64(const struct matrix *matrix, uint64_t index, double *out);
/* Rows [from, from + count), borrowed. */
struct matrix matrix_slice(const struct matrix *matrix, uint64_t from, uint64_t count);
/* Size of the arrays in bytes. */
uint64_t matrix_bytes(const struct matrix *matrix);
void matrix_free(struct matrix *matrix);

/* Row r of the result is row[r] of `first`, or row[r] - first->rows of `second` if that is too
 * large. `second` may be NULL; both have the same kind and columns. */
temper_status matrix_gather(const struct matrix *first, const struct matrix *second, const size_t *row, size_t count,
                            struct matrix *out, temper_error *error);

/* Whether the matrix owns its arrays, so that they may be changed. */
bool matrix_is_ours(const struct matrix *matrix);
/* Keeps the given rows, strictly ascending, of a matrix that owns its arrays; needs no memory. */
void matrix_keep(struct matrix *matrix, const size_t *row, size_t count);

#endif
