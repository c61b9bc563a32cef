/* blocks: division of rows into parts and blocks, and the choices that depend on their shape. */
#include "objective/blocks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Scaling is folded into the weights unless the mean of a column is more than this many standard deviations from 0:
 * floats would lose digits in the difference w . x - w . offset. */
static const double FAR_FROM_ZERO = 16;
/* Waking a thread costs about as much time as this many multiplications. */
static const double WORTH_A_THREAD = 3e5;

/* Rows of the i-th block of a part; empty behind the end of the part or of the rows. The block's number counts over
 * all parts, for arrays with one entry a block. */
struct row_span block_rows_of(const struct block_layout *layout, size_t part, size_t i)
{
    /* Numbered through all parts, for arrays that have an entry for each block. */
    size_t block = part * layout->part_blocks + i;
    size_t start = part * layout->part_rows, from = start + i * layout->block_rows;
    size_t end = start + layout->part_rows < layout->rows ? start + layout->part_rows : layout->rows;
    size_t left = from < end ? end - from : 0;
    return (struct row_span){from, left < layout->block_rows ? left : layout->block_rows, block};
}

/* Some rows of a CSR matrix for the kernels; borrowed. Starts are absolute, so columns and values are not shifted. */
struct sparse_rows span_entries(const struct matrix *x, struct row_span span)
{
    return (struct sparse_rows){.start = x->row_start ? x->row_start + span.from : NULL,
                                .start32 = x->row_start32 ? x->row_start32 + span.from : NULL,
                                .column = x->column,
                                .column64 = x->column64,
                                .value = x->value,
                                .value64 = x->value64,
                                .rows = span.count};
}

/* How many workers a pass of so many multiplications is worth; the result never changes the sums, only the time. */
size_t useful_threads(size_t workers, double work)
{
    /* At least one thread. */
    double worth = 1 + work / WORTH_A_THREAD;
    return worth < (double)workers ? (size_t)worth : workers;
}

/* Whether any mean is far from 0, in units of the scaled feature (standard deviations for --scale standard). */
static bool is_far(const struct scale *scale, size_t columns)
{
    for (size_t j = 0; j < columns; j++)
        if (fabs(scale->offset[j] * scale->factor[j]) > FAR_FROM_ZERO)
            return true;
    return false;
}

/* Sparse data has no offsets, so folding loses nothing. */
bool scale_folds(const struct matrix *x, const struct scale *scale)
{
    return scale && (x->kind == MATRIX_CSR || !is_far(scale, (size_t)x->columns));
}

/* (l2 / 2) |w|^2 over the first `count` weights, which excludes the intercepts. */
double l2_penalty(const double *w, size_t count, double l2)
{
    size_t i = 0;
    double sum[4] = {0}; /* four independent sums hide the latency of an addition */
    for (; i + 4 <= count; i += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += w[i + k] * w[i + k];
    for (; i < count; i++)
        sum[0] += w[i] * w[i];
    return 0.5 * l2 * ((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

/* MPI: an error in all processes unless all have chosen the same kernels: different instruction sets round
 * differently, and results would depend on which machine has which rows. */
temper_status check_same_kernel(const struct kernel *kernel, const temper_comm *comm, temper_error *error)
{
    char first[32];
    if (comm_alone(comm))
        return TEMPER_OK;
    snprintf(first, sizeof first, "%s", kernel->name);
    /* Compared with the first process only: equality is transitive. */
    TRY(comm_broadcast(comm, 0, first, sizeof first, error));
    temper_status status = TEMPER_OK;
    if (strcmp(first, kernel->name) != 0)
        status = error_set(error, TEMPER_USAGE,
                           "processes run on different processors (%s, %s); set TEMPER_KERNEL to "
                           "one that all of them have",
                           first, kernel->name);
    return comm_agree(comm, status, error);
}
