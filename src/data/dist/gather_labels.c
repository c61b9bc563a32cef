/* roll: gathered once, where there are other processes. */
#include "data/dist/gather_labels.h"

#include "base/memory.h"

temper_status gather_labels(const struct gathered_labels *roll, const void *mine, size_t size, void *all,
                            temper_error *error)
{
    size_t *bytes = mem_alloc(comm_size(roll->comm), sizeof *bytes);
    if (!bytes)
        return error_no_memory(error);
    bytes[0] = roll->own * size;
    for (size_t r = 0; roll->rows_of && r < comm_size(roll->comm); r++)
        bytes[r] = (size_t)roll->rows_of[r] * size;
    temper_status status = comm_gather(roll->comm, mine, bytes, all, error);
    mem_free(bytes);
    return status;
}

static temper_status gather(const struct dataset *data, struct gathered_labels *roll, temper_error *error)
{
    uint64_t own = data->x.rows;
    roll->rows_of = mem_alloc(comm_size(roll->comm), sizeof *roll->rows_of);
    roll->gathered = mem_alloc(roll->rows, sizeof *roll->gathered);
    if (data->weight)
        roll->gathered_weight = mem_alloc(roll->rows, sizeof *roll->gathered_weight);
    if (!roll->rows_of || !roll->gathered || (data->weight && !roll->gathered_weight))
        return error_no_memory(error);
    temper_status status = comm_gather_each(roll->comm, &own, sizeof own, roll->rows_of, error);
    if (status == TEMPER_OK)
        status = gather_labels(roll, data->label, sizeof *data->label, roll->gathered, error);
    if (status == TEMPER_OK && data->weight)
        status = gather_labels(roll, data->weight, sizeof *data->weight, roll->gathered_weight, error);
    roll->label = roll->gathered;
    roll->weight = roll->gathered_weight;
    return status;
}

temper_status gathered_labels_needed(const struct dataset *data, struct gathered_labels *out, temper_error *error)
{
    struct gathered_labels roll = {.comm = data->ranks.comm,
                                   .rows = (size_t)dataset_all_rows(data),
                                   .first = (size_t)data->ranks.first_row,
                                   .own = (size_t)data->x.rows,
                                   .label = data->label,
                                   .weight = data->weight};
    temper_status status = comm_alone(data->ranks.comm) ? TEMPER_OK : gather(data, &roll, error);
    if (status == TEMPER_OK)
        *out = roll;
    else
        gathered_labels_free(&roll);
    return status;
}

void gathered_labels_free(struct gathered_labels *roll)
{
    mem_free(roll->rows_of);
    mem_free(roll->gathered);
    mem_free(roll->gathered_weight);
    *roll = (struct gathered_labels){0};
}

struct dataset gathered_labels_dataset(const struct gathered_labels *roll, const struct dataset *data)
{
    struct dataset all = {.classes = data->classes, .file.path = data->file.path};
    all.x.rows = roll->rows;
    all.x.columns = data->x.columns;
    all.x.kind = data->x.kind;
    all.label = (uint32_t *)roll->label; /* nobody writes to what is passed on as const */
    all.weight = (double *)roll->weight;
    return all;
}
