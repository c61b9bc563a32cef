/* rows: how rows are cut, and which of their forms pays. */
#include "objective/blocks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Scaling goes into the weights only where no column lies so far from 0 that floats would lose
 * digits to the difference: in standard deviations. */
static const double FAR_FROM_ZERO = 16;
/* Below this many multiplications a thread costs more than it brings. */
static const double WORTH_A_THREAD = 3e5;

struct span cut_span(const struct cut *cut, size_t part, size_t i)
{
    size_t block = part * cut->part_blocks + i;
    size_t start = part * cut->part_rows, from = start + i * cut->block_rows;
    size_t end = start + cut->part_rows < cut->rows ? start + cut->part_rows : cut->rows;
    size_t left = from < end ? end - from : 0;
    return (struct span){from, left < cut->block_rows ? left : cut->block_rows, block};
}

struct sparse_rows span_entries(const struct matrix *x, struct span span)
{
    return (struct sparse_rows){.start = x->row_start ? x->row_start + span.from : NULL,
                                .start32 = x->row_start32 ? x->row_start32 + span.from : NULL,
                                .column = x->column,
                                .column64 = x->column64,
                                .value = x->value,
                                .value64 = x->value64,
                                .rows = span.count};
}

size_t worth_threads(size_t workers, double work)
{
    double worth = 1 + work / WORTH_A_THREAD;
    return worth < (double)workers ? (size_t)worth : workers;
}

static bool is_far(const struct scale *scale, size_t columns)
{
    for (size_t j = 0; j < columns; j++)
        if (fabs(scale->offset[j] * scale->factor[j]) > FAR_FROM_ZERO)
            return true;
    return false;
}

bool scale_folds(const struct matrix *x, const struct scale *scale)
{
    return scale && (x->kind == MATRIX_CSR || !is_far(scale, (size_t)x->columns));
}

double penalty(const double *w, size_t count, double l2)
{
    size_t i = 0;
    double sum[4] = {0}; /* hide the latency of an addition */
    for (; i + 4 <= count; i += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += w[i + k] * w[i + k];
    for (; i < count; i++)
        sum[0] += w[i] * w[i];
    return 0.5 * l2 * ((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

temper_status kernels_agree(const struct kernel *kernel, const temper_comm *comm, temper_error *error)
{
    char first[32];
    if (comm_alone(comm))
        return TEMPER_OK;
    snprintf(first, sizeof first, "%s", kernel->name);
    temper_status status = comm_broadcast(comm, 0, first, sizeof first, error);
    if (status != TEMPER_OK)
        return status;
    if (strcmp(first, kernel->name) != 0)
        status = error_set(error, TEMPER_USAGE,
                           "processes run on different processors (%s, %s); set TEMPER_KERNEL to "
                           "one that all of them have",
                           first, kernel->name);
    return comm_agree(comm, status, error);
}
