/* sparse: rows of a sparse matrix times weights, and residuals times rows.
 *
 * The same calls serve the transposed matrix: its columns as rows, row numbers as columns. Sums of
 * a row depend on that row alone, whatever rows are beside it. */
#ifndef KERNEL_SPARSE_PRODUCTS_H
#define KERNEL_SPARSE_PRODUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Row i has the entries start[i] .. start[i + 1]. Of the two pointers of each pair one is NULL:
 * arrays come in either width, and sums are the same in both. Columns are below 2^32 in any case.
 */
struct sparse_rows {
    const uint64_t *start;
    const uint32_t *start32;
    const uint32_t *column;
    const uint64_t *column64;
    const float *value;
    const double *value64;
    size_t rows;
};

static inline uint64_t sparse_start(const struct sparse_rows *rows, size_t i)
{
    return rows->start32 ? rows->start32[i] : rows->start[i];
}

/* `wide` and `f64` say which of the two arrays there is: constants where a loop is hot. */
static inline size_t sparse_column(const struct sparse_rows *rows, uint64_t e, bool wide)
{
    return wide ? (size_t)rows->column64[e] : rows->column[e];
}

static inline double sparse_value(const struct sparse_rows *rows, uint64_t e, bool f64)
{
    return f64 ? rows->value64[e] : (double)rows->value[e];
}

/* out[i] = sum over row i of value * w[column] */
typedef void sparse_times_fn(struct sparse_rows rows, const double *w, double *out);
/* gradient[column] += r[i] * value */
typedef void sparse_back_fn(struct sparse_rows rows, const double *r, double *gradient);
/* The same for `width` weights a column: out[i * width + c], w[column * width + c]. */
typedef void sparse_many_times_fn(struct sparse_rows rows, size_t width, const double *w, double *out);
/* The same with weights in floats; some entries may be summed in floats too. */
typedef void sparse_many_times_f32_fn(struct sparse_rows rows, size_t width, const float *w, double *out);
typedef void sparse_many_back_fn(struct sparse_rows rows, size_t width, const double *r, double *gradient);

/* Rows of like length side by side, in slabs: entry k of all rows of a slab, then entry k + 1, up
 * to the longest of them, with zeros behind the others. Arrays are aligned to 64 bytes. */
enum {
    SLAB_ROWS = 16,
    SLAB_TOGETHER = 256, /* entries of a row that are summed in floats, one after another */
};
struct sparse_sell16 {
    const uint64_t *start; /* of each slab, in entries of one row; the end behind */
    const uint32_t *row;   /* which rows they are */
    const uint16_t *column16;
    const uint32_t *column; /* one of the two is NULL */
    const float *value;
    size_t slabs, rows;
};
/* out[row] = sum of value * w[column], of the slabs [from, to) */
typedef void sparse_sell16_fn(const struct sparse_sell16 *slabs, size_t from, size_t to, const float *w, double *out);
/* The same bits from rows as they come: out[i] */
typedef void sparse_in_order_fn(struct sparse_rows rows, const float *w, double *out);

struct sparse_kernels {
    sparse_times_fn *times;
    sparse_back_fn *back;
    sparse_many_times_fn *many_times;
    sparse_many_times_f32_fn *many_times_f32;
    sparse_many_back_fn *many_back;
    sparse_sell16_fn *slabs; /* both NULL where that would not be faster */
    sparse_in_order_fn *in_order;
};

sparse_many_times_f32_fn sparse_floats_avx2, sparse_floats_avx512, sparse_floats_neon;
sparse_sell16_fn sparse_sell16_avx512;
sparse_in_order_fn sparse_in_order_avx512;

/* The reference: every sum in the order of the entries. */
extern const struct sparse_kernels sparse_plain, sparse_avx2, sparse_avx512, sparse_neon;

#endif
