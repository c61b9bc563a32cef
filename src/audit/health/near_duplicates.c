/* near_duplicates: the nearest of each row's neighbours, by the distance in all scaled features. Neighbours are found
 * in a space of few dimensions, in which different rows may coincide. */
#include <math.h>

#include "audit/audit_steps.h"
#include "base/memory.h"
#include "base/thread.h"

enum { CANDIDATES = 5, BLOCK_ROWS = 256 }; /* neighbours that are compared by all features; rows of a task */

/* Threads share all fields but their parts of the results. */
struct twin_job {
    const struct audit_input *in;
    const struct matrix *x;
    const double *factor; /* of each column; NULL: 1 */
    struct audit_neighbours *near;
    double *space; /* of each worker: two dense rows, */
    size_t each;   /* so many numbers */
};

/* The factor of a column. */
static double factor_of(const struct twin_job *job, size_t column)
{
    return job->factor ? job->factor[column] : 1;
}

/* A dense row in doubles: that of the matrix itself where it has doubles, else a copy in `space`. */
static const double *dense_row(const struct twin_job *job, uint64_t row, double *space)
{
    if (job->x->kind == MATRIX_F64)
        return (const double *)job->x->dense + row * job->x->columns;
    matrix_row_f64(job->x, row, space);
    return space;
}

/* The squared distance of two dense rows; any number above `most` if it is larger than that. Sums of SUMS columns are
 * independent, so that the processor adds several at a time. */
static double dense_square(const struct twin_job *job, const double *one, const double *other, double most)
{
    enum { SUMS = 4, COLUMNS_AT_ONCE = 16 };
    size_t columns = (size_t)job->x->columns;
    double sum[SUMS] = {0}, all = 0;
    for (size_t from = 0; from < columns && !(all > most); from += COLUMNS_AT_ONCE) {
        size_t to = from + COLUMNS_AT_ONCE < columns ? from + COLUMNS_AT_ONCE : columns, j = from;
        for (; j + SUMS <= to; j += SUMS)
            for (size_t k = 0; k < SUMS; k++) {
                double off = (one[j + k] - other[j + k]) * factor_of(job, j + k);
                sum[k] += off * off;
            }
        for (; j < to; j++) {
            double off = (one[j] - other[j]) * factor_of(job, j);
            sum[0] += off * off;
        }
        all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
    return all;
}

/* The same of two sparse rows, whose columns ascend. */
static double sparse_square(const struct twin_job *job, uint64_t one, uint64_t other)
{
    struct row a = matrix_row(job->x, one), b = matrix_row(job->x, other);
    double sum = 0;
    for (size_t i = 0, k = 0; i < a.count || k < b.count;) {
        uint32_t first = i < a.count ? row_column(&a, i) : UINT32_MAX;
        uint32_t second = k < b.count ? row_column(&b, k) : UINT32_MAX;
        uint32_t column = first < second ? first : second;
        double off = 0;
        if (first == column && i < a.count)
            off += row_value(&a, i++);
        if (second == column && k < b.count)
            off -= row_value(&b, k++);
        off *= factor_of(job, column);
        sum += off * off;
    }
    return sum;
}

/* Compares each row of a block with its first neighbours. */
static temper_status run_block(void *context, size_t number, size_t worker)
{
    const struct twin_job *job = context;
    struct audit_neighbours *near = job->near;
    size_t count = near->count < CANDIDATES ? near->count : (size_t)CANDIDATES;
    size_t from = number * BLOCK_ROWS, to = from + BLOCK_ROWS < job->in->rows ? from + BLOCK_ROWS : job->in->rows;
    double *space = job->space + worker * job->each;
    bool dense = job->x->kind != MATRIX_CSR;
    for (size_t row = from; row < to; row++) {
        const double *x = dense ? dense_row(job, row, space) : NULL;
        double least = INFINITY;
        for (size_t i = 0; i < count; i++) {
            uint32_t other = near->neighbour[row * near->count + i];
            double square = dense ? dense_square(job, x, dense_row(job, other, space + job->x->columns), least)
                                  : sparse_square(job, row, other);
            if (square < least) {
                near->twin[row] = other;
                least = square;
            }
        }
        near->twin_distance[row] = sqrt(least);
    }
    return TEMPER_OK;
}

/* Allocates, and compares all rows. */
static temper_status find_twins(const struct audit_input *in, const struct scaled_features *features,
                                struct audit_neighbours *near)
{
    const struct scale *scale = scaled_features_scale(features);
    struct twin_job job = {.in = in, .x = &features->data->x, .near = near};
    /* Bytes are pixels, which share one unit (embedding.c). */
    bool pixels = job.x->kind == MATRIX_U8;
    job.factor = scale && !pixels ? scale->factor : NULL;
    job.each = job.x->kind == MATRIX_CSR ? 0 : 2 * (size_t)job.x->columns;
    job.space = mem_alloc(in->threads, job.each * sizeof *job.space);
    near->twin = mem_zeroed(in->rows, sizeof *near->twin);
    near->twin_distance = mem_alloc(in->rows, sizeof *near->twin_distance);
    temper_status status = TEMPER_NO_MEMORY;
    if (job.space && near->twin && near->twin_distance)
        status = parallel_blocks((in->rows + BLOCK_ROWS - 1) / BLOCK_ROWS, in->threads, run_block, &job);
    mem_free(job.space);
    return status == TEMPER_OK ? TEMPER_OK : error_no_memory(in->error);
}

/* Several processes do not have the features of all rows, so that only equal rows are found there. */
temper_status audit_find_twins(const struct audit_input *in, const struct audit_fits *fits,
                               struct audit_neighbours *near)
{
    struct scaled_features own;
    if (!in->options->health || !in->features || near->count == 0 || !comm_alone(in->given->ranks.comm))
        return TEMPER_OK;
    if (fits->features.given == in->features)
        return find_twins(in, &fits->features, near);
    TRY(scaled_features_new(in->features, in->train.scale, in->threads, &own, in->error));
    temper_status status = find_twins(in, &own, near);
    scaled_features_free(&own);
    return status;
}
