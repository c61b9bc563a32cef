/* linear_binary: the products of two-class data; included by linear.inc.h for each type of data.
 *
 * The including file defines `stored`, the type of the data, `stored_rows`, the loads of vectors (LOAD,
 * LOAD_PART) and TWO(name), which makes names distinct.
 *
 * A block is read twice, the second time from the cache, when the memory would be idle: so each product
 * prefetches half of the next block. (If the data is in the cache already, the same lines are prefetched
 * repeatedly, at almost no cost.) */
#if WIDENS
#define TWO_PLACE
#else
#define TWO_PLACE BINARY_PASS
#endif

/* Prefetches some bytes, a cache line at a time. */
HOT void TWO(fetch)(const char *from, const size_t bytes)
{
    UNROLL for (size_t b = 0; b < bytes; b += LINE) __builtin_prefetch(from + b, 0, 2);
}

/* The address `skip` bytes after the block; the block itself if it is cached. */
HOT struct fetching TWO(fetch_behind)(const stored_rows *block, struct linear_hints aside, size_t skip)
{
    const size_t size = block->rows * block->columns * sizeof(stored);
    const char *from = (const char *)block->x;
    return (struct fetching){aside.cached ? from : from + size + skip, !aside.cached};
}

/* Dot products of TIMES_ROWS rows with w, lanes along the columns. */
HOT void TWO(times_rows)(const stored *const *row, const real *w, size_t columns, real *out, struct fetching fetching)
{
    const size_t share = TIMES_ROWS * LANES * sizeof(stored) / 2;
    const char *next = fetching.next;
    vec sum[TIMES_ROWS];
    size_t j = 0;
    UNROLL for (int k = 0; k < TIMES_ROWS; k++) sum[k] = vec_all(0);
    for (; j + LANES <= columns; j += LANES, next += fetching.moves ? share : 0) {
        vec weight = vec_load(w + j);
        TWO(fetch)(next, share);
        UNROLL for (int k = 0; k < TIMES_ROWS; k++) sum[k] = vec_fma(LOAD(row[k] + j), weight, sum[k]);
    }
    if (j < columns) {
        /* the last columns, masked: memory after the row may be unmapped */
        part rest = part_of(columns - j);
        vec weight = vec_load_part(w + j, rest);
        TWO(fetch)(next, share);
        UNROLL for (int k = 0; k < TIMES_ROWS; k++) sum[k] = vec_fma(LOAD_PART(row[k] + j, rest), weight, sum[k]);
    }
    UNROLL for (int k = 0; k < TIMES_ROWS; k += LANES) vec_store(out + k, sum_each(sum + k));
}

/* Stores a converted row in the workspace: from a new vector on, padded with zeros. */
HOT void TWO(keep_row)(vec x, real *wide, size_t row, const int v, const int vectors)
{
    vec_store(wide + (row * (size_t)vectors + (size_t)v) * LANES, x);
}

/* Vector v of a row; `rest` are the lanes of the last one. */
HOT vec TWO(load_of)(const stored *row, const int v, const int vectors, part rest)
{
    return v == vectors - 1 ? LOAD_PART(row + v * LANES, rest) : LOAD(row + v * LANES);
}

/* The same for rows of `vectors` vectors, so short that the weights stay in registers. Returns the number
 * of rows that were processed. */
HOT size_t TWO(times_narrow)(const stored_rows *block, struct linear_hints aside, const real *w, real *out,
                             const int vectors, const bool keep)
{
    const size_t columns = block->columns;
    const part rest = part_of(columns - (size_t)(vectors - 1) * LANES);
    struct fetching fetching = TWO(fetch_behind)(block, aside, 0);
    const size_t share = fetching.moves ? TIMES_ROWS * columns * sizeof(stored) / 2 : 0;
    const stored *x = block->x;
    vec weight[NARROW_VECTORS], sum[TIMES_ROWS];
    size_t i = 0;
    UNROLL for (int v = 0; v < vectors; v++) weight[v] =
        vec_keep(v == vectors - 1 ? vec_load_part(w + v * LANES, rest) : vec_load(w + v * LANES));
    for (; i + TIMES_ROWS <= block->rows; i += TIMES_ROWS, fetching.next += share) {
        UNROLL for (size_t k = 0; k < TIMES_ROWS; k++, x += columns)
        {
            const size_t bytes = (size_t)vectors * LANES * sizeof(stored) / 2;
            TWO(fetch)(fetching.next + k * bytes, bytes);
            sum[k] = vec_all(0);
            UNROLL for (int v = 0; v < vectors; v++)
            {
                vec number = TWO(load_of)(x, v, vectors, rest);
                if (keep)
                    TWO(keep_row)(number, aside.wide, i + k, v, vectors);
                sum[k] = vec_fma(number, weight[v], sum[k]);
            }
        }
        UNROLL for (int k = 0; k < TIMES_ROWS; k += LANES) vec_store(out + i + k, sum_each(sum + k));
    }
    /* rows that form no complete group: converted here for `back`, multiplied by times_any */
    for (size_t k = i; keep && k < block->rows; k++, x += columns)
        for (int v = 0; v < vectors; v++)
            TWO(keep_row)(TWO(load_of)(x, v, vectors, rest), aside.wide, k, v, vectors);
    return i;
}

/* A loop for each number of vectors in a row: only with a constant number are the weights an array of registers. */
#define TIMES_CASE(n)                                                                                                  \
    case n:                                                                                                            \
        return WIDENS && aside.wide ? TWO(times_narrow)(block, aside, w, out, n, true)                                 \
                                    : TWO(times_narrow)(block, aside, w, out, n, false);

/* Processes short rows in groups of TIMES_ROWS; returns 0 for long rows, and then times_any does all of them. */
TWO_PLACE static size_t TWO(times_short)(const stored_rows *block, struct linear_hints aside, const real *w, real *out)
{
    switch (round_up(block->columns, LANES) / LANES) {
        TIMES_CASE(1)
        TIMES_CASE(2)
        TIMES_CASE(3)
        TIMES_CASE(4)
#if NARROW > 4
        TIMES_CASE(5)
        TIMES_CASE(6)
        TIMES_CASE(7)
        TIMES_CASE(8)
#endif
    default:
        return 0;
    }
}

#undef TIMES_CASE

/* out = X w. The rows that times_short left over, and long rows. Each row is summed in the same order in any
 * position, so that results do not depend on the size of blocks. */
TWO_PLACE static void TWO(times_any)(stored_rows block, struct linear_hints aside, const real *w, real *out)
{
    const size_t half_row = block.columns * sizeof(stored) / 2;
    for (size_t i = TWO(times_short)(&block, aside, w, out); i < block.rows; i += TIMES_ROWS) {
        size_t count = least(block.rows - i, TIMES_ROWS);
        const stored *row[TIMES_ROWS];
        real sums[TIMES_ROWS];
        for (size_t k = 0; k < TIMES_ROWS; k++) /* past the end, the last again */
            row[k] = block.x + (i + least(k, count - 1)) * block.columns;
        TWO(times_rows)
        (row, w, block.columns, sums, TWO(fetch_behind)(&block, aside, i * half_row));
        memcpy(out + i, sums, count * sizeof *out);
    }
}

/* A range of columns of some rows. */
struct TWO(strip) {
    const stored *x;
    size_t row_step, count;
    struct fetching fetching;
};

/* sum[j] += r[0] x[0][j] + ... for `rows` rows, BACK_ROWS or 1. */
HOT void TWO(back_rows)(const struct TWO(strip) * strip, const real *r, real *sum, const int rows)
{
    const stored *x = strip->x;
    const size_t count = strip->count, row_step = strip->row_step;
    const char *next = strip->fetching.next;
    const size_t share = (size_t)rows * LANES * sizeof(stored) / 2;
    const size_t moves = strip->fetching.moves ? share : 0;
    vec factor[BACK_ROWS];
    size_t j = 0;
    UNROLL for (int k = 0; k < rows; k++) factor[k] = vec_all(r[k]);
    for (; j + LANES <= count; j += LANES, next += moves) {
        vec s = vec_load(sum + j);
        TWO(fetch)(next, share);
        UNROLL for (int k = 0; k < rows; k++) s = vec_fma(LOAD(x + (size_t)k * row_step + j), factor[k], s);
        vec_store(sum + j, s);
    }
    if (j < count) {
        part rest = part_of(count - j);
        vec s = vec_load(sum + j);
        UNROLL for (int k = 0; k < rows; k++) s = vec_fma(LOAD_PART(x + (size_t)k * row_step + j, rest), factor[k], s);
        vec_store(sum + j, s);
    }
}

/* Long rows: sums of BACK_COLUMNS columns in the type of the block, which are added to the doubles at the
 * end. */
static void TWO(back_wide)(const stored_rows *block, struct linear_hints aside, const real *r, double *gradient)
{
    real sum[BACK_COLUMNS];
    const size_t columns = block->columns, half_rows = BACK_ROWS * sizeof(stored) / 2;
    for (size_t first = 0; first < columns; first += BACK_COLUMNS) {
        size_t count = least(columns - first, BACK_COLUMNS), i = 0;
        struct TWO(strip) strip = {block->x + first, columns, count, {0}};
        strip.fetching = TWO(fetch_behind)(block, aside, block->rows * columns * sizeof(stored) / 2);
        if (strip.fetching.moves)
            strip.fetching.next += first * half_rows;
        memset(sum, 0, round_up(count, LANES) * sizeof *sum);
        for (; i + BACK_ROWS <= block->rows; i += BACK_ROWS) {
            TWO(back_rows)(&strip, r + i, sum, BACK_ROWS);
            strip.x += BACK_ROWS * columns;
            strip.fetching.next += strip.fetching.moves ? columns * half_rows : 0;
        }
        for (; i < block->rows; i++, strip.x += columns)
            TWO(back_rows)(&strip, r + i, sum, 1);
        for (size_t j = 0; j < count; j++)
            gradient[first + j] += (double)sum[j];
    }
}

/* Rows of `vectors` vectors, so short that the sums stay in registers; NARROW_ROWS sums of each column hide
 * the latency of an addition. `fetched` bytes are prefetched for each vector. */
HOT void TWO(back_narrow)(const struct TWO(strip) * strip, size_t rows, const real *r, double *gradient,
                          const int vectors, const size_t fetched)
{
    const size_t step = strip->row_step, columns = strip->count, left = columns % LANES;
    const part rest = part_of(left && step == columns ? left : LANES); /* converted rows are padded */
    const char *next = strip->fetching.next;
    const size_t share = strip->fetching.moves ? NARROW_ROWS * columns * fetched / LANES / 2 : 0;
    vec sum[NARROW_ROWS * NARROW_VECTORS];
    real sums[NARROW_VECTORS * LANES];
    const stored *x = strip->x;
    UNROLL for (int k = 0; k < NARROW_ROWS * NARROW_VECTORS; k++) sum[k] = vec_all(0);
    for (size_t i = 0; i < rows; i += NARROW_ROWS, x += NARROW_ROWS * step, next += share) {
        const size_t last = rows - i - 1;
        TWO(fetch)(next, NARROW_ROWS * (size_t)vectors * fetched / 2);
        UNROLL for (size_t k = 0; k < NARROW_ROWS; k++)
        {
            const stored *row = x + least(k, last) * step; /* past the end, the last times 0 */
            const vec factor = vec_all(k <= last ? r[i + k] : 0);
            UNROLL for (int v = 0; v < vectors; v++)
            {
                vec *s = &sum[k * NARROW_VECTORS + (size_t)v];
                *s = vec_fma(TWO(load_of)(row, v, vectors, rest), factor, *s);
            }
        }
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

/* From the rows of the block, or from those that `times` has converted. */
HOT void TWO(back_short)(const stored_rows *block, struct linear_hints aside, const real *r, double *gradient,
                         const int vectors)
{
    const size_t columns = block->columns;
    struct fetching fetching = TWO(fetch_behind)(block, aside, block->rows * columns * sizeof(stored) / 2);
#if WIDENS
    if (aside.wide) {
        const struct strip kept = {aside.wide, (size_t)vectors * LANES, columns, fetching};
        back_narrow(&kept, block->rows, r, gradient, vectors, LANES * sizeof(stored));
        return;
    }
#endif
    const struct TWO(strip) strip = {block->x, columns, columns, fetching};
    TWO(back_narrow)(&strip, block->rows, r, gradient, vectors, LANES * sizeof(stored));
}

#define BACK_CASE(n)                                                                                                   \
    case n:                                                                                                            \
        TWO(back_short)(&block, aside, r, gradient, n);                                                                \
        break;

/* gradient += X' r: a loop in registers for short rows, in strips of columns for long ones. */
TWO_PLACE static void TWO(back_any)(stored_rows block, struct linear_hints aside, const real *r, double *gradient)
{
    switch (round_up(block.columns, LANES) / LANES) {
    case 0:
        break;
        BACK_CASE(1)
        BACK_CASE(2)
        BACK_CASE(3)
        BACK_CASE(4)
#if NARROW > 4
        BACK_CASE(5)
        BACK_CASE(6)
        BACK_CASE(7)
        BACK_CASE(8)
#endif
    default:
        TWO(back_wide)(&block, aside, r, gradient);
        break;
    }
}

#undef BACK_CASE
#ifdef FUSES
#include "kernel/dense/linear_fused.inc.h"
#endif
#undef FUSES
#undef TWO_PLACE
#undef WIDENS
#undef stored
#undef stored_rows
#undef LOAD
#undef LOAD_PART
#undef TWO
