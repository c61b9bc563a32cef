/* api: noise. The kinds of noise by name, and their changes as the caller sees them. */
#include "data/noise/noise.h"

#include <string.h>

#include "base/memory.h"
#include "data/dataset.h"
#include "data/dist/scatter_rows.h"
#include "predict/margin_rank.h"

static const struct dataset *inside(const temper_data *data)
{
    return (const struct dataset *)data;
}

/* ---- Kinds
 * ------------------------------------------------------------------------------------------ */

typedef temper_status noise_maker(const struct dataset *data, const temper_noise_options *options, struct noise *noise,
                                  temper_error *error);

static temper_status make_random(const struct dataset *data, const temper_noise_options *options, struct noise *noise,
                                 temper_error *error)
{
    return noise_random(data, options->rate, options->seed, noise, error);
}

static temper_status make_pair(const struct dataset *data, const temper_noise_options *options, struct noise *noise,
                               temper_error *error)
{
    return noise_pair(data, options->rate, options->map, options->seed, noise, error);
}

static temper_status make_matrix(const struct dataset *data, const temper_noise_options *options, struct noise *noise,
                                 temper_error *error)
{
    if (!options->matrix)
        return error_set(error, TEMPER_USAGE, "noise of kind matrix needs a file of probabilities; pass --matrix");
    return noise_transition(data, options->matrix, options->seed, noise, error);
}

static temper_status make_instance(const struct dataset *data, const temper_noise_options *options, struct noise *noise,
                                   temper_error *error)
{
    return noise_instance(data, inside(options->pool), options->rate, options->seed, noise, error);
}

static temper_status make_small_margin(const struct dataset *data, const temper_noise_options *options,
                                       struct noise *noise, temper_error *error)
{
    return noise_by_rank(data, options, false, noise, error);
}

static temper_status make_large_margin(const struct dataset *data, const temper_noise_options *options,
                                       struct noise *noise, temper_error *error)
{
    return noise_by_rank(data, options, true, noise, error);
}

static const struct kind {
    const char *name;
    noise_maker *make;
} kinds[] = {
    {"random", make_random},
    {"pair", make_pair},
    {"matrix", make_matrix},
    {"small-margin", make_small_margin},
    {"large-margin", make_large_margin},
    {"instance", make_instance},
};

static noise_maker *find_kind(const char *name)
{
    for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return kinds[i].make;
    return NULL;
}

/* ---- Results
 * ---------------------------------------------------------------------------------------- */

/* Rows of the pool are counted behind those of the data inside, and by themselves outside. */
static unsigned long long row_shown(uint64_t from, const temper_data *pool, uint64_t rows)
{
    if (from == NO_ROW)
        return 0;
    return (pool && from >= rows ? from - rows : from) + 1;
}

/* NULL without memory. */
static temper_noise_change *show_changes(const struct noise *noise, const temper_data *pool, uint64_t rows)
{
    temper_noise_change *changes = mem_alloc(noise->count, sizeof *changes);
    for (size_t i = 0; changes && i < noise->count; i++) {
        const struct label_change *change = &noise->change[i];
        changes[i] = (temper_noise_change){
            .row = change->row + 1, .was = change->was, .is = change->is, .from = row_shown(change->from, pool, rows)};
    }
    return changes;
}

static temper_status publish(const struct dataset *data, const temper_noise_options *options, const struct noise *noise,
                             temper_data **noisy, temper_noise_change **changes, temper_error *error)
{
    struct dataset *spoilt;
    temper_noise_change *list = show_changes(noise, options->pool, data->x.rows);
    if (!list)
        return error_no_memory(error);
    temper_status status = noise_apply(data, inside(options->pool), noise, &spoilt, error);
    if (status != TEMPER_OK) {
        mem_free(list);
        return status;
    }
    *noisy = (temper_data *)spoilt;
    *changes = list;
    return TEMPER_OK;
}

temper_status temper_data_add_noise(const temper_data *data, const temper_noise_options *options, temper_data **noisy,
                                    temper_noise_change **changes, size_t *count, temper_error *error)
{
    struct noise noise = {0};
    noise_maker *make = find_kind(options->kind);
    if (!make)
        return error_set(error, TEMPER_USAGE,
                         "there is no noise of kind '%.64s'; kinds are random, pair, matrix, "
                         "small-margin, large-margin and instance",
                         options->kind ? options->kind : "");
    temper_status status = scatter_refuse(inside(data), "noise", error);
    if (status == TEMPER_OK)
        status = make(inside(data), options, &noise, error);
    if (status != TEMPER_OK)
        return status;
    status = publish(inside(data), options, &noise, noisy, changes, error);
    if (status == TEMPER_OK)
        *count = noise.count;
    noise_free(&noise);
    return status;
}
