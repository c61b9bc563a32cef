/* noise_instance: instance noise: rows keep their label and get the features of rows of other classes.
 *
 * The features come from rows of other classes of the same data, or from a pool of rows whose classes the data does not
 * have, such as other digits. Which rows change is drawn as for symmetric noise: the rows that change at a low rate
 * change at a higher one with the same seed too. Random numbers are indexed by the row, and the pool is shuffled
 * once. */
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "data/classes.h"
#include "data/noise/noise_rows.h"
#include "data/random_streams.h"

/* ---- From a pool ----------------------------------------------------------------------------- */

/* Rows can only be copied between matrices with the same columns and the same storage. */
static temper_status check_pool(const struct dataset *data, const struct dataset *pool, temper_error *error)
{
    char file[PATH_SHOWN];
    /* Both errors name the file of the pool, not that of the data. */
    source_shown(pool, file);
    if (pool->x.columns != data->x.columns)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: rows of %llu features cannot replace rows of %llu; take them from "
                         "data of the same form",
                         file, (unsigned long long)pool->x.columns, (unsigned long long)data->x.columns);
    if (pool->x.kind != data->x.kind)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: its features are stored in another way than those of the data; read "
                         "both from the same format",
                         file);
    return TEMPER_OK;
}

/* outside[c]: whether class c of the pool is one that the data does not have; the caller frees it. Features of a class
 * of the data would be label noise, not instance noise. */
static temper_status outside_classes(const struct dataset *data, const struct dataset *pool, bool **out,
                                     temper_error *error)
{
    size_t classes = pool->classes.count;
    bool *outside = mem_alloc(classes, sizeof *outside);
    if (!outside)
        return error_no_memory(error);
    /* By name, since the two datasets number their classes independently. */
    for (size_t c = 0; c < classes; c++) {
        const char *name = pool->classes.name[c];
        outside[c] = classes_find(&data->classes, name, strlen(name)) == UINT32_MAX;
    }
    *out = outside;
    return TEMPER_OK;
}

/* The usable rows of the pool in a random order; returns their number. A pool without labels is usable as a whole. */
static size_t shuffle_pool(const struct dataset *pool, const bool *outside, uint64_t seed, size_t *order)
{
    /* The whole pool is shuffled before rows are left out: the order of the others is then independent of them. */
    size_t rows = (size_t)pool->x.rows, usable = 0;
    random_permutation((struct random){seed, STREAM_NOISE_POOL}, order, rows);
    for (size_t i = 0; i < rows; i++)
        if (!pool->label || outside[pool->label[order[i]]])
            order[usable++] = order[i];
    return usable;
}

/* Gives each change a row of the pool. The order is that of the pool alone, so that a lower rate uses a prefix of what
 * a higher rate uses. */
static temper_status take_from_pool(const struct dataset *pool, const bool *outside, uint64_t seed, struct noise *noise,
                                    temper_error *error)
{
    char file[PATH_SHOWN];
    size_t *order = mem_alloc((size_t)pool->x.rows, sizeof *order);
    if (!order)
        return error_no_memory(error);
    size_t usable = shuffle_pool(pool, outside, seed, order);
    /* The pool may be smaller than the number of changes. */
    for (size_t i = 0; usable > 0 && i < noise->count; i++)
        noise->change[i].from = order[i % usable]; /* in turn, from the start again when all were used */
    mem_free(order);
    if (usable > 0 || noise->count == 0)
        return TEMPER_OK;
    return error_set(error, TEMPER_BAD_DATA,
                     "%s: no row is of a class that the data does not have; give a pool with other "
                     "classes, or none",
                     source_shown(pool, file));
}

/* Features from a separate dataset, of classes that the data does not have. */
static temper_status use_pool(const struct dataset *data, const struct dataset *pool, uint64_t seed,
                              struct noise *noise, temper_error *error)
{
    bool *outside = NULL;
    temper_status status = check_pool(data, pool, error);
    if (status == TEMPER_OK)
        status = outside_classes(data, pool, &outside, error);
    if (status == TEMPER_OK)
        status = take_from_pool(pool, outside, seed, noise, error);
    mem_free(outside);
    return status;
}

/* ---- From the data itself -------------------------------------------------------------------- */

/* Rows sorted by class. The rows of all classes but one are then two intervals, from which one draw is enough. */
struct class_order {
    size_t *row;
    size_t *end; /* of each class */
};

/* Counting sort by class: O(rows + classes), and stable. */
static void sort_rows(const struct dataset *data, struct class_order *sorted)
{
    size_t classes = data->classes.count, rows = (size_t)data->x.rows, before = 0;
    /* Counts of the classes, in the array that becomes their ends. */
    for (size_t i = 0; i < rows; i++)
        sorted->end[data->label[i]]++;
    for (size_t c = 0; c < classes; c++) { /* first the beginning of each class... */
        size_t count = sorted->end[c];
        sorted->end[c] = before;
        before += count;
    }
    for (size_t i = 0; i < rows; i++) /* ...which filling advances to its end */
        sorted->row[sorted->end[data->label[i]]++] = i;
}

/* A uniformly drawn row of another class; NO_ROW if all rows are of one class. The random number is indexed by the
 * row, so that the draw does not depend on the rate. */
static uint64_t draw_other(const struct dataset *data, const struct class_order *sorted, uint64_t row, uint64_t seed)
{
    uint32_t c = data->label[row];
    /* The interval of the row's own class in the sorted order. */
    size_t from = c ? sorted->end[c - 1] : 0, own = sorted->end[c] - from;
    size_t others = (size_t)data->x.rows - own;
    if (others == 0)
        return NO_ROW;
    size_t drawn = (size_t)random_below((struct random){seed, STREAM_NOISE_POOL}, row, others);
    /* Skips the interval of the row's own class. */
    return sorted->row[drawn < from ? drawn : drawn + own];
}

/* Draws a row for each change; checks the allocations of its caller. */
static temper_status draw_all(const struct dataset *data, struct class_order *sorted, uint64_t seed,
                              struct noise *noise, temper_error *error)
{
    if (!sorted->row || !sorted->end)
        return error_no_memory(error);
    sort_rows(data, sorted);
    for (size_t i = 0; i < noise->count; i++) {
        noise->change[i].from = draw_other(data, sorted, noise->change[i].row, seed);
        if (noise->change[i].from == NO_ROW)
            return noise_too_few(data, noise->count, 0, "beside rows of another class", error);
    }
    return TEMPER_OK;
}

/* Features from rows of the other classes of the data. */
static temper_status use_data(const struct dataset *data, uint64_t seed, struct noise *noise, temper_error *error)
{
    struct class_order sorted = {.row = mem_alloc((size_t)data->x.rows, sizeof *sorted.row),
                                 .end = mem_zeroed(data->classes.count, sizeof *sorted.end)};
    temper_status status = draw_all(data, &sorted, seed, noise, error);
    mem_free(sorted.row);
    mem_free(sorted.end);
    return status;
}

/* Instance noise: chosen rows keep their label and get the features of a row of another class, or of the pool. The
 * choice of rows is that of symmetric noise with the same seed. */
temper_status noise_instance(const struct dataset *data, const struct dataset *pool, double rate, uint64_t seed,
                             struct noise *out, temper_error *error)
{
    struct noise noise = {0};
    size_t count = 0;
    /* Instance noise from a pool needs no classes, not even labels. */
    temper_status status = pool ? TEMPER_OK : noise_check_classes(data, error);
    if (status == TEMPER_OK)
        status = noise_count(data, rate, &count, error);
    if (status == TEMPER_OK)
        status = noise_choose(data, count, seed, NULL, &noise, error);
    if (status == TEMPER_OK)
        status = pool ? use_pool(data, pool, seed, &noise, error) : use_data(data, seed, &noise, error);
    /* The changes of a failed step are not handed out. */
    if (status != TEMPER_OK) {
        noise_free(&noise);
        return status;
    }
    *out = noise;
    return TEMPER_OK;
}
