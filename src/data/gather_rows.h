/* gather: rows of one or two matrices as a matrix of their own. */
#ifndef DATA_GATHER_ROWS_H
#define DATA_GATHER_ROWS_H

#include "data/matrix.h"

/* Row r of the result is row[r] of `first`, or row[r] - first->rows of `second` if that is too
 * large. `second` may be NULL; both have the same kind and columns. */
temper_status matrix_gather(const struct matrix *first, const struct matrix *second, const size_t *row, size_t count,
                            struct matrix *out, temper_error *error);

/* Whether the arrays are the matrix' own, so that they may be changed. */
bool matrix_is_ours(const struct matrix *matrix);
/* Keeps the given rows, ascending and different, of a matrix that is ours; needs no memory. */
void matrix_keep(struct matrix *matrix, const size_t *row, size_t count);

#endif
