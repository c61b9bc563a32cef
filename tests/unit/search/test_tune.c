/* Tuning: the table is what training without the folds gives, and the same after any interruption.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/split.h"
#include "data/subset.h"
#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/model_fixture.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper_extra.h"

enum { ROWS = 120, COLUMNS = 3, FOLDS = 3 };

static const char small_grid[] = "t1=0.5 t2=1 l2=0.1x,10x";

static temper_tune_options tune_options(const char *grid)
{
    temper_tune_options options = temper_tune_defaults();
    options.grid = grid;
    options.folds = FOLDS;
    options.train.threads = 1;
    return options;
}

/* All figures, bit for bit; what padding holds does not matter. */
static bool same_table(const temper_tune_report *a, const temper_tune_report *b)
{
    bool same = a->count == b->count && a->best == b->best && a->by_accuracy == b->by_accuracy &&
                strcmp(a->decided_by, b->decided_by) == 0 && strcmp(a->reason, b->reason) == 0 &&
                memcmp(&a->gain, &b->gain, sizeof a->gain) == 0 &&
                memcmp(&a->gain_error, &b->gain_error, sizeof a->gain_error) == 0;
    for (size_t i = 0; same && i < a->count; i++) {
        const temper_tune_candidate *x = &a->table[i], *y = &b->table[i];
        size_t figures = offsetof(temper_tune_candidate, accuracy);
        same = x->stage == y->stage && x->l2 == y->l2 && x->loss.t1 == y->loss.t1 &&
               memcmp((const char *)x + figures, (const char *)y + figures, sizeof *x - figures) == 0;
    }
    return same;
}

/* ---- What the figures are -------------------------------------------------------------------- */

/* So that no row is on the other side for having come from elsewhere. */
static const double TIGHT = 1e-8;

/* Trains without each fold, and counts. */
static double accuracy_by_hand(const struct dataset *data, const temper_tune_candidate *candidate)
{
    struct split split;
    temper_error error;
    size_t right = 0;
    CHECK(split_folds(data, FOLDS, (struct split_options){1, true}, &split, &error) == TEMPER_OK);
    for (uint32_t part = 0; part < FOLDS; part++) {
        size_t row[ROWS], count = split_rows(&split, part, true, row);
        struct dataset *seen;
        double label[ROWS];
        temper_train_options options = made_options();
        CHECK(dataset_rows(data, row, count, &seen, &error) == TEMPER_OK);
        options.loss = candidate->loss;
        options.l2 = candidate->l2;
        options.scale = "none";
        options.tolerance = TIGHT;
        temper_model *model = made_train(seen, options, NULL);
        CHECK(temper_predict(model, made_public(data), TEMPER_PREDICT_LABELS, 1, label, &error) == TEMPER_OK);
        for (size_t i = 0; i < ROWS; i++)
            right += split.part[i] == part && label[i] == data->label[i];
        temper_model_free(model);
        dataset_free(seen);
    }
    split_free(&split);
    return (double)right / ROWS;
}

TEST(accuracies_are_those_of_training_without_the_fold)
{
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_CSR};
    for (size_t k = 0; k < 2; k++)
        for (size_t classes = 2; classes < 4; classes++) {
            struct dataset *data = made_data(kinds[k], ROWS, COLUMNS, classes);
            temper_tune_options options = tune_options(small_grid);
            options.train.scale = "none";
            options.train.tolerance = TIGHT;
            options.criterion = "log-loss"; /* nothing is dropped */
            temper_tune_report report = made_tune(data, options, NULL);
            CHECK_EQ_SIZE(report.count, 6);
            for (size_t i = 0; i < report.count; i++) {
                const temper_tune_candidate *candidate = &report.table[i];
                double n = ROWS, a = candidate->accuracy;
                CHECK(candidate->stage == 2);
                CHECK_NEAR(a, accuracy_by_hand(data, candidate), 1e-12);
                CHECK_CLOSE(candidate->accuracy_error, sqrt(a * (1 - a) / n), 1e-12);
                CHECK(candidate->log_loss > 0 && candidate->bounded_loss > 0);
                CHECK(candidate->agreement > 0.3 && candidate->balance >= 0);
                CHECK(report.table[report.best].log_loss <= candidate->log_loss);
            }
            CHECK_EQ_TEXT(report.decided_by, "log-loss");
            temper_tune_report_free(&report);
            dataset_free(data);
        }
}

TEST(the_model_is_that_of_the_chosen_setting)
{
    struct dataset *data = made_data(MATRIX_F32, ROWS, COLUMNS, 2);
    temper_model *model = NULL;
    temper_tune_report report = made_tune(data, tune_options(small_grid), &model);
    temper_train_options options = made_options();
    options.loss = report.table[report.best].loss;
    options.l2 = report.table[report.best].l2;
    temper_model *alone = made_train(data, options, NULL);
    if (CHECK(model && alone)) {
        CHECK(memcmp(temper_model_weights(model, 0), temper_model_weights(alone, 0), COLUMNS * sizeof(double)) == 0);
        CHECK(temper_model_l2(model) == options.l2);
        CHECK(report.training.stop == TEMPER_STOP_CONVERGED && !report.refitted);
    }
    CHECK(!isnan(report.gain) && report.gain_error >= 0);
    CHECK_CLOSE(report.default_l2, 2e-4 * COLUMNS, 1e-6); /* standardised */
    temper_model_free(alone);
    temper_model_free(model);
    temper_tune_report_free(&report);
    dataset_free(data);
}

TEST(hopeless_candidates_are_dropped)
{
    struct dataset *data = made_data(MATRIX_F32, 4 * ROWS, COLUMNS, 2);
    temper_tune_options options = tune_options("only t1=1 t2=1 l2=1,1e9");
    temper_tune_report report = made_tune(data, options, NULL);
    CHECK(report.table[0].stage == 1 && report.table[1].stage == 2);
    CHECK(isfinite(report.table[0].accuracy) && report.best == 1);
    temper_tune_report_free(&report);
    options.folds = 2; /* the halves are all */
    report = made_tune(data, options, NULL);
    CHECK(report.table[0].stage == 2);
    temper_tune_report_free(&report);
    dataset_free(data);
}

TEST(rows_that_do_not_count_change_nothing)
{
    struct dataset *data = made_data(MATRIX_F64, ROWS, COLUMNS, 2);
    temper_tune_report plain = made_tune(data, tune_options("only t1=1 t2=1 l2=0.01"), NULL);
    data->weight = malloc(ROWS * sizeof *data->weight);
    for (size_t i = 0; i < ROWS; i++)
        data->weight[i] = 3;
    temper_tune_report weighted = made_tune(data, tune_options("only t1=1 t2=1 l2=0.01"), NULL);
    CHECK_NEAR(plain.table[0].accuracy, weighted.table[0].accuracy, 1e-12);
    CHECK_NEAR(plain.table[0].code_length, weighted.table[0].code_length, 1e-9);
    CHECK_CLOSE(plain.table[0].accuracy_error, weighted.table[0].accuracy_error, 1e-9);
    temper_tune_report_free(&plain);
    temper_tune_report_free(&weighted);
    dataset_free(data);
}

/* ---- Trust ----------------------------------------------------------------------------------- */

TEST(trusted_rows_decide)
{
    struct dataset *data = made_data(MATRIX_F32, ROWS, COLUMNS, 2), *trusted;
    size_t row[ROWS];
    size_t number[ROWS];
    uint32_t label[ROWS];
    temper_error error;
    for (size_t i = 0; i < ROWS; i++) {
        row[i] = number[i] = i;
        label[i] = data->label[i];
    }
    CHECK(dataset_rows(data, row, ROWS, &trusted, &error) == TEMPER_OK);
    temper_tune_options options = tune_options(small_grid);
    options.trusted = made_public(trusted);
    temper_tune_report report = made_tune(data, options, NULL);
    CHECK_EQ_TEXT(report.decided_by, "trusted");
    for (size_t i = 0; i < report.count; i++)
        CHECK(report.table[i].stage == 2 && report.table[i].trusted > 0.5);
    temper_tune_report_free(&report);
    options.trusted = NULL;
    options.trusted_rows = number;
    options.trusted_labels = label;
    options.trusted_count = ROWS;
    report = made_tune(data, options, NULL);
    CHECK_EQ_TEXT(report.decided_by, "trusted");
    for (size_t i = 0; i < report.count; i++) /* out of fold, and labels as they are given */
        CHECK_NEAR(report.table[i].trusted, report.table[i].accuracy, 1e-12);
    temper_tune_report_free(&report);
    dataset_free(trusted);
    dataset_free(data);
}

TEST(asked_rows_tell_candidates_apart)
{
    struct dataset *data = made_data(MATRIX_F32, ROWS, COLUMNS, 3);
    temper_tune_options options = tune_options("t1=0.1,1 t2=1,1.9 l2=0.01x,10x");
    options.ask = 7;
    temper_tune_report report = made_tune(data, options, NULL), again = made_tune(data, options, NULL);
    CHECK(report.ask_count > 0 && report.ask_count <= 7);
    CHECK_EQ_SIZE(again.ask_count, report.ask_count);
    for (size_t i = 0; i < report.ask_count; i++) {
        CHECK(report.ask[i] < ROWS && report.ask[i] == again.ask[i]);
        for (size_t j = 0; j < i; j++)
            CHECK(report.ask[i] != report.ask[j]);
    }
    temper_tune_report_free(&report);
    temper_tune_report_free(&again);
    dataset_free(data);
}

/* ---- Interruption ---------------------------------------------------------------------------- */

struct stopping {
    size_t after, calls;
};

static int stop_after(void *context, const temper_tune_progress *progress)
{
    struct stopping *stopping = context;
    CHECK(progress->done <= progress->all && progress->seconds >= 0);
    return ++stopping->calls >= stopping->after;
}

static temper_tune_report tune_until(const struct dataset *data, temper_tune_options options, size_t after,
                                     temper_model **model)
{
    struct stopping stopping = {.after = after};
    options.on_progress = stop_after;
    options.progress_context = &stopping;
    return made_tune(data, options, model);
}

SCRATCH_TEST(interrupted_anywhere_it_goes_on_to_the_same_table)
{
    struct dataset *data = made_data(MATRIX_F32, ROWS, COLUMNS, 2);
    temper_tune_options options = tune_options(small_grid);
    temper_model *wanted = NULL;
    temper_tune_report whole = made_tune(data, options, &wanted);
    options.checkpoint = "table";
    options.train.checkpoint_seconds = 0;
    bool interrupted = true;
    for (size_t after = 1; interrupted; after += 1 + after / 4) {
        temper_model *model = NULL;
        unlink("table");
        options.resume = 0;
        temper_tune_report first = tune_until(data, options, after, &model);
        interrupted = first.interrupted;
        CHECK(interrupted == !model);
        temper_model_free(model);
        temper_tune_report_free(&first);
        options.resume = 1;
        model = NULL;
        temper_tune_report second = made_tune(data, options, &model);
        CHECKF(same_table(&whole, &second), "stopped after %zu", after);
        CHECKF(model && model_same(made_inside(model), made_inside(wanted)), "after %zu", after);
        CHECK(!interrupted || after < 10 || second.resumed);
        temper_model_free(model);
        temper_tune_report_free(&second);
    }
    temper_model_free(wanted);
    temper_tune_report_free(&whole);
    dataset_free(data);
}

static void check_refused(const struct dataset *data, temper_tune_options options, temper_status wanted,
                          const char *words)
{
    temper_tune_report report = {.count = 4711};
    temper_model *const untouched = (temper_model *)&options;
    temper_model *model = untouched;
    temper_error error = {0};
    CHECKF(temper_tune(made_public(data), &options, &model, &report, &error) == wanted, "%s: %s", words, error.message);
    CHECKF(strstr(error.message, words) != NULL, "%s: %s", words, error.message);
    CHECK(model == untouched && report.count == 4711);
}

SCRATCH_TEST(a_checkpoint_that_does_not_fit_is_refused)
{
    struct dataset *data = made_data(MATRIX_F32, ROWS, COLUMNS, 2);
    struct dataset *other = made_data(MATRIX_F32, ROWS + 1, COLUMNS, 2);
    temper_tune_options options = tune_options(small_grid);
    options.checkpoint = "table";
    temper_tune_report report = made_tune(data, options, NULL);
    temper_tune_report_free(&report);
    options.resume = 1;
    check_refused(other, options, TEMPER_BAD_DATA, "other data or other options");
    temper_tune_options changed = options;
    changed.train.seed = 2;
    check_refused(data, changed, TEMPER_BAD_DATA, "other data or other options");
    changed = options;
    changed.grid = "t1=0.5 t2=1 l2=0.2x,10x";
    check_refused(data, changed, TEMPER_BAD_DATA, "other data or other options");
    struct blob bytes = binary_file("table");
    for (size_t i = 0; i < bytes.length; i += 37) {
        bytes.bytes[i] ^= 4;
        scratch_write("table", bytes.bytes, bytes.length);
        check_refused(data, options, TEMPER_BAD_DATA, "checkpoint");
        bytes.bytes[i] ^= 4;
    }
    scratch_write("table", bytes.bytes, bytes.length - 1);
    check_refused(data, options, TEMPER_BAD_DATA, "damaged");
    scratch_write("table", "", 0);
    check_refused(data, options, TEMPER_BAD_DATA, "not a checkpoint of this command");
    blob_free(&bytes);
    dataset_free(data);
    dataset_free(other);
}

TEST(what_is_wrong_is_refused)
{
    struct dataset *data = made_data(MATRIX_F32, ROWS, COLUMNS, 2);
    struct dataset *three = made_data(MATRIX_F32, ROWS, COLUMNS, 3);
    struct dataset *wide = made_data(MATRIX_F32, ROWS, COLUMNS + 1, 2);
    const size_t far = ROWS;
    const uint32_t label = 0;
    temper_tune_options options = tune_options(small_grid);
    options.criterion = "best";
    check_refused(data, options, TEMPER_USAGE, "unknown criterion 'best'");
    options = tune_options(small_grid);
    options.assume = "nothing";
    check_refused(data, options, TEMPER_USAGE, "cannot be assumed");
    options = tune_options(small_grid);
    options.folds = 1;
    check_refused(data, options, TEMPER_USAGE, "folds");
    options.folds = ROWS + 1;
    check_refused(data, options, TEMPER_BAD_DATA, "use fewer folds");
    options = tune_options("t4=1");
    check_refused(data, options, TEMPER_USAGE, "grid: ");
    options = tune_options("loss=tempered,trimmed");
    options.train.starts = 2;
    check_refused(data, options, TEMPER_USAGE, "loss trimmed in the grid repeats its training");
    options = tune_options(small_grid);
    options.resume = 1;
    check_refused(data, options, TEMPER_USAGE, "--checkpoint");
    options = tune_options(small_grid);
    options.trusted = made_public(wide);
    check_refused(data, options, TEMPER_BAD_DATA, "must be alike");
    options.trusted = made_public(three);
    check_refused(data, options, TEMPER_BAD_DATA, "which the data does not have");
    options.trusted_rows = &far;
    options.trusted_labels = &label;
    options.trusted_count = 1;
    check_refused(data, options, TEMPER_USAGE, "give one of them");
    options.trusted = NULL;
    check_refused(data, options, TEMPER_BAD_DATA, "does not exist");
    dataset_free(data);
    dataset_free(three);
    dataset_free(wide);
}

/* Stops at a report of the fits from which rows to ask about are chosen. */
static int stop_asking(void *context, const temper_tune_progress *progress)
{
    size_t *left = context;
    return strcmp(progress->phase, "ask") == 0 && (*left)-- == 0;
}

/* A search that is stopped while it chooses rows asks about none, and leaves nothing behind. */
TEST(stopped_while_rows_are_chosen)
{
    struct dataset *data = made_data(MATRIX_F32, ROWS, COLUMNS, 3);
    for (size_t after = 0; after < 4; after++) {
        size_t left = after;
        temper_tune_options options = tune_options("t1=0.1,1 t2=1,1.9 l2=0.01x,10x");
        temper_tune_report report = {0};
        options.ask = 7;
        options.on_progress = stop_asking;
        options.progress_context = &left;
        CHECK(temper_tune(made_public(data), &options, NULL, &report, NULL) == TEMPER_OK);
        CHECKF(left == SIZE_MAX && report.ask_count == 0, "%zu reports", after);
        temper_tune_report_free(&report);
    }
    dataset_free(data);
}

SCRATCH_TEST(a_lack_of_memory_is_said_and_leaves_all_as_it_was)
{
    struct dataset *data = made_data(MATRIX_F32, 24, 2, 2);
    temper_tune_options options = tune_options("only t1=0.5 t2=1.12 l2=1");
    bool fired = true;
    options.folds = 2;
    options.ask = 2;
    options.checkpoint = "table";
    options.train.max_iterations = 4;
    for (size_t n = 1; fired; n += 1 + n / 64) {
        temper_model *const untouched = (temper_model *)&options;
        temper_model *model = untouched;
        temper_tune_report report = {.count = 4711};
        temper_error error = {0};
        fault_arm(n);
        temper_status status = temper_tune(made_public(data), &options, &model, &report, &error);
        fault_disarm();
        fired = fault_fired();
        CHECKF(status == TEMPER_OK || (fired && status == TEMPER_NO_MEMORY), "%zu: %s", n, error.message);
        CHECK(status == TEMPER_OK ? report.count == 1 : report.count == 4711 && model == untouched);
        if (status == TEMPER_OK) {
            temper_model_free(model);
            temper_tune_report_free(&report);
        }
    }
    dataset_free(data);
}

TEST_LIST(LISTED(accuracies_are_those_of_training_without_the_fold), LISTED(the_model_is_that_of_the_chosen_setting),
          LISTED(hopeless_candidates_are_dropped), LISTED(rows_that_do_not_count_change_nothing),
          LISTED(trusted_rows_decide), LISTED(asked_rows_tell_candidates_apart), LISTED(stopped_while_rows_are_chosen),
          LISTED(interrupted_anywhere_it_goes_on_to_the_same_table), LISTED(a_checkpoint_that_does_not_fit_is_refused),
          LISTED(what_is_wrong_is_refused), LISTED(a_lack_of_memory_is_said_and_leaves_all_as_it_was))
