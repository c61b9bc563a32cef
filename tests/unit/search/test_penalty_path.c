/* Warm starts along the penalties of a convex loss: which candidates, the same table, interrupted or not. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "search/penalty_path.h"

enum { ROWS = 90, COLUMNS = 3, MANY_ROWS = 20000 };

/* ---- Segments -------------------------------------------------------------------------------- */

static temper_tune_candidate made_candidate(double t1, double t2, double l2)
{
    return (temper_tune_candidate){.loss = {.method = TEMPER_TEMPERED, .t1 = t1, .t2 = t2}, .l2 = l2};
}

TEST(a_long_run_is_divided_and_others_are_not_joined)
{
    temper_tune_candidate table[14];
    size_t which[14], segment[14];
    for (size_t i = 0; i < 14; i++) {
        which[i] = i;
        table[i] = i < 10 ? made_candidate(1, 1, pow(0.5, (double)i)) : made_candidate(0.3, 1, pow(0.5, (double)i));
    }
    penalty_segments(table, which, 14, 10, 30, segment); /* three segments of ten parts: 4, 4 and 2 penalties */
    static const size_t three[] = {0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 10, 11, 12, 13};
    CHECK(memcmp(segment, three, sizeof segment) == 0);
    penalty_segments(table, which, 14, 2, 32, segment); /* enough candidates without it */
    for (size_t i = 0; i < 14; i++)
        CHECK_EQ_SIZE(segment[i], i);
    penalty_segments(table, which, 14, 50, 32, segment); /* enough parts: one segment */
    CHECK(segment[9] == 0 && segment[10] == 10);
}

TEST(a_run_ends_where_the_penalty_rises_or_the_loss_changes)
{
    temper_tune_candidate table[] = {made_candidate(1, 1, 2),
                                     made_candidate(1, 1, 1),
                                     made_candidate(1, 1, 3),
                                     made_candidate(2, 1, 1),
                                     {.loss = {.method = TEMPER_HINGE}, .l2 = 2},
                                     {.loss = {.method = TEMPER_HINGE}, .l2 = 1}};
    static const size_t which[] = {0, 1, 2, 3, 4, 5}, expected[] = {0, 0, 2, 3, 4, 5};
    size_t segment[6];
    penalty_segments(table, which, 6, 10, 8, segment);
    CHECK(memcmp(segment, expected, sizeof segment) == 0);
}

/* Of L1 penalties with one l2: they fall, and the last of them is none. */
TEST(a_run_of_penalties_of_absolute_weights)
{
    temper_tune_candidate table[6];
    static const double l2[] = {1, 1, 1, 0.5, 0.5, 0.5}, l1[] = {0.2, 0.1, 0, 0.2, 0.1, 0};
    static const size_t which[] = {0, 1, 2, 3, 4, 5}, expected[] = {0, 0, 0, 3, 3, 3};
    size_t segment[6];
    for (size_t i = 0; i < 6; i++) {
        table[i] = made_candidate(1, 1, l2[i]);
        table[i].l1 = l1[i];
    }
    penalty_segments(table, which, 6, 10, 8, segment);
    CHECK(memcmp(segment, expected, sizeof segment) == 0);
}

/* ---- Tuning along a path --------------------------------------------------------------------- */

static temper_tune_options path_options(const char *grid)
{
    temper_tune_options options = temper_tune_defaults();
    options.grid = grid;
    options.folds = 8;
    options.train.threads = 1;
    options.train.tolerance = 1e-9;
    options.criterion = "log-loss"; /* nothing is dropped */
    return options;
}

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fabs(b);
}

/* The accuracy and the loss of a candidate are the same alone, from zero, and on a path of 24. */
TEST(a_path_leads_to_the_optimum_of_each_penalty)
{
    for (size_t classes = 2; classes < 4; classes++) {
        struct dataset *data = made_data(MATRIX_F64, ROWS, COLUMNS, classes);
        temper_tune_report path = made_tune(data, path_options("only t1=1 t2=1 l2=1e-4..1:24"), NULL);
        CHECK_EQ_SIZE(path.count, 24);
        for (size_t i = 0; i < path.count; i += 7) {
            char grid[64];
            snprintf(grid, sizeof grid, "only t1=1 t2=1 l2=%.17g", path.table[i].l2);
            temper_tune_report alone = made_tune(data, path_options(grid), NULL);
            CHECK(close_to(path.table[i].log_loss, alone.table[0].log_loss));
            CHECK_CLOSE(path.table[i].accuracy, alone.table[0].accuracy, 0);
            temper_tune_report_free(&alone);
        }
        temper_tune_report_free(&path);
        dataset_free(data);
    }
}

struct stop_at_call {
    size_t after, calls;
};

static int stop_then(void *context, const temper_tune_progress *progress)
{
    struct stop_at_call *stop = context;
    (void)progress;
    return ++stop->calls >= stop->after;
}

static bool same_measures(const temper_tune_report *a, const temper_tune_report *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        const temper_tune_candidate *x = &a->table[i], *y = &b->table[i];
        size_t from = offsetof(temper_tune_candidate, accuracy);
        same = x->stage == y->stage && memcmp((const char *)x + from, (const char *)y + from, sizeof *x - from) == 0;
    }
    return same;
}

/* A segment that was interrupted is fitted again, so that every fit has the start that it would have had. */
SCRATCH_TEST(an_interrupted_path_ends_in_the_same_table)
{
    for (size_t classes = 2; classes < 4; classes += test_step(2)) {
        struct dataset *data = made_data(MATRIX_F32, ROWS, COLUMNS, classes);
        temper_tune_options options = path_options("only t1=1 t2=1 l2=1e-3..1:12");
        options.train.tolerance = 1e-4;
        temper_tune_report whole = made_tune(data, options, NULL);
        options.checkpoint = "path";
        options.train.checkpoint_seconds = 0;
        for (size_t after = 3; after < 300; after = 2 * after + 1) {
            struct stop_at_call stop = {.after = after};
            temper_tune_options first = options;
            first.on_progress = stop_then;
            first.progress_context = &stop;
            temper_tune_report part = made_tune(data, first, NULL);
            temper_tune_options second = options;
            second.resume = 1;
            temper_tune_report resumed = made_tune(data, second, NULL);
            CHECKF(same_measures(&whole, &resumed), "%zu classes, interrupted after %zu calls", classes, after);
            CHECK(whole.expected_accuracy == resumed.expected_accuracy);
            temper_tune_report_free(&part);
            temper_tune_report_free(&resumed);
            unlink("path");
        }
        temper_tune_report_free(&whole);
        dataset_free(data);
    }
}

/* The least limit, in mebibytes, under which the data can be tuned: the refusal of a smaller one names it. */
static uint64_t least_limit(struct dataset *data, const temper_tune_options *options)
{
    temper_error error = {0};
    temper_model *model = NULL;
    unsigned long long needed = 0;
    data->storage.memory_limit = 1;
    CHECK(temper_tune(made_public(data), options, &model, NULL, &error) == TEMPER_NO_MEMORY);
    CHECKF(sscanf(error.message, "the search needs %lluM", &needed) == 1, "%s", error.message);
    return needed;
}

/* With a memory limit the path is divided into several batches. The first fits of a batch start by the last two
 * solutions of the batch before, so that no bit of the table changes. Under a sanitizer, which takes memory itself, the
 * least limit leaves one batch. */
TEST(the_batches_of_a_path_do_not_change_its_table)
{
    for (size_t classes = 2; classes < 4; classes += test_step(2)) {
        struct dataset *data = made_data(MATRIX_F32, MANY_ROWS, COLUMNS, classes);
        temper_tune_options options = path_options("only t1=1 t2=1 l2=1e-4..1e-1:29,0.3");
        options.train.tolerance = 1e-2;
        options.folds = 2;
        temper_tune_report whole = made_tune(data, options, NULL);
        uint64_t least = least_limit(data, &options);
        for (uint64_t fourths = 6; fourths < 9; fourths += 2) {
            data->storage.memory_limit = (least << 20) * fourths / 4;
            temper_tune_report divided = made_tune(data, options, NULL);
            CHECKF(same_measures(&whole, &divided), "%zu classes, %llu fourths", classes, (unsigned long long)fourths);
            temper_tune_report_free(&divided);
        }
        temper_tune_report_free(&whole);
        dataset_free(data);
    }
}

/* A large L1 penalty leaves no weights: the candidate predicts the more frequent class, and is far less accurate. */
TEST(absolute_penalties_reach_the_fits)
{
    struct dataset *data = made_data(MATRIX_F64, 200, 4, 2);
    temper_tune_options options = temper_tune_defaults();
    temper_model *model = NULL;
    options.grid = "only loss=logistic l2=0.001 l1=0.001,100";
    options.folds = 4;
    options.train.threads = 1;
    temper_tune_report report = made_tune(data, options, &model);
    size_t large = report.table[0].l1 < 1;
    CHECK(report.count == 2 && report.table[large].l1 == 100);
    CHECKF(report.table[1 - large].accuracy > report.table[large].accuracy + 0.1, "%g %g",
           report.table[1 - large].accuracy, report.table[large].accuracy);
    temper_model_free(model);
    temper_tune_report_free(&report);
    dataset_free(data);
}

TEST_LIST(LISTED(a_long_run_is_divided_and_others_are_not_joined),
          LISTED(a_run_ends_where_the_penalty_rises_or_the_loss_changes),
          LISTED(a_run_of_penalties_of_absolute_weights), LISTED(a_path_leads_to_the_optimum_of_each_penalty),
          LISTED(an_interrupted_path_ends_in_the_same_table), LISTED(the_batches_of_a_path_do_not_change_its_table),
          LISTED(absolute_penalties_reach_the_fits))
