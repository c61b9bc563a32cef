/* neighbours: blocks of rows against tiles of points: |x - y|^2 = |x|^2 + |y|^2 - 2 x.y, the
 * products by the kernel that training uses for many classes. Both are cut from an order in which
 * rows near each other are near; a block is held against the tiles whose middles are nearest to its
 * own, nearest first. */
#include "audit/knn.h"

#include <math.h>
#include <string.h>

#include "audit/knn_order.h"
#include "base/memory.h"
#include "base/thread.h"
#include "kernel/dense/linear.h"
#include "kernel/dispatch/kernel.h"
#include "kernel/loss/softmax.h"

/* Rows of a block; points that it is held against at once; rows, of whose answers a word is made.
 */
enum { QUERIES = 32, TILE = 128, TOGETHER = sizeof(uint64_t) };
/* Tiles that a block is held against: a share of them, nearest first; all, if there are few. */
enum { LEAST_TILES = 20, SHARE_OF_TILES = 5 };

struct search {
    struct points points;
    size_t count, among, tiles, tried; /* tried: tiles that a block is held against */
    const struct linear_f32 *kernel;
    uint32_t *order; /* rows, those near each other beside each other */
    uint32_t *index;
    double *square;
    float *tile;   /* the points, feature by feature: [tile][dimension * TILE + point] */
    float *norm;   /* |y|^2 of each, infinite in the padding */
    float *middle; /* of each tile: [tile * dimensions + j] */
    size_t from;   /* the first block of this process */
    /* For each worker: */
    float *space;
    size_t product, scratch, nearest, rows, middles; /* numbers of its parts */
};

static uint32_t row_of(const struct search *search, size_t point)
{
    return search->order[point * search->points.rows / search->among];
}

static void fill_tiles(struct search *search)
{
    size_t dimensions = search->points.dimensions;
    for (size_t i = 0; i < search->tiles * TILE; i++) {
        float *tile = search->tile + i / TILE * TILE * dimensions + i % TILE;
        bool real = i < search->among;
        const float *x = real ? search->points.x + row_of(search, i) * dimensions : NULL;
        float norm = 0;
        for (size_t j = 0; j < dimensions; j++) {
            tile[j * TILE] = real ? x[j] : 0;
            norm += tile[j * TILE] * tile[j * TILE];
        }
        search->norm[i] = real ? norm : INFINITY;
    }
}

static void find_middles(struct search *search)
{
    size_t dimensions = search->points.dimensions;
    for (size_t tile = 0; tile < search->tiles; tile++) {
        size_t left = search->among - tile * TILE, points = left < TILE ? left : (size_t)TILE;
        for (size_t j = 0; j < dimensions; j++) {
            const float *x = search->tile + (tile * dimensions + j) * TILE;
            float sum = 0;
            for (size_t i = 0; i < points; i++)
                sum += x[i];
            search->middle[tile * dimensions + j] = sum / (float)points;
        }
    }
}

/* ---- One block of queries -------------------------------------------------------------------- */

struct block {
    const struct search *search;
    size_t rows;
    const uint32_t *row; /* of each query */
    float *x;            /* their features: [query * dimensions + j] */
    float *away;         /* of each tile: the square of its distance, negative once it was tried */
    float *best;         /* [row * count + i], ascending: |y|^2 - 2 x.y */
    float worst[QUERIES];
};

static void insert(struct block *block, size_t query, float value, uint32_t row)
{
    size_t count = block->search->count, at = count - 1;
    float *best = block->best + query * count;
    uint32_t *index = block->search->index + block->row[query] * count;
    for (; at > 0 && best[at - 1] > value; at--) {
        best[at] = best[at - 1];
        index[at] = index[at - 1];
    }
    best[at] = value;
    index[at] = row;
    block->worst[query] = best[count - 1];
}

/* Which queries a point is near to: of few, once some rows are known. Without a branch, so that it
 * is done many at a time. */
static void find_near(const float *restrict worst, float norm, const float *restrict product, uint8_t *restrict near)
{
    for (size_t q = 0; q < QUERIES; q++)
        near[q] = norm - 2 * product[q] < worst[q];
}

static void take_point(struct block *block, size_t point, size_t first, const float *product, const uint8_t *near)
{
    float norm = block->search->norm[point];
    uint32_t row = row_of(block->search, point);
    for (size_t q = first; q < first + TOGETHER; q++)
        if (near[q] && row != block->row[q])
            insert(block, q, norm - 2 * product[q], row);
}

static void take_tile(struct block *block, size_t tile, const float *product)
{
    const struct search *search = block->search;
    size_t left = search->among - tile * TILE, points = left < TILE ? left : (size_t)TILE;
    uint8_t near[QUERIES];
    for (size_t i = 0; i < points; i++) {
        size_t point = tile * TILE + i;
        const float *p = product + i * QUERIES;
        find_near(block->worst, search->norm[point], p, near);
        for (size_t q = 0; q < QUERIES; q += TOGETHER) {
            uint64_t any;
            memcpy(&any, near + q, TOGETHER);
            if (any)
                take_point(block, point, q, p, near);
        }
    }
}

static void finish(const struct block *block)
{
    const struct search *search = block->search;
    size_t dimensions = search->points.dimensions;
    for (size_t q = 0; q < block->rows; q++) {
        const float *x = block->x + q * dimensions;
        double square = (double)block->worst[q];
        for (size_t j = 0; j < dimensions; j++)
            square += (double)x[j] * (double)x[j];
        search->square[block->row[q]] = fmax(square, 0);
    }
}

/* How far the middle of each tile is from that of the block. */
static void measure_tiles(const struct block *block)
{
    const struct search *search = block->search;
    size_t dimensions = search->points.dimensions;
    memset(block->away, 0, search->tiles * sizeof *block->away);
    for (size_t j = 0; j < dimensions; j++) {
        float middle = 0;
        for (size_t q = 0; q < block->rows; q++)
            middle += block->x[q * dimensions + j];
        middle /= (float)block->rows;
        for (size_t tile = 0; tile < search->tiles; tile++) {
            float off = search->middle[tile * dimensions + j] - middle;
            block->away[tile] += off * off;
        }
    }
}

/* The nearest that was not tried yet. */
static size_t next_tile(const struct block *block)
{
    size_t best = 0;
    for (size_t tile = 1; tile < block->search->tiles; tile++)
        if (block->away[tile] >= 0 && (block->away[best] < 0 || block->away[tile] < block->away[best]))
            best = tile;
    block->away[best] = -1;
    return best;
}

static void begin_block(struct block *block)
{
    const struct search *search = block->search;
    size_t dimensions = search->points.dimensions;
    for (size_t q = 0; q < block->rows; q++)
        memcpy(block->x + q * dimensions, search->points.x + block->row[q] * dimensions, dimensions * sizeof *block->x);
    for (size_t i = 0; i < search->nearest; i++)
        block->best[i] = INFINITY;
    for (size_t q = 0; q < block->rows; q++) /* some row, if products overflow */
        for (size_t i = 0; i < search->count; i++)
            search->index[block->row[q] * search->count + i] = row_of(search, i % search->among);
    for (size_t q = 0; q < QUERIES; q++)
        block->worst[q] = q < block->rows ? INFINITY : -INFINITY;
    measure_tiles(block);
}

static temper_status run_block(void *context, size_t number, size_t worker)
{
    const struct search *search = context;
    size_t dimensions = search->points.dimensions, from = (search->from + number) * QUERIES;
    size_t left = search->points.rows - from;
    float *space =
        search->space + worker * (search->product + search->scratch + search->nearest + search->rows + search->middles);
    struct block block = {.search = search,
                          .rows = left < QUERIES ? left : QUERIES,
                          .row = search->order + from,
                          .best = space + search->product + search->scratch};
    block.x = block.best + search->nearest;
    block.away = block.x + search->rows;
    begin_block(&block);
    struct rows_f32 rows = {block.x, block.rows, dimensions};
    struct many_f32 many = {.block = rows, .classes = TILE, .stride = QUERIES, .scratch = space + search->product};
    for (size_t i = 0; i < search->tried; i++) {
        size_t tile = next_tile(&block);
        search->kernel->many_times(&many, search->tile + tile * TILE * dimensions, space);
        take_tile(&block, tile, space);
    }
    finish(&block);
    return TEMPER_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* The first row, in the order, that a process looks for neighbours of. */
static size_t first_query(const struct search *search, size_t rank)
{
    size_t rows = search->points.rows, blocks = (rows + QUERIES - 1) / QUERIES;
    size_t first = blocks * rank / comm_size(search->points.comm) * QUERIES;
    return first < rows ? first : rows;
}

static void pack(const struct search *search, size_t from, size_t to, char *out)
{
    size_t index = search->count * sizeof *search->index;
    for (size_t i = from; i < to; i++, out += index + sizeof *search->square) {
        memcpy(out, search->index + search->order[i] * search->count, index);
        memcpy(out + index, search->square + search->order[i], sizeof *search->square);
    }
}

static void unpack(const struct search *search, const char *in)
{
    size_t index = search->count * sizeof *search->index;
    for (size_t i = 0; i < search->points.rows; i++, in += index + sizeof *search->square) {
        memcpy(search->index + search->order[i] * search->count, in, index);
        memcpy(search->square + search->order[i], in + index, sizeof *search->square);
    }
}

/* What each has found, in the order of the search, to all. */
static temper_status share_found(const struct search *search, temper_error *error)
{
    const temper_comm *comm = search->points.comm;
    size_t each = search->count * sizeof *search->index + sizeof *search->square;
    size_t from = first_query(search, comm_rank(comm)), to = first_query(search, comm_rank(comm) + 1);
    size_t *bytes = mem_alloc(comm_size(comm), sizeof *bytes);
    char *own = mem_alloc(to - from, each), *all = mem_alloc(search->points.rows, each);
    temper_status status = bytes && own && all ? TEMPER_OK : error_no_memory(error);
    if (status == TEMPER_OK) {
        for (size_t r = 0; r < comm_size(comm); r++)
            bytes[r] = (first_query(search, r + 1) - first_query(search, r)) * each;
        pack(search, from, to, own);
        status = comm_gather(comm, own, bytes, all, error);
    }
    if (status == TEMPER_OK)
        unpack(search, all);
    mem_free(bytes);
    mem_free(own);
    mem_free(all);
    return status;
}

static temper_status search_all(struct search *search, size_t threads, temper_error *error)
{
    size_t dimensions = search->points.dimensions, rank = comm_rank(search->points.comm), each;
    search->from = first_query(search, rank) / QUERIES;
    size_t blocks = (first_query(search, rank + 1) + QUERIES - 1) / QUERIES - search->from;
    search->product = (size_t)QUERIES * TILE;
    search->scratch = linear_scratch(QUERIES, dimensions, TILE);
    search->nearest = QUERIES * search->count;
    search->rows = QUERIES * dimensions;
    search->middles = search->tiles;
    threads = threads > blocks && blocks ? blocks : threads;
    each = search->product + search->scratch + search->nearest + search->rows + search->middles;
    search->order = mem_alloc(search->points.rows, sizeof *search->order);
    search->middle = mem_alloc(search->tiles, dimensions * sizeof *search->middle);
    search->tile = mem_aligned(search->tiles * TILE, dimensions * sizeof *search->tile);
    search->norm = mem_alloc(search->tiles * TILE, sizeof *search->norm);
    search->space = mem_aligned(threads, each * sizeof *search->space);
    if (!search->order || !search->middle || !search->tile || !search->norm || !search->space)
        return error_no_memory(error);
    knn_order(search->points, QUERIES, search->order);
    fill_tiles(search);
    find_middles(search);
    if (parallel_blocks(blocks, threads, run_block, search) != TEMPER_OK)
        return error_no_memory(error);
    return comm_alone(search->points.comm) ? TEMPER_OK : share_found(search, error);
}

temper_status knn_find(struct points points, size_t count, size_t threads, uint32_t *index, double *square,
                       temper_error *error)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    struct search search = {.points = points,
                            .count = count,
                            .among = points.rows < NEIGHBOURS_AMONG ? points.rows : (size_t)NEIGHBOURS_AMONG,
                            .kernel = kernel->linear_f32,
                            .index = index,
                            .square = square};
    search.tiles = (search.among + TILE - 1) / TILE;
    search.tried = search.tiles / SHARE_OF_TILES;
    if (search.tried < LEAST_TILES)
        search.tried = search.tiles < LEAST_TILES ? search.tiles : (size_t)LEAST_TILES;
    temper_status status = search_all(&search, threads, error);
    mem_free(search.order);
    mem_free(search.middle);
    mem_free(search.tile);
    mem_free(search.norm);
    mem_free(search.space);
    return status;
}
