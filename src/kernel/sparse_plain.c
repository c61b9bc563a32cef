/* sparse_plain: the products with sparse rows in plain C. */
#include <string.h>

#include "kernel/sparse.h"

static void sparse_times(struct sparse_rows rows, const double *w, double *out)
{
    for (size_t i = 0; i < rows.rows; i++) {
        double sum = 0;
        for (uint64_t e = rows.start[i]; e < rows.start[i + 1]; e++)
            sum += (double)rows.value[e] * w[rows.column[e]];
        out[i] = sum;
    }
}

static void sparse_back(struct sparse_rows rows, const double *r, double *gradient)
{
    for (size_t i = 0; i < rows.rows; i++)
        for (uint64_t e = rows.start[i]; e < rows.start[i + 1]; e++)
            gradient[rows.column[e]] += (double)rows.value[e] * r[i];
}

/* to += factor * from; the two never overlap. */
static void add_scaled(double *restrict to, const double *restrict from, double factor,
                       size_t width)
{
    for (size_t c = 0; c < width; c++)
        to[c] += factor * from[c];
}

static void sparse_many_times(struct sparse_rows rows, size_t width, const double *w, double *out)
{
    memset(out, 0, rows.rows * width * sizeof *out);
    for (size_t i = 0; i < rows.rows; i++)
        for (uint64_t e = rows.start[i]; e < rows.start[i + 1]; e++)
            add_scaled(out + i * width, w + rows.column[e] * width, (double)rows.value[e], width);
}

static void sparse_many_times_f32(struct sparse_rows rows, size_t width, const float *w,
                                  double *out)
{
    memset(out, 0, rows.rows * width * sizeof *out);
    for (size_t i = 0; i < rows.rows; i++)
        for (uint64_t e = rows.start[i]; e < rows.start[i + 1]; e++)
            for (size_t c = 0; c < width; c++)
                out[i * width + c] += (double)rows.value[e] * (double)w[rows.column[e] * width + c];
}

static void sparse_many_back(struct sparse_rows rows, size_t width, const double *r,
                             double *gradient)
{
    for (size_t i = 0; i < rows.rows; i++)
        for (uint64_t e = rows.start[i]; e < rows.start[i + 1]; e++)
            add_scaled(gradient + rows.column[e] * width, r + i * width, (double)rows.value[e],
                       width);
}

const struct sparse_kernels sparse_plain = {sparse_times, sparse_back, sparse_many_times,
                                            sparse_many_times_f32, sparse_many_back};
