/* fingerprint: a 128-bit hash (XXH3) of a dataset, by which checkpoints and models recognise their data. Rows are
 * hashed in blocks by all threads and processes; the hash of the block hashes, in their order, is the fingerprint. It
 * is written to model files, so that it must not depend on the number
 * of threads or processes. */
#include <stdio.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* a state on the stack */
#include <xxhash.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/dist/row_partition.h"
#include "data/memory/page_window.h"
#include "train/train.h"

/* Rows of a block; bytes that are hashed at once; numbers that are converted at once, on the stack. */
enum { BLOCK_ROWS = 4096, PIECE = 1 << 19, NARROWED = 1024 };

/* The context of hash_block. Blocks are within the parts of the row partition, so that one process has all rows of a
 * block. */
struct digest_job {
    const struct dataset *data;
    struct row_partition parts;
    size_t part_blocks;  /* blocks of a part */
    XXH64_hash_t *block; /* hashes of the blocks of this process */
};

/* The hash of an array within the matrix. In pieces, each announced to the page window, so that a mapped file need not
 * be in memory at once; `behind` is the end of the array, up to which the next blocks will read. XXH3 as a stream: the
 * hash of the pieces is that of the whole array. */
static XXH64_hash_t hash_bytes(const struct matrix *x, const void *bytes, size_t length, const void *behind)
{
    XXH3_state_t state;
    const char *at = bytes, *end = at + length;
    if (length <= PIECE && !x->pages)
        return XXH3_64bits(bytes, length);
    XXH3_64bits_reset(&state);
    while (at < end) {
        size_t left = (size_t)(end - at), piece = left < PIECE ? left : PIECE;
        if (x->pages)
            page_window_bytes(x->pages, at, piece, behind);
        XXH3_64bits_update(&state, at, piece);
        at += piece;
    }
    return XXH3_64bits_digest(&state);
}

/* Dense rows are consecutive bytes. The type of the numbers is part of the shape (hash_all). */
static XXH64_hash_t hash_dense(const struct matrix *x, size_t from, size_t count)
{
    size_t size = x->kind == MATRIX_F32 ? sizeof(float) : x->kind == MATRIX_F64 ? sizeof(double) : sizeof(uint8_t);
    size_t row = (size_t)x->columns * size;
    const char *dense = x->dense;
    return hash_bytes(x, dense + from * row, count * row, dense + (size_t)x->rows * row);
}

/* Column indices of `entries` entries from `start` on, hashed as 32-bit integers: the same data has the same
 * fingerprint whatever type its indices are stored in. */
static XXH64_hash_t hash_columns(const struct matrix *x, uint64_t start, uint64_t entries)
{
    uint32_t narrow[NARROWED];
    XXH3_state_t state;
    if (x->column)
        return hash_bytes(x, x->column + start, entries * sizeof *x->column, x->column + x->nonzeros);
    XXH3_64bits_reset(&state);
    for (uint64_t done = 0, count; done < entries; done += count) {
        count = entries - done < NARROWED ? entries - done : NARROWED;
        for (uint64_t i = 0; i < count; i++)
            narrow[i] = (uint32_t)x->column64[start + done + i];
        XXH3_64bits_update(&state, narrow, count * sizeof *narrow);
    }
    return XXH3_64bits_digest(&state);
}

/* Whether no number changes when it is converted to a float and back. */
static bool are_floats(const double *value, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if ((double)(float)value[i] != value[i])
            return false;
    return true;
}

/* Values of sparse entries. Doubles that are all exact floats are hashed as floats, so that data which was read into
 * either type has the same fingerprint. */
static XXH64_hash_t hash_values(const struct matrix *x, uint64_t start, uint64_t entries)
{
    float narrow[NARROWED];
    XXH3_state_t state;
    if (x->value)
        return hash_bytes(x, x->value + start, entries * sizeof *x->value, x->value + x->nonzeros);
    const double *value = x->value64 + start;
    /* Rounded values would make different data look the same. */
    if (!are_floats(value, entries))
        return hash_bytes(x, value, entries * sizeof *value, NULL);
    XXH3_64bits_reset(&state);
    for (uint64_t done = 0, count; done < entries; done += count) {
        count = entries - done < NARROWED ? entries - done : NARROWED;
        for (uint64_t i = 0; i < count; i++)
            narrow[i] = (float)value[done + i];
        XXH3_64bits_update(&state, narrow, count * sizeof *narrow);
    }
    return XXH3_64bits_digest(&state);
}

/* A block of sparse rows. Row lengths are hashed instead of row starts, so that the position of the rows in the arrays
 * of a process does not matter. */
static XXH64_hash_t hash_sparse(const struct matrix *x, size_t from, size_t count)
{
    if (x->pages && !x->row_start32)
        page_window_bytes(x->pages, x->row_start + from, (count + 1) * sizeof *x->row_start, NULL);
    uint64_t start = matrix_start(x, from), entries = matrix_start(x, from + count) - start;
    XXH64_hash_t parts[3] = {hash_columns(x, start, entries), hash_values(x, start, entries), 0};
    for (size_t row = from; row < from + count; row++) {
        uint64_t length = matrix_start(x, row + 1) - matrix_start(x, row);
        parts[2] = XXH3_64bits_withSeed(&length, sizeof length, parts[2]);
    }
    return XXH3_64bits(parts, sizeof parts);
}

/* One block of rows: features, labels and weights. Blocks beyond the end of a shorter last part are 0. */
static temper_status hash_block(void *context, size_t block, size_t worker)
{
    const struct digest_job *digests = context;
    const struct dataset *data = digests->data;
    /* The rows [from, from + count) of the block, which must not reach beyond its part or the data. */
    size_t start = block / digests->part_blocks * digests->parts.rows_each;
    size_t from = start + block % digests->part_blocks * BLOCK_ROWS;
    size_t end = start + digests->parts.rows_each, rows = (size_t)data->x.rows;
    end = end < rows ? end : rows;
    size_t left = from < end ? end - from : 0, count = left < BLOCK_ROWS ? left : BLOCK_ROWS;
    (void)worker;
    digests->block[block] = 0;
    if (count == 0)
        return TEMPER_OK; /* the last part is shorter */
    /* A hash of three hashes; labels or weights that the data does not have count as 0. */
    XXH64_hash_t parts[3] = {
        data->x.kind == MATRIX_CSR ? hash_sparse(&data->x, from, count) : hash_dense(&data->x, from, count), 0, 0};
    if (data->label)
        parts[1] = XXH3_64bits(data->label + from, count * sizeof *data->label);
    if (data->weight)
        parts[2] = XXH3_64bits(data->weight + from, count * sizeof *data->weight);
    digests->block[block] = XXH3_64bits(parts, sizeof parts);
    return TEMPER_OK;
}

/* The fingerprint from all block hashes. The seed is a hash of the shape and the class names, so that equal bytes of
 * different meaning have different fingerprints. */
static XXH128_hash_t hash_all(const struct dataset *data, const XXH64_hash_t *block, size_t blocks)
{
    XXH64_hash_t names = 0;
    for (size_t c = 0; c < data->classes.count; c++)
        names = XXH3_64bits_withSeed(data->classes.name[c], strlen(data->classes.name[c]) + 1, names);
    uint64_t shape[] = {data->x.kind, dataset_all_rows(data), data->x.columns, dataset_all_nonzeros(data), names};
    return XXH3_128bits_withSeed(block, blocks * sizeof *block, XXH3_64bits(shape, sizeof shape));
}

/* All-gathers the block hashes of all processes, in the order of the blocks; bytes[r] is what process r contributes. */
static temper_status gather(const struct digest_job *digests, XXH64_hash_t *all, temper_error *error)
{
    const temper_comm *comm = digests->data->ranks.comm;
    size_t *bytes = row_partition_holders(&digests->parts, comm);
    if (!bytes)
        return error_no_memory(error);
    for (size_t r = 0; r < comm_size(comm); r++)
        bytes[r] = (bytes[r + 1] - bytes[r]) * digests->part_blocks * sizeof *all;
    temper_status status = comm_gather(comm, digests->block, bytes, all, error);
    mem_free(bytes);
    return status;
}

/* Blocks are numbered by parts, which do not depend on the number of processes: so the fingerprint does not either.
 * Each process hashes the blocks of its own parts; 8 bytes for each block are gathered, and every process computes the
 * hash of all of them. */
temper_status dataset_fingerprint(const struct dataset *data, size_t threads, char hex[33], temper_error *error)
{
    struct digest_job digests = {.data = data, .parts = row_partition_of(data)};
    threads = threads_worth(threads, (double)data->x.nonzeros);
    size_t rank = comm_rank(data->ranks.comm), ranks = comm_size(data->ranks.comm);
    digests.part_blocks = (digests.parts.rows_each + BLOCK_ROWS - 1) / BLOCK_ROWS;
    /* Every part has the same number of blocks, so that the position of a block follows from its number. */
    size_t blocks = digests.parts.count * digests.part_blocks;
    size_t own =
        (row_partition_first(&digests.parts, rank + 1, ranks) - row_partition_first(&digests.parts, rank, ranks)) *
        digests.part_blocks;
    XXH64_hash_t *all = mem_alloc(blocks, sizeof *all);
    digests.block = mem_alloc(own, sizeof *digests.block);
    temper_status status = TEMPER_NO_MEMORY;
    if (all && digests.block && parallel_blocks(own, threads, hash_block, &digests) == TEMPER_OK)
        status = gather(&digests, all, error);
    else
        error_no_memory(error);
    if (status == TEMPER_OK) {
        XXH128_hash_t hash = hash_all(data, all, blocks);
        snprintf(hex, 33, "%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
    }
    mem_free(digests.block);
    mem_free(all);
    return status;
}
