/* The candidates that a grid stands for, and what is refused. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "search/grid.h"
#include "tempered/loss_family.h"

enum { MANY_ROWS = 100000 };

static struct candidate_grid parsed_for(const char *text, uint64_t rows)
{
    struct candidate_grid grid = {0};
    temper_error error = {0};
    CHECKF(grid_parse(text, 0.5, rows, &grid, &error) == TEMPER_OK, "%s: %s", text ? text : "NULL", error.message);
    return grid;
}

static struct candidate_grid parsed(const char *text)
{
    return parsed_for(text, MANY_ROWS);
}

static bool has(const struct candidate_grid *grid, double t1, double t2, double l2)
{
    for (size_t i = 0; i < grid->count; i++)
        if (loss_is_two_temperature_at(grid->table[i].loss, t1, t2) && fabs(grid->table[i].l2 - l2) <= 1e-12 * l2)
            return true;
    return false;
}

TEST(the_default_has_24_pairs_and_5_penalties_around_the_usual_one)
{
    static const double t1[] = {0.1, 0.3, 0.5, 0.7, 0.9, 1}, t2[] = {1, 1.12, 1.4, 1.9};
    struct candidate_grid grid = parsed(NULL), named = parsed("default");
    CHECK_EQ_SIZE(grid.count, 120);
    CHECK_EQ_SIZE(named.count, 120);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 4; j++)
            for (int power = -3; power <= 1; power++)
                CHECK(has(&grid, t1[i], t2[j], 0.5 * pow(10, power)));
    for (size_t i = 0; i < grid.count; i++) {
        CHECK(grid.table[i].stage == 0 && isnan(grid.table[i].accuracy));
        if (i % 5)
            CHECK(grid.table[i].l2 < grid.table[i - 1].l2);
    }
    CHECK_EQ_TEXT(grid.note, "");
    grid_free(&grid);
    grid_free(&named);
}

static size_t count_of(const char *text, uint64_t rows)
{
    struct candidate_grid grid = parsed_for(text, rows);
    size_t count = grid.count;
    grid_free(&grid);
    return count;
}

/* 8 pairs and the reference, 4 penalties; what a text does not name is of the full grid at any size. */
TEST(few_rows_have_fewer_candidates)
{
    struct candidate_grid grid = parsed_for(NULL, 600);
    CHECK_EQ_SIZE(grid.count, 36);
    CHECK(has(&grid, 1, 1, 0.5) && has(&grid, 0.1, 1.12, 5) && has(&grid, 0.3, 1.4, 0.005));
    grid_free(&grid);
    CHECK_EQ_SIZE(count_of("default", TEMPER_GRID_SMALL_ROWS - 1), 36);
    CHECK_EQ_SIZE(count_of("default", TEMPER_GRID_SMALL_ROWS), 120);
    CHECK_EQ_SIZE(count_of("small", MANY_ROWS), 36);
    CHECK_EQ_SIZE(count_of("full", 600), 120);
    CHECK_EQ_SIZE(count_of("only l2=1", 600), 24);
}

TEST(the_paper_has_its_penalties_and_the_additions)
{
    struct candidate_grid grid = parsed("paper");
    CHECK(has(&grid, 0.1, 1.12, 1e-5) && has(&grid, 1, 1.9, 0.1));
    CHECK(has(&grid, 1, 1, 1e-3)); /* added */
    CHECK_EQ_SIZE(grid.count, (6 * 5 + 1) * 5);
    grid_free(&grid);
}

TEST(lists_ranges_and_multiples_are_understood)
{
    struct candidate_grid grid = parsed("only t1=0..1:3 t2=1.5 l2=0.1x,2,1e-4..1e-2:3");
    CHECK_EQ_SIZE(grid.count, 15);
    CHECK(has(&grid, 0, 1.5, 2) && has(&grid, 0.5, 1.5, 0.05) && has(&grid, 1, 1.5, 1e-3));
    CHECK_CLOSE(grid.table[0].l2, 2, 0);
    CHECK_CLOSE(grid.table[4].l2, 1e-4, 0);
    grid_free(&grid);
    grid = parsed("  t1=0.2  t2=1 l2=1,1,1 ");
    CHECK_EQ_SIZE(grid.count, 3); /* itself, (1, 1) and (0.1, 1.12) */
    CHECK(has(&grid, 1, 1, 1) && has(&grid, 0.1, 1.12, 1));
    grid_free(&grid);
}

TEST(penalties_of_absolute_weights_replace_the_others)
{
    struct candidate_grid grid = parsed("only loss=logistic l1=1e-3..1e-1:3,0");
    CHECK_EQ_SIZE(grid.count, 4);
    static const double falling[] = {1e-1, 1e-2, 1e-3, 0};
    for (size_t i = 0; i < grid.count; i++) {
        CHECK_CLOSE(grid.table[i].l1, falling[i], 1e-15);
        CHECK_CLOSE(grid.table[i].l2, 0, 0);
    }
    grid_free(&grid);
    grid = parsed("only loss=logistic l2=1,2 l1=0.1,0.2");
    CHECK_EQ_SIZE(grid.count, 4);
    CHECK(grid.table[0].l2 == 2 && grid.table[0].l1 == 0.2 && grid.table[1].l1 == 0.1 && grid.table[2].l2 == 1);
    grid_free(&grid);
    grid = parsed("only l1=0"); /* none: the default list of l2 stays */
    CHECK(grid.count > 24 && grid.table[0].l2 > 0);
    grid_free(&grid);
}

TEST(other_losses_bring_their_own_temperatures)
{
    struct candidate_grid grid = parsed("only loss=hinge,logistic,t-logistic,gce t1=0.5,1 t2=1,1.5 l2=1");
    size_t hinges = 0;
    for (size_t i = 0; i < grid.count; i++)
        hinges += grid.table[i].loss.method == TEMPER_HINGE;
    CHECK_EQ_SIZE(hinges, 1);
    CHECK_EQ_SIZE(grid.count, 4); /* and (1, 1), (1, 1.5), (0.5, 1), each once */
    CHECK(has(&grid, 1, 1, 1) && has(&grid, 1, 1.5, 1) && has(&grid, 0.5, 1, 1));
    grid_free(&grid);
}

TEST(a_hinge_may_be_rounded)
{
    struct candidate_grid grid = parsed("only loss=hinge:0.25 l2=1");
    CHECK_EQ_SIZE(grid.count, 1);
    CHECK(grid.table[0].loss.method == TEMPER_HINGE && grid.table[0].loss.smoothing == 0.25);
    grid_free(&grid);
}

TEST(a_loss_may_occur_with_several_parameters)
{
    struct candidate_grid grid = parsed("only loss=sce:1:1:-4,hinge,sce,sce:0.1:1:-4 t1=0.3,0.5 l2=1");
    CHECK_EQ_SIZE(grid.count, 3); /* hinge first, as in the enumeration; the standard sce once */
    CHECK(grid.table[0].loss.method == TEMPER_HINGE && grid.table[1].loss.alpha == 1);
    CHECK(grid.table[2].loss.alpha == 0.1 && grid.table[2].loss.t1 == 1 && grid.table[2].loss.t2 == 1);
    grid_free(&grid);
}

/* The last method of the list too: it was written behind the end of an array once a method was added. */
TEST(every_method_can_be_in_a_grid)
{
    for (size_t i = 0; i < TEMPER_METHODS; i++) {
        char text[64];
        snprintf(text, sizeof text, "only loss=%s t1=0.5 t2=1.5 l2=1", method_name((temper_method)i));
        struct candidate_grid grid = parsed(text);
        CHECK_EQ_SIZE(grid.count, 1);
        CHECK(grid.count == 0 || grid.table[0].loss.method == (temper_method)i);
        grid_free(&grid);
    }
}

TEST(what_cannot_be_trained_is_left_out_or_refused)
{
    struct candidate_grid grid = parsed("t1=0.5,1 t2=0.8,1 l2=1");
    temper_error error;
    CHECK(has(&grid, 0.5, 0.8, 1) && !has(&grid, 1, 0.8, 1));
    CHECK(strstr(grid.note, "1 pairs") != NULL);
    grid_free(&grid);
    CHECK(grid_parse("t1=1 t2=0.5", 1, MANY_ROWS, &grid, &error) == TEMPER_USAGE);
    CHECK(strstr(error.message, "none of these") != NULL);
}

TEST(bad_texts_are_refused)
{
    static const char *const bad[] = {"t1",
                                      "t1=",
                                      "t1=a",
                                      "t1=-1",
                                      "t1=1,,2",
                                      "t3=1",
                                      "l2=1..2",
                                      "l2=1..2:1",
                                      "l2=1..2:257",
                                      "l2=0..1:3",
                                      "t1=0.5x",
                                      "loss=cross",
                                      "only=1",
                                      "onl",
                                      "l2=nan",
                                      "l2=1e400",
                                      "t1=1..:3",
                                      "t1=..1:3",
                                      "l2=1..2:2,3..4:256",
                                      "l1=0..1:3",
                                      "l1=0.5x",
                                      "l1=0.1 loss=hinge",
                                      "t1=0.5,",
                                      "loss=gce,",
                                      "loss=gce:0.5",
                                      "loss=hinge:wide",
                                      "t1=0..10:64 t2=1..10:64 l2=1..10:64 loss=tempered,bregman"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct candidate_grid grid = {.count = 4711};
        temper_error error = {0};
        CHECKF(grid_parse(bad[i], 1, MANY_ROWS, &grid, &error) == TEMPER_USAGE, "%s", bad[i]);
        CHECKF(strncmp(error.message, "grid: ", 6) == 0 && grid.count == 4711, "%s: %s", bad[i], error.message);
    }
}

TEST(a_lack_of_memory_is_said)
{
    struct candidate_grid grid;
    temper_error error;
    fault_arm(1);
    CHECK(grid_parse(NULL, 1, MANY_ROWS, &grid, &error) == TEMPER_NO_MEMORY);
    fault_disarm();
}

TEST_LIST(LISTED(the_default_has_24_pairs_and_5_penalties_around_the_usual_one), LISTED(few_rows_have_fewer_candidates),
          LISTED(the_paper_has_its_penalties_and_the_additions), LISTED(lists_ranges_and_multiples_are_understood),
          LISTED(penalties_of_absolute_weights_replace_the_others), LISTED(other_losses_bring_their_own_temperatures),
          LISTED(a_hinge_may_be_rounded), LISTED(a_loss_may_occur_with_several_parameters),
          LISTED(every_method_can_be_in_a_grid), LISTED(what_cannot_be_trained_is_left_out_or_refused),
          LISTED(bad_texts_are_refused), LISTED(a_lack_of_memory_is_said))
