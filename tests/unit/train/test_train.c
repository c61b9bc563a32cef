/* What the options of training do: weights, starts, penalties, where it stops and what it keeps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/subset.h"
#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "train/train_state.h"

static double distance(const temper_model *a, const temper_model *b)
{
    const struct model *left = made_inside(a), *right = made_inside(b);
    double most = 0;
    for (size_t i = 0; i < left->vectors * left->features; i++)
        most = fmax(most, fabs(left->weights[i] - right->weights[i]));
    for (size_t k = 0; k < left->vectors; k++)
        most = fmax(most, fabs(left->bias[k] - right->bias[k]));
    return most;
}

/* ---- Weights of rows ------------------------------------------------------------------------- */

/* Rows as often as `times` says. */
static struct dataset *repeated(const struct dataset *data, const double *times)
{
    size_t row[400], count = 0;
    struct dataset *made = NULL;
    for (size_t i = 0; i < data->x.rows; i++)
        for (double n = 0; n < times[i]; n++)
            row[count++] = i;
    CHECK(dataset_rows(data, row, count, &made, NULL) == TEMPER_OK);
    return made;
}

TEST(a_weight_of_two_is_a_row_twice_and_one_of_nothing_no_row)
{
    static const char *const solvers[] = {"newton", "lbfgs", "tron"};
    double times[120];
    for (size_t i = 0; i < 120; i++)
        times[i] = (double)(i % 3);
    for (size_t classes = 2; classes < 4; classes++)
        for (size_t s = classes == 2 ? 0 : 1; s < 3; s++) {
            struct dataset *data = made_data(s == 1 ? MATRIX_F64 : MATRIX_CSR, 120, 5, classes);
            struct dataset *more = repeated(data, times);
            temper_train_options options = made_options();
            temper_train_report one, other;
            options.scale = "none";
            options.l2 = 0.02;
            options.tolerance = 1e-9;
            options.solver = solvers[s];
            table_weigh(data, times);
            temper_model *weighted = made_train(data, options, &one);
            temper_model *repeating = made_train(more, options, &other);
            if (weighted && repeating) {
                CHECKF(distance(weighted, repeating) < 1e-6, "%s, %zu classes: %g", solvers[s], classes,
                       distance(weighted, repeating));
                CHECK_CLOSE(one.objective, other.objective, 1e-9);
                CHECK_CLOSE(one.accuracy, other.accuracy, 1e-12);
            }
            temper_model_free(weighted);
            temper_model_free(repeating);
            dataset_free(data);
            dataset_free(more);
        }
}

TEST(rows_of_no_weight_do_not_change_the_scaling_or_the_penalty)
{
    double times[100];
    for (size_t i = 0; i < 100; i++)
        times[i] = i % 4 != 1;
    struct dataset *data = made_data(MATRIX_F64, 100, 4, 2), *fewer = repeated(data, times);
    temper_train_options options = made_options();
    temper_train_report one, other;
    options.tolerance = 1e-9;
    table_weigh(data, times);
    temper_model *weighted = made_train(data, options, &one), *less = made_train(fewer, options, &other);
    if (weighted && less) {
        CHECK_CLOSE(one.l2, other.l2, 1e-12);
        CHECK(distance(weighted, less) < 1e-6);
    }
    temper_model_free(weighted);
    temper_model_free(less);
    dataset_free(data);
    dataset_free(fewer);
}

/* ---- The penalty ----------------------------------------------------------------------------- */

/* 2e-4 tr Cov(x) / (C - 1), of features as they are scaled. */
TEST(the_automatic_penalty_is_the_formula)
{
    static const double x[] = {1, 10, 3, 30, 5, 80, 7, 20};
    static const char *const labels[] = {"a", "b", "c", "a"};
    struct dataset *two = made_points(3, x, labels), *three = made_points(4, x, labels);
    temper_train_options options = made_options();
    temper_train_report report = {0};
    options.max_iterations = 3;
    options.loss.method = TEMPER_LOGISTIC;
    options.scale = "none";
    two->label[2] = 1;
    two->classes.count = 2;
    temper_model_free(made_train(two, options, &report));
    CHECK_CLOSE(report.l2, 2e-4 * (8.0 / 3 + 2600.0 / 3), 1e-12); /* 10 30 80: mean 40 */
    temper_model_free(made_train(three, options, &report));
    CHECK_CLOSE(report.l2, 2e-4 * (5 + 725) / 2, 1e-12); /* 10 30 80 20: mean 35 */
    options.scale = "standard";
    temper_model_free(made_train(three, options, &report));
    CHECK_CLOSE(report.l2, 2e-4 * 2 / 2, 1e-12);
    options.l2 = 0.25;
    temper_model_free(made_train(three, options, &report));
    CHECK(report.l2 == 0.25);
    two->classes.count = 3; /* for who frees them */
    dataset_free(two);
    dataset_free(three);
}

/* ---- Where it starts ------------------------------------------------------------------------- */

TEST(a_warm_start_ends_at_the_same_place_without_a_step)
{
    static const char *const scales[] = {"none", "standard", "log"};
    for (size_t classes = 2; classes < 4; classes++)
        for (size_t s = 0; s < 3; s++) {
            struct dataset *data = made_data(MATRIX_F64, 150, 5, classes);
            temper_train_options options = made_options();
            temper_train_report cold = {0}, warm = {0};
            options.scale = scales[s];
            options.tolerance = 1e-5;
            temper_model *first = made_train(data, options, &cold);
            options.warm_start = first;
            temper_model *second = made_train(data, options, &warm);
            CHECKF(cold.iterations > 0 && warm.iterations == 0, "%zu, %zu", cold.iterations, warm.iterations);
            CHECK(warm.stop == TEMPER_STOP_CONVERGED);
            CHECK_CLOSE(warm.gradient_norm, cold.gradient_norm, 1e-4);
            if (first && second) {
                CHECK(distance(first, second) < 1e-9);
                CHECK_EQ_TEXT(made_inside(second)->training.init, "warm");
            }
            temper_model_free(first);
            temper_model_free(second);
            dataset_free(data);
        }
}

/* Matrices of single classes make steps that leave alone what all classes have in common; a start
 * that has some of it must not keep it. */
TEST(a_start_that_all_classes_share_is_forgotten)
{
    struct dataset *data = made_data(MATRIX_F64, 400, 5, 3);
    temper_train_options options = made_options();
    temper_train_report cold = {0}, away = {0};
    options.loss.method = TEMPER_LOGISTIC;
    options.l2 = 1e-3;
    options.tolerance = 1e-9;
    options.solver = "lbfgs";
    temper_model *zero = made_train(data, options, &cold);
    options.init = "normal:1";
    temper_model *normal = made_train(data, options, &away);
    CHECK(cold.stop == TEMPER_STOP_CONVERGED && away.stop == TEMPER_STOP_CONVERGED);
    CHECK(cold.iterations > FIRST_PRECONDITIONER_ITERATIONS && away.iterations > FIRST_PRECONDITIONER_ITERATIONS);
    if (zero && normal) {
        const struct model *inside = made_inside(zero);
        CHECKF(distance(zero, normal) < 1e-6, "%g", distance(zero, normal));
        for (size_t j = 0; j < inside->features; j++) {
            const double *w = inside->weights + j;
            CHECK_NEAR(w[0] + w[inside->features] + w[2 * inside->features], 0, 1e-12);
        }
    }
    temper_model_free(zero);
    temper_model_free(normal);
    dataset_free(data);
}

/* From a model of the same data whose classes come in another order. */
static void check_swapped(size_t classes)
{
    struct dataset *data = made_data(MATRIX_F64, 120, 4, classes);
    struct dataset *other = made_data(MATRIX_F64, 120, 4, classes);
    temper_train_options options = made_options();
    temper_train_report report = {0};
    for (size_t c = 0; c < classes / 2; c++) {
        char *name = data->classes.name[c];
        data->classes.name[c] = data->classes.name[classes - 1 - c];
        data->classes.name[classes - 1 - c] = name;
    }
    for (size_t i = 0; i < 120; i++)
        data->label[i] = (uint32_t)(classes - 1) - data->label[i];
    temper_model *first = made_train(data, options, NULL);
    options.warm_start = first;
    temper_model *second = made_train(other, options, &report);
    CHECKF(report.iterations == 0, "%zu iterations", report.iterations);
    if (first && second)
        for (size_t k = 0; k < made_inside(first)->vectors; k++) {
            size_t theirs = classes == 2 ? 0 : classes - 1 - k;
            for (size_t j = 0; j < 4; j++)
                CHECK_NEAR(temper_model_weights(first, k)[j] * (classes == 2 ? -1 : 1),
                           temper_model_weights(second, theirs)[j], 1e-9);
        }
    temper_model_free(first);
    temper_model_free(second);
    dataset_free(data);
    dataset_free(other);
}

TEST(a_warm_start_finds_its_classes_by_name)
{
    check_swapped(2);
    check_swapped(3);
}

TEST(a_random_start_is_that_of_its_seed)
{
    struct dataset *data = made_data(MATRIX_F64, 100, 4, 3);
    temper_train_options options = made_options();
    options.init = "normal:0.5";
    options.max_iterations = 0;
    options.loss = (temper_loss_spec){.method = TEMPER_LOGISTIC};
    temper_model *one = made_train(data, options, NULL), *same = made_train(data, options, NULL);
    options.seed = 2;
    temper_model *other = made_train(data, options, NULL);
    options.init = "normal:0";
    temper_model *zero = made_train(data, options, NULL);
    if (one && same && other && zero) {
        CHECK(distance(one, same) == 0);
        CHECK(distance(one, other) > 0.01);
        CHECK(distance(one, zero) > 0.1 && distance(one, zero) < 10);
        CHECK(temper_model_weights(zero, 0)[0] == 0);
        CHECK_EQ_TEXT(made_inside(one)->training.init, "normal:0.5");
    }
    temper_model_free(one);
    temper_model_free(same);
    temper_model_free(other);
    temper_model_free(zero);
    options = made_options();
    temper_train_report first = {0}, second = {0};
    temper_model_free(made_train(data, options, &first));
    options.init = "normal:0.001";
    temper_model_free(made_train(data, options, &second));
    CHECK_CLOSE(first.objective, second.objective, 1e-6);
    dataset_free(data);
}

/* ---- Features that never vary ------------------------------------------------------------------ */

/* Three columns, of which the second is always 3.3 and, if `all`, the others are constant too; a third of the rows is
 * of the first class. */
static struct dataset *with_constants(enum matrix_kind kind, bool all)
{
    enum { CONSTANT_ROWS = 90 };
    double x[3 * CONSTANT_ROWS];
    const char *labels[CONSTANT_ROWS];
    struct draw draw = draw_from(3);
    for (size_t i = 0; i < CONSTANT_ROWS; i++) {
        draw_normals(&draw, x + 3 * i, 3, 1);
        x[3 * i] = all ? 7 : x[3 * i] + (i % 3 ? 1 : -1);
        x[3 * i + 1] = 3.3;
        x[3 * i + 2] = all ? -0.1 : x[3 * i + 2];
        labels[i] = i % 3 ? "b" : "a";
    }
    return table_make(kind, CONSTANT_ROWS, 3, x, labels);
}

TEST(a_feature_that_never_varies_has_no_weight)
{
    static const char *const solvers[] = {"newton", "lbfgs", "tron"};
    static const temper_loss_spec losses[] = {{.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1},
                                              {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1}};
    for (size_t c = 0; c < 3 * 2 * 2 * 2; c++) {
        bool all = c & 1, doubles = c & 2;
        struct dataset *data = with_constants(doubles ? MATRIX_F64 : MATRIX_F32, all);
        temper_train_options options = made_options();
        temper_train_report report = {0};
        options.solver = solvers[c / 8];
        options.loss = losses[c / 4 % 2];
        options.l2 = all ? (double)NAN : 0; /* the automatic penalty is 0 where nothing varies */
        temper_model *model = made_train(data, options, &report);
        CHECKF(report.stop == TEMPER_STOP_CONVERGED && report.l2 == 0, "%zu: %s", c, temper_stop_name(report.stop));
        for (size_t j = 0; model && j < 3; j++) {
            double weight = temper_model_weights(model, 0)[j];
            CHECKF(j != 1 && !all ? fabs(weight) > 1e-3 && fabs(weight) < 1e4 : weight == 0, "case %zu, %zu: %g", c, j,
                   weight);
        }
        /* Without features the intercept has the share of each class: escort of order t1, log odds / t1. */
        if (model && all)
            CHECK_CLOSE(temper_model_intercept(model, 0), log(2) / losses[c / 4 % 2].t1, 1e-3);
        temper_model_free(model);
        dataset_free(data);
    }
}

/* Unscaled, it cannot be told from the intercept: any share is right, and must be of a sane size. */
TEST(a_constant_beside_the_intercept_stays_small)
{
    for (int kind = 0; kind < 2; kind++) {
        struct dataset *data = with_constants(kind ? MATRIX_F64 : MATRIX_F32, false);
        temper_train_options options = made_options();
        options.scale = "none";
        options.solver = "newton";
        options.l2 = 0;
        temper_model *model = made_train(data, options, NULL);
        if (model)
            CHECKF(fabs(temper_model_weights(model, 0)[1]) < 100, "%g", temper_model_weights(model, 0)[1]);
        temper_model_free(model);
        dataset_free(data);
    }
}

/* ---- Where it stops -------------------------------------------------------------------------- */

TEST(tolerance_is_relative_to_the_gradient_at_zero_and_not_to_the_units)
{
    struct dataset *data = made_data(MATRIX_F64, 150, 5, 2);
    double *x = (double *)data->x.owned[0];
    temper_train_options options = made_options();
    temper_train_report one = {0}, other = {0};
    options.tolerance = 1e-3;
    temper_model_free(made_train(data, options, &one));
    for (size_t i = 0; i < 150 * 5; i++)
        x[i] *= 1024;
    temper_model_free(made_train(data, options, &other));
    CHECK(one.iterations == other.iterations);
    CHECK_CLOSE(other.gradient_norm, one.gradient_norm, 1e-6);
    CHECK(one.gradient_norm <= 1e-3 && one.gradient_norm > 1e-7);
    dataset_free(data);
}

TEST(a_gradient_of_nothing_at_zero_is_the_end)
{
    static const double x[] = {1, 1, 1, 1, 2, 2, 2, 2};
    static const char *const labels[] = {"a", "b", "a", "b"};
    struct dataset *data = made_points(4, x, labels);
    temper_train_options options = made_options();
    temper_train_report report = {0};
    options.scale = "none";
    options.loss.method = TEMPER_LOGISTIC;
    temper_model *model = made_train(data, options, &report);
    CHECK(report.stop == TEMPER_STOP_CONVERGED && report.iterations == 0);
    CHECK(report.gradient_norm == 0);
    if (model)
        CHECK(temper_model_weights(model, 0)[0] == 0 && temper_model_intercept(model, 0) == 0);
    temper_model_free(model);
    dataset_free(data);
}

TEST(the_limit_of_iterations_is_kept_and_comes_with_advice)
{
    for (size_t classes = 2; classes < 4; classes++)
        for (size_t limit = 0; limit < 9; limit += 2) {
            struct dataset *data = made_data(MATRIX_F32, 200, 8, classes);
            temper_train_options options = made_options();
            temper_train_report report = {0};
            options.max_iterations = limit;
            options.tolerance = 1e-5;
            options.solver = "lbfgs";
            options.loss.method = TEMPER_LOGISTIC;
            temper_model_free(made_train(data, options, &report));
            CHECKF(report.iterations == limit, "%zu, not %zu", report.iterations, limit);
            CHECK(report.stop == TEMPER_STOP_MAX_ITER);
            CHECKF(made_warned(&report.warnings, TEMPER_WARNING_NOT_CONVERGED, "--max-iter"), "%s",
                   made_first_warning(&report.warnings));
            CHECK(report.gradient_norm > 1e-5);
            dataset_free(data);
        }
}

TEST(preconditioners_of_classes_share_the_limit_of_iterations)
{
    for (size_t limit = FIRST_PRECONDITIONER_ITERATIONS;
         limit < FIRST_PRECONDITIONER_ITERATIONS + SECOND_PRECONDITIONER_ITERATIONS + 3; limit++) {
        struct dataset *data = made_data(MATRIX_F64, 400, 9, 3);
        temper_train_options options = made_options();
        temper_train_report report = {0};
        options.max_iterations = limit;
        options.tolerance = 1e-15;
        options.l2 = 1e-4;
        options.solver = "lbfgs";
        options.loss.method = TEMPER_LOGISTIC;
        temper_model_free(made_train(data, options, &report));
        CHECKF(report.iterations == limit, "%zu, not %zu", report.iterations, limit);
        CHECK(report.stop == TEMPER_STOP_MAX_ITER);
        dataset_free(data);
    }
}

TEST(a_stall_is_reported_with_advice)
{
    struct dataset *data = made_data(MATRIX_F32, 300, 8, 2);
    temper_train_options options = made_options();
    temper_train_report report = {0};
    options.tolerance = 1e-14;
    options.precision = "f32";
    temper_model_free(made_train(data, options, &report));
    CHECK(report.stop == TEMPER_STOP_STALLED);
    CHECKF(made_warned(&report.warnings, TEMPER_WARNING_NOT_CONVERGED, "--precision f64"), "%s",
           made_first_warning(&report.warnings));
    dataset_free(data);
}

TEST(an_interruption_keeps_the_best_so_far)
{
    static const temper_loss_spec losses[] = {{.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 1},
                                              {.method = TEMPER_HINGE}};
    for (size_t l = 0; l < 2; l++)
        for (size_t classes = 2; classes < 4; classes++)
            for (size_t after = 1; after < 6; after++) {
                struct dataset *data = made_data(MATRIX_F64, 120, 5, classes);
                struct made_stop stop = {.after = after};
                temper_train_options options = made_options();
                temper_train_report report = {0};
                options.loss = losses[l];
                options.solver = "lbfgs";
                options.on_progress = made_follow;
                options.progress_context = &stop;
                temper_model *model = made_train(data, options, &report);
                CHECKF(stop.calls == after && report.stop == TEMPER_STOP_INTERRUPTED, "%zu: %s", after,
                       temper_stop_name(report.stop));
                CHECK(report.iterations == after && report.gradient_norm > 0);
                if (model && l == 0) {
                    CHECK_CLOSE(report.objective, stop.last.objective, 1e-9);
                    CHECK_CLOSE(report.gradient_norm, made_gradient(made_inside(model), data), 1e-6);
                }
                temper_model_free(model);
                dataset_free(data);
            }
}

/* ---- The solver ------------------------------------------------------------------------------ */

/* Many sparse rows of few features: L-BFGS with a Gram matrix for convex losses; a loss that is not convex keeps
 * Newton's method, and so do few rows. All end at the objective of Newton's method. */
TEST(many_sparse_rows_of_few_features_take_a_gram_matrix_where_the_loss_is_convex)
{
    static const struct {
        size_t rows;
        temper_loss_spec loss;
        const char *solver;
    } cases[] = {{1600, {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1}, "lbfgs"},
                 {1600, {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1}, "newton"},
                 {300, {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1}, "newton"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct dataset *data = made_data(MATRIX_CSR, cases[c].rows, 20, 2);
        temper_train_options options = made_options();
        temper_train_report one = {0}, other = {0};
        options.loss = cases[c].loss;
        options.scale = "none";
        options.l2 = 1e-3;
        temper_model *chosen = made_train(data, options, &one);
        options.solver = "newton";
        temper_model *newton = made_train(data, options, &other);
        CHECKF(strcmp(one.solver, cases[c].solver) == 0, "case %zu: %s", c, one.solver);
        CHECK(one.stop == TEMPER_STOP_CONVERGED);
        CHECK_CLOSE(one.objective, other.objective, 1e-6);
        temper_model_free(chosen);
        temper_model_free(newton);
        dataset_free(data);
    }
}

/* The last objectives of a phase with stronger penalties, and of the one that follows it. */
struct third_start {
    double strong, last;
};

static int note_objectives(void *context, const temper_train_progress *progress)
{
    struct third_start *seen = context;
    if (strstr(progress->phase, "strong l2"))
        seen->strong = progress->objective;
    else if (strstr(progress->phase, "start 3"))
        seen->last = progress->objective;
    return 0;
}

/* Ten times the penalty of the training at the end of them: weights are smaller there, and the objective is larger. */
TEST(the_third_start_begins_with_strong_penalties)
{
    struct dataset *data = made_data(MATRIX_F64, 80, 3, 2);
    temper_train_options options = made_options();
    struct third_start seen = {NAN, NAN};
    options.starts = 3;
    options.l2 = 0.01;
    options.on_progress = note_objectives;
    options.progress_context = &seen;
    temper_model_free(made_train(data, options, NULL));
    CHECKF(seen.strong > 1.1 * seen.last && seen.last > 0, "%g, then %g", seen.strong, seen.last);
    dataset_free(data);
}

TEST_LIST(LISTED(many_sparse_rows_of_few_features_take_a_gram_matrix_where_the_loss_is_convex),
          LISTED(a_weight_of_two_is_a_row_twice_and_one_of_nothing_no_row),
          LISTED(a_feature_that_never_varies_has_no_weight), LISTED(a_constant_beside_the_intercept_stays_small),
          LISTED(rows_of_no_weight_do_not_change_the_scaling_or_the_penalty),
          LISTED(the_automatic_penalty_is_the_formula), LISTED(a_warm_start_ends_at_the_same_place_without_a_step),
          LISTED(a_start_that_all_classes_share_is_forgotten), LISTED(a_warm_start_finds_its_classes_by_name),
          LISTED(a_random_start_is_that_of_its_seed),
          LISTED(tolerance_is_relative_to_the_gradient_at_zero_and_not_to_the_units),
          LISTED(a_gradient_of_nothing_at_zero_is_the_end),
          LISTED(the_limit_of_iterations_is_kept_and_comes_with_advice),
          LISTED(preconditioners_of_classes_share_the_limit_of_iterations), LISTED(a_stall_is_reported_with_advice),
          LISTED(an_interruption_keeps_the_best_so_far), LISTED(the_third_start_begins_with_strong_penalties))
