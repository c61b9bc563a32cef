/* Dual coordinate ascent: its bound is below the objective of its weights, both close to the minimum; and it does not
 * depend on how the data is stored or weighted. */
#include "objective/sparse/dual_descent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"

enum { ROWS = 400, COLUMNS = 30, SIZE = COLUMNS + 1 };
static const temper_loss_spec logistic = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};

static struct objective_spec spec_of(const struct dataset *data, double l2)
{
    return (struct objective_spec){
        .data = data, .loss = logistic, .l2 = l2, .intercept = true, .f64 = true, .threads = 1};
}

/* Runs it, and returns the objective of its weights by an evaluation; gradient[SIZE] may be NULL. */
static double run(const struct objective_spec *spec, double share, double *w, struct dual_result *result,
                  double *gradient)
{
    struct objective *objective;
    double value = NAN, unused[SIZE];
    CHECK(objective_new(spec, &objective, NULL) == TEMPER_OK);
    CHECK(dual_descent(objective, (struct dual_goal){share, 1}, w, result, NULL) == TEMPER_OK);
    CHECK(objective_evaluate(objective, w, &value, gradient ? gradient : unused, NULL) == TEMPER_OK);
    objective_free(objective);
    return value;
}

static bool suits(const struct objective_spec *spec)
{
    bool found = false;
    CHECK(dual_descent_suits(spec, &found, NULL) == TEMPER_OK);
    return found;
}

TEST(the_bound_is_below_the_objective_and_as_close_as_was_asked)
{
    static const double shares[] = {1e-3, 1e-5, 1e-7};
    struct dataset *data = made_data(MATRIX_CSR, ROWS, COLUMNS, 2);
    for (size_t i = 0; i < 6; i++) {
        struct objective_spec spec = spec_of(data, 20);
        struct dual_result result = {0};
        double w[SIZE], gradient[SIZE] = {0};
        spec.intercept = i < 3;
        const double value = run(&spec, shares[i % 3], w, &result, gradient);
        CHECK(result.epochs > 1 && result.lower_bound <= value * (1 + 1e-12));
        CHECKF(value - result.lower_bound <= 4 * shares[i % 3] * value, "%zu: %g", i, value - result.lower_bound);
        for (size_t j = 0; i % 3 == 2 && j < COLUMNS; j++)
            CHECKF(fabs(gradient[j]) < 1e-3, "%zu: %g", j, gradient[j]);
    }
    dataset_free(data);
}

/* Rows that are long, relative to the penalty. With more columns than rows many epochs suffice, in which most rows are
 * left out; with few columns the ascent is given up after two. */
TEST(long_rows_converge_or_are_given_up)
{
    static const double penalties[] = {1, 0.1, 0.025, 0.006, 0.003, 0.0015};
    struct dataset *wide = made_data(MATRIX_CSR, 300, 520, 2), *narrow = made_data(MATRIX_CSR, ROWS, COLUMNS, 2);
    for (size_t i = 0; i < 6; i++) {
        const struct objective_spec spec = spec_of(i < 3 ? wide : narrow, penalties[i]);
        struct objective *objective;
        struct dual_result result = {0};
        double value = NAN, w[521], gradient[521] = {0};
        CHECK(suits(&spec));
        CHECK(objective_new(&spec, &objective, NULL) == TEMPER_OK);
        CHECK(dual_descent(objective, (struct dual_goal){1e-4, 1}, w, &result, NULL) == TEMPER_OK);
        CHECKF(result.given_up == (i >= 3) && (!result.given_up || result.epochs == 2), "%zu: %zu", i, result.epochs);
        CHECK(result.given_up || objective_evaluate(objective, w, &value, gradient, NULL) == TEMPER_OK);
        CHECKF(result.given_up || (result.lower_bound <= value && value <= result.lower_bound * (1 + 1e-4)), "%zu: %g",
               i, value - result.lower_bound);
        objective_free(objective);
    }
    dataset_free(wide);
    dataset_free(narrow);
}

/* The minimum by Newton's method is between bound and objective, at any accuracy. */
TEST(no_weights_are_below_the_bound)
{
    struct dataset *data = made_data(MATRIX_CSR, ROWS, COLUMNS, 2);
    static const double penalties[] = {0.02, 0.2, 5};
    for (size_t i = 0; i < 3; i++) {
        const struct objective_spec spec = spec_of(data, penalties[i]);
        temper_train_options options = made_options();
        temper_train_report report = {0};
        struct dual_result result = {0};
        double w[SIZE];
        options.loss = logistic;
        options.solver = "newton";
        options.scale = "none";
        options.l2 = penalties[i];
        options.tolerance = 1e-10;
        temper_model_free(made_train(data, options, &report));
        const double value = run(&spec, 1e-2, w, &result, NULL);
        CHECKF(result.lower_bound <= report.objective && report.objective <= value * (1 + 1e-12), "%g <= %g <= %g",
               result.lower_bound, report.objective, value);
    }
    dataset_free(data);
}

/* Rows of weight 0 are as if they were not there; the unit of the weights does not matter. */
TEST(weights_of_rows_count)
{
    struct dataset *data = made_data(MATRIX_CSR, ROWS, COLUMNS, 2), *half = made_data(MATRIX_CSR, ROWS, COLUMNS, 2);
    double weights[ROWS], w[SIZE], v[SIZE];
    struct dual_result all = {0}, some = {0};
    for (size_t i = 0; i < ROWS; i++)
        weights[i] = i < ROWS / 2 ? 3 : 0;
    table_weigh(half, weights);
    data->x.rows = ROWS / 2; /* the first half alone */
    const struct objective_spec first = spec_of(data, 20), weighted = spec_of(half, 20);
    const double one = run(&first, 1e-7, w, &all, NULL), other = run(&weighted, 1e-7, v, &some, NULL);
    CHECK_CLOSE(one, other, 2e-7);
    CHECK_CLOSE(all.lower_bound, some.lower_bound, 2e-7);
    data->x.rows = ROWS;
    dataset_free(data);
    dataset_free(half);
}

/* What the first epoch finds beside its weights is what an evaluation at W = 0 gives. */
TEST(value_and_gradient_at_zero_are_those_of_an_evaluation)
{
    struct dataset *data = made_data(MATRIX_CSR, ROWS, COLUMNS, 2);
    double weights[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        weights[i] = (double)(i % 3);
    for (size_t i = 0; i < 4; i++) {
        struct objective_spec spec = spec_of(data, 2);
        struct objective *objective;
        struct dual_result result = {0};
        double w[SIZE], zero[SIZE] = {0}, gradient[SIZE] = {0}, value = NAN, squares = 0;
        if (i == 2)
            table_weigh(data, weights);
        spec.intercept = i % 2 == 0;
        CHECK(objective_new(&spec, &objective, NULL) == TEMPER_OK);
        CHECK(objective_evaluate(objective, zero, &value, gradient, NULL) == TEMPER_OK);
        CHECK(dual_descent(objective, (struct dual_goal){1e-2, 1}, w, &result, NULL) == TEMPER_OK);
        for (size_t j = 0; j < objective_size(objective); j++)
            squares += gradient[j] * gradient[j];
        CHECK_CLOSE(result.zero_value, value, 1e-9);
        CHECK_CLOSE(result.zero_gradient, sqrt(squares), 1e-9);
        objective_free(objective);
    }
    dataset_free(data);
}

/* Rows that are solved together, and are equal or opposite, as all of these are: both steps go the whole way to the
 * optimum of the pair, and the dual must rise nevertheless. */
TEST(equal_rows_converge)
{
    struct dataset *data = made_data(MATRIX_CSR, ROWS, COLUMNS, 2);
    uint64_t start[ROWS + 1];
    uint32_t column[2 * ROWS];
    float value[2 * ROWS];
    struct dataset other = *data;
    for (size_t i = 0; i <= ROWS; i++)
        start[i] = 2 * i;
    for (size_t e = 0; e < sizeof column / sizeof *column; e++) {
        column[e] = (uint32_t)(e % 2);
        value[e] = e % 2 ? 1.5F : -0.5F;
    }
    other.x.row_start = start;
    other.x.row_start32 = NULL;
    other.x.column = column;
    other.x.value = value;
    other.x.nonzeros = 2 * ROWS;
    for (size_t i = 0; i < 2; i++) {
        struct objective_spec spec = spec_of(&other, 0.05);
        struct dual_result result = {0};
        double w[SIZE];
        spec.intercept = i == 1;
        const double objective = run(&spec, 1e-5, w, &result, NULL);
        CHECKF(result.lower_bound <= objective * (1 + 1e-12) && objective - result.lower_bound <= 2e-5 * objective,
               "%g %g after %zu", objective, result.lower_bound, result.epochs);
    }
    dataset_free(data);
}

/* A class of little weight: p of the other is lowered for the bound, in some rows or in all. No weights are below it,
 * as those of the run with the smallest share show. */
TEST(the_bound_holds_for_classes_of_unequal_weight)
{
    struct dataset *data = made_data(MATRIX_CSR, ROWS, COLUMNS, 2);
    double weights[ROWS], least = INFINITY, most = 0;
    for (size_t i = 0; i < ROWS; i++)
        weights[i] = data->label[i] == 1 ? 0.2 : 1 + 0.5 * (double)(i % 2);
    table_weigh(data, weights);
    for (double share = 1e-1; share > 1e-8; share *= 0.1) {
        const struct objective_spec spec = spec_of(data, 40);
        struct dual_result result = {0};
        double w[SIZE];
        least = fmin(least, run(&spec, share, w, &result, NULL));
        most = fmax(most, result.lower_bound);
    }
    CHECKF(most <= least * (1 + 1e-12) && most >= least * 0.95, "%.17g %.17g", most, least);
    dataset_free(data);
}

/* Arrays of a caller in their other widths. */
TEST(wide_arrays_have_the_same_bits)
{
    struct dataset *data = made_data(MATRIX_CSR, ROWS, COLUMNS, 2);
    const size_t entries = (size_t)data->x.nonzeros;
    uint64_t *column = calloc(entries, sizeof *column);
    double *value = calloc(entries, sizeof *value), w[SIZE], v[SIZE];
    struct dual_result narrow = {0}, wide = {0};
    struct dataset other = *data;
    for (size_t e = 0; column && value && e < entries; e++) {
        column[e] = data->x.column[e];
        value[e] = (double)data->x.value[e];
    }
    other.x.column = NULL;
    other.x.value = NULL;
    other.x.column64 = column;
    other.x.value64 = value;
    const struct objective_spec spec = spec_of(data, 0.5), spec_wide = spec_of(&other, 0.5);
    run(&spec, 1e-6, w, &narrow, NULL);
    run(&spec_wide, 1e-6, v, &wide, NULL);
    CHECK(memcmp(w, v, sizeof w) == 0 && narrow.lower_bound == wide.lower_bound);
    free(column);
    free(value);
    dataset_free(data);
}

TEST(only_short_sparse_rows_with_a_logistic_loss_and_a_penalty_suit)
{
    struct dataset *data = made_data(MATRIX_CSR, ROWS, COLUMNS, 2), *dense = made_data(MATRIX_F32, ROWS, COLUMNS, 2),
                   *three = made_data(MATRIX_CSR, ROWS, COLUMNS, 3);
    struct objective_spec spec = spec_of(data, 0.5), other = spec;
    CHECK(suits(&spec));
    other.l2 = 1e-6; /* long rows, relative to the penalty */
    CHECK(!suits(&other));
    other.l2 = 0;
    CHECK(!suits(&other));
    other = spec;
    other.l1 = 0.1;
    CHECK(!suits(&other));
    other = spec;
    other.loss = (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0.9, .t2 = 1};
    CHECK(!suits(&other));
    other.loss.t1 = 1;
    CHECK(suits(&other));
    other = spec_of(dense, 0.5);
    CHECK(!suits(&other));
    other = spec_of(three, 0.5);
    CHECK(!suits(&other));
    dataset_free(data);
    dataset_free(dense);
    dataset_free(three);
}

/* Rows have numbers of 32 bits. No row is read. */
TEST(more_rows_than_numbers_of_rows_do_not_suit)
{
    static const struct spectrum spectrum = {.mean = 1};
    struct dataset data = {.x = {.kind = MATRIX_F32, .columns = 1}};
    data.classes.count = 2;
    const struct objective_spec spec = spec_of(&data, 0.5);
    data.x.rows = UINT32_MAX;
    CHECK(dual_descent_suits_dense(&spec, &spectrum));
    data.x.rows++;
    CHECK(!dual_descent_suits_dense(&spec, &spectrum));
}

/* Rows of four ones; of many entries by what the matrix says, of which a sample is read. */
TEST(many_entries_need_a_larger_penalty_or_more_features)
{
    enum { MANY = 1000, EACH = 4 };
    static uint64_t start[MANY + 1];
    static uint32_t column[MANY * EACH];
    static float value[MANY * EACH];
    for (size_t e = 0; e < (size_t)MANY * EACH; e++) {
        start[e / EACH + 1] = e + 1;
        column[e] = (uint32_t)(e % 50);
        value[e] = 1;
    }
    struct dataset data = {.x = {.kind = MATRIX_CSR, .rows = MANY, .columns = 50, .row_start = start}};
    data.x.column = column;
    data.x.value = value;
    data.classes.count = 2;
    struct objective_spec spec = spec_of(&data, 1e-3); /* a curvature of 1 */
    static const struct {
        uint64_t entries, columns;
        double curvature;
        bool suits;
    } cases[] = {{1 << 20, 50, 300, true},        {(1 << 20) + 1, 50, 300, false}, {(1 << 20) + 1, 50, 1.4, true},
                 {(1 << 20) + 1, 50, 1.6, false}, {(1 << 20) + 1, 5000, 7, true},  {(1 << 20) + 1, 5000, 8, false},
                 {(1 << 24) + 1, 50, 0.1, false}, {1 << 24, 50, 0.1, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        data.x.nonzeros = cases[i].entries;
        data.x.columns = cases[i].columns;
        spec.l2 = 1e-3 / cases[i].curvature;
        CHECKF(suits(&spec) == cases[i].suits, "case %zu", i);
    }
}

TEST(a_lack_of_memory_is_reported)
{
    struct dataset *data = made_data(MATRIX_CSR, 40, COLUMNS, 2);
    const struct objective_spec spec = spec_of(data, 0.5);
    struct objective *objective;
    CHECK(objective_new(&spec, &objective, NULL) == TEMPER_OK);
    for (size_t n = 1;; n++) {
        struct dual_result result = {.epochs = 99};
        temper_error error = {0};
        double w[SIZE];
        fault_arm(n);
        temper_status status = dual_descent(objective, (struct dual_goal){1e-3, 1}, w, &result, &error);
        fault_disarm();
        if (!fault_fired()) {
            CHECK(status == TEMPER_OK && n > 3);
            break;
        }
        CHECK(status == TEMPER_NO_MEMORY && error.status == status && result.epochs == 99);
    }
    objective_free(objective);
    dataset_free(data);
}

TEST_LIST(LISTED(the_bound_is_below_the_objective_and_as_close_as_was_asked),
          LISTED(long_rows_converge_or_are_given_up), LISTED(no_weights_are_below_the_bound),
          LISTED(value_and_gradient_at_zero_are_those_of_an_evaluation), LISTED(equal_rows_converge),
          LISTED(the_bound_holds_for_classes_of_unequal_weight), LISTED(weights_of_rows_count),
          LISTED(wide_arrays_have_the_same_bits),
          LISTED(only_short_sparse_rows_with_a_logistic_loss_and_a_penalty_suit),
          LISTED(more_rows_than_numbers_of_rows_do_not_suit),
          LISTED(many_entries_need_a_larger_penalty_or_more_features), LISTED(a_lack_of_memory_is_reported))
