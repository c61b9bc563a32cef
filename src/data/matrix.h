/* matrix: the features, dense or sparse, ours or the caller's. */
#ifndef DATA_MATRIX_H
#define DATA_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum matrix_kind { MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR };

struct pages;

/* Dense kinds are row by row without gaps. CSR rows have ascending columns and no duplicates; their
 * values are floats. */
struct matrix {
    enum matrix_kind kind;
    uint64_t rows, columns;
    uint64_t nonzeros;         /* stored entries: rows * columns for dense kinds */
    const void *dense;         /* float, double or uint8_t */
    const uint64_t *row_start; /* CSR: rows + 1 */
    const uint32_t *column;    /* CSR: nonzeros, counted from 0 */
    const float *value;        /* CSR: nonzeros */
    void *owned[3];            /* what matrix_free frees; all NULL if the memory is borrowed */
    struct pages *pages;       /* of the mapped file that it lies in (data/pages.h); else NULL */
};

/* One row, whatever the kind. */
struct row {
    enum matrix_kind kind;
    size_t count;           /* entries: all columns of a dense row */
    const void *dense;      /* NULL for CSR */
    const uint32_t *column; /* NULL for dense */
    const float *value;
};

struct row matrix_row(const struct matrix *matrix, uint64_t index);
/* All columns as doubles; out has room for matrix->columns. */
void matrix_row_f64(const struct matrix *matrix, uint64_t index, double *out);
/* Rows from .. from + count, borrowed. */
struct matrix matrix_slice(const struct matrix *matrix, uint64_t from, uint64_t count);
/* Bytes of the arrays. */
uint64_t matrix_bytes(const struct matrix *matrix);
void matrix_free(struct matrix *matrix);

#endif
