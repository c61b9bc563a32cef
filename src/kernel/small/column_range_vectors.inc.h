/* column_range_vectors: the loops for one type of rows; included three times by column_range.inc.h. */

/* Prefetches the same columns of later rows. */
HOT void RANGE(fetch)(const stored *row, size_t width)
{
    for (size_t j = 0; j < width; j += RANGE_LINE / sizeof *row)
        __builtin_prefetch(row + j);
}

/* First pass for `vectors` vectors of columns from column `from` on, over all rows: range and sum stay in
 * registers. vec_min and vec_max return their second operand for NaN, as in the reference. No FMA: the reference
 * rounds the product, too. */
HOT void RANGE(first_strip)(const struct column_range *range, const stored *row, size_t from, const size_t vectors)
{
    const size_t columns = range->columns, ahead = range->behind * columns;
    vec low[RANGE_STRIP], high[RANGE_STRIP], sum[RANGE_STRIP];
    UNROLL for (size_t k = 0; k < vectors; k++)
    {
        low[k] = vec_load(range->low + from + k * LANES);
        high[k] = vec_load(range->high + from + k * LANES);
        sum[k] = vec_load(range->sum + from + k * LANES);
    }
    row += from;
    for (size_t i = 0; i < range->count; i++, row += columns) {
        const vec weight = vec_all(range->weight[i]);
        RANGE(fetch)(row + ahead, vectors * LANES);
        UNROLL for (size_t k = 0; k < vectors; k++)
        {
            const vec x = LOAD(row + k * LANES);
            low[k] = vec_min(x, low[k]);
            high[k] = vec_max(x, high[k]);
            sum[k] += weight * x;
        }
    }
    UNROLL for (size_t k = 0; k < vectors; k++)
    {
        vec_store(range->low + from + k * LANES, low[k]);
        vec_store(range->high + from + k * LANES, high[k]);
        vec_store(range->sum + from + k * LANES, sum[k]);
    }
}

/* Second pass: sums of w (x - mean) and w (x - mean)^2, in the same order as the reference. */
HOT void RANGE(second_strip)(const struct column_range *range, const stored *row, size_t from, const size_t vectors)
{
    const size_t columns = range->columns, ahead = range->behind * columns;
    vec mean[RANGE_STRIP], sum[RANGE_STRIP], square[RANGE_STRIP];
    UNROLL for (size_t k = 0; k < vectors; k++)
    {
        mean[k] = vec_load(range->mean + from + k * LANES);
        sum[k] = vec_load(range->sum + from + k * LANES);
        square[k] = vec_load(range->square + from + k * LANES);
    }
    row += from;
    for (size_t i = 0; i < range->count; i++, row += columns) {
        const vec weight = vec_all(range->weight[i]);
        RANGE(fetch)(row + ahead, vectors * LANES);
        UNROLL for (size_t k = 0; k < vectors; k++)
        {
            const vec d = LOAD(row + k * LANES) - mean[k], weighted = weight * d;
            sum[k] += weighted;
            square[k] += weighted * d;
        }
    }
    UNROLL for (size_t k = 0; k < vectors; k++)
    {
        vec_store(range->sum + from + k * LANES, sum[k]);
        vec_store(range->square + from + k * LANES, square[k]);
    }
}

/* Strips of RANGE_STRIP vectors, single vectors, then single columns. */
BINARY_PASS static void RANGE(first)(const struct column_range *range, const stored *rows)
{
    size_t j = 0;
    for (; j + RANGE_STRIP * LANES <= range->columns; j += RANGE_STRIP * LANES)
        RANGE(first_strip)(range, rows, j, RANGE_STRIP);
    for (; j + LANES <= range->columns; j += LANES)
        RANGE(first_strip)(range, rows, j, 1);
    for (; j < range->columns; j++)
        for (size_t i = 0; i < range->count; i++) {
            const double x = (double)rows[i * range->columns + j];
            range->low[j] = x < range->low[j] ? x : range->low[j];
            range->high[j] = x > range->high[j] ? x : range->high[j];
            range->sum[j] += range->weight[i] * x;
        }
}

/* The same division of the columns. */
BINARY_PASS static void RANGE(second)(const struct column_range *range, const stored *rows)
{
    size_t j = 0;
    for (; j + RANGE_STRIP * LANES <= range->columns; j += RANGE_STRIP * LANES)
        RANGE(second_strip)(range, rows, j, RANGE_STRIP);
    for (; j + LANES <= range->columns; j += LANES)
        RANGE(second_strip)(range, rows, j, 1);
    for (; j < range->columns; j++)
        for (size_t i = 0; i < range->count; i++) {
            const double d = (double)rows[i * range->columns + j] - range->mean[j];
            range->sum[j] += range->weight[i] * d;
            range->square[j] += range->weight[i] * d * d;
        }
}

#undef stored
#undef LOAD
#undef RANGE
