/* sell16: conversion of CSR rows, or of their transpose, to sliced ELLPACK (SELL-C-sigma with C = 16; Kreutzer et al.,
 * "A unified sparse matrix data format", SIAM J. Sci. Comput. 36, 2014): a counting sort by length, then each row is
 * copied into its lane. Rows of a slice have similar lengths, so little is padding, and 16 rows are multiplied at once
 * by vector instructions. */
#include "objective/sparse/sell16.h"

#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/thread.h"

/* Entries of the i-th row. */
static size_t length_of(const struct sparse_rows *rows, size_t i)
{
    return (size_t)(sparse_start(rows, i + 1) - sparse_start(rows, i));
}

/* A stable counting sort of rows [from, to) by length, longest first: sorted[place] is the row at that place. Stable,
 * so that neighbouring rows of equal length stay together. `count` has a place for each length up to the longest. */
static void sort_window(const struct sparse_rows *rows, size_t from, size_t to, uint32_t *count, uint32_t *sorted)
{
    size_t longest = 0;
    for (size_t i = from; i < to; i++)
        longest = length_of(rows, i) > longest ? length_of(rows, i) : longest;
    memset(count, 0, (longest + 2) * sizeof *count);
    /* One bucket for each length, longest first. */
    for (size_t i = from; i < to; i++)
        count[longest - length_of(rows, i) + 1]++;
    for (size_t n = 1; n < longest + 2; n++)
        count[n] += count[n - 1];
    for (size_t i = from; i < to; i++)
        sorted[from + count[longest - length_of(rows, i)]++] = (uint32_t)i;
}

/* Rows of SELL16_WINDOW at a time are sorted: their entries are in the cache when they are copied. false without
 * memory. */
static bool sort_rows(const struct sparse_rows *rows, uint32_t *sorted)
{
    size_t longest = 0;
    for (size_t i = 0; i < rows->rows; i++)
        longest = length_of(rows, i) > longest ? length_of(rows, i) : longest;
    uint32_t *count = mem_alloc(longest + 2, sizeof *count);
    if (!count)
        return false;
    for (size_t from = 0; from < rows->rows; from += SELL16_WINDOW)
        sort_window(rows, from, min_size(from + SELL16_WINDOW, rows->rows), count, sorted);
    mem_free(count);
    return true;
}

/* Stores an entry. `narrow`, whether column indices have 16 bits, is a constant in the calls that matter. */
static inline void put(struct sell16 *to, uint64_t at, size_t column, double value, bool narrow)
{
    if (narrow)
        to->column16[at] = (uint16_t)column;
    else
        to->column[at] = (uint32_t)column;
    to->value[at] = (float)value;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The rows of a slice while they are copied. */
struct lanes {
    uint64_t first[SELL16_ROWS], length[SELL16_ROWS]; /* entries of the row of each lane; 0 without a row */
    uint64_t shortest;
};

static struct lanes slice_lanes(const struct sparse_rows *rows, const struct sell16 *to, size_t slice)
{
    struct lanes lanes = {.shortest = UINT64_MAX};
    for (size_t lane = 0; lane < SELL16_ROWS; lane++) {
        const size_t place = slice * SELL16_ROWS + lane;
        if (place < to->all.rows) {
            lanes.first[lane] = sparse_start(rows, to->row[place]);
            lanes.length[lane] = length_of(rows, to->row[place]);
        }
        lanes.shortest = lanes.length[lane] < lanes.shortest ? lanes.length[lane] : lanes.shortest;
    }
    return lanes;
}

/* Copies the rows of a slice step by step, so that memory is written in order; lanes whose row has ended get value 0 in
 * column 0, which adds exactly 0 to a sum. `narrow` and the widths are constants in the calls that matter, so that the
 * compiler makes loops without tests. */
static inline void fill_slice(const struct sparse_rows *rows, struct sell16 *to, size_t slice, bool narrow, bool wide,
                              bool f64)
{
    const struct lanes lanes = slice_lanes(rows, to, slice);
    const uint64_t steps = to->start[slice + 1] - to->start[slice];
    uint64_t at = to->start[slice] * SELL16_ROWS, k = 0;
    for (; k < lanes.shortest; k++)
        for (size_t lane = 0; lane < SELL16_ROWS; lane++, at++) {
            const uint64_t e = lanes.first[lane] + k;
            put(to, at, sparse_column(rows, e, wide), sparse_value(rows, e, f64), narrow);
        }
    for (; k < steps; k++)
        for (size_t lane = 0; lane < SELL16_ROWS; lane++, at++) {
            const uint64_t e = lanes.first[lane] + k;
            if (k < lanes.length[lane])
                put(to, at, sparse_column(rows, e, wide), sparse_value(rows, e, f64), narrow);
            else
                put(to, at, 0, 0, narrow);
        }
}

/* A copy in progress. */
struct sell16_fill {
    const struct sparse_rows *rows;
    struct sell16 *to;
    uint64_t *next;        /* of the transpose: the position of each column's next entry */
    const uint64_t *start; /* of the transpose: the number of entries in columns before each */
    size_t ranges;         /* of the transpose: into how many the columns are divided */
};

/* Callback of pool_blocks: copies the rows of one group of slices. The common types (narrow input, floats) get a
 * specialised loop for each width of the copy. */
static temper_status fill_group(void *context, size_t group, size_t worker)
{
    const struct sell16_fill *fill = context;
    const struct sparse_rows *rows = fill->rows;
    struct sell16 *to = fill->to;
    const bool wide = rows->column64 != NULL, f64 = rows->value64 != NULL;
    (void)worker;
    for (size_t slice = to->group[group]; slice < to->group[group + 1]; slice++)
        if (to->column16 && !wide && !f64)
            fill_slice(rows, to, slice, true, false, false);
        else if (!wide && !f64)
            fill_slice(rows, to, slice, false, false, false);
        else
            fill_slice(rows, to, slice, to->column16 != NULL, wide, f64);
    return TEMPER_OK;
}

/* ---- Transpose ------------------------------------------------------------------------------- */

enum { MOST_RANGES = 8 }; /* each thread reads the column indices of all entries, which is less than writing its own */

/* Copies the entries of columns [from, behind), row by row, each to the lane of its column, so that rows ascend
 * within each lane. next[column] is the position of the column's next entry. */
static inline void scatter(const struct sell16_fill *fill, size_t from, size_t behind, bool narrow, bool wide, bool f64)
{
    const struct sparse_rows *rows = fill->rows;
    for (size_t row = 0; row < rows->rows; row++) {
        const uint64_t end = sparse_start(rows, row + 1);
        for (uint64_t e = sparse_start(rows, row); e < end; e++) {
            const size_t column = sparse_column(rows, e, wide);
            if (column < from || column >= behind)
                continue;
            put(fill->to, fill->next[column], row, sparse_value(rows, e, f64), narrow);
            fill->next[column] += SELL16_ROWS;
        }
    }
}

/* The first column of a range: the first one before which a share of the entries is. */
static size_t range_start(const struct sell16_fill *fill, size_t range)
{
    const size_t columns = fill->to->all.rows;
    const uint64_t wanted = fill->start[columns] / fill->ranges * range;
    size_t low = 0, high = columns;
    if (range == fill->ranges)
        return columns;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (fill->start[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Callback of pool_blocks: copies the entries of one range of columns. */
static temper_status fill_range(void *context, size_t range, size_t worker)
{
    const struct sell16_fill *fill = context;
    const bool wide = fill->rows->column64 != NULL, f64 = fill->rows->value64 != NULL;
    const size_t from = range_start(fill, range), behind = range_start(fill, range + 1);
    (void)worker;
    if (fill->to->column16 && !wide && !f64)
        scatter(fill, from, behind, true, false, false);
    else
        scatter(fill, from, behind, fill->to->column16 != NULL, wide, f64);
    return TEMPER_OK;
}

/* Pads the lanes behind what `next` has reached with value 0 in row 0, which adds exactly 0 to a sum. */
static void pad_lanes(struct sell16 *to, const uint64_t *next)
{
    for (size_t place = 0; place < to->all.slices * SELL16_ROWS; place++) {
        const size_t slice = place / SELL16_ROWS;
        uint64_t at =
            place < to->all.rows ? next[to->row[place]] : to->start[slice] * SELL16_ROWS + place % SELL16_ROWS;
        for (; at < to->start[slice + 1] * SELL16_ROWS; at += SELL16_ROWS)
            put(to, at, 0, 0, to->column16 != NULL);
    }
}

/* An array that is about to be written by several threads. */
struct fresh_array {
    unsigned char *bytes;
    size_t size;
};

enum { TOUCHED = 1 << 21, SMALL_PAGE = 1 << 12 }; /* bytes: a huge page, and a page */

/* Callback of pool_blocks: writes to all pages of a piece of the array. */
static temper_status touch_piece(void *context, size_t piece, size_t worker)
{
    const struct fresh_array *array = context;
    size_t from = piece * TOUCHED, left = array->size - from;
    (void)worker;
    for (size_t at = from; at < from + min_size(left, TOUCHED); at += SMALL_PAGE)
        array->bytes[at] = 0;
    return TEMPER_OK;
}

/* Has the system supply the memory of an array. Threads that scatter to all of it would reach its huge pages at the
 * same time, and each would clear them: twice the time of one thread. */
static void touch_pages(void *array, size_t bytes, struct thread_team team)
{
    struct fresh_array fresh = {array, bytes};
    if (team.threads > 1 && array)
        (void)pool_blocks(team.pool, (bytes + TOUCHED - 1) / TOUCHED, team.threads, touch_piece, &fresh);
}

/* Fills the lanes of the transpose and pads them; false without memory. The columns are divided into a range for each
 * thread, of about as many entries: where an entry goes does not depend on the ranges. */
static bool fill_columns(struct sell16_fill *fill, struct thread_team team)
{
    struct sell16 *to = fill->to;
    uint64_t *next = mem_alloc(to->all.rows, sizeof *next);
    if (!next)
        return false;
    /* The position of each column's first entry. */
    for (size_t place = 0; place < to->all.rows; place++)
        next[to->row[place]] = to->start[place / SELL16_ROWS] * SELL16_ROWS + place % SELL16_ROWS;
    const size_t entries = (size_t)to->start[to->all.slices] * SELL16_ROWS;
    touch_pages(to->value, entries * sizeof *to->value, team);
    touch_pages(to->column16, entries * sizeof *to->column16, team);
    touch_pages(to->column, entries * sizeof *to->column, team);
    fill->next = next;
    fill->ranges = min_size(team.threads + !team.threads, MOST_RANGES);
    bool filled = pool_blocks(team.pool, fill->ranges, team.threads, fill_range, fill) == TEMPER_OK;
    pad_lanes(to, next);
    mem_free(next);
    return filled;
}

/* start[j]: the number of entries in columns before j, [columns + 1]; the caller frees it. NULL without memory. */
static uint64_t *count_columns(const struct sparse_rows *rows, size_t columns)
{
    const bool wide = rows->column64 != NULL;
    uint64_t *start = mem_zeroed(columns + 1, sizeof *start);
    if (!start)
        return NULL;
    for (uint64_t e = sparse_start(rows, 0); e < sparse_start(rows, rows->rows); e++)
        start[sparse_column(rows, e, wide) + 1]++;
    for (size_t j = 0; j < columns; j++)
        start[j + 1] += start[j];
    return start;
}

/* ---- Slices ---------------------------------------------------------------------------------- */

/* Divides the slices into SELL16_GROUPS groups with about equal numbers of steps, the unit of work of the threads. */
static void divide(struct sell16 *to)
{
    const uint64_t steps = to->start[to->all.slices];
    size_t slice = 0;
    for (size_t group = 0; group < SELL16_GROUPS; group++) {
        /* Boundaries depend on the lengths only, not on the number of threads. */
        while (slice < to->all.slices && to->start[slice] < steps / SELL16_GROUPS * group)
            slice++;
        to->group[group] = group ? slice : 0;
    }
    to->group[SELL16_GROUPS] = to->all.slices;
}

/* Sorts the rows and allocates the slices, for column indices below `most`: 16 bits where they suffice, which saves a
 * quarter of the memory traffic. A slice is as long as its first row, which is the longest. false without
 * memory. */
static bool allocate_slices(const struct sparse_rows *from, size_t most, struct sell16 *out)
{
    const size_t slices = (from->rows + SELL16_ROWS - 1) / SELL16_ROWS;
    const bool narrow = most <= (size_t)UINT16_MAX + 1;
    size_t entries;
    out->start = mem_zeroed(slices + 1, sizeof *out->start);
    out->row = mem_alloc(from->rows, sizeof *out->row);
    if (!out->start || !out->row || !sort_rows(from, out->row))
        return false;
    /* The first row of a slice is its longest. */
    for (size_t slice = 0; slice < slices; slice++)
        out->start[slice + 1] = out->start[slice] + length_of(from, out->row[slice * SELL16_ROWS]);
    if (!mul_size((size_t)out->start[slices], SELL16_ROWS, &entries))
        return false;
    out->value = mem_paged(entries, sizeof *out->value);
    if (narrow)
        out->column16 = mem_paged(entries, sizeof *out->column16);
    else
        out->column = mem_paged(entries, sizeof *out->column);
    out->all = (struct sparse_sell16){.start = out->start,
                                      .row = out->row,
                                      .column16 = out->column16,
                                      .column = out->column,
                                      .value = out->value,
                                      .slices = slices,
                                      .rows = from->rows};
    if (!out->value || !(narrow ? (void *)out->column16 : out->column))
        return false;
    divide(out);
    return true;
}

/* The matrix itself, for scores; false without memory, and the caller then calls sell16_free. */
bool sell16_make(const struct sparse_rows *rows, size_t columns, struct thread_team team, struct sell16 *out)
{
    struct sell16_fill fill = {.rows = rows, .to = out};
    return allocate_slices(rows, columns, out) &&
           pool_blocks(team.pool, SELL16_GROUPS, team.threads, fill_group, &fill) == TEMPER_OK;
}

/* Its transpose, for gradients: lanes are columns, the "column indices" are rows. */
bool sell16_transpose(const struct sparse_rows *rows, size_t columns, struct thread_team team, struct sell16 *out)
{
    uint64_t *start = count_columns(rows, columns);
    /* allocate_slices needs the lengths of the columns, not their entries. */
    const struct sparse_rows lengths = {.start = start, .rows = columns};
    struct sell16_fill fill = {.rows = rows, .to = out, .start = start};
    bool made = start && allocate_slices(&lengths, rows->rows, out) && fill_columns(&fill, team);
    mem_free(start);
    return made;
}

void sell16_free(struct sell16 *sell)
{
    mem_free(sell->start);
    mem_free(sell->row);
    mem_free(sell->column16);
    mem_free(sell->column);
    mem_free(sell->value);
}

/* ---- Products -------------------------------------------------------------------------------- */

/* A product in progress. */
struct sell16_job {
    const struct sell16 *sell;
    const struct sparse_kernels *kernels;
    const float *w;
    double *out;
};

/* Callback of pool_blocks: the product for one group of slices. Every result belongs to one lane, so threads write
 * different numbers. */
static temper_status one_group(void *context, size_t group, size_t worker)
{
    const struct sell16_job *job = context;
    const struct sell16 *sell = job->sell;
    (void)worker;
    job->kernels->sell16(&sell->all, sell->group[group], sell->group[group + 1], job->w, job->out);
    return TEMPER_OK;
}

/* out[row] = sum of the row's entries times w. The order of additions within a row is fixed, so the result does not
 * depend on the number of threads. */
temper_status sell16_times(const struct sell16 *sell, const struct sparse_kernels *kernels, struct thread_team team,
                           const float *w, double *out)
{
    struct sell16_job job = {sell, kernels, w, out};
    /* No thread is started for one worker. */
    if (team.threads <= 1) {
        kernels->sell16(&sell->all, 0, sell->all.slices, w, out);
        return TEMPER_OK;
    }
    return pool_blocks(team.pool, SELL16_GROUPS, team.threads, one_group, &job);
}

/* out[row] = sum of the squares of the row's entries; of the transpose: of each feature. A slice has SELL16_ROWS rows
 * that are padded to the longest of them, and stores step k of all its rows next to each other: the inner loop has a
 * lane for each row, and no gather. */
void sell16_squares(const struct sell16 *sell, double *out)
{
    for (size_t slice = 0; slice < sell->all.slices; slice++) {
        const size_t first = slice * SELL16_ROWS, left = sell->all.rows - first;
        double sum[SELL16_ROWS] = {0};
        /* Padding adds 0. */
        for (uint64_t step = sell->start[slice]; step < sell->start[slice + 1]; step++)
            for (size_t lane = 0; lane < SELL16_ROWS; lane++) {
                const double value = (double)sell->value[step * SELL16_ROWS + lane];
                sum[lane] += value * value;
            }
        for (size_t lane = 0; lane < SELL16_ROWS && lane < left; lane++)
            out[sell->row[first + lane]] = sum[lane];
    }
}
