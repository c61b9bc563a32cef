/* noise: symmetric noise, pair noise and noise by margins; and the application of changes. */
#include "data/noise/noise.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "data/classes.h"
#include "data/name_list.h"
#include "data/noise/noise_rows.h"
#include "data/quote_text.h"
#include "data/random_streams.h"
#include "data/subset.h"

/* ---- Symmetric noise ------------------------------------------------------------------------- */

/* Rows first, then a class for each of them, from two random streams. */
temper_status noise_random(const struct dataset *data, double rate, uint64_t seed, struct noise *out,
                           temper_error *error)
{
    const struct random random = {seed, STREAM_NOISE_CLASS};
    size_t count = 0;
    temper_status status = noise_check_classes(data, error);
    if (status == TEMPER_OK)
        status = noise_count(data, rate, &count, error);
    if (status == TEMPER_OK)
        status = noise_choose(data, count, seed, NULL, out, error);
    if (status != TEMPER_OK)
        return status;
    for (size_t i = 0; i < out->count; i++) {
        struct label_change *change = &out->change[i];
        /* One of the other classes, uniformly. Indexed by row, so that it does not depend on the rate. */
        uint32_t other = (uint32_t)random_below(random, change->row, data->classes.count - 1);
        change->is = other + (other >= change->was);
    }
    return TEMPER_OK;
}

/* ---- Pair noise ------------------------------------------------------------------------------ */

/* The class that each class becomes; itself where it does not change. */
struct class_map {
    uint32_t *target;
    bool *may_change;
};

static void class_map_free(struct class_map *map)
{
    mem_free(map->target);
    mem_free(map->may_change);
}

/* Every class maps to itself at first. */
static temper_status class_map_start(size_t classes, struct class_map *map, temper_error *error)
{
    *map = (struct class_map){.target = mem_alloc(classes, sizeof *map->target),
                              .may_change = mem_zeroed(classes, sizeof *map->may_change)};
    if (!map->target || !map->may_change) {
        class_map_free(map);
        return error_no_memory(error);
    }
    for (size_t c = 0; c < classes; c++)
        map->target[c] = (uint32_t)c;
    return TEMPER_OK;
}

/* A message about one NAME=NAME of --map. */
static temper_status refuse_pair(const struct list_item *pair, const char *what, temper_error *error)
{
    struct token_text name = token_text(pair->name, pair->name + strlen(pair->name));
    return error_set(error, TEMPER_USAGE, "--map: class '%.128s' %s", name.text, what);
}

/* A class may be the source of one pair only. */
static temper_status map_pair(const struct dataset *data, const struct list_item *pair, struct class_map *map,
                              temper_error *error)
{
    uint32_t from = 0, to = 0;
    temper_status status = class_named(data, "--map", pair->name, &from, error);
    if (status == TEMPER_OK)
        status = class_named(data, "--map", pair->value, &to, error);
    if (status != TEMPER_OK)
        return status;
    if (from == to)
        return refuse_pair(pair, "would become itself; leave it out", error);
    if (map->may_change[from])
        return refuse_pair(pair, "is mapped twice; name it once", error);
    map->target[from] = to;
    map->may_change[from] = true;
    return TEMPER_OK;
}

/* Parses --map. */
static temper_status map_read(const struct dataset *data, const char *text, struct class_map *map, temper_error *error)
{
    struct list list;
    temper_status status = list_read("--map", text, true, &list, error);
    if (status != TEMPER_OK)
        return status;
    for (size_t i = 0; status == TEMPER_OK && i < list.count; i++)
        status = map_pair(data, &list.item[i], map, error);
    list_free(&list);
    return status;
}

/* The default of pair noise: a cyclic shift of the classes. */
static void map_to_next(size_t classes, struct class_map *map)
{
    for (size_t c = 0; c < classes; c++) {
        map->target[c] = (uint32_t)((c + 1) % classes);
        map->may_change[c] = true;
    }
}

/* Only rows of classes that change are eligible. */
temper_status noise_pair(const struct dataset *data, double rate, const char *map, uint64_t seed, struct noise *out,
                         temper_error *error)
{
    struct class_map to;
    size_t count = 0;
    temper_status status = noise_check_classes(data, error);
    if (status == TEMPER_OK)
        status = noise_count(data, rate, &count, error);
    if (status == TEMPER_OK)
        status = class_map_start(data->classes.count, &to, error);
    if (status != TEMPER_OK)
        return status;
    if (map)
        status = map_read(data, map, &to, error);
    else
        map_to_next(data->classes.count, &to);
    if (status == TEMPER_OK)
        status = noise_choose(data, count, seed, to.may_change, out, error);
    for (size_t i = 0; status == TEMPER_OK && i < out->count; i++)
        out->change[i].is = to.target[out->change[i].was];
    class_map_free(&to);
    return status;
}

/* ---- By margins ------------------------------------------------------------------------------ */

struct margin_rank {
    double margin; /* negative where the largest come first */
    size_t row;
};

/* Ties are broken by row, so that the order is unique. */
static int by_margin(const void *left, const void *right)
{
    const struct margin_rank *a = left, *b = right;
    if (a->margin != b->margin)
        return a->margin < b->margin ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* The correctly classified rows, in the order in which they change. */
static size_t rank_rows(const struct dataset *data, const double *margin, bool largest, struct margin_rank *ranked)
{
    size_t eligible = 0;
    for (size_t i = 0; i < data->x.rows; i++)
        if (margin[i] > 0)
            ranked[eligible++] = (struct margin_rank){largest ? -margin[i] : margin[i], i};
    qsort(ranked, eligible, sizeof *ranked, by_margin);
    return eligible;
}

/* The `count` rows of extreme margin. */
static temper_status choose_by_margin(const struct dataset *data, const double *margin, bool largest, size_t count,
                                      struct noise *out, temper_error *error)
{
    size_t rows = (size_t)data->x.rows;
    struct margin_rank *ranked = mem_alloc(rows, sizeof *ranked);
    bool *marked = mem_zeroed(rows, sizeof *marked);
    temper_status status = TEMPER_OK;
    if (ranked && marked) {
        size_t eligible = rank_rows(data, margin, largest, ranked);
        for (size_t i = 0; i < count && i < eligible; i++)
            marked[ranked[i].row] = true;
        status = count <= eligible ? noise_start(data, marked, count, out, error)
                                   : noise_too_few(data, count, eligible, "classified correctly", error);
    } else {
        status = error_no_memory(error);
    }
    mem_free(ranked);
    mem_free(marked);
    return status;
}

/* With two classes the runner-up is the other class. */
temper_status noise_margin(const struct dataset *data, struct margins margins, double rate, bool largest,
                           struct noise *out, temper_error *error)
{
    size_t count = 0;
    temper_status status = noise_check_classes(data, error);
    assert(status != TEMPER_OK || margins.runner_up || data->classes.count == 2);
    if (status == TEMPER_OK)
        status = noise_count(data, rate, &count, error);
    if (status == TEMPER_OK)
        status = choose_by_margin(data, margins.margin, largest, count, out, error);
    if (status != TEMPER_OK)
        return status;
    for (size_t i = 0; i < out->count; i++) {
        struct label_change *change = &out->change[i];
        change->is = margins.runner_up ? margins.runner_up[change->row] : 1 - change->was;
    }
    return TEMPER_OK;
}

/* ---- Applying -------------------------------------------------------------------------------- */

/* The row from which each row takes its features: itself, or one of the pool, counted behind those of the data. */
static temper_status replace_rows(const struct dataset *data, const struct dataset *pool, const struct noise *noise,
                                  struct dataset **out, temper_error *error)
{
    size_t rows = (size_t)data->x.rows;
    size_t *from = mem_alloc(rows, sizeof *from);
    if (!from)
        return error_no_memory(error);
    for (size_t i = 0; i < rows; i++)
        from[i] = i;
    for (size_t i = 0; i < noise->count; i++)
        from[noise->change[i].row] = (size_t)noise->change[i].from + (pool ? rows : 0);
    temper_status status = dataset_replace(data, pool ? pool : data, from, out, error);
    mem_free(from);
    return status;
}

/* Label noise shares the features with the original. */
temper_status noise_apply(const struct dataset *data, const struct dataset *pool, const struct noise *noise,
                          struct dataset **out, temper_error *error)
{
    if (noise->count > 0 && noise->change[0].from != NO_ROW)
        return replace_rows(data, pool, noise, out, error);
    temper_status status = dataset_borrow(data, out, error);
    for (size_t i = 0; status == TEMPER_OK && i < noise->count; i++)
        (*out)->label[noise->change[i].row] = noise->change[i].is;
    return status;
}

void noise_free(struct noise *noise)
{
    mem_free(noise->change);
    *noise = (struct noise){0};
}
