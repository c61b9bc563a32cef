/* row_losses: template for rows of floats or doubles. The including file defines `real`, SOFTMAX and TARGETS (the
 * structs of the kernels), RUN and RUN_TARGETS (their calls) and ROWS, which makes names distinct. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/dispatch/kernel.h"
#include "objective/row_losses.h"
#include "tempered/loss_family.h"
#include "tempered/target_losses.h"

/* Blocks have about so many numbers, which the second-level cache holds three times; at most so many rows. A thread is
 * worth starting for some blocks. */
enum { BLOCK_NUMBERS = 16384, MOST_BLOCK_ROWS = 256, THREAD_NUMBERS = 65536 };
/* Above this t2 powers of p leave the range of floats; no network needs it. */
static const double LARGEST_KERNEL_T2 = 8;

/* The workspace of one thread. */
struct row_scratch {
    real *activation, *gradient, *target; /* [class * stride + row] */
    real *loss;                           /* [stride] */
    uint32_t *label;                      /* [stride] */
    double *row;                          /* three rows of numbers in doubles */
};

/* A call in progress. */
struct row_job {
    const struct row_losses *rows;
    const struct kernel *kernel; /* NULL: the loss has none */
    const real *a;
    real *losses, *gradients;
    size_t block_rows, stride; /* of the transposed block */
    bool targets;              /* labels are distributions: soft, or smoothed */
    struct row_scratch *scratch;
};

/* ---- Labels -------------------------------------------------------------------------------------- */

static bool is_ignored(const temper_loss_rows_options *batch, size_t i)
{
    return batch->labels && batch->labels[i] == batch->ignored_label;
}

/* y_c of row i, smoothed. A row that is left out counts as one of class 0 until its results are cleared. */
static double label_share(const struct row_job *job, size_t i, size_t c)
{
    const temper_loss_rows_options *batch = job->rows->batch;
    double smoothing = batch->label_smoothing, y;
    if (batch->labels)
        y = is_ignored(batch, i) ? c == 0 : (size_t)batch->labels[i] == c;
    else
        y = (double)((const real *)batch->targets)[i * job->rows->stride + c];
    return (1 - smoothing) * y + smoothing / (double)batch->classes;
}

/* Targets are finite numbers, 0 or more. */
static temper_status check_targets(const struct row_losses *rows, temper_error *error)
{
    const temper_loss_rows_options *batch = rows->batch;
    for (size_t i = 0; batch->targets && i < batch->rows; i++) {
        const real *y = (const real *)batch->targets + i * rows->stride;
        bool right = true;
        for (size_t c = 0; c < batch->classes; c++)
            right &= y[c] >= 0 && y[c] <= (real)1e30;
        if (!right)
            return error_set(error, TEMPER_BAD_DATA, "the target of row %zu has a number that is no probability", i);
    }
    return TEMPER_OK;
}

/* ---- Row by row, in doubles ---------------------------------------------------------------------- */

static void exact_row(const struct row_job *job, const struct row_scratch *scratch, size_t i)
{
    const temper_loss_rows_options *batch = job->rows->batch;
    size_t n = batch->classes, from = i * job->rows->stride;
    double *a = scratch->row, *y = a + n, *gradient = y + n, *wanted = job->gradients ? gradient : NULL, loss;
    for (size_t c = 0; c < n; c++)
        a[c] = (double)job->a[from + c];
    if (job->targets) {
        for (size_t c = 0; c < n; c++)
            y[c] = label_share(job, i, c);
        loss = target_loss(job->rows->loss, a, n, y, wanted);
    } else {
        size_t label = is_ignored(batch, i) ? 0 : (size_t)batch->labels[i];
        loss = any_loss(job->rows->loss, a, n, label, wanted, NULL);
    }
    job->losses[i] = (real)loss;
    for (size_t c = 0; wanted && c < n; c++)
        job->gradients[from + c] = (real)gradient[c];
}

/* ---- Blocks by the kernels ----------------------------------------------------------------------- */

/* Between rows one after the other and [class * stride + row]: some classes of all rows at a time, so that each line of
 * the cache is used completely once it is there. */
enum { TILE = 16 };

static void transpose_in(const real *from, size_t rows, size_t step, size_t classes, real *to, size_t stride)
{
    for (size_t c0 = 0; c0 < classes; c0 += TILE) {
        size_t count = classes - c0 < TILE ? classes - c0 : TILE;
        for (size_t i = 0; i < rows; i++)
            for (size_t c = 0; c < count; c++)
                to[(c0 + c) * stride + i] = from[i * step + c0 + c];
    }
}

static void transpose_out(const real *from, size_t stride, size_t rows, size_t classes, real *to, size_t step)
{
    for (size_t c0 = 0; c0 < classes; c0 += TILE) {
        size_t count = classes - c0 < TILE ? classes - c0 : TILE;
        for (size_t i = 0; i < rows; i++)
            for (size_t c = 0; c < count; c++)
                to[i * step + c0 + c] = from[(c0 + c) * stride + i];
    }
}

static void fill_labels(const struct row_job *job, const struct row_scratch *scratch, size_t from, size_t count)
{
    const temper_loss_rows_options *batch = job->rows->batch;
    for (size_t i = 0; i < count; i++)
        scratch->label[i] = is_ignored(batch, from + i) ? 0 : (uint32_t)batch->labels[from + i];
}

/* Distributions; those of numbers of classes differ from row to row in one entry. */
static void fill_targets(const struct row_job *job, const struct row_scratch *scratch, size_t from, size_t count)
{
    const temper_loss_rows_options *batch = job->rows->batch;
    size_t n = batch->classes;
    if (batch->labels) {
        real rest = (real)(batch->label_smoothing / (double)n);
        for (size_t k = 0; k < n * job->stride; k++)
            scratch->target[k] = rest;
        for (size_t i = 0; i < count; i++)
            scratch->target[scratch->label[i] * job->stride + i] = (real)label_share(job, from + i, scratch->label[i]);
        return;
    }
    const real *targets = (const real *)batch->targets + from * job->rows->stride;
    transpose_in(targets, count, job->rows->stride, n, scratch->target, job->stride);
    if (batch->label_smoothing > 0)
        for (size_t k = 0; k < n * job->stride; k++)
            scratch->target[k] =
                (real)((1 - batch->label_smoothing) * (double)scratch->target[k] + batch->label_smoothing / (double)n);
}

static void run_kernel(const struct row_job *job, const struct row_scratch *scratch, size_t from, size_t count)
{
    const struct row_losses *rows = job->rows;
    bool bregman = rows->loss.method == TEMPER_BREGMAN;
    SOFTMAX block = {.shape = {.rows = count,
                               .classes = rows->batch->classes,
                               .stride = job->stride,
                               .t1 = rows->loss.t1,
                               .t2 = rows->loss.t2},
                     .activation = scratch->activation,
                     .label = scratch->label,
                     .gradient = scratch->gradient,
                     .loss = scratch->loss};
    if (rows->batch->labels)
        fill_labels(job, scratch, from, count);
    if (!bregman && !job->targets) {
        job->kernel->RUN(&block);
        return;
    }
    if (job->targets) {
        fill_targets(job, scratch, from, count);
        block.label = NULL;
    }
    job->kernel->RUN_TARGETS(&(TARGETS){.block = block, .target = scratch->target, .bregman = bregman});
}

/* Rows that the kernel cannot do, with infinite activations for one, in doubles; and those that are left out. */
static void finish_row(const struct row_job *job, const struct row_scratch *scratch, size_t i)
{
    const temper_loss_rows_options *batch = job->rows->batch;
    if (is_ignored(batch, i)) {
        job->losses[i] = 0;
        if (job->gradients)
            memset(job->gradients + i * job->rows->stride, 0, batch->classes * sizeof *job->gradients);
    } else if (!job->kernel || !isfinite(job->losses[i]))
        exact_row(job, scratch, i);
}

static temper_status run_block(void *context, size_t block, size_t worker)
{
    const struct row_job *job = context;
    const struct row_scratch *scratch = &job->scratch[worker];
    const temper_loss_rows_options *batch = job->rows->batch;
    size_t from = block * job->block_rows, left = batch->rows - from, step = job->rows->stride;
    size_t count = left < job->block_rows ? left : job->block_rows;
    if (job->kernel) {
        transpose_in(job->a + from * step, count, step, batch->classes, scratch->activation, job->stride);
        run_kernel(job, scratch, from, count);
        memcpy(job->losses + from, scratch->loss, count * sizeof *job->losses);
        if (job->gradients)
            transpose_out(scratch->gradient, job->stride, count, batch->classes, job->gradients + from * step, step);
    }
    for (size_t i = from; i < from + count; i++)
        finish_row(job, scratch, i);
    return TEMPER_OK;
}

/* ---- Memory -------------------------------------------------------------------------------------- */

static void free_scratch(struct row_job *job, size_t workers)
{
    for (size_t k = 0; job->scratch && k < workers; k++) {
        mem_free(job->scratch[k].activation);
        mem_free(job->scratch[k].label);
        mem_free(job->scratch[k].row);
    }
    mem_free(job->scratch);
}

/* Blocks, gradients, targets and losses are one piece of memory. It begins as zeros: the kernels read the padding. */
static bool allocate_scratch(struct row_job *job, size_t workers)
{
    size_t n = job->rows->batch->classes, block, numbers, triple;
    job->scratch = mem_zeroed(workers, sizeof *job->scratch);
    if (!job->scratch || !mul_size(n, job->stride, &block) || !mul_size(block, 3, &triple) ||
        !add_size(triple, job->stride, &numbers))
        return false;
    for (size_t k = 0; k < workers; k++) {
        struct row_scratch *s = &job->scratch[k];
        s->row = mem_alloc(n, 3 * sizeof(double));
        if (!s->row || !job->kernel) {
            if (!s->row)
                return false;
            continue;
        }
        s->label = mem_zeroed(job->stride, sizeof *s->label);
        s->activation = mem_aligned(numbers, sizeof(real));
        if (!s->label || !s->activation)
            return false;
        memset(s->activation, 0, numbers * sizeof(real));
        s->gradient = s->activation + block;
        s->target = s->gradient + block;
        s->loss = s->target + block;
    }
    return true;
}

/* ---- The call ------------------------------------------------------------------------------------ */

/* As many as are asked for, but each with some work. */
static size_t count_workers(const temper_loss_rows_options *batch, size_t blocks)
{
    double numbers = (double)batch->rows * (double)batch->classes, worth = numbers / THREAD_NUMBERS;
    size_t threads = batch->threads ? batch->threads : thread_count_default();
    if (worth < (double)threads)
        threads = worth < 1 ? 1 : (size_t)worth;
    return threads < blocks ? threads : blocks;
}

/* Whether the vector kernels compute the loss. */
static bool has_kernel(const struct row_losses *rows)
{
    return (loss_is_two_temperature(rows->loss) || rows->loss.method == TEMPER_BREGMAN) &&
           rows->loss.t2 <= LARGEST_KERNEL_T2;
}

temper_status ROWS(row_losses)(const struct row_losses *rows, const real *a, real *losses, real *gradients,
                               temper_error *error)
{
    const temper_loss_rows_options *batch = rows->batch;
    const char *wanted;
    struct row_job job = {.rows = rows, .a = a, .losses = losses, .gradients = gradients};
    TRY(check_targets(rows, error));
    if (has_kernel(rows) && !(job.kernel = kernel_choose(&wanted)))
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    if (batch->rows == 0)
        return TEMPER_OK;
    job.targets = batch->targets || batch->label_smoothing > 0;
    job.block_rows = BLOCK_NUMBERS / batch->classes / SOFTMAX_PAD * SOFTMAX_PAD;
    job.block_rows = job.block_rows < SOFTMAX_PAD ? SOFTMAX_PAD : job.block_rows;
    job.block_rows = job.block_rows > MOST_BLOCK_ROWS ? MOST_BLOCK_ROWS : job.block_rows;
    job.stride = job.block_rows;
    size_t blocks = (batch->rows - 1) / job.block_rows + 1, workers = count_workers(batch, blocks);
    temper_status status =
        allocate_scratch(&job, workers) ? parallel_blocks(blocks, workers, run_block, &job) : error_no_memory(error);
    free_scratch(&job, workers);
    return status;
}
