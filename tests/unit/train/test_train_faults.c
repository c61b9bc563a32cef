/* Every allocation is made to fail in turn: training, predicting and evaluating say so, leave their
 * outputs alone and leak nothing; or they did without. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"

/* How many allocations there were. A training that works in spite of a failure has the warnings of one without. */
static size_t fail_each(const struct dataset *data, temper_train_options options, const char *what)
{
    temper_model *const untouched = (temper_model *)&options; /* any address that is not NULL */
    temper_train_report whole;
    temper_model_free(made_train(data, options, &whole));
    for (size_t n = 1;; n++) {
        temper_error error = {0};
        temper_model *model = untouched;
        temper_train_report report = {.iterations = 4711};
        fault_arm(n);
        temper_status status = temper_train(made_public(data), &options, &model, &report, &error);
        fault_disarm();
        bool fired = fault_fired();
        if (status == TEMPER_OK) {
            CHECKF(model != untouched && report.iterations != 4711, "%s: %zu", what, n);
            CHECKF(made_same_warnings(&report.warnings, &whole.warnings), "%s: %zu: %s", what, n,
                   made_first_warning(&whole.warnings));
            temper_model_free(model);
        } else {
            CHECKF(status == TEMPER_NO_MEMORY && error.status == status, "%s: allocation %zu: %s", what, n,
                   error.message);
            CHECKF(model == untouched && report.iterations == 4711, "%s: %zu", what, n);
        }
        if (!fired) {
            CHECKF(status == TEMPER_OK, "%s: %s", what, error.message);
            return n - 1;
        }
    }
}

SCRATCH_TEST(penalties_of_absolute_weights_survive_a_lack_of_memory)
{
    for (size_t classes = 2; classes < 4; classes++)
        for (size_t k = 0; k < 2; k++) {
            struct dataset *data = made_data(k ? MATRIX_CSR : MATRIX_F32, 40, 3, classes);
            temper_train_options options = k ? made_calibrated_options() : made_options();
            options.l1 = 0.01;
            options.max_iterations = 8;
            CHECK(fail_each(data, options, "l1") > 30);
            dataset_free(data);
        }
}

SCRATCH_TEST(every_solver_survives_a_lack_of_memory)
{
    static const char *const solvers[] = {"newton", "lbfgs", "tron"};
    char what[60];
    for (size_t classes = 2; classes < 4; classes++)
        for (size_t s = classes == 2 ? 0 : 1; s < 3; s++)
            for (size_t k = 0; k < 2; k++) {
                struct dataset *data = made_data(k ? MATRIX_CSR : MATRIX_F32, 40, 3, classes);
                temper_train_options options = s == 1 ? made_calibrated_options() : made_options();
                table_name_columns(data);
                options.solver = solvers[s];
                options.max_iterations = 8;
                snprintf(what, sizeof what, "%s, %zu classes, kind %zu", solvers[s], classes, k);
                CHECK(fail_each(data, options, what) > 30);
                dataset_free(data);
            }
}

SCRATCH_TEST(training_with_everything_survives_a_lack_of_memory)
{
    for (size_t classes = 2; classes < 4; classes++) {
        enum matrix_kind kind = classes == 2 ? MATRIX_CSR : MATRIX_U8;
        struct dataset *data = made_data(kind, 40, 3, classes);
        struct dataset *valid = made_data(kind, 20, 3, classes);
        temper_train_options options = made_calibrated_options();
        options.scale = "log";
        options.validation = made_public(valid);
        options.starts = 3;
        options.max_iterations = 2;
        options.checkpoint = "going.resume"; /* saved once, after the first iteration */
        options.threads = 2;
        CHECK(fail_each(data, options, "fresh") > 60);
        CHECK(scratch_count() == 1); /* nothing half written stays */
        options.resume = 1;
        CHECK(fail_each(data, options, "resumed") > 60);
        unlink("going.resume");
        dataset_free(data);
        dataset_free(valid);
    }
}

SCRATCH_TEST(warm_starts_and_warnings_survive_a_lack_of_memory)
{
    struct dataset *data = made_data(MATRIX_F64, 40, 3, 2);
    temper_train_options options = made_options();
    temper_model *warm = made_train(data, options, NULL);
    options.warm_start = warm;
    options.scale = "none";
    options.l2 = 100; /* collapses */
    CHECK(fail_each(data, options, "warm") > 30);
    temper_model_free(warm);
    dataset_free(data);
}

static void predict_each(const temper_model *model, const struct dataset *data, temper_prediction output)
{
    double out[120];
    for (size_t n = 1;; n++) {
        temper_error error = {0};
        fault_arm(n);
        temper_status status = temper_predict(model, made_public(data), output, 2, out, &error);
        fault_disarm();
        if (!fault_fired()) {
            CHECK(status == TEMPER_OK && n > 1);
            return;
        }
        CHECKF(status == TEMPER_NO_MEMORY || status == TEMPER_OK, "%s", error.message);
    }
}

TEST(predicting_survives_a_lack_of_memory)
{
    for (size_t k = 0; k < 2; k++) {
        struct dataset *data = made_data(k ? MATRIX_CSR : MATRIX_F32, 40, 3, 3);
        temper_model *model = made_train(data, made_options(), NULL);
        for (int output = TEMPER_PREDICT_LABELS; model && output <= TEMPER_PREDICT_DECISIONS; output++)
            predict_each(model, data, (temper_prediction)output);
        temper_model_free(model);
        dataset_free(data);
    }
}

/* Both batches, or as many as there is memory for. */
static temper_status evaluate(const temper_model *model, const struct dataset *data, temper_evaluation *evaluation,
                              temper_error *error)
{
    temper_evaluator *evaluator = NULL;
    temper_status status = temper_evaluator_new(model, &evaluator, error);
    for (int batch = 0; status == TEMPER_OK && batch < 2; batch++)
        status = temper_evaluator_add(evaluator, made_public(data), 2, error);
    if (status == TEMPER_OK)
        return temper_evaluator_finish(evaluator, evaluation, error);
    if (evaluator)
        CHECK(temper_evaluator_finish(evaluator, NULL, NULL) == TEMPER_OK);
    return status;
}

TEST(evaluating_survives_a_lack_of_memory)
{
    struct dataset *data = made_data(MATRIX_F32, 40, 3, 3);
    temper_model *model = made_train(data, made_options(), NULL);
    for (size_t n = 1; model; n++) {
        temper_error error = {0};
        temper_evaluation evaluation = {.rows = 4711};
        fault_arm(n);
        temper_status status = evaluate(model, data, &evaluation, &error);
        fault_disarm();
        if (status == TEMPER_OK)
            temper_evaluation_free(&evaluation);
        else
            CHECK(status == TEMPER_NO_MEMORY && evaluation.rows == 4711);
        if (!fault_fired()) {
            CHECK(status == TEMPER_OK && evaluation.rows == 80 && n > 5);
            break;
        }
    }
    temper_model_free(model);
    dataset_free(data);
}

TEST_LIST(LISTED(every_solver_survives_a_lack_of_memory),
          LISTED(penalties_of_absolute_weights_survive_a_lack_of_memory),
          LISTED(training_with_everything_survives_a_lack_of_memory),
          LISTED(warm_starts_and_warnings_survive_a_lack_of_memory), LISTED(predicting_survives_a_lack_of_memory),
          LISTED(evaluating_survives_a_lack_of_memory))
