/* Iterations without a preconditioner: where they are made, and that the end is the same minimum, whichever route leads
 * there. */
#include <math.h>
#include <stdlib.h>

#include "fixtures/data/dataset_fixture.h"
#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "train/preconditioner/preconditioner.h"

enum { ROWS = 900, COLUMNS = 120 };
static const double L2 = 1e-8;
static const temper_loss_spec logistic = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};

/* Normal features, of which the first `small` are smaller, by 1/2, 1/4, 1/8...; or, where `common` is not 0, all share
 * a common part of that size. Labels follow them all. */
static struct dataset *normal_data(size_t small, double common)
{
    double *x = calloc((size_t)ROWS * COLUMNS, sizeof *x);
    const char **labels = (const char **)calloc(ROWS, sizeof *labels);
    struct dataset *data = NULL;
    struct draw draw = draw_from(12);
    for (size_t i = 0; x && labels && i < ROWS; i++) {
        double *row = x + i * COLUMNS, shared, noise, score = 0;
        draw_normals(&draw, row, COLUMNS, 1);
        draw_normals(&draw, &shared, 1, common);
        draw_normals(&draw, &noise, 1, 3);
        for (size_t j = 0; j < COLUMNS; j++)
            score += j < small ? row[j] : 0.5 * row[j];
        for (size_t j = 0; j < COLUMNS; j++)
            row[j] = j < small ? ldexp(row[j], -1 - (int)j) : row[j] + shared;
        labels[i] = score + noise > 0 ? "1" : "0";
    }
    if (x && labels)
        data = table_make(MATRIX_F64, ROWS, COLUMNS, x, labels);
    free(x);
    free((void *)labels);
    return data;
}

static temper_train_options plain_options(const char *solver, double tolerance)
{
    temper_train_options options = made_options();
    options.solver = solver;
    options.scale = "none";
    options.l2 = L2;
    options.tolerance = tolerance;
    options.loss = logistic;
    return options;
}

/* The iterations of preconditioner_delay. */
static size_t delay_of(const struct dataset *data, double tolerance)
{
    const struct objective_spec wanted = {
        .data = data, .loss = logistic, .l2 = L2, .intercept = true, .f64 = true, .threads = 1};
    struct objective *objective;
    size_t iterations = 0;
    CHECK(objective_new(&wanted, &objective, NULL) == TEMPER_OK);
    const struct preconditioner_spec spec = {
        .objective = objective, .data = data, .loss = logistic, .l2 = L2, .threads = 1};
    CHECK(preconditioner_delay(&spec, tolerance, &iterations, NULL) == TEMPER_OK);
    objective_free(objective);
    return iterations;
}

/* Trains by L-BFGS and by Newton's method, compares, and returns the iterations of the first. */
static size_t check_minimum(const struct dataset *data, double tolerance)
{
    temper_train_report report = {0}, exact = {0};
    temper_model_free(made_train(data, plain_options("newton", 1e-9), &exact));
    temper_model_free(made_train(data, plain_options("lbfgs", tolerance), &report));
    CHECK(report.stop == TEMPER_STOP_CONVERGED);
    CHECK_CLOSE(report.objective, exact.objective, 2e-3 * tolerance);
    return report.iterations;
}

TEST(independent_features_are_trained_without_a_gram_matrix)
{
    struct dataset *data = normal_data(0, 0);
    const size_t delay = delay_of(data, 1e-3);
    CHECK(delay > 10 && delay_of(data, 1e-6) > delay);
    CHECK(check_minimum(data, 1e-3) < delay);
    dataset_free(data);
}

TEST(features_with_much_in_common_have_a_gram_matrix_at_once)
{
    struct dataset *data = normal_data(0, 2);
    CHECK(delay_of(data, 1e-3) == 0);
    CHECK(check_minimum(data, 1e-3) < 40);
    dataset_free(data);
}

/* A few small eigenvalues hardly change the moments of all. */
TEST(a_gram_matrix_is_made_where_iterations_without_it_do_not_suffice)
{
    struct dataset *data = normal_data(8, 0);
    const size_t delay = delay_of(data, 1e-8);
    CHECK(delay > 10);
    const size_t iterations = check_minimum(data, 1e-8);
    CHECKF(iterations > delay, "%zu, %zu", iterations, delay);
    dataset_free(data);
}

/* The limit of the user counts the iterations of both phases. */
TEST(a_limit_of_iterations_holds_for_both_phases)
{
    struct dataset *data = normal_data(8, 0);
    temper_train_report report = {0};
    temper_train_options options = plain_options("lbfgs", 1e-8);
    const size_t delay = delay_of(data, 1e-8);
    for (size_t most = delay - 1; most < delay + 3; most++) {
        options.max_iterations = most;
        temper_model_free(made_train(data, options, &report));
        CHECKF(report.iterations == most && report.stop == TEMPER_STOP_MAX_ITER, "%zu", report.iterations);
    }
    dataset_free(data);
}

TEST(both_phases_have_the_same_bits_on_any_number_of_threads)
{
    struct dataset *data = normal_data(8, 0);
    check_same_on_threads(data, plain_options("lbfgs", 1e-8));
    dataset_free(data);
}

TEST_LIST(LISTED(independent_features_are_trained_without_a_gram_matrix),
          LISTED(features_with_much_in_common_have_a_gram_matrix_at_once),
          LISTED(a_gram_matrix_is_made_where_iterations_without_it_do_not_suffice),
          LISTED(a_limit_of_iterations_holds_for_both_phases),
          LISTED(both_phases_have_the_same_bits_on_any_number_of_threads))
