/* When the choice is unsure, and how many labels are then suggested. */
#include <string.h>

#include "fixtures/test.h"
#include "search/tune_state.h"

enum { ROWS = 600, CANDIDATES = 3 };

/* A finished search over three candidates; the first was chosen. */
struct made_search {
    struct tune_state t;
    temper_tune_options options;
    temper_tune_candidate candidate[CANDIDATES];
    double weight[ROWS];
};

/* Each candidate is wrong on a tenth of the rows: on those from first[i] on. */
static void search_new(struct made_search *made, const size_t first[CANDIDATES])
{
    temper_error error;
    memset(made, 0, sizeof *made);
    made->options = temper_tune_defaults();
    made->t.request.options = &made->options;
    made->t.table.candidate = made->candidate;
    made->t.table.count = CANDIDATES;
    made->t.setup.cv.weight = made->weight;
    made->t.setup.cv.labels.rows = ROWS;
    CHECK(outcome_table_new(CANDIDATES, ROWS, &made->t.table.outcomes, &error) == TEMPER_OK);
    for (size_t i = 0; i < ROWS; i++)
        made->weight[i] = 1;
    for (size_t j = 0; j < CANDIDATES; j++) {
        uint8_t correct[ROWS];
        for (size_t i = 0; i < ROWS; i++)
            correct[i] = !(i >= first[j] && i < first[j] + ROWS / 10);
        outcome_table_set(&made->t.table.outcomes, OUTCOMES_FOLDS, j, correct);
        made->candidate[j] = (temper_tune_candidate){.stage = STAGE_FOLDS, .accuracy = 0.9};
    }
}

static void search_free(struct made_search *made)
{
    outcome_table_free(&made->t.table.outcomes);
}

static void check_suggested(struct made_search *made, size_t rows, const char *words)
{
    made->t.report.suggested_ask = 0;
    made->t.report.suggested_reason[0] = '\0';
    tune_suggest_ask(&made->t);
    CHECK_EQ_SIZE(made->t.report.suggested_ask, rows);
    CHECKF(strstr(made->t.report.suggested_reason, words) != NULL, "'%s'", made->t.report.suggested_reason);
}

static const size_t alike[] = {0, 3, 0}, apart[] = {0, 30, 300};

TEST(settings_that_agree_are_no_reason)
{
    static struct made_search made;
    search_new(&made, alike);
    check_suggested(&made, 0, "");
    CHECK_EQ_TEXT(made.t.report.suggested_reason, "");
    search_free(&made);
}

TEST(equal_accuracies_on_other_rows_are_a_reason)
{
    static struct made_search made;
    search_new(&made, apart);
    check_suggested(&made, 100, "2 other settings are as accurate within a standard error, and differ on up to 20 %");
    made.candidate[2].stage = STAGE_HALVES; /* not compared */
    check_suggested(&made, 100, "1 other setting is as accurate within a standard error, and differs on up to 10 %");
    made.t.setup.cv.labels.rows = 200;
    check_suggested(&made, 40, "differ");
    made.t.setup.cv.labels.rows = 40;
    check_suggested(&made, 0, "");
    search_free(&made);
}

/* The first was chosen, by another criterion than the accuracy: one that is far more accurate is no equal. */
TEST(far_better_accuracies_are_no_reason)
{
    static struct made_search made;
    uint8_t correct[ROWS];
    search_new(&made, alike);
    for (size_t i = 0; i < ROWS; i++)
        correct[i] = i >= ROWS / 2;
    outcome_table_set(&made.t.table.outcomes, OUTCOMES_FOLDS, 0, correct);
    check_suggested(&made, 0, "");
    search_free(&made);
}

TEST(signs_of_wrong_labels_are_reasons)
{
    static struct made_search made;
    search_new(&made, alike);
    made.t.selection.systematic = true;
    check_suggested(&made, 100, "systematically wrong");
    made.t.selection.systematic = false;
    made.t.selection.decided_by = DECIDED_UNDECIDED;
    check_suggested(&made, 100, "(undecided)");
    made.t.selection.decided_by = DECIDED_ACCURACY;
    warning_append(&made.t.report.warnings, TEMPER_WARNING_RANDOM_LABELS, "random");
    made.t.selection.random_share = 0.2;
    check_suggested(&made, 100, "about 20 % of the labels look random");
    warning_append(&made.t.report.warnings, TEMPER_WARNING_STARTS_DISAGREE, "starts");
    check_suggested(&made, 100, "end in different models");
    search_free(&made);
}

TEST(nothing_is_suggested_to_those_who_ask_or_have_labels)
{
    static struct made_search made;
    search_new(&made, apart);
    made.options.ask = 5;
    check_suggested(&made, 0, "");
    made.options.ask = 0;
    made.options.trusted_count = 1;
    check_suggested(&made, 0, "");
    search_free(&made);
}

TEST_LIST(LISTED(settings_that_agree_are_no_reason), LISTED(equal_accuracies_on_other_rows_are_a_reason),
          LISTED(far_better_accuracies_are_no_reason), LISTED(signs_of_wrong_labels_are_reasons),
          LISTED(nothing_is_suggested_to_those_who_ask_or_have_labels))
