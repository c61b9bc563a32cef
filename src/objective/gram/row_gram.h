/* row_gram: products of dense rows with each other, X X', for data with fewer rows than features. */
#ifndef OBJECTIVE_ROW_GRAM_H
#define OBJECTIVE_ROW_GRAM_H

#include "data/columns/scale.h"
#include "data/dataset.h"

struct kernel;

struct row_gram {
    const struct matrix *x;    /* dense, in memory */
    const struct scale *scale; /* of the features; NULL: as they are */
    const struct kernel *kernel;
    size_t threads;
};

/* out[i * rows + j], j <= i: the product of rows i and j, in doubles; 0 above the diagonal. The same bits for any
 * number of threads. */
temper_status row_gram(const struct row_gram *rows, double *out, temper_error *error);

/* w[j * vectors + k] = sum_i x[i][j] a[k * stride + i], `stride` being row_combine_stride: combinations of the rows.
 * Features that are always 0 get exactly 0. */
temper_status row_combine(const struct row_gram *rows, const double *a, size_t vectors, double *w, temper_error *error);
/* Of the coefficients of one combination: as many numbers as there are rows, rounded up. */
size_t row_combine_stride(size_t rows);

#endif
