/* scores: a matrix times the weights of a linear model, a block of rows at a time on several threads.
 *
 * Used after training: for predictions, for evaluation, and for scores of held-out rows. Everything is computed in
 * doubles. A score that overflows, as of huge features, is computed again in long doubles, and the row is divided by a
 * common number, which keeps the order of the classes. */
#include "objective/scores.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/memory/page_window.h"
#include "kernel/dense/linear.h"
#include "kernel/dispatch/kernel.h"

enum { SPARSE_ROWS = 256 }; /* rows of a task, for sparse data */

/* What the worker threads share. */
struct score_job {
    const struct matrix *x;
    const struct linear_model *model;
    const struct kernel *kernel;
    size_t block_rows, stride;
    double *out;
    /* Workspace of each worker: a block of rows, that of the kernels, and scores [class * stride + row]. */
    double *space;
    size_t rows_space, linear_space, class_space;
};

/* ---- Sparse ---------------------------------------------------------------------------------- */

/* Scores of CSR rows, entry by entry, for any number of weight vectors. Columns that the model does not have (features
 * that occur only in new data) are left out; columns ascend within a row, so the loop ends there. */
static void sparse_scores(const struct score_job *job, size_t from, size_t count)
{
    const struct linear_model *model = job->model;
    size_t vectors = model->vectors;
    for (size_t row = from; row < from + count; row++) {
        struct row entries = matrix_row(job->x, row);
        double *out = job->out + row * vectors;
        /* Scores start from the intercepts. */
        memcpy(out, model->bias, vectors * sizeof *out);
        for (size_t e = 0; e < entries.count && row_column(&entries, e) < model->columns; e++) {
            double value = row_value(&entries, e);
            /* All weights of one feature are adjacent. */
            const double *w = model->weights + row_column(&entries, e) * vectors;
            value = model->logs ? log1p(value) : value;
            for (size_t k = 0; k < vectors; k++)
                out[k] += value * w[k];
        }
    }
}

/* ---- Dense ----------------------------------------------------------------------------------- */

/* A block of dense rows as doubles, with the logarithm applied where the model has one: in place, or converted into
 * `space`. */
static const double *dense_rows(const struct score_job *job, size_t from, size_t count, double *space)
{
    const struct matrix *x = job->x;
    const struct linear_f64 *linear = job->kernel->linear_f64;
    /* Scaling is part of the weights. */
    const struct rows_scale unscaled = {0};
    size_t columns = (size_t)x->columns, skip = from * columns;
    if (x->kind == MATRIX_F64 && !job->model->logs)
        return (const double *)x->dense + skip;
    if (x->kind == MATRIX_U8)
        linear->from_u8((const uint8_t *)x->dense + skip, count, columns, unscaled, space);
    else if (x->kind == MATRIX_F32)
        linear->from_f32((const float *)x->dense + skip, count, columns, unscaled, space);
    else
        linear->from_f64((const double *)x->dense + skip, count, columns, unscaled, space);
    /* log(1 + x), the only part of a scale that is not linear. */
    for (size_t i = 0; job->model->logs && i < count * columns; i++)
        space[i] = log1p(space[i]);
    return space;
}

/* Many classes: the kernel writes [class * stride + row], the result is [row * vectors + class]. */
static void dense_many(const struct score_job *job, size_t from, struct rows_f64 block, double *space)
{
    const struct linear_model *model = job->model;
    double *by_class = space + job->linear_space, *out = job->out + from * model->vectors;
    struct many_f64 many = {.block = block, .classes = model->vectors, .stride = job->stride, .scratch = space};
    job->kernel->linear_f64->many_times(&many, model->weights, by_class);
    /* One row after the other, so that the writes are contiguous. */
    for (size_t i = 0; i < block.rows; i++)
        for (size_t k = 0; k < model->vectors; k++)
            out[i * model->vectors + k] = by_class[k * job->stride + i] + model->bias[k];
}

/* ---- Scores that overflow -------------------------------------------------------------------- */

/* Larger scores are computed again. Differences and small multiples of those up to here are finite. */
static const double LARGEST_SCORE = 1e300;

/* True for NaN too, as from the sum of +infinity and -infinity. */
static bool overflows(const double *score, size_t vectors)
{
    for (size_t k = 0; k < vectors; k++)
        if (!(fabs(score[k]) <= LARGEST_SCORE))
            return true;
    return false;
}

/* Score k of a row in long doubles, whose exponents hold any product of two doubles. `dense` has the values of a dense
 * row, and is NULL for a sparse one. */
static long double wide_score(const struct score_job *job, const struct row *entries, const double *dense, size_t k)
{
    const struct linear_model *model = job->model;
    long double sum = model->bias[k];
    for (size_t e = 0; e < entries->count; e++) {
        size_t column = dense ? e : row_column(entries, e);
        if (column >= model->columns)
            break;
        double value = dense ? dense[e] : row_value(entries, e);
        value = model->logs ? log1p(value) : value;
        sum += (long double)value * model->weights[column * model->vectors + k];
    }
    return sum;
}

/* Replaces scores that a double cannot hold: all scores of the row are divided by the number that makes the largest
 * LARGEST_SCORE. Their order and ratios stay, so that the class is right, and its probability is 1 as in the limit. */
static void rescale_row(const struct score_job *job, size_t row, double *space)
{
    size_t vectors = job->model->vectors;
    double *score = job->out + row * vectors, *dense = job->x->kind == MATRIX_CSR ? NULL : space;
    struct row entries = matrix_row(job->x, row);
    long double largest = 0;
    if (!overflows(score, vectors))
        return;
    if (dense)
        matrix_row_f64(job->x, row, dense);
    for (size_t k = 0; k < vectors; k++)
        largest = fmaxl(largest, fabsl(wide_score(job, &entries, dense, k)));
    for (size_t k = 0; k < vectors; k++)
        score[k] = (double)(wide_score(job, &entries, dense, k) / fmaxl(1, largest / LARGEST_SCORE));
}

/* ---- A block --------------------------------------------------------------------------------- */

/* The scores of one block of rows, which may overflow. */
static void score_block(const struct score_job *job, size_t from, size_t count, double *space)
{
    if (job->x->kind == MATRIX_CSR) {
        sparse_scores(job, from, count);
        return;
    }
    /* Dense data has the columns of the model, which the schema has ensured. */
    struct rows_f64 block = {dense_rows(job, from, count, space), count, (size_t)job->x->columns};
    if (job->model->vectors > 1) {
        dense_many(job, from, block, space + job->rows_space);
        return;
    }
    job->kernel->linear_f64->times(block, job->model->weights, job->out + from);
    for (size_t i = 0; i < count; i++)
        job->out[from + i] += job->model->bias[0];
}

/* Callback of parallel_blocks. Blocks write disjoint parts of `out`; the workspace is free again after the scores. */
static temper_status run_block(void *context, size_t number, size_t worker)
{
    const struct score_job *job = context;
    size_t from = number * job->block_rows, left = (size_t)job->x->rows - from;
    size_t count = left < job->block_rows ? left : job->block_rows;
    size_t each = job->rows_space + job->linear_space + job->class_space;
    double *space = job->space + worker * each;
    page_window_rows(job->x, from, count);
    score_block(job, from, count, space);
    for (size_t row = from; row < from + count; row++)
        rescale_row(job, row, space);
    return TEMPER_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* The number of rows of a block, by the cache, and the workspace of a worker in doubles. Sparse rows need none. */
static void measure(struct score_job *job)
{
    size_t columns = (size_t)job->x->columns, vectors = job->model->vectors;
    if (job->x->kind == MATRIX_CSR) {
        job->block_rows = SPARSE_ROWS;
        return;
    }
    job->block_rows = linear_block_rows(columns, vectors, sizeof(double));
    job->stride = (job->block_rows + SOFTMAX_PAD - 1) / SOFTMAX_PAD * SOFTMAX_PAD;
    job->rows_space = job->stride * columns;
    job->linear_space = linear_scratch(job->stride, columns, vectors);
    job->class_space = job->stride * vectors;
}

/* out[row * vectors + k]: the scores of all rows, intercepts included. The scaling is already part of the model's
 * weights, except for the logarithm. */
temper_status activations(const struct matrix *x, const struct linear_model *model, size_t threads, double *out,
                          temper_error *error)
{
    const char *wanted;
    struct score_job job = {.x = x, .model = model, .kernel = kernel_choose(&wanted), .out = out};
    if (!job.kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    measure(&job);
    size_t blocks = ((size_t)x->rows + job.block_rows - 1) / job.block_rows;
    /* At least one thread, and no more than blocks. */
    threads = threads < 1 ? 1 : threads > blocks && blocks ? blocks : threads;
    size_t each = job.rows_space + job.linear_space + job.class_space;
    /* Sparse rows have no workspace; one number instead of none keeps pointers to it valid. */
    job.space = mem_aligned(threads, (each ? each : 1) * sizeof *job.space);
    if (!job.space)
        return error_no_memory(error);
    temper_status status = parallel_blocks(blocks, threads, run_block, &job);
    mem_free(job.space);
    return status == TEMPER_OK ? TEMPER_OK : error_no_memory(error);
}
