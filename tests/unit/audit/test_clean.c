/* Training on what an audit believes: rows that are dropped, weighed or relabelled. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/clean.h"
#include "base/random.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper_extra.h"

enum { ROWS = 600, COLUMNS = 4, CLASSES = 3 };

/* Clouds of three classes; every seventh label is wrong. */
struct noisy_rows {
    double x[ROWS * COLUMNS];
    int truth[ROWS], label[ROWS];
    temper_data *data;
};

static bool make_rows(struct noisy_rows *r)
{
    for (size_t row = 0; row < ROWS; row++) {
        r->truth[row] = (int)(row % CLASSES);
        r->label[row] = row % 7 == 5 ? (r->truth[row] + 1) % CLASSES : r->truth[row];
        for (size_t j = 0; j < COLUMNS; j++)
            r->x[row * COLUMNS + j] =
                (j == row % CLASSES) + 0.25 * random_normal((struct random){5, 2}, row * COLUMNS + j);
    }
    return CHECK(temper_data_borrow_f64(r->x, ROWS, COLUMNS, r->label, &r->data, NULL) == TEMPER_OK);
}

static temper_train_options clean_options(const char *clean)
{
    temper_train_options options = temper_train_defaults();
    options.threads = 1;
    options.clean = clean;
    options.calibrate = "none";
    return options;
}

/* The share of wrong labels among those of the cleaned rows, by their weight. */
static double share_wrong(const struct dataset *data, const int *truth)
{
    double wrong = 0, all = 0;
    for (size_t row = 0; row < ROWS; row++) {
        double weight = data->weight ? data->weight[row] : 1;
        all += weight;
        wrong += (int)data->label[row] != truth[row] ? weight : 0;
    }
    return wrong / all;
}

TEST(rows_that_are_not_believed_lose_their_influence)
{
    static const char *const methods[] = {"drop", "weigh", "relabel"};
    struct noisy_rows *r = malloc(sizeof *r);
    if (!CHECK(r != NULL) || !make_rows(r))
        return;
    for (size_t i = 0; i < 3; i++) {
        temper_train_options options = clean_options(methods[i]);
        struct cleaned_rows cleaned;
        struct label_noise_progress none = {NULL, NULL};
        temper_error error = {0};
        temper_status status = clean_labels((const struct dataset *)r->data, &options, none, &cleaned, &error);
        if (!CHECKF(status == TEMPER_OK, "%s", error.message))
            break;
        CHECKF(share_wrong(cleaned.data, r->truth) < 0.03, "%s: %g", methods[i], share_wrong(cleaned.data, r->truth));
        CHECKF(fabs((double)cleaned.changed - 85) < 20, "%s: %zu", methods[i], cleaned.changed);
        CHECK_NEAR(cleaned.wrong, 85, 25);
        dataset_free(cleaned.data);
    }
    /* The rows of the caller are as they were. */
    CHECK(!((const struct dataset *)r->data)->weight);
    temper_data_free(r->data);
    free(r);
}

TEST(training_reports_what_was_changed)
{
    struct noisy_rows *r = malloc(sizeof *r);
    if (!CHECK(r != NULL) || !make_rows(r))
        return;
    static const char *const methods[] = {NULL, "none", "drop", "weigh", "relabel"};
    for (size_t i = 0; i < 5; i++) {
        temper_train_options options = clean_options(methods[i]);
        temper_model *model = NULL;
        temper_train_report report;
        temper_error error = {0};
        bool cleans = i > 1;
        if (!CHECKF(temper_train(r->data, &options, &model, &report, &error) == TEMPER_OK, "%s", error.message))
            break;
        CHECK(cleans ? report.cleaned_rows > 60 && report.expected_wrong > 60
                     : report.cleaned_rows == 0 && isnan(report.expected_wrong));
        /* Most rows that the model contradicts are gone. */
        CHECKF(cleans == (report.accuracy > 0.95), "%s: %g", methods[i] ? methods[i] : "", report.accuracy);
        temper_model_free(model);
    }
    temper_data_free(r->data);
    free(r);
}

TEST(tuning_cleans_too)
{
    struct noisy_rows *r = malloc(sizeof *r);
    if (!CHECK(r != NULL) || !make_rows(r))
        return;
    temper_tune_options options = temper_tune_defaults();
    options.train = clean_options("drop");
    options.grid = "only t1=0.3,1 t2=1 l2=1x";
    options.folds = 2;
    temper_model *model = NULL;
    temper_tune_report report;
    temper_error error = {0};
    if (CHECKF(temper_tune(r->data, &options, &model, &report, &error) == TEMPER_OK, "%s", error.message)) {
        CHECK(report.training.cleaned_rows > 60 && report.training.accuracy > 0.95);
        temper_tune_report_free(&report);
        temper_model_free(model);
    }
    temper_data_free(r->data);
    free(r);
}

/* A class that would lose its last row stays as it is. */
TEST(no_class_vanishes)
{
    struct noisy_rows *r = malloc(sizeof *r);
    static const char *const methods[] = {"drop", "relabel"};
    if (!CHECK(r != NULL) || !make_rows(r))
        return;
    temper_data_free(r->data);
    for (size_t row = 0; row < ROWS; row++)
        r->label[row] = r->truth[row];
    for (size_t row = 0; row < 24; row += 3) /* rows of class 0, called 3 */
        r->label[row] = 3;
    CHECK(temper_data_borrow_f64(r->x, ROWS, COLUMNS, r->label, &r->data, NULL) == TEMPER_OK);
    for (size_t i = 0; i < 2; i++) {
        temper_train_options options = clean_options(methods[i]);
        struct cleaned_rows cleaned;
        double left = 0;
        if (!CHECK(clean_labels((const struct dataset *)r->data, &options, (struct label_noise_progress){NULL, NULL},
                                &cleaned, NULL) == TEMPER_OK))
            break;
        for (size_t row = 0; row < ROWS; row++)
            left += cleaned.data->label[row] == 3 && (!cleaned.data->weight || cleaned.data->weight[row] > 0);
        CHECKF(left > 0, "%s", methods[i]);
        dataset_free(cleaned.data);
    }
    temper_data_free(r->data);
    free(r);
}

static int stop_in_audit(void *context, const temper_train_progress *progress)
{
    *(bool *)context = strcmp(progress->phase, TEMPER_PHASE_CLEAN) == 0;
    return 1;
}

TEST(refusals_and_interruption)
{
    struct noisy_rows *r = malloc(sizeof *r);
    if (!CHECK(r != NULL) || !make_rows(r))
        return;
    temper_train_options options = clean_options("burn");
    temper_model *model = NULL;
    temper_error error = {0};
    CHECK(temper_train(r->data, &options, &model, NULL, &error) == TEMPER_USAGE);
    CHECK(strstr(error.message, "drop, weigh or relabel") && !model);
    bool in_audit = false;
    options = clean_options("drop");
    options.on_progress = stop_in_audit;
    options.progress_context = &in_audit;
    CHECK(temper_train(r->data, &options, &model, NULL, &error) == TEMPER_INTERRUPTED);
    CHECK(in_audit && !model);
    temper_data_free(r->data);
    free(r);
}

TEST(memory_ends)
{
    struct dataset *data = made_data(MATRIX_F64, 60, 3, 3);
    temper_train_options options = clean_options("weigh");
    options.max_iterations = 3;
    for (size_t n = 1;; n += test_step(61)) {
        temper_model *model = NULL;
        fault_arm(n);
        temper_status status = temper_train(made_public(data), &options, &model, NULL, NULL);
        fault_disarm();
        temper_model_free(model);
        if (!fault_fired())
            break;
        CHECKF(status == TEMPER_NO_MEMORY, "allocation %zu", n);
    }
    dataset_free(data);
}

TEST_LIST(LISTED(rows_that_are_not_believed_lose_their_influence), LISTED(training_reports_what_was_changed),
          LISTED(tuning_cleans_too), LISTED(no_class_vanishes), LISTED(refusals_and_interruption), LISTED(memory_ends))
