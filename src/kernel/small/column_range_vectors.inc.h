/* spread_vectors: the loops for one type of rows; included three times by spread_body.h. */

/* The same columns of the rows behind these. */
HOT void SPREAD(fetch)(const stored *row, size_t width)
{
    for (size_t j = 0; j < width; j += SPREAD_LINE / sizeof *row)
        __builtin_prefetch(row + j);
}

HOT void SPREAD(first_strip)(const struct column_range *spread, const stored *row, size_t from, const size_t vectors)
{
    const size_t columns = spread->columns, ahead = spread->behind * columns;
    vec low[SPREAD_STRIP], high[SPREAD_STRIP], sum[SPREAD_STRIP];
    UNROLL for (size_t k = 0; k < vectors; k++)
    {
        low[k] = vec_load(spread->low + from + k * LANES);
        high[k] = vec_load(spread->high + from + k * LANES);
        sum[k] = vec_load(spread->sum + from + k * LANES);
    }
    row += from;
    for (size_t i = 0; i < spread->count; i++, row += columns) {
        const vec weight = vec_all(spread->weight[i]);
        SPREAD(fetch)(row + ahead, vectors * LANES);
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
        vec_store(spread->low + from + k * LANES, low[k]);
        vec_store(spread->high + from + k * LANES, high[k]);
        vec_store(spread->sum + from + k * LANES, sum[k]);
    }
}

HOT void SPREAD(second_strip)(const struct column_range *spread, const stored *row, size_t from, const size_t vectors)
{
    const size_t columns = spread->columns, ahead = spread->behind * columns;
    vec mean[SPREAD_STRIP], sum[SPREAD_STRIP], square[SPREAD_STRIP];
    UNROLL for (size_t k = 0; k < vectors; k++)
    {
        mean[k] = vec_load(spread->mean + from + k * LANES);
        sum[k] = vec_load(spread->sum + from + k * LANES);
        square[k] = vec_load(spread->square + from + k * LANES);
    }
    row += from;
    for (size_t i = 0; i < spread->count; i++, row += columns) {
        const vec weight = vec_all(spread->weight[i]);
        SPREAD(fetch)(row + ahead, vectors * LANES);
        UNROLL for (size_t k = 0; k < vectors; k++)
        {
            const vec d = LOAD(row + k * LANES) - mean[k], weighted = weight * d;
            sum[k] += weighted;
            square[k] += weighted * d;
        }
    }
    UNROLL for (size_t k = 0; k < vectors; k++)
    {
        vec_store(spread->sum + from + k * LANES, sum[k]);
        vec_store(spread->square + from + k * LANES, square[k]);
    }
}

static void SPREAD(first)(const struct column_range *spread, const stored *rows)
{
    size_t j = 0;
    for (; j + SPREAD_STRIP * LANES <= spread->columns; j += SPREAD_STRIP * LANES)
        SPREAD(first_strip)(spread, rows, j, SPREAD_STRIP);
    for (; j + LANES <= spread->columns; j += LANES)
        SPREAD(first_strip)(spread, rows, j, 1);
    for (; j < spread->columns; j++)
        for (size_t i = 0; i < spread->count; i++) {
            const double x = (double)rows[i * spread->columns + j];
            spread->low[j] = x < spread->low[j] ? x : spread->low[j];
            spread->high[j] = x > spread->high[j] ? x : spread->high[j];
            spread->sum[j] += spread->weight[i] * x;
        }
}

static void SPREAD(second)(const struct column_range *spread, const stored *rows)
{
    size_t j = 0;
    for (; j + SPREAD_STRIP * LANES <= spread->columns; j += SPREAD_STRIP * LANES)
        SPREAD(second_strip)(spread, rows, j, SPREAD_STRIP);
    for (; j + LANES <= spread->columns; j += LANES)
        SPREAD(second_strip)(spread, rows, j, 1);
    for (; j < spread->columns; j++)
        for (size_t i = 0; i < spread->count; i++) {
            const double d = (double)rows[i * spread->columns + j] - spread->mean[j];
            spread->sum[j] += spread->weight[i] * d;
            spread->square[j] += spread->weight[i] * d * d;
        }
}

#undef stored
#undef LOAD
#undef SPREAD
