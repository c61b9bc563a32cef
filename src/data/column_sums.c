/* column_sums: two passes, each over fixed blocks of rows. */
#include "data/column_sums.h"

#include <math.h>

#include "base/memory.h"
#include "base/thread.h"

enum {
    MOST_BLOCKS = 64,
    ROWS_FOR_SUMS =
        64 /* a block has so many rows' worth of entries, for the sums take memory too */
};

/* What one block of rows has added up; arrays by column. */
struct part {
    double *low, *high;
    double *sum;     /* of w * x, or in the second pass of w * (x - mean) */
    double *square;  /* the second pass: of w * (x - mean)^2 */
    double *stored;  /* CSR: the weight of the rows that have an entry here */
    uint64_t *count; /* CSR: the number of such rows */
    double *x;       /* scratch: one row */
    double weight;   /* of the rows */
    uint64_t rows;   /* that count */
    struct negative_entry negative;
};

struct summing {
    const struct sum_task *task;
    struct part *part;
    size_t blocks, columns;
    const double *mean; /* NULL in the first pass */
    bool sparse;
};

/* ---- Memory ---------------------------------------------------------------------------------- */

static void part_free(struct part *part)
{
    mem_free(part->low);
    mem_free(part->high);
    mem_free(part->sum);
    mem_free(part->square);
    mem_free(part->stored);
    mem_free(part->count);
    mem_free(part->x);
}

static bool part_start(struct part *part, const struct summing *summing)
{
    size_t columns = summing->columns;
    part->low = mem_alloc(columns, sizeof *part->low);
    part->high = mem_alloc(columns, sizeof *part->high);
    part->sum = mem_zeroed(columns, sizeof *part->sum);
    bool done = part->low && part->high && part->sum;
    for (size_t j = 0; done && j < columns; j++) {
        part->low[j] = INFINITY;
        part->high[j] = -INFINITY;
    }
    if (summing->task->variances)
        done = (part->square = mem_zeroed(columns, sizeof *part->square)) && done;
    if (!summing->sparse)
        return (part->x = mem_alloc(columns, sizeof *part->x)) && done;
    part->stored = mem_zeroed(columns, sizeof *part->stored);
    part->count = mem_zeroed(columns, sizeof *part->count);
    return part->stored && part->count && done;
}

static void summing_free(struct summing *summing)
{
    for (size_t b = 0; summing->part && b < summing->blocks; b++)
        part_free(&summing->part[b]);
    mem_free(summing->part);
}

/* As many blocks as keep many threads busy, and as keep the sums small beside the data. */
static size_t block_count(const struct sum_task *task)
{
    const struct matrix *x = &task->data->x;
    uint64_t a_row = x->rows ? x->nonzeros / x->rows + 1 : 1;
    uint64_t columns = x->columns ? x->columns : 1;
    uint64_t blocks = task->count / ROWS_FOR_SUMS;
    if (x->kind == MATRIX_CSR && columns / a_row > 1)
        blocks = (uint64_t)((double)blocks * (double)a_row / (double)columns);
    return blocks < 1 ? 1 : blocks > MOST_BLOCKS ? MOST_BLOCKS : (size_t)blocks;
}

static bool summing_start(struct summing *summing, const struct sum_task *task)
{
    *summing = (struct summing){.task = task,
                                .blocks = block_count(task),
                                .columns = (size_t)task->data->x.columns,
                                .sparse = task->data->x.kind == MATRIX_CSR};
    summing->part = mem_zeroed(summing->blocks, sizeof *summing->part);
    bool done = summing->part != NULL;
    for (size_t b = 0; done && b < summing->blocks; b++)
        done = part_start(&summing->part[b], summing);
    return done;
}

/* ---- One row --------------------------------------------------------------------------------- */

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

static void add_dense_first(struct part *part, size_t columns, double weight)
{
    for (size_t j = 0; j < columns; j++) {
        double x = part->x[j];
        part->low[j] = x < part->low[j] ? x : part->low[j];
        part->high[j] = x > part->high[j] ? x : part->high[j];
        part->sum[j] += weight * x;
    }
}

static void add_dense_second(struct part *part, size_t columns, double weight, const double *mean)
{
    for (size_t j = 0; j < columns; j++) {
        double d = part->x[j] - mean[j];
        part->sum[j] += weight * d;
        part->square[j] += weight * d * d;
    }
}

static bool add_dense(const struct summing *summing, struct part *part, size_t row, double weight)
{
    matrix_row_f64(&summing->task->data->x, row, part->x);
    if (summing->task->logs && !take_logs(part, row, summing->columns))
        return false;
    if (summing->mean)
        add_dense_second(part, summing->columns, weight, summing->mean);
    else
        add_dense_first(part, summing->columns, weight);
    return true;
}

static void add_entry(const struct summing *summing, struct part *part, size_t j, double x,
                      double weight)
{
    if (summing->mean) {
        double d = x - summing->mean[j];
        part->sum[j] += weight * d;
        part->square[j] += weight * d * d;
        return;
    }
    part->low[j] = x < part->low[j] ? x : part->low[j];
    part->high[j] = x > part->high[j] ? x : part->high[j];
    part->sum[j] += weight * x;
    part->stored[j] += weight;
    part->count[j]++;
}

static bool add_sparse(const struct summing *summing, struct part *part, size_t row, double weight)
{
    struct row entries = matrix_row(&summing->task->data->x, row);
    for (size_t i = 0; i < entries.count; i++) {
        double x = (double)entries.value[i];
        if (summing->task->logs) {
            if (x < 0) {
                part->negative =
                    (struct negative_entry){.found = true, .row = row, .column = entries.column[i]};
                return false;
            }
            x = log1p(x);
        }
        add_entry(summing, part, entries.column[i], x, weight);
    }
    return true;
}

static temper_status sum_block(void *context, size_t block, size_t worker)
{
    const struct summing *summing = context;
    const struct sum_task *task = summing->task;
    struct part *part = &summing->part[block];
    size_t from = task->count / summing->blocks * block, to = from + task->count / summing->blocks;
    (void)worker;
    if (block + 1 == summing->blocks)
        to = task->count;
    for (size_t i = from; i < to; i++) {
        size_t row = task->row ? task->row[i] : i;
        double weight = task->data->weight ? task->data->weight[row] : 1;
        if (!(weight > 0))
            continue;
        part->weight += weight;
        part->rows++;
        if (!(summing->sparse ? add_sparse(summing, part, row, weight)
                              : add_dense(summing, part, row, weight)))
            return TEMPER_BAD_DATA;
    }
    return TEMPER_OK;
}

/* ---- All blocks ------------------------------------------------------------------------------ */

/* Adds up the first pass, in the order of the blocks, in the arrays of block 0. */
static void join_first(struct summing *summing)
{
    struct part *all = &summing->part[0];
    for (size_t b = 1; b < summing->blocks; b++) {
        const struct part *part = &summing->part[b];
        all->weight += part->weight;
        all->rows += part->rows;
        for (size_t j = 0; j < summing->columns; j++) {
            all->low[j] = part->low[j] < all->low[j] ? part->low[j] : all->low[j];
            all->high[j] = part->high[j] > all->high[j] ? part->high[j] : all->high[j];
            all->sum[j] += part->sum[j];
            if (summing->sparse) {
                all->stored[j] += part->stored[j];
                all->count[j] += part->count[j];
            }
        }
    }
}

/* Means; and 0 is among the values of a sparse column that some row does not store. */
static void finish_first(struct summing *summing, struct column_sums *out)
{
    const struct part *all = &summing->part[0];
    for (size_t j = 0; j < summing->columns; j++) {
        bool zeros = summing->sparse && all->count[j] < all->rows;
        out->low[j] = zeros && all->low[j] > 0 ? 0 : all->low[j];
        out->high[j] = zeros && all->high[j] < 0 ? 0 : all->high[j];
        out->mean[j] = all->rows ? all->sum[j] / all->weight : 0;
    }
}

/* The variance from the squares around a mean that is itself rounded: hence the correction. */
static void finish_second(struct summing *summing, struct column_sums *out)
{
    const struct part *first = &summing->part[0];
    for (size_t j = 0; j < summing->columns; j++) {
        double sum = 0, square = 0, mean = out->mean[j];
        for (size_t b = 0; b < summing->blocks; b++) {
            sum += summing->part[b].sum[j];
            square += summing->part[b].square[j];
        }
        if (summing->sparse) { /* the rows that do not store this column hold 0 */
            double zeros = fmax(0, first->weight - first->stored[j]);
            zeros = first->count[j] < first->rows ? zeros : 0;
            sum -= zeros * mean;
            square += zeros * mean * mean;
        }
        double variance = first->rows ? (square - sum * sum / first->weight) / first->weight : 0;
        out->variance[j] = variance < 0 ? 0 : variance; /* NaN stays */
    }
}

/* The second pass needs the sums of the first for its sparse columns, but not those of its blocks.
 */
static temper_status second_pass(struct summing *summing, struct column_sums *out)
{
    double weight = summing->part[0].weight;
    uint64_t rows = summing->part[0].rows;
    for (size_t b = 0; b < summing->blocks; b++)
        for (size_t j = 0; j < summing->columns; j++)
            summing->part[b].sum[j] = 0;
    summing->mean = out->mean;
    temper_status status =
        parallel_blocks(summing->blocks, summing->task->threads, sum_block, summing);
    summing->part[0].weight = weight;
    summing->part[0].rows = rows;
    if (status == TEMPER_OK)
        finish_second(summing, out);
    return status;
}

static temper_status both_passes(struct summing *summing, struct column_sums *out)
{
    temper_status status =
        parallel_blocks(summing->blocks, summing->task->threads, sum_block, summing);
    if (status != TEMPER_OK)
        return status;
    join_first(summing);
    finish_first(summing, out);
    return summing->task->variances ? second_pass(summing, out) : TEMPER_OK;
}

/* That of the first block that has one: any before it were done, and found nothing. */
static void report_negative(const struct summing *summing, struct negative_entry *negative)
{
    for (size_t b = 0; b < summing->blocks; b++) {
        if (summing->part[b].negative.found) {
            *negative = summing->part[b].negative;
            return;
        }
    }
}

static bool sums_start(struct column_sums *sums, size_t columns)
{
    *sums = (struct column_sums){.low = mem_alloc(columns, sizeof(double)),
                                 .high = mem_alloc(columns, sizeof(double)),
                                 .mean = mem_alloc(columns, sizeof(double)),
                                 .variance = mem_zeroed(columns, sizeof(double))};
    return sums->low && sums->high && sums->mean && sums->variance;
}

temper_status column_sums(const struct sum_task *task, struct column_sums *out,
                          struct negative_entry *negative, temper_error *error)
{
    struct summing summing = {0};
    struct column_sums sums;
    temper_status status = TEMPER_NO_MEMORY;
    if (sums_start(&sums, (size_t)task->data->x.columns) && summing_start(&summing, task))
        status = both_passes(&summing, &sums);
    if (status == TEMPER_BAD_DATA)
        report_negative(&summing, negative);
    summing_free(&summing);
    if (status == TEMPER_OK) {
        *out = sums;
        return TEMPER_OK;
    }
    column_sums_free(&sums);
    return status == TEMPER_NO_MEMORY ? error_no_memory(error) : status;
}

void column_sums_free(struct column_sums *sums)
{
    mem_free(sums->low);
    mem_free(sums->high);
    mem_free(sums->mean);
    mem_free(sums->variance);
    *sums = (struct column_sums){0};
}
