/* suggest_ask: whether the choice is unsure, so that the true labels of a few rows are the next step.
 *
 * No rule that sees the given labels alone can tell which candidate is right where wrong labels can be learnt. In 180
 * judged cases the true labels of 100 rows on which candidates disagree lowered the mean regret from 1.66 to 1.20
 * points, those of 50 rows to 1.38 (docs/tuning.md). */
#include <stdio.h>

#include "search/tune_state.h"

/* Rows to label: as many as were judged, but at most this fraction of the data. */
enum { SUGGESTED_ROWS = 100, SUGGESTED_FRACTION = 5, FEWEST_ROWS = 10 };
/* Candidates that are as accurate as the choice make it unsure if they predict this share of the rows differently. */
static const double DIFFERENT_ROWS = 0.10;

/* Candidates that are as accurate as the choice (outcomes_are_equal). */
struct rival_candidates {
    size_t count;
    double different; /* the largest share of rows that one of them, but not the choice, predicts as labelled, or vice
                       * versa */
};

/* Compares every candidate that has been through the folds with the choice. Candidates that are equal in accuracy but
 * right on different rows are the case where the labels cannot decide. */
static struct rival_candidates find_rivals(const struct tune_state *t)
{
    const struct crossval_table *table = &t->table;
    struct rival_candidates rivals = {0};
    size_t best = t->selection.best;
    if (table->candidate[best].stage != STAGE_FOLDS)
        return rivals;
    for (size_t i = 0; i < table->count; i++) {
        if (i == best || table->candidate[i].stage != STAGE_FOLDS)
            continue;
        struct paired_difference behind =
            outcome_difference(&table->outcomes, OUTCOMES_FOLDS, best, i, t->setup.cv.weight);
        if (!outcomes_are_equal(behind))
            continue;
        rivals.count++;
        if (behind.discordant > rivals.different)
            rivals.different = behind.discordant;
    }
    return rivals;
}

static bool has_warning(const temper_warnings *warnings, temper_warning_code code)
{
    for (size_t i = 0; i < warnings->count; i++)
        if (warnings->list[i].code == code)
            return true;
    return false;
}

/* The first reason that applies, the strongest one first; "" if the choice looks safe. */
static void find_reason(const struct tune_state *t, char *reason, size_t size)
{
    const temper_warnings *warnings = &t->report.warnings;
    struct rival_candidates rivals = find_rivals(t);
    enum decision decided_by = t->selection.decided_by;
    reason[0] = '\0';
    if (t->selection.systematic)
        snprintf(reason, size, "labels look systematically wrong, so that accuracy on them may mislead");
    else if (decided_by == DECIDED_CODE_LENGTH || decided_by == DECIDED_UNDECIDED || decided_by == DECIDED_REFERENCE)
        snprintf(reason, size, "signs of wrong labels decided (%s), against the accuracy on them",
                 decision_name(decided_by));
    else if (has_warning(warnings, TEMPER_WARNING_FOLDS_DISAGREE) ||
             has_warning(warnings, TEMPER_WARNING_STARTS_DISAGREE))
        snprintf(reason, size, "fits of the chosen setting end in different models");
    else if (rivals.different >= DIFFERENT_ROWS)
        snprintf(reason, size,
                 "%zu other setting%s as accurate within a standard error, and differ%s on up to %.0f %% of the rows",
                 rivals.count, rivals.count == 1 ? " is" : "s are", rivals.count == 1 ? "s" : "",
                 100 * rivals.different);
    else if (has_warning(warnings, TEMPER_WARNING_RANDOM_LABELS))
        snprintf(reason, size, "about %.0f %% of the labels look random", 100 * t->selection.random_share);
}

/* Nothing is suggested where labels were given or asked for already, or where there are too few rows for it. */
void tune_suggest_ask(struct tune_state *t)
{
    const temper_tune_options *options = t->request.options;
    temper_tune_report *report = &t->report;
    size_t rows = t->setup.cv.labels.rows / SUGGESTED_FRACTION;
    rows = rows < SUGGESTED_ROWS ? rows : SUGGESTED_ROWS;
    if (options->ask || options->trusted || options->trusted_count || rows < FEWEST_ROWS)
        return;
    find_reason(t, report->suggested_reason, sizeof report->suggested_reason);
    report->suggested_ask = report->suggested_reason[0] ? rows : 0;
}
