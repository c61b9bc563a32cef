/* Fewer rows than features: a training in the space of the rows ends at the minimum that one of all features finds, and
 * what it reports is true of the weights that it returns. The route of all features is that of initial weights that the
 * user has chosen, here normal numbers of deviation 0. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper_extra.h"
#include "train/row_space.h"

enum { ROWS = 128, COLUMNS = 520 };

/* Normal features with a common part; row 1 equals row 0, row 3 nearly equals row 2, and row 4 is 0 but for a little.
 * Labels follow the first features. */
static struct dataset *wide_data(enum matrix_kind kind, size_t classes)
{
    static const char *const names[] = {"a", "b", "c"};
    const char *label[ROWS];
    double *x = calloc((size_t)ROWS * COLUMNS, sizeof *x);
    struct draw draw = draw_from(31);
    for (size_t i = 0; i < ROWS; i++) {
        double *row = x + i * COLUMNS, shared;
        draw_normals(&draw, row, COLUMNS, 1);
        draw_normals(&draw, &shared, 1, 2);
        for (size_t j = 0; j < COLUMNS; j++)
            row[j] = kind == MATRIX_U8 ? floor(fabs(20 * (row[j] + shared))) : row[j] + shared;
        label[i] = names[(row[0] + row[1] > 0) + (classes > 2 && row[2] + row[3] > 0)];
    }
    memcpy(x + COLUMNS, x, COLUMNS * sizeof *x);
    memcpy(x + 3 * COLUMNS, x + 2 * COLUMNS, COLUMNS * sizeof *x);
    if (kind != MATRIX_U8)
        x[3 * COLUMNS + 5] += 1e-6;
    memset(x + 4 * COLUMNS, 0, (COLUMNS - 1) * sizeof *x);
    label[0] = "a";
    label[1] = "b"; /* equal rows of different classes */
    struct dataset *data = table_make(kind, ROWS, COLUMNS, x, label);
    free(x);
    return data;
}

static temper_train_options wide_options(void)
{
    temper_train_options options = made_options();
    options.loss = (temper_loss_spec){.method = TEMPER_LOGISTIC};
    options.precision = "f64";
    options.tolerance = 1e-9;
    return options;
}

/* Trains by both routes, and compares. */
static void check_routes(const struct dataset *data, temper_train_options options, const char *what)
{
    temper_train_report inner, outer;
    temper_model *by_rows = made_train(data, options, &inner);
    options.init = "normal:0";
    temper_model *by_features = made_train(data, options, &outer);
    if (!by_rows || !by_features)
        return;
    double gradient[3 * COLUMNS + 3], apart = 0, size = 0;
    const struct model *inside = made_inside(by_rows), *other = made_inside(by_features);
    const double value = made_objective(inside, 1, data, gradient), norm = made_gradient(inside, data);
    CHECKF(inner.stop == TEMPER_STOP_CONVERGED, "%s: %s", what, temper_stop_name(inner.stop));
    CHECKF(fabs(inner.objective - outer.objective) <= 1e-10 * outer.objective, "%s: %.15g, not %.15g", what,
           inner.objective, outer.objective);
    CHECKF(fabs(inner.objective - value) <= 1e-10 * value, "%s: %.15g is reported, not %.15g", what, inner.objective,
           value);
    CHECKF(norm <= 1.1 * options.tolerance && fabs(inner.gradient_norm - norm) <= 0.1 * norm + 1e-12,
           "%s: gradient %g, %g is reported", what, norm, inner.gradient_norm);
    for (size_t i = 0; i < inside->features * inside->vectors; i++) {
        apart = fmax(apart, fabs(inside->weights[i] - other->weights[i]));
        size = fmax(size, fabs(other->weights[i]));
    }
    CHECKF(apart <= 1e-5 * size, "%s: weights differ by %g of %g", what, apart, size);
    CHECK(inner.nonzero == outer.nonzero && inner.nonzero_features == outer.nonzero_features);
    temper_model_free(by_rows);
    temper_model_free(by_features);
}

TEST(both_routes_end_at_the_same_minimum)
{
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8};
    static const char *const scales[] = {"standard", "none", "minmax"};
    for (size_t classes = 2; classes < 4; classes++)
        for (size_t k = 0; k < 3; k += test_step(2)) {
            struct dataset *data = wide_data(kinds[k], classes);
            temper_train_options options = wide_options();
            options.scale = scales[k];
            check_routes(data, options, "intercept");
            options.no_intercept = true;
            check_routes(data, options, "no intercept");
            options.l2 = 1e-4;
            options.solver = "lbfgs";
            check_routes(data, options, "weak penalty");
            dataset_free(data);
        }
}

TEST(weights_of_rows_count)
{
    double weight[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        weight[i] = (double)(i % 4) / 2; /* some are 0 */
    for (size_t classes = 2; classes < 4; classes++) {
        struct dataset *data = wide_data(MATRIX_F64, classes);
        table_weigh(data, weight);
        check_routes(data, wide_options(), "weights");
        dataset_free(data);
    }
}

/* A tempered loss keeps its path, and with it its optimum; and the other starts. */
TEST(tempered_losses_take_the_same_path)
{
    struct dataset *data = wide_data(MATRIX_F64, 2);
    temper_train_options options = wide_options();
    options.loss = (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 1.2};
    check_routes(data, options, "tempered");
    options.starts = 3;
    check_routes(data, options, "three starts");
    dataset_free(data);
}

/* Newton's method is the choice for as many features as rows, L-BFGS for all. */
TEST(the_route_follows_from_shape_and_start)
{
    struct dataset *data = wide_data(MATRIX_F64, 2);
    temper_train_options options = wide_options();
    temper_train_report report;
    temper_model *model = made_train(data, options, &report);
    CHECK(strcmp(report.solver, "newton") == 0);
    options.init = "normal:0.5";
    temper_model *far = made_train(data, options, &report);
    CHECK(strcmp(report.solver, "lbfgs") == 0);
    const double least = report.objective;
    options.init = NULL;
    options.warm_start = far; /* not a combination of the rows before the training that it ends */
    temper_model *warm = made_train(data, options, &report);
    CHECK(strcmp(report.solver, "lbfgs") == 0);
    CHECK_CLOSE(report.objective, least, 1e-10);
    CHECK(row_space_exists(data));
    temper_model_free(model);
    temper_model_free(far);
    temper_model_free(warm);
    dataset_free(data);
    data = made_data(MATRIX_CSR, ROWS, COLUMNS, 2);
    CHECK(!row_space_exists(data));
    dataset_free(data);
}

TEST(any_number_of_threads_trains_the_same_bits)
{
    struct dataset *data = wide_data(MATRIX_F32, 2);
    temper_train_options options = wide_options();
    options.precision = "auto";
    options.tolerance = 1e-4;
    check_same_on_threads(data, options);
    dataset_free(data);
}

/* Rows without any feature have no such space, and train as before. */
TEST(rows_of_zeros_are_trained_by_features)
{
    double *zeros = calloc((size_t)ROWS * COLUMNS, sizeof *zeros);
    const char *label[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        label[i] = i % 3 ? "a" : "b";
    struct dataset *data = table_make(MATRIX_F64, ROWS, COLUMNS, zeros, label);
    temper_train_options options = wide_options();
    temper_train_report report;
    options.scale = "none";
    options.l2 = 0.01;
    temper_model *model = made_train(data, options, &report);
    CHECK(report.nonzero == 0);
    temper_model_free(model);
    dataset_free(data);
    free(zeros);
}

/* A model of the weights so far, from a callback. */
static int take_model(void *context, const temper_train_progress *progress)
{
    temper_model **model = context;
    if (progress->iteration == 2 && !*model)
        CHECK(temper_train_progress_model(progress, model, NULL) == TEMPER_OK);
    return 0;
}

TEST(models_on_the_way_are_for_all_features)
{
    struct dataset *data = wide_data(MATRIX_F64, 2);
    temper_train_options options = wide_options();
    temper_model *early = NULL;
    options.on_progress = take_model;
    options.progress_context = &early;
    temper_model *model = made_train(data, options, NULL);
    double gradient[COLUMNS + 1];
    CHECK(early && made_inside(early)->features == COLUMNS);
    const double value = made_objective(made_inside(early), 1, data, gradient);
    CHECK(value < made_objective(made_inside(early), 0, data, gradient));
    CHECK(value > made_objective(made_inside(model), 1, data, gradient));
    temper_model_free(early);
    temper_model_free(model);
    dataset_free(data);
}

TEST(every_allocation_may_fail)
{
    struct dataset *data = wide_data(MATRIX_F64, 2);
    temper_train_options options = wide_options();
    options.tolerance = 0.1;
    check_train_without_memory(data, options, test_step(11));
    dataset_free(data);
}

TEST_LIST(LISTED(both_routes_end_at_the_same_minimum), LISTED(weights_of_rows_count),
          LISTED(tempered_losses_take_the_same_path), LISTED(the_route_follows_from_shape_and_start),
          LISTED(any_number_of_threads_trains_the_same_bits), LISTED(rows_of_zeros_are_trained_by_features),
          LISTED(models_on_the_way_are_for_all_features), LISTED(every_allocation_may_fail))
