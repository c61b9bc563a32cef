/* gather_labels: an all-gather of labels and weights, once; one process alone borrows its own. */
#include "data/dist/gather_labels.h"

#include "base/memory.h"

/* All-gathers one array with `size` bytes a row; `all` has room for the rows of all ranks. Each rank knows how many
 * bytes the others send from their numbers of rows; with one process it is a copy. */
temper_status gather_labels(const struct gathered_labels *all_rows, const void *mine, size_t size, void *all,
                            temper_error *error)
{
    /* One process has no rows_of, but the same code serves it. */
    size_t *bytes = mem_alloc(comm_size(all_rows->comm), sizeof *bytes);
    temper_status status = comm_agree(all_rows->comm, bytes ? TEMPER_OK : error_no_memory(error), error);
    if (status == TEMPER_OK && bytes) { /* in all processes */
        bytes[0] = all_rows->own * size;
        for (size_t r = 0; all_rows->rows_of && r < comm_size(all_rows->comm); r++)
            bytes[r] = (size_t)all_rows->rows_of[r] * size;
        status = comm_gather(all_rows->comm, mine, bytes, all, error);
    }
    mem_free(bytes);
    return status;
}

/* Gathers labels and weights into arrays owned by all_rows. Row counts come first, since the byte counts of the others
 * follow from them. */
static temper_status gather_all(const struct dataset *data, struct gathered_labels *all_rows, temper_error *error)
{
    uint64_t own = data->x.rows;
    /* All arrays are allocated before the first message: afterwards the processes must not diverge. */
    all_rows->rows_of = mem_alloc(comm_size(all_rows->comm), sizeof *all_rows->rows_of);
    all_rows->gathered = mem_alloc(all_rows->rows, sizeof *all_rows->gathered);
    if (data->weight)
        all_rows->gathered_weight = mem_alloc(all_rows->rows, sizeof *all_rows->gathered_weight);
    bool enough = all_rows->rows_of && all_rows->gathered && (!data->weight || all_rows->gathered_weight);
    temper_status status = comm_agree(all_rows->comm, enough ? TEMPER_OK : error_no_memory(error), error);
    if (status != TEMPER_OK || !enough) /* a failure of this process is one of all */
        return status;
    status = comm_gather_each(all_rows->comm, &own, sizeof own, all_rows->rows_of, error);
    if (status == TEMPER_OK)
        status = gather_labels(all_rows, data->label, sizeof *data->label, all_rows->gathered, error);
    if (status == TEMPER_OK && data->weight)
        status = gather_labels(all_rows, data->weight, sizeof *data->weight, all_rows->gathered_weight, error);
    /* The borrowed pointers now show the gathered arrays; after a failure the caller frees all of it. */
    all_rows->label = all_rows->gathered;
    all_rows->weight = all_rows->gathered_weight;
    return status;
}

/* The labels and weights of all rows, in every process. A single process borrows those of its data: no copy. Labels and
 * weights are small beside the features; folds, stratification and ranks over all rows become the same code as for one
 * process. */
temper_status gathered_labels_needed(const struct dataset *data, struct gathered_labels *out, temper_error *error)
{
    struct gathered_labels all_rows = {.comm = data->ranks.comm,
                                       .rows = (size_t)dataset_all_rows(data),
                                       .first = (size_t)data->ranks.first_row,
                                       .own = (size_t)data->x.rows,
                                       .label = data->label,
                                       .weight = data->weight};
    temper_status status = comm_alone(data->ranks.comm) ? TEMPER_OK : gather_all(data, &all_rows, error);
    if (status == TEMPER_OK)
        *out = all_rows;
    else
        gathered_labels_free(&all_rows);
    return status;
}

/* Borrowed labels are left alone: only gathered arrays are freed. */
void gathered_labels_free(struct gathered_labels *all_rows)
{
    mem_free(all_rows->rows_of);
    mem_free(all_rows->gathered);
    mem_free(all_rows->gathered_weight);
    *all_rows = (struct gathered_labels){0};
}

/* A dataset of all rows without features, for code that needs labels only (stratified splits, class counts). It
 * borrows everything, and must not be freed. */
struct dataset gathered_labels_dataset(const struct gathered_labels *all_rows, const struct dataset *data)
{
    /* Class names and path are needed for messages. */
    struct dataset all = {.classes = data->classes, .file.path = data->file.path};
    all.x.rows = all_rows->rows;
    all.x.columns = data->x.columns;
    all.x.kind = data->x.kind;
    all.label = (uint32_t *)all_rows->label; /* the result is only read */
    all.weight = (double *)all_rows->weight;
    return all;
}
