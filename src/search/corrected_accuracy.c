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
#include "base/thread.h"
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
    double *drawn;    /* of each row, for each thread: its weight times how often it was drawn */
    double *left_out; /* of each resample: the winner's accuracy on rows that were not drawn; -1: there are none */
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
static void draw_rows(const struct accuracy_bootstrap *bootstrap, size_t resample, double *drawn)
{
    const struct corrected_input *in = bootstrap->in;
    struct random random = {in->seed, STREAM_BOOTSTRAP};
    size_t rows = in->outcomes->rows;
    memset(drawn, 0, rows * sizeof *drawn);
    for (size_t i = 0; i < rows; i++) {
        size_t row = (size_t)random_below(random, (uint64_t)resample * rows + i, rows);
        drawn[row] += in->weight[row * in->outcomes->stride];
    }
}

/* The weight of the drawn rows that a candidate predicts wrongly: usually the few, and only their bits are visited. */
static double drawn_wrong(const struct accuracy_bootstrap *bootstrap, const double *drawn, size_t candidate)
{
    const struct outcome_table *outcomes = bootstrap->in->outcomes;
    const uint64_t *word = outcomes->bits[OUTCOMES_FOLDS] + candidate * outcomes->words;
    double sum = 0;
    for (size_t i = 0; i < outcomes->words; i++) {
        size_t left = outcomes->rows - 64 * i;
        uint64_t wrong = ~word[i] & (left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX);
        for (; wrong; wrong &= wrong - 1) /* clears the lowest bit */
            sum += drawn[64 * i + (size_t)__builtin_ctzll(wrong)];
    }
    return sum;
}

/* The winner on the drawn rows; of equal ones that with the larger penalty, then the first, as the selection rule
 * has it. */
static size_t winner(const struct accuracy_bootstrap *bootstrap, const double *drawn)
{
    const temper_tune_candidate *candidate = bootstrap->in->candidate;
    size_t best = bootstrap->contender[0];
    double least = INFINITY;
    for (size_t i = 0; i < bootstrap->contenders; i++) {
        size_t j = bootstrap->contender[i];
        double wrong = drawn_wrong(bootstrap, drawn, j);
        if (wrong < least || (wrong == least && penalty_exceeds(&candidate[j], &candidate[best]))) {
            least = wrong;
            best = j;
        }
    }
    return best;
}

/* The accuracy of a candidate on the rows that were not drawn; -1 if there are none. */
static double left_out_accuracy(const struct accuracy_bootstrap *bootstrap, const double *drawn, size_t candidate)
{
    const struct corrected_input *in = bootstrap->in;
    double all = 0, correct = 0;
    for (size_t row = 0; row < in->outcomes->rows; row++) {
        double weight = drawn[row] > 0 ? 0 : in->weight[row * in->outcomes->stride];
        all += weight;
        correct += outcome_of(in->outcomes, OUTCOMES_FOLDS, candidate, row) ? weight : 0;
    }
    return all > 0 ? correct / all : -1;
}

/* Callback of parallel_blocks. The selection is repeated on every resample; both of its parts cost rows times
 * contenders at most. */
static temper_status run_resample(void *context, size_t resample, size_t worker)
{
    const struct accuracy_bootstrap *bootstrap = context;
    double *drawn = bootstrap->drawn + worker * bootstrap->in->outcomes->rows;
    draw_rows(bootstrap, resample, drawn);
    bootstrap->left_out[resample] = left_out_accuracy(bootstrap, drawn, winner(bootstrap, drawn));
    return TEMPER_OK;
}

/* The mean over the resamples, added in their order; `measured` if none has left out a row. */
static temper_status run_bootstrap(struct accuracy_bootstrap *bootstrap, size_t threads, double measured, double *mean)
{
    double each = (double)bootstrap->in->outcomes->rows * (double)bootstrap->contenders, sum = 0, count = 0;
    size_t resamples = (size_t)fmax(FEWEST_RESAMPLES, fmin(RESAMPLES, MOST_OPERATIONS / each));
    TRY(parallel_blocks(resamples, threads, run_resample, bootstrap));
    for (size_t i = 0; i < resamples; i++)
        if (bootstrap->left_out[i] >= 0) {
            sum += bootstrap->left_out[i];
            count++;
        }
    *mean = count > 0 ? sum / count : measured;
    return TEMPER_OK;
}

/* The interval is around the corrected accuracy, with the standard error of a binomial share: the bootstrap corrects
 * the bias of the selection, not the variance. */
temper_status correct_accuracy(const struct corrected_input *in, size_t best, struct corrected_accuracy *out,
                               temper_error *error)
{
    double measured = in->candidate[best].accuracy, accuracy = 0;
    size_t threads = threads_worth(in->threads, 20.0 * FEWEST_RESAMPLES * (double)in->outcomes->rows);
    struct accuracy_bootstrap bootstrap = {.in = in,
                                           .contender =
                                               mem_alloc(in->outcomes->candidates, sizeof *bootstrap.contender),
                                           .drawn = mem_alloc(threads, in->outcomes->rows * sizeof *bootstrap.drawn),
                                           .left_out = mem_alloc(RESAMPLES, sizeof *bootstrap.left_out)};
    temper_status status = TEMPER_NO_MEMORY;
    if (bootstrap.contender && bootstrap.drawn && bootstrap.left_out) {
        find_contenders(&bootstrap, best);
        status = run_bootstrap(&bootstrap, threads, measured, &accuracy);
    }
    mem_free(bootstrap.contender);
    mem_free(bootstrap.drawn);
    mem_free(bootstrap.left_out);
    if (status != TEMPER_OK)
        return error_no_memory(error);
    /* Never above what was measured: the selection cannot have made the best look worse. */
    *out = with_interval(fmin(accuracy, measured), in->rows);
    return TEMPER_OK;
}
