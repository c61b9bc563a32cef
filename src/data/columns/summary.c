/* summary: counts of classes, ranges, and constant and duplicate columns, found by hashing all columns in one pass.
 *
 * The hash of a column is a sum over its nonzero entries of a mix of row and value (a commutative set hash), so that
 * the zeros of sparse data need no visit, and rows can be processed in any order by any number of threads. */
#include "data/columns/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/memory/page_window.h"
#include "temper_extra.h"

/* What is known of one column after the pass. */
struct column_hash {
    double low, high; /* including zeros that are not stored; low > high without rows */
    uint64_t hash[2]; /* equal for equal columns; different ones collide with probability 2^-64 */
    uint64_t entries; /* stored */
};

/* The result: one digest for each column that can differ from 0. */
struct column_hashes {
    struct column_hash *digest;
    size_t count;
    uint32_t *column;  /* of each digest, ascending; NULL: digest[j] is that of column j. Columns
                        * without an entry have none where they are far more than the entries */
    uint64_t nonzeros; /* entries that are not 0, in all columns */
};

enum {
    BLOCK_ROWS = 512,
    ENTRIES_A_DIGEST = 16 /* at least, for another thread: its hashes stay small compared with the data */
};

/* The hashes of one thread; added up at the end, which the hash allows in any order. */
struct hash_share {
    struct column_hash *digest;
    double *row; /* dense: one row */
    uint64_t nonzeros;
};

/* One pass over all rows of a matrix. */
struct hash_pass {
    const struct matrix *x;
    const uint32_t *column; /* as in column_hashes */
    size_t count, threads;
    struct hash_share *share; /* of each thread */
};

/* ---- Which columns --------------------------------------------------------------------------- */

static int compare_columns(const void *a, const void *b)
{
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return (first > second) - (first < second);
}

/* Far more columns than entries: one index of two billion must not allocate as many hashes. */
static bool is_wide(const struct matrix *x)
{
    return x->kind == MATRIX_CSR && x->columns / 4 > x->nonzeros + 65536;
}

/* The columns that have entries, ascending, by sorting a copy of all column indices. The caller frees it; NULL without
 * memory. */
static uint32_t *used_columns(const struct matrix *x, size_t *count)
{
    size_t entries = (size_t)x->nonzeros, used = 0;
    uint32_t *column = mem_alloc(entries, sizeof *column);
    if (!column)
        return NULL;
    if (entries > 0) {
        /* A copy of all indices is sorted, not the entries: the matrix may be mapped. */
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

/* The digest of a column: its index, or by binary search where only columns with entries have one. */
static size_t place_of(const struct hash_pass *pass, uint32_t column)
{
    if (!pass->column)
        return column;
    const uint32_t *found = bsearch(&column, pass->column, pass->count, sizeof column, compare_columns);
    return (size_t)(found - pass->column);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The finaliser of splitmix64 (Steele, Lea and Flood 2014): every bit of the result depends on every bit of x. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Adds an entry to range and hash; returns whether it is nonzero (-0 is zero). row_key makes the hash depend on the
 * row: without it, permuted columns would be equal. */
static bool add_value(struct column_hash *digest, double value, uint64_t row_key)
{
    uint64_t bits;
    /* NaN changes neither bound. */
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

/* Zeros change the range but not the hash, so that dense and sparse storage of the same data have equal hashes. */
static void add_dense_row(const struct hash_pass *pass, struct hash_share *share, uint64_t index)
{
    /* Not mix(index): mix(0) = 0, and the first row would have no key. */
    uint64_t key = mix(index + 1);
    matrix_row_f64(pass->x, index, share->row);
    for (size_t j = 0; j < pass->count; j++)
        share->nonzeros += add_value(&share->digest[j], share->row[j], key);
}

/* The cost is proportional to the stored entries; add_zeros extends the ranges afterwards. */
static void add_sparse_row(const struct hash_pass *pass, struct hash_share *share, uint64_t index)
{
    struct row row = matrix_row(pass->x, index);
    uint64_t key = mix(index + 1);
    for (size_t i = 0; i < row.count; i++) {
        struct column_hash *digest = &share->digest[place_of(pass, row_column(&row, i))];
        digest->entries++;
        share->nonzeros += add_value(digest, row_value(&row, i), key);
    }
}

/* Callback of parallel_blocks: BLOCK_ROWS rows into the hashes of this worker. */
static temper_status add_block(void *context, size_t block, size_t worker)
{
    const struct hash_pass *pass = context;
    /* Blocks are fixed ranges of rows; which worker gets one does not matter. */
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

/* ---- The pass -------------------------------------------------------------------------------- */

/* Empty ranges and hashes of one thread; false without memory. pass_free frees them. */
static bool share_start(const struct hash_pass *pass, struct hash_share *share)
{
    share->digest = mem_alloc(pass->count, sizeof *share->digest);
    /* Sparse rows are read in place. */
    share->row = mem_alloc(pass->x->kind == MATRIX_CSR ? 1 : pass->count, sizeof *share->row);
    if (!share->digest || !share->row)
        return false;
    for (size_t j = 0; j < pass->count; j++)
        share->digest[j] = (struct column_hash){.low = INFINITY, .high = -INFINITY};
    return true;
}

/* Sums modulo 2^64, minima and maxima: independent of which thread had which rows. */
static void share_add(const struct hash_pass *pass, struct hash_share *to, const struct hash_share *from)
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

/* Extends ranges by the zeros that sparse rows do not store: a column with fewer entries than rows has at least one. */
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

/* Hashes all columns into share[0]; false without memory. */
static bool pass_run(struct hash_pass *pass)
{
    bool started = true;
    for (size_t i = 0; i < pass->threads && started; i++)
        started = share_start(pass, &pass->share[i]);
    if (!started)
        return false;
    /* Rounded up: the last block may be shorter. */
    size_t blocks = (size_t)((pass->x->rows + BLOCK_ROWS - 1) / BLOCK_ROWS);
    if (parallel_blocks(blocks, pass->threads, add_block, pass) != TEMPER_OK)
        return false; /* no memory for the threads; blocks do not fail */
    for (size_t i = 1; i < pass->threads; i++)
        share_add(pass, &pass->share[0], &pass->share[i]);
    add_zeros(pass->x, pass->share[0].digest, pass->count);
    return true;
}

static void pass_free(struct hash_pass *pass)
{
    for (size_t i = 0; pass->share && i < pass->threads; i++) {
        mem_free(pass->share[i].digest);
        mem_free(pass->share[i].row);
    }
    mem_free(pass->share);
}

/* Every thread has hashes of all columns: more threads than the data has entries for would cost more than they save. */
static size_t useful_threads(const struct matrix *x, size_t count, size_t threads)
{
    /* At least ENTRIES_A_DIGEST entries of data for each digest of a thread. */
    uint64_t most = x->nonzeros / ENTRIES_A_DIGEST / (count ? count : 1);
    if (threads == 0)
        threads = thread_count_default();
    return most < 1 ? 1 : most < threads ? (size_t)most : threads;
}

static void column_hashes_free(struct column_hashes *hashes)
{
    mem_free(hashes->digest);
    mem_free(hashes->column);
}

/* The digests of all columns; the caller frees *out with column_hashes_free. */
static temper_status column_hashes(const struct matrix *x, size_t threads, struct column_hashes *out,
                                   temper_error *error)
{
    struct column_hashes result = {.count = (size_t)x->columns};
    /* Columns without entries get no digest here; they are known to be 0 throughout. */
    if (is_wide(x)) {
        result.column = used_columns(x, &result.count);
        if (!result.column)
            return error_no_memory(error);
    }
    struct hash_pass pass = {.x = x, .column = result.column, .count = result.count};
    pass.threads = useful_threads(x, result.count, threads);
    pass.share = mem_zeroed(pass.threads, sizeof *pass.share);
    if (!pass.share || !pass_run(&pass)) {
        pass_free(&pass);
        column_hashes_free(&result);
        return error_no_memory(error);
    }
    result.digest = pass.share[0].digest;
    result.nonzeros = pass.share[0].nonzeros;
    pass.share[0].digest = NULL; /* moved into the result */
    pass_free(&pass);
    *out = result;
    return TEMPER_OK;
}

/* Without rows low > high: a column without values is not constant. */
static bool column_is_constant(const struct column_hash *digest)
{
    return digest->low == digest->high;
}

/* Layout and element type as reports show them. */
static const char *storage_name(const struct matrix *x)
{
    if (x->kind == MATRIX_CSR)
        return x->value64 ? "sparse float64" : "sparse float32";
    return x->kind == MATRIX_F32 ? "dense float32" : x->kind == MATRIX_F64 ? "dense float64" : "dense uint8";
}

/* ---- Constant columns ------------------------------------------------------------------------ */

/* The index of the column that a digest belongs to. */
static uint64_t column_at(const struct column_hashes *hashes, size_t i)
{
    return hashes->column ? hashes->column[i] : i;
}

/* Lists the first constant columns, numbered from 1. Columns without a digest have no entry: they are 0 throughout. */
static void show_constant(const struct column_hashes *hashes, uint64_t columns, temper_column_list *out)
{
    size_t shown = 0, next = 0;
    for (uint64_t j = 0; j < columns && shown < TEMPER_SUMMARY_SHOWN; j++) {
        /* Digests ascend by column, so that one index runs along. */
        bool has_digest = next < hashes->count && column_at(hashes, next) == j;
        if (!has_digest || column_is_constant(&hashes->digest[next]))
            out->column[shown++] = j + 1;
        next += has_digest;
    }
}

/* Counts all constant columns, but lists TEMPER_SUMMARY_SHOWN of them at most. */
static void find_constant(const struct column_hashes *hashes, uint64_t columns, temper_column_list *out)
{
    /* Columns without a digest are constant. */
    out->count = columns - hashes->count;
    for (size_t i = 0; i < hashes->count; i++)
        out->count += column_is_constant(&hashes->digest[i]);
    if (out->count > 0)
        show_constant(hashes, columns, out);
}

/* ---- Duplicate columns ----------------------------------------------------------------------- */

/* The key by which columns are sorted to find equal ones. */
struct hashed_column {
    uint64_t hash[2];
    uint64_t column;
};

/* By hash, then by column, so that the first of equal columns is the leftmost one. */
static int compare_hashed(const void *a, const void *b)
{
    const struct hashed_column *first = a, *second = b;
    /* The hashes are compared as numbers; their order has no meaning. */
    for (int i = 0; i < 2; i++)
        if (first->hash[i] != second->hash[i])
            return first->hash[i] < second->hash[i] ? -1 : 1;
    return (first->column > second->column) - (first->column < second->column);
}

static bool same_hash(const struct hashed_column *a, const struct hashed_column *b)
{
    return a->hash[0] == b->hash[0] && a->hash[1] == b->hash[1];
}

/* Keeps the TEMPER_SUMMARY_SHOWN leftmost duplicates, sorted by column: an insertion sort, since columns arrive in the
 * order of their hashes. */
static void insert_column(temper_column_list *out, uint64_t column, uint64_t same_as)
{
    /* Position of the new entry if it comes last; it then moves down. */
    size_t at = out->count < TEMPER_SUMMARY_SHOWN ? (size_t)out->count : TEMPER_SUMMARY_SHOWN;
    out->count++;
    for (; at > 0 && out->column[at - 1] > column; at--) {
        if (at == TEMPER_SUMMARY_SHOWN)
            continue; /* the last one is dropped */
        out->column[at] = out->column[at - 1];
        out->same_as[at] = out->same_as[at - 1];
    }
    if (at < TEMPER_SUMMARY_SHOWN) {
        out->column[at] = column;
        out->same_as[at] = same_as;
    }
}

/* Constant columns are reported as such, not as duplicates of each other. */
static size_t list_hashes(const struct column_hashes *hashes, struct hashed_column *list)
{
    size_t count = 0;
    for (size_t i = 0; i < hashes->count; i++) {
        const struct column_hash *d = &hashes->digest[i];
        if (!column_is_constant(d))
            list[count++] = (struct hashed_column){{d->hash[0], d->hash[1]}, column_at(hashes, i)};
    }
    return count;
}

/* Sorts the columns by hash, which makes equal columns neighbours: O(n log n) instead of comparing all pairs. */
static temper_status find_duplicate(const struct column_hashes *hashes, temper_column_list *out, temper_error *error)
{
    struct hashed_column *list = mem_alloc(hashes->count, sizeof *list);
    if (!list)
        return error_no_memory(error);
    size_t count = list_hashes(hashes, list), first = 0;
    /* O(n log n) in the number of columns. */
    qsort(list, count, sizeof *list, compare_hashed);
    for (size_t i = 1; i < count; i++) {
        if (same_hash(&list[i], &list[first]))
            insert_column(out, list[i].column + 1, list[first].column + 1);
        else
            first = i;
    }
    mem_free(list);
    return TEMPER_OK;
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* The range of all values, and of the zeros that are not stored. */
static void find_range(const struct column_hashes *hashes, const struct matrix *x, temper_data_summary *out)
{
    /* Without rows there are no zeros either. */
    bool zeros = hashes->count < x->columns && x->rows > 0; /* columns without an entry */
    out->low = zeros ? 0 : INFINITY;
    out->high = zeros ? 0 : -INFINITY;
    for (size_t i = 0; i < hashes->count; i++) {
        out->low = fmin(out->low, hashes->digest[i].low);
        out->high = fmax(out->high, hashes->digest[i].high);
    }
    out->low += 0.0; /* turns -0 into 0 */
    out->high += 0.0;
}

/* Everything in the summary that needs a pass over the matrix. */
static temper_status summarise_columns(const struct dataset *data, size_t threads, temper_data_summary *out,
                                       temper_error *error)
{
    struct column_hashes hashes;
    TRY(column_hashes(&data->x, threads, &hashes, error));
    out->nonzeros = hashes.nonzeros;
    find_range(&hashes, &data->x, out);
    find_constant(&hashes, data->x.columns, &out->constant);
    temper_status status = find_duplicate(&hashes, &out->duplicate, error);
    column_hashes_free(&hashes);
    return status;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Rows of each class; the array is part of the summary, freed by summary_free. */
static temper_status count_classes(const struct dataset *data, temper_data_summary *out, temper_error *error)
{
    if (!data->label)
        return TEMPER_OK;
    out->classes = data->classes.count;
    out->class_rows = mem_zeroed(out->classes, sizeof *out->class_rows);
    if (!out->class_rows)
        return error_no_memory(error);
    for (uint64_t i = 0; i < data->x.rows; i++)
        out->class_rows[data->label[i]]++;
    return TEMPER_OK;
}

/* Range and sum of the row weights. */
static void summarise_weights(const struct dataset *data, temper_data_summary *out)
{
    out->weighted = data->weight && data->x.rows > 0;
    if (!out->weighted)
        return;
    /* Both bounds start from the first row. */
    out->weight_low = out->weight_high = data->weight[0];
    for (uint64_t i = 0; i < data->x.rows; i++) {
        out->weight_low = fmin(out->weight_low, data->weight[i]);
        out->weight_high = fmax(out->weight_high, data->weight[i]);
        out->weight_sum += data->weight[i];
    }
}

/* Bytes of the arrays that grow with the rows; class names and schema are negligible. */
static uint64_t memory_of(const struct dataset *data)
{
    uint64_t a_row = (data->label ? sizeof *data->label : 0) + (data->weight ? sizeof *data->weight : 0) +
                     (data->line ? sizeof *data->line : 0);
    return matrix_bytes(&data->x) + data->x.rows * a_row;
}

/* *out is written on success only; the caller frees it with summary_free. */
temper_status dataset_summary(const struct dataset *data, size_t threads, temper_data_summary *out, temper_error *error)
{
    /* Counts that need no pass over the data. */
    temper_data_summary summary = {
        .storage = storage_name(&data->x),
        .compression = data->file.compression,
        .rows = data->x.rows,
        .features = data->x.columns,
        .stored = data->x.nonzeros,
        .bytes = memory_of(data),
        .missing_filled = data->file.missing_filled,
        .missing_dropped = data->file.missing_dropped,
    };
    temper_status status = summarise_columns(data, threads, &summary, error);
    if (status == TEMPER_OK)
        status = count_classes(data, &summary, error);
    if (status != TEMPER_OK)
        return status;
    summarise_weights(data, &summary);
    *out = summary;
    return TEMPER_OK;
}

void summary_free(temper_data_summary *summary)
{
    if (!summary)
        return;
    mem_free(summary->class_rows);
    summary->class_rows = NULL;
}
