/* A training that was stopped anywhere and resumed leaves the same bytes as one that never was. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/model_fixture.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"

static const char path[] = "going.resume";

/* Stops after `after` iterations, then resumes; returns how often the first training reported progress. */
static size_t stop_and_resume(const struct dataset *data, temper_train_options options, size_t after,
                              const temper_model *wanted, const char *what)
{
    struct made_stop stop = {.after = after};
    temper_train_report report = {0};
    options.checkpoint = path;
    options.checkpoint_seconds = 0;
    options.on_progress = made_follow;
    options.progress_context = &stop;
    unlink(path);
    temper_model_free(made_train(data, options, &report));
    size_t saved = stop.calls;
    stop = (struct made_stop){0};
    options.resume = 1;
    options.checkpoint_seconds = 1000; /* saving takes its time */
    temper_model *resumed = made_train(data, options, &report);
    CHECKF(resumed && model_same(made_inside(resumed), made_inside(wanted)), "%s: stopped after %zu", what, after);
    CHECKF(report.resumed == 1, "%s: %zu", what, after);
    temper_model_free(resumed);
    return saved;
}

/* Stops after each of the iterations but those in the middle of a long way. */
static void check_everywhere(const struct dataset *data, temper_train_options options, const char *what)
{
    temper_model *wanted = made_train(data, options, NULL);
    size_t most = 1000;
    for (size_t after = 1; wanted && after <= most; after += 1 + after / 3) {
        size_t calls = stop_and_resume(data, options, after, wanted, what);
        if (calls < after)
            most = calls;
    }
    if (most < 1000) /* and at the very end */
        stop_and_resume(data, options, most, wanted, what);
    temper_model_free(wanted);
}

SCRATCH_TEST(every_solver_resumes_to_the_same_bytes)
{
    static const char *const solvers[] = {"newton", "lbfgs", "tron"};
    char what[60];
    for (size_t classes = 2; classes < 4; classes++)
        for (size_t s = classes == 2 ? 0 : 1; s < 3; s++) {
            struct dataset *data = made_data(s == 2 ? MATRIX_CSR : MATRIX_F32, 70, 4, classes);
            temper_train_options options = made_options();
            options.solver = solvers[s];
            options.tolerance = 1e-5;
            snprintf(what, sizeof what, "%s, %zu classes", solvers[s], classes);
            check_everywhere(data, options, what);
            options.init = "normal:0.1";
            options.no_intercept = 1;
            options.scale = "log";
            check_everywhere(data, options, what);
            dataset_free(data);
        }
}

SCRATCH_TEST(penalties_of_absolute_weights_resume_to_the_same_bytes)
{
    for (size_t classes = 2; classes < 4; classes++) {
        struct dataset *data = made_data(classes == 2 ? MATRIX_CSR : MATRIX_F32, 70, 8, classes);
        temper_train_options options = made_options();
        options.l1 = 0.01;
        options.tolerance = 1e-5;
        check_everywhere(data, options, classes == 2 ? "proximal" : "owlqn");
        options.starts = 3;
        check_everywhere(data, options, classes == 2 ? "proximal, 3 starts" : "owlqn, 3 starts");
        dataset_free(data);
    }
}

/* Rows enough for a matrix of each class, and so far that it is made a second time. */
SCRATCH_TEST(matrices_of_classes_resume_to_the_same_bytes)
{
    struct dataset *data = made_data(MATRIX_F64, 400, 9, 3);
    temper_train_options options = made_options();
    temper_train_report report = {0};
    options.loss.method = TEMPER_LOGISTIC;
    options.l2 = 1e-4;
    options.tolerance = 1e-12;
    temper_model_free(made_train(data, options, &report));
    CHECKF(report.stop == TEMPER_STOP_CONVERGED && report.iterations > 16, "%zu iterations: %s", report.iterations,
           temper_stop_name(report.stop));
    check_everywhere(data, options, "three");
    dataset_free(data);
}

SCRATCH_TEST(several_starts_resume_to_the_same_bytes)
{
    for (size_t classes = 2; classes < 4; classes++) {
        struct dataset *data = made_data(MATRIX_F64, 60, 3, classes);
        temper_train_options options = made_options();
        options.starts = 3;
        options.loss.t2 = 1.4;
        options.solver = "lbfgs";
        check_everywhere(data, options, classes == 2 ? "two" : "three");
        dataset_free(data);
    }
}

SCRATCH_TEST(a_hinge_resumes_to_the_same_bytes)
{
    for (size_t classes = 2; classes < 4; classes++) {
        struct dataset *data = made_data(MATRIX_F64, 50, 3, classes);
        temper_train_options options = made_options();
        options.loss.method = TEMPER_HINGE;
        options.l2 = 0.01;
        options.max_iterations = 20;
        check_everywhere(data, options, classes == 2 ? "two" : "three");
        dataset_free(data);
    }
}

SCRATCH_TEST(validation_resumes_to_the_same_bytes)
{
    for (size_t starts = 1; starts < 4; starts += 2)
        for (size_t classes = 2; classes < 4; classes++) {
            struct dataset *data = made_data(MATRIX_F64, 40, 12, classes);
            struct dataset *valid = made_data(MATRIX_F64, 50, 12, classes);
            temper_train_options options = made_options();
            temper_train_report report = {0};
            options.loss.t1 = 0.9;
            options.l2 = 0;
            options.solver = "lbfgs";
            options.validation = made_public(valid);
            options.patience = 3;
            options.starts = starts;
            temper_model_free(made_train(data, options, &report));
            CHECK(report.stop == TEMPER_STOP_VALIDATION);
            check_everywhere(data, options, classes == 2 ? "two" : "three");
            dataset_free(data);
            dataset_free(valid);
        }
}

/* ---- Refusals -------------------------------------------------------------------------------- */

/* Leaves a checkpoint of some iterations. */
static temper_train_options leave_checkpoint(const struct dataset *data, struct made_stop *stop)
{
    temper_train_options options = made_options();
    *stop = (struct made_stop){.after = 3};
    options.checkpoint = path;
    options.checkpoint_seconds = 0;
    options.on_progress = made_follow;
    options.progress_context = stop;
    options.l2 = 0.01;
    temper_model_free(made_train(data, options, NULL));
    options.on_progress = NULL;
    options.resume = 1;
    return options;
}

SCRATCH_TEST(a_checkpoint_that_is_not_whole_is_refused)
{
    struct dataset *data = made_data(MATRIX_F64, 60, 4, 2);
    struct made_stop stop;
    temper_train_options options = leave_checkpoint(data, &stop);
    struct blob whole = binary_file(path);
    CHECK(whole.length > 300);
    for (size_t i = 0; i < whole.length; i += i < 40 ? 1 : 37) {
        scratch_write(path, whole.bytes, i); /* cut */
        made_refused(data, options, TEMPER_BAD_DATA, i < 24 ? "not a checkpoint of this command" : "damaged");
        whole.bytes[i] ^= 1;
        scratch_write(path, whole.bytes, whole.length);
        made_refused(data, options, TEMPER_BAD_DATA, i < 16 ? "not a checkpoint" : "damaged");
        whole.bytes[i] ^= 1;
    }
    blob_add(&whole, "x", 1);
    scratch_write(path, whole.bytes, whole.length);
    made_refused(data, options, TEMPER_BAD_DATA, "damaged");
    scratch_write(path, "label,x\n1,2\n", 12);
    made_refused(data, options, TEMPER_BAD_DATA, "going.resume: this is not a checkpoint of this command");
    made_refused(data, options, TEMPER_BAD_DATA, "train without --resume");
    blob_free(&whole);
    dataset_free(data);
}

#define OTHER(change)                                                                                                  \
    do {                                                                                                               \
        temper_train_options other = options;                                                                          \
        other.change;                                                                                                  \
        made_refused(data, other, TEMPER_BAD_DATA, "other data or other options");                                     \
    } while (0)

SCRATCH_TEST(a_checkpoint_of_other_options_or_data_is_refused)
{
    struct dataset *data = made_data(MATRIX_F64, 60, 4, 2), *rows = made_data(MATRIX_F64, 61, 4, 2);
    struct made_stop stop;
    temper_train_options options = leave_checkpoint(data, &stop);
    OTHER(l2 = 0.02);
    OTHER(loss.t1 = 0.31);
    OTHER(loss.t2 = 1.1);
    OTHER(loss.method = TEMPER_LOGISTIC);
    OTHER(solver = "lbfgs");
    OTHER(precision = "f32");
    OTHER(scale = "none");
    OTHER(scale = "minmax");
    OTHER(tolerance = 1e-3);
    OTHER(max_iterations = 999);
    OTHER(init = "normal:0.01");
    OTHER(starts = 2);
    OTHER(no_intercept = 1);
    OTHER(validation = made_public(data));
    made_refused(rows, options, TEMPER_BAD_DATA, "other data or other options");
    double *x = (double *)data->x.owned[0];
    x[17]++;
    made_refused(data, options, TEMPER_BAD_DATA, "other data or other options");
    x[17]--;
    data->label[5] ^= 1;
    made_refused(data, options, TEMPER_BAD_DATA, "other data or other options");
    data->label[5] ^= 1;
    temper_model_free(made_train(data, options, NULL));
    dataset_free(data);
    dataset_free(rows);
}

SCRATCH_TEST(a_checkpoint_of_other_validation_rows_is_refused)
{
    struct dataset *data = made_data(MATRIX_F64, 60, 4, 2), *valid = made_data(MATRIX_F64, 30, 4, 2);
    struct made_stop stop = {.after = 2};
    temper_train_options options = made_options();
    options.checkpoint = path;
    options.checkpoint_seconds = 0;
    options.validation = made_public(valid);
    options.on_progress = made_follow;
    options.progress_context = &stop;
    temper_model_free(made_train(data, options, NULL));
    options.on_progress = NULL;
    options.resume = 1;
    valid->label[7] ^= 1;
    made_refused(data, options, TEMPER_BAD_DATA, "other data or other options");
    valid->label[7] ^= 1;
    options.patience++;
    made_refused(data, options, TEMPER_BAD_DATA, "other data or other options");
    options.patience--;
    temper_model_free(made_train(data, options, NULL));
    dataset_free(data);
    dataset_free(valid);
}

/* ---- Files ----------------------------------------------------------------------------------- */

SCRATCH_TEST(a_checkpoint_that_is_not_there_begins)
{
    struct dataset *data = made_data(MATRIX_F64, 60, 4, 2);
    temper_train_options options = made_options();
    temper_train_report report = {0};
    options.checkpoint = path;
    options.resume = 1;
    temper_model_free(made_train(data, options, &report));
    CHECK(report.resumed == 0 && report.stop == TEMPER_STOP_CONVERGED);
    CHECK(scratch_count() == 1); /* the first is saved at once, others 30 seconds later */
    dataset_free(data);
}

SCRATCH_TEST(a_checkpoint_that_cannot_be_written_is_an_error)
{
    struct dataset *data = made_data(MATRIX_F64, 60, 4, 2);
    temper_train_options options = made_options();
    options.checkpoint = "no-such-folder/going.resume";
    options.checkpoint_seconds = 0;
    temper_error error = {0};
    temper_model *model = NULL;
    temper_status status = temper_train(made_public(data), &options, &model, NULL, &error);
    CHECKF(status != TEMPER_OK && !model && strstr(error.message, "no-such-folder"), "%s", error.message);
    options.checkpoint = path;
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        fault_arm_files(n);
        status = temper_train(made_public(data), &options, &model, NULL, &error);
        fault_disarm();
        temper_model_free(model);
        model = NULL;
        if (!fault_fired())
            break;
        CHECKF(status == TEMPER_OK || status == TEMPER_IO, "call %zu: %s", n, error.message);
        failures += status != TEMPER_OK;
    }
    CHECK(failures > 10);
    dataset_free(data);
}

TEST_LIST(LISTED(every_solver_resumes_to_the_same_bytes), LISTED(matrices_of_classes_resume_to_the_same_bytes),
          LISTED(penalties_of_absolute_weights_resume_to_the_same_bytes),
          LISTED(several_starts_resume_to_the_same_bytes), LISTED(a_hinge_resumes_to_the_same_bytes),
          LISTED(validation_resumes_to_the_same_bytes), LISTED(a_checkpoint_that_is_not_whole_is_refused),
          LISTED(a_checkpoint_of_other_options_or_data_is_refused),
          LISTED(a_checkpoint_of_other_validation_rows_is_refused), LISTED(a_checkpoint_that_is_not_there_begins),
          LISTED(a_checkpoint_that_cannot_be_written_is_an_error))
