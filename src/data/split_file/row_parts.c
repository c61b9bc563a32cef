/* row_parts: rows without groups are divided by data/split.h. Groups are assigned one after another, the largest first,
 * each to the part that comes nearest to its share of rows and of every class. Times are sorted, and divided at
 * boundaries between different times. */
#include "data/split_file/row_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "data/random_streams.h"
#include "data/split.h"

/* ---- Single rows ----------------------------------------------------------------------------- */

static temper_status divide_rows(const struct row_keys *keys, const struct division *how, uint32_t *part, char *note,
                                 temper_error *error)
{
    const struct dataset rows = {
        .x.rows = keys->rows, .label = keys->class_of, .classes = keys->classes, .file.path = (char *)keys->path};
    const struct split_options options = {.seed = how->seed, .stratified = keys->class_of != NULL};
    struct split split = {0};
    TRY(how->folds ? split_folds(&rows, how->folds, options, &split, error)
                   : split_test(&rows, how->share, options, &split, error));
    memcpy(part, split.part, keys->rows * sizeof *part);
    if (split.note[0])
        snprintf(note, sizeof split.note, "%s", split.note);
    split_free(&split);
    return TEMPER_OK;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* The rows of a group: row[start[g] .. start[g + 1] - 1]. */
struct group_rows {
    size_t *start, *row;
};

/* A group in the order of assignment. */
struct group_order {
    size_t group, rows;
    uint64_t random;
};

/* The assignment in progress. Shares of class c are of its rows; class `classes` stands for all rows. */
struct group_division {
    const struct row_keys *keys;
    size_t parts, classes;
    double *share; /* of each part: what it should have */
    double *total; /* [classes + 1]: rows of each class */
    double *count; /* [part * (classes + 1) + c]: rows so far */
    double *here;  /* [classes + 1]: rows of the present group */
};

/* Larger groups first, because later ones can compensate; equal ones in random order. */
static int by_rows(const void *left, const void *right)
{
    const struct group_order *a = left, *b = right;
    if (a->rows != b->rows)
        return a->rows > b->rows ? -1 : 1;
    if (a->random != b->random)
        return a->random < b->random ? -1 : 1;
    return a->group < b->group ? -1 : 1;
}

/* Lists the rows of each group, by a counting sort. */
static bool list_groups(const struct row_keys *keys, struct group_rows *out)
{
    out->start = mem_zeroed(keys->groups + 2, sizeof *out->start);
    out->row = mem_alloc(keys->rows, sizeof *out->row);
    if (!out->start || !out->row)
        return false;
    for (size_t row = 0; row < keys->rows; row++)
        out->start[keys->group[row] + 2]++;
    for (size_t g = 2; g < keys->groups + 2; g++)
        out->start[g] += out->start[g - 1];
    for (size_t row = 0; row < keys->rows; row++)
        out->row[out->start[keys->group[row] + 1]++] = row;
    return true;
}

/* By how much the squared distances of a part from its shares would grow with the present group. */
static double added_distance(const struct group_division *d, size_t part)
{
    const double *count = d->count + part * (d->classes + 1);
    double sum = 0;
    for (size_t c = 0; c <= d->classes; c++) {
        if (d->here[c] == 0)
            continue;
        double before = count[c] / d->total[c] - d->share[part];
        double after = (count[c] + d->here[c]) / d->total[c] - d->share[part];
        sum += after * after - before * before;
    }
    return sum;
}

/* Assigns one group to the part that it fits best; of equal ones to the first. */
static void assign_group(struct group_division *d, const size_t *row, size_t rows, uint32_t *part)
{
    size_t best = 0, width = d->classes + 1;
    memset(d->here, 0, width * sizeof *d->here);
    for (size_t i = 0; i < rows; i++) {
        d->here[d->classes]++;
        if (d->keys->class_of)
            d->here[d->keys->class_of[row[i]]]++;
    }
    for (size_t p = 1; p < d->parts; p++)
        if (added_distance(d, p) < added_distance(d, best))
            best = p;
    for (size_t c = 0; c < width; c++)
        d->count[best * width + c] += d->here[c];
    for (size_t i = 0; i < rows; i++)
        part[row[i]] = (uint32_t)best;
}

/* Assigns all groups, in their order. */
static temper_status assign_groups(struct group_division *d, const struct group_rows *rows, uint64_t seed,
                                   uint32_t *part, temper_error *error)
{
    size_t groups = d->keys->groups;
    struct group_order *order = mem_alloc(groups, sizeof *order);
    if (!order)
        return error_no_memory(error);
    for (size_t g = 0; g < groups; g++)
        order[g] = (struct group_order){g, rows->start[g + 1] - rows->start[g],
                                        random_bits((struct random){seed, STREAM_SPLIT}, g)};
    qsort(order, groups, sizeof *order, by_rows);
    for (size_t i = 0; i < groups; i++)
        assign_group(d, rows->row + rows->start[order[i].group], order[i].rows, part);
    mem_free(order);
    return TEMPER_OK;
}

/* Fills what the assignment needs; false without memory. */
static bool prepare(struct group_division *d, const struct division *how)
{
    const struct row_keys *keys = d->keys;
    d->parts = how->folds ? how->folds : 2;
    d->classes = keys->class_of ? keys->classes.count : 0;
    d->share = mem_alloc(d->parts, sizeof *d->share);
    d->total = mem_zeroed(d->classes + 1, sizeof *d->total);
    d->count = mem_zeroed(d->parts, (d->classes + 1) * sizeof *d->count);
    d->here = mem_zeroed(d->classes + 1, sizeof *d->here);
    if (!d->share || !d->total || !d->count || !d->here)
        return false;
    for (size_t p = 0; p < d->parts; p++)
        d->share[p] = how->folds ? 1 / (double)how->folds : p == SPLIT_TEST ? how->share : 1 - how->share;
    for (size_t row = 0; row < keys->rows; row++) {
        d->total[d->classes]++;
        if (keys->class_of)
            d->total[keys->class_of[row]]++;
    }
    return true;
}

/* Refuses a division in which some part has no rows: there are too few groups for it. */
static temper_status check_parts(const struct group_division *d, temper_error *error)
{
    for (size_t p = 0; p < d->parts; p++)
        if (d->count[p * (d->classes + 1) + d->classes] == 0)
            return error_set(error, TEMPER_BAD_DATA,
                             "%zu groups cannot be divided into %zu parts of these sizes; give other shares or fewer "
                             "folds",
                             d->keys->groups, d->parts);
    return TEMPER_OK;
}

static temper_status divide_groups(const struct row_keys *keys, const struct division *how, uint32_t *part,
                                   temper_error *error)
{
    struct group_division d = {.keys = keys};
    struct group_rows rows = {0};
    temper_status status = prepare(&d, how) && list_groups(keys, &rows) ? TEMPER_OK : error_no_memory(error);
    if (status == TEMPER_OK)
        status = assign_groups(&d, &rows, how->seed, part, error);
    if (status == TEMPER_OK)
        status = check_parts(&d, error);
    mem_free(rows.start);
    mem_free(rows.row);
    mem_free(d.share);
    mem_free(d.total);
    mem_free(d.count);
    mem_free(d.here);
    return status;
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* A row in the order of time. */
struct timed_row {
    double time;
    size_t row;
};

static int by_time(const void *left, const void *right)
{
    const struct timed_row *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* The boundary between two different times that is nearest to `wanted`, with rows after `least` before it and others
 * behind it; the first of two. 0: there is none. */
static size_t find_boundary(const struct timed_row *order, size_t rows, size_t wanted, size_t least)
{
    size_t best = 0, nearest = SIZE_MAX;
    for (size_t i = least + 1; i < rows; i++) {
        size_t distance = i < wanted ? wanted - i : i - wanted;
        if (order[i].time != order[i - 1].time && distance < nearest) {
            best = i;
            nearest = distance;
        }
    }
    return best;
}

/* Divides the sorted rows at the boundaries nearest to the shares. The sentence names where the last part begins. */
static temper_status divide_sorted(const struct row_keys *keys, const struct division *how,
                                   const struct timed_row *order, uint32_t *part, char *note, temper_error *error)
{
    size_t parts = how->folds ? how->folds + 1 : 2, from = 0;
    for (size_t p = 0; p < parts; p++) {
        double end = how->folds ? (double)(p + 1) / (double)parts : 1 - how->share;
        size_t wanted = (size_t)floor(end * (double)keys->rows + 0.5);
        size_t to = p + 1 == parts ? keys->rows : find_boundary(order, keys->rows, wanted, from);
        if (to == 0)
            return error_set(
                error, TEMPER_BAD_DATA,
                "there are too few different times to divide the rows by; give another column, or fewer folds");
        for (size_t i = from; i < to; i++)
            part[order[i].row] = (uint32_t)p;
        if (p + 1 == parts)
            snprintf(note, 256, "the last test rows begin at the time %.64s",
                     keys->time_text.bytes + keys->time_start[order[from].row]);
        from = to;
    }
    return TEMPER_OK;
}

static temper_status divide_times(const struct row_keys *keys, const struct division *how, uint32_t *part, char *note,
                                  temper_error *error)
{
    struct timed_row *order = mem_alloc(keys->rows, sizeof *order);
    if (!order)
        return error_no_memory(error);
    for (size_t row = 0; row < keys->rows; row++)
        order[row] = (struct timed_row){keys->time[row], row};
    qsort(order, keys->rows, sizeof *order, by_time);
    temper_status status = divide_sorted(keys, how, order, part, note, error);
    mem_free(order);
    return status;
}

temper_status rows_divide(const struct row_keys *keys, const struct division *how, uint32_t *part, char *note,
                          temper_error *error)
{
    snprintf(note, sizeof keys->note, "%s", keys->note);
    if (keys->time)
        return divide_times(keys, how, part, note, error);
    return keys->group ? divide_groups(keys, how, part, error) : divide_rows(keys, how, part, note, error);
}
