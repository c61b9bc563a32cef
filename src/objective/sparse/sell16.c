/* sell16: conversion of CSR rows, or of their transpose, to sliced ELLPACK (SELL-C-sigma with C = 16; Kreutzer et al.,
 * "A unified sparse matrix data format", SIAM J. Sci. Comput. 36, 2014): a counting sort by length, then each row is
 * copied into its lane. Rows of a slice have similar lengths, so little is padding, and 16 rows are multiplied at once
 * by vector instructions. */
#include "objective/sparse/sell16.h"

#include "base/memory.h"
#include "base/thread.h"

/* The vectors that are copied: the rows, or the columns. */
struct sell16_source {
    const struct sparse_rows *rows;
    const uint64_t *start; /* columns: the entries before each; NULL: rows */
    size_t count;          /* of rows or columns */
};

/* Entries of the i-th row or column. */
static size_t length_of(const struct sell16_source *from, size_t i)
{
    return (size_t)(from->start ? from->start[i + 1] - from->start[i]
                                : sparse_start(from->rows, i + 1) - sparse_start(from->rows, i));
}

/* A stable counting sort by length, longest first: sorted[place] is the row at that place. Stable, so that
 * neighbouring rows of equal length stay together. false without memory. */
static bool sort_rows(const struct sell16_source *from, uint32_t *sorted)
{
    size_t longest = 0;
    for (size_t i = 0; i < from->count; i++)
        longest = length_of(from, i) > longest ? length_of(from, i) : longest;
    size_t *place = mem_zeroed(longest + 2, sizeof *place);
    if (!place)
        return false;
    /* One bucket for each length, longest first. */
    for (size_t i = 0; i < from->count; i++)
        place[longest - length_of(from, i) + 1]++;
    for (size_t n = 1; n < longest + 2; n++)
        place[n] += place[n - 1];
    /* Stable: rows of equal length keep their order. */
    for (size_t i = 0; i < from->count; i++)
        sorted[place[longest - length_of(from, i)]++] = (uint32_t)i;
    mem_free(place);
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

/* Pads a lane from `at` to its end with value 0 in column 0, which adds exactly 0 to the sum of its row. */
static void put_zeros(struct sell16 *to, uint64_t at, uint64_t end)
{
    for (; at < end; at += SELL16_ROWS)
        put(to, at, 0, 0, to->column16 != NULL);
}

/* Index of the first entry of the lane at `place` in the sorted order; the following ones are SELL16_ROWS apart. */
static inline uint64_t lane_start(const struct sell16 *to, size_t place)
{
    return to->start[place / SELL16_ROWS] * SELL16_ROWS + place % SELL16_ROWS;
}

/* The end of the slice that contains the lane. */
static inline uint64_t lane_end(const struct sell16 *to, size_t place)
{
    return to->start[place / SELL16_ROWS + 1] * SELL16_ROWS;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Copies a row into its lane. `narrow` and the widths are constants in the calls that matter, so that the compiler
 * makes a loop without tests. */
static inline void fill_lane(const struct sparse_rows *rows, size_t place, struct sell16 *to, bool narrow, bool wide,
                             bool f64)
{
    /* The row at this place of the sorted order. */
    const uint64_t end = sparse_start(rows, to->row[place] + 1);
    uint64_t at = lane_start(to, place);
    for (uint64_t e = sparse_start(rows, to->row[place]); e < end; e++, at += SELL16_ROWS)
        put(to, at, sparse_column(rows, e, wide), sparse_value(rows, e, f64), narrow);
    put_zeros(to, at, lane_end(to, place));
}

/* Copies all rows. The common types (16-bit columns, narrow input, floats) get a specialised loop. */
static void fill_rows(const struct sparse_rows *rows, struct sell16 *to)
{
    const bool wide = rows->column64 != NULL, f64 = rows->value64 != NULL;
    for (size_t place = 0; place < to->all.rows; place++)
        if (to->column16 && !wide && !f64)
            fill_lane(rows, place, to, true, false, false);
        else
            fill_lane(rows, place, to, to->column16 != NULL, wide, f64);
}

/* ---- Transpose ------------------------------------------------------------------------------- */

/* Copies all entries, row by row, each to the lane of its column, so that rows ascend within each lane. next[column]
 * is the position of the column's next entry. */
static inline void scatter(const struct sparse_rows *rows, uint64_t *next, struct sell16 *to, bool narrow, bool wide,
                           bool f64)
{
    /* Rows ascend within each lane, as in CSC columns. */
    for (size_t row = 0; row < rows->rows; row++) {
        const uint64_t end = sparse_start(rows, row + 1);
        for (uint64_t e = sparse_start(rows, row); e < end; e++) {
            const size_t column = sparse_column(rows, e, wide);
            put(to, next[column], row, sparse_value(rows, e, f64), narrow);
            next[column] += SELL16_ROWS;
        }
    }
}

/* Fills the lanes of the transpose and pads them; false without memory. */
static bool fill_columns(const struct sparse_rows *rows, struct sell16 *to)
{
    const bool wide = rows->column64 != NULL, f64 = rows->value64 != NULL;
    uint64_t *next = mem_alloc(to->all.rows, sizeof *next);
    if (!next)
        return false;
    /* The position of each column's first entry. */
    for (size_t place = 0; place < to->all.rows; place++)
        next[to->row[place]] = lane_start(to, place);
    if (to->column16 && !wide && !f64)
        scatter(rows, next, to, true, false, false);
    else
        scatter(rows, next, to, to->column16 != NULL, wide, f64);
    /* What `next` has not reached is padding. */
    for (size_t place = 0; place < to->all.rows; place++)
        put_zeros(to, next[to->row[place]], lane_end(to, place));
    mem_free(next);
    return true;
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
 * quarter of the memory traffic. A slice is as long as its first row, which is the longest. Lanes of the last slice
 * without a row are padded here. false without memory. */
static bool allocate_slices(const struct sell16_source *from, size_t most, struct sell16 *out)
{
    const size_t slices = (from->count + SELL16_ROWS - 1) / SELL16_ROWS;
    const bool narrow = most <= (size_t)UINT16_MAX + 1;
    size_t entries;
    out->start = mem_zeroed(slices + 1, sizeof *out->start);
    out->row = mem_alloc(from->count, sizeof *out->row);
    if (!out->start || !out->row || !sort_rows(from, out->row))
        return false;
    /* The first row of a slice is its longest. */
    for (size_t slice = 0; slice < slices; slice++)
        out->start[slice + 1] = out->start[slice] + length_of(from, out->row[slice * SELL16_ROWS]);
    if (!mul_size((size_t)out->start[slices], SELL16_ROWS, &entries))
        return false;
    out->value = mem_aligned(entries, sizeof *out->value);
    if (narrow)
        out->column16 = mem_aligned(entries, sizeof *out->column16);
    else
        out->column = mem_aligned(entries, sizeof *out->column);
    out->all = (struct sparse_sell16){.start = out->start,
                                      .row = out->row,
                                      .column16 = out->column16,
                                      .column = out->column,
                                      .value = out->value,
                                      .slices = slices,
                                      .rows = from->count};
    if (!out->value || !(narrow ? (void *)out->column16 : out->column))
        return false;
    for (size_t place = from->count; place < slices * SELL16_ROWS; place++)
        put_zeros(out, lane_start(out, place), lane_end(out, place));
    divide(out);
    return true;
}

/* The matrix itself, for scores; false without memory, and the caller then calls sell16_free. */
bool sell16_make(const struct sparse_rows *rows, size_t columns, struct sell16 *out)
{
    const struct sell16_source from = {.rows = rows, .count = rows->rows};
    if (!allocate_slices(&from, columns, out))
        return false;
    fill_rows(rows, out);
    return true;
}

/* Its transpose, for gradients: lanes are columns, the "column indices" are rows. */
bool sell16_transpose(const struct sparse_rows *rows, size_t columns, struct sell16 *out)
{
    uint64_t *start = count_columns(rows, columns);
    const struct sell16_source from = {.rows = rows, .start = start, .count = columns};
    /* allocate_slices needs the lengths of the columns, not their entries. */
    bool made = start && allocate_slices(&from, rows->rows, out) && fill_columns(rows, out);
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
    *sell = (struct sell16){0};
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
