/* linear_fused: both products of two-class data in one loop; included by linear_binary.inc.h for each type of data.
 *
 * The scores of some rows are computed together with the gradient of the rows before them, whose residuals are known by
 * then: the former wait for memory, the latter read the first-level cache and multiply, so that the processor has work
 * while it waits, and memory is read without pauses. The order of all additions is that of times_any and back_wide. */

enum {
    /* rows that share a load of the weights: as many as fill a line of the cache with a vector each, at least two */
    TWO(FUSED) = LANES * sizeof(stored) >= LINE / 2 ? 2 : 4,
    TWO(AHEAD) = 8192, /* bytes from a row to what is prefetched with it */
};

/* TIMES_ROWS rows of each product. */
struct TWO(fused) {
    const stored *x, *before;
    size_t columns;
    const real *w;
    real *sum;
};

/* FUSED rows of both products from row i on; `back`: of the first product only, if it is false. */
HOT void TWO(fused_rows)(const struct TWO(fused) * all, size_t i, const real *r, vec *score, const bool back)
{
    const size_t columns = all->columns;
    const stored *x = all->x + i * columns, *before = all->before + (back ? i * columns : 0);
    const char *next = (const char *)x + TWO(AHEAD);
    vec factor[TWO(FUSED)], dot[TWO(FUSED)];
    size_t j = 0;
    UNROLL for (size_t k = 0; k < TWO(FUSED); k++)
    {
        dot[k] = vec_all(0);
        factor[k] = vec_all(back ? r[i + k] : 0);
    }
    for (; j + LANES <= columns; j += LANES, next += TWO(FUSED) * LANES * sizeof(stored)) {
        const vec weight = vec_load(all->w + j);
        vec sum = vec_load(all->sum + j);
        TWO(fetch)(next, TWO(FUSED) * LANES * sizeof(stored));
        UNROLL for (size_t k = 0; k < TWO(FUSED); k++)
        {
            dot[k] = vec_fma(LOAD(x + k * columns + j), weight, dot[k]);
            if (back)
                sum = vec_fma(LOAD(before + k * columns + j), factor[k], sum);
        }
        if (back)
            vec_store(all->sum + j, sum);
    }
    if (j < columns) {
        const part rest = part_of(columns - j);
        const vec weight = vec_load_part(all->w + j, rest);
        vec sum = vec_load(all->sum + j);
        TWO(fetch)(next, TWO(FUSED) * LANES * sizeof(stored));
        UNROLL for (size_t k = 0; k < TWO(FUSED); k++)
        {
            dot[k] = vec_fma(LOAD_PART(x + k * columns + j, rest), weight, dot[k]);
            if (back)
                sum = vec_fma(LOAD_PART(before + k * columns + j, rest), factor[k], sum);
        }
        if (back)
            vec_store(all->sum + j, sum);
    }
    UNROLL for (size_t k = 0; k < TWO(FUSED); k++) score[k] = dot[k];
}

/* TIMES_ROWS rows, whose scores are then summed across the lanes together. */
HOT void TWO(fused_group)(const struct TWO(fused) * all, const real *r, real *out, const bool back)
{
    vec score[TIMES_ROWS];
    for (size_t i = 0; i < TIMES_ROWS; i += TWO(FUSED))
        TWO(fused_rows)(all, i, r, score + i, back);
    UNROLL for (int k = 0; k < TIMES_ROWS; k += LANES) vec_store(out + k, sum_each(score + k));
}

/* sum += X' r of rows that are left over. */
static void TWO(fused_back)(const stored *x, size_t columns, size_t rows, const real *r, real *sum)
{
    struct TWO(strip) strip = {x, columns, columns, {(const char *)x, false}};
    size_t i = 0;
    for (; i + BACK_ROWS <= rows; i += BACK_ROWS, strip.x += BACK_ROWS * columns)
        TWO(back_rows)(&strip, r + i, sum, BACK_ROWS);
    for (; i < rows; i++, strip.x += columns)
        TWO(back_rows)(&strip, r + i, sum, 1);
}

/* out = X w for the block, sum += X' r for the `before` rows in front of it. */
static void TWO(fused_any)(stored_rows block, size_t before, const real *w, real *out, const real *r, real *sum)
{
    const size_t columns = block.columns;
    struct TWO(fused) all = {block.x, block.x - before * columns, columns, w, sum};
    size_t i = 0;
    for (; i + TIMES_ROWS <= least(block.rows, before); i += TIMES_ROWS) {
        TWO(fused_group)(&all, r + i, out + i, true);
        all.x += TIMES_ROWS * columns;
        all.before += TIMES_ROWS * columns;
    }
    if (i < before)
        TWO(fused_back)(all.before, columns, before - i, r + i, sum);
    for (; i + TIMES_ROWS <= block.rows; i += TIMES_ROWS, all.x += TIMES_ROWS * columns)
        TWO(fused_group)(&all, r, out + i, false);
    if (i < block.rows) {
        const stored_rows left = {all.x, block.rows - i, columns};
        TWO(times_any)(left, (struct linear_hints){.cached = true}, w, out + i);
    }
}
