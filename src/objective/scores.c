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

/* Larger scores are computed again. Differences and small multiples of those up to here are finite. */
static const double LARGEST_SCORE = 1e300;

/* What the worker threads share. */
struct score_job {
    const struct matrix *x;
    const struct linear_model *model;
    const struct kernel *kernel;
    size_t block_rows, stride;
    bool few_rows; /* short rows: see takes_few_rows */
    score_rows_fn *take;
    void *context;
    /* Workspace of each worker: a block of rows, that of the kernels, and scores [class * stride + row]. */
    double *space;
    size_t rows_space, linear_space, class_space;
};

/* A block of rows, and the workspace for it. */
struct score_block {
    const struct score_job *job;
    size_t from, count;
    double *rows, *linear, *score;
};

/* ---- Sparse ---------------------------------------------------------------------------------- */

/* Scores of CSR rows, entry by entry, for any number of weight vectors. Columns that the model does not have (features
 * that occur only in new data) are left out; columns ascend within a row, so the loop ends there. */
static void sparse_scores(const struct score_block *block)
{
    const struct linear_model *model = block->job->model;
    size_t vectors = model->vectors, stride = block->job->stride;
    double *sum = block->linear;
    for (size_t i = 0; i < block->count; i++) {
        struct row entries = matrix_row(block->job->x, block->from + i);
        /* Scores start from the intercepts. */
        memcpy(sum, model->bias, vectors * sizeof *sum);
        for (size_t e = 0; e < entries.count && row_column(&entries, e) < model->columns; e++) {
            double value = row_value(&entries, e);
            /* All weights of one feature are adjacent. */
            const double *w = model->weights + row_column(&entries, e) * vectors;
            value = model->logs ? log1p(value) : value;
            for (size_t k = 0; k < vectors; k++)
                sum[k] += value * w[k];
        }
        for (size_t k = 0; k < vectors; k++)
            block->score[k * stride + i] = sum[k];
    }
}

/* ---- Dense ----------------------------------------------------------------------------------- */

/* A block of dense rows as doubles, with the logarithm applied where the model has one: in place, or converted into
 * the workspace. */
static const double *dense_rows(const struct score_block *block)
{
    const struct score_job *job = block->job;
    const struct matrix *x = job->x;
    const struct linear_f64 *linear = job->kernel->linear_f64;
    /* Scaling is part of the weights. */
    const struct rows_scale unscaled = {0};
    size_t columns = (size_t)x->columns, skip = block->from * columns, count = block->count;
    if (x->kind == MATRIX_F64 && !job->model->logs)
        return (const double *)x->dense + skip;
    if (x->kind == MATRIX_U8)
        linear->from_u8((const uint8_t *)x->dense + skip, count, columns, unscaled, block->rows);
    else if (x->kind == MATRIX_F32)
        linear->from_f32((const float *)x->dense + skip, count, columns, unscaled, block->rows);
    else
        linear->from_f64((const double *)x->dense + skip, count, columns, unscaled, block->rows);
    /* log(1 + x), the only part of a scale that is not linear. */
    for (size_t i = 0; job->model->logs && i < count * columns; i++)
        block->rows[i] = log1p(block->rows[i]);
    return block->rows;
}

/* Whether floats are converted as they are multiplied, without a copy. */
static bool reads_floats(const struct score_job *job)
{
    return job->x->kind == MATRIX_F32 && job->model->vectors == 1 && !job->model->logs;
}

/* Whether short rows are converted, multiplied and finished a few at a time. */
static bool takes_few_rows(const struct score_job *job)
{
    const struct linear_model *model = job->model;
    return job->kernel->linear_f64->scores && model->vectors > 1 && !model->logs &&
           (job->x->kind == MATRIX_F32 || job->x->kind == MATRIX_F64) &&
           linear_scores_fit((size_t)job->x->columns, model->vectors);
}

/* The scores of such rows; false: one of them overflows. */
static bool short_row_scores(const struct score_block *block)
{
    const struct score_job *job = block->job;
    const size_t columns = (size_t)job->x->columns, skip = block->from * columns;
    const bool floats = job->x->kind == MATRIX_F32;
    return job->kernel->linear_f64->scores(
        &(struct linear_scores){.x_f32 = floats ? (const float *)job->x->dense + skip : NULL,
                                .x_f64 = floats ? NULL : (const double *)job->x->dense + skip,
                                .rows = block->count,
                                .columns = columns,
                                .classes = job->model->vectors,
                                .stride = job->stride,
                                .weights = job->model->weights,
                                .bias = job->model->bias,
                                .largest = LARGEST_SCORE,
                                .scratch = block->linear},
        block->score);
}

/* Scores of dense rows, which have the columns of the model, as the schema has ensured. */
static void dense_scores(const struct score_block *block)
{
    const struct score_job *job = block->job;
    const struct linear_model *model = job->model;
    const struct linear_f64 *linear = job->kernel->linear_f64;
    size_t columns = (size_t)job->x->columns, count = block->count;
    if (reads_floats(job)) {
        const struct linear_hints once = {0};
        struct rows_f32 rows = {(const float *)job->x->dense + block->from * columns, count, columns};
        linear->times_f32(rows, once, model->weights, block->score);
    } else {
        struct rows_f64 rows = {dense_rows(block), count, columns};
        struct many_f64 many = {
            .block = rows, .classes = model->vectors, .stride = job->stride, .scratch = block->linear};
        if (model->vectors == 1)
            linear->times(rows, model->weights, block->score);
        else
            linear->many_times(&many, model->weights, block->score);
    }
    for (size_t k = 0; k < model->vectors; k++)
        for (size_t i = 0; i < count; i++)
            block->score[k * job->stride + i] += model->bias[k];
}

/* ---- Scores that overflow -------------------------------------------------------------------- */

/* Whether any of n scores is too large or not a number, as the sum of +infinity and -infinity is. */
static bool any_overflows(const double *score, size_t n)
{
    bool fine = true;
    for (size_t i = 0; i < n; i++)
        fine &= fabs(score[i]) <= LARGEST_SCORE;
    return !fine;
}

/* The same of one row of the block. */
static bool row_overflows(const struct score_block *block, size_t i)
{
    for (size_t k = 0; k < block->job->model->vectors; k++)
        if (!(fabs(block->score[k * block->job->stride + i]) <= LARGEST_SCORE))
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

/* Whether all values of a row are finite, which is checked where a score is not: a finite score has finite values. */
static bool row_is_finite(const struct row *entries, const double *dense)
{
    bool finite = true;
    for (size_t e = 0; e < entries->count; e++)
        finite &= isfinite(dense ? dense[e] : row_value(entries, e)) != 0;
    return finite;
}

/* Replaces scores that a double cannot hold: all scores of the row are divided by the number that makes the largest
 * LARGEST_SCORE. Their order and ratios stay, so that the class is right, and its probability is 1 as in the limit. */
static temper_status rescale_row(const struct score_block *block, size_t i)
{
    const struct score_job *job = block->job;
    size_t vectors = job->model->vectors;
    double *score = block->score + i, *dense = job->x->kind == MATRIX_CSR ? NULL : block->rows;
    struct row entries = matrix_row(job->x, block->from + i);
    long double largest = 0;
    if (!row_overflows(block, i))
        return TEMPER_OK;
    if (dense)
        matrix_row_f64(job->x, block->from + i, dense);
    if (!row_is_finite(&entries, dense))
        return TEMPER_BAD_DATA;
    for (size_t k = 0; k < vectors; k++)
        largest = fmaxl(largest, fabsl(wide_score(job, &entries, dense, k)));
    for (size_t k = 0; k < vectors; k++)
        score[k * job->stride] = (double)(wide_score(job, &entries, dense, k) / fmaxl(1, largest / LARGEST_SCORE));
    return TEMPER_OK;
}

/* ---- A block --------------------------------------------------------------------------------- */

/* Callback of parallel_blocks. The workspace is free again when the scores have been taken. */
static temper_status run_block(void *context, size_t number, size_t worker)
{
    const struct score_job *job = context;
    size_t from = number * job->block_rows, left = (size_t)job->x->rows - from;
    size_t count = left < job->block_rows ? left : job->block_rows;
    double *space = job->space + worker * (job->rows_space + job->linear_space + job->class_space);
    const struct score_block block = {
        job, from, count, space, space + job->rows_space, space + job->rows_space + job->linear_space};
    const struct score_rows rows = {from, count, job->stride, block.score};
    bool fine = false;
    page_window_rows(job->x, from, count);
    if (job->few_rows)
        fine = short_row_scores(&block);
    else if (job->x->kind == MATRIX_CSR)
        sparse_scores(&block);
    else
        dense_scores(&block);
    /* The padding behind the rows of each class. */
    for (size_t k = 0; k < job->model->vectors; k++)
        memset(block.score + k * job->stride + count, 0, (job->stride - count) * sizeof *block.score);
    if (!fine && any_overflows(block.score, job->stride * job->model->vectors))
        for (size_t i = 0; i < count; i++)
            TRY(rescale_row(&block, i));
    job->take(job->context, &rows, worker);
    return TEMPER_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* The number of rows of a block, by the cache and the number of rows, and the workspace of a worker in doubles. */
static void measure(struct score_job *job)
{
    size_t columns = (size_t)job->x->columns, vectors = job->model->vectors;
    bool sparse = job->x->kind == MATRIX_CSR;
    size_t rows = sparse ? SPARSE_ROWS : linear_block_rows(columns, vectors, sizeof(double));
    job->block_rows = job->x->rows < rows ? (size_t)job->x->rows + !job->x->rows : rows;
    job->stride = (job->block_rows + SOFTMAX_PAD - 1) / SOFTMAX_PAD * SOFTMAX_PAD;
    job->few_rows = takes_few_rows(job);
    /* One row is enough where rows are read in place: for scores that overflow. */
    bool in_place = reads_floats(job) || job->few_rows || (job->x->kind == MATRIX_F64 && !job->model->logs);
    job->rows_space = sparse ? 0 : (in_place ? 1 : job->stride) * columns;
    job->linear_space = sparse ? vectors : vectors == 1 ? 0 : linear_scratch(job->stride, columns, vectors);
    /* Whole cache lines, so that every array is aligned. */
    job->rows_space = (job->rows_space + SOFTMAX_PAD - 1) / SOFTMAX_PAD * SOFTMAX_PAD;
    job->linear_space = (job->linear_space + SOFTMAX_PAD - 1) / SOFTMAX_PAD * SOFTMAX_PAD;
    job->class_space = job->stride * vectors;
}

const struct kernel *scores_kernel(const struct kernel *best, temper_error *error)
{
    const char *wanted;
    const struct kernel *kernel = best ? kernel_choose_known(best, &wanted) : kernel_choose(&wanted);
    if (!kernel)
        error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    return kernel;
}

/* The first failing block has the first value that is not finite; the callers have the better message. */
temper_status scores_each(const struct matrix *x, const struct linear_model *model, size_t threads, score_rows_fn *take,
                          void *context, temper_error *error)
{
    struct score_job job = {.x = x, .model = model, .take = take, .context = context};
    job.kernel = scores_kernel(model->best, error);
    if (!job.kernel)
        return TEMPER_USAGE;
    measure(&job);
    size_t blocks = ((size_t)x->rows + job.block_rows - 1) / job.block_rows;
    /* At least one thread, and no more than blocks. */
    threads = threads < 1 ? 1 : threads > blocks && blocks ? blocks : threads;
    job.space = mem_aligned(threads, (job.rows_space + job.linear_space + job.class_space) * sizeof *job.space);
    if (!job.space)
        return error_no_memory(error);
    temper_status status = parallel_blocks(blocks, threads, run_block, &job);
    mem_free(job.space);
    if (status == TEMPER_BAD_DATA)
        return error_set(error, TEMPER_BAD_DATA, "a value of the rows is not finite; replace it, or drop the row");
    return status == TEMPER_OK ? TEMPER_OK : error_no_memory(error);
}

/* Where the scores of all rows go. */
struct score_copy {
    double *out;
    size_t vectors;
};

/* One row after the other, so that the writes are contiguous. */
static void copy_scores(void *context, const struct score_rows *rows, size_t worker)
{
    const struct score_copy *copy = context;
    double *out = copy->out + rows->from * copy->vectors;
    (void)worker;
    for (size_t i = 0; i < rows->count; i++)
        for (size_t k = 0; k < copy->vectors; k++)
            out[i * copy->vectors + k] = rows->score[k * rows->stride + i];
}

/* out[row * vectors + k]: the scores of all rows, intercepts included. The scaling is already part of the model's
 * weights, except for the logarithm. */
temper_status activations(const struct matrix *x, const struct linear_model *model, size_t threads, double *out,
                          temper_error *error)
{
    struct score_copy copy = {out, model->vectors};
    threads = threads_worth(threads, (double)x->nonzeros * (double)model->vectors);
    return scores_each(x, model, threads, copy_scores, &copy, error);
}
