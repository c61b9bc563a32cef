/* What cannot be trained is refused with advice; what should not be trusted comes with a warning.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/subset.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"

/* ---- Options --------------------------------------------------------------------------------- */

#define REFUSED(change, words)                                                                                         \
    do {                                                                                                               \
        temper_train_options options = made_options();                                                                 \
        options.change;                                                                                                \
        made_refused(data, options, TEMPER_USAGE, words);                                                              \
    } while (0)

TEST(every_bad_option_is_refused_with_advice)
{
    struct dataset *data = made_data(MATRIX_F32, 40, 3, 2);
    REFUSED(scale = "big", "standard, minmax, maxabs, log and pixels");
    REFUSED(solver = "sgd", "newton, lbfgs and tron");
    REFUSED(precision = "f16", "f32 and f64");
    REFUSED(init = "ones", "normal:0.001");
    REFUSED(init = "normal:", "normal:0.001");
    REFUSED(init = "normal:-1", "normal:0.001");
    REFUSED(init = "normal:nan", "normal:0.001");
    REFUSED(init = "normal:inf", "normal:0.001");
    REFUSED(init = "normal:1x", "normal:0.001");
    REFUSED(l2 = -1, "--l2 auto");
    REFUSED(l2 = INFINITY, "--l2 auto");
    REFUSED(l2 = 1e16, "from 0 to 1e+15");
    REFUSED(tolerance = 0, "--tol 1e-4");
    REFUSED(tolerance = NAN, "--tol 1e-4");
    REFUSED(tolerance = -1, "--tol 1e-4");
    REFUSED(tolerance = INFINITY, "--tol 1e-4");
    REFUSED(starts = 0, "1, 2 or 3");
    REFUSED(starts = 4, "1, 2 or 3");
    REFUSED(resume = 1, "--checkpoint");
    dataset_free(data);
}

TEST(every_bad_loss_is_refused_with_advice)
{
    struct dataset *data = made_data(MATRIX_F32, 40, 3, 2);
    const double wrong[] = {-0.1, NAN, INFINITY};
    for (size_t i = 0; i < 3; i++) {
        REFUSED(loss.t1 = wrong[i], "--t1 0.3 --t2 1");
        REFUSED(loss.t2 = wrong[i], "--t1 0.3 --t2 1");
        REFUSED(loss = ((temper_loss_spec){.method = TEMPER_HINGE, .smoothing = wrong[i]}), "try 0");
        REFUSED(loss = ((temper_loss_spec){.method = TEMPER_BREGMAN, .t1 = wrong[i], .t2 = 1}), "--t1 0.3 --t2 1");
    }
    REFUSED(loss.t1 = 10.5, "above 10 cannot be trained");
    REFUSED(loss.t2 = 1e10, "above 10 cannot be trained");
    REFUSED(loss = ((temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 1, .t2 = 0.9}), "raise t2");
    REFUSED(loss = ((temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0.6, .t2 = 0.5}), "raise t2");
    REFUSED(loss = ((temper_loss_spec){.method = TEMPER_T_LOGISTIC, .t2 = 0.5}), "raise t2");
    /* Their product is infinite, or the squares of gradients are. */
    REFUSED(loss = ((temper_loss_spec){.method = TEMPER_SCE, .beta = 1e200, .log_zero = -1e200}),
            "not be above 1e+100");
    REFUSED(loss = ((temper_loss_spec){.method = TEMPER_SCE, .beta = 1e101, .log_zero = -1}), "sce:0.1:1:-4");
    REFUSED(loss = ((temper_loss_spec){.method = TEMPER_SCE, .alpha = 1e160}), "sums over rows overflow");
    dataset_free(data);
}

TEST(a_solver_that_does_not_know_many_classes_is_refused)
{
    struct dataset *data = made_data(MATRIX_F32, 40, 3, 3);
    REFUSED(solver = "newton", "try auto");
    REFUSED(solver = "tron"; options.loss.method = TEMPER_HINGE, "try lbfgs");
    REFUSED(solver = "tron"; options.loss.method = TEMPER_BREGMAN, "try lbfgs");
    dataset_free(data);
}

/* ---- Data ------------------------------------------------------------------------------------ */

TEST(data_without_labels_classes_or_features_is_refused)
{
    static const double x[] = {1, 2, 3, 4};
    static const char *const same[] = {"a", "a"}, *const two[] = {"a", "b"};
    struct dataset *plain = made_points(2, x, NULL), *one = made_points(2, x, same);
    struct dataset *weighed = made_points(2, x, two);
    struct dataset *none = table_make(MATRIX_F32, 2, 0, x, two);
    struct dataset *empty = table_make(MATRIX_F32, 0, 2, x, two);
    table_weigh(weighed, (const double[]){1, 0});
    made_refused(plain, made_options(), TEMPER_BAD_DATA, "--label");
    made_refused(one, made_options(), TEMPER_BAD_DATA, "'a'; a classifier needs two");
    made_refused(weighed, made_options(), TEMPER_BAD_DATA, "'a'; a classifier needs two");
    made_refused(none, made_options(), TEMPER_BAD_DATA, "no features");
    made_refused(empty, made_options(), TEMPER_BAD_DATA, "needs two");
    dataset_free(plain);
    dataset_free(one);
    dataset_free(weighed);
    dataset_free(none);
    dataset_free(empty);
}

/* A model never holds a number that is not finite. */
TEST(numbers_that_no_double_can_hold_are_refused)
{
    static const double sizes[] = {1e150, 1e200, 1e308};
    static const char *const labels[] = {"a", "b", "a", "b"};
    static const char *const solvers[] = {"newton", "lbfgs", "tron"};
    for (size_t i = 0; i < 9; i++) {
        double size = sizes[i % 3], x[] = {size, 1, -size, 2, size / 2, 3, -size, 4};
        struct dataset *data = made_points(4, x, labels);
        temper_train_options options = made_options();
        temper_model *model = NULL;
        temper_error error = {0};
        options.scale = "none";
        options.solver = solvers[i / 3];
        options.max_iterations = 50;
        temper_status status = temper_train(made_public(data), &options, &model, NULL, &error);
        CHECKF(status == TEMPER_OK || status == TEMPER_BAD_DATA, "%s", error.message);
        for (size_t j = 0; model && j < 2; j++)
            CHECKF(isfinite(temper_model_weights(model, 0)[j]), "%g, %s", size, solvers[i / 3]);
        if (model)
            CHECK(isfinite(temper_model_intercept(model, 0)));
        temper_model_free(model);
        dataset_free(data);
    }
}

TEST(validation_data_that_does_not_fit_is_refused)
{
    static const double x[] = {1, 2, 3, 4};
    static const char *const labels[] = {"0", "7"};
    struct dataset *data = made_data(MATRIX_F64, 40, 2, 2), *wide = made_data(MATRIX_F64, 40, 3, 2);
    struct dataset *plain = made_points(2, x, NULL), *other = made_points(2, x, labels);
    struct dataset *sparse = made_data(MATRIX_CSR, 40, 2, 2);
    struct dataset *empty = made_points(0, x, labels), *light = made_points(2, x, labels);
    const struct dataset *const wrong[] = {plain, wide, sparse, other, empty, light};
    const char *const words[] = {"no labels", "must be alike", "must be alike", "'7'", "no rows", "no rows"};
    table_weigh(light, (const double[]){0, 0});
    for (size_t i = 0; i < 6; i++) {
        temper_train_options options = made_options();
        options.validation = made_public(wrong[i]);
        made_refused(data, options, TEMPER_BAD_DATA, words[i]);
        dataset_free((struct dataset *)wrong[i]);
    }
    dataset_free(data);
}

TEST(a_model_that_does_not_fit_is_no_warm_start)
{
    struct dataset *data = made_data(MATRIX_F64, 40, 3, 2);
    const size_t shapes[][2] = {{4, 2}, {3, 3}, {3, 2}, {3, 2}};
    const char *const words[] = {"features", "number of classes", "logarithms", "all classes"};
    for (size_t i = 0; i < 4; i++) {
        struct dataset *other = made_data(MATRIX_F64, 40, shapes[i][0], shapes[i][1]);
        temper_train_options options = made_options();
        options.scale = i == 2 ? "log" : NULL;
        if (i == 3)
            other->classes.name[1][0] = '9';
        temper_model *model = made_train(other, options, NULL);
        options.scale = NULL;
        options.warm_start = model;
        made_refused(data, options, TEMPER_BAD_DATA, words[i]);
        options.init = "normal:1";
        made_refused(data, options, TEMPER_USAGE, "give one of them");
        temper_model_free(model);
        dataset_free(other);
    }
    dataset_free(data);
}

/* ---- Nothing learnt -------------------------------------------------------------------------- */

/* A trained model with its weights negated and enlarged: certain of the wrong classes. */
static temper_model *reversed_model(const struct dataset *data, temper_train_options options)
{
    temper_model *model = made_train(data, options, NULL);
    for (size_t j = 0; model && j < 3 * temper_model_weight_vectors(model); j++)
        made_inside(model)->weights[j] *= -1000;
    for (size_t k = 0; model && k < temper_model_weight_vectors(model); k++)
        made_inside(model)->bias[k] *= -1000;
    return model;
}

/* From weights that are certain of the wrong classes there is no way back. */
TEST(a_plateau_is_refused)
{
    static const char *const solvers[] = {"newton", "lbfgs", "tron"};
    for (size_t i = 0; i < 5; i++) {
        struct dataset *data = made_data(MATRIX_F64, 100, 3, i < 3 ? 2 : 3);
        temper_train_options options = made_options();
        options.l2 = 0;
        temper_model *model = reversed_model(data, options);
        if (!model)
            return;
        options.warm_start = model;
        options.solver = solvers[i < 3 ? i : i - 2];
        made_refused(data, options, TEMPER_BAD_DATA, "--starts 2");
        temper_model_free(model);
        dataset_free(data);
    }
}

/* So it is for every loss that has a bound, with the remedy of its method. */
TEST(a_plateau_of_other_bounded_losses_is_refused)
{
    static const struct {
        temper_loss_spec loss;
        const char *remedy;
    } bounded[] = {
        {{.method = TEMPER_SCE, .beta = 2, .log_zero = -3}, "raise alpha of sce"},
        {{.method = TEMPER_BREGMAN, .t1 = 0.3, .t2 = 1.2}, "lower t2, or raise t1"},
        {{.method = TEMPER_GCE, .t1 = 0.2}, "; raise t1, or start"},
    };
    for (size_t i = 0; i < 6; i++) {
        struct dataset *data = made_data(MATRIX_F64, 100, 3, 2 + i % 2);
        temper_train_options options = made_options();
        options.l2 = 0;
        temper_model *model = reversed_model(data, options);
        if (!model)
            return;
        options.loss = bounded[i / 2].loss;
        temper_model_free(made_train(data, options, NULL)); /* from 0 it learns */
        options.warm_start = model;
        made_refused(data, options, TEMPER_BAD_DATA, bounded[i / 2].remedy);
        temper_model_free(model);
        dataset_free(data);
    }
}

/* Most rows are of one class, and features say nothing of it. */
static struct dataset *one_sided(size_t rows, size_t every)
{
    struct dataset *data = made_data(MATRIX_F64, rows, 3, 2);
    for (size_t i = 0; i < rows; i++)
        data->label[i] = i % every == 0;
    return data;
}

/* The best model predicts one class everywhere: that is no plateau, but should be told. */
TEST(a_collapse_to_one_class_is_a_warning)
{
    static const double t1[] = {0, 0.1, 0.3, 0.7, 1}, t2[] = {1, 1.5};
    for (size_t i = 0; i < 60; i++) {
        struct dataset *data = one_sided(300, i % 3 == 0 ? 3 : i % 3 == 1 ? 10 : 50);
        temper_train_options options = made_options();
        temper_train_report report = {0};
        options.loss = (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = t1[i / 3 % 5], .t2 = t2[i / 15 % 2]};
        options.l2 = i < 30 ? 1e3 : 0.3;
        temper_model *model = made_train(data, options, &report);
        CHECKF(made_warned(&report.warnings, TEMPER_WARNING_ONE_CLASS, "'0': the model has collapsed"), "t1 %g: %s, %g",
               options.loss.t1, made_first_warning(&report.warnings), report.accuracy);
        temper_model_free(model);
        dataset_free(data);
    }
}

TEST(a_training_that_was_cut_short_is_no_plateau)
{
    struct dataset *data = one_sided(300, 10);
    for (size_t limit = 0; limit < 6; limit++) {
        temper_train_options options = made_options();
        temper_train_report report = {0};
        options.max_iterations = limit;
        options.tolerance = 1e-9;
        temper_model_free(made_train(data, options, &report));
        CHECK(report.stop == TEMPER_STOP_MAX_ITER);
    }
    dataset_free(data);
}

/* ---- Other warnings -------------------------------------------------------------------------- */

TEST(separable_data_without_a_penalty_is_a_warning)
{
    static const double x[] = {1, 1, 2, 1, -1, 0, -2, 1};
    static const char *const labels[] = {"a", "a", "b", "b"};
    struct dataset *data = made_points(4, x, labels);
    temper_train_options options = made_options();
    temper_train_report report = {0};
    options.l2 = 0;
    options.loss.method = TEMPER_LOGISTIC;
    temper_model_free(made_train(data, options, &report));
    CHECKF(made_warned(&report.warnings, TEMPER_WARNING_SEPARABLE, "--l2"), "%s", made_first_warning(&report.warnings));
    options.l2 = 1e-3;
    temper_model_free(made_train(data, options, &report));
    CHECK_EQ_TEXT(made_first_warning(&report.warnings), "");
    dataset_free(data);
}

/* The gradient may be small enough before the decrease that is expected is: the warning must not contradict itself. */
TEST(the_warning_names_what_has_not_converged)
{
    struct dataset *data = made_data(MATRIX_F64, 200, 6, 2);
    double *x = (double *)data->x.owned[0];
    size_t small = 0;
    for (size_t i = 0; i < 200; i++) /* nearly collinear */
        x[6 * i + 1] = x[6 * i] + 1e-3 * x[6 * i + 1];
    for (size_t limit = 1; limit < 60; limit++) {
        temper_train_options options = made_options();
        temper_train_report report = {0};
        options.max_iterations = limit;
        options.solver = "lbfgs";
        options.scale = "none";
        options.l2 = 1e-7;
        options.tolerance = 1e-3;
        temper_model_free(made_train(data, options, &report));
        if (report.stop != TEMPER_STOP_MAX_ITER)
            break;
        bool enough = report.gradient_norm <= options.tolerance;
        small += enough;
        CHECKF(made_warned(&report.warnings, TEMPER_WARNING_NOT_CONVERGED,
                           enough ? "the decrease of the objective that is still expected is not" : "not at 0.001"),
               "%zu, %g: %s", limit, report.gradient_norm, made_first_warning(&report.warnings));
    }
    CHECK(small > 0);
    dataset_free(data);
}

/* 4,095 rows, of which the last half has a feature of another size: the sample reaches the end. */
TEST(sizes_are_those_of_rows_up_to_the_last)
{
    struct dataset *data = made_data(MATRIX_F64, 4095, 3, 2);
    double *x = (double *)data->x.owned[0];
    temper_train_options options = made_options();
    temper_train_report report = {0};
    for (size_t i = 2048; i < 4095; i++)
        x[3 * i + 1] *= 1e5;
    options.scale = "none";
    options.max_iterations = 2;
    temper_model_free(made_train(data, options, &report));
    CHECKF(made_warned(&report.warnings, TEMPER_WARNING_ILL_CONDITIONED, "--scale standard"), "%s",
           made_first_warning(&report.warnings));
    dataset_free(data);
}

/* Trains without scaling, which must warn and name an option, then with it. The accuracies are those of both. */
static void check_advice(const struct dataset *data, const char *scale, double accuracy[2])
{
    temper_train_options options = made_options();
    temper_train_report report = {0};
    char advice[32];
    snprintf(advice, sizeof advice, "--scale %s", scale);
    options.scale = "none";
    temper_model_free(made_train(data, options, &report));
    CHECKF(made_warned(&report.warnings, TEMPER_WARNING_ILL_CONDITIONED, advice), "%s",
           made_first_warning(&report.warnings));
    accuracy[0] = report.accuracy;
    options.scale = scale;
    temper_model_free(made_train(data, options, &report));
    CHECK_EQ_TEXT(made_first_warning(&report.warnings), "");
    accuracy[1] = report.accuracy;
}

TEST(features_of_very_different_size_are_a_warning)
{
    struct dataset *data = made_data(MATRIX_F64, 100, 3, 2);
    double *x = (double *)data->x.owned[0], accuracy[2];
    for (size_t i = 0; i < 100; i++)
        x[3 * i + 1] *= 1e5;
    check_advice(data, "standard", accuracy);
    dataset_free(data);
}

TEST(sparse_features_of_very_different_size_are_a_warning)
{
    struct dataset *data = made_data(MATRIX_CSR, 300, 4, 2);
    float *value = (float *)data->x.owned[2];
    double accuracy[2];
    temper_train_report report = {0};
    temper_model_free(made_train(data, made_options(), &report));
    CHECK_EQ_TEXT(made_first_warning(&report.warnings), "");
    for (size_t i = 0; i < data->x.nonzeros; i++)
        value[i] *= data->x.column[i] == 3 ? 1e5F : 1;
    check_advice(data, "maxabs", accuracy);
    CHECKF(accuracy[1] > accuracy[0] + 0.1, "%g, %g", accuracy[1], accuracy[0]);
    dataset_free(data);
}

/* Data from memory is called so in messages; data of a file by its name. */
TEST(data_without_a_file_has_a_name)
{
    static char path[] = "some.csv";
    struct dataset *data = made_data(MATRIX_F32, 40, 3, 2);
    temper_train_report report = {0};
    temper_train_options options = made_options();
    temper_model *model = NULL;
    temper_error error = {0};
    for (size_t row = 0; row < 40; row++)
        data->label[row] = 1;
    char *kept = data->file.path;
    data->file.path = NULL;
    CHECK(temper_train(made_public(data), &options, &model, &report, &error) == TEMPER_BAD_DATA);
    CHECKF(strncmp(error.message, "data: ", 6) == 0, "%s", error.message);
    data->file.path = path;
    CHECK(temper_train(made_public(data), &options, &model, &report, &error) == TEMPER_BAD_DATA);
    CHECKF(strncmp(error.message, "some.csv: ", 10) == 0, "%s", error.message);
    data->file.path = kept;
    dataset_free(data);
}

/* Passes over the data: evaluations, products, and Hessians by their cost, a quarter of the entries of a row each. */
TEST(passes_are_counted)
{
    enum { COLUMNS = 24 };
    struct dataset *data = made_data(MATRIX_F64, 200, COLUMNS, 2);
    temper_train_options options = made_options();
    temper_train_report report = {0};
    options.solver = "newton";
    temper_model *model = made_train(data, options, &report);
    CHECK(report.hessians > 1);
    CHECK_CLOSE(report.passes, (double)(report.evaluations + report.products) + (double)report.hessians * COLUMNS / 4,
                1e-12);
    temper_model_free(model);
    dataset_free(data);
}

/* Scaling is the first that takes memory; logarithms need a copy of the data. */
TEST(a_limit_of_memory_names_what_needs_it)
{
    struct dataset *data = made_data(MATRIX_F32, 40, 3, 2);
    temper_train_options options = made_options();
    data->storage.memory_limit = 1;
    options.scale = "standard";
    made_refused(data, options, TEMPER_NO_MEMORY, "learning the scale of the features");
    options.scale = "log";
    made_refused(data, options, TEMPER_NO_MEMORY, "--scale log, which makes a copy of the data,");
    dataset_free(data);
}

TEST_LIST(LISTED(every_bad_option_is_refused_with_advice), LISTED(every_bad_loss_is_refused_with_advice),
          LISTED(a_solver_that_does_not_know_many_classes_is_refused),
          LISTED(data_without_labels_classes_or_features_is_refused),
          LISTED(numbers_that_no_double_can_hold_are_refused), LISTED(validation_data_that_does_not_fit_is_refused),
          LISTED(a_model_that_does_not_fit_is_no_warm_start), LISTED(a_plateau_is_refused),
          LISTED(a_plateau_of_other_bounded_losses_is_refused), LISTED(a_collapse_to_one_class_is_a_warning),
          LISTED(a_training_that_was_cut_short_is_no_plateau), LISTED(separable_data_without_a_penalty_is_a_warning),
          LISTED(features_of_very_different_size_are_a_warning),
          LISTED(sparse_features_of_very_different_size_are_a_warning),
          LISTED(the_warning_names_what_has_not_converged), LISTED(sizes_are_those_of_rows_up_to_the_last),
          LISTED(data_without_a_file_has_a_name), LISTED(passes_are_counted),
          LISTED(a_limit_of_memory_names_what_needs_it))
