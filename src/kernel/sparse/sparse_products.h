/* sparse_products: products of a sparse matrix (CSR) with weights, and of residuals with the matrix.
 *
 * Also used for the transposed matrix (CSC), with rows and columns exchanged. The sum of a row depends on
 * that row alone. */
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

/* `wide` and `f64` select the array: constants in hot loops. */
static inline size_t sparse_column(const struct sparse_rows *rows, uint64_t e, bool wide)
{
    return wide ? (size_t)rows->column64[e] : rows->column[e];
}

static inline double sparse_value(const struct sparse_rows *rows, uint64_t e, bool f64)
{
    return f64 ? rows->value64[e] : (double)rows->value[e];
}

/* Compiles a loop for the widths of the arrays: body(wide, f64), where `wide` means columns of 64 bits and
 * `f64` values in doubles. Floats and doubles with columns of 32 bits have a loop each; the remaining
 * cases share one, which tests f64 at every entry. */
#define BY_WIDTH(rows, body)                                                                                           \
    do {                                                                                                               \
        const bool has_wide = (rows).column64 != NULL, has_f64 = (rows).value64 != NULL;                               \
        if (!has_wide && !has_f64)                                                                                     \
            body(false, false);                                                                                        \
        else if (!has_wide)                                                                                            \
            body(false, true);                                                                                         \
        else                                                                                                           \
            body(true, has_f64);                                                                                       \
    } while (0)

/* out[i] = sum over row i of value * w[column] */
typedef void sparse_times_fn(struct sparse_rows rows, const double *w, double *out);
/* gradient[column] += r[i] * value */
typedef void sparse_back_fn(struct sparse_rows rows, const double *r, double *gradient);
/* The same for `width` weights a column: out[i * width + c], w[column * width + c]. */
typedef void sparse_many_times_fn(struct sparse_rows rows, size_t width, const double *w, double *out);
/* The same with weights in floats; some entries may be summed in floats too. */
typedef void sparse_many_times_f32_fn(struct sparse_rows rows, size_t width, const float *w, double *out);
typedef void sparse_many_back_fn(struct sparse_rows rows, size_t width, const double *r, double *gradient);

/* Sliced ELLPACK with slices of 16 rows of similar length (SELL-16): entry k of all rows of a slice, then
 * entry k + 1, up to the longest row, padded with zeros. Arrays are aligned to 64 bytes. */
enum {
    SELL16_ROWS = 16,
    SELL_TOGETHER = 256, /* consecutive entries of a row that are summed in floats */
};
struct sparse_sell16 {
    const uint64_t *start; /* of each slice, in entries of one row, and the end */
    const uint32_t *row;   /* which rows they are */
    const uint16_t *column16;
    const uint32_t *column; /* one of the two is NULL */
    const float *value;
    size_t slices, rows;
};
/* out[row] = sum of value * w[column], of the slices [from, to) */
typedef void sparse_sell16_fn(const struct sparse_sell16 *sell, size_t from, size_t to, const float *w, double *out);
/* The same bits from rows in CSR order: out[i] */
typedef void sparse_in_order_fn(struct sparse_rows rows, const float *w, double *out);

struct sparse_kernels {
    sparse_times_fn *times;
    sparse_back_fn *back;
    sparse_many_times_fn *many_times;
    sparse_many_times_f32_fn *many_times_f32;
    sparse_many_back_fn *many_back;
    sparse_sell16_fn *sell16; /* both NULL where that would not be faster */
    sparse_in_order_fn *in_order;
};

sparse_many_times_f32_fn sparse_floats_avx2, sparse_floats_avx512, sparse_floats_neon, sparse_floats_wasm128;
sparse_sell16_fn sparse_sell16_avx2, sparse_sell16_avx512;
sparse_in_order_fn sparse_in_order_avx2, sparse_in_order_avx512;

/* The reference: every sum in the order of the entries. */
extern const struct sparse_kernels sparse_plain, sparse_avx2, sparse_avx512, sparse_neon, sparse_wasm128;

#endif
