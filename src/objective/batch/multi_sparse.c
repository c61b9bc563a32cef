/* multi_sparse: batched passes over CSR rows, and gradients column by column from a transposed copy. */
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "objective/batch/multi_objective_internal.h"

/* Scores of a block: the sparse kernel gives [row * count + request], the losses take [request * stride + row]. */
static void multiply(const struct multi_work *work, struct row_span span)
{
    const struct multi_objective *multi = work->multi;
    const size_t count = multi->batch.count, stride = multi->stride;
    const double *by_row = work->scratch->rows;
    double *activation = work->scratch->activation;
    multi->kernel->sparse->many_times(span_entries(multi->x, span), count, multi->weights, work->scratch->rows);
    for (size_t i = 0; i < stride; i++)
        for (size_t c = 0; c < count; c++)
            activation[c * stride + i] = i < span.count ? by_row[i * count + c] : 0;
}

/* Residuals back to [row * count + request]: added to the gradient, or stored for the transposed copy. */
static void collect(const struct multi_work *work, struct row_span span)
{
    const struct multi_objective *multi = work->multi;
    const size_t count = multi->batch.evaluated;
    const double *residual = work->scratch->residual;
    double *by_row = multi->residual ? multi->residual + span.from * count : work->scratch->rows;
    for (size_t i = 0; i < span.count; i++)
        for (size_t c = 0; c < count; c++)
            by_row[i * count + c] = residual[c * multi->stride + i];
    if (!multi->residual && count)
        multi->kernel->sparse->many_back(span_entries(multi->x, span), count, by_row, work->sums->gradient);
}

/* All blocks of a part, in order. */
void multi_part_sparse(const struct multi_work *work, size_t part)
{
    for (size_t i = 0; i < work->multi->layout.part_blocks; i++) {
        struct row_span span = block_rows_of(&work->multi->layout, part, i);
        if (!span.count)
            break;
        page_window_rows(work->multi->x, span.from, span.count);
        multiply(work, span);
        multi_columns_f64(work, span);
        collect(work, span);
    }
}

/* ---- Column by column ------------------------------------------------------------------------ */

/* The gradients of one group of columns. */
static temper_status run_columns(void *context, size_t number, size_t worker)
{
    const struct multi_objective *multi = context;
    const struct csc_group columns = csc_group(&multi->csc, number);
    csc_expect(&multi->csc, &columns);
    const size_t count = multi->batch.evaluated;
    (void)worker;
    multi->kernel->sparse->many_times(columns.entries, count,
                                      multi->all_residuals ? multi->all_residuals : multi->residual,
                                      multi->total.gradient + columns.from * count);
    return TEMPER_OK;
}

/* MPI: all-gather the residuals, compute some columns, all-gather the columns. */
static temper_status gather_residuals(const struct multi_objective *multi, size_t *bytes, temper_error *error)
{
    const struct dataset *data = multi->spec.data;
    size_t ranks = comm_size(data->ranks.comm);
    uint64_t rows = dataset_all_rows(data);
    for (size_t r = 0; r < ranks; r++)
        bytes[r] = (size_t)(row_partition_first_row(&multi->parts, rows, r + 1, ranks) -
                            row_partition_first_row(&multi->parts, rows, r, ranks)) *
                   multi->batch.evaluated * sizeof(double);
    return comm_gather(data->ranks.comm, multi->residual, bytes, multi->all_residuals, error);
}

/* Every process gets the columns of all. */
static temper_status gather_columns(const struct multi_objective *multi, size_t *bytes, temper_error *error)
{
    const struct csc_matrix *csc = &multi->csc;
    size_t count = multi->batch.evaluated, own = csc->columns * count;
    double *mine = mem_alloc(own, sizeof *mine);
    if (!mine)
        return error_no_memory(error);
    for (size_t r = 0; r < comm_size(multi->spec.data->ranks.comm); r++)
        bytes[r] = (csc->bounds[r + 1] - csc->bounds[r]) * count * sizeof *mine;
    if (own)
        memcpy(mine, multi->total.gradient + csc->first * count, own * sizeof *mine);
    temper_status status = comm_gather(multi->spec.data->ranks.comm, mine, bytes, multi->total.gradient, error);
    mem_free(mine);
    return status;
}

/* The sums are in the order of the rows within each column, whichever thread computes it. */
temper_status multi_csc_gradient(struct multi_objective *multi, size_t threads, temper_error *error)
{
    size_t *bytes = mem_alloc(comm_size(multi->spec.data->ranks.comm), sizeof *bytes);
    if (!bytes)
        return error_no_memory(error);
    temper_status status = multi->all_residuals ? gather_residuals(multi, bytes, error) : TEMPER_OK;
    if (status == TEMPER_OK && parallel_blocks(CSC_GROUPS, threads, run_columns, multi) != TEMPER_OK)
        status = error_no_memory(error);
    if (status == TEMPER_OK && multi->all_residuals)
        status = gather_columns(multi, bytes, error);
    mem_free(bytes);
    return status;
}

/* Residuals of up to MULTI_WIDTH requests, and the copy in memory, on disk or distributed. */
temper_status multi_transpose(struct multi_objective *multi, temper_error *error)
{
    const struct dataset *data = multi->spec.data;
    bool shared = !comm_alone(data->ranks.comm);
    size_t all = (size_t)dataset_all_rows(data);
    multi->residual = mem_alloc(multi->rows, MULTI_WIDTH * sizeof(double));
    if (shared)
        multi->all_residuals = mem_alloc(all, MULTI_WIDTH * sizeof(double));
    if (!multi->residual || (shared && !multi->all_residuals))
        return error_no_memory(error);
    if (shared)
        return csc_distribute(data, &multi->csc, error);
    if (csc_make(multi->x, data->storage.memory_limit, &multi->csc))
        return TEMPER_OK;
    return multi->csc.disk ? disk_array_failure(multi->csc.disk, error) : error_no_memory(error);
}
