/* shard_stats_merge: the surveys of all shards as one, in the order of the shards. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "base/memory.h"
#include "remote/shard_stats.h"

/* ---- Refusals -------------------------------------------------------------------------------- */

static temper_status check_alike(const struct shard_stats *all, const struct shard_stats *next, size_t number,
                                 temper_error *error)
{
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

/* ---- Sums ------------------------------------------------------------------------------------ */

static temper_status join_classes(struct shard_stats *all, const struct shard_stats *next, temper_error *error)
{
    size_t most = all->classes.count + next->classes.count;
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

/* Mean and variance of both from those of each: around the mean of both, so that nothing is lost
 * where the means are large beside the deviations. */
static void join_columns(struct shard_stats *all, const struct shard_stats *next)
{
    struct column_stats *to = &all->sums;
    const struct column_stats *from = &next->sums;
    double sum = all->weight_sum + next->weight_sum, share = next->weight_sum / sum;
    for (size_t j = 0; next->weight_sum > 0 && j < (size_t)all->columns; j++) {
        double apart = from->mean[j] - to->mean[j];
        to->low[j] = fmin(to->low[j], from->low[j]);
        to->high[j] = fmax(to->high[j], from->high[j]);
        to->mean[j] += apart * share;
        to->variance[j] =
            to->variance[j] * (1 - share) + from->variance[j] * share + apart * apart * share * (1 - share);
    }
}

static void join_fingerprints(struct shard_stats *all, const struct shard_stats *next)
{
    char both[2 * sizeof all->fingerprint];
    memcpy(both, all->fingerprint, sizeof all->fingerprint);
    memcpy(both + sizeof all->fingerprint, next->fingerprint, sizeof next->fingerprint);
    XXH128_hash_t hash = XXH3_128bits(both, sizeof both);
    snprintf(all->fingerprint, sizeof all->fingerprint, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

temper_status shard_stats_merge(struct shard_stats *all, const struct shard_stats *next, size_t number,
                                temper_error *error)
{
    temper_status status = check_alike(all, next, number, error);
    if (status == TEMPER_OK)
        status = join_classes(all, next, error);
    if (status != TEMPER_OK)
        return status;
    join_columns(all, next);
    join_fingerprints(all, next);
    all->kind = next->kind == MATRIX_F64 ? MATRIX_F64 : all->kind; /* the widest numbers */
    all->rows += next->rows;
    all->nonzeros += next->nonzeros;
    all->weight_sum += next->weight_sum;
    return TEMPER_OK;
}

temper_status shard_stats_finish(struct shard_stats *all, temper_error *error)
{
    size_t classes = all->classes.count;
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
