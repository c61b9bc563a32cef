/* linear_two: the products of two-class data; included by linear_body.h for each type of data.
 *
 * It defines `stored`, the type of the data, `stored_rows`, how vectors are loaded from it (LOAD,
 * LOAD_PART) and TWO(name), how the functions are called. */

/* Sums over the columns of TIMES_ROWS rows. */
HOT void TWO(times_rows)(const stored *const *row, const real *w, size_t columns, real *out)
{
    vec sum[TIMES_ROWS];
    size_t j = 0;
    UNROLL for (int k = 0; k < TIMES_ROWS; k++) sum[k] = vec_all(0);
    for (; j + LANES <= columns; j += LANES) {
        vec weight = vec_load(w + j);
        UNROLL for (int k = 0; k < TIMES_ROWS; k++) sum[k] =
            vec_fma(LOAD(row[k] + j), weight, sum[k]);
    }
    if (j < columns) {
        part rest = part_of(columns - j);
        vec weight = vec_load_part(w + j, rest);
        UNROLL for (int k = 0; k < TIMES_ROWS; k++) sum[k] =
            vec_fma(LOAD_PART(row[k] + j, rest), weight, sum[k]);
    }
    UNROLL for (int k = 0; k < TIMES_ROWS; k += LANES) vec_store(out + k, sum_each(sum + k));
}

static void TWO(linear_times)(stored_rows block, const real *w, real *out)
{
    for (size_t i = 0; i < block.rows; i += TIMES_ROWS) {
        size_t count = least(block.rows - i, TIMES_ROWS);
        const stored *row[TIMES_ROWS];
        real sums[TIMES_ROWS];
        for (size_t k = 0; k < TIMES_ROWS; k++) /* past the end, the last again */
            row[k] = block.x + (i + least(k, count - 1)) * block.columns;
        TWO(times_rows)(row, w, block.columns, sums);
        memcpy(out + i, sums, count * sizeof *out);
    }
}

/* sum[j] += r[0] x[0][j] + ... for `rows` rows, BACK_ROWS or 1. */
HOT void TWO(back_rows)(const stored *x, size_t row_step, size_t count, const real *r, real *sum,
                        const int rows)
{
    vec factor[BACK_ROWS];
    size_t j = 0;
    UNROLL for (int k = 0; k < rows; k++) factor[k] = vec_all(r[k]);
    for (; j + LANES <= count; j += LANES) {
        vec s = vec_load(sum + j);
        UNROLL for (int k = 0; k < rows; k++) s =
            vec_fma(LOAD(x + (size_t)k * row_step + j), factor[k], s);
        vec_store(sum + j, s);
    }
    if (j < count) {
        part rest = part_of(count - j);
        vec s = vec_load(sum + j);
        UNROLL for (int k = 0; k < rows; k++) s =
            vec_fma(LOAD_PART(x + (size_t)k * row_step + j, rest), factor[k], s);
        vec_store(sum + j, s);
    }
}

/* The sums of some columns, in the type of the block, are added to the doubles at the end. */
static void TWO(linear_back)(stored_rows block, const real *r, double *gradient)
{
    real sum[BACK_COLUMNS];
    for (size_t first = 0; first < block.columns; first += BACK_COLUMNS) {
        size_t count = least(block.columns - first, BACK_COLUMNS), i = 0;
        const stored *x = block.x + first;
        memset(sum, 0, round_up(count, LANES) * sizeof *sum);
        for (; i + BACK_ROWS <= block.rows; i += BACK_ROWS)
            TWO(back_rows)(x + i * block.columns, block.columns, count, r + i, sum, BACK_ROWS);
        for (; i < block.rows; i++)
            TWO(back_rows)(x + i * block.columns, block.columns, count, r + i, sum, 1);
        for (size_t j = 0; j < count; j++)
            gradient[first + j] += (double)sum[j];
    }
}

#undef stored
#undef stored_rows
#undef LOAD
#undef LOAD_PART
#undef TWO
