/* The mean of the candidates that are as accurate as the choice, and what it is not influenced by. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper_extra.h"

enum { ROWS = 200, COLUMNS = 4 };

static temper_tune_options average_options(const char *grid)
{
    temper_tune_options options = temper_tune_defaults();
    options.grid = grid;
    options.folds = 4;
    options.train.threads = 1;
    options.train.tolerance = 1e-8;
    options.train.scale = "none";
    options.average = 1;
    return options;
}

/* The root mean square of the decisions, less their mean over the classes. */
static double decision_size(const struct dataset *data, const temper_model *model)
{
    size_t vectors = temper_model_weight_vectors(model);
    double a[ROWS * 3], sum = 0;
    temper_error error;
    CHECK(temper_predict(model, made_public(data), TEMPER_PREDICT_DECISIONS, 1, a, &error) == TEMPER_OK);
    for (size_t row = 0; row < ROWS; row++) {
        double mean = 0;
        for (size_t k = 0; vectors > 1 && k < vectors; k++)
            mean += a[row * vectors + k] / (double)vectors;
        for (size_t k = 0; k < vectors; k++)
            sum += pow(a[row * vectors + k] - mean, 2);
    }
    return sqrt(sum / (double)(ROWS * vectors));
}

static temper_model *train_candidate(const struct dataset *data, const temper_tune_candidate *candidate)
{
    temper_train_options options = made_options();
    options.loss = candidate->loss;
    options.l2 = candidate->l2;
    options.scale = "none";
    options.tolerance = 1e-8;
    return made_train(data, options, NULL);
}

/* Objective, loss and accuracy of the report and of the model file are those of the mean. */
static void check_described(const struct dataset *data, const temper_model *model, const temper_train_report *report)
{
    const struct model_training *training = &made_inside(model)->training;
    double gradient[3 * (COLUMNS + 1)], label[ROWS], correct = 0;
    CHECK_CLOSE(report->objective, made_objective(made_inside(model), 1, data, gradient), 1e-12);
    CHECK(temper_predict(model, made_public(data), TEMPER_PREDICT_LABELS, 1, label, NULL) == TEMPER_OK);
    for (size_t row = 0; row < ROWS; row++)
        correct += (uint32_t)label[row] == data->label[row];
    CHECK_CLOSE(report->accuracy, correct / ROWS, 1e-12);
    CHECK(report->train_loss < report->objective);
    CHECK(training->objective == report->objective && training->loss == report->train_loss &&
          training->accuracy == report->accuracy);
}

/* Both penalties are equally good: the weights are the mean of both, at the size of the choice. */
TEST(the_mean_is_of_equal_sizes)
{
    for (size_t classes = 2; classes < 4; classes++) {
        struct dataset *data = made_data(MATRIX_F64, ROWS, COLUMNS, classes);
        temper_model *model = NULL;
        temper_tune_report report = made_tune(data, average_options("only t1=1 t2=1 l2=0.01,0.03"), &model);
        CHECK_EQ_SIZE(report.averaged, 2);
        temper_model *chosen = train_candidate(data, &report.table[report.best]);
        temper_model *other = train_candidate(data, &report.table[1 - report.best]);
        double ratio = decision_size(data, chosen) / decision_size(data, other);
        CHECK(fabs(ratio - 1) > 0.02); /* or nothing is tested */
        for (size_t k = 0; k < temper_model_weight_vectors(model); k++)
            for (size_t j = 0; j < COLUMNS; j++) {
                double expected = (temper_model_weights(chosen, k)[j] + ratio * temper_model_weights(other, k)[j]) / 2;
                CHECK_NEAR(temper_model_weights(model, k)[j], expected, 1e-5);
            }
        CHECK(temper_model_l2(model) == report.table[report.best].l2);
        check_described(data, model, &report.training);
        temper_model_free(model);
        temper_model_free(chosen);
        temper_model_free(other);
        temper_tune_report_free(&report);
        dataset_free(data);
    }
}

/* Trusted labels let a candidate decide that predicts one class everywhere; the other one is far more accurate, which
 * is not as accurate. */
TEST(better_candidates_are_not_averaged)
{
    enum { TRUSTED = 20 };
    struct dataset *data = made_data(MATRIX_F64, ROWS, COLUMNS, 2);
    temper_tune_options options = average_options("only t1=1 t2=1 l2=1e-2,1e6");
    size_t ones = 0, rows[TRUSTED], count = 0;
    uint32_t labels[TRUSTED];
    temper_model *model = NULL;
    for (size_t row = 0; row < ROWS; row++)
        ones += data->label[row];
    uint32_t usual = ones > ROWS / 2;
    for (size_t row = 0; row < ROWS && count < TRUSTED; row++)
        if (data->label[row] != usual) {
            rows[count] = row;
            labels[count++] = usual;
        }
    options.trusted_rows = rows;
    options.trusted_labels = labels;
    options.trusted_count = count;
    temper_tune_report report = made_tune(data, options, &model);
    CHECKF(report.best != report.by_accuracy && report.table[report.best].l2 > 1, "%zu", report.best);
    CHECKF(report.averaged == 1, "%zu", report.averaged);
    temper_model_free(model);
    temper_tune_report_free(&report);
    dataset_free(data);
}

/* Nothing else is as good: the model is the choice, bit for bit. */
TEST(a_single_candidate_is_itself)
{
    struct dataset *data = made_data(MATRIX_F32, ROWS, COLUMNS, 3);
    temper_model *model = NULL, *plain = NULL;
    temper_tune_options options = average_options("only t1=0.5 t2=1 l2=0.01");
    temper_tune_report report = made_tune(data, options, &model);
    CHECK_EQ_SIZE(report.averaged, 1);
    temper_tune_report_free(&report);
    options.average = 0;
    report = made_tune(data, options, &plain);
    CHECK_EQ_SIZE(report.averaged, 0);
    for (size_t k = 0; k < 3; k++)
        CHECK(memcmp(temper_model_weights(model, k), temper_model_weights(plain, k), COLUMNS * sizeof(double)) == 0);
    temper_model_free(model);
    temper_model_free(plain);
    temper_tune_report_free(&report);
    dataset_free(data);
}

static int stop_averaging(void *context, const temper_tune_progress *progress)
{
    (void)context;
    return strcmp(progress->phase, "average") == 0;
}

TEST(an_interrupted_mean_is_no_model)
{
    struct dataset *data = made_data(MATRIX_F32, ROWS, COLUMNS, 2);
    temper_tune_options options = average_options("only t1=1 t2=1 l2=0.01,0.02");
    temper_model *model = NULL;
    options.on_progress = stop_averaging;
    temper_tune_report report = made_tune(data, options, &model);
    CHECK(report.interrupted && !model);
    temper_tune_report_free(&report);
    dataset_free(data);
}

TEST(the_mean_is_the_same_for_any_number_of_threads)
{
    struct dataset *data = made_data(MATRIX_F32, ROWS, COLUMNS, 3);
    temper_model *first = NULL;
    for (size_t threads = 1; threads < 9; threads += 3) {
        temper_tune_options options = average_options("only t1=0.9,1 t2=1 l2=0.01,0.02,0.03");
        temper_model *model = NULL;
        options.train.threads = threads;
        temper_tune_report report = made_tune(data, options, &model);
        CHECK(report.averaged > 1);
        if (first)
            CHECK(memcmp(temper_model_weights(model, 1), temper_model_weights(first, 1), COLUMNS * sizeof(double)) ==
                  0);
        temper_tune_report_free(&report);
        if (first)
            temper_model_free(model);
        else
            first = model;
    }
    temper_model_free(first);
    dataset_free(data);
}

/* As the weights are: half of the choice's intercept, and half of the other's at the size of the choice. */
TEST(the_intercept_is_averaged_too)
{
    struct dataset *data = made_data(MATRIX_F64, ROWS, COLUMNS, 2);
    temper_model *model = NULL;
    temper_tune_report report = made_tune(data, average_options("only t1=1 t2=1 l2=0.01,0.03"), &model);
    CHECK_EQ_SIZE(report.averaged, 2);
    temper_model *chosen = train_candidate(data, &report.table[report.best]);
    temper_model *other = train_candidate(data, &report.table[1 - report.best]);
    double ratio = decision_size(data, chosen) / decision_size(data, other);
    double expected = (made_inside(chosen)->bias[0] + ratio * made_inside(other)->bias[0]) / 2;
    CHECK(fabs(expected) > 1e-3); /* or nothing is tested */
    CHECK_NEAR(made_inside(model)->bias[0], expected, 1e-5);
    temper_model_free(model);
    temper_model_free(chosen);
    temper_model_free(other);
    temper_tune_report_free(&report);
    dataset_free(data);
}

TEST_LIST(LISTED(the_mean_is_of_equal_sizes), LISTED(better_candidates_are_not_averaged),
          LISTED(a_single_candidate_is_itself), LISTED(an_interrupted_mean_is_no_model),
          LISTED(the_mean_is_the_same_for_any_number_of_threads), LISTED(the_intercept_is_averaged_too))
