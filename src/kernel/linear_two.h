/* linear_two: the products of two-class data; included by linear_body.h for each type of data.
 *
 * It defines `stored`, the type of the data, `stored_rows`, how vectors are loaded from it (LOAD,
 * LOAD_PART) and TWO(name), how the functions are called.
 *
 * A block is read twice, the second time from the cache. Meanwhile the memory would rest: so each
 * product fetches half of the block that follows. */

/* Fetches some bytes, a line at a time. */
HOT void TWO(fetch)(const char *from, const size_t bytes)
{
    UNROLL for (size_t b = 0; b < bytes; b += LINE) __builtin_prefetch(from + b, 0, 2);
}

/* Sums over the columns of TIMES_ROWS rows. */
HOT void TWO(times_rows)(const stored *const *row, const real *w, size_t columns, real *out,
                         const char *next)
{
    const size_t share = TIMES_ROWS * LANES * sizeof(stored) / 2;
    vec sum[TIMES_ROWS];
    size_t j = 0;
    UNROLL for (int k = 0; k < TIMES_ROWS; k++) sum[k] = vec_all(0);
    for (; j + LANES <= columns; j += LANES, next += share) {
        vec weight = vec_load(w + j);
        TWO(fetch)(next, share);
        UNROLL for (int k = 0; k < TIMES_ROWS; k++) sum[k] =
            vec_fma(LOAD(row[k] + j), weight, sum[k]);
    }
    if (j < columns) {
        part rest = part_of(columns - j);
        vec weight = vec_load_part(w + j, rest);
        TWO(fetch)(next, share);
        UNROLL for (int k = 0; k < TIMES_ROWS; k++) sum[k] =
            vec_fma(LOAD_PART(row[k] + j, rest), weight, sum[k]);
    }
    UNROLL for (int k = 0; k < TIMES_ROWS; k += LANES) vec_store(out + k, sum_each(sum + k));
}

static void TWO(linear_times)(stored_rows block, const real *w, real *out)
{
    const char *behind = (const char *)(block.x + block.rows * block.columns);
    for (size_t i = 0; i < block.rows; i += TIMES_ROWS) {
        size_t count = least(block.rows - i, TIMES_ROWS);
        const stored *row[TIMES_ROWS];
        real sums[TIMES_ROWS];
        for (size_t k = 0; k < TIMES_ROWS; k++) /* past the end, the last again */
            row[k] = block.x + (i + least(k, count - 1)) * block.columns;
        TWO(times_rows)
        (row, w, block.columns, sums, behind + i * block.columns * sizeof(stored) / 2);
        memcpy(out + i, sums, count * sizeof *out);
    }
}

/* Some columns of some rows. */
struct TWO(strip) {
    const stored *x;
    size_t row_step, count;
    const char *next; /* what is fetched meanwhile */
};

/* sum[j] += r[0] x[0][j] + ... for `rows` rows, BACK_ROWS or 1. */
HOT void TWO(back_rows)(const struct TWO(strip) * strip, const real *r, real *sum, const int rows)
{
    const stored *x = strip->x;
    const size_t count = strip->count, row_step = strip->row_step;
    const char *next = strip->next;
    const size_t share = (size_t)rows * LANES * sizeof(stored) / 2;
    vec factor[BACK_ROWS];
    size_t j = 0;
    UNROLL for (int k = 0; k < rows; k++) factor[k] = vec_all(r[k]);
    for (; j + LANES <= count; j += LANES, next += share) {
        vec s = vec_load(sum + j);
        TWO(fetch)(next, share);
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
static void TWO(back_wide)(stored_rows block, const real *r, double *gradient)
{
    real sum[BACK_COLUMNS];
    const char *behind = (const char *)(block.x + block.rows * block.columns) +
                         block.rows * block.columns * sizeof(stored) / 2;
    for (size_t first = 0; first < block.columns; first += BACK_COLUMNS) {
        size_t count = least(block.columns - first, BACK_COLUMNS), i = 0;
        struct TWO(strip) strip = {block.x + first, block.columns, count, behind};
        strip.next += first * BACK_ROWS * sizeof(stored) / 2;
        memset(sum, 0, round_up(count, LANES) * sizeof *sum);
        for (; i + BACK_ROWS <= block.rows; i += BACK_ROWS) {
            TWO(back_rows)(&strip, r + i, sum, BACK_ROWS);
            strip.x += BACK_ROWS * block.columns;
            strip.next += BACK_ROWS * block.columns * sizeof(stored) / 2;
        }
        for (; i < block.rows; i++, strip.x += block.columns)
            TWO(back_rows)(&strip, r + i, sum, 1);
        for (size_t j = 0; j < count; j++)
            gradient[first + j] += (double)sum[j];
    }
}

/* Rows of `vectors` vectors, so short that the sums stay in registers; NARROW_ROWS sums of each
 * column hide the latency of an addition. */
HOT void TWO(back_narrow)(stored_rows block, const real *r, double *gradient, const int vectors)
{
    const size_t columns = block.columns;
    const part rest = part_of(columns - (size_t)(vectors - 1) * LANES);
    const char *next =
        (const char *)(block.x + block.rows * columns) + block.rows * columns * sizeof(stored) / 2;
    vec sum[NARROW_ROWS * NARROW_VECTORS];
    real sums[NARROW_VECTORS * LANES];
    const stored *x = block.x;
    size_t i = 0;
    UNROLL for (int k = 0; k < NARROW_ROWS * NARROW_VECTORS; k++) sum[k] = vec_all(0);
    for (; i < block.rows; i += NARROW_ROWS) {
        const size_t last = block.rows - i - 1;
        TWO(fetch)(next, NARROW_ROWS * (size_t)vectors * LANES * sizeof(stored) / 2);
        next += NARROW_ROWS * columns * sizeof(stored) / 2;
        UNROLL for (size_t k = 0; k < NARROW_ROWS; k++)
        {
            const stored *row = x + least(k, last) * columns; /* past the end, the last times 0 */
            const vec factor = vec_all(k <= last ? r[i + k] : 0);
            UNROLL for (int v = 0; v < vectors; v++)
            {
                const stored *at = row + v * LANES;
                vec *s = &sum[k * NARROW_VECTORS + (size_t)v];
                *s = vec_fma(v == vectors - 1 ? LOAD_PART(at, rest) : LOAD(at), factor, *s);
            }
        }
        x += NARROW_ROWS * columns;
    }
    UNROLL for (int v = 0; v < vectors; v++)
    {
        vec all = sum[v];
        UNROLL for (int k = 1; k < NARROW_ROWS; k++) all += sum[k * NARROW_VECTORS + v];
        vec_store(sums + v * LANES, all);
    }
    for (size_t j = 0; j < columns; j++)
        gradient[j] += (double)sums[j];
}

static void TWO(linear_back)(stored_rows block, const real *r, double *gradient)
{
    switch (round_up(block.columns, LANES) / LANES) {
    case 0:
        break;
    case 1:
        TWO(back_narrow)(block, r, gradient, 1);
        break;
    case 2:
        TWO(back_narrow)(block, r, gradient, 2);
        break;
    case 3:
        TWO(back_narrow)(block, r, gradient, 3);
        break;
    case 4:
        TWO(back_narrow)(block, r, gradient, 4);
        break;
    default:
        TWO(back_wide)(block, r, gradient);
        break;
    }
}

#undef stored
#undef stored_rows
#undef LOAD
#undef LOAD_PART
#undef TWO
