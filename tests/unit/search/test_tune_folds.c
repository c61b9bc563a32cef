/* Folds that are given: the same as those drawn where they are the same, and refused where they are
 * none. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/split.h"
#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"

enum { ROWS = 120, COLUMNS = 3 };

/* The rows in turn. */
static void cyclic_folds(uint32_t *fold, uint32_t rows, uint32_t folds)
{
    for (uint32_t row = 0; row < rows; row++)
        fold[row] = row % folds;
}

static temper_tune_options tune_options(size_t folds, const uint32_t *fold)
{
    temper_tune_options options = temper_tune_defaults();
    options.grid = "t1=0.5 t2=1 l2=0.1x,10x";
    options.folds = folds;
    options.fold = fold;
    options.train.threads = 1;
    return options;
}

static bool same_figures(const temper_tune_report *a, const temper_tune_report *b)
{
    size_t figures = offsetof(temper_tune_candidate, accuracy);
    bool same = a->count == b->count && a->best == b->best;
    for (size_t i = 0; same && i < a->count; i++)
        same = memcmp((const char *)&a->table[i] + figures, (const char *)&b->table[i] + figures,
                      sizeof *a->table - figures) == 0;
    return same;
}

/* Dealt like cards: of an even number of folds, the even ones are a half. */
TEST(drawn_folds_may_as_well_be_given)
{
    for (size_t folds = 2; folds <= 6; folds += 2) {
        struct dataset *data = made_data(MATRIX_F32, ROWS, COLUMNS, 2);
        struct split split;
        temper_error error;
        temper_model *drawn_model = NULL, *given_model = NULL;
        CHECK(split_folds(data, folds, (struct split_options){1, true}, &split, &error) == TEMPER_OK);
        temper_tune_options own = tune_options(folds, NULL), others = tune_options(folds, split.part);
        own.train.calibrate = others.train.calibrate = "none"; /* which has drawn folds of its own */
        temper_tune_report drawn = made_tune(data, own, &drawn_model);
        temper_tune_report given = made_tune(data, others, &given_model);
        CHECK(same_figures(&drawn, &given) && made_same_bytes(drawn_model, given_model));
        CHECK(memcmp(drawn.fold, split.part, ROWS * sizeof *drawn.fold) == 0);
        CHECK(memcmp(given.fold, split.part, ROWS * sizeof *given.fold) == 0);
        temper_model_free(drawn_model);
        temper_model_free(given_model);
        temper_tune_report_free(&drawn);
        temper_tune_report_free(&given);
        split_free(&split);
        dataset_free(data);
    }
}

/* Where each row comes twice, and both are in one fold, nothing is known of it beforehand. */
TEST(halves_keep_folds_together)
{
    struct dataset *data = made_data(MATRIX_F32, ROWS, COLUMNS, 2);
    temper_error error;
    struct split folds, halves;
    uint32_t fold[ROWS];
    for (uint32_t row = 0; row < ROWS; row++)
        fold[row] = row / 2 % 5;
    CHECK(split_given(data, fold, 5, &folds, &error) == TEMPER_OK);
    CHECK(split_halve(&folds, &halves, &error) == TEMPER_OK);
    CHECK(folds.parts == 5 && halves.parts == 2 && halves.rows == ROWS);
    for (size_t row = 0; row < ROWS; row++)
        CHECK(folds.part[row] == fold[row] && halves.part[row] == fold[row] % 2);
    split_free(&folds);
    split_free(&halves);
    dataset_free(data);
}

static void check_refused(const struct dataset *data, temper_tune_options options, temper_status status,
                          const char *words)
{
    temper_error error = {0};
    temper_tune_report report;
    CHECK(temper_tune(made_public(data), &options, NULL, &report, &error) == status);
    CHECKF(strstr(error.message, words), "%s", error.message);
}

TEST(folds_that_are_none_are_refused)
{
    struct dataset *data = made_data(MATRIX_F32, ROWS, COLUMNS, 2);
    double weight[ROWS];
    uint32_t fold[ROWS];
    temper_error error;
    for (uint32_t row = 0; row < ROWS; row++) {
        fold[row] = row % 4;
        weight[row] = row % 4 == 3 ? 0 : 1;
    }
    check_refused(data, tune_options(3, fold), TEMPER_USAGE, "row 4 is given the fold 3");
    check_refused(data, tune_options(5, fold), TEMPER_USAGE, "fold 4, counted from 0");
    check_refused(data, tune_options(1, fold), TEMPER_USAGE, "folds");
    check_refused(data, tune_options(ROWS + 1, fold), TEMPER_BAD_DATA, "use fewer folds");
    CHECK(temper_data_set_weights((temper_data *)data, weight, &error) == TEMPER_OK);
    check_refused(data, tune_options(4, fold), TEMPER_USAGE, "fold 3, counted from 0");
    dataset_free(data);
}

SCRATCH_TEST(a_checkpoint_of_other_folds_is_refused)
{
    struct dataset *data = made_data(MATRIX_F32, ROWS, COLUMNS, 2);
    uint32_t fold[ROWS];
    cyclic_folds(fold, ROWS, 4);
    temper_tune_options options = tune_options(4, fold);
    options.checkpoint = "table";
    temper_tune_report first = made_tune(data, options, NULL);
    options.resume = 1;
    temper_tune_report again = made_tune(data, options, NULL);
    CHECK(again.resumed && same_figures(&first, &again));
    fold[0] = 1;
    check_refused(data, options, TEMPER_BAD_DATA, "other data or other options");
    options.fold = NULL;
    check_refused(data, options, TEMPER_BAD_DATA, "other data or other options");
    temper_tune_report_free(&first);
    temper_tune_report_free(&again);
    dataset_free(data);
}

TEST(a_lack_of_memory_is_said)
{
    struct dataset *data = made_data(MATRIX_F32, 24, 2, 2);
    uint32_t fold[24];
    bool fired = true;
    cyclic_folds(fold, 24, 3);
    temper_tune_options options = tune_options(3, fold);
    options.grid = "only t1=0.5 t2=1.12 l2=1";
    options.train.max_iterations = 4;
    for (size_t n = 1; fired && n < 60; n++) {
        temper_tune_report report = {.count = 4711};
        temper_error error = {0};
        fault_arm(n);
        temper_status status = temper_tune(made_public(data), &options, NULL, &report, &error);
        fault_disarm();
        fired = fault_fired();
        CHECK(status == (fired ? TEMPER_NO_MEMORY : TEMPER_OK));
        CHECK(report.count == (fired ? 4711 : 1));
        if (status == TEMPER_OK)
            temper_tune_report_free(&report);
    }
    dataset_free(data);
}

/* Forward correction draws halves of the rows: another seed, other halves, on the same folds. */
TEST(the_seed_reaches_the_fits)
{
    struct dataset *data = made_data(MATRIX_F32, ROWS, COLUMNS, 2);
    uint32_t fold[ROWS];
    cyclic_folds(fold, ROWS, 3);
    temper_tune_options options = tune_options(3, fold);
    options.grid = "loss=forward l2=1x only";
    temper_tune_report one = made_tune(data, options, NULL), again = made_tune(data, options, NULL);
    options.train.seed = 7;
    temper_tune_report other = made_tune(data, options, NULL);
    CHECK(one.table[0].log_loss == again.table[0].log_loss);
    CHECKF(one.table[0].log_loss != other.table[0].log_loss, "%.17g", one.table[0].log_loss);
    temper_tune_report_free(&one);
    temper_tune_report_free(&again);
    temper_tune_report_free(&other);
    dataset_free(data);
}

/* The plan of a mean has the weights of all candidates: 40 of 3 x 20,001 doubles are 19 MB. */
TEST(the_weights_of_a_mean_are_planned)
{
    struct dataset *data = made_data(MATRIX_CSR, 30, 20000, 3);
    temper_tune_options options = tune_options(2, NULL);
    temper_error error[2] = {0};
    temper_model *model = NULL;
    size_t needed[2] = {0};
    options.grid = "t1=1 t2=1 l2=1e-3x..10x:40 only";
    data->storage.memory_limit = 1; /* too little for anything, so that the message has what is needed */
    for (int average = 0; average < 2; average++) {
        options.average = average;
        CHECK(temper_tune(made_public(data), &options, &model, NULL, &error[average]) == TEMPER_NO_MEMORY);
        const char *size = strstr(error[average].message, "needs ");
        if (CHECKF(size != NULL, "%s", error[average].message))
            needed[average] = (size_t)strtoul(size + strlen("needs "), NULL, 10);
    }
    CHECKF(needed[1] > needed[0] + 10, "%zu, %zu; %s", needed[0], needed[1], error[1].message);
    dataset_free(data);
}

/* 200 features of which three matter, and 15 % of the labels wrong: with next to no penalty a fit that ends early has
 * not learnt the wrong labels yet. */
static temper_data *noisy_rows(void)
{
    enum { MANY = 800, WIDE = 200 };
    static double x[MANY * WIDE];
    static int label[MANY];
    struct draw draw = draw_from(1);
    temper_data *data = NULL;
    for (size_t row = 0; row < MANY; row++) {
        label[row] = (int)draw_below(&draw, 2);
        draw_normals(&draw, x + row * WIDE, WIDE, 1);
        for (size_t j = 0; j < 3; j++)
            x[row * WIDE + j] += label[row] ? 1.5 : -1.5;
        if (draw_below(&draw, 100) < 15)
            label[row] = !label[row];
    }
    CHECK(temper_data_from_f64(x, MANY, WIDE, label, &data, NULL) == TEMPER_OK);
    return data;
}

/* The accuracy to expect of the only candidate. */
static double expected_at(const temper_data *data, const char *grid, double tolerance)
{
    temper_tune_options options = tune_options(5, NULL);
    temper_tune_report report = {0};
    options.grid = grid;
    options.train.tolerance = tolerance;
    CHECK(temper_tune(data, &options, NULL, &report, NULL) == TEMPER_OK);
    double expected = report.expected_accuracy;
    temper_tune_report_free(&report);
    return expected;
}

/* Fits of the search end early; the accuracy that is reported is that of converged ones. */
TEST(the_choice_is_measured_by_fits_that_converge)
{
    if (test_step(2) > 1)
        SKIP("a quarter of a minute under a sanitizer, which finds nothing more in it");
    temper_data *data = noisy_rows();
    const char *grid = "t1=0.7 t2=1.3 l2=1e-6 only";
    double by_default = expected_at(data, grid, temper_train_defaults().tolerance),
           converged = expected_at(data, grid, 1e-8);
    CHECKF(fabs(by_default - converged) < 0.01, "%g, %g", by_default, converged);
    temper_data_free(data);
}

/* By the fits of calibration and holdout, and refused if they are no folds. */
TEST(training_leaves_out_given_folds)
{
    struct dataset *data = made_data(MATRIX_F32, ROWS, COLUMNS, 2);
    uint32_t fold[ROWS];
    for (size_t row = 0; row < ROWS; row++)
        fold[row] = (uint32_t)(row % 4);
    temper_train_options options = made_options();
    temper_train_report report;
    temper_error error;
    temper_model *drawn = made_train(data, options, NULL), *model = NULL;
    options.calibrate = "folds";
    options.holdout = "cv";
    options.fold = fold;
    options.folds = 4;
    model = made_train(data, options, &report);
    CHECK(report.calibration_folds == 4 && report.expected.fits == 4 && report.expected.rows == ROWS);
    CHECK(!made_same_bytes(drawn, model));
    temper_model_free(model);
    options.holdout = "0.6"; /* two whole folds */
    model = made_train(data, options, &report);
    CHECK(report.expected.fits == 2 && report.expected.rows == ROWS / 2);
    temper_model_free(model);
    temper_model_free(drawn);
    fold[7] = 4;
    CHECK(temper_train(made_public(data), &options, &model, &report, &error) == TEMPER_USAGE);
    CHECK_EQ_TEXT(error.message, "row 8 is given the fold 4, and there are 4, counted from 0");
    dataset_free(data);
}

TEST_LIST(LISTED(drawn_folds_may_as_well_be_given), LISTED(training_leaves_out_given_folds),
          LISTED(halves_keep_folds_together), LISTED(folds_that_are_none_are_refused),
          LISTED(a_checkpoint_of_other_folds_is_refused), LISTED(a_lack_of_memory_is_said),
          LISTED(the_seed_reaches_the_fits), LISTED(the_weights_of_a_mean_are_planned),
          LISTED(the_choice_is_measured_by_fits_that_converge))
