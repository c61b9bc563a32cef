/* sparse_products_plain: the reference of the sparse products in plain C. */
#include <string.h>

#include "kernel/sparse/sparse_products.h"

/* Arrays of columns and values come in two widths. Here the width is tested at every entry; the fast kernels
 * compile a loop for each. */
static size_t column_of(const struct sparse_rows *rows, uint64_t e)
{
    return sparse_column(rows, e, rows->column64 != NULL);
}

static double value_of(const struct sparse_rows *rows, uint64_t e)
{
    return sparse_value(rows, e, rows->value64 != NULL);
}

/* out = X w: one activation for each row of X in CSR, whose entries are summed in the order of storage. */
static void sparse_times(struct sparse_rows rows, const double *w, double *out)
{
    for (size_t i = 0; i < rows.rows; i++) {
        double sum = 0;
        for (uint64_t e = sparse_start(&rows, i); e < sparse_start(&rows, i + 1); e++)
            sum += value_of(&rows, e) * w[column_of(&rows, e)];
        out[i] = sum;
    }
}

/* gradient += X' r, by scattering each row; gradient has an entry for each column. */
static void sparse_back(struct sparse_rows rows, const double *r, double *gradient)
{
    for (size_t i = 0; i < rows.rows; i++)
        for (uint64_t e = sparse_start(&rows, i); e < sparse_start(&rows, i + 1); e++)
            gradient[column_of(&rows, e)] += value_of(&rows, e) * r[i];
}

/* to += factor * from; the two never overlap. */
static void add_scaled(double *restrict to, const double *restrict from, double factor, size_t width)
{
    for (size_t c = 0; c < width; c++)
        to[c] += factor * from[c];
}

/* The same for `width` weight vectors (classes) at once: w is [column][class], out is [row][class], so that the
 * inner loop is contiguous. */
static void sparse_many_times(struct sparse_rows rows, size_t width, const double *w, double *out)
{
    memset(out, 0, rows.rows * width * sizeof *out);
    for (size_t i = 0; i < rows.rows; i++)
        for (uint64_t e = sparse_start(&rows, i); e < sparse_start(&rows, i + 1); e++)
            add_scaled(out + i * width, w + column_of(&rows, e) * width, value_of(&rows, e), width);
}

/* Weights in float, which halves the memory traffic of random accesses; sums in double. */
static void sparse_many_times_f32(struct sparse_rows rows, size_t width, const float *w, double *out)
{
    memset(out, 0, rows.rows * width * sizeof *out);
    for (size_t i = 0; i < rows.rows; i++)
        for (uint64_t e = sparse_start(&rows, i); e < sparse_start(&rows, i + 1); e++)
            for (size_t c = 0; c < width; c++)
                out[i * width + c] += value_of(&rows, e) * (double)w[column_of(&rows, e) * width + c];
}

/* gradient is [column][class], as w. */
static void sparse_many_back(struct sparse_rows rows, size_t width, const double *r, double *gradient)
{
    for (size_t i = 0; i < rows.rows; i++)
        for (uint64_t e = sparse_start(&rows, i); e < sparse_start(&rows, i + 1); e++)
            add_scaled(gradient + column_of(&rows, e) * width, r + i * width, value_of(&rows, e), width);
}

/* The last two, sliced ELLPACK products, have no plain version: NULL makes callers use CSR. */
const struct sparse_kernels sparse_plain = {
    sparse_times, sparse_back, sparse_many_times, sparse_many_times_f32, sparse_many_back, NULL, NULL};
