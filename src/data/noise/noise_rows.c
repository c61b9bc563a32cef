/* noise_rows: the number and choice of noisy rows, and error messages, for all kinds of noise. */
#include "data/noise/noise_rows.h"

#include <math.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "data/classes.h"
#include "data/random_streams.h"

/* The number of rows that change, rounded half up: floor(x + 0.5) does not depend on the rounding mode of the
 * processor. */
temper_status noise_count(const struct dataset *data, double rate, size_t *count, temper_error *error)
{
    /* The negation also refuses NaN. */
    if (!(rate >= 0 && rate <= 1))
        return error_set(error, TEMPER_USAGE, "the rate is no share of the rows; give a number from 0 to 1");
    *count = (size_t)floor(rate * (double)data->x.rows + 0.5);
    return TEMPER_OK;
}

/* Label noise needs labels, and another class to change to. */
temper_status noise_check_classes(const struct dataset *data, temper_error *error)
{
    char file[PATH_SHOWN];
    if (!data->label)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: noise needs labels, and the data has none; name their column by "
                         "--label or their file by --labels",
                         source_shown(data, file));
    /* One class has no other to change to. */
    if (data->classes.count >= 2)
        return TEMPER_OK;
    return error_set(error, TEMPER_BAD_DATA,
                     "%s: noise needs at least two classes, the data has %zu; keep more of them",
                     source_shown(data, file), data->classes.count);
}

/* Fewer rows are eligible than the rate demands; `which` completes "only N are ...". */
temper_status noise_too_few(const struct dataset *data, size_t count, size_t eligible, const char *which,
                            temper_error *error)
{
    char file[PATH_SHOWN];
    return error_set(error, TEMPER_BAD_DATA, "%s: %s rows should change, but only %s are %s; lower the rate",
                     source_shown(data, file), count_shown(count).text, count_shown(eligible).text, which);
}

/* A change for each marked row, with the label as it is; the kinds of noise then fill in `is` or `from`. */
temper_status noise_start(const struct dataset *data, const bool *marked, size_t count, struct noise *out,
                          temper_error *error)
{
    /* The number of marked rows is known to the caller. */
    struct noise noise = {.change = mem_alloc(count, sizeof *noise.change)};
    if (!noise.change)
        return error_no_memory(error);
    /* Ascending by row, not in the order of choice: a list that people can follow along the file. */
    for (uint64_t i = 0; i < data->x.rows; i++) {
        /* Data without labels has instance noise only; its changes have label 0. */
        uint32_t label = data->label ? data->label[i] : 0;
        if (marked[i])
            noise.change[noise.count++] = (struct label_change){.row = i, .was = label, .is = label, .from = NO_ROW};
    }
    *out = noise;
    return TEMPER_OK;
}

/* Marks the first eligible rows of a random order, up to `count`; returns how many it found. may_change by class;
 * NULL: all. */
static size_t mark_rows(const struct dataset *data, const size_t *order, size_t count, const bool *may_change,
                        bool *marked)
{
    size_t found = 0;
    /* The scan ends early, so that low rates cost little. */
    for (size_t i = 0; found < count && i < data->x.rows; i++) {
        if (may_change && !may_change[data->label[order[i]]])
            continue;
        marked[order[i]] = true;
        found++;
    }
    return found;
}

/* Chooses `count` rows at random. A higher rate takes a longer prefix of the same permutation, so the changes of a
 * lower rate are a subset of its changes: experiments over rates are nested. */
temper_status noise_choose(const struct dataset *data, size_t count, uint64_t seed, const bool *may_change,
                           struct noise *out, temper_error *error)
{
    size_t rows = (size_t)data->x.rows;
    size_t *order = mem_alloc(rows, sizeof *order);
    bool *marked = mem_zeroed(rows, sizeof *marked);
    temper_status status = TEMPER_OK;
    if (order && marked) {
        /* The permutation does not depend on rate, classes or kind of noise. */
        random_permutation((struct random){seed, STREAM_NOISE_ROWS}, order, rows);
        size_t found = mark_rows(data, order, count, may_change, marked);
        status = found == count ? noise_start(data, marked, count, out, error)
                                : noise_too_few(data, count, found, "of classes that change", error);
    } else {
        status = error_no_memory(error);
    }
    mem_free(order);
    mem_free(marked);
    return status;
}
