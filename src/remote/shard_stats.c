/* shard_stats: the statistics of a shard: computed by the worker that holds its rows, sent to the coordinator as a
 * message, and merged there with those of all other shards. They are all that the coordinator needs to decide on
 * classes, scaling and penalty; rows never leave their worker. */
#include "remote/shard_stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "base/memory.h"
#include "data/classes.h"
#include "data/dist/scatter_rows.h"
#include "data/schema.h"
#include "temper_extra.h"
#include "train/train.h"

/* Leaves statistics that may be freed again. */
void shard_stats_free(struct shard_stats *stats)
{
    classes_free(&stats->classes);
    mem_free(stats->class_weight);
    names_free(&stats->features);
    column_stats_free(&stats->sums);
    *stats = (struct shard_stats){0};
}

/* ---- Computing them ------------------------------------------------------------------------------ */

/* Refuses features that depend on the other rows of a table: texts, of which each shard would make another set of
 * features, and means for missing values. */
static temper_status refuse_table(const struct schema *schema, temper_error *error)
{
    /* `own`: features that only this shard has. */
    bool own = schema && schema->missing == SCHEMA_MEAN;
    for (size_t c = 0; schema && c < schema->columns; c++)
        own = own || schema->column[c].texts.count > 0;
    if (!own)
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE,
                     "the features of a shard with text columns or filled-in means are not those "
                     "of another one; make numbers of all rows first, with temper convert");
}

/* Refuses what cannot be a shard: rows distributed by MPI, rows without labels, and features that depend on the other
 * rows. */
static temper_status check_shard(const struct dataset *data, temper_error *error)
{
    temper_status status = scatter_refuse(data, "a survey", error);
    if (status != TEMPER_OK)
        return status;
    if (!data->label)
        return error_set(error, TEMPER_BAD_DATA,
                         "a shard has no labels to learn from; give a label for each of its rows");
    return refuse_table(data->schema, error);
}

/* Adds up the row weights: of each class, and of all. */
static void add_weights(const struct dataset *data, struct shard_stats *out)
{
    for (uint64_t row = 0; row < data->x.rows; row++) {
        /* In the order of the rows, so that the sums have the same bits in every run. */
        double weight = data->weight ? data->weight[row] : 1;
        out->class_weight[data->label[row]] += weight;
        out->weight_sum += weight;
    }
}

/* A copy of a list of names; the list is zeroed first, so that one that is not complete can be freed. */
static temper_status copy_names(const struct names *from, struct names *to, temper_error *error)
{
    if (from->count == 0)
        return TEMPER_OK;
    /* The count is set first: names_free frees the names so far, the others being NULL. */
    *to = (struct names){(char **)mem_zeroed(from->count, sizeof *to->name), from->count};
    for (size_t j = 0; to->name && j < from->count; j++) {
        size_t size = strlen(from->name[j]) + 1;
        if (!(to->name[j] = mem_alloc(size, 1)))
            return error_no_memory(error);
        memcpy(to->name[j], from->name[j], size);
    }
    return to->name ? TEMPER_OK : error_no_memory(error);
}

/* Minimum, maximum, weighted mean and variance of each column, in two passes over the rows. */
static temper_status sum_columns(const struct dataset *data, size_t threads, struct column_stats *sums,
                                 temper_error *error)
{
    struct negative_entry negative; /* matters for logarithms only */
    struct sum_task task = {.data = data, .count = (size_t)data->x.rows, .variances = true, .threads = threads};
    return column_stats(&task, sums, &negative, error);
}

/* Fills the statistics; on failure *out has to be freed. The fingerprint identifies the rows, so that a resumed
 * training notices other data. */
static temper_status fill(const struct dataset *data, size_t threads, struct shard_stats *out, temper_error *error)
{
    temper_status status = classes_copy(&data->classes, &out->classes, error);
    if (status == TEMPER_OK)
        status = copy_names(&data->features, &out->features, error);
    if (status != TEMPER_OK)
        return status;
    /* One number for each class of this shard; other shards may have more. */
    out->class_weight = mem_zeroed(out->classes.count, sizeof *out->class_weight);
    if (!out->class_weight)
        return error_no_memory(error);
    add_weights(data, out);
    status = sum_columns(data, threads, &out->sums, error);
    return status == TEMPER_OK ? dataset_fingerprint(data, threads, out->fingerprint, error) : status;
}

/* The statistics of the rows of a worker. *out is untouched on failure. Two passes over the rows, for means and
 * deviations from them; the result has a size that depends on columns and classes, not on rows. */
temper_status shard_stats_compute(const struct dataset *data, size_t threads, struct shard_stats *out,
                                  temper_error *error)
{
    struct shard_stats stats = {
        .rows = data->x.rows, .nonzeros = data->x.nonzeros, .columns = data->x.columns, .kind = data->x.kind};
    temper_status status = check_shard(data, error);
    if (status != TEMPER_OK)
        return status;
    status = fill(data, threads, &stats, error);
    if (status != TEMPER_OK) {
        shard_stats_free(&stats);
        return status;
    }
    *out = stats;
    return TEMPER_OK;
}

/* ---- As a message ----------------------------------------------------------------------------- */

/* Appends everything but the column statistics to a message; the order is that of shard_stats_get. A plan contains this
 * part too. */
void shard_stats_put(struct text *out, const struct shard_stats *stats)
{
    wire_put_count(out, stats->rows);
    wire_put_count(out, stats->nonzeros);
    wire_put_count(out, stats->columns);
    wire_put_count(out, stats->kind);
    wire_put_number(out, stats->weight_sum);
    /* Lists come after their counts, by which the reader allocates. */
    wire_put_text(out, stats->fingerprint);
    wire_put_count(out, stats->classes.count);
    for (size_t c = 0; c < stats->classes.count; c++)
        wire_put_text(out, stats->classes.name[c]);
    wire_put_numbers(out, stats->class_weight, stats->classes.count);
    wire_put_count(out, stats->features.count);
    for (size_t j = 0; j < stats->features.count; j++)
        wire_put_text(out, stats->features.name[j]);
}

/* Appends the column statistics: four arrays of `columns` numbers. */
void shard_stats_put_sums(struct text *out, const struct shard_stats *stats)
{
    size_t columns = (size_t)stats->columns;
    wire_put_numbers(out, stats->sums.low, columns);
    wire_put_numbers(out, stats->sums.high, columns);
    wire_put_numbers(out, stats->sums.mean, columns);
    wire_put_numbers(out, stats->sums.variance, columns);
}

/* Reads the classes and their weights. Names must be distinct and in the spelling that classes_add gives them, so that
 * class c gets the number c. False: out of memory. */
static bool get_classes(struct wire_reader *record, struct shard_stats *out)
{
    size_t count = wire_take_length(record, 1);
    for (size_t c = 0; c < count && !record->failed; c++) {
        const char *name = wire_take_text(record);
        /* A repeated name, or one in another spelling, gets another number than c. */
        uint32_t number = name ? classes_add(&out->classes, name, strlen(name)) : 0;
        if (number == CLASSES_NO_MEMORY)
            return false;
        record->failed = record->failed || number != c;
    }
    if (record->failed)
        return true;
    out->class_weight = mem_alloc(count, sizeof *out->class_weight);
    if (out->class_weight)
        wire_take_numbers(record, out->class_weight, count);
    return out->class_weight != NULL;
}

/* Reads the feature names: as many as columns, or none. False: out of memory. Pointers into the message are collected
 * first, and copied together: a message that ends early then leaves nothing half copied. */
static bool get_features(struct wire_reader *record, struct shard_stats *out)
{
    struct names names = {.count = wire_take_length(record, 1)};
    temper_error error;
    record->failed = record->failed || (names.count > 0 && names.count != out->columns);
    if (names.count == 0 || record->failed)
        return true;
    names.name = (char **)mem_zeroed(names.count, sizeof *names.name);
    for (size_t j = 0; names.name && j < names.count; j++)
        names.name[j] = (char *)wire_take_text(record); /* points into the message until it is copied */
    bool done = names.name != NULL;
    if (done && !record->failed)
        done = copy_names(&names, &out->features, &error) == TEMPER_OK;
    mem_free((void *)names.name);
    return done;
}

/* Reads what shard_stats_put has written. A message may come from anywhere: every count is checked against the bytes
 * that are left before memory is allocated. Failures of the message are in record->failed; false means out of
 * memory. */
bool shard_stats_get(struct wire_reader *record, struct shard_stats *out)
{
    out->rows = wire_take_count(record);
    out->nonzeros = wire_take_count(record);
    out->columns = wire_take_count(record);
    /* Checked before it becomes an enumeration. */
    uint64_t kind = wire_take_count(record);
    out->weight_sum = wire_take_number(record);
    const char *fingerprint = wire_take_text(record);
    record->failed =
        record->failed || kind > MATRIX_CSR || !fingerprint || strlen(fingerprint) + 1 != sizeof out->fingerprint;
    if (record->failed)
        return true;
    out->kind = (enum matrix_kind)kind;
    memcpy(out->fingerprint, fingerprint, sizeof out->fingerprint);
    return get_classes(record, out) && get_features(record, out);
}

/* Reads the four arrays of column statistics, like shard_stats_get. */
bool shard_stats_get_sums(struct wire_reader *record, struct shard_stats *out)
{
    struct column_stats *sums = &out->sums;
    size_t columns = (size_t)out->columns;
    /* In the order of shard_stats_put_sums. */
    double **const arrays[] = {&sums->low, &sums->high, &sums->mean, &sums->variance};
    if (record->failed || columns > (size_t)(record->end - record->at) / sizeof(double)) {
        record->failed = true; /* before memory is allocated */
        return true;
    }
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (!(*arrays[i] = mem_alloc(columns, sizeof(double))))
            return false;
        wire_take_numbers(record, *arrays[i], columns);
    }
    return true;
}

/* Reads the message of a worker. A message of another version, or a truncated one, is refused as a whole. */
temper_status shard_stats_read(const char *bytes, size_t length, struct shard_stats *out, temper_error *error)
{
    /* Zeroed, so that whatever was read before a failure can be freed. */
    struct shard_stats stats = {0};
    struct wire_reader record;
    temper_status status = TEMPER_BAD_DATA;
    bool opened = wire_open(&record, bytes, length, SHARD_STATS_KIND);
    if (opened && (!shard_stats_get(&record, &stats) || !shard_stats_get_sums(&record, &stats)))
        status = error_no_memory(error);
    else if (opened && wire_done(&record))
        status = TEMPER_OK;
    else
        error_set(error, TEMPER_BAD_DATA,
                  "this is no survey of a shard, or not all of it; send what temper_shard_stats made, "
                  "by this version, as it is");
    if (status != TEMPER_OK) {
        shard_stats_free(&stats);
        return status;
    }
    *out = stats;
    return TEMPER_OK;
}

/* ---- Merging the statistics of all shards, in their order ------------------------------------ */

/* Refuses a shard whose columns differ from those of the shards before it: in number, kind (dense or sparse) or
 * name. */
static temper_status check_alike(const struct shard_stats *all, const struct shard_stats *next, size_t number,
                                 temper_error *error)
{
    /* Types of numbers may differ; the widest one is used for all. */
    bool sparse = all->kind == MATRIX_CSR, sparse_too = next->kind == MATRIX_CSR;
    if (all->columns != next->columns || sparse != sparse_too)
        return error_set(error, TEMPER_BAD_DATA,
                         "shard %zu has %llu %s features, and those before it %llu %s ones; give "
                         "all shards the same columns",
                         number, (unsigned long long)next->columns, sparse_too ? "sparse" : "dense",
                         (unsigned long long)all->columns, sparse ? "sparse" : "dense");
    if (all->features.count != next->features.count)
        return error_set(error, TEMPER_BAD_DATA,
                         "shard %zu %s names of its features, unlike those before it; name the "
                         "columns of all shards or of none",
                         number, next->features.count ? "has" : "has no");
    for (size_t j = 0; j < all->features.count; j++)
        if (strcmp(all->features.name[j], next->features.name[j]) != 0)
            return error_set(error, TEMPER_BAD_DATA,
                             "feature %zu of shard %zu is '%.60s', that of those before it "
                             "'%.60s'; give all shards the same columns in the same order",
                             j + 1, number, next->features.name[j], all->features.name[j]);
    return TEMPER_OK;
}

/* Adds the classes of a shard and their weights. New classes get the next numbers; shard_stats_finish sorts them.
 * Weights are sums over rows, so that those of two shards are added. */
static temper_status merge_classes(struct shard_stats *all, const struct shard_stats *next, temper_error *error)
{
    size_t most = all->classes.count + next->classes.count;
    /* For the case that no class is in both. */
    double *weight = mem_resize(all->class_weight, most, sizeof *weight);
    if (!weight)
        return error_no_memory(error);
    all->class_weight = weight;
    for (size_t c = 0; c < next->classes.count; c++) {
        size_t before = all->classes.count;
        const char *name = next->classes.name[c];
        uint32_t number = classes_add(&all->classes, name, strlen(name));
        if (number == CLASSES_NO_MEMORY)
            return error_no_memory(error);
        if (number == CLASSES_FULL)
            return error_set(error, TEMPER_BAD_DATA, "the shards have more than %d classes together; are these labels?",
                             MOST_CLASSES);
        weight[number] = (number == before ? 0 : weight[number]) + next->class_weight[c];
    }
    return TEMPER_OK;
}

/* Merges the column statistics. Mean and variance of both from those of each (Chan, Golub and LeVeque 1979): the
 * variance is around the mean of both, so that no digits are lost where means are large relative to deviations. A shard
 * without weight has no statistics. */
static void merge_columns(struct shard_stats *all, const struct shard_stats *next)
{
    struct column_stats *to = &all->sums;
    const struct column_stats *from = &next->sums;
    /* `share`: that of the new shard in the weight of both. */
    double sum = all->weight_sum + next->weight_sum, share = next->weight_sum / sum;
    for (size_t j = 0; next->weight_sum > 0 && j < (size_t)all->columns; j++) {
        double difference = from->mean[j] - to->mean[j];
        to->low[j] = fmin(to->low[j], from->low[j]);
        to->high[j] = fmax(to->high[j], from->high[j]);
        to->mean[j] += difference * share;
        to->variance[j] =
            to->variance[j] * (1 - share) + from->variance[j] * share + difference * difference * share * (1 - share);
    }
}

/* The fingerprint of all rows is a hash of both fingerprints, so that the order of the shards matters, as it does for
 * the sums. */
static void merge_fingerprints(struct shard_stats *all, const struct shard_stats *next)
{
    char both[2 * sizeof all->fingerprint];
    memcpy(both, all->fingerprint, sizeof all->fingerprint);
    /* With both terminators, so that all bytes are defined. */
    memcpy(both + sizeof all->fingerprint, next->fingerprint, sizeof next->fingerprint);
    XXH128_hash_t hash = XXH3_128bits(both, sizeof both);
    snprintf(all->fingerprint, sizeof all->fingerprint, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

/* Adds a shard to those before it. Merging is not associative in floating point: the coordinator merges in the order of
 * the shards. The kind becomes the widest of all shards. */
temper_status shard_stats_merge(struct shard_stats *all, const struct shard_stats *next, size_t number,
                                temper_error *error)
{
    temper_status status = check_alike(all, next, number, error);
    if (status == TEMPER_OK)
        status = merge_classes(all, next, error);
    if (status != TEMPER_OK)
        return status;
    /* Before the weights are added: the shares are those of the rows so far. */
    merge_columns(all, next);
    merge_fingerprints(all, next);
    all->kind = next->kind == MATRIX_F64 ? MATRIX_F64 : all->kind;
    all->rows += next->rows;
    all->nonzeros += next->nonzeros;
    all->weight_sum += next->weight_sum;
    return TEMPER_OK;
}

/* Sorts the classes as a file of all rows would have them; their weights follow. number[c] is the new number of class
 * c. */
temper_status shard_stats_finish(struct shard_stats *all, temper_error *error)
{
    size_t classes = all->classes.count;
    /* The order of classes decides which weight vector is whose, so that it must not depend on the shards. */
    uint32_t *number = mem_alloc(classes, sizeof *number);
    double *weight = mem_alloc(classes, sizeof *weight);
    temper_status status = number && weight ? classes_sort(&all->classes, number, error) : error_no_memory(error);
    for (size_t c = 0; status == TEMPER_OK && c < classes; c++)
        weight[number[c]] = all->class_weight[c];
    if (status == TEMPER_OK)
        memcpy(all->class_weight, weight, classes * sizeof *weight);
    mem_free(number);
    mem_free(weight);
    return status;
}
