/* The accuracy of the best of many, corrected for having been selected. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "search/corrected_accuracy.h"

enum { ROWS = 400, CANDIDATES = 60 };

/* Candidates that are right on each row with a probability of their own, independently. */
struct made_outcomes {
    struct outcome_table table;
    temper_tune_candidate candidate[CANDIDATES];
    double weight[ROWS];
    struct corrected_input input;
    size_t best;
};

static void made_new(struct made_outcomes *made, const double *truth, uint64_t seed)
{
    uint8_t correct[ROWS];
    temper_error error;
    *made = (struct made_outcomes){0};
    CHECK(outcome_table_new(CANDIDATES, ROWS, &made->table, &error) == TEMPER_OK);
    for (size_t i = 0; i < ROWS; i++)
        made->weight[i] = 1;
    for (size_t j = 0; j < CANDIDATES; j++) {
        double right = 0;
        for (size_t i = 0; i < ROWS; i++) {
            correct[i] = random_uniform((struct random){seed, (uint32_t)j}, i) < truth[j];
            right += correct[i];
        }
        outcome_table_set(&made->table, OUTCOMES_FOLDS, j, correct);
        made->candidate[j] = (temper_tune_candidate){.stage = 2, .l2 = 1, .accuracy = right / ROWS};
        if (made->candidate[j].accuracy > made->candidate[made->best].accuracy)
            made->best = j;
    }
    made->input = (struct corrected_input){&made->table, made->candidate, made->weight, ROWS, 1, 1};
}

/* Sixty candidates, all right on 80 % of the rows: the best looks 4 points better, by luck. */
TEST(luck_is_subtracted)
{
    double truth[CANDIDATES], measured = 0, corrected = 0;
    enum { TRIALS = 20 };
    for (size_t j = 0; j < CANDIDATES; j++)
        truth[j] = 0.8;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        static struct made_outcomes made;
        struct corrected_accuracy out;
        temper_error error;
        made_new(&made, truth, seed);
        CHECK(correct_accuracy(&made.input, made.best, &out, &error) == TEMPER_OK);
        measured += made.candidate[made.best].accuracy / TRIALS;
        corrected += out.accuracy / TRIALS;
        CHECK(out.low < out.accuracy && out.accuracy < out.high);
        outcome_table_free(&made.table);
    }
    CHECK(measured > 0.835);
    CHECK_NEAR(corrected, 0.8, 0.01);
}

/* One candidate is far better: there was no choice, and there is no correction to speak of. */
TEST(a_clear_winner_keeps_its_accuracy)
{
    static struct made_outcomes made;
    double truth[CANDIDATES];
    struct corrected_accuracy out, again, plain;
    temper_error error;
    for (size_t j = 0; j < CANDIDATES; j++)
        truth[j] = j == 7 ? 0.95 : 0.5;
    made_new(&made, truth, 3);
    CHECK_EQ_SIZE(made.best, 7);
    CHECK(correct_accuracy(&made.input, 7, &out, &error) == TEMPER_OK);
    CHECK_NEAR(out.accuracy, made.candidate[7].accuracy, 0.003);
    CHECK(out.accuracy <= made.candidate[7].accuracy);
    for (size_t threads = 1; threads <= 3; threads++) {
        made.input.threads = threads;
        CHECK(correct_accuracy(&made.input, 7, &again, &error) == TEMPER_OK);
        CHECK(again.accuracy == out.accuracy); /* the seed decides */
    }
    plain = plain_accuracy(&made.input, 7);
    CHECK_CLOSE(plain.accuracy, made.candidate[7].accuracy, 0);
    CHECK_CLOSE(plain.error, sqrt(plain.accuracy * (1 - plain.accuracy) / ROWS), 1e-12);
    outcome_table_free(&made.table);
}

/* Wilson's interval of 20 right of 20: from 0.839 to 1. */
TEST(intervals_stay_in_range)
{
    temper_tune_candidate candidate = {.stage = 2, .accuracy = 1};
    struct corrected_input input = {.candidate = &candidate, .rows = 20};
    struct corrected_accuracy out = plain_accuracy(&input, 0);
    CHECK_NEAR(out.low, 0.8389, 1e-4);
    CHECK_CLOSE(out.high, 1, 1e-12);
    candidate.accuracy = 0;
    CHECK(plain_accuracy(&input, 0).low == 0);
}

TEST(a_lack_of_memory_is_said)
{
    static struct made_outcomes made;
    double truth[CANDIDATES];
    struct corrected_accuracy out = {.accuracy = 4711};
    temper_error error;
    for (size_t j = 0; j < CANDIDATES; j++)
        truth[j] = 0.7;
    made_new(&made, truth, 1);
    for (size_t n = 1; n <= 2; n++) {
        fault_arm(n);
        CHECK(correct_accuracy(&made.input, made.best, &out, &error) == TEMPER_NO_MEMORY);
        fault_disarm();
        CHECK(out.accuracy == 4711);
    }
    outcome_table_free(&made.table);
}

TEST_LIST(LISTED(luck_is_subtracted), LISTED(a_clear_winner_keeps_its_accuracy), LISTED(intervals_stay_in_range),
          LISTED(a_lack_of_memory_is_said))
