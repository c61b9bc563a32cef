/* linear_plain: the reference, every sum in its written order.
 *
 * The including file defines `real`, the type of the arrays, and the types of blocks: `rows_type`,
 * `many_type` and `other_rows`, whose place in the table PLAIN_OTHER tells. */
#include "kernel/dense/linear.h"
#include "kernel/loss/softmax.h"

static void plain_times(rows_type block, const real *w, real *out)
{
    for (size_t i = 0; i < block.rows; i++) {
        real sum = 0;
        for (size_t j = 0; j < block.columns; j++)
            sum += block.x[i * block.columns + j] * w[j];
        out[i] = sum;
    }
}

/* Columns whose sums are made at once, so that rows are read as they lie. */
enum { PLAIN_COLUMNS = 64 };

/* gradient[j * step] += sum_i r[i] x[i][j] for the first `used` columns. */
static void plain_sums(rows_type block, size_t used, const real *r, double *gradient, size_t step)
{
    for (size_t first = 0; first < used; first += PLAIN_COLUMNS) {
        size_t left = used - first, count = left < PLAIN_COLUMNS ? left : PLAIN_COLUMNS;
        real sum[PLAIN_COLUMNS] = {0};
        for (size_t i = 0; i < block.rows; i++)
            for (size_t j = 0; j < count; j++)
                sum[j] += r[i] * block.x[i * block.columns + first + j];
        for (size_t j = 0; j < count; j++)
            gradient[(first + j) * step] += (double)sum[j];
    }
}

static void plain_back(rows_type block, const real *r, double *gradient)
{
    plain_sums(block, block.columns, r, gradient, 1);
}

static void plain_many_times(const many_type *many, const real *w, real *out)
{
    const rows_type *block = &many->block;
    size_t padded = (block->rows + SOFTMAX_PAD - 1) / SOFTMAX_PAD * SOFTMAX_PAD;
    for (size_t c = 0; c < many->classes; c++) {
        real *to = out + c * many->stride;
        for (size_t i = 0; i < padded; i++)
            to[i] = 0;
        for (size_t i = 0; i < block->rows; i++)
            for (size_t j = 0; j < block->columns; j++)
                to[i] += block->x[i * block->columns + j] * w[j * many->classes + c];
    }
}

static void plain_many_back(const many_type *many, const real *r, double *gradient)
{
    for (size_t c = 0; c < many->classes; c++)
        plain_sums(many->block, many->block.columns, r + c * many->stride, gradient + c, many->classes);
}

static void plain_gram(rows_type block, const real *weight, struct gram_lines lines, real *scratch, double *gram)
{
    for (size_t j = lines.from; j < lines.to; j++) {
        for (size_t i = 0; i < block.rows; i++)
            scratch[i] = weight[i] * block.x[i * block.columns + j];
        plain_sums(block, j + 1, scratch, gram + j * block.columns, 1);
    }
}

/* One entry: in doubles, rounded at the end. */
static real plain_scaled(double x, struct rows_scale scale, size_t j)
{
    return (real)(scale.offset ? (x - scale.offset[j]) * scale.factor[j] : x);
}

static void plain_from_u8(const uint8_t *from, size_t rows, size_t columns, struct rows_scale scale, real *to)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            to[i * columns + j] = plain_scaled((double)from[i * columns + j], scale, j);
}

static void plain_from_f32(const float *from, size_t rows, size_t columns, struct rows_scale scale, real *to)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            to[i * columns + j] = plain_scaled((double)from[i * columns + j], scale, j);
}

static void plain_from_f64(const double *from, size_t rows, size_t columns, struct rows_scale scale, real *to)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            to[i * columns + j] = plain_scaled(from[i * columns + j], scale, j);
}

/* Numbers of another type, which become those of the sums as they are read. */
static void plain_times_other(other_rows block, struct linear_aside aside, const real *w, real *out)
{
    (void)aside; /* nothing is fetched, nothing kept */
    for (size_t i = 0; i < block.rows; i++) {
        out[i] = 0;
        for (size_t j = 0; j < block.columns; j++)
            out[i] += (real)block.x[i * block.columns + j] * w[j];
    }
}

static void plain_back_other(other_rows block, struct linear_aside aside, const real *r, double *gradient)
{
    (void)aside;
    for (size_t j = 0; j < block.columns; j++) {
        real sum = 0;
        for (size_t i = 0; i < block.rows; i++)
            sum += r[i] * (real)block.x[i * block.columns + j];
        gradient[j] += (double)sum;
    }
}

#define LINEAR_PLAIN                                                                                                   \
    {                                                                                                                  \
        PLAIN_OTHER(plain_times_other, plain_back_other).times = plain_times,                                          \
        .back = plain_back,                                                                                            \
        .times_cached = plain_times,                                                                                   \
        .back_cached = plain_back,                                                                                     \
        .many_times = plain_many_times,                                                                                \
        .many_back = plain_many_back,                                                                                  \
        .gram = plain_gram,                                                                                            \
        .from_u8 = plain_from_u8,                                                                                      \
        .from_f32 = plain_from_f32,                                                                                    \
        .from_f64 = plain_from_f64,                                                                                    \
    }
