/* pca: randomised subspace iteration (Halko, Martinsson and Tropp, "Finding structure with randomness", SIAM Review 53,
 * 2011): random directions are multiplied by X' X and made orthonormal again, twice. Two rounds find the space that
 * matters for nearest neighbours as well as an exact decomposition does. */
#include "objective/gram/pca.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "data/memory/page_window.h"
#include "data/random_streams.h"
#include "kernel/dispatch/kernel.h"

enum { ROUNDS = 2 };

/* The state of the iteration; `directions` are the caller's, the other arrays its own. */
struct pca_iteration {
    const struct dataset *data;
    const struct scale *scale;
    size_t columns, count, sample; /* count: directions; sample: rows that are used */
    double *directions, *next;     /* [column * count + k] */
    double *projection;            /* [count], of a sparse row */
};

/* The local index of the i-th row of the sample, which is evenly spaced over all rows; beyond this process's rows (by
 * unsigned wrap-around below them) if another process holds it. */
static uint64_t sample_row(const struct pca_iteration *it, size_t i)
{
    return i * dataset_all_rows(it->data) / it->sample - it->data->ranks.first_row;
}

/* ---- Sparse rows ----------------------------------------------------------------------------- */

/* A scaled entry of a sparse row, which has no offset. */
static double entry_of(const struct pca_iteration *it, const struct row *row, size_t e, size_t column)
{
    return row_value(row, e) * (it->scale ? it->scale->factor[column] : 1);
}

/* projection = row . directions, [count]. With collect, which adds row' . projection to `next`, it adds one row's
 * share of X' X directions. */
static void project(struct pca_iteration *it, const struct row *row)
{
    double *restrict projection = it->projection;
    memset(projection, 0, it->count * sizeof *projection);
    /* Each entry adds its row of the directions: `count` consecutive numbers. */
    for (size_t e = 0; e < row->count; e++) {
        size_t column = row_column(row, e);
        const double *restrict direction = it->directions + column * it->count;
        double x = entry_of(it, row, e, column);
        for (size_t k = 0; k < it->count; k++)
            projection[k] += x * direction[k];
    }
}

/* The second half: next += row' . projection. */
static void collect(struct pca_iteration *it, const struct row *row)
{
    const double *restrict projection = it->projection;
    /* The transposed product, along the same memory. */
    for (size_t e = 0; e < row->count; e++) {
        size_t column = row_column(row, e);
        double *restrict next = it->next + column * it->count;
        double x = entry_of(it, row, e, column);
        for (size_t k = 0; k < it->count; k++)
            next[k] += x * projection[k];
    }
}

/* Callback of comm_in_turn: adds the sample's rows of this process to sums that contain those of the processes before
 * it, so that the order of additions is that of one process. */
static void multiply_own(void *context, void *state)
{
    struct pca_iteration *it = context;
    (void)state; /* it->next */
    for (size_t i = 0; i < it->sample; i++) {
        /* All processes walk through the whole sample, each using its rows. */
        uint64_t at = sample_row(it, i);
        if (at >= it->data->x.rows)
            continue;
        page_window_row(&it->data->x, at);
        struct row row = matrix_row(&it->data->x, at);
        project(it, &row);
        collect(it, &row);
    }
}

/* ---- Dense rows ------------------------------------------------------------------------------ */

/* Dense rows use the kernels of multiclass training, the directions in place of the classes' weights. MPI: each block
 * is all-gathered, so that all processes compute the same sums. */
struct pca_blocks {
    const struct pca_iteration *it;
    const struct kernel *kernel;
    size_t most;         /* rows of a block */
    uint64_t *first_row; /* of each process */
    size_t *bytes;       /* of a block, from each */
    double *own, *all;   /* a block: this process's rows, and those of all */
    double *projection, *scratch;
};

/* A row of any element type as scaled doubles. */
static void fetch_row(const struct pca_blocks *blocks, uint64_t at, double *out)
{
    const struct pca_iteration *it = blocks->it;
    const struct matrix *x = &it->data->x;
    const struct linear_f64 *linear = blocks->kernel->linear_f64;
    /* Means are subtracted as well: these are components of the centred data, where scaling centres. */
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

/* Converts this process's rows among sample rows [first, end) into blocks->own, one after the other. */
static void fetch_own(const struct pca_blocks *blocks, size_t first, size_t end)
{
    size_t count = 0;
    for (size_t i = first; i < end; i++) {
        /* Sample rows ascend, so that the own ones are contiguous among those of all. */
        uint64_t at = sample_row(blocks->it, i);
        if (at < blocks->it->data->x.rows)
            fetch_row(blocks, at, blocks->own + count++ * blocks->it->columns);
    }
}

/* The rank that holds the i-th row of the sample, from the first rows of all ranks. */
static size_t owner(const struct pca_blocks *blocks, size_t i)
{
    const struct dataset *data = blocks->it->data;
    uint64_t row = i * dataset_all_rows(data) / blocks->it->sample;
    /* The last rank that begins at or before the row. */
    size_t rank = comm_size(data->ranks.comm) - 1;
    while (rank > 0 && blocks->first_row[rank] > row)
        rank--;
    return rank;
}

/* Fills `all` with sample rows [first, end), by an all-gather with several processes. Ranks hold ascending rows, so
 * that the gathered rows are in the order of the sample. */
static temper_status fetch(const struct pca_blocks *blocks, size_t first, size_t end, temper_error *error)
{
    const temper_comm *comm = blocks->it->data->ranks.comm;
    fetch_own(blocks, first, end);
    if (comm_alone(comm))
        return TEMPER_OK;
    memset(blocks->bytes, 0, comm_size(comm) * sizeof *blocks->bytes);
    /* How many rows of the block each rank sends. */
    for (size_t i = first; i < end; i++)
        blocks->bytes[owner(blocks, i)] += blocks->it->columns * sizeof *blocks->own;
    return comm_gather(comm, blocks->own, blocks->bytes, blocks->all, error);
}

/* next = X' X directions, block by block: two products with the same block, which is read from the cache for the
 * second. */
static temper_status multiply_all(const struct pca_blocks *blocks, temper_error *error)
{
    const struct pca_iteration *it = blocks->it;
    const struct linear_f64 *linear = blocks->kernel->linear_f64;
    temper_status status = TEMPER_OK;
    for (size_t i = 0; status == TEMPER_OK && i < it->sample; i += blocks->most) {
        /* The last block may be shorter. */
        size_t rows = it->sample - i < blocks->most ? it->sample - i : blocks->most;
        status = fetch(blocks, i, i + rows, error);
        struct many_f64 many = {.block = {blocks->all, rows, it->columns},
                                .classes = it->count,
                                .stride = blocks->most,
                                .scratch = blocks->scratch};
        if (status != TEMPER_OK)
            break;
        linear->many_times(&many, it->directions, blocks->projection);
        linear->many_back(&many, blocks->projection, it->next);
    }
    return status;
}

/* MPI: the first row of each process; one process needs none. */
static temper_status find_firsts(struct pca_blocks *blocks, temper_error *error)
{
    const struct dataset *data = blocks->it->data;
    uint64_t first = data->ranks.first_row;
    return comm_alone(data->ranks.comm)
               ? TEMPER_OK
               : comm_gather_each(data->ranks.comm, &first, sizeof first, blocks->first_row, error);
}

/* Buffers for a block; false without memory. One process gathers nothing: `all` is then the same memory as `own`. A
 * block is limited so that its rows, their projections and the directions stay in the cache together. */
static bool allocate_blocks(struct pca_blocks *blocks)
{
    const struct pca_iteration *it = blocks->it;
    size_t ranks = comm_size(it->data->ranks.comm);
    /* Rows of a block, by the cache. */
    blocks->most = linear_block_rows(it->columns, it->count, sizeof(double));
    blocks->first_row = mem_alloc(ranks, sizeof *blocks->first_row);
    blocks->bytes = mem_alloc(ranks, sizeof *blocks->bytes);
    blocks->own = mem_aligned(blocks->most, it->columns * sizeof *blocks->own);
    blocks->all =
        comm_alone(it->data->ranks.comm) ? blocks->own : mem_aligned(blocks->most, it->columns * sizeof *blocks->all);
    blocks->projection = mem_aligned(blocks->most, it->count * sizeof *blocks->projection);
    blocks->scratch = mem_aligned(linear_scratch(blocks->most, it->columns, it->count), sizeof *blocks->scratch);
    return blocks->first_row && blocks->bytes && blocks->own && blocks->all && blocks->projection && blocks->scratch;
}

/* The product for dense rows. All processes fail together, since the others would wait in the gathers. */
static temper_status multiply_dense(struct pca_iteration *it, temper_error *error)
{
    const char *wanted;
    struct pca_blocks blocks = {.it = it, .kernel = kernel_choose(&wanted)};
    if (!blocks.kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    temper_status status = allocate_blocks(&blocks) ? TEMPER_OK : error_no_memory(error);
    /* An allocation may fail in one process only. */
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
    mem_free(blocks.projection);
    mem_free(blocks.scratch);
    return status;
}

/* ---- Directions ------------------------------------------------------------------------------ */

/* next = X' X directions over the sample. Sparse rows are added in turn by the processes, dense ones in gathered
 * blocks. */
static temper_status multiply(struct pca_iteration *it, temper_error *error)
{
    size_t bytes = it->columns * it->count * sizeof *it->next;
    memset(it->next, 0, bytes);
    return it->data->x.kind == MATRIX_CSR ? comm_in_turn(it->data->ranks.comm, multiply_own, it, it->next, bytes, error)
                                          : multiply_dense(it, error);
}

/* A plain sum: its order is part of the results. */
static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t j = 0; j < count; j++)
        sum += a[j] * b[j];
    return sum;
}

/* Modified Gram-Schmidt with reorthogonalisation ("twice is enough", Kahan and Parlett). `count` vectors of `length`
 * numbers, in place; a vector that depends on those before it, up to rounding, becomes 0. */
static void orthonormalise(double *vector, size_t count, size_t length)
{
    for (size_t k = 0; k < count; k++) {
        /* The norm before the projections, to which the remainder is compared. */
        double *v = vector + k * length, before = sqrt(dot(v, v, length));
        for (size_t again = 0; again < 2; again++)
            for (size_t b = 0; b < k; b++) {
                const double *other = vector + b * length;
                double share = dot(v, other, length);
                for (size_t j = 0; j < length; j++)
                    v[j] -= share * other[j];
            }
        double norm = sqrt(dot(v, v, length));
        /* A remainder of rounding errors has no direction. */
        double factor = norm > 1e-10 * before ? 1 / norm : 0;
        for (size_t j = 0; j < length; j++)
            v[j] *= factor;
    }
}

/* Orthonormalises `next` into `directions`. Both are [column * count + k]; the vectors are made contiguous meanwhile,
 * so that their dot products run along memory. */
static void next_directions(struct pca_iteration *it)
{
    size_t count = it->count, columns = it->columns;
    /* Vectors become rows. */
    for (size_t j = 0; j < columns; j++)
        for (size_t k = 0; k < count; k++)
            it->directions[k * columns + j] = it->next[j * count + k];
    orthonormalise(it->directions, count, columns);
    memcpy(it->next, it->directions, columns * count * sizeof *it->next);
    for (size_t k = 0; k < count; k++)
        for (size_t j = 0; j < columns; j++)
            it->directions[j * count + k] = it->next[k * columns + j];
}

/* The second moments in the found space: directions' (X' X directions) / sample, [count * count], from one more
 * product. */
static temper_status find_moments(struct pca_iteration *it, double *moments, temper_error *error)
{
    size_t count = it->count;
    temper_status status = multiply(it, error);
    memset(moments, 0, count * count * sizeof *moments);
    /* `next` is X' X directions after this product. */
    for (size_t j = 0; status == TEMPER_OK && j < it->columns; j++)
        for (size_t k = 0; k < count; k++)
            for (size_t l = 0; l < count; l++)
                moments[k * count + l] += it->directions[j * count + k] * it->next[j * count + l] / (double)it->sample;
    return status;
}

/* directions: columns * count numbers, the result. moments: count * count, or NULL if they are not needed. */
temper_status pca_find(const struct dataset *data, const struct scale *scale, struct pca_options how,
                       double *directions, double *moments, temper_error *error)
{
    size_t columns = (size_t)data->x.columns, rows = (size_t)dataset_all_rows(data);
    struct pca_iteration it = {.data = data,
                               .scale = scale,
                               .columns = columns,
                               .count = how.count,
                               /* Small data is used in full. */
                               .sample = rows < how.sample ? rows : how.sample,
                               .directions = directions,
                               .next = mem_alloc(columns, how.count * sizeof *it.next),
                               .projection = mem_alloc(how.count, sizeof *it.projection)};
    temper_status status = TEMPER_OK;
    if (it.next && it.projection) {
        /* Random start: a Gaussian matrix has a component in every principal direction with probability 1. */
        for (size_t i = 0; i < columns * how.count; i++)
            directions[i] = random_normal((struct random){how.seed, STREAM_COMPONENTS}, i);
        for (size_t round = 0; status == TEMPER_OK && round < ROUNDS; round++) {
            status = multiply(&it, error);
            next_directions(&it);
        }
        if (status == TEMPER_OK && moments)
            status = find_moments(&it, moments, error);
    } else {
        status = error_no_memory(error);
    }
    mem_free(it.next);
    mem_free(it.projection);
    return status;
}
