/* sparse: rows of a sparse matrix times weights, and residuals times rows.
 *
 * The same calls serve the transposed matrix: its columns as rows, row numbers as columns. Sums of
 * a row depend on that row alone, whatever rows are beside it. */
#ifndef KERNEL_SPARSE_H
#define KERNEL_SPARSE_H

#include <stddef.h>
#include <stdint.h>

/* Row i has the entries start[i] .. start[i + 1]. */
struct sparse_rows {
    const uint64_t *start;
    const uint32_t *column;
    const float *value;
    size_t rows;
};

/* out[i] = sum over row i of value * w[column] */
typedef void sparse_times_fn(struct sparse_rows rows, const double *w, double *out);
/* gradient[column] += r[i] * value */
typedef void sparse_back_fn(struct sparse_rows rows, const double *r, double *gradient);
/* The same for `width` weights a column: out[i * width + c], w[column * width + c]. */
typedef void sparse_many_times_fn(struct sparse_rows rows, size_t width, const double *w,
                                  double *out);
/* The same with weights in floats, summed in doubles. */
typedef void sparse_many_times_f32_fn(struct sparse_rows rows, size_t width, const float *w,
                                      double *out);
typedef void sparse_many_back_fn(struct sparse_rows rows, size_t width, const double *r,
                                 double *gradient);

struct sparse_kernels {
    sparse_times_fn *times;
    sparse_back_fn *back;
    sparse_many_times_fn *many_times;
    sparse_many_times_f32_fn *many_times_f32;
    sparse_many_back_fn *many_back;
};

/* The reference: every sum in the order of the entries. */
extern const struct sparse_kernels sparse_plain, sparse_avx2, sparse_avx512, sparse_neon;

#endif
