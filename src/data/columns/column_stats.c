/* column_stats: two passes, each over fixed blocks of rows; one over bytes. */
#include "data/columns/column_stats.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/dist/row_partition.h"
#include "data/memory/page_window.h"
#include "kernel/dispatch/kernel.h"
#include "kernel/small/column_range.h"

enum {
    /* A block has so many rows' worth of entries, for the sums take memory too; */
    ROWS_FOR_SUMS = 64,
    SPARSE_FOR_SUMS = 256, /* more of them of sparse rows, which have more sums a column */
    BLOCK_NUMBERS = 6,     /* of a block, for each column, at most */
    MOST_RUN = 64,         /* rows at a time, whose columns are added up one after another: */
    LEAST_RUN = 4,
    RUN_BYTES = 16 * 1024, /* so that they stay in the cache meanwhile */
};

/* What one block of rows has added up; arrays by column. All of it lies in `state`, which goes from
 * one process to the next where a block has rows of both. */
struct part {
    double *state;
    double *weight; /* of the rows */
    double *rows;   /* that count */
    double *low, *high;
    double *sum;    /* of w * x, or in the second pass of w * (x - mean) */
    double *square; /* the second pass: of w * (x - mean)^2; of bytes, at once, of x^2 */
    double *stored; /* CSR: the weight of the rows that have an entry here */
    double *count;  /* CSR: the number of such rows */
    double *x;      /* scratch: one row of logarithms; */
    uint32_t *few;  /* of some rows of bytes, the sums, and those of squares, */
    uint8_t *ends;  /* the least and the greatest */
    struct negative_entry negative;
};

/* Blocks are those of all rows; this process has some, of the first and the last perhaps a part. */
struct summing {
    const struct sum_task *task;
    const struct column_range_kernels *kernel;
    const temper_comm *comm;
    struct part *part; /* one for each own block */
    struct part all;   /* their sum */
    size_t blocks, first, own;
    uint64_t from, to, count; /* own rows among all, and these */
    uint64_t block_rows;      /* of each block but the last */
    size_t columns, length;   /* numbers of a state */
    size_t run;               /* rows at a time, at most */
    const double *mean;       /* NULL in the first pass */
    bool sparse;
    bool bytes; /* that weigh 1 each: sums are of whole numbers, exact, and one pass is enough */
};

/* Rows of the matrix that follow each other, all of which count. */
struct row_run {
    size_t from, count;
    size_t behind;        /* rows that follow them, as many as these or fewer */
    const double *weight; /* of each */
};

/* log(1 + x) of the row; false, with the place, for the first negative entry. */
static bool take_logs(struct part *part, size_t row, size_t columns)
{
    for (size_t j = 0; j < columns; j++) {
        if (part->x[j] < 0) {
            part->negative = (struct negative_entry){.found = true, .row = row, .column = j};
            return false;
        }
        if (part->x[j] > 0) /* most pixels and counts are 0, whose logarithm is 0 already */
            part->x[j] = log1p(part->x[j]);
    }
    return true;
}

/* Rows of one kind, to the kernel that is for it. */
static void spread_rows(const struct column_range_kernels *kernel, const struct column_range *spread,
                        enum matrix_kind kind, const void *rows)
{
    const bool first = spread->mean == NULL;
    if (kind == MATRIX_F32)
        (first ? kernel->first_f32 : kernel->second_f32)(spread, rows);
    else if (kind == MATRIX_F64)
        (first ? kernel->first_f64 : kernel->second_f64)(spread, rows);
    else
        (first ? kernel->first_u8 : kernel->second_u8)(spread, rows);
}

static struct column_range spread_of(const struct summing *summing, const struct part *part, const struct row_run *run)
{
    return (struct column_range){.count = run->count,
                                 .columns = summing->columns,
                                 .behind = run->behind,
                                 .weight = run->weight,
                                 .mean = summing->mean,
                                 .low = part->low,
                                 .high = part->high,
                                 .sum = part->sum,
                                 .square = part->square};
}

static void add_dense(const struct summing *summing, const struct part *part, const struct row_run *run)
{
    const struct column_range spread = spread_of(summing, part, run);
    struct row row = matrix_row(&summing->task->data->x, run->from);
    spread_rows(summing->kernel, &spread, row.kind, row.dense);
}

static bool add_logs(const struct summing *summing, struct part *part, const struct row_run *run)
{
    struct column_range spread = spread_of(summing, part, run);
    spread.count = 1;
    spread.behind = 0;
    for (size_t i = 0; i < run->count; i++) {
        matrix_row_f64(&summing->task->data->x, run->from + i, part->x);
        if (!take_logs(part, run->from + i, summing->columns))
            return false;
        spread.weight = run->weight + i;
        spread_rows(summing->kernel, &spread, MATRIX_F64, part->x);
    }
    return true;
}

static void add_entry(const struct summing *summing, struct part *part, size_t j, double x, double weight)
{
    part->stored[j] += weight;
    part->count[j]++;
    if (summing->mean) {
        double d = x - summing->mean[j];
        part->sum[j] += weight * d;
        part->square[j] += weight * d * d;
        return;
    }
    part->low[j] = x < part->low[j] ? x : part->low[j];
    part->high[j] = x > part->high[j] ? x : part->high[j];
    part->sum[j] += weight * x;
}

static bool add_sparse(const struct summing *summing, struct part *part, size_t row, double weight)
{
    struct row entries = matrix_row(&summing->task->data->x, row);
    for (size_t i = 0; i < entries.count; i++) {
        double x = row_value(&entries, i);
        if (summing->task->logs) {
            if (x < 0) {
                part->negative = (struct negative_entry){.found = true, .row = row, .column = row_column(&entries, i)};
                return false;
            }
            x = log1p(x);
        }
        add_entry(summing, part, row_column(&entries, i), x, weight);
    }
    return true;
}

static bool column_add_rows(const struct summing *summing, struct part *part, const struct row_run *run)
{
    if (!summing->sparse && summing->task->logs)
        return add_logs(summing, part, run);
    if (!summing->sparse)
        add_dense(summing, part, run);
    for (size_t i = 0; summing->sparse && i < run->count; i++)
        if (!add_sparse(summing, part, run->from + i, run->weight[i]))
            return false;
    return true;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

enum { BYTES_AT_ONCE = 1 << 16 }; /* rows, of whose squares 32 bits hold the sum */

static void add_byte_row(const uint8_t *restrict x, size_t columns, uint32_t *restrict sum, uint32_t *restrict square)
{
    for (size_t j = 0; j < columns; j++) {
        uint16_t value = x[j];
        sum[j] += value;
        square[j] += (uint16_t)(value * value);
    }
}

static void widen_ends(const uint8_t *restrict x, size_t columns, uint8_t *restrict low, uint8_t *restrict high)
{
    for (size_t j = 0; j < columns; j++)
        low[j] = x[j] < low[j] ? x[j] : low[j];
    for (size_t j = 0; j < columns; j++)
        high[j] = x[j] > high[j] ? x[j] : high[j];
}

static void add_few_bytes(const struct summing *summing, struct part *part, size_t row, size_t count)
{
    const struct matrix *x = &summing->task->data->x;
    size_t columns = summing->columns;
    uint32_t *sum = part->few, *square = sum + columns;
    uint8_t *low = part->ends, *high = low + columns;
    memset(sum, 0, 2 * columns * sizeof *sum);
    memset(low, UINT8_MAX, columns);
    memset(high, 0, columns);
    for (size_t i = row; i < row + count; i++) {
        page_window_rows(x, i, 1);
        const uint8_t *bytes = (const uint8_t *)x->dense + i * columns;
        add_byte_row(bytes, columns, sum, square);
        widen_ends(bytes, columns, low, high);
    }
    for (size_t j = 0; j < columns; j++) {
        part->low[j] = fmin(part->low[j], low[j]);
        part->high[j] = fmax(part->high[j], high[j]);
        part->sum[j] += sum[j];
        if (part->square)
            part->square[j] += square[j];
    }
}

static void column_add_bytes(const struct summing *summing, struct part *part, size_t row, size_t count)
{
    *part->weight += (double)count;
    *part->rows += (double)count;
    for (size_t done = 0, few; done < count; done += few) {
        few = count - done < BYTES_AT_ONCE ? count - done : BYTES_AT_ONCE;
        add_few_bytes(summing, part, row + done, few);
    }
}

/* Means; and 0 is among the values of a sparse column that some row does not store. */
static void column_finish_first(const struct summing *summing, struct column_stats *out)
{
    const struct part *all = &summing->all;
    for (size_t j = 0; j < summing->columns; j++) {
        bool zeros = summing->sparse && all->count[j] < *all->rows;
        out->low[j] = zeros && all->low[j] > 0 ? 0 : all->low[j];
        out->high[j] = zeros && all->high[j] < 0 ? 0 : all->high[j];
        out->mean[j] = *all->rows > 0 ? all->sum[j] / *all->weight : 0;
    }
}

/* The variance from the squares around a mean that is itself rounded: hence the correction. The
 * second pass counts the same rows and entries again. */
static void column_finish_second(const struct summing *summing, struct column_stats *out)
{
    const struct part *all = &summing->all;
    for (size_t j = 0; j < summing->columns; j++) {
        double sum = all->sum[j], square = all->square[j], mean = out->mean[j];
        if (summing->sparse) { /* the rows that do not store this column hold 0 */
            double zeros = fmax(0, *all->weight - all->stored[j]);
            zeros = all->count[j] < *all->rows ? zeros : 0;
            sum -= zeros * mean;
            square += zeros * mean * mean;
        }
        double variance = *all->rows > 0 ? (square - sum * sum / *all->weight) / *all->weight : 0;
        out->variance[j] = variance < 0 ? 0 : variance; /* NaN stays */
    }
}

/* The squares are of whole numbers: around another near the mean nothing of them is lost. */
static void column_finish_bytes(const struct summing *summing, struct column_stats *out)
{
    const struct part *all = &summing->all;
    double n = *all->weight;
    for (size_t j = 0; j < summing->columns && n > 0; j++) {
        double near = rint(out->mean[j]), off = all->sum[j] - n * near;
        double square = all->square[j] - near * (all->sum[j] + off);
        out->variance[j] = fmax(0, (square - off * off / n) / n);
    }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void part_free(struct part *part)
{
    mem_free(part->state);
    mem_free(part->x);
    mem_free(part->few);
    mem_free(part->ends);
}

static void part_clear(struct part *part, const struct summing *summing)
{
    for (size_t i = 0; i < summing->length; i++)
        part->state[i] = 0;
    for (size_t j = 0; j < summing->columns; j++) {
        part->low[j] = INFINITY;
        part->high[j] = -INFINITY;
    }
}

static bool part_start(struct part *part, const struct summing *summing)
{
    size_t columns = summing->columns;
    part->state = mem_alloc(summing->length, sizeof *part->state);
    if (!summing->sparse && summing->task->logs && !(part->x = mem_alloc(columns, sizeof *part->x)))
        return false;
    if (summing->bytes && (!(part->few = mem_alloc(columns, 2 * sizeof *part->few)) ||
                           !(part->ends = mem_alloc(columns, 2 * sizeof *part->ends))))
        return false;
    if (!part->state)
        return false;
    part->weight = part->state;
    part->rows = part->weight + 1;
    part->low = part->rows + 1;
    part->high = part->low + columns;
    part->sum = part->high + columns;
    part->square = summing->task->variances ? part->sum + columns : NULL;
    double *behind = part->sum + columns * (part->square ? 2 : 1);
    part->stored = summing->sparse ? behind : NULL;
    part->count = summing->sparse ? behind + columns : NULL;
    part_clear(part, summing);
    return true;
}

static void summing_free(struct summing *summing)
{
    for (size_t b = 0; summing->part && b < summing->own; b++)
        part_free(&summing->part[b]);
    part_free(&summing->all);
    mem_free(summing->part);
}

/* As many blocks as keep many threads busy, and as keep the sums small beside the data. */
static size_t block_count(const struct summing *summing)
{
    const struct dataset *data = summing->task->data;
    uint64_t rows = dataset_all_rows(data);
    uint64_t a_row = rows ? dataset_all_nonzeros(data) / rows + 1 : 1;
    uint64_t columns = data->x.columns ? data->x.columns : 1;
    uint64_t blocks = summing->count / (summing->sparse ? SPARSE_FOR_SUMS : ROWS_FOR_SUMS);
    if (summing->sparse && columns / a_row > 1)
        blocks = (uint64_t)((double)blocks * (double)a_row / (double)columns);
    return blocks < 1 ? 1 : blocks > PARTS_USUAL ? PARTS_USUAL : (size_t)blocks;
}

/* Large data has its parts as blocks, so that no process waits for another to begin one; unless
 * there are too many columns for that. */
static void choose_blocks(struct summing *summing)
{
    const struct dataset *data = summing->task->data;
    const struct row_partition parts = row_partition_of(data);
    bool all = !summing->task->row && summing->count == dataset_all_rows(data);
    double bytes = (double)parts.count * BLOCK_NUMBERS * (double)data->x.columns * sizeof(double);
    bool large = all && parts.count > PARTS_USUAL && bytes <= row_partition_more_bytes(data);
    summing->blocks = large ? parts.count : block_count(summing);
    summing->block_rows = large ? parts.rows_each : summing->count / summing->blocks;
}

/* The first row of a block. */
static uint64_t block_start(const struct summing *summing, size_t block)
{
    return block < summing->blocks ? summing->block_rows * block : summing->count;
}

/* Which blocks have own rows. */
static void find_blocks(struct summing *summing)
{
    while (summing->first < summing->blocks && block_start(summing, summing->first + 1) <= summing->from)
        summing->first++;
    while (summing->first + summing->own < summing->blocks &&
           block_start(summing, summing->first + summing->own) < summing->to)
        summing->own++;
}

double column_stats_bytes(const struct matrix *x)
{
    const struct dataset data = {.x = *x};
    const struct sum_task task = {.data = &data, .count = (size_t)x->rows};
    struct summing summing = {.task = &task, .sparse = x->kind == MATRIX_CSR, .count = x->rows};
    choose_blocks(&summing);
    return (double)((summing.blocks + 1) * BLOCK_NUMBERS) * (double)x->columns * sizeof(double);
}

/* Rows of a list need not follow each other. */
static size_t run_rows(const struct sum_task *task)
{
    const struct matrix *x = &task->data->x;
    size_t row = x->rows ? (size_t)(matrix_bytes(x) / x->rows) + 1 : 1, rows = RUN_BYTES / row;
    if (task->row)
        return 1;
    return rows < LEAST_RUN ? LEAST_RUN : rows < MOST_RUN ? rows : MOST_RUN;
}

static bool summing_start(struct summing *summing, const struct sum_task *task)
{
    const struct dataset *data = task->data;
    size_t columns = (size_t)data->x.columns;
    bool sparse = data->x.kind == MATRIX_CSR;
    summing->task = task;
    summing->columns = columns;
    summing->sparse = sparse;
    summing->bytes = data->x.kind == MATRIX_U8 && !task->logs && !task->row && !data->weight;
    summing->run = run_rows(task);
    summing->comm = task->row ? NULL : data->ranks.comm;
    summing->count = summing->comm ? data->ranks.all_rows : task->count;
    summing->from = summing->comm ? data->ranks.first_row : 0;
    summing->to = summing->from + (summing->comm ? data->x.rows : task->count);
    summing->length = 2 + columns * (3 + (task->variances ? 1U : 0U) + (sparse ? 2U : 0U));
    choose_blocks(summing);
    find_blocks(summing);
    summing->part = mem_zeroed(summing->own, sizeof *summing->part);
    bool done = summing->part != NULL;
    for (size_t b = 0; done && b < summing->own; b++)
        done = part_start(&summing->part[b], summing);
    return done && part_start(&summing->all, summing);
}

/* ---- Own rows -------------------------------------------------------------------------------- */

/* Which row of the matrix the i-th of all is. */
static size_t row_at(const struct summing *summing, uint64_t i)
{
    size_t here = (size_t)(i - summing->from);
    return summing->task->row ? summing->task->row[here] : here;
}

/* Rows from the i-th on, up to one that does not count; their weights. */
static size_t run_from(const struct summing *summing, uint64_t i, uint64_t to, double weight[MOST_RUN])
{
    const double *weights = summing->task->data->weight;
    size_t count = 0, most = to - i < summing->run ? (size_t)(to - i) : summing->run;
    for (; count < most; count++) {
        weight[count] = weights ? weights[row_at(summing, i + count)] : 1;
        if (!(weight[count] > 0))
            break;
    }
    return count;
}

static bool add_run(const struct summing *summing, struct part *part, const struct row_run *run)
{
    const struct sum_task *task = summing->task;
    for (size_t i = 0; i < run->count; i++)
        *part->weight += run->weight[i];
    *part->rows += (double)run->count;
    if (task->row)
        page_window_row(&task->data->x, run->from);
    else
        page_window_rows(&task->data->x, run->from, run->count);
    return column_add_rows(summing, part, run);
}

/* Own rows of an own block. */
static temper_status sum_rows(const struct summing *summing, size_t own)
{
    double weight[MOST_RUN];
    uint64_t from = block_start(summing, summing->first + own);
    uint64_t to = block_start(summing, summing->first + own + 1), count;
    from = from > summing->from ? from : summing->from;
    to = to < summing->to ? to : summing->to;
    if (summing->bytes) {
        column_add_bytes(summing, &summing->part[own], (size_t)(from - summing->from),
                         (size_t)(to > from ? to - from : 0));
        return TEMPER_OK;
    }
    for (uint64_t i = from; i < to; i += count + !count) {
        count = run_from(summing, i, to, weight);
        uint64_t left = summing->task->row ? 0 : to - i - count;
        struct row_run run = {row_at(summing, i), (size_t)count, (size_t)(left < count ? left : count), weight};
        if (count && !add_run(summing, &summing->part[own], &run))
            return TEMPER_BAD_DATA;
    }
    return TEMPER_OK;
}

/* Whether the first block of a process that begins at this row has rows of the one before it. */
static bool goes_on(const struct summing *summing, uint64_t first_row)
{
    size_t block = 0;
    while (block_start(summing, block + 1) <= first_row && block < summing->blocks)
        block++;
    return first_row > 0 && first_row < summing->count && block_start(summing, block) < first_row;
}

static temper_status sum_block(void *context, size_t own, size_t worker)
{
    const struct summing *summing = context;
    (void)worker;
    if (own == 0 && goes_on(summing, summing->from))
        return TEMPER_OK; /* when its turn comes */
    return sum_rows(summing, own);
}

/* ---- All blocks ------------------------------------------------------------------------------ */

/* Blocks that have rows of two processes, in the order of these. A fault is kept, for all must go
 * on with this. */
static temper_status continue_blocks(struct summing *summing, temper_status *found, temper_error *error)
{
    size_t size = comm_size(summing->comm), rank = comm_rank(summing->comm);
    uint64_t *first_row = mem_alloc(size, sizeof *first_row);
    if (!first_row)
        return error_no_memory(error);
    temper_status status = comm_gather_each(summing->comm, &summing->from, sizeof summing->from, first_row, error);
    for (size_t r = 1; status == TEMPER_OK && r < size; r++) {
        if (!goes_on(summing, first_row[r]))
            continue;
        const double *last = summing->own ? summing->part[summing->own - 1].state : NULL;
        double *next = summing->own ? summing->part[0].state : NULL;
        status = comm_pass_on(summing->comm, r - 1, last, next, summing->length * sizeof *summing->all.state, error);
        if (status == TEMPER_OK && r == rank && sum_rows(summing, 0) != TEMPER_OK)
            *found = TEMPER_BAD_DATA;
    }
    mem_free(first_row);
    return status;
}

/* Those blocks whose last row is here, in their order, to what the state has. */
static void join_blocks(void *context, void *state)
{
    const struct summing *summing = context;
    const struct part *all = &summing->all;
    (void)state; /* that of `all` */
    for (size_t b = 0; b < summing->own; b++) {
        const struct part *part = &summing->part[b];
        if (block_start(summing, summing->first + b + 1) > summing->to)
            return;
        *all->weight += *part->weight;
        *all->rows += *part->rows;
        for (size_t j = 0; j < summing->columns; j++) {
            all->low[j] = part->low[j] < all->low[j] ? part->low[j] : all->low[j];
            all->high[j] = part->high[j] > all->high[j] ? part->high[j] : all->high[j];
        }
        for (size_t i = (size_t)(all->sum - all->state); i < summing->length; i++)
            all->state[i] += part->state[i];
    }
}

/* One pass over all rows; TEMPER_BAD_DATA to all where any process has found a negative entry. */
static temper_status one_pass(struct summing *summing, temper_error *error)
{
    temper_status found = parallel_blocks(summing->own, summing->task->threads, sum_block, summing);
    if (found == TEMPER_NO_MEMORY)
        return error_no_memory(error);
    temper_status status = continue_blocks(summing, &found, error);
    if (status == TEMPER_OK)
        status = comm_agree(summing->comm, found, NULL);
    return status == TEMPER_OK ? comm_in_turn(summing->comm, join_blocks, summing, summing->all.state,
                                              summing->length * sizeof *summing->all.state, error)
                               : status;
}

static temper_status both_passes(struct summing *summing, struct column_stats *out, temper_error *error)
{
    temper_status status = one_pass(summing, error);
    if (status != TEMPER_OK)
        return status;
    column_finish_first(summing, out);
    if (!summing->task->variances)
        return TEMPER_OK;
    if (summing->bytes) {
        column_finish_bytes(summing, out);
        return TEMPER_OK;
    }
    for (size_t b = 0; b < summing->own; b++)
        part_clear(&summing->part[b], summing);
    part_clear(&summing->all, summing);
    summing->mean = out->mean;
    status = one_pass(summing, error);
    if (status == TEMPER_OK)
        column_finish_second(summing, out);
    return status;
}

/* That of the first block that has one: any before it were done, and found nothing. */
static void report_negative(const struct summing *summing, struct negative_entry *negative)
{
    for (size_t b = 0; b < summing->own; b++) {
        if (summing->part[b].negative.found) {
            *negative = summing->part[b].negative;
            return;
        }
    }
}

static bool sums_start(struct column_stats *sums, size_t columns)
{
    *sums = (struct column_stats){.low = mem_alloc(columns, sizeof(double)),
                                  .high = mem_alloc(columns, sizeof(double)),
                                  .mean = mem_alloc(columns, sizeof(double)),
                                  .variance = mem_zeroed(columns, sizeof(double))};
    return sums->low && sums->high && sums->mean && sums->variance;
}

temper_status column_stats(const struct sum_task *task, struct column_stats *out, struct negative_entry *negative,
                           temper_error *error)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    struct summing summing = {.kernel = kernel->spread};
    struct column_stats sums;
    temper_status status = TEMPER_NO_MEMORY;
    if (sums_start(&sums, (size_t)task->data->x.columns) && summing_start(&summing, task))
        status = both_passes(&summing, &sums, error);
    else
        error_no_memory(error);
    if (status == TEMPER_BAD_DATA)
        report_negative(&summing, negative);
    summing_free(&summing);
    if (status == TEMPER_OK) {
        *out = sums;
        return TEMPER_OK;
    }
    column_stats_free(&sums);
    return status;
}

void column_stats_free(struct column_stats *sums)
{
    mem_free(sums->low);
    mem_free(sums->high);
    mem_free(sums->mean);
    mem_free(sums->variance);
    *sums = (struct column_stats){0};
}
