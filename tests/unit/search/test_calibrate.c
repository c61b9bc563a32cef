/* Calibration as a step after training: what it is fitted to, and what it leaves alone. */
#include "search/out_of_fold/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/dist/scatter_rows.h"
#include "data/subset.h"
#include "fixtures/test.h"
#include "fixtures/thread_comm_fixture.h"
#include "fixtures/train_fixture.h"

/* The predictions of all rows. */
static double *predict_all(const temper_model *model, const struct dataset *data, temper_prediction output)
{
    size_t width = temper_prediction_width(model, output);
    double *out = calloc((size_t)data->x.rows * (width ? width : 1), sizeof *out);
    CHECK(width > 0);
    CHECK(temper_predict(model, made_public(data), output, 1, out, NULL) == TEMPER_OK);
    return out;
}

static double log_loss(const temper_model *model, const struct dataset *data)
{
    temper_evaluator *evaluator = NULL;
    temper_evaluation evaluation = {0};
    CHECK(temper_evaluator_new(model, &evaluator, NULL) == TEMPER_OK);
    CHECK(temper_evaluator_add(evaluator, made_public(data), 1, NULL) == TEMPER_OK);
    CHECK(temper_evaluator_finish(evaluator, &evaluation, NULL) == TEMPER_OK);
    temper_evaluation_free(&evaluation);
    return evaluation.log_loss;
}

TEST(few_rows_are_scored_out_of_fold_and_many_by_the_model)
{
    struct dataset *few = made_data(MATRIX_F64, 300, 10, 3), *many = made_data(MATRIX_F32, 4000, 5, 2);
    temper_train_report report;
    temper_model_free(made_train(few, made_calibrated_options(), &report));
    CHECK(report.calibration_folds == 5 && report.calibration_rows == 300 && report.calibration_order > 0);
    temper_model_free(made_train(many, made_calibrated_options(), &report));
    CHECK(report.calibration_folds == 0 && report.calibration_rows > 1000);
    temper_train_options options = made_calibrated_options();
    options.calibrate = "folds";
    temper_model_free(made_train(many, options, &report));
    CHECKF(report.calibration_folds == 3, "%zu", report.calibration_folds); /* 2,400 of 4,000 rows are enough */
    options.calibrate = "train";
    temper_model_free(made_train(few, options, &report));
    CHECK(report.calibration_folds == 0 && report.calibration_rows == 300);
    dataset_free(few);
    dataset_free(many);
}

TEST(labels_weights_and_raw_probabilities_stay)
{
    struct dataset *data = made_data(MATRIX_F64, 400, 8, 3);
    temper_train_options options = made_calibrated_options();
    temper_model *with = made_train(data, options, NULL);
    options.calibrate = "none";
    temper_model *without = made_train(data, options, NULL);
    for (int output = TEMPER_PREDICT_LABELS; output <= TEMPER_PREDICT_DECISIONS; output++) {
        size_t numbers = 400 * temper_prediction_width(with, (temper_prediction)output);
        double *a = predict_all(with, data, (temper_prediction)output);
        double *b = predict_all(without, data, (temper_prediction)output);
        bool same = memcmp(a, b, numbers * sizeof *a) == 0;
        CHECKF(same == (output != TEMPER_PREDICT_PROBABILITIES), "output %d", output);
        free(a);
        free(b);
    }
    CHECK(made_inside(without)->calibration.order == 0);
    CHECKF(log_loss(with, data) < log_loss(without, data), "%g", log_loss(with, data));
    temper_model_free(with);
    temper_model_free(without);
    dataset_free(data);
}

TEST(hinge_and_t1_of_0_have_probabilities)
{
    struct dataset *data = made_data(MATRIX_F64, 300, 6, 2);
    temper_train_options options = made_calibrated_options();
    options.loss = (temper_loss_spec){.method = TEMPER_HINGE};
    temper_model *model = made_train(data, options, NULL);
    CHECK(temper_prediction_width(model, TEMPER_PREDICT_PROBABILITIES) == 2);
    CHECK(temper_prediction_width(model, TEMPER_PREDICT_RAW_PROBABILITIES) == 0);
    CHECKF(log_loss(model, data) < 0.6, "%g", log_loss(model, data));
    temper_model_free(model);
    options.loss = (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0, .t2 = 1};
    model = made_train(data, options, NULL);
    CHECKF(log_loss(model, data) < 0.6, "%g", log_loss(model, data));
    temper_model_free(model);
    dataset_free(data);
}

TEST(the_file_keeps_it)
{
    struct dataset *data = made_data(MATRIX_F64, 300, 6, 3);
    temper_model *model = made_train(data, made_calibrated_options(), NULL), *again = NULL;
    struct blob file = made_bytes(model);
    struct model *loaded = NULL;
    CHECK(model_read_text((const char *)file.bytes, file.length, &loaded, NULL) == TEMPER_OK);
    again = (temper_model *)loaded;
    CHECK(again && made_inside(again)->calibration.folds == 5 && made_same_bytes(model, again));
    temper_model_free(model);
    temper_model_free(again);
    free(file.bytes);
    dataset_free(data);
}

TEST(too_few_rows_are_not_enough)
{
    static const double xy[] = {0, 0, 1, 1, 0, 1, 1, 0};
    static const char *const labels[] = {"a", "b", "a", "b"};
    struct dataset *data = made_points(4, xy, labels);
    temper_train_report report;
    temper_model_free(made_train(data, made_calibrated_options(), &report));
    CHECK(report.calibration_order == 0);
    dataset_free(data);
}

/* Rows that occur twice against rows of weight 2, in another order. */
TEST(equal_rows_are_in_one_fold)
{
    struct dataset *once = made_data(MATRIX_F64, 80, 6, 2), *twice = NULL;
    size_t order[160];
    once->weight = malloc(80 * sizeof *once->weight);
    for (size_t i = 0; i < 80; i++)
        once->weight[i] = 2;
    for (size_t i = 0; i < 160; i++)
        order[i] = (i * 67) % 160 / 2;
    CHECK(dataset_rows(once, order, 160, &twice, NULL) == TEMPER_OK);
    for (size_t i = 0; i < 160; i++)
        twice->weight[i] = 1;
    temper_train_options options = made_calibrated_options();
    temper_train_report report[2];
    options.tolerance = 1e-10;
    temper_model_free(made_train(once, options, &report[0]));
    temper_model_free(made_train(twice, options, &report[1]));
    CHECK_CLOSE(report[0].calibration_order, report[1].calibration_order, 1e-3); /* it is found to 1e-4 */
    CHECK_CLOSE(report[0].calibration_floor, report[1].calibration_floor, 1e-3);
    dataset_free(once);
    dataset_free(twice);
}

/* Validation rows have not been fitted to. */
TEST(validation_rows_are_taken_where_there_are_any)
{
    struct dataset *data = made_data(MATRIX_F64, 120, 10, 3), *rows = made_data(MATRIX_F64, 90, 10, 3);
    temper_train_options options = made_calibrated_options();
    temper_train_report report;
    options.validation = made_public(rows);
    temper_model_free(made_train(data, options, &report));
    CHECK(report.calibration_folds == 0 && report.calibration_rows == 90 && report.calibration_order > 0);
    dataset_free(data);
    dataset_free(rows);
}

TEST(an_unknown_word_is_refused)
{
    struct dataset *data = made_data(MATRIX_F64, 30, 3, 2);
    temper_train_options options = made_calibrated_options();
    options.calibrate = "platt";
    made_refused(data, options, TEMPER_USAGE, "unknown calibration 'platt'; give auto, none, folds or train");
    temper_tune_options tuning = temper_tune_defaults();
    temper_error error;
    tuning.train = options;
    CHECK(temper_tune(made_public(data), &tuning, NULL, NULL, &error) == TEMPER_USAGE);
    CHECKF(strstr(error.message, "unknown calibration 'platt'"), "%s", error.message);
    dataset_free(data);
}

/* Classes are matched by name. Validation rows of other classes cannot be used, and fewer than twenty are too few. */
TEST(validation_rows_of_other_classes_do_not_count)
{
    struct dataset *data = made_data(MATRIX_F64, 120, 10, 2), *rows = made_data(MATRIX_F64, 90, 10, 2);
    temper_train_options options = made_calibrated_options();
    temper_train_report report;
    classes_free(&rows->classes);
    CHECK(classes_add(&rows->classes, "other", 5) == 0 && classes_add(&rows->classes, "another", 7) == 1);
    options.calibrate = "none";
    struct model *model = (struct model *)made_train(data, options, &report);
    options.calibrate = NULL;
    options.validation = made_public(rows);
    CHECK(calibrate_model(data, &options, model, &report, NULL) == TEMPER_OK);
    CHECK(report.calibration_order == 0 && report.calibration_rows == 0);
    model_free(model);
    dataset_free(data);
    dataset_free(rows);
}

/* The caller can stop in any fold; the model of the training stays, without a calibration. */
static int stop_in_calibration(void *context, const temper_train_progress *progress)
{
    size_t *calls = context;
    *calls += strcmp(progress->phase, TEMPER_PHASE_CALIBRATE) == 0;
    return *calls == 3;
}

TEST(it_can_be_interrupted)
{
    struct dataset *data = made_data(MATRIX_F64, 300, 10, 3);
    temper_train_options options = made_calibrated_options();
    temper_train_report report;
    size_t calls = 0;
    options.on_progress = stop_in_calibration;
    options.progress_context = &calls;
    temper_model *model = made_train(data, options, &report);
    CHECK(calls == 3 && report.stop == TEMPER_STOP_INTERRUPTED && report.iterations > 0);
    CHECK(model && made_inside(model)->calibration.order == 0);
    temper_model_free(model);
    dataset_free(data);
}

/* One of two processes stops in the second fold: both end, with the model and without a calibration. */
struct interrupted_team {
    temper_train_report report[2];
    temper_status status[2];
    bool calibrated[2];
};

static int stop_one(void *context, const temper_train_progress *progress)
{
    size_t *left = context;
    if (*left == 0 || strcmp(progress->phase, TEMPER_PHASE_CALIBRATE) != 0)
        return 0;
    return --*left == 0;
}

static void train_interrupted(void *context, const temper_comm *comm)
{
    struct interrupted_team *team = context;
    struct dataset *data = made_data(MATRIX_F64, 300, 10, 3);
    temper_train_options options = made_calibrated_options();
    size_t left = comm->rank == 1 ? 3 : 0;
    temper_model *model = NULL;
    options.on_progress = stop_one;
    options.progress_context = &left;
    team->status[comm->rank] = scatter_rows(data, comm, NULL);
    if (team->status[comm->rank] == TEMPER_OK)
        team->status[comm->rank] = temper_train(made_public(data), &options, &model, &team->report[comm->rank], NULL);
    team->calibrated[comm->rank] = model && made_inside(model)->calibration.order > 0;
    temper_model_free(model);
    dataset_free(data);
}

TEST(one_of_several_processes_can_interrupt_it)
{
    struct interrupted_team team = {0};
    team_run(2, train_interrupted, &team);
    for (size_t rank = 0; rank < 2; rank++)
        CHECKF(team.status[rank] == TEMPER_OK && team.report[rank].stop == TEMPER_STOP_INTERRUPTED &&
                   !team.calibrated[rank],
               "rank %zu", rank);
}

/* 200 rows count, fewer than six weights need; all 4,000 would be enough. */
TEST(rows_of_weight_0_are_no_evidence)
{
    struct dataset *data = made_data(MATRIX_F32, 4000, 5, 2);
    temper_train_report report;
    data->weight = calloc(4000, sizeof *data->weight);
    for (size_t row = 0; row < 200; row++)
        data->weight[20 * row] = 1;
    temper_model_free(made_train(data, made_calibrated_options(), &report));
    CHECKF(report.calibration_folds == 5 && report.calibration_rows == 200, "%zu folds, %zu rows",
           report.calibration_folds, report.calibration_rows);
    dataset_free(data);
}

/* The scores of the model itself are too large: so are they of fits that end where they start. */
TEST(a_loose_tolerance_does_not_keep_the_folds_at_the_model)
{
    struct dataset *data = made_data(MATRIX_F64, 120, 30, 2);
    temper_train_options options = made_calibrated_options();
    temper_train_report out_of_fold, by_model;
    options.tolerance = 0.05;
    temper_model_free(made_train(data, options, &out_of_fold));
    options.calibrate = "train";
    temper_model_free(made_train(data, options, &by_model));
    CHECKF(out_of_fold.calibration_order < 0.8 * by_model.calibration_order, "%g, %g", out_of_fold.calibration_order,
           by_model.calibration_order);
    dataset_free(data);
}

/* All rows of one class are equal, hence in one fold: the fit without them has a single class, which trimming refuses.
 */
TEST(a_fold_that_cannot_be_fitted_is_a_warning_with_its_reason)
{
    enum { ROWS = 60 };
    double xy[2 * ROWS];
    const char *labels[ROWS];
    temper_train_options options = made_calibrated_options();
    temper_train_report report;
    for (size_t i = 0; i < ROWS; i++) {
        bool other = i % 3 == 0;
        xy[2 * i] = other ? 9 : (double)i / ROWS;
        xy[2 * i + 1] = other ? 9 : (double)(i * i % ROWS) / ROWS;
        labels[i] = other ? "b" : "a";
    }
    struct dataset *data = made_points(ROWS, xy, labels);
    options.loss = (temper_loss_spec){.method = TEMPER_TRIMMED, .trim = 0.05};
    temper_model_free(made_train(data, options, &report));
    CHECK(report.calibration_order == 0);
    CHECKF(made_warned(&report.warnings, TEMPER_WARNING_NOT_CALIBRATED, "failed: trimming leaves rows of one class"),
           "%s", made_first_warning(&report.warnings));
    dataset_free(data);
}

TEST_LIST(LISTED(few_rows_are_scored_out_of_fold_and_many_by_the_model),
          LISTED(labels_weights_and_raw_probabilities_stay), LISTED(hinge_and_t1_of_0_have_probabilities),
          LISTED(the_file_keeps_it), LISTED(too_few_rows_are_not_enough), LISTED(equal_rows_are_in_one_fold),
          LISTED(validation_rows_are_taken_where_there_are_any), LISTED(an_unknown_word_is_refused),
          LISTED(validation_rows_of_other_classes_do_not_count), LISTED(it_can_be_interrupted),
          LISTED(one_of_several_processes_can_interrupt_it), LISTED(rows_of_weight_0_are_no_evidence),
          LISTED(a_loose_tolerance_does_not_keep_the_folds_at_the_model),
          LISTED(a_fold_that_cannot_be_fitted_is_a_warning_with_its_reason))
