/* components_dense: the kernels of training for many classes, directions being the classes. Several
 * processes gather each block, so that all have the same sums. */
#include "objective/gram/pca_dense.h"

#include <string.h>

#include "base/memory.h"
#include "data/memory/page_window.h"
#include "kernel/dispatch/kernel.h"

struct blocks {
    const struct iteration *it;
    const struct kernel *kernel;
    size_t most;         /* rows of a block */
    uint64_t *first_row; /* of each process; NULL: alone */
    size_t *bytes;       /* of a block, from each */
    double *own, *all;   /* a block: own rows; those of all */
    double *said, *scratch;
};

static void fetch_row(const struct blocks *blocks, uint64_t at, double *out)
{
    const struct iteration *it = blocks->it;
    const struct matrix *x = &it->data->x;
    const struct linear_f64 *linear = blocks->kernel->linear_f64;
    struct rows_scale scale = {it->scale ? it->scale->offset : NULL, it->scale ? it->scale->factor : NULL};
    page_window_row(x, at);
    const void *row = matrix_row(x, at).dense;
    if (x->kind == MATRIX_U8)
        linear->from_u8(row, 1, it->columns, scale, out);
    else if (x->kind == MATRIX_F32)
        linear->from_f32(row, 1, it->columns, scale, out);
    else
        linear->from_f64(row, 1, it->columns, scale, out);
}

/* Sample rows from `first` to `end` that are here; how many. */
static size_t fetch_own(const struct blocks *blocks, size_t first, size_t end)
{
    size_t count = 0;
    for (size_t i = first; i < end; i++) {
        uint64_t at = pca_row(blocks->it, i);
        if (at < blocks->it->data->x.rows)
            fetch_row(blocks, at, blocks->own + count++ * blocks->it->columns);
    }
    return count;
}

/* Whose row the i-th of the sample is. */
static size_t owner(const struct blocks *blocks, size_t i)
{
    const struct dataset *data = blocks->it->data;
    uint64_t row = i * dataset_all_rows(data) / blocks->it->sample;
    size_t rank = comm_size(data->ranks.comm) - 1;
    while (rank > 0 && blocks->first_row[rank] > row)
        rank--;
    return rank;
}

static temper_status fetch(const struct blocks *blocks, size_t first, size_t end, temper_error *error)
{
    const temper_comm *comm = blocks->it->data->ranks.comm;
    fetch_own(blocks, first, end);
    if (comm_alone(comm))
        return TEMPER_OK;
    memset(blocks->bytes, 0, comm_size(comm) * sizeof *blocks->bytes);
    for (size_t i = first; i < end; i++)
        blocks->bytes[owner(blocks, i)] += blocks->it->columns * sizeof *blocks->own;
    return comm_gather(comm, blocks->own, blocks->bytes, blocks->all, error);
}

static temper_status multiply_all(const struct blocks *blocks, temper_error *error)
{
    const struct iteration *it = blocks->it;
    const struct linear_f64 *linear = blocks->kernel->linear_f64;
    temper_status status = TEMPER_OK;
    for (size_t i = 0; status == TEMPER_OK && i < it->sample; i += blocks->most) {
        size_t rows = it->sample - i < blocks->most ? it->sample - i : blocks->most;
        status = fetch(blocks, i, i + rows, error);
        struct many_f64 many = {.block = {blocks->all, rows, it->columns},
                                .classes = it->count,
                                .stride = blocks->most,
                                .scratch = blocks->scratch};
        if (status != TEMPER_OK)
            break;
        linear->many_times(&many, it->directions, blocks->said);
        linear->many_back(&many, blocks->said, it->next);
    }
    return status;
}

static temper_status find_firsts(struct blocks *blocks, temper_error *error)
{
    const struct dataset *data = blocks->it->data;
    uint64_t first = data->ranks.first_row;
    return comm_alone(data->ranks.comm)
               ? TEMPER_OK
               : comm_gather_each(data->ranks.comm, &first, sizeof first, blocks->first_row, error);
}

static bool make_room(struct blocks *blocks)
{
    const struct iteration *it = blocks->it;
    size_t ranks = comm_size(it->data->ranks.comm);
    blocks->most = linear_block_rows(it->columns, it->count, sizeof(double));
    blocks->first_row = mem_alloc(ranks, sizeof *blocks->first_row);
    blocks->bytes = mem_alloc(ranks, sizeof *blocks->bytes);
    blocks->own = mem_aligned(blocks->most, it->columns * sizeof *blocks->own);
    blocks->all =
        comm_alone(it->data->ranks.comm) ? blocks->own : mem_aligned(blocks->most, it->columns * sizeof *blocks->all);
    blocks->said = mem_aligned(blocks->most, it->count * sizeof *blocks->said);
    blocks->scratch = mem_aligned(linear_scratch(blocks->most, it->columns, it->count), sizeof *blocks->scratch);
    return blocks->first_row && blocks->bytes && blocks->own && blocks->all && blocks->said && blocks->scratch;
}

temper_status pca_multiply_dense(struct iteration *it, temper_error *error)
{
    const char *wanted;
    struct blocks blocks = {.it = it, .kernel = kernel_choose(&wanted)};
    if (!blocks.kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    temper_status status = make_room(&blocks) ? TEMPER_OK : error_no_memory(error);
    status = comm_agree(it->data->ranks.comm, status, error);
    if (status == TEMPER_OK)
        status = find_firsts(&blocks, error);
    if (status == TEMPER_OK)
        status = multiply_all(&blocks, error);
    mem_free(blocks.first_row);
    mem_free(blocks.bytes);
    if (blocks.all != blocks.own)
        mem_free(blocks.all);
    mem_free(blocks.own);
    mem_free(blocks.said);
    mem_free(blocks.scratch);
    return status;
}
