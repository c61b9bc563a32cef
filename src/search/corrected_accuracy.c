/* corrected_accuracy: the bootstrap over rows of the table of outcomes.
 *
 * Each resample draws as many rows as there are, with replacement, selects the candidate that is most accurate on them,
 * and measures it on the rows that were not drawn, about 1/e of all. No model is fitted again: a candidate's
 * predictions for a row were made by the fold that left the row out, and are read from the table. The mean over
 * resamples replaces the measured accuracy. */
#include "search/corrected_accuracy.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/statistics.h"
#include "search/crossval.h"
#include "search/selection_rule.h"
#include "train/train_streams.h"

/* Resamples: the mean over them then varies by a tenth of a standard error at most. Fewer on large tables, where
 * the optimism is small. */
enum { RESAMPLES = 200, FEWEST_RESAMPLES = 40 };
static const double MOST_OPERATIONS = 2e8;
/* Candidates further than this many standard errors below the best practically never win a resample. */
static const double NO_CHANCE = 4;

/* The bootstrap in progress. */
struct accuracy_bootstrap {
    const struct corrected_input *in;
    size_t *contender; /* candidates that may win, in the order of the table */
    size_t contenders;
    double *drawn;     /* of each row: its weight times how often it was drawn */
    double sum, count; /* of the winners' accuracies on rows that were not drawn; of resamples with such rows */
};

static struct corrected_accuracy with_interval(double accuracy, double rows)
{
    struct interval interval = wilson_interval(accuracy, rows);
    return (struct corrected_accuracy){.accuracy = accuracy,
                                       .error = sqrt(accuracy * (1 - accuracy) / rows),
                                       .low = interval.low,
                                       .high = interval.high};
}

/* The measured accuracy as it is, with its interval. */
struct corrected_accuracy plain_accuracy(const struct corrected_input *in, size_t candidate)
{
    return with_interval(in->candidate[candidate].accuracy, in->rows);
}

/* Lists the candidates that have been through the folds and may win a resample. The standard error is that of a
 * difference of two independent accuracies; accuracies on the same rows differ by less, so that the bound errs on the
 * safe side. */
static void find_contenders(struct accuracy_bootstrap *bootstrap, size_t best)
{
    const struct corrected_input *in = bootstrap->in;
    double top = in->candidate[best].accuracy;
    double least = top - NO_CHANCE * sqrt(2 * top * (1 - top) / in->rows);
    for (size_t i = 0; i < in->outcomes->candidates; i++)
        if (in->candidate[i].stage == STAGE_FOLDS && in->candidate[i].accuracy >= least)
            bootstrap->contender[bootstrap->contenders++] = i;
}

/* Draws as many rows as there are, with replacement. */
static void draw_rows(struct accuracy_bootstrap *bootstrap, size_t resample)
{
    const struct corrected_input *in = bootstrap->in;
    struct random random = {in->seed, STREAM_BOOTSTRAP};
    size_t rows = in->outcomes->rows;
    memset(bootstrap->drawn, 0, rows * sizeof *bootstrap->drawn);
    for (size_t i = 0; i < rows; i++) {
        size_t row = (size_t)random_below(random, (uint64_t)resample * rows + i, rows);
        bootstrap->drawn[row] += in->weight[row * in->outcomes->stride];
    }
}

/* The weight of the drawn rows that a candidate predicts wrongly: usually the few, and only their bits are visited. */
static double drawn_wrong(const struct accuracy_bootstrap *bootstrap, size_t candidate)
{
    const struct outcome_table *outcomes = bootstrap->in->outcomes;
    const uint64_t *word = outcomes->bits[OUTCOMES_FOLDS] + candidate * outcomes->words;
    double sum = 0;
    for (size_t i = 0; i < outcomes->words; i++) {
        size_t left = outcomes->rows - 64 * i;
        uint64_t wrong = ~word[i] & (left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX);
        for (; wrong; wrong &= wrong - 1) /* clears the lowest bit */
            sum += bootstrap->drawn[64 * i + (size_t)__builtin_ctzll(wrong)];
    }
    return sum;
}

/* The winner on the drawn rows; of equal ones that with the larger penalty, then the first, as the selection rule
 * has it. */
static size_t winner(const struct accuracy_bootstrap *bootstrap)
{
    const temper_tune_candidate *candidate = bootstrap->in->candidate;
    size_t best = bootstrap->contender[0];
    double least = INFINITY;
    for (size_t i = 0; i < bootstrap->contenders; i++) {
        size_t j = bootstrap->contender[i];
        double wrong = drawn_wrong(bootstrap, j);
        if (wrong < least || (wrong == least && penalty_exceeds(&candidate[j], &candidate[best]))) {
            least = wrong;
            best = j;
        }
    }
    return best;
}

/* Adds the accuracy of a candidate on the rows that were not drawn. */
static void add_left_out(struct accuracy_bootstrap *bootstrap, size_t candidate)
{
    const struct corrected_input *in = bootstrap->in;
    double all = 0, correct = 0;
    for (size_t row = 0; row < in->outcomes->rows; row++) {
        double weight = bootstrap->drawn[row] > 0 ? 0 : in->weight[row * in->outcomes->stride];
        all += weight;
        correct += outcome_of(in->outcomes, OUTCOMES_FOLDS, candidate, row) ? weight : 0;
    }
    if (!(all > 0))
        return;
    bootstrap->sum += correct / all;
    bootstrap->count++;
}

/* The selection is repeated on every resample. Both of its parts cost rows times contenders at most. */
static void run_bootstrap(struct accuracy_bootstrap *bootstrap)
{
    double each = (double)bootstrap->in->outcomes->rows * (double)bootstrap->contenders;
    size_t resamples = (size_t)fmax(FEWEST_RESAMPLES, fmin(RESAMPLES, MOST_OPERATIONS / each));
    for (size_t i = 0; i < resamples; i++) {
        draw_rows(bootstrap, i);
        add_left_out(bootstrap, winner(bootstrap));
    }
}

/* The interval is around the corrected accuracy, with the standard error of a binomial share: the bootstrap corrects
 * the bias of the selection, not the variance. */
temper_status correct_accuracy(const struct corrected_input *in, size_t best, struct corrected_accuracy *out,
                               temper_error *error)
{
    double measured = in->candidate[best].accuracy;
    struct accuracy_bootstrap bootstrap = {.in = in,
                                           .contender =
                                               mem_alloc(in->outcomes->candidates, sizeof *bootstrap.contender),
                                           .drawn = mem_alloc(in->outcomes->rows, sizeof *bootstrap.drawn)};
    bool allocated = bootstrap.contender && bootstrap.drawn;
    if (allocated) {
        find_contenders(&bootstrap, best);
        run_bootstrap(&bootstrap);
        /* Never above what was measured: the selection cannot have made the best look worse. */
        double accuracy = bootstrap.count > 0 ? bootstrap.sum / bootstrap.count : measured;
        *out = with_interval(fmin(accuracy, measured), in->rows);
    }
    mem_free(bootstrap.contender);
    mem_free(bootstrap.drawn);
    return allocated ? TEMPER_OK : error_no_memory(error);
}
