/* split: cross-validation folds and train/test splits. Rows in random order, sorted by class, are assigned to the parts
 * in turn, which stratifies them.
 *
 * The rows are shuffled by a permutation of the seed, then sorted by class with a stable counting sort, so that each
 * class is a run in random order. Row i of that list belongs to fold i mod K: a run of n rows then has floor(n / K) or
 * ceil(n / K) rows in every fold, and all folds together differ by one row at most. A test set of an exact size takes
 * quotas of the classes by the largest remainder method. */
#include "data/split.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "data/classes.h"
#include "data/quote_text.h"
#include "data/random_streams.h"

/* All rows in a random order, sorted by class. */
struct shuffled_rows {
    size_t *row;
    size_t *start; /* [classes + 1]: the first row of each class */
    size_t rows, classes;
};

static void shuffled_rows_free(struct shuffled_rows *shuffled)
{
    mem_free(shuffled->row);
    mem_free(shuffled->start);
}

/* A stable counting sort by class, which keeps the random order within each class. */
static void sort_by_class(const struct dataset *data, const size_t *order, struct shuffled_rows *shuffled)
{
    /* Counts, then starts, in the same array. */
    for (size_t i = 0; i < shuffled->rows; i++)
        shuffled->start[data->label[i] + 1]++;
    for (size_t c = 0; c < shuffled->classes; c++)
        shuffled->start[c + 1] += shuffled->start[c];
    /* Rows are taken in the random order, so each class keeps it. */
    for (size_t i = 0; i < shuffled->rows; i++)
        shuffled->row[shuffled->start[data->label[order[i]]]++] = order[i];
    for (size_t c = shuffled->classes; c > 0; c--) /* filling has advanced each start to the next one */
        shuffled->start[c] = shuffled->start[c - 1];
    shuffled->start[0] = 0;
}

/* Shuffles the rows and sorts them by class; without stratification, all rows are one class. The permutation depends
 * on seed and number of rows only. */
static temper_status shuffle_rows(const struct dataset *data, struct split_options how, struct shuffled_rows *shuffled,
                                  temper_error *error)
{
    bool by_class = how.stratified && data->label && data->classes.count > 0;
    /* Without labels there is nothing to stratify by. */
    *shuffled = (struct shuffled_rows){.rows = (size_t)data->x.rows, .classes = by_class ? data->classes.count : 1};
    shuffled->row = mem_alloc(shuffled->rows, sizeof *shuffled->row);
    shuffled->start = mem_zeroed(shuffled->classes + 1, sizeof *shuffled->start);
    /* Without classes, the order itself is the result. */
    size_t *order = by_class ? mem_alloc(shuffled->rows, sizeof *order) : shuffled->row;
    if (!shuffled->row || !shuffled->start || !order) {
        if (by_class)
            mem_free(order);
        shuffled_rows_free(shuffled);
        return error_no_memory(error);
    }
    /* Philox, indexed by row: the same permutation on every machine. */
    random_permutation((struct random){how.seed, STREAM_SPLIT}, order, shuffled->rows);
    /* One class of all rows; sort_by_class fills the starts otherwise. */
    shuffled->start[shuffled->classes] = by_class ? 0 : shuffled->rows;
    if (by_class) {
        sort_by_class(data, order, shuffled);
        mem_free(order);
    }
    return TEMPER_OK;
}

/* Allocates a split and shuffles the rows; both are freed here on failure. */
static temper_status split_start(const struct dataset *data, struct split_options how, struct split *split,
                                 struct shuffled_rows *shuffled, temper_error *error)
{
    *split = (struct split){.rows = (size_t)data->x.rows};
    split->part = mem_alloc(split->rows, sizeof *split->part);
    if (!split->part)
        return error_no_memory(error);
    temper_status status = shuffle_rows(data, how, shuffled, error);
    if (status != TEMPER_OK)
        split_free(split);
    return status;
}

/* Notes the first class with too few rows and the number of others, for the user. */
static void note_classes(const struct dataset *data, struct split *split, size_t first, size_t count, const char *what)
{
    char more[48] = "";
    if (count == 0)
        return;
    const char *name = data->classes.name[first];
    /* Long lists would not help: one example and a count. */
    if (count > 1)
        snprintf(more, sizeof more, " and %zu more", count - 1);
    snprintf(split->note, sizeof split->note, "class '%.80s'%s %s %s", token_text(name, name + strlen(name)).text, more,
             count > 1 ? "have" : "has", what);
}

/* ---- Folds ----------------------------------------------------------------------------------- */

/* Notes classes with fewer rows than folds; only where the split is by class. These get no row in some folds. */
static void note_small_classes(const struct dataset *data, const struct shuffled_rows *shuffled, struct split *split)
{
    size_t first = 0, count = 0;
    for (size_t c = 0; c < shuffled->classes; c++) {
        size_t rows = shuffled->start[c + 1] - shuffled->start[c];
        /* shuffled->classes is 1 if the split is not stratified. */
        if (rows > 0 && rows < split->parts && shuffled->classes == data->classes.count) {
            first = count ? first : c;
            count++;
        }
    }
    note_classes(data, split, first, count, "fewer rows than there are folds: some folds go without");
}

/* Refuses fewer than two folds and more folds than rows. */
static temper_status check_folds(const struct dataset *data, size_t folds, temper_error *error)
{
    char file[PATH_SHOWN];
    if (folds < 2)
        return error_set(error, TEMPER_USAGE, "--folds %zu: too few to split the rows; pass 2 or more", folds);
    /* Parts are numbered in 32 bits. */
    if (folds > data->x.rows || folds > UINT32_MAX)
        return error_set(error, TEMPER_BAD_DATA, "%s: %s folds of %s rows; use fewer folds than there are rows",
                         source_shown(data, file), count_shown(folds).text, count_shown(data->x.rows).text);
    return TEMPER_OK;
}

/* K folds: row i of the shuffled order belongs to fold i mod K, so that folds differ by one row at most, in all and in
 * each class. */
temper_status split_folds(const struct dataset *data, size_t folds, struct split_options how, struct split *out,
                          temper_error *error)
{
    struct split split = {0};
    struct shuffled_rows shuffled = {0};
    /* Every step needs the one before. */
    temper_status status = check_folds(data, folds, error);
    if (status == TEMPER_OK)
        status = split_start(data, how, &split, &shuffled, error);
    if (status != TEMPER_OK)
        return status;
    split.parts = (uint32_t)folds;
    /* Each class continues where the last one ended, which keeps the folds even too. */
    for (size_t i = 0; i < shuffled.rows; i++)
        split.part[shuffled.row[i]] = (uint32_t)(i % folds);
    note_small_classes(data, &shuffled, &split);
    shuffled_rows_free(&shuffled);
    *out = split;
    return TEMPER_OK;
}

/* Folds that the caller has given: every row must have one, and every fold a row of weight above 0, since a fold
 * without any has no validation error. */
static temper_status check_given(const struct dataset *data, const uint32_t *part, size_t folds, temper_error *error)
{
    bool *seen = mem_zeroed(folds, sizeof *seen);
    size_t row, fold = 0;
    temper_status status = TEMPER_OK;
    if (!seen)
        return error_no_memory(error);
    /* The loop ends at the first row without a valid fold. */
    for (row = 0; row < (size_t)data->x.rows && part[row] < folds; row++)
        if (!data->weight || data->weight[row] > 0)
            seen[part[row]] = true;
    /* The first fold without a row, if any. */
    while (fold < folds && seen[fold])
        fold++;
    if (row < (size_t)data->x.rows)
        status = error_set(error, TEMPER_USAGE, "row %zu is given the fold %lu, and there are %zu, counted from 0",
                           row + 1, (unsigned long)part[row], folds);
    else if (fold < folds)
        status = error_set(error, TEMPER_USAGE,
                           "fold %zu, counted from 0, is given no row of weight above 0; number "
                           "the folds without gaps",
                           fold);
    mem_free(seen);
    return status;
}

temper_status split_check_given(const struct dataset *data, const uint32_t *part, size_t folds, temper_error *error)
{
    TRY(check_folds(data, folds, error));
    return check_given(data, part, folds, error);
}

/* A split by folds of the caller (groups, time), which are checked and copied. */
temper_status split_given(const struct dataset *data, const uint32_t *part, size_t folds, struct split *out,
                          temper_error *error)
{
    struct split split = {.rows = (size_t)data->x.rows, .parts = (uint32_t)folds};
    TRY(split_check_given(data, part, folds, error));
    /* Copied: the caller's array may be changed later. */
    split.part = mem_alloc(split.rows, sizeof *split.part);
    if (!split.part)
        return error_no_memory(error);
    memcpy(split.part, part, split.rows * sizeof *split.part);
    *out = split;
    return TEMPER_OK;
}

/* Two halves, from the folds: even ones and odd ones. Used where two independent halves are compared, without another
 * shuffle. */
temper_status split_halve(const struct split *folds, struct split *out, temper_error *error)
{
    struct split split = {.rows = folds->rows, .parts = 2};
    split.part = mem_alloc(split.rows, sizeof *split.part);
    if (!split.part)
        return error_no_memory(error);
    /* Folds are stratified, so the halves are too. */
    for (size_t row = 0; row < split.rows; row++)
        split.part[row] = folds->part[row] % 2;
    *out = split;
    return TEMPER_OK;
}

/* ---- Train and test -------------------------------------------------------------------------- */

/* The number of test rows of one class. */
struct test_quota {
    size_t number, rows; /* number: the class; rows: those for testing */
    double rest;         /* the fraction that rounding down left out */
};

/* Largest remainder first; equal ones in the order of the classes, so that the result is unique. */
static int by_rest(const void *left, const void *right)
{
    const struct test_quota *a = left, *b = right;
    if (a->rest != b->rest)
        return a->rest > b->rest ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* The largest remainder method (Hamilton): rounds the quota of every class down, then gives the remaining rows to the
 * classes with the largest fractions, so that the sum is exactly `test`. */
static void set_quotas(const struct shuffled_rows *shuffled, double share, size_t test, struct test_quota *quota)
{
    size_t given = 0;
    for (size_t c = 0; c < shuffled->classes; c++) {
        /* The exact quota, of which the floor is given first. */
        double exact = share * (double)(shuffled->start[c + 1] - shuffled->start[c]);
        quota[c] = (struct test_quota){c, (size_t)exact, exact - floor(exact)};
        given += quota[c].rows;
    }
    qsort(quota, shuffled->classes, sizeof *quota, by_rest);
    for (size_t c = 0; given < test && c < shuffled->classes; c++) {
        /* A class cannot give more rows than it has. */
        size_t class_rows = shuffled->start[quota[c].number + 1] - shuffled->start[quota[c].number];
        if (quota[c].rows < class_rows) {
            quota[c].rows++;
            given++;
        }
    }
}

/* The first rows of each class, in random order, are for testing, the others for training; notes classes that are left
 * without training rows. */
static void assign_test(const struct dataset *data, const struct shuffled_rows *shuffled,
                        const struct test_quota *quota, struct split *split)
{
    size_t first = 0, count = 0;
    for (size_t q = 0; q < shuffled->classes; q++) {
        size_t c = quota[q].number, from = shuffled->start[c], rows = shuffled->start[c + 1] - from;
        /* Rows of a class are in random order, so its first ones are a random sample. */
        for (size_t i = 0; i < rows; i++)
            split->part[shuffled->row[from + i]] = i < quota[q].rows ? SPLIT_TEST : SPLIT_TRAIN;
        /* A class of one row may be given to the test rows entirely. */
        if (rows > 0 && rows == quota[q].rows) {
            first = count && first < c ? first : c;
            count++;
        }
    }
    /* Without stratification there are no classes to name. */
    if (shuffled->classes == data->classes.count)
        note_classes(data, split, first, count, "no row left to train on");
}

/* The number of test rows, rounded half up; both sides need at least one. */
static temper_status check_share(const struct dataset *data, double share, size_t *test, temper_error *error)
{
    char file[PATH_SHOWN];
    double rows = (double)data->x.rows;
    /* The negation also refuses NaN. */
    if (!(share > 0 && share < 1))
        return error_set(error, TEMPER_USAGE, "the share of rows for testing is none; give a number between 0 and 1");
    /* floor(x + 0.5), independent of the rounding mode. */
    double count = floor(share * rows + 0.5);
    if (count < 1 || count >= rows)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: of %llu rows, %.0f would be for testing; both sides need some, so "
                         "change the share",
                         source_shown(data, file), (unsigned long long)data->x.rows, count);
    *test = (size_t)count;
    return TEMPER_OK;
}

/* A stratified split into training and test rows; the caller frees *out. */
temper_status split_test(const struct dataset *data, double share, struct split_options how, struct split *out,
                         temper_error *error)
{
    struct split split = {0};
    struct shuffled_rows shuffled = {0};
    size_t test = 0;
    temper_status status = check_share(data, share, &test, error);
    if (status == TEMPER_OK)
        status = split_start(data, how, &split, &shuffled, error);
    if (status != TEMPER_OK)
        return status;
    struct test_quota *quota = mem_alloc(shuffled.classes, sizeof *quota);
    /* Parts are SPLIT_TRAIN and SPLIT_TEST. */
    if (quota) {
        split.parts = 2;
        set_quotas(&shuffled, share, test, quota);
        assign_test(data, &shuffled, quota, &split);
        *out = split;
    } else {
        split_free(&split);
        status = error_no_memory(error);
    }
    mem_free(quota);
    shuffled_rows_free(&shuffled);
    return status;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The rows of a part, or with `others` those of all other parts, ascending; row[] has room for all. Returns their
 * number. */
size_t split_rows(const struct split *split, uint32_t part, bool others, size_t *row)
{
    size_t count = 0;
    for (size_t i = 0; i < split->rows; i++)
        /* Either membership or its opposite. */
        if ((split->part[i] == part) != others)
            row[count++] = i;
    return count;
}

void split_free(struct split *split)
{
    mem_free(split->part);
    *split = (struct split){0};
}
