/* ask_labels: the rows whose true labels would distinguish the most promising candidates best.
 *
 * Candidates that different criteria would select are compared: where their models, none of which has seen the row,
 * predict different classes, its true label is evidence for one of them. Among such rows the choice is random, so that
 * results on them are representative. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "search/tune_state.h"
#include "train/train_streams.h"

enum { SHORTLIST = 8, PAIRS = SHORTLIST * (SHORTLIST - 1) / 2 }; /* criteria of fill_shortlist */

/* The candidates to compare, without repetition. */
struct shortlist {
    size_t candidate[SHORTLIST], count;
    uint16_t *predicted[SHORTLIST]; /* of all rows, by models that have not seen them */
};

/* Several criteria often select the same candidate, which then is fitted once; a criterion that selects none passes
 * NO_CANDIDATE. */
static void add_to_shortlist(struct shortlist *list, size_t candidate)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->candidate[i] == candidate)
            return;
    if (candidate != NO_CANDIDATE && list->count < SHORTLIST)
        list->candidate[list->count++] = candidate;
}

/* The candidate with from <= t1 <= to that is most accurate on the halves; NO_CANDIDATE if none has been fitted. The
 * halves, since every fitted candidate has been through them. */
static size_t best_between(const struct crossval_table *table, double from, double to)
{
    size_t best = NO_CANDIDATE;
    for (size_t i = 0; i < table->count; i++) {
        const temper_tune_candidate *candidate = &table->candidate[i];
        if (candidate->stage && candidate->loss.t1 >= from && candidate->loss.t1 <= to &&
            (best == NO_CANDIDATE || candidate->half_accuracy > table->candidate[best].half_accuracy))
            best = i;
    }
    return best;
}

/* The fitted candidate with the least value of the double at `offset` in temper_tune_candidate. Candidates that
 * hardly predict some class are excluded: a constant prediction leaves no row undecided. A measure that is NAN is
 * never the least. */
static size_t least_of(const struct crossval_table *table, size_t offset)
{
    size_t best = NO_CANDIDATE;
    double least = INFINITY;
    for (size_t i = 0; i < table->count; i++) {
        const temper_tune_candidate *candidate = &table->candidate[i];
        double value;
        memcpy(&value, (const char *)candidate + offset, sizeof value);
        if (candidate->stage && candidate->balance > 0.5 && value < least) {
            best = i;
            least = value;
        }
    }
    return best;
}

/* The selections of all criteria of the rule, and the best of three ranges of t1: convex, moderate and strongly
 * bounded losses. They differ most in how they treat wrong labels. */
static void fill_shortlist(const struct crossval_table *table, const struct selection *selection,
                           struct shortlist *list)
{
    add_to_shortlist(list, selection->best);
    add_to_shortlist(list, selection->by_accuracy);
    add_to_shortlist(list, selection->reference);
    add_to_shortlist(list, least_of(table, offsetof(temper_tune_candidate, code_length)));
    add_to_shortlist(list, least_of(table, offsetof(temper_tune_candidate, undecided)));
    add_to_shortlist(list, best_between(table, 1, INFINITY));
    add_to_shortlist(list, best_between(table, 0.4, 0.99));
    add_to_shortlist(list, best_between(table, 0, 0.4));
}

/* Fits a candidate on the two halves, and sets *out[rows of all processes] to the class of each row as predicted by
 * the half that excludes it; to be freed by the caller. *out is not set if the caller stopped the fits (*finished is
 * false). */
static temper_status predict_held_out(struct tune_state *t, size_t candidate, uint16_t **out, bool *finished)
{
    const struct gathered_labels *labels = &t->setup.cv.labels;
    struct fold_models models = {0};
    temper_status status = fold_models_fit(t, candidate, STAGE_HALVES, &models, finished);
    t->progress.fits_before += 2;
    if (status != TEMPER_OK || !*finished) {
        fold_models_free(&models);
        return status;
    }
    uint16_t *own = mem_alloc(labels->own, sizeof *own);
    *out = mem_alloc(labels->rows, sizeof **out);
    if (own && *out) {
        /* Part p of the models was fitted without the rows of part p, which makes it the held-out model of these
         * rows. */
        const uint32_t *part = t->setup.cv.partition[0].part + labels->first;
        for (size_t row = 0; row < labels->own; row++)
            own[row] = models.predicted[part[row] * labels->own + row];
        status = gather_labels(labels, own, sizeof *own, *out, t->request.error);
    } else {
        status = error_no_memory(t->request.error);
    }
    mem_free(own);
    fold_models_free(&models);
    return status;
}

/* The value of the label of a row: the sum over the pairs of candidates that it distinguishes of 1 / (1 + rows
 * chosen already that distinguish the pair). Without this discount all rows could go to the one pair that differs
 * most. */
static double label_value(const struct shortlist *list, const size_t chosen[PAIRS], size_t row)
{
    double sum = 0;
    size_t pair = 0;
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = i + 1; j < list->count; j++, pair++)
            if (list->predicted[i][row] != list->predicted[j][row])
                sum += 1 / (1 + (double)chosen[pair]);
    return sum;
}

/* Counts a chosen row for the pairs that it distinguishes; pairs are numbered as in label_value. */
static void count_pairs(const struct shortlist *list, size_t chosen[PAIRS], size_t row)
{
    size_t pair = 0;
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = i + 1; j < list->count; j++, pair++)
            chosen[pair] += list->predicted[i][row] != list->predicted[j][row];
}

/* Greedily chooses the row of largest value until there are options->ask of them; each choice takes a pass over all
 * rows, since it changes the values of the others. Of equal values, the first in the random `order` is chosen. */
static void choose_rows(struct tune_state *t, const struct shortlist *list, const size_t *order, bool *taken)
{
    const struct crossval *cv = &t->setup.cv;
    temper_tune_report *report = &t->report;
    size_t chosen[PAIRS] = {0};
    while (report->ask_count < t->request.options->ask) {
        size_t best = SIZE_MAX;
        double most = 0;
        for (size_t i = 0; i < cv->labels.rows; i++) {
            size_t row = order[i];
            double value = taken[row] || !(cv->weight[row] > 0) ? 0 : label_value(list, chosen, row);
            if (value > most) {
                most = value;
                best = row;
            }
        }
        if (best == SIZE_MAX)
            return; /* no row distinguishes any two candidates */
        taken[best] = true;
        count_pairs(list, chosen, best);
        report->ask_label[report->ask_count] = cv->labels.label[best];
        report->ask[report->ask_count++] = best;
    }
}

/* Fills report.ask and report.ask_label, which the report owns also on failure. Trusted rows are excluded, as their
 * true labels are known. The random order depends on the seed alone, so that the choice is reproducible. */
static temper_status choose_from_shortlist(struct tune_state *t, const struct shortlist *list)
{
    const temper_tune_options *options = t->request.options;
    size_t rows = t->setup.cv.labels.rows;
    size_t *order = mem_alloc(rows, sizeof *order);
    bool *taken = mem_zeroed(rows, sizeof *taken);
    t->report.ask = mem_alloc(options->ask, sizeof *t->report.ask);
    t->report.ask_label = mem_alloc(options->ask, sizeof *t->report.ask_label);
    bool allocated = order && taken && t->report.ask && t->report.ask_label;
    for (size_t i = 0; allocated && i < options->trusted_count; i++)
        taken[options->trusted_rows[i]] = true; /* its true label is known */
    if (allocated) {
        random_permutation((struct random){t->request.train.seed, STREAM_ASK}, order, rows);
        choose_rows(t, list, order, taken);
    }
    mem_free(order);
    mem_free(taken);
    return allocated ? TEMPER_OK : error_no_memory(t->request.error);
}

/* Fits each candidate of the shortlist on the halves again: the table keeps measures and no predictions, which would
 * take rows times candidates of memory. A stopped search returns TEMPER_OK with an empty list. */
temper_status tune_ask_labels(struct tune_state *t)
{
    struct tune_progress *progress = &t->progress;
    struct shortlist list = {.count = 0};
    temper_status status = TEMPER_OK;
    bool finished = true;
    fill_shortlist(&t->table, &t->selection, &list);
    /* Two fits for each candidate, then those of the final model if one is wanted. */
    progress->phase = "ask";
    progress->fits_before = t->table.fits_done;
    progress->fits_planned =
        progress->fits_before + 2 * list.count + (t->request.wants_model ? t->setup.cv.folds + 1 : 0);
    for (size_t i = 0; status == TEMPER_OK && finished && i < list.count; i++)
        status = predict_held_out(t, list.candidate[i], &list.predicted[i], &finished);
    t->table.fits_done = progress->fits_before;
    if (status == TEMPER_OK && finished)
        status = choose_from_shortlist(t, &list);
    for (size_t i = 0; i < list.count; i++)
        mem_free(list.predicted[i]);
    return status;
}
