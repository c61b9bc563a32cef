/* duplicates: rows are sorted by a digest; equal digests are compared in full. */
#include "data/duplicates.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#include "data/pages.h"

struct digest {
    uint64_t hash, row;
};

static size_t dense_bytes(const struct matrix *x)
{
    size_t each = x->kind == MATRIX_F64   ? sizeof(double)
                  : x->kind == MATRIX_F32 ? sizeof(float)
                                          : 1;
    return (size_t)x->columns * each;
}

static uint64_t digest_row(const struct matrix *x, uint64_t index)
{
    pages_rows(x, index, 1);
    struct row row = matrix_row(x, index);
    if (x->kind != MATRIX_CSR)
        return XXH64(row.dense, dense_bytes(x), 0);
    uint64_t columns = XXH64(row.column, row.count * sizeof *row.column, 0);
    return XXH64(row.value, row.count * sizeof *row.value, columns);
}

static bool same(const struct matrix *x, uint64_t a, uint64_t b)
{
    pages_row(x, a);
    pages_row(x, b);
    struct row one = matrix_row(x, a), other = matrix_row(x, b);
    if (x->kind != MATRIX_CSR)
        return memcmp(one.dense, other.dense, dense_bytes(x)) == 0;
    return one.count == other.count &&
           memcmp(one.column, other.column, one.count * sizeof *one.column) == 0 &&
           memcmp(one.value, other.value, one.count * sizeof *one.value) == 0;
}

static int by_hash(const void *a, const void *b)
{
    const struct digest *one = a, *other = b;
    if (one->hash != other->hash)
        return one->hash < other->hash ? -1 : 1;
    return one->row < other->row ? -1 : one->row > other->row;
}

/* Within a run of equal digests: against the first of each kind, nearly always the run's own. */
static void compare_run(const struct matrix *x, const struct digest *run, size_t count,
                        uint64_t *first)
{
    for (size_t i = 0; i < count; i++) {
        first[run[i].row] = run[i].row;
        for (size_t j = 0; j < i; j++)
            if (first[run[j].row] == run[j].row && same(x, run[j].row, run[i].row)) {
                first[run[i].row] = run[j].row;
                break;
            }
    }
}

temper_status duplicates_find(const struct matrix *x, uint64_t *first, temper_error *error)
{
    size_t rows = (size_t)x->rows;
    struct digest *digest = mem_alloc(rows, sizeof *digest);
    if (!digest)
        return error_no_memory(error);
    for (size_t i = 0; i < rows; i++)
        digest[i] = (struct digest){digest_row(x, i), i};
    qsort(digest, rows, sizeof *digest, by_hash);
    for (size_t from = 0, to; from < rows; from = to) {
        for (to = from + 1; to < rows && digest[to].hash == digest[from].hash;)
            to++;
        compare_run(x, digest + from, to - from, first);
    }
    mem_free(digest);
    return TEMPER_OK;
}
