/* csc_dist: MPI: the transposed matrix, distributed by columns.
 *
 * Each process sorts the entries of its own rows by column, an all-to-all exchange sends them to the owners of the
 * columns, and each process concatenates what it receives column by column. Rows ascend with the ranks, so that each
 * column is what a single process would have. */
#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "comm/tree_sum.h"
#include "objective/sparse/csc.h"

/* The state of the exchange; all arrays are freed at its end. */
struct csc_exchange {
    const temper_comm *comm;
    size_t ranks, columns;   /* of the whole matrix */
    struct csc_matrix local; /* the entries of this process's rows, all columns */
    double *count;           /* entries of each column over all processes */
    uint64_t *own_count;     /* the same of this process */
    uint64_t *counts;        /* [rank * own columns + column]: entries received from each process */
    size_t *out_bytes, *in_bytes;
    uint32_t *row; /* received entries, by rank */
    float *value;
};

/* ---- Owners of the columns -------------------------------------------------------------------- */

/* Sums the entries of each column over all processes, by a tree sum with one vector for each process. Whole numbers
 * below 2^53 are exact in doubles. */
static temper_status count_entries(struct csc_exchange *s, temper_error *error)
{
    size_t *first = mem_alloc(s->ranks + 1, sizeof *first);
    double *mine = mem_alloc(s->columns, sizeof *mine);
    temper_status status = TEMPER_NO_MEMORY;
    if (first && mine) {
        const struct holders holders = {s->comm, first, NULL};
        /* One vector a process, hence one part each. */
        for (size_t r = 0; r <= s->ranks; r++)
            first[r] = r;
        for (size_t j = 0; j < s->columns; j++) {
            s->own_count[j] = s->local.start[j + 1] - s->local.start[j];
            mine[j] = (double)s->own_count[j];
        }
        status = tree_sum(&holders, &mine, s->columns, s->count, error);
    } else {
        error_no_memory(error);
    }
    mem_free(first);
    mem_free(mine);
    return status;
}

/* Divides the columns so that processes have about equal work: bounds[r] is the first column of rank r. A column counts
 * as one entry more, since its sum is sent back. The bounds depend on the counts of all processes, so that all compute
 * the same ones without further messages. */
static void set_bounds(const struct csc_exchange *s, size_t *bounds)
{
    double all = (double)s->columns, seen = 0;
    size_t rank = 1;
    for (size_t j = 0; j < s->columns; j++)
        all += s->count[j];
    bounds[0] = 0;
    for (size_t j = 0; j < s->columns; j++) {
        while (rank < s->ranks && seen >= all / (double)s->ranks * (double)rank)
            bounds[rank++] = j;
        seen += s->count[j] + 1;
    }
    for (; rank <= s->ranks; rank++)
        bounds[rank] = s->columns;
}

/* ---- Exchange -------------------------------------------------------------------------------- */

/* Each process receives the number of entries of its columns from every other: counts[rank * own columns + column]. */
static temper_status exchange_counts(struct csc_exchange *s, const struct csc_matrix *out, temper_error *error)
{
    for (size_t r = 0; r < s->ranks; r++) {
        s->out_bytes[r] = (out->bounds[r + 1] - out->bounds[r]) * sizeof *s->own_count;
        s->in_bytes[r] = out->columns * sizeof *s->counts;
    }
    return comm_exchange(s->comm, s->own_count, s->out_bytes, s->counts, s->in_bytes, error);
}

/* Exchanges the entries. They are sorted by column, so those for one process are contiguous. Row indices and values
 * both have four bytes, and the byte counts serve twice. */
static temper_status exchange_entries(struct csc_exchange *s, const struct csc_matrix *out, temper_error *error)
{
    for (size_t r = 0; r < s->ranks; r++) {
        uint64_t in = 0;
        for (size_t j = 0; j < out->columns; j++)
            in += s->counts[r * out->columns + j];
        s->in_bytes[r] = (size_t)in * sizeof *s->row;
        s->out_bytes[r] =
            (size_t)(s->local.start[out->bounds[r + 1]] - s->local.start[out->bounds[r]]) * sizeof *s->row;
    }
    TRY(comm_exchange(s->comm, s->local.row, s->out_bytes, s->row, s->in_bytes, error));
    return comm_exchange(s->comm, s->local.value, s->out_bytes, s->value, s->in_bytes, error);
}

/* Concatenates the received entries of each column in the order of the ranks, in which rows ascend. `from` runs through
 * the received entries, which are ordered by rank and then by column. start[j + 1] serves as the write position of
 * column j while it is filled; at the end it is where column j + 1 begins. */
static void merge_columns(const struct csc_exchange *s, struct csc_matrix *out)
{
    size_t from = 0;
    for (size_t r = 0; r < s->ranks; r++)
        for (size_t j = 0; j < out->columns; j++) {
            size_t count = (size_t)s->counts[r * out->columns + j];
            uint64_t to = out->start[j + 1];
            if (count) {
                memcpy(out->row + to, s->row + from, count * sizeof *out->row);
                memcpy(out->value + to, s->value + from, count * sizeof *out->value);
            }
            out->start[j + 1] += count;
            from += count;
        }
}

/* Allocates the own columns and the receive buffers; false without memory. start[j + 1] is the beginning of column j,
 * which merge_columns advances to its end. */
static bool allocate_columns(struct csc_exchange *s, struct csc_matrix *out)
{
    out->start = mem_zeroed(out->columns + 2, sizeof *out->start);
    for (size_t j = 0; out->start && j < out->columns; j++)
        out->start[j + 2] = out->start[j + 1] + (uint64_t)s->count[out->first + j];
    out->nonzeros = out->start ? out->start[out->columns + 1] : 0;
    out->row = mem_alloc((size_t)out->nonzeros, sizeof *out->row);
    out->value = mem_alloc((size_t)out->nonzeros, sizeof *out->value);
    s->row = mem_alloc((size_t)out->nonzeros, sizeof *s->row);
    s->value = mem_alloc((size_t)out->nonzeros, sizeof *s->value);
    return out->start && out->row && out->value && s->row && s->value;
}

/* The whole exchange: owners of the columns, counts, entries, merge. All-to-all messages: first how many entries of
 * each column every process sends, then the entries. Rows are numbered among the rows of all processes, which fit into
 * 32 bits. */
static temper_status exchange_columns(struct csc_exchange *s, uint64_t first_row, struct csc_matrix *out,
                                      temper_error *error)
{
    TRY(count_entries(s, error));
    set_bounds(s, out->bounds);
    out->first = out->bounds[comm_rank(s->comm)];
    out->columns = out->bounds[comm_rank(s->comm) + 1] - out->first;
    s->counts = mem_alloc(s->ranks, out->columns * sizeof *s->counts);
    if (!s->counts || !allocate_columns(s, out))
        return error_no_memory(error);
    /* Local row indices become indices among all rows. */
    for (uint64_t e = 0; e < s->local.nonzeros; e++)
        s->local.row[e] += (uint32_t)first_row;
    temper_status status = exchange_counts(s, out, error);
    if (status == TEMPER_OK)
        status = exchange_entries(s, out, error);
    if (status != TEMPER_OK)
        return status;
    merge_columns(s, out);
    csc_divide(out);
    return TEMPER_OK;
}

/* The columns of this process in *out, with bounds[] for all; the caller frees it with csc_free, also on failure. */
temper_status csc_distribute(const struct dataset *data, struct csc_matrix *out, temper_error *error)
{
    assert(matrix_is_narrow(&data->x)); /* distributed data comes from files, which have these widths */
    struct csc_exchange s = {
        .comm = data->ranks.comm, .ranks = comm_size(data->ranks.comm), .columns = (size_t)data->x.columns};
    s.count = mem_alloc(s.columns, sizeof *s.count);
    s.own_count = mem_alloc(s.columns, sizeof *s.own_count);
    s.out_bytes = mem_alloc(s.ranks, sizeof *s.out_bytes);
    s.in_bytes = mem_alloc(s.ranks, sizeof *s.in_bytes);
    out->bounds = mem_alloc(s.ranks + 1, sizeof *out->bounds);
    temper_status status = TEMPER_NO_MEMORY;
    if (s.count && s.own_count && s.out_bytes && s.in_bytes && out->bounds && csc_make(&data->x, 0, &s.local))
        status = exchange_columns(&s, data->ranks.first_row, out, error);
    else
        error_no_memory(error);
    void *blocks[] = {s.count, s.own_count, s.counts, s.out_bytes, s.in_bytes, s.row, s.value};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        mem_free(blocks[i]);
    csc_free(&s.local);
    return status;
}
