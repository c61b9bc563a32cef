/* Outcomes by row and candidate: stored as given, and compared pair by pair. */
#include <math.h>
#include <stdlib.h>

#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "search/outcome_table.h"

enum { ROWS = 200 };

TEST(outcomes_are_those_that_were_stored)
{
    struct outcome_table table;
    uint8_t correct[ROWS];
    temper_error error;
    CHECK(outcome_table_new(3, ROWS, &table, &error) == TEMPER_OK);
    CHECK_EQ_SIZE(table.stride, 1);
    for (size_t i = 0; i < ROWS; i++)
        correct[i] = i % 3 == 0;
    outcome_table_set(&table, OUTCOMES_FOLDS, 1, correct);
    for (size_t i = 0; i < ROWS; i++) {
        CHECK(outcome_of(&table, OUTCOMES_FOLDS, 1, i) == (i % 3 == 0));
        CHECK(!outcome_of(&table, OUTCOMES_FOLDS, 0, i) && !outcome_of(&table, OUTCOMES_FOLDS, 2, i));
        CHECK(!outcome_of(&table, OUTCOMES_HALVES, 1, i));
        correct[i] = 0;
    }
    outcome_table_set(&table, OUTCOMES_FOLDS, 1, correct); /* replaces, and adds nothing */
    for (size_t i = 0; i < ROWS; i++)
        CHECK(!outcome_of(&table, OUTCOMES_FOLDS, 1, i));
    outcome_table_free(&table);
}

/* Large data keeps every so many rows, and large grids do. */
TEST(large_tables_are_sampled)
{
    struct outcome_table table;
    temper_error error;
    CHECK(outcome_table_new(2, 1000000, &table, &error) == TEMPER_OK);
    CHECK_EQ_SIZE(table.stride, 16);
    CHECK_EQ_SIZE(table.rows, 62500);
    uint8_t *correct = calloc(1000000, 1);
    correct[16 * 5] = 1;
    correct[16 * 5 + 1] = 1;
    outcome_table_set(&table, OUTCOMES_HALVES, 1, correct);
    CHECK(outcome_of(&table, OUTCOMES_HALVES, 1, 5) && !outcome_of(&table, OUTCOMES_HALVES, 1, 6));
    CHECK_CLOSE(outcome_table_bytes(2, 1000000), 2.0 * 2 * 8 * (double)table.words, 0);
    CHECK(outcome_table_bytes(100000, 1000000) < 1e9);
    free(correct);
    outcome_table_free(&table);
}

/* 20 rows to 8 in favour of the first, of 200: by the formula of McNemar's test. */
TEST(differences_are_paired)
{
    struct outcome_table table;
    uint8_t first[ROWS], second[ROWS];
    double weight[ROWS];
    temper_error error;
    CHECK(outcome_table_new(2, ROWS, &table, &error) == TEMPER_OK);
    for (size_t i = 0; i < ROWS; i++) {
        first[i] = second[i] = i >= 40;
        weight[i] = 2;
    }
    for (size_t i = 0; i < 20; i++)
        first[i] = 1;
    for (size_t i = 20; i < 28; i++)
        second[i] = 1;
    outcome_table_set(&table, OUTCOMES_HALVES, 0, first);
    outcome_table_set(&table, OUTCOMES_HALVES, 1, second);
    struct paired_difference d = outcome_difference(&table, OUTCOMES_HALVES, 0, 1, weight);
    CHECK_CLOSE(d.mean, 12.0 / ROWS, 1e-12);
    CHECK_CLOSE(d.discordant, 28.0 / ROWS, 1e-12);
    CHECK_CLOSE(d.error, sqrt(28 - 12.0 * 12 / ROWS) / ROWS, 1e-12);
    for (size_t i = 0; i < 20; i++)
        weight[i] = 0; /* only the rows in favour of the second are left */
    d = outcome_difference(&table, OUTCOMES_HALVES, 0, 1, weight);
    CHECK_CLOSE(d.mean, -8.0 / 180, 1e-12);
    outcome_table_free(&table);
}

TEST(a_lack_of_memory_is_said)
{
    struct outcome_table table = {.candidates = 4711};
    temper_error error;
    for (size_t n = 1; n <= 2; n++) {
        fault_arm(n);
        CHECK(outcome_table_new(2, ROWS, &table, &error) == TEMPER_NO_MEMORY);
        fault_disarm();
        CHECK_EQ_SIZE(table.candidates, 4711);
    }
}

TEST_LIST(LISTED(outcomes_are_those_that_were_stored), LISTED(large_tables_are_sampled), LISTED(differences_are_paired),
          LISTED(a_lack_of_memory_is_said))
