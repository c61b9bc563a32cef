/* column_sums: two passes, each over fixed blocks of rows. */
#include "data/column_sums.h"

#include <math.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/column_rows.h"
#include "data/pages.h"

enum {
    MOST_BLOCKS = 64,
    /* A block has so many rows' worth of entries, for the sums take memory too; */
    ROWS_FOR_SUMS = 64,
    SPARSE_FOR_SUMS = 256, /* more of them of sparse rows, which have more sums a column */
};

/* ---- Memory ---------------------------------------------------------------------------------- */

static void part_free(struct part *part)
{
    mem_free(part->state);
    mem_free(part->x);
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
    if (!summing->sparse && !(part->x = mem_alloc(columns, sizeof *part->x)))
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
    return blocks < 1 ? 1 : blocks > MOST_BLOCKS ? MOST_BLOCKS : (size_t)blocks;
}

/* The first row of a block. */
static uint64_t block_start(const struct summing *summing, size_t block)
{
    return block < summing->blocks ? summing->count / summing->blocks * block : summing->count;
}

/* Which blocks have own rows. */
static void find_blocks(struct summing *summing)
{
    while (summing->first < summing->blocks &&
           block_start(summing, summing->first + 1) <= summing->from)
        summing->first++;
    while (summing->first + summing->own < summing->blocks &&
           block_start(summing, summing->first + summing->own) < summing->to)
        summing->own++;
}

double column_sums_bytes(const struct matrix *x)
{
    const struct dataset data = {.x = *x};
    const struct sum_task task = {.data = &data, .count = (size_t)x->rows};
    const struct summing summing = {
        .task = &task, .sparse = x->kind == MATRIX_CSR, .count = x->rows};
    return (double)(block_count(&summing) * 6 + 6) * (double)x->columns * sizeof(double);
}

static bool summing_start(struct summing *summing, const struct sum_task *task)
{
    const struct dataset *data = task->data;
    size_t columns = (size_t)data->x.columns;
    bool sparse = data->x.kind == MATRIX_CSR;
    *summing = (struct summing){.task = task, .columns = columns, .sparse = sparse};
    summing->comm = task->row ? NULL : data->comm;
    summing->count = summing->comm ? data->all_rows : task->count;
    summing->from = summing->comm ? data->first_row : 0;
    summing->to = summing->from + (summing->comm ? data->x.rows : task->count);
    summing->length = 2 + columns * (3 + (task->variances ? 1U : 0U) + (sparse ? 2U : 0U));
    summing->blocks = block_count(summing);
    find_blocks(summing);
    summing->part = mem_zeroed(summing->own, sizeof *summing->part);
    bool done = summing->part != NULL;
    for (size_t b = 0; done && b < summing->own; b++)
        done = part_start(&summing->part[b], summing);
    return done && part_start(&summing->all, summing);
}

/* ---- Own rows -------------------------------------------------------------------------------- */

/* Own rows of an own block. */
static temper_status sum_rows(const struct summing *summing, size_t own)
{
    const struct sum_task *task = summing->task;
    struct part *part = &summing->part[own];
    uint64_t from = block_start(summing, summing->first + own);
    uint64_t to = block_start(summing, summing->first + own + 1);
    from = from > summing->from ? from : summing->from;
    to = to < summing->to ? to : summing->to;
    for (uint64_t i = from; i < to; i++) {
        size_t here = (size_t)(i - summing->from), row = task->row ? task->row[here] : here;
        double weight = task->data->weight ? task->data->weight[row] : 1;
        if (!(weight > 0))
            continue;
        *part->weight += weight;
        ++*part->rows;
        if (task->row)
            pages_row(&task->data->x, row);
        else
            pages_rows(&task->data->x, row, 1);
        if (!column_add_row(summing, part, row, weight))
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
static temper_status continue_blocks(struct summing *summing, temper_status *found,
                                     temper_error *error)
{
    size_t size = comm_size(summing->comm), rank = comm_rank(summing->comm);
    uint64_t *first_row = mem_alloc(size, sizeof *first_row);
    if (!first_row)
        return error_no_memory(error);
    temper_status status =
        comm_gather_each(summing->comm, &summing->from, sizeof summing->from, first_row, error);
    for (size_t r = 1; status == TEMPER_OK && r < size; r++) {
        if (!goes_on(summing, first_row[r]))
            continue;
        const double *last = summing->own ? summing->part[summing->own - 1].state : NULL;
        double *next = summing->own ? summing->part[0].state : NULL;
        status = comm_pass_on(summing->comm, r - 1, last, next,
                              summing->length * sizeof *summing->all.state, error);
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
    return status == TEMPER_OK
               ? comm_in_turn(summing->comm, join_blocks, summing, summing->all.state,
                              summing->length * sizeof *summing->all.state, error)
               : status;
}

/* Means; and 0 is among the values of a sparse column that some row does not store. */
static void finish_first(const struct summing *summing, struct column_sums *out)
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
static void finish_second(const struct summing *summing, struct column_sums *out)
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

static temper_status both_passes(struct summing *summing, struct column_sums *out,
                                 temper_error *error)
{
    temper_status status = one_pass(summing, error);
    if (status != TEMPER_OK)
        return status;
    finish_first(summing, out);
    if (!summing->task->variances)
        return TEMPER_OK;
    for (size_t b = 0; b < summing->own; b++)
        part_clear(&summing->part[b], summing);
    part_clear(&summing->all, summing);
    summing->mean = out->mean;
    status = one_pass(summing, error);
    if (status == TEMPER_OK)
        finish_second(summing, out);
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
    column_sums_free(&sums);
    return status;
}

void column_sums_free(struct column_sums *sums)
{
    mem_free(sums->low);
    mem_free(sums->high);
    mem_free(sums->mean);
    mem_free(sums->variance);
    *sums = (struct column_sums){0};
}
