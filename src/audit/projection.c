/* places: blocks of rows times directions, by the kernel that training uses for many classes. */
#include "audit/projection.h"

#include "base/memory.h"
#include "base/thread.h"
#include "data/memory/page_window.h"
#include "kernel/dispatch/kernel.h"

struct job {
    const struct matrix *x;
    const struct linear_f32 *kernel;
    size_t columns, count, most; /* most: rows of a block */
    float *directions;
    float *space; /* of each worker: a block, its places direction by direction, scratch */
    size_t rows, places, each;
    double *out;
};

static temper_status run_block(void *context, size_t number, size_t worker)
{
    const struct job *job = context;
    size_t from = number * job->most, left = (size_t)job->x->rows - from;
    size_t rows = left < job->most ? left : job->most;
    float *block = job->space + worker * job->each, *places = block + job->rows;
    struct many_f32 many = {.block = {block, rows, job->columns},
                            .classes = job->count,
                            .stride = job->most,
                            .scratch = places + job->places};
    page_window_rows(job->x, from, rows);
    job->kernel->from_u8((const uint8_t *)job->x->dense + from * job->columns, rows, job->columns,
                         (struct rows_scale){0}, block);
    job->kernel->many_times(&many, job->directions, places);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < job->count; k++)
            job->out[(from + i) * job->count + k] = (double)places[k * job->most + i];
    return TEMPER_OK;
}

static bool make_room(struct job *job, struct directions directions, size_t threads)
{
    size_t cells = job->columns * job->count;
    job->most = linear_block_rows(job->columns, job->count, sizeof(float));
    job->rows = job->most * job->columns;
    job->places = job->most * job->count;
    job->each = job->rows + job->places + linear_scratch(job->most, job->columns, job->count);
    job->directions = mem_alloc(cells, sizeof *job->directions);
    job->space = mem_aligned(threads, job->each * sizeof *job->space);
    if (!job->directions || !job->space)
        return false;
    for (size_t i = 0; i < cells; i++) {
        double factor = directions.factor ? directions.factor[i / job->count] : 1;
        job->directions[i] = (float)(directions.w[i] * factor);
    }
    return true;
}

temper_status project_bytes(const struct matrix *x, struct directions directions, size_t threads, double *out,
                            temper_error *error)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    struct job job = {
        .x = x, .kernel = kernel->linear_f32, .columns = (size_t)x->columns, .count = directions.count, .out = out};
    temper_status status = TEMPER_NO_MEMORY;
    if (make_room(&job, directions, threads))
        status = parallel_blocks(((size_t)x->rows + job.most - 1) / job.most, threads, run_block, &job);
    mem_free(job.directions);
    mem_free(job.space);
    return status == TEMPER_OK ? TEMPER_OK : error_no_memory(error);
}
