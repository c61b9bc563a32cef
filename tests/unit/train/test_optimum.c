/* Training ends at the optimum: by the definition of the objective, for every solver, kind of data,
 * loss and scaling. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/data/dataset_fixture.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "tempered/loss_family.h"

static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
static const char *const solvers[] = {"newton", "lbfgs", "tron"};
static const char *const scales[] = {"none", "standard", "minmax", "maxabs", "log", "pixels"};

/* The gradient is as small as asked for, at weights for raw rows, and the report says the truth. */
static void check_optimum(const struct dataset *data, temper_train_options options, const char *what)
{
    temper_train_report report;
    temper_model *model = made_train(data, options, &report);
    if (!model)
        return;
    const struct model *inside = made_inside(model);
    double gradient[4096], value = made_objective(inside, 1, data, gradient);
    double norm = made_gradient(inside, data), bound = 1.1 * options.tolerance + 2e-6;
    CHECKF(report.stop == TEMPER_STOP_CONVERGED, "%s: %s", what, temper_stop_name(report.stop));
    CHECKF(norm <= bound, "%s: gradient %g, not %g", what, norm, bound);
    CHECKF(fabs(report.gradient_norm - norm) <= 0.1 * norm + 2e-6, "%s: %g is reported, not %g", what,
           report.gradient_norm, norm);
    CHECKF(fabs(report.objective - value) <= 1e-6 * value, "%s: %.12g is reported, not %.12g", what, report.objective,
           value);
    CHECKF(value < made_objective(inside, 0, data, gradient), "%s: no better than 0", what);
    CHECKF(report.accuracy > 0.6, "%s: accuracy %g", what, report.accuracy);
    CHECKF(report.train_loss <= report.objective && report.evaluations > report.iterations, "%s", what);
    temper_model_free(model);
}

static void check_solvers(enum matrix_kind kind, size_t classes)
{
    char what[100];
    struct dataset *data = made_data(kind, 160, 9, classes);
    for (size_t s = classes == 2 ? 0 : 1; s < 3; s++)
        for (int f64 = 0; f64 < 2; f64++) {
            temper_train_options options = made_options();
            options.solver = solvers[s];
            options.precision = f64 ? "f64" : "f32";
            options.tolerance = f64 ? 1e-7 : 1e-4;
            options.no_intercept = kind == MATRIX_U8;
            snprintf(what, sizeof what, "kind %d, %zu classes, %s, %s", (int)kind, classes, solvers[s],
                     options.precision);
            check_optimum(data, options, what);
        }
    dataset_free(data);
}

TEST(every_solver_ends_where_the_gradient_is_small)
{
    for (size_t k = 0; k < 4; k++)
        for (size_t classes = 2; classes < 5; classes++)
            check_solvers(kinds[k], classes);
}

TEST(every_loss_ends_where_the_gradient_is_small)
{
    static const temper_loss_spec losses[] = {
        {.method = TEMPER_LOGISTIC},
        {.method = TEMPER_T_LOGISTIC, .t2 = 1.6},
        {.method = TEMPER_GCE, .t1 = 0.4},
        {.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 1.5},
        {.method = TEMPER_TEMPERED, .t2 = 1},
        {.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 0.7},
        {.method = TEMPER_TEMPERED, .t1 = 1.2, .t2 = 1.4},
        {.method = TEMPER_BREGMAN, .t1 = 0.7, .t2 = 1.3},
        {.method = TEMPER_HINGE, .smoothing = 0.5},
        {.method = TEMPER_SCE, .alpha = 0.1, .beta = 1, .log_zero = -4},
        {.method = TEMPER_SCE, .alpha = 4, .beta = 1, .log_zero = -4},
    };
    char what[100];
    for (size_t classes = 2; classes < 4; classes++) {
        struct dataset *data = made_data(MATRIX_F32, 200, 5, classes);
        for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
            temper_train_options options = made_options();
            options.loss = losses[i];
            options.l2 = 0.01;
            if (losses[i].method == TEMPER_HINGE && classes > 2)
                continue; /* which rival is the best remains a kink */
            snprintf(what, sizeof what, "loss %zu, %zu classes", i, classes);
            check_optimum(data, options, what);
        }
        dataset_free(data);
    }
}

TEST(every_scaling_gives_weights_for_raw_rows)
{
    char what[100];
    for (size_t k = 0; k < 4; k++)
        for (size_t s = 0; s < sizeof scales / sizeof *scales; s++)
            for (size_t classes = 2; classes < 4; classes++) {
                struct dataset *data = made_data(kinds[k], 150, 6, classes);
                temper_train_options options = made_options();
                if (kinds[k] == MATRIX_CSR && strcmp(scales[s], "minmax") == 0) {
                    options.scale = "minmax";
                    made_refused(data, options, TEMPER_USAGE, "maxabs");
                } else {
                    options.scale = scales[s];
                    snprintf(what, sizeof what, "%s, kind %d, %zu classes", scales[s], (int)kinds[k], classes);
                    check_optimum(data, options, what);
                }
                dataset_free(data);
            }
}

/* A row of numbers as its scaling makes it, classified by what was trained on such rows. */
TEST(predictions_for_raw_rows_are_those_for_scaled_rows)
{
    double raw[150] = {0}, plain[150] = {0};
    for (size_t s = 1; s < sizeof scales / sizeof *scales; s++) {
        struct dataset *data = made_data(MATRIX_F64, 150, 6, 2), scaled = *data;
        temper_train_options options = made_options();
        options.l2 = 0.02;
        options.tolerance = 1e-9;
        options.scale = scales[s];
        temper_model *model = made_train(data, options, NULL);
        if (!model)
            return;
        CHECK(scale_matrix(&made_inside(model)->scale, &data->x, 1, &scaled.x, NULL) == TEMPER_OK);
        options.scale = "none";
        temper_model *other = made_train(&scaled, options, NULL);
        CHECK(temper_predict(model, made_public(data), TEMPER_PREDICT_DECISIONS, 1, raw, NULL) == TEMPER_OK);
        CHECK(other &&
              temper_predict(other, made_public(&scaled), TEMPER_PREDICT_DECISIONS, 1, plain, NULL) == TEMPER_OK);
        for (size_t i = 0; i < 150; i++)
            CHECKF(fabs(raw[i] - plain[i]) <= 1e-6 * (1 + fabs(plain[i])), "%s, row %zu: %g, %g", scales[s], i, raw[i],
                   plain[i]);
        matrix_free(&scaled.x);
        temper_model_free(model);
        temper_model_free(other);
        dataset_free(data);
    }
}

/* ---- Other ways to the same weights ---------------------------------------------------------- */

/* Plain steps down the gradient, by the definition, with momentum: slow, and sure. */
static void descend(struct model *model, const struct dataset *data, size_t steps)
{
    double gradient[64], speed[64] = {0};
    size_t plain = model->vectors * model->features;
    for (size_t i = 0; i < steps; i++) {
        made_objective(model, 1, data, gradient);
        for (size_t j = 0; j < plain + model->vectors; j++) {
            speed[j] = 0.95 * speed[j] - 0.05 * gradient[j];
            *(j < plain ? &model->weights[j] : &model->bias[j - plain]) += speed[j];
        }
    }
}

TEST(a_plain_descent_from_zero_ends_at_the_same_weights)
{
    static const temper_loss_spec losses[] = {{.method = TEMPER_LOGISTIC},
                                              {.method = TEMPER_TEMPERED, .t1 = 0.6, .t2 = 1.2}};
    for (size_t classes = 2; classes < 4; classes++)
        for (size_t l = 0; l < 2; l++) {
            struct dataset *data = made_data(MATRIX_F64, 60, 3, classes);
            temper_train_options options = made_options();
            options.loss = losses[l];
            options.l2 = 0.05;
            options.tolerance = 1e-9;
            options.scale = "none";
            temper_model *model = made_train(data, options, NULL);
            struct model *plain = NULL;
            if (!model || !CHECK(model_new(classes, 3, &plain, NULL) == TEMPER_OK))
                return;
            plain->loss = loss_resolve(losses[l]);
            plain->l2 = options.l2;
            plain->intercept = true;
            descend(plain, data, 4000);
            const struct model *trained = made_inside(model);
            for (size_t i = 0; i < plain->vectors * 3; i++)
                CHECK_NEAR(trained->weights[i], plain->weights[i], 1e-5);
            for (size_t k = 0; k < plain->vectors; k++)
                CHECK_NEAR(trained->bias[k] - trained->bias[0], plain->bias[k] - plain->bias[0], 1e-4);
            model_free(plain);
            temper_model_free(model);
            dataset_free(data);
        }
}

/* The hinge of one weight and an intercept, on a grid that closes in on its minimum. */
static double hinge_minimum(const struct dataset *data, struct model *model, bool intercept)
{
    double best = INFINITY, w = 0, b = 0, gradient[8];
    for (double step = 1; step > 1e-6; step /= 4) {
        double from_w = w, from_b = b;
        for (int i = -8; i <= 8; i++)
            for (int k = intercept ? -8 : 0; k <= (intercept ? 8 : 0); k++) {
                model->weights[0] = from_w + i * step;
                model->bias[0] = from_b + k * step;
                double value = made_objective(model, 1, data, gradient);
                if (value < best) {
                    best = value;
                    w = model->weights[0];
                    b = model->bias[0];
                }
            }
    }
    return best;
}

TEST(a_hinge_ends_at_its_kink)
{
    static const double x[] = {-2, -1.5, -1, -0.25, 0.5, 0.75, 1, 1.25, 2, 3};
    static const char *const labels[] = {"a", "a", "a", "b", "a", "b", "b", "a", "b", "b"};
    struct dataset *data = table_make(MATRIX_F64, 10, 1, x, labels);
    for (int intercept = 0; intercept < 2; intercept++)
        for (double l2 = 1e-3; l2 < 1; l2 *= 10) {
            temper_train_options options = made_options();
            temper_train_report report;
            struct model *grid = NULL;
            options.loss = (temper_loss_spec){.method = TEMPER_HINGE};
            options.l2 = l2;
            options.scale = "none";
            options.no_intercept = !intercept;
            temper_model *model = made_train(data, options, &report);
            if (!model || !CHECK(model_new(2, 1, &grid, NULL) == TEMPER_OK))
                return;
            grid->loss = options.loss;
            grid->l2 = l2;
            double least = hinge_minimum(data, grid, intercept);
            CHECKF(report.objective <= least + 1e-4 && report.objective >= least - 1e-6, "l2 %g: %.9g, not %.9g", l2,
                   report.objective, least);
            CHECK(report.stop == TEMPER_STOP_CONVERGED);
            model_free(grid);
            temper_model_free(model);
        }
    dataset_free(data);
}

TEST(a_hinge_of_many_classes_is_as_good_by_any_rounding)
{
    struct dataset *data = made_data(MATRIX_F32, 120, 4, 3);
    temper_train_options options = made_options();
    temper_train_report report, rounded;
    double gradient[64];
    options.loss = (temper_loss_spec){.method = TEMPER_HINGE};
    options.l2 = 0.01;
    options.precision = "f64";
    options.max_iterations = 150;
    temper_model *model = made_train(data, options, &report);
    options.loss.smoothing = 1e-3;
    options.tolerance = 1e-6;
    temper_model *other = made_train(data, options, &rounded);
    if (!model || !other)
        return;
    double value = made_objective(made_inside(model), 1, data, gradient);
    CHECK_CLOSE(report.objective, value, 1e-9);
    CHECKF(fabs(report.objective - rounded.objective) < 1.1e-3, "%g, %g", report.objective, rounded.objective);
    temper_model_free(model);
    temper_model_free(other);
    dataset_free(data);
}

TEST_LIST(LISTED(every_solver_ends_where_the_gradient_is_small), LISTED(every_loss_ends_where_the_gradient_is_small),
          LISTED(every_scaling_gives_weights_for_raw_rows), LISTED(predictions_for_raw_rows_are_those_for_scaled_rows),
          LISTED(a_plain_descent_from_zero_ends_at_the_same_weights), LISTED(a_hinge_ends_at_its_kink),
          LISTED(a_hinge_of_many_classes_is_as_good_by_any_rounding))
