/* rows: how rows are cut, and which of their forms pays. */
#include "objective/rows.h"

#include <math.h>

/* Scaling goes into the weights only where no column lies so far from 0 that floats would lose
 * digits to the difference: in standard deviations. */
static const double FAR_FROM_ZERO = 16;
/* Below this many multiplications a thread costs more than it brings. */
static const double WORTH_A_THREAD = 3e5;
/* Sums of all parts may take this, and a sixteenth of the data beside it. */
static const double PART_BYTES = 32.0 * 1024 * 1024;

enum { MOST_PARTS = 64 };

struct cut cut_rows(size_t rows, size_t block_rows, size_t least_blocks, double part_bytes,
                    double data_bytes)
{
    double most = PART_BYTES + data_bytes / 16;
    size_t blocks = rows ? (rows - 1) / block_rows + 1 : 1;
    size_t parts = part_bytes * MOST_PARTS <= most ? MOST_PARTS
                   : part_bytes >= most            ? 1
                                                   : (size_t)(most / part_bytes);
    struct cut cut = {.rows = rows, .block_rows = block_rows};
    cut.part_blocks = (blocks + parts - 1) / parts;
    if (cut.part_blocks < least_blocks)
        cut.part_blocks = least_blocks;
    cut.parts = (blocks + cut.part_blocks - 1) / cut.part_blocks;
    cut.part_rows = cut.part_blocks * block_rows;
    return cut;
}

struct span cut_span(const struct cut *cut, size_t part, size_t i)
{
    size_t block = part * cut->part_blocks + i;
    size_t start = part * cut->part_rows, from = start + i * cut->block_rows;
    size_t end = start + cut->part_rows < cut->rows ? start + cut->part_rows : cut->rows;
    size_t left = from < end ? end - from : 0;
    return (struct span){from, left < cut->block_rows ? left : cut->block_rows, block};
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

bool loss_is_tsallis(temper_loss_spec loss)
{
    return loss.method != TEMPER_HINGE && loss.method != TEMPER_BREGMAN;
}
