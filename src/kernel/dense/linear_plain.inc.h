/* linear_plain: the reference for one type, every sum in its written order.
 *
 * The including file defines `real`, the type of the arrays, the types of blocks `rows_type`, `many_type`
 * and `other_rows` (data that is converted as it is read), and PLAIN, which makes names distinct. */

/* out = X w, the sum of a row in the type of the block. */
static void PLAIN(times)(rows_type block, const real *w, real *out)
{
    for (size_t i = 0; i < block.rows; i++) {
        real sum = 0;
        for (size_t j = 0; j < block.columns; j++)
            sum += block.x[i * block.columns + j] * w[j];
        out[i] = sum;
    }
}

/* gradient[j * step] += sum_i r[i] x[i][j] for the first `used` columns. */
static void PLAIN(sums)(rows_type block, size_t used, const real *r, double *gradient, size_t step)
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

static void PLAIN(back)(rows_type block, const real *r, double *gradient)
{
    PLAIN(sums)(block, block.columns, r, gradient, 1);
}

/* Both at once, in the type of the sums. */
static void PLAIN(fused)(rows_type block, size_t before, const real *w, real *out, const real *r, real *sum)
{
    const real *x = block.x - before * block.columns;
    for (size_t i = 0; i < before; i++)
        for (size_t j = 0; j < block.columns; j++)
            sum[j] += r[i] * x[i * block.columns + j];
    PLAIN(times)(block, w, out);
}

/* Class by class; the padding of each class is set to 0, as linear.h requires. */
static void PLAIN(many_times)(const many_type *many, const real *w, real *out)
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

/* The gradient of class c has the stride `classes`, as weights are [column][class]. */
static void PLAIN(many_back)(const many_type *many, const real *r, double *gradient)
{
    for (size_t c = 0; c < many->classes; c++)
        PLAIN(sums)(many->block, many->block.columns, r + c * many->stride, gradient + c, many->classes);
}

/* Row j of the Gram matrix is a gradient with the weighted column j as residuals; columns up to j only. */
static void PLAIN(gram)(rows_type block, const real *weight, struct gram_lines lines, real *scratch, double *gram)
{
    for (size_t j = lines.from; j < lines.to; j++) {
        for (size_t i = 0; i < block.rows; i++)
            scratch[i] = weight[i] * block.x[i * block.columns + j];
        PLAIN(sums)(block, j + 1, scratch, gram + j * block.columns, 1);
    }
}

/* One entry: scaled in double, rounded at the end. */
static real PLAIN(scaled)(double x, struct rows_scale scale, size_t j)
{
    return (real)(scale.offset ? (x - scale.offset[j]) * scale.factor[j] : x);
}

/* Conversions from each type of input; rows and result are contiguous. */
#define PLAIN_CONVERSION(name, type)                                                                                   \
    static void PLAIN(name)(const type *from, size_t rows, size_t columns, struct rows_scale scale, real *to)          \
    {                                                                                                                  \
        for (size_t i = 0; i < rows; i++)                                                                              \
            for (size_t j = 0; j < columns; j++)                                                                       \
                to[i * columns + j] = PLAIN(scaled)((double)from[i * columns + j], scale, j);                          \
    }

PLAIN_CONVERSION(from_u8, uint8_t)
PLAIN_CONVERSION(from_f32, float)
PLAIN_CONVERSION(from_f64, double)
#undef PLAIN_CONVERSION

/* Data of another type, converted to the type of the sums as it is read. */
static void PLAIN(times_other)(other_rows block, struct linear_hints aside, const real *w, real *out)
{
    (void)aside; /* no prefetch, nothing kept */
    for (size_t i = 0; i < block.rows; i++) {
        out[i] = 0;
        for (size_t j = 0; j < block.columns; j++)
            out[i] += (real)block.x[i * block.columns + j] * w[j];
    }
}

/* The order of additions is that of `back`: the sum over the rows of the block, then one addition to the double. */
static void PLAIN(back_other)(other_rows block, struct linear_hints aside, const real *r, double *gradient)
{
    (void)aside;
    for (size_t j = 0; j < block.columns; j++) {
        real sum = 0;
        for (size_t i = 0; i < block.rows; i++)
            sum += r[i] * (real)block.x[i * block.columns + j];
        gradient[j] += (double)sum;
    }
}
