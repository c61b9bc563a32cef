/* Training with an L1 penalty ends where the conditions of Karush, Kuhn and Tucker hold, by the definition of the
 * objective, for every loss, kind of data, scaling and solver; and no proximal gradient step finds a lower point. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/data/dataset_fixture.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "tempered/loss_family.h"

enum { MOST_NUMBERS = 4096 };

static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};

/* The weight of the scaled feature. */
static double scaled_weight(const struct model *model, size_t i)
{
    double factor = model->scale.factor ? model->scale.factor[i % model->features] : 1;
    return model->weights[i] / factor;
}

/* The norm of the minimum-norm subgradient at the model's weights times 0 or 1. */
static double subgradient_norm(const struct model *model, double times, const struct dataset *data)
{
    double g[MOST_NUMBERS], sum = 0;
    size_t plain = model->vectors * model->features;
    made_objective(model, times, data, g);
    for (size_t i = 0; i < plain + model->vectors; i++) {
        double w = i < plain ? times * scaled_weight(model, i) : 0, v = g[i];
        if (i >= plain && !model->intercept)
            v = 0;
        else if (i < plain && w != 0)
            v += w > 0 ? model->l1 : -model->l1;
        else if (i < plain)
            v = fabs(v) > model->l1 ? fabs(v) - model->l1 : 0;
        sum += v * v;
    }
    return sqrt(sum);
}

static double objective_of(const struct model *model, const struct dataset *data)
{
    double g[MOST_NUMBERS], sum = 0, smooth = made_objective(model, 1, data, g);
    for (size_t i = 0; i < model->vectors * model->features; i++)
        sum += fabs(scaled_weight(model, i));
    return smooth + model->l1 * sum;
}

static size_t count_nonzero(const struct model *model)
{
    size_t count = 0;
    for (size_t i = 0; i < model->vectors * model->features; i++)
        count += model->weights[i] != 0;
    return count;
}

/* The subgradient is as small as asked for, and the report says the truth. Returns how many weights are not 0. */
static size_t check_optimum(const struct dataset *data, temper_train_options options, const char *what)
{
    temper_train_report report;
    temper_model *model = made_train(data, options, &report);
    if (!model)
        return 0;
    const struct model *inside = made_inside(model);
    double norm = subgradient_norm(inside, 1, data), zero = subgradient_norm(inside, 0, data);
    double value = objective_of(inside, data), bound = 1.1 * options.tolerance * zero + 3e-6;
    size_t nonzero = count_nonzero(inside);
    CHECKF(report.stop == TEMPER_STOP_CONVERGED, "%s: %s", what, temper_stop_name(report.stop));
    CHECKF(norm <= bound, "%s: subgradient %g, not %g", what, norm, bound);
    CHECKF(fabs(report.gradient_norm * zero - norm) <= 0.1 * norm + 3e-6, "%s: %g is reported, not %g", what,
           report.gradient_norm, norm / zero);
    CHECKF(fabs(report.objective - value) <= 1e-6 * value, "%s: %.12g is reported, not %.12g", what, report.objective,
           value);
    CHECKF(report.nonzero == nonzero && report.nonzero_features <= nonzero, "%s: %zu and %zu", what, report.nonzero,
           nonzero);
    CHECKF(report.l1 == options.l1 && inside->l1 == options.l1 && temper_model_l1(model) == options.l1, "%s", what);
    temper_model_free(model);
    return nonzero;
}

TEST(every_kind_of_data_ends_at_the_optimum)
{
    char what[100];
    size_t zeros = 0;
    for (size_t k = 0; k < 4; k++)
        for (size_t classes = 2; classes < 5; classes++)
            for (int f64 = 0; f64 < 2; f64++) {
                struct dataset *data = made_data(kinds[k], 160, 9, classes);
                temper_train_options options = made_options();
                options.l1 = 0.03;
                options.l2 = f64 ? 0 : 0.01;
                options.precision = f64 ? "f64" : "f32";
                options.tolerance = f64 ? 1e-7 : 1e-4;
                options.no_intercept = kinds[k] == MATRIX_U8;
                snprintf(what, sizeof what, "kind %d, %zu classes, %s", (int)kinds[k], classes, options.precision);
                zeros += check_optimum(data, options, what) < 9 * (classes > 2 ? classes : 1);
                dataset_free(data);
            }
    CHECKF(zeros > 20, "%zu models have zeros", zeros);
}

TEST(every_scaling_and_weights_end_at_the_optimum)
{
    static const char *const scales[] = {"none", "standard", "maxabs", "log"};
    char what[100];
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++)
        for (size_t classes = 2; classes < 4; classes++) {
            struct dataset *data = made_data(s % 2 ? MATRIX_CSR : MATRIX_F32, 150, 6, classes);
            data->weight = malloc(150 * sizeof *data->weight);
            for (size_t row = 0; row < 150; row++)
                data->weight[row] = (double)(row % 4) * 0.7;
            temper_train_options options = made_options();
            options.scale = scales[s];
            options.l1 = 0.02;
            snprintf(what, sizeof what, "%s, %zu classes", scales[s], classes);
            check_optimum(data, options, what);
            dataset_free(data);
        }
}

static const temper_loss_spec losses[] = {
    {.method = TEMPER_LOGISTIC},
    {.method = TEMPER_T_LOGISTIC, .t2 = 1.6},
    {.method = TEMPER_GCE, .t1 = 0.4},
    {.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 1.5},
    {.method = TEMPER_TEMPERED, .t2 = 1},
    {.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 0.7},
    {.method = TEMPER_TEMPERED, .t1 = 1.2, .t2 = 1.4},
    {.method = TEMPER_BREGMAN, .t1 = 0.7, .t2 = 1.3},
    {.method = TEMPER_SCE, .alpha = 0.1, .beta = 1, .log_zero = -4},
};

/* ---- Proximal gradient, by the definition alone ------------------------------------------------------------- */

/* One step of length `size` from the weights of `model`, which are those of unscaled features. */
static void proximal_step(struct model *model, const double *w, const double *g, double size)
{
    size_t plain = model->vectors * model->features;
    for (size_t i = 0; i < plain; i++) {
        double to = w[i] - size * g[i], least = size * model->l1;
        model->weights[i] = to > least ? to - least : to < -least ? to + least : 0;
    }
    for (size_t k = 0; k < model->vectors; k++)
        model->bias[k] = w[plain + k] - size * g[plain + k];
}

/* Steps that halve until the value decreases, from the weights of `model`. The value at the end. */
static double proximal_gradient(struct model *model, const struct dataset *data, size_t steps)
{
    double w[64], g[64], size = 1, value = objective_of(model, data);
    size_t plain = model->vectors * model->features;
    for (size_t step = 0; step < steps && size > 1e-12; step++) {
        memcpy(w, model->weights, plain * sizeof *w);
        memcpy(w + plain, model->bias, model->vectors * sizeof *w);
        made_objective(model, 1, data, g);
        for (size *= 2; size > 1e-12; size *= 0.5) {
            proximal_step(model, w, g, size);
            double now = objective_of(model, data);
            if (now <= value) {
                value = now;
                break;
            }
        }
    }
    return value;
}

static void set_zero(struct model *model)
{
    memset(model->weights, 0, model->vectors * model->features * sizeof *model->weights);
    memset(model->bias, 0, model->vectors * sizeof *model->bias);
}

/* No proximal gradient step leads lower than the solution; where there is one optimum, they lead to it from 0. */
static void check_loss(const struct dataset *data, temper_loss_spec loss, const char *what)
{
    temper_train_options options = made_options();
    options.loss = loss;
    options.l1 = 0.02;
    options.scale = "none";
    options.precision = "f64";
    options.tolerance = 1e-7;
    check_optimum(data, options, what);
    temper_model *model = made_train(data, options, NULL);
    if (!model)
        return;
    struct model *inside = (struct model *)made_inside(model);
    double value = objective_of(inside, data), lower = proximal_gradient(inside, data, 30);
    CHECKF(lower >= value * (1 - 1e-9), "%s: %.12g, and %.12g after it", what, value, lower);
    if (loss_has_convex_settings(inside->loss)) {
        set_zero(inside);
        double other = proximal_gradient(inside, data, 1500);
        CHECKF(fabs(other - value) <= 1e-6 * value, "%s: %.12g, and %.12g from 0", what, value, other);
    }
    temper_model_free(model);
}

TEST(every_loss_ends_at_the_optimum)
{
    char what[100];
    for (size_t classes = 2; classes < 4; classes++) {
        struct dataset *data = made_data(MATRIX_F64, 60, 4, classes);
        for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
            snprintf(what, sizeof what, "loss %zu, %zu classes", i, classes);
            check_loss(data, losses[i], what);
        }
        dataset_free(data);
    }
}

/* ---- Special data ----------------------------------------------------------------------------------------------- */

TEST(more_features_than_rows)
{
    for (size_t k = 0; k < 4; k += 3)
        for (size_t classes = 2; classes < 4; classes++) {
            struct dataset *data = made_data(kinds[k], 40, 600, classes);
            temper_train_options options = made_options();
            options.l1 = 0.05;
            options.loss.t1 = 1;
            size_t nonzero = check_optimum(data, options, "600 features");
            CHECKF(nonzero > 0 && nonzero < 80 * classes, "%zu weights", nonzero);
            dataset_free(data);
        }
}

TEST(constant_columns_have_no_weight)
{
    struct dataset *data = made_data(MATRIX_F64, 100, 5, 2);
    double *x = data->x.owned[0];
    for (size_t row = 0; row < 100; row++) {
        x[row * 5 + 1] = 0;
        x[row * 5 + 3] = 7;
    }
    temper_train_options options = made_options();
    options.l1 = 0.001;
    check_optimum(data, options, "constant columns");
    temper_model *model = made_train(data, options, NULL);
    CHECK(temper_model_weights(model, 0)[1] == 0 && temper_model_weights(model, 0)[3] == 0);
    CHECK(temper_model_weights(model, 0)[0] != 0);
    temper_model_free(model);
    dataset_free(data);
}

/* From the smallest such penalty on every weight is 0, which is a model, and the note names that penalty. */
TEST(a_large_penalty_leaves_the_intercepts)
{
    for (size_t classes = 2; classes < 4; classes++)
        for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
            struct dataset *data = made_data(MATRIX_F32, 100, 5, classes);
            temper_train_options options = made_options();
            temper_train_report report;
            options.loss = losses[i];
            options.l1 = 50;
            temper_model *model = made_train(data, options, &report);
            if (!CHECK(model != NULL))
                continue;
            CHECKF(report.stop == TEMPER_STOP_CONVERGED && report.nonzero == 0, "loss %zu: %s, %zu", i,
                   temper_stop_name(report.stop), report.nonzero);
            CHECK(made_warned(&report.warnings, TEMPER_WARNING_NO_FEATURES, "lower --l1"));
            CHECK(report.warnings.count == 1);
            temper_model_free(model);
            dataset_free(data);
        }
}

TEST(penalties_that_cannot_be_are_refused)
{
    struct dataset *data = made_data(MATRIX_F32, 50, 3, 2);
    temper_train_options options = made_options();
    options.l1 = -1;
    made_refused(data, options, TEMPER_USAGE, "l1 must be a number >= 0");
    options.l1 = NAN;
    made_refused(data, options, TEMPER_USAGE, "l1 must be a number >= 0");
    options.l1 = INFINITY;
    made_refused(data, options, TEMPER_USAGE, "l1 must be a number >= 0");
    options.l1 = 0.1;
    options.solver = "newton";
    made_refused(data, options, TEMPER_USAGE, "without an L1 penalty");
    options.solver = NULL;
    options.loss.method = TEMPER_HINGE;
    made_refused(data, options, TEMPER_USAGE, "hinge is not trained with an L1 penalty");
    options = made_options();
    options.solver = "owlqn";
    made_refused(data, options, TEMPER_USAGE, "with an L1 penalty");
    dataset_free(data);
    data = made_data(MATRIX_F32, 50, 3, 3);
    options.solver = "proximal";
    options.l1 = 0.1;
    made_refused(data, options, TEMPER_USAGE, "two classes");
    dataset_free(data);
}

/* Both solvers, three starts, a warm start and a saved model lead to the same optimum. */
TEST(starts_and_solvers_agree)
{
    struct dataset *data = made_data(MATRIX_F64, 200, 8, 2);
    temper_train_options options = made_options();
    temper_train_report first, other;
    options.loss.method = TEMPER_LOGISTIC;
    options.l1 = 0.05;
    options.tolerance = 1e-6;
    temper_model *model = made_train(data, options, &first);
    CHECK(strcmp(first.solver, "proximal") == 0 && first.nonzero < 8 && first.nonzero > 0 && first.l2 == 0);
    temper_train_options variant = options;
    variant.solver = "owlqn";
    temper_model_free(made_train(data, variant, &other));
    CHECK_CLOSE(other.objective, first.objective, 1e-7);
    CHECK(strcmp(other.solver, "owlqn") == 0 && other.nonzero == first.nonzero);
    variant = options;
    variant.starts = 3;
    temper_model_free(made_train(data, variant, &other));
    CHECK_CLOSE(other.objective, first.objective, 1e-7);
    variant = options;
    variant.warm_start = model;
    temper_model_free(made_train(data, variant, &other));
    CHECK(other.iterations <= 1 && other.nonzero == first.nonzero);
    temper_text text;
    temper_model *again = NULL;
    temper_error error;
    CHECK(temper_model_to_text(model, &text, &error) == TEMPER_OK && strstr(text.bytes, "\"l1\": 0.05,\n"));
    CHECK(temper_model_from_text(text.bytes, text.length, &again, &error) == TEMPER_OK);
    CHECK(temper_model_l1(again) == 0.05);
    CHECK(made_same_bytes(model, again));
    temper_text_free(&text);
    temper_model_free(again);
    temper_model_free(model);
    dataset_free(data);
}

TEST_LIST(LISTED(every_kind_of_data_ends_at_the_optimum), LISTED(every_scaling_and_weights_end_at_the_optimum),
          LISTED(every_loss_ends_at_the_optimum), LISTED(more_features_than_rows),
          LISTED(constant_columns_have_no_weight), LISTED(a_large_penalty_leaves_the_intercepts),
          LISTED(penalties_that_cannot_be_are_refused), LISTED(starts_and_solvers_agree))
