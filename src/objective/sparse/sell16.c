/* slabs: a counting sort of the rows by length, and sixteen after another side by side. */
#include "objective/sparse/sell16.h"

#include "base/memory.h"
#include "base/thread.h"

/* What slabs are made of: rows, or the columns of such. */
struct sell16_source {
    const struct sparse_rows *rows;
    const uint64_t *start; /* of columns: entries before each; NULL: rows */
    size_t count;          /* of rows or columns */
};

static size_t length_of(const struct sell16_source *from, size_t i)
{
    return (size_t)(from->start ? from->start[i + 1] - from->start[i]
                                : sparse_start(from->rows, i + 1) - sparse_start(from->rows, i));
}

/* The longest first; equal ones as they were. */
static bool sort_rows(const struct sell16_source *from, uint32_t *sorted)
{
    size_t longest = 0;
    for (size_t i = 0; i < from->count; i++)
        longest = length_of(from, i) > longest ? length_of(from, i) : longest;
    size_t *place = mem_zeroed(longest + 2, sizeof *place);
    if (!place)
        return false;
    for (size_t i = 0; i < from->count; i++)
        place[longest - length_of(from, i) + 1]++;
    for (size_t n = 1; n < longest + 2; n++)
        place[n] += place[n - 1];
    for (size_t i = 0; i < from->count; i++)
        sorted[place[longest - length_of(from, i)]++] = (uint32_t)i;
    mem_free(place);
    return true;
}

static inline void put(struct sell16 *to, uint64_t at, size_t column, double value, bool narrow)
{
    if (narrow)
        to->column16[at] = (uint16_t)column;
    else
        to->column[at] = (uint32_t)column;
    to->value[at] = (float)value;
}

/* From `at` to the end of a lane. */
static void put_zeros(struct sell16 *to, uint64_t at, uint64_t end)
{
    for (; at < end; at += SLAB_ROWS)
        put(to, at, 0, 0, to->column16 != NULL);
}

static inline uint64_t lane_start(const struct sell16 *to, size_t place)
{
    return to->start[place / SLAB_ROWS] * SLAB_ROWS + place % SLAB_ROWS;
}

static inline uint64_t lane_end(const struct sell16 *to, size_t place)
{
    return to->start[place / SLAB_ROWS + 1] * SLAB_ROWS;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The row of a place into its lane. `narrow` and the widths are constants where it is called. */
static inline void fill_lane(const struct sparse_rows *rows, size_t place, struct sell16 *to, bool narrow, bool wide,
                             bool f64)
{
    const uint64_t end = sparse_start(rows, to->row[place] + 1);
    uint64_t at = lane_start(to, place);
    for (uint64_t e = sparse_start(rows, to->row[place]); e < end; e++, at += SLAB_ROWS)
        put(to, at, sparse_column(rows, e, wide), sparse_value(rows, e, f64), narrow);
    put_zeros(to, at, lane_end(to, place));
}

static void fill_rows(const struct sparse_rows *rows, struct sell16 *to)
{
    const bool wide = rows->column64 != NULL, f64 = rows->value64 != NULL;
    for (size_t place = 0; place < to->all.rows; place++)
        if (to->column16 && !wide && !f64)
            fill_lane(rows, place, to, true, false, false);
        else
            fill_lane(rows, place, to, to->column16 != NULL, wide, f64);
}

/* ---- Columns of rows ------------------------------------------------------------------------- */

/* `next`: where the next entry of each column goes. */
static inline void scatter(const struct sparse_rows *rows, uint64_t *next, struct sell16 *to, bool narrow, bool wide,
                           bool f64)
{
    for (size_t row = 0; row < rows->rows; row++) {
        const uint64_t end = sparse_start(rows, row + 1);
        for (uint64_t e = sparse_start(rows, row); e < end; e++) {
            const size_t column = sparse_column(rows, e, wide);
            put(to, next[column], row, sparse_value(rows, e, f64), narrow);
            next[column] += SLAB_ROWS;
        }
    }
}

static bool fill_columns(const struct sparse_rows *rows, struct sell16 *to)
{
    const bool wide = rows->column64 != NULL, f64 = rows->value64 != NULL;
    uint64_t *next = mem_alloc(to->all.rows, sizeof *next);
    if (!next)
        return false;
    for (size_t place = 0; place < to->all.rows; place++)
        next[to->row[place]] = lane_start(to, place);
    if (to->column16 && !wide && !f64)
        scatter(rows, next, to, true, false, false);
    else
        scatter(rows, next, to, to->column16 != NULL, wide, f64);
    for (size_t place = 0; place < to->all.rows; place++)
        put_zeros(to, next[to->row[place]], lane_end(to, place));
    mem_free(next);
    return true;
}

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

/* ---- Slabs ----------------------------------------------------------------------------------- */

static void divide(struct sell16 *to)
{
    const uint64_t steps = to->start[to->all.slabs];
    size_t slab = 0;
    for (size_t group = 0; group < SLAB_GROUPS; group++) {
        while (slab < to->all.slabs && to->start[slab] < steps / SLAB_GROUPS * group)
            slab++;
        to->group[group] = group ? slab : 0;
    }
    to->group[SLAB_GROUPS] = to->all.slabs;
}

/* Room for numbers below `most`, and the lanes of the last slab that no row has. */
static bool make_room(const struct sell16_source *from, size_t most, struct sell16 *out)
{
    const size_t slabs = (from->count + SLAB_ROWS - 1) / SLAB_ROWS;
    const bool narrow = most <= (size_t)UINT16_MAX + 1;
    size_t entries;
    out->start = mem_zeroed(slabs + 1, sizeof *out->start);
    out->row = mem_alloc(from->count, sizeof *out->row);
    if (!out->start || !out->row || !sort_rows(from, out->row))
        return false;
    for (size_t slab = 0; slab < slabs; slab++)
        out->start[slab + 1] = out->start[slab] + length_of(from, out->row[slab * SLAB_ROWS]);
    if (!mul_size((size_t)out->start[slabs], SLAB_ROWS, &entries))
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
                                      .slabs = slabs,
                                      .rows = from->count};
    if (!out->value || !(narrow ? (void *)out->column16 : out->column))
        return false;
    for (size_t place = from->count; place < slabs * SLAB_ROWS; place++)
        put_zeros(out, lane_start(out, place), lane_end(out, place));
    divide(out);
    return true;
}

bool sell16_make(const struct sparse_rows *rows, size_t columns, struct sell16 *out)
{
    const struct sell16_source from = {.rows = rows, .count = rows->rows};
    if (!make_room(&from, columns, out))
        return false;
    fill_rows(rows, out);
    return true;
}

bool sell16_reorder(const struct sparse_rows *rows, size_t columns, struct sell16 *out)
{
    uint64_t *start = count_columns(rows, columns);
    const struct sell16_source from = {.rows = rows, .start = start, .count = columns};
    bool made = start && make_room(&from, rows->rows, out) && fill_columns(rows, out);
    mem_free(start);
    return made;
}

void sell16_free(struct sell16 *slabs)
{
    mem_free(slabs->start);
    mem_free(slabs->row);
    mem_free(slabs->column16);
    mem_free(slabs->column);
    mem_free(slabs->value);
    *slabs = (struct sell16){0};
}

/* ---- Products -------------------------------------------------------------------------------- */

struct sell16_job {
    const struct sell16 *slabs;
    const struct sparse_kernels *kernels;
    const float *w;
    double *out;
};

static temper_status one_group(void *context, size_t group, size_t worker)
{
    const struct sell16_job *job = context;
    const struct sell16 *slabs = job->slabs;
    (void)worker;
    job->kernels->slabs(&slabs->all, slabs->group[group], slabs->group[group + 1], job->w, job->out);
    return TEMPER_OK;
}

temper_status sell16_times(const struct sell16 *slabs, const struct sparse_kernels *kernels, size_t threads,
                           const float *w, double *out)
{
    struct sell16_job job = {slabs, kernels, w, out};
    if (threads <= 1) {
        kernels->slabs(&slabs->all, 0, slabs->all.slabs, w, out);
        return TEMPER_OK;
    }
    return parallel_blocks(SLAB_GROUPS, threads, one_group, &job);
}

void sell16_squares(const struct sell16 *slabs, double *out)
{
    for (size_t slab = 0; slab < slabs->all.slabs; slab++) {
        const size_t first = slab * SLAB_ROWS, left = slabs->all.rows - first;
        double sum[SLAB_ROWS] = {0};
        for (uint64_t step = slabs->start[slab]; step < slabs->start[slab + 1]; step++)
            for (size_t lane = 0; lane < SLAB_ROWS; lane++) {
                const double value = (double)slabs->value[step * SLAB_ROWS + lane];
                sum[lane] += value * value;
            }
        for (size_t lane = 0; lane < SLAB_ROWS && lane < left; lane++)
            out[slabs->row[first + lane]] = sum[lane];
    }
}
