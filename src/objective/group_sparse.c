/* group_sparse: a part of sparse rows for many models, and their gradients column by column. */
#include "base/thread.h"
#include "objective/group_inside.h"

static struct sparse_rows rows_of(const struct group *group, struct span span)
{
    const struct matrix *x = group->x;
    return (struct sparse_rows){x->row_start + span.from, x->column, x->value, span.count};
}

/* Activations come row by row, and go column by column. */
static void multiply(const struct group_work *work, struct span span)
{
    const struct group *group = work->group;
    const size_t count = group->chunk.count, stride = group->stride;
    const double *by_row = work->scratch->rows;
    double *activation = work->scratch->activation;
    group->kernel->sparse->many_times(rows_of(group, span), count, group->weights,
                                      work->scratch->rows);
    for (size_t i = 0; i < stride; i++)
        for (size_t c = 0; c < count; c++)
            activation[c * stride + i] = i < span.count ? by_row[i * count + c] : 0;
}

/* Residuals go the other way: into the gradient, or they wait for the turned matrix. */
static void collect(const struct group_work *work, struct span span)
{
    const struct group *group = work->group;
    const size_t count = group->chunk.evaluated;
    const double *residual = work->scratch->residual;
    double *by_row = group->residual ? group->residual + span.from * count : work->scratch->rows;
    for (size_t i = 0; i < span.count; i++)
        for (size_t c = 0; c < count; c++)
            by_row[i * count + c] = residual[c * group->stride + i];
    if (!group->residual && count)
        group->kernel->sparse->many_back(rows_of(group, span), count, by_row, work->sums->gradient);
}

void group_part_sparse(const struct group_work *work, size_t part)
{
    for (size_t i = 0; i < work->group->cut.part_blocks; i++) {
        struct span span = cut_span(&work->group->cut, part, i);
        if (!span.count)
            break;
        pages_rows(work->group->x, span.from, span.count);
        multiply(work, span);
        group_columns_f64(work, span);
        collect(work, span);
    }
}

static temper_status run_columns(void *context, size_t number, size_t worker)
{
    const struct group *group = context;
    const struct turned_group columns = turned_group(&group->turned, number);
    turned_expect(&group->turned, &columns);
    const size_t count = group->chunk.evaluated;
    (void)worker;
    group->kernel->sparse->many_times(columns.entries, count, group->residual,
                                      group->sums->gradient + columns.from * count);
    return TEMPER_OK;
}

temper_status group_turned_gradient(struct group *group, size_t threads)
{
    return parallel_blocks(TURNED_GROUPS, threads, run_columns, group);
}
