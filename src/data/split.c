/* split: rows in a random order, class by class, are dealt like cards. */
#include "data/split.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "data/classes.h"
#include "data/quote_text.h"
#include "data/random_streams.h"

/* All rows in a random order, those of a class one after the other. */
struct deck {
    size_t *row;
    size_t *start; /* classes + 1: where each class begins */
    size_t rows, classes;
};

static void deck_free(struct deck *deck)
{
    mem_free(deck->row);
    mem_free(deck->start);
}

/* A counting sort by class: it keeps the random order within each. */
static void sort_by_class(const struct dataset *data, const size_t *order, struct deck *deck)
{
    for (size_t i = 0; i < deck->rows; i++)
        deck->start[data->label[i] + 1]++;
    for (size_t c = 0; c < deck->classes; c++)
        deck->start[c + 1] += deck->start[c];
    for (size_t i = 0; i < deck->rows; i++)
        deck->row[deck->start[data->label[order[i]]]++] = order[i];
    for (size_t c = deck->classes; c > 0; c--) /* each start has moved to the next one's place */
        deck->start[c] = deck->start[c - 1];
    deck->start[0] = 0;
}

/* Without classes to heed, all rows are one class. */
static temper_status deck_shuffle(const struct dataset *data, struct split_how how, struct deck *deck,
                                  temper_error *error)
{
    bool by_class = how.stratified && data->label && data->classes.count > 0;
    *deck = (struct deck){.rows = (size_t)data->x.rows, .classes = by_class ? data->classes.count : 1};
    deck->row = mem_alloc(deck->rows, sizeof *deck->row);
    deck->start = mem_zeroed(deck->classes + 1, sizeof *deck->start);
    size_t *order = by_class ? mem_alloc(deck->rows, sizeof *order) : deck->row;
    if (!deck->row || !deck->start || !order) {
        if (by_class)
            mem_free(order);
        deck_free(deck);
        return error_no_memory(error);
    }
    random_permutation((struct random){how.seed, STREAM_SPLIT}, order, deck->rows);
    deck->start[deck->classes] = by_class ? 0 : deck->rows;
    if (by_class) {
        sort_by_class(data, order, deck);
        mem_free(order);
    }
    return TEMPER_OK;
}

/* A split of no rows yet, and the deck to deal. */
static temper_status split_start(const struct dataset *data, struct split_how how, struct split *split,
                                 struct deck *deck, temper_error *error)
{
    *split = (struct split){.rows = (size_t)data->x.rows};
    split->part = mem_alloc(split->rows, sizeof *split->part);
    if (!split->part)
        return error_no_memory(error);
    temper_status status = deck_shuffle(data, how, deck, error);
    if (status != TEMPER_OK)
        split_free(split);
    return status;
}

/* Says which class is short of rows, and of how many such classes it is one. */
static void note_classes(const struct dataset *data, struct split *split, size_t first, size_t count, const char *what)
{
    char more[48] = "";
    if (count == 0)
        return;
    const char *name = data->classes.name[first];
    if (count > 1)
        snprintf(more, sizeof more, " and %zu more", count - 1);
    snprintf(split->note, sizeof split->note, "class '%.80s'%s %s %s", token_text(name, name + strlen(name)).text, more,
             count > 1 ? "have" : "has", what);
}

/* ---- Folds ----------------------------------------------------------------------------------- */

static void note_thin_classes(const struct dataset *data, const struct deck *deck, struct split *split)
{
    size_t first = 0, count = 0;
    for (size_t c = 0; c < deck->classes; c++) {
        size_t rows = deck->start[c + 1] - deck->start[c];
        if (rows > 0 && rows < split->parts && deck->classes == data->classes.count) {
            first = count ? first : c;
            count++;
        }
    }
    note_classes(data, split, first, count, "fewer rows than there are folds: some folds go without");
}

static temper_status check_folds(const struct dataset *data, size_t folds, temper_error *error)
{
    char file[PATH_SHOWN];
    if (folds < 2)
        return error_set(error, TEMPER_USAGE, "--folds %zu: too few to split the rows; pass 2 or more", folds);
    if (folds > data->x.rows || folds > UINT32_MAX)
        return error_set(error, TEMPER_BAD_DATA, "%s: %zu folds of %llu rows; use fewer folds than there are rows",
                         source_shown(data, file), folds, (unsigned long long)data->x.rows);
    return TEMPER_OK;
}

temper_status split_folds(const struct dataset *data, size_t folds, struct split_how how, struct split *out,
                          temper_error *error)
{
    struct split split = {0};
    struct deck deck = {0};
    temper_status status = check_folds(data, folds, error);
    if (status == TEMPER_OK)
        status = split_start(data, how, &split, &deck, error);
    if (status != TEMPER_OK)
        return status;
    split.parts = (uint32_t)folds;
    /* Going on where the last class ended keeps the folds even too, not only each class. */
    for (size_t i = 0; i < deck.rows; i++)
        split.part[deck.row[i]] = (uint32_t)(i % folds);
    note_thin_classes(data, &deck, &split);
    deck_free(&deck);
    *out = split;
    return TEMPER_OK;
}

/* Every row has a fold, and every fold a row that counts. */
static temper_status check_given(const struct dataset *data, const uint32_t *part, size_t folds, temper_error *error)
{
    bool *seen = mem_zeroed(folds, sizeof *seen);
    size_t row, fold = 0;
    temper_status status = TEMPER_OK;
    if (!seen)
        return error_no_memory(error);
    for (row = 0; row < (size_t)data->x.rows && part[row] < folds; row++)
        if (!data->weight || data->weight[row] > 0)
            seen[part[row]] = true;
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

temper_status split_given(const struct dataset *data, const uint32_t *part, size_t folds, struct split *out,
                          temper_error *error)
{
    struct split split = {.rows = (size_t)data->x.rows, .parts = (uint32_t)folds};
    temper_status status = check_folds(data, folds, error);
    if (status == TEMPER_OK)
        status = check_given(data, part, folds, error);
    if (status != TEMPER_OK)
        return status;
    split.part = mem_alloc(split.rows, sizeof *split.part);
    if (!split.part)
        return error_no_memory(error);
    memcpy(split.part, part, split.rows * sizeof *split.part);
    *out = split;
    return TEMPER_OK;
}

temper_status split_halve(const struct split *folds, struct split *out, temper_error *error)
{
    struct split split = {.rows = folds->rows, .parts = 2};
    split.part = mem_alloc(split.rows, sizeof *split.part);
    if (!split.part)
        return error_no_memory(error);
    for (size_t row = 0; row < split.rows; row++)
        split.part[row] = folds->part[row] % 2;
    *out = split;
    return TEMPER_OK;
}

/* ---- Train and test -------------------------------------------------------------------------- */

/* How many rows of a class are for testing. */
struct quota {
    size_t number, rows;
    double rest; /* what rounding down left out */
};

/* Largest remainder first; classes in their order where they are equal. */
static int by_rest(const void *left, const void *right)
{
    const struct quota *a = left, *b = right;
    if (a->rest != b->rest)
        return a->rest > b->rest ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Rounds every class down, then gives what is left to those that lost most. */
static void set_quotas(const struct deck *deck, double share, size_t test, struct quota *quota)
{
    size_t given = 0;
    for (size_t c = 0; c < deck->classes; c++) {
        double exact = share * (double)(deck->start[c + 1] - deck->start[c]);
        quota[c] = (struct quota){c, (size_t)exact, exact - floor(exact)};
        given += quota[c].rows;
    }
    qsort(quota, deck->classes, sizeof *quota, by_rest);
    for (size_t c = 0; given < test && c < deck->classes; c++) {
        size_t class_rows = deck->start[quota[c].number + 1] - deck->start[quota[c].number];
        if (quota[c].rows < class_rows) {
            quota[c].rows++;
            given++;
        }
    }
}

/* The first rows of each class test, the others train. */
static void deal_test(const struct dataset *data, const struct deck *deck, const struct quota *quota,
                      struct split *split)
{
    size_t first = 0, count = 0;
    for (size_t q = 0; q < deck->classes; q++) {
        size_t c = quota[q].number, from = deck->start[c], rows = deck->start[c + 1] - from;
        for (size_t i = 0; i < rows; i++)
            split->part[deck->row[from + i]] = i < quota[q].rows ? SPLIT_TEST : SPLIT_TRAIN;
        if (rows > 0 && rows == quota[q].rows) {
            first = count && first < c ? first : c;
            count++;
        }
    }
    if (deck->classes == data->classes.count)
        note_classes(data, split, first, count, "no row left to train on");
}

static temper_status check_share(const struct dataset *data, double share, size_t *test, temper_error *error)
{
    char file[PATH_SHOWN];
    double rows = (double)data->x.rows;
    if (!(share > 0 && share < 1))
        return error_set(error, TEMPER_USAGE, "the share of rows for testing is none; give a number between 0 and 1");
    double count = floor(share * rows + 0.5);
    if (count < 1 || count >= rows)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: of %llu rows, %.0f would be for testing; both sides need some, so "
                         "change the share",
                         source_shown(data, file), (unsigned long long)data->x.rows, count);
    *test = (size_t)count;
    return TEMPER_OK;
}

temper_status split_test(const struct dataset *data, double share, struct split_how how, struct split *out,
                         temper_error *error)
{
    struct split split = {0};
    struct deck deck = {0};
    size_t test = 0;
    temper_status status = check_share(data, share, &test, error);
    if (status == TEMPER_OK)
        status = split_start(data, how, &split, &deck, error);
    if (status != TEMPER_OK)
        return status;
    struct quota *quota = mem_alloc(deck.classes, sizeof *quota);
    if (quota) {
        split.parts = 2;
        set_quotas(&deck, share, test, quota);
        deal_test(data, &deck, quota, &split);
        *out = split;
    } else {
        split_free(&split);
        status = error_no_memory(error);
    }
    mem_free(quota);
    deck_free(&deck);
    return status;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

size_t split_rows(const struct split *split, uint32_t part, bool others, size_t *row)
{
    size_t count = 0;
    for (size_t i = 0; i < split->rows; i++)
        if ((split->part[i] == part) != others)
            row[count++] = i;
    return count;
}

void split_free(struct split *split)
{
    mem_free(split->part);
    *split = (struct split){0};
}
