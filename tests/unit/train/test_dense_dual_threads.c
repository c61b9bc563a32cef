/* Trainings of few dense rows of many independent features begin with a dual coordinate ascent, and end where L-BFGS
 * ends, with the same bits on any number of threads. */
#include <stdlib.h>

#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "objective/sparse/dual_descent.h"

enum { ROWS = 301, COLUMNS = 1000 }; /* the last block of rows has fewer than the others */

/* Normal features, all of which share a common part of that size; labels follow ten of them. */
static struct dataset *normal_data(enum matrix_kind kind, double common)
{
    double *x = calloc((size_t)ROWS * COLUMNS, sizeof *x);
    const char *label[ROWS];
    struct draw draw = draw_from(5);
    for (size_t i = 0; i < ROWS; i++) {
        double *row = x + i * COLUMNS, shared, score = 1;
        draw_normals(&draw, row, COLUMNS, 1);
        draw_normals(&draw, &shared, 1, common);
        for (size_t j = 0; j < 10; j++)
            score += row[j];
        for (size_t j = 0; j < COLUMNS; j++)
            row[j] += shared;
        label[i] = score > 0 ? "1" : "0";
    }
    struct dataset *data = table_make(kind, ROWS, COLUMNS, x, label);
    free(x);
    return data;
}

static temper_train_options dense_options(double tolerance)
{
    temper_train_options options = made_options();
    options.loss = (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};
    options.scale = "none";
    options.l2 = 1e-3;
    options.tolerance = tolerance;
    return options;
}

static void check_ends(const struct dataset *data, bool no_intercept)
{
    static const double tolerances[] = {0.1, 1e-3, 1e-6};
    temper_train_options options = dense_options(1e-10);
    temper_train_report exact = {0}, found = {0};
    options.solver = "lbfgs";
    options.no_intercept = no_intercept;
    temper_model_free(made_train(data, options, &exact));
    for (size_t i = 0; i < 3; i++) {
        options = dense_options(tolerances[i]);
        options.no_intercept = no_intercept;
        temper_model *model = made_train(data, options, &found);
        CHECK(found.stop == TEMPER_STOP_CONVERGED);
        CHECKF(found.objective - exact.objective <= 2e-3 * tolerances[i] * exact.objective + 1e-9,
               "%g: %.12g, not %.12g", tolerances[i], found.objective, exact.objective);
        CHECK(made_gradient(made_inside(model), data) <= 1.01 * tolerances[i] + 1e-6);
        CHECK(found.evaluations < exact.evaluations);
        temper_model_free(model);
    }
}

TEST(the_end_is_that_of_lbfgs)
{
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64};
    double weight[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        weight[i] = (double)(i % 3);
    for (size_t k = 0; k < 2; k++) {
        struct dataset *data = normal_data(kinds[k], 0);
        check_ends(data, false);
        check_ends(data, true);
        table_weigh(data, weight);
        check_ends(data, false);
        dataset_free(data);
    }
}

/* Epochs are evaluations, and hardly an iteration of L-BFGS is left. */
TEST(the_ascent_leaves_little_to_do)
{
    struct dataset *data = normal_data(MATRIX_F32, 0);
    temper_train_options options = dense_options(0.1);
    temper_train_report report = {0};
    temper_model_free(made_train(data, options, &report));
    CHECKF(report.iterations <= 2 && report.evaluations > 3, "%zu iterations", report.iterations);
    options.solver = "lbfgs";
    temper_model_free(made_train(data, options, &report));
    CHECKF(report.iterations > 5, "%zu iterations", report.iterations);
    dataset_free(data);
}

TEST(only_rows_at_nearly_right_angles_suit)
{
    struct dataset *data = normal_data(MATRIX_F64, 0), *common = normal_data(MATRIX_F64, 1);
    struct objective_spec spec = {.data = data, .loss = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1}, .l2 = 1e-3};
    struct spectrum spectrum;
    CHECK(spectrum_estimate(data, NULL, &spectrum, NULL) == TEMPER_OK && dual_descent_suits_dense(&spec, &spectrum));
    spec.l2 = 0;
    CHECK(!dual_descent_suits_dense(&spec, &spectrum));
    spec.l2 = 1e-3;
    spec.loss.t1 = 0.5;
    CHECK(!dual_descent_suits_dense(&spec, &spectrum));
    spec.loss.t1 = 1;
    CHECK(spectrum_estimate(common, NULL, &spectrum, NULL) == TEMPER_OK);
    spec.data = common;
    CHECK(!dual_descent_suits_dense(&spec, &spectrum));
    dataset_free(data);
    dataset_free(common);
}

TEST(any_number_of_threads_has_the_same_bits)
{
    struct dataset *data = normal_data(MATRIX_F32, 0);
    check_same_on_threads(data, dense_options(1e-3));
    dataset_free(data);
}

TEST(a_lack_of_memory_is_reported)
{
    struct dataset *data = normal_data(MATRIX_F32, 0);
    const temper_train_options options = dense_options(0.1);
    check_train_without_memory(data, options, test_step(11));
    dataset_free(data);
}

TEST_LIST(LISTED(the_end_is_that_of_lbfgs), LISTED(the_ascent_leaves_little_to_do),
          LISTED(only_rows_at_nearly_right_angles_suit), LISTED(any_number_of_threads_has_the_same_bits),
          LISTED(a_lack_of_memory_is_reported))
