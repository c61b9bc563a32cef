/* summary: counts of classes, ranges, and the columns that teach nothing. */
#include "data/summary.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "data/column_hash.h"

static const char *storage_name(const struct matrix *x)
{
    if (x->kind == MATRIX_CSR)
        return x->value64 ? "sparse float64" : "sparse float32";
    return x->kind == MATRIX_F32 ? "dense float32" : x->kind == MATRIX_F64 ? "dense float64" : "dense uint8";
}

/* ---- Constant columns
 * ----------------------------------------------------------------------------- */

static uint64_t column_at(const struct column_hashes *digests, size_t i)
{
    return digests->column ? digests->column[i] : i;
}

/* The first columns that are constant; those without a digest have no entry, so they are 0. */
static void show_constant(const struct column_hashes *digests, uint64_t columns, temper_columns *out)
{
    size_t shown = 0, next = 0;
    for (uint64_t j = 0; j < columns && shown < TEMPER_SUMMARY_SHOWN; j++) {
        bool has_digest = next < digests->count && column_at(digests, next) == j;
        if (!has_digest || column_is_constant(&digests->digest[next]))
            out->column[shown++] = j + 1;
        next += has_digest;
    }
}

static void find_constant(const struct column_hashes *digests, uint64_t columns, temper_columns *out)
{
    out->count = columns - digests->count;
    for (size_t i = 0; i < digests->count; i++)
        out->count += column_is_constant(&digests->digest[i]);
    if (out->count > 0)
        show_constant(digests, columns, out);
}

/* ---- Duplicate columns
 * ---------------------------------------------------------------------------- */

struct hashed {
    uint64_t hash[2];
    uint64_t column;
};

static int compare_hashed(const void *a, const void *b)
{
    const struct hashed *first = a, *second = b;
    for (int i = 0; i < 2; i++)
        if (first->hash[i] != second->hash[i])
            return first->hash[i] < second->hash[i] ? -1 : 1;
    return (first->column > second->column) - (first->column < second->column);
}

static bool same_hash(const struct hashed *a, const struct hashed *b)
{
    return a->hash[0] == b->hash[0] && a->hash[1] == b->hash[1];
}

/* Keeps the first few in the order of columns, though they come in that of hashes. */
static void offer(temper_columns *out, uint64_t column, uint64_t same_as)
{
    size_t at = out->count < TEMPER_SUMMARY_SHOWN ? (size_t)out->count : TEMPER_SUMMARY_SHOWN;
    out->count++;
    for (; at > 0 && out->column[at - 1] > column; at--) {
        if (at == TEMPER_SUMMARY_SHOWN)
            continue; /* the last one falls out */
        out->column[at] = out->column[at - 1];
        out->same_as[at] = out->same_as[at - 1];
    }
    if (at < TEMPER_SUMMARY_SHOWN) {
        out->column[at] = column;
        out->same_as[at] = same_as;
    }
}

/* Constant columns are told as such, not as duplicates of each other. */
static size_t list_hashes(const struct column_hashes *digests, struct hashed *list)
{
    size_t count = 0;
    for (size_t i = 0; i < digests->count; i++) {
        const struct column_hash *d = &digests->digest[i];
        if (!column_is_constant(d))
            list[count++] = (struct hashed){{d->hash[0], d->hash[1]}, column_at(digests, i)};
    }
    return count;
}

static temper_status find_duplicate(const struct column_hashes *digests, temper_columns *out, temper_error *error)
{
    struct hashed *list = mem_alloc(digests->count, sizeof *list);
    if (!list)
        return error_no_memory(error);
    size_t count = list_hashes(digests, list), first = 0;
    qsort(list, count, sizeof *list, compare_hashed);
    for (size_t i = 1; i < count; i++) {
        if (same_hash(&list[i], &list[first]))
            offer(out, list[i].column + 1, list[first].column + 1);
        else
            first = i;
    }
    mem_free(list);
    return TEMPER_OK;
}

/* ---- Columns
 * --------------------------------------------------------------------------------------- */

static void find_range(const struct column_hashes *digests, const struct matrix *x, temper_summary *out)
{
    bool zeros = digests->count < x->columns && x->rows > 0; /* columns without an entry */
    out->low = zeros ? 0 : INFINITY;
    out->high = zeros ? 0 : -INFINITY;
    for (size_t i = 0; i < digests->count; i++) {
        out->low = fmin(out->low, digests->digest[i].low);
        out->high = fmax(out->high, digests->digest[i].high);
    }
    out->low += 0.0; /* -0 becomes 0 */
    out->high += 0.0;
}

static temper_status sum_up_columns(const struct dataset *data, size_t threads, temper_summary *out,
                                    temper_error *error)
{
    struct column_hashes digests;
    temper_status status = column_hashes(&data->x, threads, &digests, error);
    if (status != TEMPER_OK)
        return status;
    out->nonzeros = digests.nonzeros;
    find_range(&digests, &data->x, out);
    find_constant(&digests, data->x.columns, &out->constant);
    status = find_duplicate(&digests, &out->duplicate, error);
    column_hashes_free(&digests);
    return status;
}

/* ---- Rows
 * ------------------------------------------------------------------------------------------ */

static temper_status count_classes(const struct dataset *data, temper_summary *out, temper_error *error)
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

static void sum_up_weights(const struct dataset *data, temper_summary *out)
{
    out->weighted = data->weight && data->x.rows > 0;
    if (!out->weighted)
        return;
    out->weight_low = out->weight_high = data->weight[0];
    for (uint64_t i = 0; i < data->x.rows; i++) {
        out->weight_low = fmin(out->weight_low, data->weight[i]);
        out->weight_high = fmax(out->weight_high, data->weight[i]);
        out->weight_sum += data->weight[i];
    }
}

static uint64_t memory_of(const struct dataset *data)
{
    uint64_t a_row = (data->label ? sizeof *data->label : 0) + (data->weight ? sizeof *data->weight : 0) +
                     (data->line ? sizeof *data->line : 0);
    return matrix_bytes(&data->x) + data->x.rows * a_row;
}

temper_status dataset_summary(const struct dataset *data, size_t threads, temper_summary *out, temper_error *error)
{
    temper_summary summary = {
        .storage = storage_name(&data->x),
        .compression = data->compression,
        .rows = data->x.rows,
        .features = data->x.columns,
        .stored = data->x.nonzeros,
        .bytes = memory_of(data),
        .missing_filled = data->missing_filled,
        .missing_dropped = data->missing_dropped,
    };
    temper_status status = sum_up_columns(data, threads, &summary, error);
    if (status == TEMPER_OK)
        status = count_classes(data, &summary, error);
    if (status != TEMPER_OK)
        return status;
    sum_up_weights(data, &summary);
    *out = summary;
    return TEMPER_OK;
}

void summary_free(temper_summary *summary)
{
    if (!summary)
        return;
    mem_free(summary->class_rows);
    summary->class_rows = NULL;
}
