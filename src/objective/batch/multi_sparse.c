/* group_sparse: a part of sparse rows for many models, and their gradients column by column. */
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "objective/batch/multi_objective_internal.h"

/* Activations come row by row, and go column by column. */
static void multiply(const struct multi_work *work, struct span span)
{
    const struct group *group = work->group;
    const size_t count = group->chunk.count, stride = group->stride;
    const double *by_row = work->scratch->rows;
    double *activation = work->scratch->activation;
    group->kernel->sparse->many_times(span_entries(group->x, span), count, group->weights, work->scratch->rows);
    for (size_t i = 0; i < stride; i++)
        for (size_t c = 0; c < count; c++)
            activation[c * stride + i] = i < span.count ? by_row[i * count + c] : 0;
}

/* Residuals go the other way: into the gradient, or they wait for the turned matrix. */
static void collect(const struct multi_work *work, struct span span)
{
    const struct group *group = work->group;
    const size_t count = group->chunk.evaluated;
    const double *residual = work->scratch->residual;
    double *by_row = group->residual ? group->residual + span.from * count : work->scratch->rows;
    for (size_t i = 0; i < span.count; i++)
        for (size_t c = 0; c < count; c++)
            by_row[i * count + c] = residual[c * group->stride + i];
    if (!group->residual && count)
        group->kernel->sparse->many_back(span_entries(group->x, span), count, by_row, work->sums->gradient);
}

void multi_part_sparse(const struct multi_work *work, size_t part)
{
    for (size_t i = 0; i < work->group->cut.part_blocks; i++) {
        struct span span = cut_span(&work->group->cut, part, i);
        if (!span.count)
            break;
        page_window_rows(work->group->x, span.from, span.count);
        multiply(work, span);
        multi_columns_f64(work, span);
        collect(work, span);
    }
}

/* ---- Column by column ------------------------------------------------------------------------ */

static temper_status run_columns(void *context, size_t number, size_t worker)
{
    const struct group *group = context;
    const struct csc_group columns = csc_group(&group->turned, number);
    csc_expect(&group->turned, &columns);
    const size_t count = group->chunk.evaluated;
    (void)worker;
    group->kernel->sparse->many_times(columns.entries, count,
                                      group->all_residuals ? group->all_residuals : group->residual,
                                      group->total.gradient + columns.from * count);
    return TEMPER_OK;
}

/* Several processes: residuals of all rows, some columns, and all columns back. */
static temper_status gather_residuals(const struct group *group, size_t *bytes, temper_error *error)
{
    const struct dataset *data = group->spec.data;
    size_t ranks = comm_size(data->ranks.comm);
    uint64_t rows = dataset_all_rows(data);
    for (size_t r = 0; r < ranks; r++)
        bytes[r] = (size_t)(row_partition_first_row(&group->parts, rows, r + 1, ranks) -
                            row_partition_first_row(&group->parts, rows, r, ranks)) *
                   group->chunk.evaluated * sizeof(double);
    return comm_gather(data->ranks.comm, group->residual, bytes, group->all_residuals, error);
}

static temper_status gather_columns(const struct group *group, size_t *bytes, temper_error *error)
{
    const struct csc_matrix *turned = &group->turned;
    size_t count = group->chunk.evaluated, own = turned->columns * count;
    double *mine = mem_alloc(own, sizeof *mine);
    if (!mine)
        return error_no_memory(error);
    for (size_t r = 0; r < comm_size(group->spec.data->ranks.comm); r++)
        bytes[r] = (turned->bounds[r + 1] - turned->bounds[r]) * count * sizeof *mine;
    if (own)
        memcpy(mine, group->total.gradient + turned->first * count, own * sizeof *mine);
    temper_status status = comm_gather(group->spec.data->ranks.comm, mine, bytes, group->total.gradient, error);
    mem_free(mine);
    return status;
}

temper_status multi_csc_gradient(struct group *group, size_t threads, temper_error *error)
{
    size_t *bytes = mem_alloc(comm_size(group->spec.data->ranks.comm), sizeof *bytes);
    if (!bytes)
        return error_no_memory(error);
    temper_status status = group->all_residuals ? gather_residuals(group, bytes, error) : TEMPER_OK;
    if (status == TEMPER_OK && parallel_blocks(TURNED_GROUPS, threads, run_columns, group) != TEMPER_OK)
        status = error_no_memory(error);
    if (status == TEMPER_OK && group->all_residuals)
        status = gather_columns(group, bytes, error);
    mem_free(bytes);
    return status;
}

temper_status multi_transpose(struct group *group, temper_error *error)
{
    const struct dataset *data = group->spec.data;
    bool shared = !comm_alone(data->ranks.comm);
    size_t all = (size_t)dataset_all_rows(data);
    group->residual = mem_alloc(group->rows, GROUP_WIDTH * sizeof(double));
    if (shared)
        group->all_residuals = mem_alloc(all, GROUP_WIDTH * sizeof(double));
    if (!group->residual || (shared && !group->all_residuals))
        return error_no_memory(error);
    if (shared)
        return csc_distribute(data, &group->turned, error);
    if (csc_make(group->x, data->storage.memory_limit, &group->turned))
        return TEMPER_OK;
    return group->turned.spill ? disk_array_failure(group->turned.spill, error) : error_no_memory(error);
}
