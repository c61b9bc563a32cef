/* duplicate_rows: looks rows up by a 64-bit hash and compares rows of equal hash in full; with several processes, a
 * 128-bit hash alone decides.
 *
 * The rows are divided by the leading bits of their hashes into buckets, in which they keep their order, and each
 * bucket has a hash table of its own, so that threads share nothing and the tables fit into a cache. The comparison
 * removes collisions, which are rare below 2^32 rows. Rows of other processes are not there to be compared; with 128
 * bits a collision among 2^40 rows has a probability of about 2^-49. A third hash, of the values that are not 0, is the
 * same for dense and sparse rows of any width: folds of the calibration are assigned by it. */
#include "data/duplicate_rows.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/memory/page_window.h"

/* A row with its hash, to be sorted. */
struct row_hash {
    uint64_t hash, row;
};

/* Bytes of a dense row of any element type. */
static size_t dense_bytes(const struct matrix *x)
{
    size_t each = x->kind == MATRIX_F64 ? sizeof(double) : x->kind == MATRIX_F32 ? sizeof(float) : 1;
    return (size_t)x->columns * each;
}

/* The arrays of a CSR row and the sizes of their elements. Rows of one matrix have the same widths, so their bytes can
 * be hashed and compared. */
static const void *columns_of(const struct row *row)
{
    return row->column64 ? (const void *)row->column64 : row->column;
}

static size_t column_size(const struct row *row)
{
    return row->column64 ? sizeof *row->column64 : sizeof *row->column;
}

static const void *values_of(const struct row *row)
{
    return row->value64 ? (const void *)row->value64 : row->value;
}

static size_t value_size(const struct row *row)
{
    return row->value64 ? sizeof *row->value64 : sizeof *row->value;
}

/* A hash of the bytes of a row. CSR: the hash of the columns is the seed of that of the values. 0 and -0 differ, as in
 * same(). */
static uint64_t digest_row(const struct matrix *x, uint64_t index, uint64_t seed)
{
    page_window_rows(x, index, 1);
    struct row row = matrix_row(x, index);
    /* Dense rows are one block of bytes. */
    if (x->kind != MATRIX_CSR)
        return XXH64(row.dense, dense_bytes(x), seed);
    uint64_t columns = XXH64(columns_of(&row), row.count * column_size(&row), seed);
    return XXH64(values_of(&row), row.count * value_size(&row), columns);
}

/* Whether two rows are equal byte by byte. */
static bool same(const struct matrix *x, uint64_t a, uint64_t b)
{
    /* Both rows may be in pages that were dropped. */
    page_window_row(x, a);
    page_window_row(x, b);
    struct row one = matrix_row(x, a), other = matrix_row(x, b);
    if (x->kind != MATRIX_CSR)
        return memcmp(one.dense, other.dense, dense_bytes(x)) == 0;
    return one.count == other.count &&
           memcmp(columns_of(&one), columns_of(&other), one.count * column_size(&one)) == 0 &&
           memcmp(values_of(&one), values_of(&other), one.count * value_size(&one)) == 0;
}

/* ---- One process ----------------------------------------------------------------------------- */

enum {
    MOST_BLOCKS = 64,   /* of rows, which are hashed and divided at a time */
    BLOCK_ROWS = 4096,  /* at least, in all blocks but the last */
    BUCKET_ROWS = 2048, /* that a bucket has on average */
    MOST_BUCKETS = 1024
};

/* The rows of a matrix by buckets. */
struct row_buckets {
    const struct matrix *x;
    uint64_t *first; /* of each row: its hash at first, then the first row of the same content */
    size_t rows, block_rows, blocks, buckets;
    size_t *place;           /* [blocks + 1][buckets]: where the rows of a block in each bucket begin */
    struct row_hash *digest; /* the rows, bucket by bucket, in their order */
};

/* Leading bits of the hash; the tables take trailing ones. */
static size_t bucket_of(const struct row_buckets *all, uint64_t hash)
{
    return (size_t)((hash >> 32) * all->buckets >> 32);
}

static size_t block_end(const struct row_buckets *all, size_t block)
{
    size_t end = (block + 1) * all->block_rows;
    return end < all->rows ? end : all->rows;
}

/* Callback of parallel_blocks: hashes of a block of rows, and how many rows there are of each bucket. */
static temper_status hash_block(void *context, size_t block, size_t worker)
{
    struct row_buckets *all = context;
    size_t *count = all->place + (block + 1) * all->buckets;
    (void)worker;
    for (size_t i = block * all->block_rows; i < block_end(all, block); i++) {
        all->first[i] = digest_row(all->x, i, 0);
        count[bucket_of(all, all->first[i])]++;
    }
    return TEMPER_OK;
}

/* From counts to places: bucket by bucket, and within a bucket block by block. The last line has the ends. */
static void set_places(struct row_buckets *all)
{
    size_t at = 0;
    for (size_t bucket = 0; bucket < all->buckets; bucket++)
        for (size_t block = 0; block <= all->blocks; block++) {
            size_t *place = all->place + block * all->buckets + bucket;
            at += *place;
            *place = at;
        }
}

/* Callback of parallel_blocks: rows of a block to their buckets, in order. */
static temper_status divide_block(void *context, size_t block, size_t worker)
{
    struct row_buckets *all = context;
    size_t *place = all->place + block * all->buckets;
    (void)worker;
    for (size_t i = block * all->block_rows; i < block_end(all, block); i++)
        all->digest[place[bucket_of(all, all->first[i])]++] = (struct row_hash){all->first[i], i};
    return TEMPER_OK;
}

/* Enters a row into the table, whose entries are rows of the bucket, counted from 1; 0: none. Rows of equal hash that
 * differ have an entry each. */
static void enter_row(const struct row_buckets *all, const struct row_hash *bucket, size_t index, size_t *table,
                      size_t mask)
{
    const struct row_hash *row = &bucket[index];
    size_t slot = (size_t)row->hash & mask;
    for (; table[slot] > 0; slot = (slot + 1) & mask) {
        const struct row_hash *other = &bucket[table[slot] - 1];
        if (other->hash == row->hash && same(all->x, other->row, row->row)) {
            all->first[row->row] = other->row;
            return;
        }
    }
    table[slot] = index + 1;
    all->first[row->row] = row->row;
}

/* Callback of parallel_blocks: the first row of each content in a bucket. The last places
 * are the ends of the buckets. */
static temper_status search_bucket(void *context, size_t bucket, size_t worker)
{
    const struct row_buckets *all = context;
    const size_t *end = all->place + all->blocks * all->buckets;
    size_t from = bucket > 0 ? end[bucket - 1] : 0, count = end[bucket] - from, size = 16;
    (void)worker;
    while (size < 2 * count)
        size *= 2;
    size_t *table = mem_zeroed(size, sizeof *table);
    if (!table)
        return TEMPER_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        enter_row(all, all->digest + from, i, table, size - 1);
    mem_free(table);
    return TEMPER_OK;
}

/* Rows of a mapped file are visited by one thread: pages are dropped as it advances. */
static temper_status search_rows(struct row_buckets *all, size_t threads)
{
    size_t hashing = all->x->pages ? 1 : threads_worth(threads, (double)all->x->nonzeros);
    threads = all->x->pages ? 1 : threads_worth(threads, 8 * (double)all->rows);
    TRY(parallel_blocks(all->blocks, hashing, hash_block, all));
    set_places(all);
    TRY(parallel_blocks(all->blocks, threads, divide_block, all));
    return parallel_blocks(all->buckets, threads, search_bucket, all);
}

/* O(n), and memory for one hash and number a row. */
temper_status duplicates_find(const struct matrix *x, size_t threads, uint64_t *first, temper_error *error)
{
    struct row_buckets all = {.x = x, .first = first, .rows = (size_t)x->rows};
    all.block_rows = (all.rows + MOST_BLOCKS - 1) / MOST_BLOCKS;
    all.block_rows = all.block_rows < BLOCK_ROWS ? BLOCK_ROWS : all.block_rows;
    all.blocks = all.rows > 0 ? (all.rows + all.block_rows - 1) / all.block_rows : 1;
    all.buckets = all.rows / BUCKET_ROWS + 1;
    all.buckets = all.buckets < MOST_BUCKETS ? all.buckets : MOST_BUCKETS;
    all.place = mem_zeroed((all.blocks + 1) * all.buckets, sizeof *all.place);
    all.digest = mem_paged(all.rows, sizeof *all.digest);
    temper_status status = TEMPER_NO_MEMORY;
    if (all.place && all.digest)
        status = search_rows(&all, threads);
    mem_free(all.place);
    mem_free(all.digest);
    return status == TEMPER_OK ? TEMPER_OK : error_no_memory(error);
}

/* ---- MPI ------------------------------------------------------------------------------------- */

/* 128 bits: rows of other processes cannot be compared, so collisions must be practically impossible. */
struct wide_row_hash {
    uint64_t hash[2], row;
};

/* By hash, then by row. */
static int by_wide_hash(const void *a, const void *b)
{
    const struct wide_row_hash *one = a, *other = b;
    for (size_t i = 0; i < 2; i++)
        if (one->hash[i] != other->hash[i])
            return one->hash[i] < other->hash[i] ? -1 : 1;
    return one->row < other->row ? -1 : one->row > other->row;
}

/* Sorts, so that rows of equal hash are neighbours with the first row in front, and fills first[]. */
static void find_first(struct wide_row_hash *digest, size_t rows, uint64_t *first)
{
    /* O(n log n) in the number of all rows. */
    qsort(digest, rows, sizeof *digest, by_wide_hash);
    for (size_t i = 0; i < rows; i++) {
        /* The neighbour in front has the same content. */
        bool again = i > 0 && digest[i].hash[0] == digest[i - 1].hash[0] && digest[i].hash[1] == digest[i - 1].hash[1];
        first[digest[i].row] = again ? first[digest[i - 1].row] : digest[i].row;
    }
}

/* duplicates_find over the rows of all processes. Two hashes of each row (two seeds) are gathered in every process,
 * and each sorts all of them: 24 bytes a row in place of the rows themselves. */
temper_status duplicates_of_all(const struct dataset *data, const struct gathered_labels *all_rows, size_t threads,
                                uint64_t *first, temper_error *error)
{
    if (comm_alone(all_rows->comm))
        return duplicates_find(&data->x, threads, first, error);
    struct wide_row_hash *own = mem_alloc(all_rows->own, sizeof *own);
    struct wide_row_hash *all = mem_alloc(all_rows->rows, sizeof *all);
    temper_status status = own && all ? TEMPER_OK : error_no_memory(error);
    status = comm_agree(all_rows->comm, status, error);
    for (size_t i = 0; status == TEMPER_OK && own && i < all_rows->own; i++)
        /* Global row numbers. */
        own[i] = (struct wide_row_hash){{digest_row(&data->x, i, 0), digest_row(&data->x, i, 1)}, all_rows->first + i};
    if (status == TEMPER_OK)
        status = gather_labels(all_rows, own, sizeof *own, all, error);
    if (status == TEMPER_OK && all)
        find_first(all, all_rows->rows, first);
    mem_free(own);
    mem_free(all);
    return status;
}

/* Mixes an entry into a hash; values as floats, so that a row has the same hash in any format. The constants are those
 * of a multiplicative hash, 2^64 divided by the golden ratio, and of the finaliser of SplitMix64. */
static uint64_t mix_entry(uint64_t hash, uint64_t column, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    hash = (hash ^ (column << 32 | bits)) * 0x9E3779B97F4A7C15u;
    return (hash ^ hash >> 31) * 0x94D049BB133111EBu;
}

/* The value of an entry of a dense row of any type. */
static double dense_value(const struct row *row, size_t column)
{
    return row->kind == MATRIX_F64   ? ((const double *)row->dense)[column]
           : row->kind == MATRIX_F32 ? ((const float *)row->dense)[column]
                                     : ((const uint8_t *)row->dense)[column];
}

/* A hash of the entries that are not 0: the same for dense and sparse rows, and for all widths of their numbers. */
static uint64_t hash_values(const struct matrix *x, uint64_t index)
{
    uint64_t hash = 0;
    page_window_rows(x, index, 1);
    struct row row = matrix_row(x, index);
    for (size_t i = 0; i < row.count; i++) {
        uint64_t column = row.dense ? i : row.column64 ? row.column64[i] : row.column[i];
        double value = row.dense ? dense_value(&row, i) : row.value64 ? row.value64[i] : (double)row.value[i];
        if (value != 0)
            hash = mix_entry(hash, column, value);
    }
    return hash ^ hash >> 32;
}

/* Hashes of the rows of this process, being filled by several threads. */
struct own_hashes {
    const struct matrix *x;
    uint64_t *hash;
};

/* Callback of parallel_blocks. */
static temper_status hash_values_block(void *context, size_t block, size_t worker)
{
    const struct own_hashes *own = context;
    size_t from = block * BLOCK_ROWS, left = (size_t)own->x->rows - from;
    (void)worker;
    for (size_t i = from; i < from + (left < BLOCK_ROWS ? left : BLOCK_ROWS); i++)
        own->hash[i] = hash_values(own->x, i);
    return TEMPER_OK;
}

/* `own` is separate, because a gather must not read what it writes. */
temper_status row_hashes_of_all(const struct dataset *data, const struct gathered_labels *all_rows, size_t threads,
                                uint64_t *hash, temper_error *error)
{
    bool alone = comm_alone(all_rows->comm);
    uint64_t *own = alone ? hash : mem_alloc(all_rows->own, sizeof *own);
    temper_status status = comm_agree(all_rows->comm, own ? TEMPER_OK : error_no_memory(error), error);
    if (status == TEMPER_OK && own) {
        struct own_hashes hashes = {&data->x, own};
        threads = data->x.pages ? 1 : threads_worth(threads, (double)data->x.nonzeros);
        status = parallel_blocks((all_rows->own + BLOCK_ROWS - 1) / BLOCK_ROWS, threads, hash_values_block, &hashes);
        status = status == TEMPER_OK ? TEMPER_OK : error_no_memory(error);
    }
    if (alone)
        return status;
    if (status == TEMPER_OK)
        status = gather_labels(all_rows, own, sizeof *own, hash, error);
    mem_free(own);
    return status;
}
