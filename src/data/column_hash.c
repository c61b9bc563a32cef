/* column_digest: one pass over the rows, each thread with figures of its own, added at the end. */
#include "data/column_hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/memory/page_window.h"

enum {
    BLOCK_ROWS = 512,
    ENTRIES_A_DIGEST = 16 /* at least, for another thread: the figures stay small beside the data */
};

/* What one thread has seen. */
struct share {
    struct column_hash *digest;
    double *row; /* dense: room for one */
    uint64_t nonzeros;
};

struct pass {
    const struct matrix *x;
    const uint32_t *column; /* as in column_hashes */
    size_t count, threads;
    struct share *share; /* of each thread */
};

/* ---- Which columns
 * ------------------------------------------------------------------------------- */

static int compare_columns(const void *a, const void *b)
{
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return (first > second) - (first < second);
}

/* An index of two thousand million on one line must not cost memory for as many columns. */
static bool is_wide(const struct matrix *x)
{
    return x->kind == MATRIX_CSR && x->columns / 4 > x->nonzeros + 65536;
}

/* The columns that have entries, ascending. */
static uint32_t *used_columns(const struct matrix *x, size_t *count)
{
    size_t entries = (size_t)x->nonzeros, used = 0;
    uint32_t *column = mem_alloc(entries, sizeof *column);
    if (!column)
        return NULL;
    if (entries > 0) {
        for (size_t i = 0; i < entries; i++)
            column[i] = matrix_column(x, i);
        qsort(column, entries, sizeof *column, compare_columns);
    }
    for (size_t i = 0; i < entries; i++)
        if (i == 0 || column[i] != column[used - 1])
            column[used++] = column[i];
    *count = used;
    return column;
}

/* Where the figures of a column are; it is there. */
static size_t place_of(const struct pass *pass, uint32_t column)
{
    if (!pass->column)
        return column;
    const uint32_t *found = bsearch(&column, pass->column, pass->count, sizeof column, compare_columns);
    return (size_t)(found - pass->column);
}

/* ---- Rows
 * ---------------------------------------------------------------------------------------- */

/* The finaliser of splitmix64: every bit of the result depends on every bit of x. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Whether the value is not 0; -0 is. */
static bool add_value(struct column_hash *digest, double value, uint64_t row_key)
{
    uint64_t bits;
    if (value < digest->low)
        digest->low = value;
    if (value > digest->high)
        digest->high = value;
    if (value == 0)
        return false;
    memcpy(&bits, &value, sizeof bits);
    uint64_t mixed = mix(bits ^ row_key);
    digest->hash[0] += mixed;
    digest->hash[1] += (mixed ^ mixed >> 29) * 0x9e3779b97f4a7c15u; /* not a multiple of the first */
    return true;
}

static void add_dense_row(const struct pass *pass, struct share *share, uint64_t index)
{
    uint64_t key = mix(index + 1);
    matrix_row_f64(pass->x, index, share->row);
    for (size_t j = 0; j < pass->count; j++)
        share->nonzeros += add_value(&share->digest[j], share->row[j], key);
}

static void add_sparse_row(const struct pass *pass, struct share *share, uint64_t index)
{
    struct row row = matrix_row(pass->x, index);
    uint64_t key = mix(index + 1);
    for (size_t i = 0; i < row.count; i++) {
        struct column_hash *digest = &share->digest[place_of(pass, row_column(&row, i))];
        digest->entries++;
        share->nonzeros += add_value(digest, row_value(&row, i), key);
    }
}

static temper_status add_block(void *context, size_t block, size_t worker)
{
    const struct pass *pass = context;
    uint64_t from = (uint64_t)block * BLOCK_ROWS, to = from + BLOCK_ROWS;
    for (uint64_t i = from; i < to && i < pass->x->rows; i++) {
        page_window_rows(pass->x, i, 1);
        if (pass->x->kind == MATRIX_CSR)
            add_sparse_row(pass, &pass->share[worker], i);
        else
            add_dense_row(pass, &pass->share[worker], i);
    }
    return TEMPER_OK;
}

/* ---- The pass
 * -------------------------------------------------------------------------------------- */

static bool share_start(const struct pass *pass, struct share *share)
{
    share->digest = mem_alloc(pass->count, sizeof *share->digest);
    share->row = mem_alloc(pass->x->kind == MATRIX_CSR ? 1 : pass->count, sizeof *share->row);
    if (!share->digest || !share->row)
        return false;
    for (size_t j = 0; j < pass->count; j++)
        share->digest[j] = (struct column_hash){.low = INFINITY, .high = -INFINITY};
    return true;
}

/* Sums of integers, least and greatest: the same in any order. */
static void share_add(const struct pass *pass, struct share *to, const struct share *from)
{
    to->nonzeros += from->nonzeros;
    for (size_t j = 0; j < pass->count; j++) {
        struct column_hash *a = &to->digest[j];
        const struct column_hash *b = &from->digest[j];
        a->low = fmin(a->low, b->low);
        a->high = fmax(a->high, b->high);
        a->hash[0] += b->hash[0];
        a->hash[1] += b->hash[1];
        a->entries += b->entries;
    }
}

/* Entries that sparse rows leave out are zeros. */
static void add_zeros(const struct matrix *x, struct column_hash *digest, size_t count)
{
    for (size_t j = 0; j < count; j++) {
        if (x->kind != MATRIX_CSR)
            digest[j].entries = x->rows;
        if (digest[j].entries == x->rows)
            continue;
        digest[j].low = fmin(digest[j].low, 0);
        digest[j].high = fmax(digest[j].high, 0);
    }
}

static bool pass_run(struct pass *pass)
{
    bool started = true;
    for (size_t i = 0; i < pass->threads && started; i++)
        started = share_start(pass, &pass->share[i]);
    if (!started)
        return false;
    size_t blocks = (size_t)((pass->x->rows + BLOCK_ROWS - 1) / BLOCK_ROWS);
    if (parallel_blocks(blocks, pass->threads, add_block, pass) != TEMPER_OK)
        return false; /* blocks do not fail: there was no memory for the threads */
    for (size_t i = 1; i < pass->threads; i++)
        share_add(pass, &pass->share[0], &pass->share[i]);
    add_zeros(pass->x, pass->share[0].digest, pass->count);
    return true;
}

static void pass_free(struct pass *pass)
{
    for (size_t i = 0; pass->share && i < pass->threads; i++) {
        mem_free(pass->share[i].digest);
        mem_free(pass->share[i].row);
    }
    mem_free(pass->share);
}

static size_t useful_threads(const struct matrix *x, size_t count, size_t threads)
{
    uint64_t most = x->nonzeros / ENTRIES_A_DIGEST / (count ? count : 1);
    if (threads == 0)
        threads = thread_count_default();
    return most < 1 ? 1 : most < threads ? (size_t)most : threads;
}

temper_status column_hashes(const struct matrix *x, size_t threads, struct column_hashes *out, temper_error *error)
{
    struct column_hashes result = {.count = (size_t)x->columns};
    if (is_wide(x)) {
        result.column = used_columns(x, &result.count);
        if (!result.column)
            return error_no_memory(error);
    }
    struct pass pass = {.x = x, .column = result.column, .count = result.count};
    pass.threads = useful_threads(x, result.count, threads);
    pass.share = mem_zeroed(pass.threads, sizeof *pass.share);
    if (!pass.share || !pass_run(&pass)) {
        pass_free(&pass);
        column_hashes_free(&result);
        return error_no_memory(error);
    }
    result.digest = pass.share[0].digest;
    result.nonzeros = pass.share[0].nonzeros;
    pass.share[0].digest = NULL; /* it is the result's now */
    pass_free(&pass);
    *out = result;
    return TEMPER_OK;
}

void column_hashes_free(struct column_hashes *digests)
{
    mem_free(digests->digest);
    mem_free(digests->column);
}

bool column_is_constant(const struct column_hash *digest)
{
    return digest->low == digest->high;
}
