/* noise: symmetric noise, pair noise and noise by margins; and the application of changes.
 *
 * Each kind first chooses the rows, exactly round(rate * rows) of those that it may change, then the new label of each.
 * Random numbers are functions of the seed and an index, so that changes do not depend on the number of threads or
 * processes. The list of changes is applied to a copy that shares the features; an experiment keeps the list as the
 * truth about which labels are wrong. */
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

/* Symmetric noise: `rate` of the rows, each with a label drawn uniformly from the other classes. Rows and classes come
 * from two random streams, so that the new class of a row does not depend on which others were chosen. */
temper_status noise_random(const struct dataset *data, double rate, uint64_t seed, struct noise *out,
                           temper_error *error)
{
    const struct random random = {seed, STREAM_NOISE_CLASS};
    size_t count = 0;
    temper_status status = noise_check_classes(data, error);
    /* Every step needs the one before; nothing is allocated before noise_choose. */
    if (status == TEMPER_OK)
        status = noise_count(data, rate, &count, error);
    if (status == TEMPER_OK)
        status = noise_choose(data, count, seed, NULL, out, error);
    if (status != TEMPER_OK)
        return status;
    for (size_t i = 0; i < out->count; i++) {
        struct label_change *change = &out->change[i];
        /* A draw among C - 1 classes, of which those from the old class on are shifted by one: uniform over the other
         * classes. It is indexed by row, so that it does not depend on the rate. */
        uint32_t other = (uint32_t)random_below(random, change->row, data->classes.count - 1);
        change->is = other + (other >= change->was);
    }
    return TEMPER_OK;
}

/* ---- Pair noise ------------------------------------------------------------------------------ */

/* Pair noise: the class that each class becomes. */
struct class_map {
    uint32_t *target; /* [class]; the class itself where it does not change */
    bool *may_change; /* [class] */
};

static void class_map_free(struct class_map *map)
{
    mem_free(map->target);
    mem_free(map->may_change);
}

/* Every class maps to itself until --map or the default says otherwise. Freed here on failure. */
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

/* An error about one NAME=NAME of --map. */
static temper_status refuse_pair(const struct list_item *pair, const char *what, temper_error *error)
{
    struct token_text name = token_text(pair->name, pair->name + strlen(pair->name));
    return error_set(error, TEMPER_USAGE, "--map: class '%.128s' %s", name.text, what);
}

/* Enters one NAME=NAME. Chains (a=b, b=c) are allowed, since each row changes once; two targets for a class are not. */
static temper_status map_pair(const struct dataset *data, const struct list_item *pair, struct class_map *map,
                              temper_error *error)
{
    /* Both names must be classes of the data. */
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

/* Parses the list of --map into the class map. */
static temper_status map_read(const struct dataset *data, const char *text, struct class_map *map, temper_error *error)
{
    /* The list is parsed by the common rules for names and quotes. */
    struct list list;
    temper_status status = list_read("--map", text, true, &list, error);
    if (status != TEMPER_OK)
        return status;
    for (size_t i = 0; status == TEMPER_OK && i < list.count; i++)
        status = map_pair(data, &list.item[i], map, error);
    list_free(&list);
    return status;
}

/* The default of pair noise: each class becomes the next one, the last the first (Han et al. 2018, "pair flip"). */
static void map_to_next(size_t classes, struct class_map *map)
{
    for (size_t c = 0; c < classes; c++) {
        /* With two classes this is the same as symmetric noise. */
        map->target[c] = (uint32_t)((c + 1) % classes);
        map->may_change[c] = true;
    }
}

/* Pair noise: `rate` of all rows, chosen among the rows of classes that change; an error if these are too few. */
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
    /* Without --map all classes change. */
    if (map)
        status = map_read(data, map, &to, error);
    else
        map_to_next(data->classes.count, &to);
    if (status == TEMPER_OK)
        status = noise_choose(data, count, seed, to.may_change, out, error);
    /* The new class is a function of the old one. */
    for (size_t i = 0; status == TEMPER_OK && i < out->count; i++)
        out->change[i].is = to.target[out->change[i].was];
    class_map_free(&to);
    return status;
}

/* ---- By margins ------------------------------------------------------------------------------ */

/* A row with its sort key. */
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

/* The correctly classified rows (margin above 0), sorted in the order in which they are to change; returns their
 * number. */
static size_t rank_rows(const struct dataset *data, const double *margin, bool largest, struct margin_rank *ranked)
{
    size_t eligible = 0;
    /* Rows that the model already gets wrong are left alone. */
    for (size_t i = 0; i < data->x.rows; i++)
        if (margin[i] > 0)
            ranked[eligible++] = (struct margin_rank){largest ? -margin[i] : margin[i], i};
    qsort(ranked, eligible, sizeof *ranked, by_margin);
    return eligible;
}

/* Marks the `count` rows of smallest or largest margin; an error if fewer rows are classified correctly. Margins are
 * those of a logistic regression (predict/margin_rank.c): rows of small margin are ambiguous ones that annotators
 * confuse, rows of large margin are typical ones whose wrong labels have the largest influence. */
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

/* Noise by margin: rows near the decision boundary (or far from it) get the class of the second largest score; with
 * two classes that is the other class, and margins.runner_up is NULL. */
temper_status noise_margin(const struct dataset *data, struct margins margins, double rate, bool largest,
                           struct noise *out, temper_error *error)
{
    size_t count = 0;
    temper_status status = noise_check_classes(data, error);
    /* With more than two classes the caller must give the runner-up of each row. */
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

/* Instance noise: builds a dataset in which changed rows take their features from another row. from[i] is a row of the
 * data, or of the pool, the rows of which are numbered behind those of the data. */
static temper_status replace_rows(const struct dataset *data, const struct dataset *pool, const struct noise *noise,
                                  struct dataset **out, temper_error *error)
{
    size_t rows = (size_t)data->x.rows;
    size_t *from = mem_alloc(rows, sizeof *from);
    if (!from)
        return error_no_memory(error);
    for (size_t i = 0; i < rows; i++)
        /* `from` has one entry for each row of the result. */
        from[i] = i;
    for (size_t i = 0; i < noise->count; i++)
        from[noise->change[i].row] = (size_t)noise->change[i].from + (pool ? rows : 0);
    temper_status status = dataset_replace(data, pool ? pool : data, from, out, error);
    mem_free(from);
    return status;
}

/* A dataset with the noise applied; the caller frees it. Label noise shares the features with the original, which must
 * therefore outlive it. All changes of a noise are of one kind, so the first decides. */
temper_status noise_apply(const struct dataset *data, const struct dataset *pool, const struct noise *noise,
                          struct dataset **out, temper_error *error)
{
    /* Instance noise has a source row in each change. */
    if (noise->count > 0 && noise->change[0].from != NO_ROW)
        return replace_rows(data, pool, noise, out, error);
    temper_status status = dataset_borrow(data, out, error);
    /* dataset_borrow has copied the labels, so that the original keeps its own. */
    for (size_t i = 0; status == TEMPER_OK && i < noise->count; i++)
        (*out)->label[noise->change[i].row] = noise->change[i].is;
    return status;
}

void noise_free(struct noise *noise)
{
    mem_free(noise->change);
    *noise = (struct noise){0};
}
