/* neighbours: all against all, tile by tile: |x - y|^2 = |x|^2 + |y|^2 - 2 x.y, the products by the
 * kernel that training uses for many classes. */
#include "data/neighbours.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/kernel.h"
#include "kernel/linear.h"
#include "kernel/softmax.h"

enum { QUERIES = 64, TILE = 256 }; /* rows of a block; points that it is held against at once */

struct search {
    struct points points;
    size_t count, among, tiles;
    const struct linear_f32 *kernel;
    uint32_t *index;
    double *square;
    float *tile; /* the points, feature by feature: [tile][dimension * TILE + point] */
    float *norm; /* |y|^2 of each, infinite in the padding */
    /* For each worker: */
    float *space;
    size_t product, scratch, nearest; /* numbers of its parts */
};

static uint32_t row_of(const struct search *search, size_t point)
{
    return (uint32_t)(point * search->points.rows / search->among);
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

/* ---- One block of queries -------------------------------------------------------------------- */

struct block {
    const struct search *search;
    size_t from, rows;
    float *best; /* [row * count + i], ascending: |y|^2 - 2 x.y */
    float worst[QUERIES];
};

static void insert(struct block *block, size_t query, float value, uint32_t row)
{
    size_t count = block->search->count, at = count - 1;
    float *best = block->best + query * count;
    uint32_t *index = block->search->index + (block->from + query) * count;
    for (; at > 0 && best[at - 1] > value; at--) {
        best[at] = best[at - 1];
        index[at] = index[at - 1];
    }
    best[at] = value;
    index[at] = row;
    block->worst[query] = best[count - 1];
}

/* Hardly ever, once some rows are known; without a branch, so that it is done many at a time. */
static bool is_near_any(const float *worst, float norm, const float *product)
{
    int near = 0;
    for (size_t q = 0; q < QUERIES; q++)
        near |= norm - 2 * product[q] < worst[q];
    return near;
}

static void take_tile(struct block *block, size_t tile, const float *product)
{
    const struct search *search = block->search;
    for (size_t i = 0; i < TILE; i++) {
        size_t point = tile * TILE + i;
        float norm = search->norm[point];
        if (point >= search->among)
            return;
        if (!is_near_any(block->worst, norm, product + i * QUERIES))
            continue;
        for (size_t q = 0; q < block->rows; q++) {
            float value = norm - 2 * product[i * QUERIES + q];
            uint32_t row = row_of(search, point);
            if (value < block->worst[q] && row != block->from + q)
                insert(block, q, value, row);
        }
    }
}

static void finish(const struct block *block)
{
    const struct search *search = block->search;
    size_t dimensions = search->points.dimensions;
    for (size_t q = 0; q < block->rows; q++) {
        const float *x = search->points.x + (block->from + q) * dimensions;
        double square = (double)block->worst[q];
        for (size_t j = 0; j < dimensions; j++)
            square += (double)x[j] * (double)x[j];
        search->square[block->from + q] = fmax(square, 0);
    }
}

static temper_status run_block(void *context, size_t number, size_t worker)
{
    const struct search *search = context;
    size_t dimensions = search->points.dimensions;
    float *space = search->space + worker * (search->product + search->scratch + search->nearest);
    struct block block = {.search = search,
                          .from = number * QUERIES,
                          .best = space + search->product + search->scratch};
    size_t left = search->points.rows - block.from;
    block.rows = left < QUERIES ? left : QUERIES;
    struct rows_f32 rows = {search->points.x + block.from * dimensions, block.rows, dimensions};
    struct many_f32 many = {
        .block = rows, .classes = TILE, .stride = QUERIES, .scratch = space + search->product};
    for (size_t i = 0; i < search->nearest; i++)
        block.best[i] = INFINITY;
    for (size_t i = 0; i < block.rows * search->count; i++) /* some row, if products overflow */
        search->index[block.from * search->count + i] = row_of(search, i % search->among);
    for (size_t q = 0; q < QUERIES; q++)
        block.worst[q] = q < block.rows ? INFINITY : -INFINITY;
    for (size_t tile = 0; tile < search->tiles; tile++) {
        search->kernel->many_times(&many, search->tile + tile * TILE * dimensions, space);
        take_tile(&block, tile, space);
    }
    finish(&block);
    return TEMPER_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

static temper_status search_all(struct search *search, size_t threads)
{
    size_t dimensions = search->points.dimensions;
    size_t blocks = (search->points.rows + QUERIES - 1) / QUERIES, each;
    search->product = (size_t)QUERIES * TILE;
    search->scratch = linear_scratch(QUERIES, dimensions, TILE);
    search->nearest = QUERIES * search->count;
    threads = threads > blocks ? blocks : threads;
    each = search->product + search->scratch + search->nearest;
    search->tile = mem_aligned(search->tiles * TILE, dimensions * sizeof *search->tile);
    search->norm = mem_alloc(search->tiles * TILE, sizeof *search->norm);
    search->space = mem_aligned(threads, each * sizeof *search->space);
    if (!search->tile || !search->norm || !search->space)
        return TEMPER_NO_MEMORY;
    fill_tiles(search);
    return parallel_blocks(blocks, threads, run_block, search);
}

temper_status neighbours_find(struct points points, size_t count, size_t threads, uint32_t *index,
                              double *square, temper_error *error)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel)
        return error_set(error, TEMPER_USAGE,
                         "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    struct search search = {.points = points,
                            .count = count,
                            .among = points.rows < NEIGHBOURS_AMONG ? points.rows
                                                                    : (size_t)NEIGHBOURS_AMONG,
                            .kernel = kernel->linear_f32,
                            .index = index,
                            .square = square};
    search.tiles = (search.among + TILE - 1) / TILE;
    temper_status status = search_all(&search, threads);
    mem_free(search.tile);
    mem_free(search.norm);
    mem_free(search.space);
    return status == TEMPER_OK ? TEMPER_OK : error_no_memory(error);
}
