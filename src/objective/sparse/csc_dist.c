/* csc_distribute: entries go to the process that has their column.
 *
 * Each process sorts the entries of its own rows by column; then everyone sends everyone else a
 * piece of that, and puts the pieces that it receives behind each other, column by column. Rows
 * ascend with the ranks, so that each column is what one process alone would have. */
#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "comm/tree_sum.h"
#include "objective/sparse/csc.h"

struct sharing {
    const temper_comm *comm;
    size_t ranks, columns;   /* all of them */
    struct csc_matrix local; /* the rows of this process, all columns */
    double *count;           /* entries of each column, of all processes */
    uint64_t *own_count;     /* of this process */
    uint64_t *counts;        /* [rank * own columns + column]: of the own columns, from each */
    size_t *out_bytes, *in_bytes;
    uint32_t *row; /* as received */
    float *value;
};

/* ---- Who has which columns ------------------------------------------------------------------- */

/* Whole numbers, so that sums in doubles are exact. */
static temper_status count_entries(struct sharing *s, temper_error *error)
{
    size_t *first = mem_alloc(s->ranks + 1, sizeof *first);
    double *mine = mem_alloc(s->columns, sizeof *mine);
    temper_status status = TEMPER_NO_MEMORY;
    if (first && mine) {
        const struct holders holders = {s->comm, first};
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

/* About as many entries each; a column counts as one more, for its sum is to be sent. */
static void set_bounds(const struct sharing *s, size_t *bounds)
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

static temper_status exchange_counts(struct sharing *s, const struct csc_matrix *out, temper_error *error)
{
    for (size_t r = 0; r < s->ranks; r++) {
        s->out_bytes[r] = (out->bounds[r + 1] - out->bounds[r]) * sizeof *s->own_count;
        s->in_bytes[r] = out->columns * sizeof *s->counts;
    }
    return comm_exchange(s->comm, s->own_count, s->out_bytes, s->counts, s->in_bytes, error);
}

/* Numbers and values have four bytes both. */
static temper_status exchange_entries(struct sharing *s, const struct csc_matrix *out, temper_error *error)
{
    for (size_t r = 0; r < s->ranks; r++) {
        uint64_t in = 0;
        for (size_t j = 0; j < out->columns; j++)
            in += s->counts[r * out->columns + j];
        s->in_bytes[r] = (size_t)in * sizeof *s->row;
        s->out_bytes[r] =
            (size_t)(s->local.start[out->bounds[r + 1]] - s->local.start[out->bounds[r]]) * sizeof *s->row;
    }
    temper_status status = comm_exchange(s->comm, s->local.row, s->out_bytes, s->row, s->in_bytes, error);
    return status == TEMPER_OK ? comm_exchange(s->comm, s->local.value, s->out_bytes, s->value, s->in_bytes, error)
                               : status;
}

/* Column by column, and in each the ranks in their order. */
static void join(const struct sharing *s, struct csc_matrix *out)
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

/* start[j + 1] is where column j begins until `join` has moved it to the end. */
static bool make_room(struct sharing *s, struct csc_matrix *out)
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

static temper_status share(struct sharing *s, uint64_t first_row, struct csc_matrix *out, temper_error *error)
{
    temper_status status = count_entries(s, error);
    if (status != TEMPER_OK)
        return status;
    set_bounds(s, out->bounds);
    out->first = out->bounds[comm_rank(s->comm)];
    out->columns = out->bounds[comm_rank(s->comm) + 1] - out->first;
    s->counts = mem_alloc(s->ranks, out->columns * sizeof *s->counts);
    if (!s->counts || !make_room(s, out))
        return error_no_memory(error);
    for (uint64_t e = 0; e < s->local.nonzeros; e++)
        s->local.row[e] += (uint32_t)first_row;
    status = exchange_counts(s, out, error);
    if (status == TEMPER_OK)
        status = exchange_entries(s, out, error);
    if (status != TEMPER_OK)
        return status;
    join(s, out);
    csc_divide(out);
    return TEMPER_OK;
}

temper_status csc_distribute(const struct dataset *data, struct csc_matrix *out, temper_error *error)
{
    assert(matrix_is_narrow(&data->x)); /* processes share what they have read */
    struct sharing s = {
        .comm = data->ranks.comm, .ranks = comm_size(data->ranks.comm), .columns = (size_t)data->x.columns};
    s.count = mem_alloc(s.columns, sizeof *s.count);
    s.own_count = mem_alloc(s.columns, sizeof *s.own_count);
    s.out_bytes = mem_alloc(s.ranks, sizeof *s.out_bytes);
    s.in_bytes = mem_alloc(s.ranks, sizeof *s.in_bytes);
    out->bounds = mem_alloc(s.ranks + 1, sizeof *out->bounds);
    temper_status status = TEMPER_NO_MEMORY;
    if (s.count && s.own_count && s.out_bytes && s.in_bytes && out->bounds && csc_make(&data->x, 0, &s.local))
        status = share(&s, data->ranks.first_row, out, error);
    else
        error_no_memory(error);
    void *blocks[] = {s.count, s.own_count, s.counts, s.out_bytes, s.in_bytes, s.row, s.value};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        mem_free(blocks[i]);
    csc_free(&s.local);
    return status;
}
