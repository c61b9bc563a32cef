/* knn: distances between a block of query rows and a tile of points by |x - y|^2 = |x|^2 + |y|^2 - 2 x.y, by a kernel
 * that updates the lists of the queries too. Blocks and tiles are ranges of an order in which rows near
 * each other are near; a block is compared with the tiles whose centres are nearest to its own, nearest first, without
 * those that are too far away to have a neighbour of any query, by the bounding boxes of both. */
#include "audit/knn.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/dispatch/kernel.h"
#include "kernel/small/neighbour_lists.h"

/* ---- Order by recursive median bisection ----------------------------------------------------- */

/* Rows from which variances are estimated; features of one pass over them; ranges that wait to be bisected. */
enum { VARIANCE_ROWS = 512, VARIANCE_FEATURES = 32, DEEPEST = 64 };

/* Coordinate `feature` of a row. */
static float at(struct points points, uint32_t row, size_t feature)
{
    return points.x[row * points.dimensions + feature];
}

/* Fills variance[features] with the sums of squared deviations of the coordinates from `first` on, over an evenly
 * spread sample of VARIANCE_ROWS rows: the bisection needs the widest coordinate roughly, not exactly. */
static void find_variances(struct points points, const uint32_t *order, size_t count, size_t first, size_t features,
                           float *variance)
{
    size_t sample = count < VARIANCE_ROWS ? count : (size_t)VARIANCE_ROWS;
    float sum[VARIANCE_FEATURES] = {0}, square[VARIANCE_FEATURES] = {0};
    for (size_t i = 0; i < sample; i++) {
        /* Evenly spread over the range. */
        const float *x = points.x + order[i * count / sample] * points.dimensions + first;
        for (size_t j = 0; j < features; j++) {
            sum[j] += x[j];
            square[j] += x[j] * x[j];
        }
    }
    for (size_t j = 0; j < features; j++)
        variance[j] = square[j] - sum[j] * sum[j] / (float)sample;
}

/* The coordinate of largest variance, the first of equal ones. */
static size_t widest(struct points points, const uint32_t *order, size_t count)
{
    size_t best = 0;
    float most = -1;
    for (size_t first = 0; first < points.dimensions; first += VARIANCE_FEATURES) {
        size_t left = points.dimensions - first, features = left < VARIANCE_FEATURES ? left : VARIANCE_FEATURES;
        float variance[VARIANCE_FEATURES];
        find_variances(points, order, count, first, features, variance);
        for (size_t j = 0; j < features; j++)
            if (variance[j] > most) {
                most = variance[j];
                best = first + j;
            }
    }
    return best;
}

/* Ties by row: a strict order, so that the result does not depend on how quickselect arranges equal values. */
static bool before(struct points points, size_t feature, uint32_t a, uint32_t b)
{
    float x = at(points, a, feature), y = at(points, b, feature);
    return x < y || (x == y && a < b);
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

/* One step of quickselect (Hoare) with Lomuto's partition: the row in the middle is the pivot, and its final
 * position is returned. */
static size_t partition_rows(struct points points, size_t feature, uint32_t *order, size_t count)
{
    size_t position = 0;
    swap(&order[count / 2], &order[count - 1]);
    for (size_t i = 0; i + 1 < count; i++)
        if (before(points, feature, order[i], order[count - 1]))
            swap(&order[position++], &order[i]);
    swap(&order[position], &order[count - 1]);
    return position;
}

/* Rearranges order[count] so that its first `wanted` rows are the smallest by a feature; linear expected time. */
static void select_first(struct points points, size_t feature, uint32_t *order, size_t count, size_t wanted)
{
    while (count > 1) {
        size_t position = partition_rows(points, feature, order, count);
        if (position == wanted)
            return;
        if (position > wanted) {
            count = position;
        } else {
            order += position + 1;
            count -= position + 1;
            wanted -= position + 1;
        }
    }
}

/* An explicit stack of ranges instead of recursion; each range is bisected until it has at most `leaf` rows. The
 * first part has a multiple of `leaf` rows, so that the blocks of queries coincide with leaves. */
void knn_order(struct points points, size_t leaf, uint32_t *order)
{
    size_t from[DEEPEST] = {0}, to[DEEPEST] = {points.rows}, waiting = 1;
    for (size_t i = 0; i < points.rows; i++)
        order[i] = (uint32_t)i;
    while (waiting > 0) {
        size_t first = from[--waiting], count = to[waiting] - first;
        if (count <= leaf || leaf == 0)
            continue;
        /* About half of the leaves go to the first part. */
        size_t half = (count / leaf + 1) / 2 * leaf;
        select_first(points, widest(points, order + first, count), order + first, count, half);
        /* The first part is pushed last and processed next, so that the stack holds one range per level. */
        from[waiting] = first + half;
        to[waiting++] = first + count;
        from[waiting] = first;
        to[waiting++] = first + half;
    }
}

/* ---- Tiles -------------------------------------------------------------------------------------- */

/* Rows of a block; points of a tile; tiles of a group, whose nearest is known. */
enum { QUERIES = NEIGHBOUR_QUERIES, TILE = NEIGHBOUR_POINTS, TILE_GROUP = 8 };
/* A block is compared with one in SHARE_OF_TILES tiles, but with at least LEAST_TILES. With up to LEAST_TILES * TILE
 * = 2560 points that is all of them, and the search is exact. */
enum { LEAST_TILES = 20, SHARE_OF_TILES = 5 };

/* The points, divided into tiles, and the results; read-only for the threads except for index, square and their
 * workspace, in which each block writes entries of its own rows only. */
struct knn_search {
    struct points points;
    size_t count, among, tiles, tried; /* tried: tiles that a block is compared with */
    neighbour_fn *take_tile;
    uint32_t *order;   /* of the rows, by knn_order */
    uint32_t *row;     /* of each point */
    uint32_t *index;   /* result: [row * count + i] */
    double *square;    /* result, of each row: squared distance of its last neighbour */
    float *tile;       /* the points, by feature: [tile][dimension * TILE + point] */
    float *norm;       /* |y|^2 of each, infinite in the padding */
    float *centre;     /* of each tile: [j * tiles + tile] */
    float *low, *high; /* of each tile, its bounding box: [tile * dimensions + j] */
    size_t from;       /* the first block of this process */
    float *workspace;  /* of each worker, with these numbers of floats: */
    size_t nearest, rows, distances;
    uint32_t *listed; /* of each worker: `nearest` rows */
};

/* The row of a point. If there are more than NEIGHBOURS_AMONG rows, points are an evenly spread sample of the order. */
static uint32_t row_of(const struct knn_search *search, size_t point)
{
    return search->order[point * search->points.rows / search->among];
}

/* Transposes the points into tiles, the layout of the kernel, and computes their squared norms. The last tile is
 * padded by points of infinite norm, which are neighbours of no row. */
static void fill_tiles(struct knn_search *search)
{
    size_t dimensions = search->points.dimensions;
    for (size_t i = 0; i < search->tiles * TILE; i++) {
        float *tile = search->tile + i / TILE * TILE * dimensions + i % TILE;
        /* The last tile may be padded. */
        bool real = i < search->among;
        search->row[i] = row_of(search, real ? i : 0);
        const float *x = search->points.x + (size_t)search->row[i] * dimensions;
        float norm = 0;
        for (size_t j = 0; j < dimensions; j++) {
            tile[j * TILE] = real ? x[j] : 0;
            norm += tile[j * TILE] * tile[j * TILE];
        }
        search->norm[i] = real ? norm : INFINITY;
    }
}

/* The mean and the bounding box of the points of each tile, padding excluded. */
static void find_centres(struct knn_search *search)
{
    size_t dimensions = search->points.dimensions;
    for (size_t tile = 0; tile < search->tiles; tile++) {
        size_t left = search->among - tile * TILE, points = left < TILE ? left : (size_t)TILE;
        for (size_t j = 0; j < dimensions; j++) {
            const float *x = search->tile + (tile * dimensions + j) * TILE;
            float sum = 0, low = x[0], high = x[0];
            for (size_t i = 0; i < points; i++) {
                sum += x[i];
                low = x[i] < low ? x[i] : low;
                high = x[i] > high ? x[i] : high;
            }
            search->centre[j * search->tiles + tile] = sum / (float)points;
            search->low[tile * dimensions + j] = low;
            search->high[tile * dimensions + j] = high;
        }
    }
}

/* ---- One block of queries -------------------------------------------------------------------- */

/* A block of queries in progress; its arrays are parts of the workspace of a thread. */
struct query_block {
    const struct knn_search *search;
    size_t rows;
    const uint32_t *row;   /* of each query */
    float *x;              /* their features: [dimension * QUERIES + query]; 0 for unused queries */
    float *tile_distance;  /* of each tile: its squared distance, infinite once it was tried */
    float *group_distance; /* of each TILE_GROUP tiles: the smallest of these distances */
    float *best;           /* lists of values and of rows, as of neighbour_lists.h */
    uint32_t *listed;
    float worst[QUERIES]; /* the last of each list in `best`: a point must be below it */
    float norm[QUERIES];  /* |x|^2 */
    float *low, *high;    /* the bounding box of the queries */
};

/* Copies the lists to the results. Adds the |x|^2 that the comparisons left out to the last distance of each list;
 * rounding may make it negative. */
static void finish(const struct query_block *block)
{
    const struct knn_search *search = block->search;
    size_t stride = neighbour_stride(search->count);
    for (size_t q = 0; q < block->rows; q++) {
        double square = (double)block->worst[q];
        for (size_t j = 0; j < search->points.dimensions; j++)
            square += (double)block->x[j * QUERIES + q] * (double)block->x[j * QUERIES + q];
        search->square[block->row[q]] = fmax(square, 0);
        memcpy(search->index + block->row[q] * search->count, block->listed + q * stride + NEIGHBOUR_PAD,
               search->count * sizeof *search->index);
    }
}

/* The squared distance of each tile's centre from that of the block. */
static void measure_tiles(const struct query_block *block)
{
    const struct knn_search *search = block->search;
    size_t dimensions = search->points.dimensions;
    memset(block->tile_distance, 0, search->tiles * sizeof *block->tile_distance);
    for (size_t j = 0; j < dimensions; j++) {
        /* One coordinate of the mean of the queries. */
        float centre = 0;
        for (size_t q = 0; q < block->rows; q++)
            centre += block->x[j * QUERIES + q];
        centre /= (float)block->rows;
        for (size_t tile = 0; tile < search->tiles; tile++) {
            float off = search->centre[j * search->tiles + tile] - centre;
            block->tile_distance[tile] += off * off;
        }
    }
}

/* The bounding box of the queries, and their squared norms. */
static void measure_queries(struct query_block *block)
{
    memset(block->norm, 0, sizeof block->norm);
    for (size_t j = 0; j < block->search->points.dimensions; j++) {
        const float *x = block->x + j * QUERIES;
        float low = x[0], high = x[0];
        for (size_t q = 0; q < block->rows; q++) {
            block->norm[q] += x[q] * x[q];
            low = x[q] < low ? x[q] : low;
            high = x[q] > high ? x[q] : high;
        }
        block->low[j] = low;
        block->high[j] = high;
    }
}

/* Whether the boxes of the queries and of a tile are further apart than every query is from the last of its list: then
 * the tile has no neighbour of any. FAR_ENOUGH: for rounding. */
static bool is_far(const struct query_block *block, size_t tile)
{
    static const float FAR_ENOUGH = 1.0001F;
    const struct knn_search *search = block->search;
    size_t dimensions = search->points.dimensions;
    const float *low = search->low + tile * dimensions, *high = search->high + tile * dimensions;
    float apart = 0, reach = 0;
    for (size_t q = 0; q < block->rows; q++) {
        float last = block->worst[q] + block->norm[q];
        reach = last > reach ? last : reach;
    }
    for (size_t j = 0; j < dimensions; j++) {
        float above = low[j] - block->high[j], below = block->low[j] - high[j];
        float gap = above > below ? above : below;
        apart += gap > 0 ? gap * gap : 0;
    }
    return apart > FAR_ENOUGH * reach;
}

/* The smallest distance of a group of TILE_GROUP tiles. */
static float least_of(const struct query_block *block, size_t group)
{
    size_t end = (group + 1) * TILE_GROUP < block->search->tiles ? (group + 1) * TILE_GROUP : block->search->tiles;
    float least = INFINITY;
    for (size_t tile = group * TILE_GROUP; tile < end; tile++)
        least = block->tile_distance[tile] < least ? block->tile_distance[tile] : least;
    return least;
}

/* The nearest tile that was not tried yet, the first of equal ones, which is marked as tried: that of the group with
 * the smallest distance. The number of tiles if no other is at a finite distance. */
static size_t next_tile(const struct query_block *block)
{
    size_t groups = (block->search->tiles + TILE_GROUP - 1) / TILE_GROUP, best = 0;
    for (size_t group = 1; group < groups; group++)
        best = block->group_distance[group] < block->group_distance[best] ? group : best;
    size_t tile = best * TILE_GROUP;
    if (!isfinite(block->group_distance[best]))
        return block->search->tiles;
    while (tile + 1 < block->search->tiles && block->tile_distance[tile] > block->group_distance[best])
        tile++;
    block->tile_distance[tile] = INFINITY;
    block->group_distance[best] = least_of(block, best);
    return tile;
}

/* Copies the queries to contiguous memory, as the kernel needs them, and empties their lists. Rows start as valid ones,
 * since no comparison succeeds if products overflow to NAN. Unused queries of the last block accept no point. */
static void begin_block(struct query_block *block)
{
    const struct knn_search *search = block->search;
    size_t dimensions = search->points.dimensions, stride = neighbour_stride(search->count);
    memset(block->x, 0, search->rows * sizeof *block->x);
    for (size_t q = 0; q < block->rows; q++) {
        const float *x = search->points.x + block->row[q] * dimensions;
        for (size_t j = 0; j < dimensions; j++)
            block->x[j * QUERIES + q] = x[j];
    }
    for (size_t i = 0; i < stride; i++) {
        block->best[i] = i < NEIGHBOUR_PAD ? -INFINITY : INFINITY;
        block->listed[i] = search->row[i % search->among];
    }
    for (size_t q = 1; q < QUERIES; q++) {
        memcpy(block->best + q * stride, block->best, stride * sizeof *block->best);
        memcpy(block->listed + q * stride, block->listed, stride * sizeof *block->listed);
    }
    for (size_t q = 0; q < QUERIES; q++)
        block->worst[q] = q < block->rows ? INFINITY : -INFINITY;
    measure_queries(block);
    measure_tiles(block);
    for (size_t group = 0; group * TILE_GROUP < search->tiles; group++)
        block->group_distance[group] = least_of(block, group);
}

/* Searches the neighbours of one block of queries. The result depends on the block only, not on the thread that
 * computes it. */
static temper_status run_block(void *context, size_t number, size_t worker)
{
    const struct knn_search *search = context;
    size_t dimensions = search->points.dimensions, from = (search->from + number) * QUERIES;
    /* The last block may have fewer queries. */
    size_t left = search->points.rows - from;
    uint32_t own[QUERIES] = {0};
    struct query_block block = {.search = search,
                                .rows = left < QUERIES ? left : QUERIES,
                                .row = search->order + from,
                                .best =
                                    search->workspace + worker * (search->nearest + search->rows + search->distances),
                                .listed = search->listed + worker * search->nearest};
    block.x = block.best + search->nearest;
    block.low = block.x + search->rows;
    block.high = block.low + dimensions;
    block.tile_distance = block.high + dimensions;
    block.group_distance = block.tile_distance + search->tiles;
    begin_block(&block);
    memcpy(own, block.row, block.rows * sizeof *own);
    struct neighbour_lists lists = {.count = search->count,
                                    .stride = neighbour_stride(search->count),
                                    .dimensions = dimensions,
                                    .query = block.x,
                                    .own = own,
                                    .value = block.best,
                                    .row = block.listed,
                                    .worst = block.worst};
    for (size_t i = 0; i < search->tried; i++) {
        size_t tile = next_tile(&block);
        if (tile == search->tiles)
            break;
        if (is_far(&block, tile))
            continue;
        search->take_tile(&lists, &(struct neighbour_points){.x = search->tile + tile * TILE * dimensions,
                                                             .norm = search->norm + tile * TILE,
                                                             .row = search->row + tile * TILE});
    }
    finish(&block);
    return TEMPER_OK;
}

/* ---- All queries ------------------------------------------------------------------------------ */

/* The first query of a process, as a position in the order; whole blocks, so that results do not depend on the
 * number of processes. */
static size_t first_query(const struct knn_search *search, size_t rank)
{
    size_t rows = search->points.rows, blocks = (rows + QUERIES - 1) / QUERIES;
    size_t first = blocks * rank / comm_size(search->points.comm) * QUERIES;
    return first < rows ? first : rows;
}

/* Copies indices and distance of the queries [from, to) of the order to a message. */
static void pack(const struct knn_search *search, size_t from, size_t to, char *out)
{
    size_t index = search->count * sizeof *search->index;
    for (size_t i = from; i < to; i++, out += index + sizeof *search->square) {
        memcpy(out, search->index + search->order[i] * search->count, index);
        memcpy(out + index, search->square + search->order[i], sizeof *search->square);
    }
}

/* The inverse of pack, for the messages of all processes, which are in the order of the queries. */
static void unpack(const struct knn_search *search, const char *in)
{
    size_t index = search->count * sizeof *search->index;
    for (size_t i = 0; i < search->points.rows; i++, in += index + sizeof *search->square) {
        memcpy(search->index + search->order[i] * search->count, in, index);
        memcpy(search->square + search->order[i], in + index, sizeof *search->square);
    }
}

/* Gathers the results of all processes; each has those of a range of the order. */
static temper_status gather_results(const struct knn_search *search, temper_error *error)
{
    const temper_comm *comm = search->points.comm;
    size_t each = search->count * sizeof *search->index + sizeof *search->square;
    size_t from = first_query(search, comm_rank(comm)), to = first_query(search, comm_rank(comm) + 1);
    size_t *bytes = mem_alloc(comm_size(comm), sizeof *bytes);
    char *own = mem_alloc(to - from, each), *all = mem_alloc(search->points.rows, each);
    bool allocated = bytes && own && all;
    temper_status status = comm_agree(comm, allocated ? TEMPER_OK : error_no_memory(error), error);
    if (status == TEMPER_OK && allocated) { /* in all processes */
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

/* Allocates the tiles and the workspace of all threads, orders the rows, and searches the blocks of this process.
 * The caller frees the arrays. */
static temper_status search_own(struct knn_search *search, size_t threads, temper_error *error)
{
    size_t dimensions = search->points.dimensions, rank = comm_rank(search->points.comm), each;
    search->from = first_query(search, rank) / QUERIES;
    size_t blocks = (first_query(search, rank + 1) + QUERIES - 1) / QUERIES - search->from;
    search->nearest = QUERIES * neighbour_stride(search->count);
    search->rows = QUERIES * dimensions;
    search->distances = 2 * dimensions + 2 * search->tiles; /* a box before the distances, groups behind them */
    /* No workspace for threads that would have no block. */
    threads = threads > blocks && blocks ? blocks : threads;
    search->distances = (search->distances + NEIGHBOUR_PAD - 1) / NEIGHBOUR_PAD * NEIGHBOUR_PAD; /* stays aligned */
    each = search->nearest + search->rows + search->distances;
    search->order = mem_alloc(search->points.rows, sizeof *search->order);
    search->centre = mem_alloc(search->tiles, 3 * dimensions * sizeof *search->centre);
    search->tile = mem_aligned(search->tiles * TILE, dimensions * sizeof *search->tile);
    search->norm = mem_alloc(search->tiles * TILE, sizeof *search->norm);
    search->row = mem_alloc(search->tiles * TILE, sizeof *search->row);
    search->workspace = mem_aligned(threads, each * sizeof *search->workspace);
    search->listed = mem_aligned(threads, search->nearest * sizeof *search->listed);
    if (!search->order || !search->centre || !search->tile || !search->norm || !search->row || !search->workspace ||
        !search->listed)
        return error_no_memory(error);
    search->low = search->centre + search->tiles * dimensions;
    search->high = search->low + search->tiles * dimensions;
    knn_order(search->points, QUERIES, search->order);
    fill_tiles(search);
    find_centres(search);
    return parallel_blocks(blocks, threads, run_block, search) == TEMPER_OK ? TEMPER_OK : error_no_memory(error);
}

/* Approximate beyond LEAST_TILES tiles: a neighbour in a tile that was not tried is missed. Tiles are compact in
 * space, which makes that rare. */
temper_status knn_find(struct points points, size_t count, size_t threads, uint32_t *index, double *square,
                       temper_error *error)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    struct knn_search search = {.points = points,
                                .count = count,
                                .among = points.rows < NEIGHBOURS_AMONG ? points.rows : (size_t)NEIGHBOURS_AMONG,
                                .take_tile = kernel->neighbours,
                                .index = index,
                                .square = square};
    search.tiles = (search.among + TILE - 1) / TILE;
    /* At least LEAST_TILES, or all if there are fewer. */
    search.tried = search.tiles / SHARE_OF_TILES;
    if (search.tried < LEAST_TILES)
        search.tried = search.tiles < LEAST_TILES ? search.tiles : (size_t)LEAST_TILES;
    temper_status status = comm_agree(points.comm, search_own(&search, threads, error), error);
    if (status == TEMPER_OK && !comm_alone(points.comm))
        status = gather_results(&search, error);
    mem_free(search.order);
    mem_free(search.centre);
    mem_free(search.tile);
    mem_free(search.norm);
    mem_free(search.row);
    mem_free(search.workspace);
    mem_free(search.listed);
    return status;
}
