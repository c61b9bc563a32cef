/* tune_ask: the rows whose true labels would settle the choice.
 *
 * Settings that different looks at the data would choose are put side by side: where their models,
 * none of which has seen the row, contradict each other, a true label tells them apart. Among such
 * rows it is drawn, so that what is found on them holds for all of them. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "search/tune_state.h"
#include "train/train_streams.h"

enum { SHORTLIST = 8, PAIRS = SHORTLIST * (SHORTLIST - 1) / 2 };

struct shortlist {
    size_t candidate[SHORTLIST], count;
    uint16_t *predicted[SHORTLIST]; /* of all rows, by models that have not seen them */
};

static void enlist(struct shortlist *list, size_t candidate)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->candidate[i] == candidate)
            return;
    if (candidate != NO_CANDIDATE && list->count < SHORTLIST)
        list->candidate[list->count++] = candidate;
}

/* The most accurate one of those whose t1 lies within bounds. */
static size_t best_between(const struct tuning *t, double from, double to)
{
    size_t best = NO_CANDIDATE;
    for (size_t i = 0; i < t->grid.count; i++) {
        const temper_tune_candidate *candidate = &t->grid.table[i];
        if (candidate->stage && candidate->loss.t1 >= from && candidate->loss.t1 <= to &&
            (best == NO_CANDIDATE || candidate->half_accuracy > t->grid.table[best].half_accuracy))
            best = i;
    }
    return best;
}

static size_t least_of(const struct tuning *t, size_t offset)
{
    size_t best = NO_CANDIDATE;
    double least = INFINITY;
    for (size_t i = 0; i < t->grid.count; i++) {
        double value;
        memcpy(&value, (const char *)&t->grid.table[i] + offset, sizeof value);
        if (t->grid.table[i].stage && t->grid.table[i].balance > 0.5 && value < least) {
            best = i;
            least = value;
        }
    }
    return best;
}

static void fill_shortlist(const struct tuning *t, struct shortlist *list)
{
    enlist(list, t->answer.best);
    enlist(list, t->answer.by_accuracy);
    enlist(list, t->answer.reference);
    enlist(list, least_of(t, offsetof(temper_tune_candidate, code_length)));
    enlist(list, least_of(t, offsetof(temper_tune_candidate, undecided)));
    enlist(list, best_between(t, 1, INFINITY));
    enlist(list, best_between(t, 0.4, 0.99));
    enlist(list, best_between(t, 0, 0.4));
}

static temper_status predict_unseen(struct tuning *t, struct shortlist *list, size_t i, bool *finished)
{
    const struct gathered_labels *roll = &t->cv.roll;
    struct fold_models models = {0};
    temper_status status = fold_models_fit(t, list->candidate[i], STAGE_HALVES, &models, finished);
    t->before += 2;
    if (status != TEMPER_OK || !*finished) {
        fold_models_free(&models);
        return status;
    }
    uint16_t *own = mem_alloc(roll->own, sizeof *own);
    list->predicted[i] = mem_alloc(roll->rows, sizeof **list->predicted);
    if (own && list->predicted[i]) {
        const uint32_t *part = t->cv.partition[0].part + roll->first;
        for (size_t row = 0; row < roll->own; row++)
            own[row] = models.predicted[part[row] * roll->own + row];
        status = gather_labels(roll, own, sizeof *own, list->predicted[i], t->error);
    } else {
        status = error_no_memory(t->error);
    }
    mem_free(own);
    fold_models_free(&models);
    return status;
}

/* What a row would tell: pairs that it tells apart count the less, the more rows there are that
 * tell them apart already. */
static double worth(const struct shortlist *list, const size_t told[PAIRS], size_t row)
{
    double sum = 0;
    size_t pair = 0;
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = i + 1; j < list->count; j++, pair++)
            if (list->predicted[i][row] != list->predicted[j][row])
                sum += 1 / (1 + (double)told[pair]);
    return sum;
}

static void note_told(const struct shortlist *list, size_t told[PAIRS], size_t row)
{
    size_t pair = 0;
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = i + 1; j < list->count; j++, pair++)
            told[pair] += list->predicted[i][row] != list->predicted[j][row];
}

static void pick(struct tuning *t, const struct shortlist *list, const size_t *order, bool *taken)
{
    size_t rows = t->cv.roll.rows, told[PAIRS] = {0};
    while (t->report.ask_count < t->options->ask) {
        size_t best = SIZE_MAX;
        double most = 0;
        for (size_t i = 0; i < rows; i++) {
            size_t row = order[i];
            double value = taken[row] || !(t->cv.weight[row] > 0) ? 0 : worth(list, told, row);
            if (value > most) {
                most = value;
                best = row;
            }
        }
        if (best == SIZE_MAX)
            return; /* no row tells any two of them apart */
        taken[best] = true;
        note_told(list, told, best);
        t->report.ask_label[t->report.ask_count] = t->cv.roll.label[best];
        t->report.ask[t->report.ask_count++] = best;
    }
}

static temper_status pick_rows(struct tuning *t, const struct shortlist *list)
{
    size_t rows = t->cv.roll.rows;
    size_t *order = mem_alloc(rows, sizeof *order);
    bool *taken = mem_zeroed(rows, sizeof *taken);
    t->report.ask = mem_alloc(t->options->ask, sizeof *t->report.ask);
    t->report.ask_label = mem_alloc(t->options->ask, sizeof *t->report.ask_label);
    bool room = order && taken && t->report.ask && t->report.ask_label;
    for (size_t i = 0; room && i < t->options->trusted_count; i++)
        taken[t->options->trusted_rows[i]] = true; /* known already */
    if (room) {
        random_permutation((struct random){t->train.seed, STREAM_ASK}, order, rows);
        pick(t, list, order, taken);
    }
    mem_free(order);
    mem_free(taken);
    return room ? TEMPER_OK : error_no_memory(t->error);
}

temper_status tuning_ask(struct tuning *t)
{
    struct shortlist list = {.count = 0};
    temper_status status = TEMPER_OK;
    bool finished = true;
    if (!t->options->ask)
        return TEMPER_OK;
    fill_shortlist(t, &list);
    t->phase = "ask";
    t->before = t->cv.done;
    t->planned = t->before + 2 * list.count + (t->wants_model ? t->cv.folds + 1 : 0);
    for (size_t i = 0; status == TEMPER_OK && finished && i < list.count; i++)
        status = predict_unseen(t, &list, i, &finished);
    t->cv.done = t->before;
    if (status == TEMPER_OK && finished)
        status = pick_rows(t, &list);
    for (size_t i = 0; i < list.count; i++)
        mem_free(list.predicted[i]);
    return status;
}
