/* fingerprint: tells whether two datasets are the same, for checkpoints and models. */
#include <stdio.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* a state on the stack */
#include <xxhash.h>

#include "base/memory.h"
#include "base/thread.h"
#include "run/training.h"

enum { BLOCK_ROWS = 4096 };

struct digests {
    const struct dataset *data;
    XXH64_hash_t *block;
};

static XXH64_hash_t hash_dense(const struct matrix *x, size_t from, size_t count)
{
    size_t size = x->kind == MATRIX_F32   ? sizeof(float)
                  : x->kind == MATRIX_F64 ? sizeof(double)
                                          : sizeof(uint8_t);
    size_t row = (size_t)x->columns * size;
    return XXH3_64bits((const char *)x->dense + from * row, count * row);
}

/* Rows by their lengths, so that where a row begins in the arrays does not matter. */
static XXH64_hash_t hash_sparse(const struct matrix *x, size_t from, size_t count)
{
    uint64_t start = x->row_start[from], entries = x->row_start[from + count] - start;
    XXH64_hash_t parts[3] = {XXH3_64bits(x->column + start, entries * sizeof *x->column),
                             XXH3_64bits(x->value + start, entries * sizeof *x->value), 0};
    for (size_t row = from; row < from + count; row++) {
        uint64_t length = x->row_start[row + 1] - x->row_start[row];
        parts[2] = XXH3_64bits_withSeed(&length, sizeof length, parts[2]);
    }
    return XXH3_64bits(parts, sizeof parts);
}

static temper_status hash_block(void *context, size_t block, size_t worker)
{
    const struct digests *digests = context;
    const struct dataset *data = digests->data;
    size_t from = block * BLOCK_ROWS, left = (size_t)data->x.rows - from;
    size_t count = left < BLOCK_ROWS ? left : BLOCK_ROWS;
    (void)worker;
    XXH64_hash_t parts[3] = {data->x.kind == MATRIX_CSR ? hash_sparse(&data->x, from, count)
                                                        : hash_dense(&data->x, from, count),
                             0, 0};
    if (data->label)
        parts[1] = XXH3_64bits(data->label + from, count * sizeof *data->label);
    if (data->weight)
        parts[2] = XXH3_64bits(data->weight + from, count * sizeof *data->weight);
    digests->block[block] = XXH3_64bits(parts, sizeof parts);
    return TEMPER_OK;
}

/* The shape and the names of the classes in front, so that equal bytes of other meaning differ. */
static XXH128_hash_t hash_all(const struct digests *digests, size_t blocks)
{
    const struct dataset *data = digests->data;
    XXH64_hash_t names = 0;
    for (size_t c = 0; c < data->classes.count; c++)
        names =
            XXH3_64bits_withSeed(data->classes.name[c], strlen(data->classes.name[c]) + 1, names);
    uint64_t shape[] = {data->x.kind, data->x.rows, data->x.columns, data->x.nonzeros, names};
    return XXH3_128bits_withSeed(digests->block, blocks * sizeof *digests->block,
                                 XXH3_64bits(shape, sizeof shape));
}

temper_status dataset_fingerprint(const struct dataset *data, size_t threads, char hex[33],
                                  temper_error *error)
{
    size_t blocks = ((size_t)data->x.rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
    struct digests digests = {data, mem_alloc(blocks, sizeof *digests.block)};
    if (!digests.block || parallel_blocks(blocks, threads, hash_block, &digests) != TEMPER_OK) {
        mem_free(digests.block);
        return error_no_memory(error);
    }
    XXH128_hash_t hash = hash_all(&digests, blocks);
    snprintf(hex, 33, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
    mem_free(digests.block);
    return TEMPER_OK;
}
