/* column_stats: the two-pass algorithm for means and variances (Chan, Golub and LeVeque, "Algorithms for computing the
 * sample variance", 1983): the first pass gives means, the second sums of (x - mean)^2, corrected for the rounding of
 * the mean. Columns of uint8 need one pass, since their sums are exact integers. */
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
    /* The number of blocks is limited to one for each ROWS_FOR_SUMS rows, since every block has sums for all columns.
     */
    ROWS_FOR_SUMS = 64,
    SPARSE_FOR_SUMS = 256, /* the same for sparse rows, which have more sums a column */
    BLOCK_NUMBERS = 6,     /* of a block for each column, at most */
    MOST_RUN = 64,         /* rows that a kernel adds at a time, column by column: */
    LEAST_RUN = 4,
    RUN_BYTES = 16 * 1024, /* few enough to stay in the L1 cache */
};

/* Sums over one block of rows; arrays by column. All numbers are stored in `state`, which is passed to the next process
 * where a block has rows of both. */
struct column_sums {
    double *state;
    double *weight; /* sum of the weights */
    double *rows;   /* number of rows of weight above 0 */
    double *low, *high;
    double *sum;    /* of w x, or in the second pass of w (x - mean) */
    double *square; /* second pass: of w (x - mean)^2; uint8: of x^2 */
    double *stored; /* CSR: sum of the weights of rows with an entry in this column */
    double *count;  /* CSR: their number */
    double *x;      /* scratch: one row of logarithms */
    uint32_t *few;  /* scratch of uint8 columns: sums and sums of squares of some rows, */
    uint8_t *ends;  /* minima and maxima */
    struct negative_entry negative;
};

/* One pass. Blocks are counted over all rows; this process has some of them, the first and last perhaps in part. */
struct stats_pass {
    const struct sum_task *task;
    const struct column_range_kernels *kernel;
    const temper_comm *comm;
    struct column_sums *block; /* [own]: of each block with rows of this process */
    struct column_sums all;    /* the sum of all blocks */
    size_t blocks, first, own;
    uint64_t from, to, count; /* this process's rows among all, and the number of all */
    uint64_t block_rows;      /* of each block but the last */
    size_t columns, length;   /* length of a state */
    size_t run;               /* rows for each kernel call, at most */
    const double *mean;       /* NULL in the first pass */
    bool sparse;
    bool bytes; /* uint8 without weights: sums are exact integers, and one pass is enough */
};

/* Consecutive rows of weight above 0. */
struct row_run {
    size_t from, count;
    size_t behind;        /* up to as many following rows, for prefetching */
    const double *weight; /* of each row */
};

/* log(1 + x) of the row in place; false for a negative entry, which is stored in sums->negative. */
static bool take_logs(struct column_sums *sums, size_t row, size_t columns)
{
    for (size_t j = 0; j < columns; j++) {
        if (sums->x[j] < 0) {
            sums->negative = (struct negative_entry){.found = true, .row = row, .column = j};
            return false;
        }
        if (sums->x[j] > 0) /* most pixels and counts are 0, and log1p(0) = 0 */
            sums->x[j] = log1p(sums->x[j]);
    }
    return true;
}

/* Dispatches by pass (the second one has means) and by element type; all kernels accumulate into the arrays of
 * `spread`. */
static void range_rows(const struct column_range_kernels *kernel, const struct column_range *spread,
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

/* The description of a run for the kernels. They read run->behind further rows ahead, so these must exist. */
static struct column_range range_of(const struct stats_pass *pass, const struct column_sums *sums,
                                    const struct row_run *run)
{
    return (struct column_range){.count = run->count,
                                 .columns = pass->columns,
                                 .behind = run->behind,
                                 .weight = run->weight,
                                 .mean = pass->mean,
                                 .low = sums->low,
                                 .high = sums->high,
                                 .sum = sums->sum,
                                 .square = sums->square};
}

static void add_dense(const struct stats_pass *pass, const struct column_sums *sums, const struct row_run *run)
{
    /* A run is consecutive in memory, so the address of its first row is enough. */
    const struct column_range spread = range_of(pass, sums, run);
    struct row row = matrix_row(&pass->task->data->x, run->from);
    range_rows(pass->kernel, &spread, row.kind, row.dense);
}

/* Dense rows with --scale log: each row is copied to a buffer, transformed there and added by the kernel for doubles.
 */
static bool add_logs(const struct stats_pass *pass, struct column_sums *sums, const struct row_run *run)
{
    struct column_range spread = range_of(pass, sums, run);
    spread.count = 1;
    spread.behind = 0;
    for (size_t i = 0; i < run->count; i++) {
        matrix_row_f64(&pass->task->data->x, run->from + i, sums->x);
        if (!take_logs(sums, run->from + i, pass->columns))
            return false;
        spread.weight = run->weight + i;
        range_rows(pass->kernel, &spread, MATRIX_F64, sums->x);
    }
    return true;
}

/* Adds one stored entry to its column. Entries that are not stored are accounted for at the end, by the weights of the
 * stored ones (column_finish_*), so that the cost is proportional to the stored entries. */
static void add_entry(const struct stats_pass *pass, struct column_sums *sums, size_t j, double x, double weight)
{
    sums->stored[j] += weight;
    sums->count[j]++;
    if (pass->mean) {
        double d = x - pass->mean[j];
        sums->sum[j] += weight * d;
        sums->square[j] += weight * d * d;
        return;
    }
    sums->low[j] = x < sums->low[j] ? x : sums->low[j];
    sums->high[j] = x > sums->high[j] ? x : sums->high[j];
    sums->sum[j] += weight * x;
}

/* Adds a CSR row; false for a negative entry where logarithms are taken, which is stored in sums->negative. */
static bool add_sparse(const struct stats_pass *pass, struct column_sums *sums, size_t row, double weight)
{
    struct row entries = matrix_row(&pass->task->data->x, row);
    for (size_t i = 0; i < entries.count; i++) {
        double x = row_value(&entries, i);
        if (pass->task->logs) {
            if (x < 0) {
                sums->negative = (struct negative_entry){.found = true, .row = row, .column = row_column(&entries, i)};
                return false;
            }
            x = log1p(x);
        }
        add_entry(pass, sums, row_column(&entries, i), x, weight);
    }
    return true;
}

/* Adds a run of rows in the way that suits storage and scale; false for a negative entry under --scale log. */
static bool column_add_rows(const struct stats_pass *pass, struct column_sums *sums, const struct row_run *run)
{
    if (!pass->sparse && pass->task->logs)
        return add_logs(pass, sums, run);
    if (!pass->sparse)
        add_dense(pass, sums, run);
    for (size_t i = 0; pass->sparse && i < run->count; i++)
        if (!add_sparse(pass, sums, run->from + i, run->weight[i]))
            return false;
    return true;
}

/* ---- uint8 ----------------------------------------------------------------------------------- */

enum { BYTES_AT_ONCE = 1 << 16 }; /* rows whose sums of squares fit 32 bits: 2^16 * 255^2 < 2^32 */

/* One row of bytes into 32-bit sums. The 16-bit product keeps the loop within what compilers vectorise well: 255^2
 * fits. */
static void add_byte_row(const uint8_t *restrict x, size_t columns, uint32_t *restrict sum, uint32_t *restrict square)
{
    for (size_t j = 0; j < columns; j++) {
        uint16_t value = x[j];
        sum[j] += value;
        square[j] += (uint16_t)(value * value);
    }
}

/* Two loops instead of one: each is then a plain packed minimum or maximum. */
static void widen_range(const uint8_t *restrict x, size_t columns, uint8_t *restrict low, uint8_t *restrict high)
{
    for (size_t j = 0; j < columns; j++)
        low[j] = x[j] < low[j] ? x[j] : low[j];
    for (size_t j = 0; j < columns; j++)
        high[j] = x[j] > high[j] ? x[j] : high[j];
}

/* Up to BYTES_AT_ONCE rows, in 32-bit integers, then added to the doubles. */
static void add_few_bytes(const struct stats_pass *pass, struct column_sums *sums, size_t row, size_t count)
{
    const struct matrix *x = &pass->task->data->x;
    size_t columns = pass->columns;
    uint32_t *sum = sums->few, *square = sum + columns;
    uint8_t *low = sums->ends, *high = low + columns;
    memset(sum, 0, 2 * columns * sizeof *sum);
    memset(low, UINT8_MAX, columns);
    memset(high, 0, columns);
    for (size_t i = row; i < row + count; i++) {
        page_window_rows(x, i, 1);
        const uint8_t *bytes = (const uint8_t *)x->dense + i * columns;
        add_byte_row(bytes, columns, sum, square);
        widen_range(bytes, columns, low, high);
    }
    for (size_t j = 0; j < columns; j++) {
        sums->low[j] = fmin(sums->low[j], low[j]);
        sums->high[j] = fmax(sums->high[j], high[j]);
        sums->sum[j] += sum[j];
        if (sums->square)
            sums->square[j] += square[j];
    }
}

/* Splits the rows so that the 32-bit sums cannot overflow. Without weights, the sum of the weights is the number of
 * rows. */
static void column_add_bytes(const struct stats_pass *pass, struct column_sums *sums, size_t row, size_t count)
{
    *sums->weight += (double)count;
    *sums->rows += (double)count;
    for (size_t done = 0, few; done < count; done += few) {
        few = count - done < BYTES_AT_ONCE ? count - done : BYTES_AT_ONCE;
        add_few_bytes(pass, sums, row + done, few);
    }
}

/* Means and ranges. An entry that a sparse row does not store has the value 0, so the range of its column includes 0.
 */
static void column_finish_first(const struct stats_pass *pass, struct column_stats *out)
{
    const struct column_sums *all = &pass->all;
    for (size_t j = 0; j < pass->columns; j++) {
        bool zeros = pass->sparse && all->count[j] < *all->rows;
        out->low[j] = zeros && all->low[j] > 0 ? 0 : all->low[j];
        out->high[j] = zeros && all->high[j] < 0 ? 0 : all->high[j];
        out->mean[j] = *all->rows > 0 ? all->sum[j] / *all->weight : 0;
    }
}

/* The corrected two-pass variance: (sum (x - m)^2 - (sum (x - m))^2 / n) / n; the second term removes the error of the
 * rounded mean m. */
static void column_finish_second(const struct stats_pass *pass, struct column_stats *out)
{
    const struct column_sums *all = &pass->all;
    for (size_t j = 0; j < pass->columns; j++) {
        double sum = all->sum[j], square = all->square[j], mean = out->mean[j];
        if (pass->sparse) { /* the rows without an entry have the value 0 */
            double zeros = fmax(0, *all->weight - all->stored[j]);
            zeros = all->count[j] < *all->rows ? zeros : 0;
            sum -= zeros * mean;
            square += zeros * mean * mean;
        }
        double variance = *all->rows > 0 ? (square - sum * sum / *all->weight) / *all->weight : 0;
        out->variance[j] = variance < 0 ? 0 : variance; /* keeps NaN */
    }
}

/* Variances of uint8 columns from sums of x and x^2, which are exact integers (below 2^53). Shifting by the integer
 * nearest to the mean keeps them exact and avoids the cancellation of E x^2 - (E x)^2. */
static void column_finish_bytes(const struct stats_pass *pass, struct column_stats *out)
{
    const struct column_sums *all = &pass->all;
    double n = *all->weight;
    for (size_t j = 0; j < pass->columns && n > 0; j++) {
        /* With x = near + d: `off` is the sum of d, and `square` the sum of d^2. */
        double near = rint(out->mean[j]), off = all->sum[j] - n * near;
        double square = all->square[j] - near * (all->sum[j] + off);
        out->variance[j] = fmax(0, (square - off * off / n) / n);
    }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void sums_free(struct column_sums *sums)
{
    mem_free(sums->state);
    mem_free(sums->x);
    mem_free(sums->few);
    mem_free(sums->ends);
}

/* The identity of the sums: 0, and an empty range. Called between the two passes. */
static void sums_clear(struct column_sums *sums, const struct stats_pass *pass)
{
    for (size_t i = 0; i < pass->length; i++)
        sums->state[i] = 0;
    for (size_t j = 0; j < pass->columns; j++) {
        sums->low[j] = INFINITY;
        sums->high[j] = -INFINITY;
    }
}

/* All sums of a block are one array, so that MPI can send them as one message. sums_free is called after failures too.
 */
static bool sums_alloc(struct column_sums *sums, const struct stats_pass *pass)
{
    size_t columns = pass->columns;
    sums->state = mem_alloc(pass->length, sizeof *sums->state);
    /* Scratch buffers, for the cases that use them. */
    if (!pass->sparse && pass->task->logs && !(sums->x = mem_alloc(columns, sizeof *sums->x)))
        return false;
    if (pass->bytes && (!(sums->few = mem_alloc(columns, 2 * sizeof *sums->few)) ||
                        !(sums->ends = mem_alloc(columns, 2 * sizeof *sums->ends))))
        return false;
    if (!sums->state)
        return false;
    /* The layout of `state`: weight, rows, low[], high[], sum[], then what this pass needs of square[], stored[],
     * count[]. */
    sums->weight = sums->state;
    sums->rows = sums->weight + 1;
    sums->low = sums->rows + 1;
    sums->high = sums->low + columns;
    sums->sum = sums->high + columns;
    sums->square = pass->task->variances ? sums->sum + columns : NULL;
    double *behind = sums->sum + columns * (sums->square ? 2 : 1);
    sums->stored = pass->sparse ? behind : NULL;
    sums->count = pass->sparse ? behind + columns : NULL;
    sums_clear(sums, pass);
    return true;
}

/* Also after pass_start has failed: blocks that were not reached are zeroed. */
static void pass_free(struct stats_pass *pass)
{
    for (size_t b = 0; pass->block && b < pass->own; b++)
        sums_free(&pass->block[b]);
    sums_free(&pass->all);
    mem_free(pass->block);
}

/* The number of blocks: enough for many threads, and few enough that the sums are small compared with the data. It
 * depends on the shape of the data only, never on the number of threads, so that the sums have the same bits for any.
 */
static size_t block_count(const struct stats_pass *pass)
{
    const struct dataset *data = pass->task->data;
    uint64_t rows = dataset_all_rows(data);
    uint64_t a_row = rows ? dataset_all_nonzeros(data) / rows + 1 : 1;
    uint64_t columns = data->x.columns ? data->x.columns : 1;
    uint64_t blocks = pass->count / (pass->sparse ? SPARSE_FOR_SUMS : ROWS_FOR_SUMS);
    /* The sums have one entry for each column, a sparse row only a_row of them: fewer blocks by that ratio. */
    if (pass->sparse && columns / a_row > 1)
        blocks = (uint64_t)((double)blocks * (double)a_row / (double)columns);
    return blocks < 1 ? 1 : blocks > PARTS_USUAL ? PARTS_USUAL : (size_t)blocks;
}

/* Large data uses the parts of its row partition as blocks, so that no block has rows of two processes and none has to
 * be continued by another; unless there are so many columns that the sums would use too much memory. */
static void choose_blocks(struct stats_pass *pass)
{
    const struct dataset *data = pass->task->data;
    const struct row_partition parts = row_partition_of(data);
    bool all = !pass->task->row && pass->count == dataset_all_rows(data);
    double bytes = (double)parts.count * BLOCK_NUMBERS * (double)data->x.columns * sizeof(double);
    bool large = all && parts.count > PARTS_USUAL && bytes <= row_partition_more_bytes(data);
    pass->blocks = large ? parts.count : block_count(pass);
    pass->block_rows = large ? parts.rows_each : pass->count / pass->blocks;
}

/* The first row of a block. */
static uint64_t block_start(const struct stats_pass *pass, size_t block)
{
    return block < pass->blocks ? pass->block_rows * block : pass->count;
}

/* Sets the range of blocks that have rows of this process, perhaps none. */
static void find_blocks(struct stats_pass *pass)
{
    while (pass->first < pass->blocks && block_start(pass, pass->first + 1) <= pass->from)
        pass->first++;
    while (pass->first + pass->own < pass->blocks && block_start(pass, pass->first + pass->own) < pass->to)
        pass->own++;
}

/* An upper bound of the memory of column_stats: all blocks of one process, and the total. */
double column_stats_bytes(const struct matrix *x)
{
    const struct dataset data = {.x = *x};
    const struct sum_task task = {.data = &data, .count = (size_t)x->rows};
    struct stats_pass pass = {.task = &task, .sparse = x->kind == MATRIX_CSR, .count = x->rows};
    choose_blocks(&pass);
    return (double)((pass.blocks + 1) * BLOCK_NUMBERS) * (double)x->columns * sizeof(double);
}

/* Rows for each kernel call: as many as fit RUN_BYTES. Listed rows are not consecutive. */
static size_t run_rows(const struct sum_task *task)
{
    const struct matrix *x = &task->data->x;
    size_t row = x->rows ? (size_t)(matrix_bytes(x) / x->rows) + 1 : 1, rows = RUN_BYTES / row;
    if (task->row)
        return 1;
    return rows < LEAST_RUN ? LEAST_RUN : rows < MOST_RUN ? rows : MOST_RUN;
}

/* Derives everything from the shape of the data and allocates the sums; false without memory. */
static bool pass_start(struct stats_pass *pass, const struct sum_task *task)
{
    const struct dataset *data = task->data;
    size_t columns = (size_t)data->x.columns;
    bool sparse = data->x.kind == MATRIX_CSR;
    pass->task = task;
    pass->columns = columns;
    pass->sparse = sparse;
    /* Weights would make the sums of bytes inexact, and listed rows are not consecutive. */
    pass->bytes = data->x.kind == MATRIX_U8 && !task->logs && !task->row && !data->weight;
    pass->run = run_rows(task);
    /* A list of rows is local to a process, so that the statistics are too. */
    pass->comm = task->row ? NULL : data->ranks.comm;
    pass->count = pass->comm ? data->ranks.all_rows : task->count;
    pass->from = pass->comm ? data->ranks.first_row : 0;
    pass->to = pass->from + (pass->comm ? data->x.rows : task->count);
    pass->length = 2 + columns * (3 + (task->variances ? 1U : 0U) + (sparse ? 2U : 0U));
    choose_blocks(pass);
    find_blocks(pass);
    pass->block = mem_zeroed(pass->own, sizeof *pass->block);
    bool done = pass->block != NULL;
    for (size_t b = 0; done && b < pass->own; b++)
        done = sums_alloc(&pass->block[b], pass);
    return done && sums_alloc(&pass->all, pass);
}

/* ---- Own rows -------------------------------------------------------------------------------- */

/* The local index in the matrix of the i-th row of all processes, or of the list. */
static size_t row_at(const struct stats_pass *pass, uint64_t i)
{
    size_t here = (size_t)(i - pass->from);
    return pass->task->row ? pass->task->row[here] : here;
}

/* Number of consecutive rows from the i-th on with weights above 0, at most pass->run, and their weights. Rows of
 * weight 0 are skipped entirely: their values, even NaN, must not matter. */
static size_t run_from(const struct stats_pass *pass, uint64_t i, uint64_t to, double weight[MOST_RUN])
{
    const double *weights = pass->task->data->weight;
    size_t count = 0, most = to - i < pass->run ? (size_t)(to - i) : pass->run;
    for (; count < most; count++) {
        weight[count] = weights ? weights[row_at(pass, i + count)] : 1;
        if (!(weight[count] > 0))
            break;
    }
    return count;
}

/* Adds a run to the sums of its block, after announcing its pages (memory limit). */
static bool add_run(const struct stats_pass *pass, struct column_sums *sums, const struct row_run *run)
{
    const struct sum_task *task = pass->task;
    for (size_t i = 0; i < run->count; i++)
        *sums->weight += run->weight[i];
    *sums->rows += (double)run->count;
    if (task->row)
        page_window_row(&task->data->x, run->from);
    else
        page_window_rows(&task->data->x, run->from, run->count);
    return column_add_rows(pass, sums, run);
}

/* Adds this process's rows of a block in their order, so that the sum has the same bits however the rows are divided
 * among processes. */
static temper_status sum_rows(const struct stats_pass *pass, size_t own)
{
    double weight[MOST_RUN];
    uint64_t from = block_start(pass, pass->first + own);
    uint64_t to = block_start(pass, pass->first + own + 1), count;
    from = from > pass->from ? from : pass->from;
    to = to < pass->to ? to : pass->to;
    /* Sums of integers are exact in any grouping: no runs are needed. */
    if (pass->bytes) {
        column_add_bytes(pass, &pass->block[own], (size_t)(from - pass->from), (size_t)(to > from ? to - from : 0));
        return TEMPER_OK;
    }
    /* A row of weight 0 gives an empty run, and the loop advances by 1. */
    for (uint64_t i = from; i < to; i += count + !count) {
        count = run_from(pass, i, to, weight);
        uint64_t left = pass->task->row ? 0 : to - i - count;
        struct row_run run = {row_at(pass, i), (size_t)count, (size_t)(left < count ? left : count), weight};
        if (count && !add_run(pass, &pass->block[own], &run))
            return TEMPER_BAD_DATA;
    }
    return TEMPER_OK;
}

/* Whether the first block of a process, whose rows begin here, has rows of the process before it. */
static bool shares_first_block(const struct stats_pass *pass, uint64_t first_row)
{
    size_t block = 0;
    while (block_start(pass, block + 1) <= first_row && block < pass->blocks)
        block++;
    return first_row > 0 && first_row < pass->count && block_start(pass, block) < first_row;
}

/* Callback of parallel_blocks: one block on one worker. Blocks have separate sums, so no lock is needed. */
static temper_status sum_block(void *context, size_t own, size_t worker)
{
    const struct stats_pass *pass = context;
    (void)worker;
    if (own == 0 && shares_first_block(pass, pass->from))
        return TEMPER_OK; /* continue_blocks adds it */
    return sum_rows(pass, own);
}

/* ---- All blocks ------------------------------------------------------------------------------ */

/* MPI: blocks with rows of two processes: the second continues the sums of the first. A negative entry is remembered
 * in *found, since all processes must take part until the end. */
static temper_status continue_blocks(struct stats_pass *pass, temper_status *found, temper_error *error)
{
    size_t size = comm_size(pass->comm), rank = comm_rank(pass->comm);
    uint64_t *first_row = mem_alloc(size, sizeof *first_row);
    if (!first_row)
        return error_no_memory(error);
    /* The first rows of all ranks: each rank then decides alike which blocks are shared, without further messages. */
    temper_status status = comm_gather_each(pass->comm, &pass->from, sizeof pass->from, first_row, error);
    for (size_t r = 1; status == TEMPER_OK && r < size; r++) {
        if (!shares_first_block(pass, first_row[r]))
            continue;
        const double *last = pass->own ? pass->block[pass->own - 1].state : NULL;
        double *next = pass->own ? pass->block[0].state : NULL;
        status = comm_pass_on(pass->comm, r - 1, last, next, pass->length * sizeof *pass->all.state, error);
        if (status == TEMPER_OK && r == rank && sum_rows(pass, 0) != TEMPER_OK)
            *found = TEMPER_BAD_DATA;
    }
    mem_free(first_row);
    return status;
}

/* Adds the blocks whose last row is in this process to the total, in their order. comm_in_turn calls it on one rank
 * after the other with the total so far, so that the order of additions is that of a single process. */
static void add_blocks(void *context, void *state)
{
    const struct stats_pass *pass = context;
    const struct column_sums *all = &pass->all;
    (void)state; /* pass->all.state */
    for (size_t b = 0; b < pass->own; b++) {
        const struct column_sums *sums = &pass->block[b];
        if (block_start(pass, pass->first + b + 1) > pass->to)
            return;
        *all->weight += *sums->weight;
        *all->rows += *sums->rows;
        for (size_t j = 0; j < pass->columns; j++) {
            all->low[j] = sums->low[j] < all->low[j] ? sums->low[j] : all->low[j];
            all->high[j] = sums->high[j] > all->high[j] ? sums->high[j] : all->high[j];
        }
        /* weight, rows, low and high come first in the state; all that follows is added. */
        for (size_t i = (size_t)(all->sum - all->state); i < pass->length; i++)
            all->state[i] += sums->state[i];
    }
}

/* One pass over all rows; TEMPER_BAD_DATA in all processes if any has found a negative entry. */
static temper_status one_pass(struct stats_pass *pass, temper_error *error)
{
    size_t threads = threads_worth(pass->task->threads, (double)pass->task->data->x.nonzeros);
    temper_status found = parallel_blocks(pass->own, threads, sum_block, pass);
    if (found == TEMPER_NO_MEMORY)
        return error_no_memory(error);
    temper_status status = continue_blocks(pass, &found, error);
    if (status == TEMPER_OK)
        status = comm_agree(pass->comm, found, NULL);
    return status == TEMPER_OK ? comm_in_turn(pass->comm, add_blocks, pass, pass->all.state,
                                              pass->length * sizeof *pass->all.state, error)
                               : status;
}

/* Means first, since the second pass sums deviations from them; the buffers are used again. Bytes need no second pass.
 */
static temper_status two_passes(struct stats_pass *pass, struct column_stats *out, temper_error *error)
{
    TRY(one_pass(pass, error));
    column_finish_first(pass, out);
    if (!pass->task->variances)
        return TEMPER_OK;
    if (pass->bytes) {
        column_finish_bytes(pass, out);
        return TEMPER_OK;
    }
    for (size_t b = 0; b < pass->own; b++)
        sums_clear(&pass->block[b], pass);
    sums_clear(&pass->all, pass);
    pass->mean = out->mean;
    temper_status status = one_pass(pass, error);
    if (status == TEMPER_OK)
        column_finish_second(pass, out);
    return status;
}

/* The entry of the first block that has one. */
static void report_negative(const struct stats_pass *pass, struct negative_entry *negative)
{
    for (size_t b = 0; b < pass->own; b++) {
        if (pass->block[b].negative.found) {
            *negative = pass->block[b].negative;
            return;
        }
    }
}

/* false without memory; column_stats_free frees what was allocated. */
static bool stats_alloc(struct column_stats *sums, size_t columns)
{
    *sums = (struct column_stats){.low = mem_alloc(columns, sizeof(double)),
                                  .high = mem_alloc(columns, sizeof(double)),
                                  .mean = mem_alloc(columns, sizeof(double)),
                                  .variance = mem_zeroed(columns, sizeof(double))};
    return sums->low && sums->high && sums->mean && sums->variance;
}

/* The statistics of all columns; *out is set on success only, *negative with TEMPER_BAD_DATA. */
temper_status column_stats(const struct sum_task *task, struct column_stats *out, struct negative_entry *negative,
                           temper_error *error)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    struct stats_pass pass = {.kernel = kernel->column_range};
    struct column_stats sums;
    temper_status status = TEMPER_NO_MEMORY;
    if (stats_alloc(&sums, (size_t)task->data->x.columns) && pass_start(&pass, task))
        status = two_passes(&pass, &sums, error);
    else
        error_no_memory(error);
    if (status == TEMPER_BAD_DATA)
        report_negative(&pass, negative);
    pass_free(&pass);
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
