/* multi_sparse: batched passes over CSR rows, and gradients column by column from a transposed copy. */
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "objective/batch/multi_objective_internal.h"

/* Scores of a block. The sparse kernel writes [row * count + request], the losses read [request * stride + row]: the
 * transposition is cheap compared with the gathers. */
static void multiply(const struct multi_work *work, struct row_span span)
{
    const struct multi_objective *multi = work->multi;
    const size_t count = multi->batch.count, stride = multi->stride;
    const double *by_row = work->scratch->rows;
    double *activation = work->scratch->activation;
    multi->kernel->sparse->many_times(span_entries(multi->x, span), count, multi->weights, work->scratch->rows);
    /* Padding rows get score 0, so that no garbage reaches the loss kernels. */
    for (size_t i = 0; i < stride; i++)
        for (size_t c = 0; c < count; c++)
            activation[c * stride + i] = i < span.count ? by_row[i * count + c] : 0;
}

/* Residuals back to [row * count + request], for the kernels: added to the gradient of the part, or stored for the
 * product with the transposed copy. */
static void collect(const struct multi_work *work, struct row_span span)
{
    const struct multi_objective *multi = work->multi;
    const size_t count = multi->batch.evaluated;
    const double *residual = work->scratch->residual;
    /* The residuals of a block are stored at their final place if a transposed copy will read them. */
    double *by_row = multi->residual ? multi->residual + span.from * count : work->scratch->rows;
    for (size_t i = 0; i < span.count; i++)
        for (size_t c = 0; c < count; c++)
            by_row[i * count + c] = residual[c * multi->stride + i];
    if (!multi->residual && count)
        multi->kernel->sparse->many_back(span_entries(multi->x, span), count, by_row, work->sums->gradient);
}

/* One part: its blocks in order, so that the sums have a fixed order. */
void multi_part_sparse(const struct multi_work *work, size_t part)
{
    for (size_t i = 0; i < work->multi->layout.part_blocks; i++) {
        struct row_span span = block_rows_of(&work->multi->layout, part, i);
        /* Only the last part has empty blocks, at its end. */
        if (!span.count)
            break;
        page_window_rows(work->multi->x, span.from, span.count);
        multiply(work, span);
        multi_columns_f64(work, span);
        collect(work, span);
    }
}

/* ---- Column by column ------------------------------------------------------------------------ */

/* Callback of pool_blocks: the gradients of one group of columns. Each column is the sum of its entries times the
 * residuals of all requests. */
static temper_status run_columns(void *context, size_t number, size_t worker)
{
    const struct multi_objective *multi = context;
    /* A group of columns is in the form of CSR rows, the entries of which index residuals. */
    const struct csc_group columns = csc_group(&multi->csc, number);
    csc_expect(&multi->csc, &columns);
    const size_t count = multi->batch.evaluated;
    (void)worker;
    multi->kernel->sparse->many_times(columns.entries, count,
                                      multi->all_residuals ? multi->all_residuals : multi->residual,
                                      multi->total.gradient + columns.from * count);
    return TEMPER_OK;
}

/* MPI: gathers the residuals of all rows in every process; `bytes` is scratch for the counts of each rank. */
static temper_status gather_residuals(const struct multi_objective *multi, size_t *bytes, temper_error *error)
{
    const struct dataset *data = multi->spec.data;
    size_t ranks = comm_size(data->ranks.comm);
    uint64_t rows = dataset_all_rows(data);
    /* Ranks hold whole sums of parts: their row counts follow from the partition. */
    for (size_t r = 0; r < ranks; r++)
        bytes[r] = (size_t)(row_partition_first_row(&multi->parts, rows, r + 1, ranks) -
                            row_partition_first_row(&multi->parts, rows, r, ranks)) *
                   multi->batch.evaluated * sizeof(double);
    return comm_gather(data->ranks.comm, multi->residual, bytes, multi->all_residuals, error);
}

/* MPI: gathers the columns that each process has computed, so that all have the whole gradient. The own columns are
 * copied first: sending and receiving buffers must not overlap. */
static temper_status gather_columns(const struct multi_objective *multi, size_t *bytes, temper_error *error)
{
    const struct csc_matrix *csc = &multi->csc;
    size_t count = multi->batch.evaluated, own = csc->columns * count;
    double *mine = mem_alloc(own, sizeof *mine);
    if (!mine)
        return error_no_memory(error);
    /* Columns of each rank, by the bounds of the distributed copy. */
    for (size_t r = 0; r < comm_size(multi->spec.data->ranks.comm); r++)
        bytes[r] = (csc->bounds[r + 1] - csc->bounds[r]) * count * sizeof *mine;
    if (own)
        memcpy(mine, multi->total.gradient + csc->first * count, own * sizeof *mine);
    temper_status status = comm_gather(multi->spec.data->ranks.comm, mine, bytes, multi->total.gradient, error);
    mem_free(mine);
    return status;
}

/* The gradients from the transposed copy. Within each column the sum is in the order of the rows, whichever thread or
 * process computes it, so the bits do not depend on their number. */
temper_status multi_csc_gradient(struct multi_objective *multi, size_t threads, temper_error *error)
{
    size_t *bytes = mem_alloc(comm_size(multi->spec.data->ranks.comm), sizeof *bytes);
    if (!bytes)
        return error_no_memory(error);
    temper_status status = multi->all_residuals ? gather_residuals(multi, bytes, error) : TEMPER_OK;
    /* CSC_GROUPS is fixed: the groups do not depend on the number of threads. */
    if (status == TEMPER_OK && pool_blocks(multi->pool, CSC_GROUPS, threads, run_columns, multi) != TEMPER_OK)
        status = error_no_memory(error);
    if (status == TEMPER_OK && multi->all_residuals)
        status = gather_columns(multi, bytes, error);
    mem_free(bytes);
    return status;
}

/* Allocates residuals for up to MULTI_WIDTH requests and makes the transposed copy: in memory, on disk under a memory
 * limit, or distributed over the processes by columns. */
temper_status multi_transpose(struct multi_objective *multi, temper_error *error)
{
    const struct dataset *data = multi->spec.data;
    bool shared = !comm_alone(data->ranks.comm);
    /* Residuals of all rows, in the order of the ranks. */
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
