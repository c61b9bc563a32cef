/* scatter_rows: keeps the rows of one process: moved in place in owned memory, by adjusting pointers in a mapped file.
 */
#include "data/dist/scatter_rows.h"

#include <string.h>

#include "base/memory.h"
#include "data/dist/row_partition.h"
#include "data/matrix.h"

/* ---- Arrays with one entry a row ------------------------------------------------------------- */

/* Whether an array is part of the mapped file, which is read-only and must not be moved or freed. */
static bool is_mapped(const struct dataset *data, const void *array)
{
    uintptr_t at = (uintptr_t)array, first = (uintptr_t)data->storage.mapping;
    return data->storage.mapping && at >= first && at - first < data->storage.mapping_length;
}

/* Keeps entries [from, from + count) of an array: by a pointer into a mapped file, else moved to its start. Memory
 * that cannot be returned is no failure: the array stays as large as it was. */
static void *keep_entries(const struct dataset *data, void *array, size_t from, size_t count, size_t size)
{
    if (!array)
        return NULL;
    if (is_mapped(data, array))
        return (char *)array + from * size;
    /* In memory that this process owns. */
    memmove(array, (char *)array + from * size, count * size);
    if (disk_array_has(data->storage.disk, array)) /* temporary files are not shrunk */
        return array;
    void *smaller = mem_resize(array, count, size);
    return smaller ? smaller : array;
}

/* ---- The matrix ------------------------------------------------------------------------------ */

/* Narrows a mapped matrix to some rows: entries stay in the file, only row_start is copied, relative to its first
 * entry. */
static temper_status keep_mapped(struct matrix *x, size_t from, size_t count, temper_error *error)
{
    if (x->kind != MATRIX_CSR) {
        if (count) /* matrix_row needs an existing row */
            x->dense = matrix_row(x, from).dense;
        x->nonzeros = count * x->columns;
        return TEMPER_OK;
    }
    uint64_t first = count ? x->row_start[from] : 0, *start = mem_alloc(count + 1, sizeof *start);
    if (!start)
        return error_no_memory(error);
    start[0] = 0;
    for (size_t i = 1; i <= count; i++)
        /* Relative to the first entry that is kept. */
        start[i] = x->row_start[from + i] - first;
    x->owned[0] = start;
    x->row_start = start;
    x->column += first;
    x->value += first;
    x->nonzeros = start[count];
    return TEMPER_OK;
}

/* Keeps rows [from, from + count) of the matrix: compacted in owned memory, narrowed in a mapping. */
static temper_status keep_matrix(struct dataset *data, size_t from, size_t count, temper_error *error)
{
    struct matrix *x = &data->x;
    if (!matrix_is_ours(x)) {
        temper_status status = keep_mapped(x, from, count, error);
        /* The matrix has its new number of rows even after a failure, in which case the dataset is freed. */
        x->rows = count;
        return status;
    }
    size_t *row = mem_alloc(count, sizeof *row);
    if (!row)
        return error_no_memory(error);
    /* matrix_keep takes a list of rows. */
    for (size_t i = 0; i < count; i++)
        row[i] = from + i;
    matrix_keep(x, row, count);
    mem_free(row);
    return TEMPER_OK;
}

/* The rows of this rank, by the partition of the whole dataset, which every process still holds at this point. */
struct row_range scatter_range(const struct dataset *data, const temper_comm *comm)
{
    /* A shallow copy, to which the totals are added that the partition depends on. */
    struct dataset shape = *data;
    shape.ranks.comm = comm;
    shape.ranks.all_rows = data->x.rows;
    shape.ranks.all_nonzeros = data->x.nonzeros;
    const struct row_partition parts = row_partition_of(&shape);
    size_t rank = comm_rank(comm), size = comm_size(comm);
    return (struct row_range){row_partition_first_row(&parts, data->x.rows, rank, size),
                              row_partition_first_row(&parts, data->x.rows, rank + 1, size)};
}

/* Reduces the whole dataset, which every process has read, to the rows of its rank, and records the totals. */
temper_status scatter_keep_own(struct dataset *data, const temper_comm *comm, temper_error *error)
{
    const struct row_range range = scatter_range(data, comm);
    size_t first = (size_t)range.from, count = (size_t)(range.to - range.from);
    /* Totals first: the arrays below still have all rows. */
    data->ranks.comm = comm;
    data->ranks.all_rows = data->x.rows;
    data->ranks.all_nonzeros = data->x.nonzeros;
    data->ranks.first_row = range.from;
    data->label = keep_entries(data, data->label, first, count, sizeof *data->label);
    data->weight = keep_entries(data, data->weight, first, count, sizeof *data->weight);
    data->line = keep_entries(data, data->line, first, count, sizeof *data->line);
    data->origin = keep_entries(data, data->origin, first, count, sizeof *data->origin);
    return keep_matrix(data, first, count, error);
}

/* All-gathers the notes of all ranks into one text, which the caller frees. Notes have a fixed size, so one message
 * for each rank is enough; they are then moved together in place. */
temper_status scatter_notes(const struct dataset *data, const temper_comm *comm, char **out, temper_error *error)
{
    size_t size = sizeof data->notes, length = 0;
    char *all = mem_alloc(comm_size(comm), size);
    temper_status status = comm_agree(comm, all ? TEMPER_OK : error_no_memory(error), error);
    if (status == TEMPER_OK)
        status = comm_gather_each(comm, data->notes, size, all, error);
    /* The text before a rank's notes is never longer than the slots before it, so memmove only moves down. */
    for (size_t r = 0; status == TEMPER_OK && r < comm_size(comm); r++) {
        size_t own = strlen(all + r * size);
        memmove(all + length, all + r * size, own + 1);
        length += own;
    }
    if (status == TEMPER_OK)
        *out = all;
    else
        mem_free(all);
    return status;
}

/* The error of operations that need all rows in one process, with its remedy. */
temper_status scatter_unsupported(const struct dataset *data, const char *what, temper_error *error)
{
    return error_set(error, TEMPER_USAGE,
                     "%s works with the rows of one process, and these are shared by %zu; read the "
                     "data without a comm",
                     what, comm_size(data->ranks.comm));
}
