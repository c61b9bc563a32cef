/* redistribute_rows: MPI: an all-to-all exchange that moves each row from the process that has read it to the one that
 * holds its part.
 *
 * Both the rows that a process has read and those that it is to hold are ranges of the numbers of all rows, and all
 * processes know all boundaries. So the bytes for each pair of processes are the length of an intersection of two
 * ranges times the size of a row, and no sizes have to be sent; only the entries of sparse rows need the lengths of
 * their rows first. */
#include "base/memory.h"
#include "data/dist/distributed_read.h"

/* Number of rows that two ranges [a[0], a[1]) and [b[0], b[1]) have in common. */
static uint64_t overlap(const uint64_t *a, const uint64_t *b)
{
    uint64_t from = a[0] > b[0] ? a[0] : b[0], to = a[1] < b[1] ? a[1] : b[1];
    return from < to ? to - from : 0;
}

/* One exchange: out_bytes[r] bytes go to rank r, in order of rank, in_bytes[r] come from it. Returns the received
 * array, owned by the caller; NULL without memory or when communication failed, with the error set. */
static void *move(struct distributed_read *p, const void *array, size_t count, size_t size)
{
    /* A process that receives nothing takes part all the same, with an array of length 0. */
    void *moved = mem_alloc(count, size);
    temper_error *error = p->reader->error;
    if (comm_agree(p->comm, moved ? TEMPER_OK : error_no_memory(error), error) == TEMPER_OK &&
        comm_exchange(p->comm, array, p->out_bytes, moved, p->in_bytes, error) == TEMPER_OK)
        return moved;
    mem_free(moved);
    return NULL;
}

/* Moves an array with `size` bytes a row; NULL as above. Both sides compute the byte counts from the same boundaries
 * (has: rows read, gets: rows to hold), so that none have to be sent. */
static void *move_rows(struct distributed_read *p, const void *array, size_t size)
{
    size_t own = p->comm->rank;
    /* has[own] .. has[own + 1] are the rows that were read here, gets[] those that each rank is to hold. */
    for (size_t r = 0; r < p->comm->size; r++) {
        p->out_bytes[r] = (size_t)overlap(p->has + own, p->gets + r) * size;
        p->in_bytes[r] = (size_t)overlap(p->has + r, p->gets + own) * size;
    }
    return move(p, array, (size_t)(p->gets[own + 1] - p->gets[own]), size);
}

/* Number of stored entries of `rows` rows from `row` on. Without rows nothing is read: row_start may then be NULL. */
static size_t entries(const uint64_t *row_start, uint64_t row, uint64_t rows)
{
    return rows ? (size_t)(row_start[row + rows] - row_start[row]) : 0;
}

/* Moves column indices or values, both of which have four bytes an entry. The lengths of the received rows are known
 * from new_start, which must have been moved before. */
static void *move_entries(struct distributed_read *p, const uint64_t *new_start, const void *array)
{
    size_t own = p->comm->rank;
    /* Rows are sent and received in their order, so two running counts give the first row of each message. */
    uint64_t sent = 0, received = 0;
    for (size_t r = 0; r < p->comm->size; r++) {
        uint64_t out = overlap(p->has + own, p->gets + r), in = overlap(p->has + r, p->gets + own);
        p->out_bytes[r] = entries(p->data->x.row_start, sent, out) * sizeof(uint32_t);
        p->in_bytes[r] = entries(new_start, received, in) * sizeof(uint32_t);
        sent += out;
        received += in;
    }
    return move(p, array, (size_t)new_start[received], sizeof(uint32_t));
}

/* row_start for the received rows; NULL as above. Row lengths are sent rather than starts, since starts are relative
 * to the sender's first entry. */
static uint64_t *move_starts(struct distributed_read *p, size_t rows)
{
    const struct matrix *x = &p->data->x;
    uint64_t *length = mem_alloc((size_t)x->rows, sizeof *length), *moved = NULL;
    uint64_t *start = mem_alloc(rows + 1, sizeof *start);
    /* Lengths in place of starts: they are independent of the sender's other rows. */
    for (size_t i = 0; length && i < x->rows; i++)
        length[i] = x->row_start[i + 1] - x->row_start[i];
    temper_status status = length && start ? TEMPER_OK : error_no_memory(p->reader->error);
    if (comm_agree(p->comm, status, p->reader->error) == TEMPER_OK)
        moved = move_rows(p, length, sizeof *length);
    if (moved && start) {
        start[0] = 0;
        for (size_t i = 0; i < rows; i++)
            start[i + 1] = start[i] + moved[i];
    } else {
        mem_free(start);
        start = NULL;
    }
    mem_free(length);
    mem_free(moved);
    return start;
}

/* ---- The matrix ------------------------------------------------------------------------------ */

/* The CSR matrix of the rows to hold: first the lengths, from which the byte counts of columns and values follow.
 * Entries of a row move together, so that the starts of the rows to hold decide the bytes for both arrays. */
static bool move_sparse(struct distributed_read *p, size_t rows, struct matrix *out)
{
    const struct matrix *x = &p->data->x;
    /* Each step needs the one before; a failure leaves the later arrays NULL. */
    uint64_t *start = move_starts(p, rows);
    void *column = start ? move_entries(p, start, x->column) : NULL;
    void *value = column ? move_entries(p, start, x->value) : NULL;
    if (!value) {
        mem_free(start);
        mem_free(column);
        return false;
    }
    *out = (struct matrix){.kind = MATRIX_CSR,
                           .rows = rows,
                           .columns = x->columns,
                           .nonzeros = start[rows],
                           .row_start = start,
                           .column = column,
                           .value = value,
                           .owned = {start, column, value}};
    return true;
}

/* Dense rows have a fixed size, so that one exchange is enough. */
static bool move_dense(struct distributed_read *p, size_t rows, struct matrix *out)
{
    static const uint8_t size[] = {[MATRIX_F32] = sizeof(float), [MATRIX_F64] = sizeof(double), [MATRIX_U8] = 1};
    const struct matrix *x = &p->data->x;
    void *dense = move_rows(p, x->dense, (size_t)x->columns * size[x->kind]);
    *out = (struct matrix){.kind = x->kind,
                           .rows = rows,
                           .columns = x->columns,
                           .nonzeros = rows * x->columns,
                           .dense = dense,
                           .owned = {dense}};
    return dense != NULL;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Arrays with one entry a row. */
struct row_arrays {
    uint64_t *line;
    uint32_t *label;
    double *weight;
};

/* Which arrays exist is decided by the reports of all: a process without rows has no arrays, but must take part in
 * every exchange, else the others would wait for ever. */
static bool move_arrays(struct distributed_read *p, struct row_arrays *out)
{
    const struct dataset *data = p->data;
    bool weighted = false;
    for (size_t r = 0; r < p->comm->size; r++)
        weighted = weighted || p->report[r].weighted;
    if (p->read && !(out->line = move_rows(p, data->line, sizeof *data->line)))
        return false;
    if (data->classes.count && !(out->label = move_rows(p, data->label, sizeof *data->label)))
        return false;
    return !weighted || (out->weight = move_rows(p, data->weight, sizeof *data->weight));
}

static void row_arrays_free(struct row_arrays *arrays)
{
    mem_free(arrays->line);
    mem_free(arrays->label);
    mem_free(arrays->weight);
}

/* Replaces the rows that this process has read by those that it is to hold. Nothing of the old data is freed until all
 * exchanges have succeeded. */
temper_status redistribute_rows(struct distributed_read *p)
{
    struct dataset *data = p->data;
    /* Rows that this process is to hold. */
    size_t rank = p->comm->rank, rows = (size_t)(p->gets[rank + 1] - p->gets[rank]);
    struct row_arrays arrays = {0};
    struct matrix moved = {0};
    bool done = move_arrays(p, &arrays) && (data->x.kind == MATRIX_CSR ? move_sparse : move_dense)(p, rows, &moved);
    /* The matrix is the last to be moved, so that only the row arrays can be left over. */
    if (!done) {
        row_arrays_free(&arrays);
        return p->reader->error ? p->reader->error->status : TEMPER_NO_MEMORY;
    }
    /* Nothing can fail from here on. */
    matrix_free(&data->x);
    dataset_free_array(data, data->line);
    dataset_free_array(data, data->label);
    dataset_free_array(data, data->weight);
    data->x = moved;
    data->label = arrays.label;
    data->line = arrays.line;
    data->weight = arrays.weight;
    data->ranks.first_row = p->gets[rank];
    return TEMPER_OK;
}
