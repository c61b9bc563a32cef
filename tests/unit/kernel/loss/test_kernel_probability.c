/* Predictions by each kernel against the formulas row by row, and the same bits for a row wherever it is.
 *
 * The bounds are those of probability.h: 1e-12 of a probability, and 1e-14 more with a matrix; for t2 < 1 1e-11 of it
 * and 1e-14; 1e-6 of it where floats are computed as such. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "fixtures/kernel_under_test.h"
#include "kernel/loss/probability.h"
#include "model/model.h"
#include "predict/predict.h"

enum { ROWS = 333, FEATURES = 21, WIDEST = 40, MOST_NUMBERS = ROWS * WIDEST };

struct setting {
    size_t classes;
    double t1, t2, order, floor, spread; /* of the weights */
    bool matrix;
};

/* A model of that shape with random weights, and a calibration if an order is given. */
static struct model *model_of_setting(const struct setting *s)
{
    struct model *model = NULL;
    struct random random = {.seed = 3, .stream = (uint32_t)s->classes};
    size_t cells = s->classes * (s->classes + 1);
    temper_error error;
    if (!CHECK(model_new(s->classes, FEATURES, &model, &error) == TEMPER_OK))
        return NULL;
    for (size_t c = 0; c < s->classes; c++) {
        char name[24];
        int length = snprintf(name, sizeof name, "%zu", c);
        CHECK(classes_add(&model->classes, name, (size_t)length) == c);
    }
    model->loss = (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = s->t1, .t2 = s->t2};
    for (size_t i = 0; i < model->vectors * FEATURES; i++)
        model->weights[i] = 0.4 * s->spread * random_normal(random, i);
    for (size_t k = 0; k < model->vectors; k++)
        model->bias[k] = 0.1 * s->spread * random_normal(random, 1000000 + k);
    model->calibration = (struct calibration){.order = s->order, .floor = s->floor, .matrix_floor = s->floor / 2};
    model->calibration.matrix = s->matrix ? mem_alloc(cells, sizeof(double)) : NULL;
    for (size_t i = 0; s->matrix && i < cells; i++)
        model->calibration.matrix[i] = 0.3 * random_normal(random, 2000000 + i);
    return model;
}

/* Rows of 0 give equal scores, others very different ones. */
static void fill_rows(double *x)
{
    struct random random = {.seed = 4};
    static const double scale[] = {1, 0, 3, 0.01, 30, 1, 300, 1e-6, 1e5};
    for (size_t i = 0; i < (size_t)ROWS * FEATURES; i++)
        x[i] = scale[i / FEATURES % (sizeof scale / sizeof *scale)] * random_normal(random, i);
}

static struct matrix rows_from(const double *x, size_t from, size_t count)
{
    return (struct matrix){.kind = MATRIX_F64,
                           .rows = count,
                           .columns = FEATURES,
                           .nonzeros = count * FEATURES,
                           .dense = x + from * FEATURES};
}

static bool run(const struct model *model, struct matrix x, temper_prediction output, double *out)
{
    temper_error error;
    temper_status status = predict(model, &x, output, 1, (struct prediction_target){.f64 = out}, &error);
    return CHECKF(status == TEMPER_OK, "%s", error.message);
}

static const struct setting settings[] = {
    {2, 1, 1, 0, 0, 1, false},          {2, 1, 1, 0.7, 0.02, 1, false},    {2, 1, 1, 1.3, 0.01, 1, true},
    {2, 0.3, 1, 0, 0, 3, false},        {2, 0.8, 1.2, 0.9, 0.05, 1, true}, {2, 0.1, 1.12, 0, 0, 2, false},
    {2, 0.5, 4, 0.4, 0.01, 1, false},   {2, 0.5, 1.0001, 2, 0, 1, true},   {3, 1, 1, 0, 0, 1, false},
    {3, 0.1, 1.6, 0.3, 0.01, 2, true},  {10, 1, 1, 1.1, 0.03, 1, true},    {10, 0.5, 1.3, 0.8, 0.02, 1, true},
    {10, 0.9, 2.5, 0, 0, 1, false},     {33, 1, 1, 0, 0, 1, false},        {40, 0.7, 1.1, 1, 0.01, 0.5, true},
    {3, 0.3, 0.5, 0.6, 0.01, 1, true},  {2, 0.5, 0.7, 0, 0, 1, false},     {2, 0.1, 0.4, 0, 0, 2, false},
    {2, 0.4, 0, 0.4, 0.01, 1, true},    {10, 0.6, 0.8, 0, 0, 0.3, false},  {10, 0.2, 0.6, 0.5, 0.01, 1, true},
    {40, 0.7, 0.999, 1, 0.01, 1, true}, {40, 0.1, 0.3, 0, 0, 0.1, false},  {10, 0.5, 8, 0.5, 0.02, 1, true},
    {3, 0.5, 20, 0, 0, 1, false},       {40, 0.5, 20, 0, 0.01, 1, false},  {40, 0.9, 30, 1, 0.01, 1, false},
    {10, 1, 1, 1.1, 0.03, 1, false},    {32, 1, 1, 0, 0, 0.5, false},      {7, 0.3, 1, 0, 0, 3, false},
    {4, 1, 1, 0.7, 0, 1, false},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* The largest error of a row in units of the bound. */
static double error_of_row(const struct setting *s, const double *p, const double *expected)
{
    double worst = 0;
    for (size_t c = 0; c < s->classes; c++) {
        double relative = s->t2 < 1 ? 1e-11 : 1e-12, absolute = s->t2 < 1 || s->matrix ? 1e-14 : 0;
        double bound = relative * expected[c] + absolute + 1e-300;
        worst = fmax(worst, fabs(p[c] - expected[c]) / bound);
    }
    return worst;
}

static void compare(const struct setting *s, const struct model *model, const double *x, bool calibrated)
{
    static double p[MOST_NUMBERS], a[MOST_NUMBERS];
    double expected[WIDEST];
    if (!run(model, rows_from(x, 0, ROWS), TEMPER_PREDICT_DECISIONS, a) ||
        !run(model, rows_from(x, 0, ROWS), calibrated ? TEMPER_PREDICT_PROBABILITIES : TEMPER_PREDICT_RAW_PROBABILITIES,
             p))
        return;
    for (size_t i = 0; i < ROWS; i++) {
        predicted_probabilities(model, a + i * model->vectors, calibrated, expected);
        double worst = error_of_row(s, p + i * s->classes, expected);
        CHECKF(worst <= 1, "C = %zu, (%g, %g), order %g, row %zu: %g of the bound", s->classes, s->t1, s->t2, s->order,
               i, worst);
    }
}

TEST(agrees_with_the_formulas)
{
    KERNEL_OR_SKIP;
    static double x[ROWS * FEATURES];
    (void)kernel;
    fill_rows(x);
    for (size_t i = 0; i < SETTINGS; i++) {
        struct model *model = model_of_setting(&settings[i]);
        if (!model)
            continue;
        compare(&settings[i], model, x, true);
        compare(&(struct setting){.classes = settings[i].classes, .t1 = settings[i].t1, .t2 = settings[i].t2}, model, x,
                false);
        model_free(model);
    }
}

/* A row alone, and in blocks that begin at another row, against the same row among all. */
static void compare_places(const struct setting *s, const struct model *model, const double *x)
{
    static double all[MOST_NUMBERS], some[MOST_NUMBERS];
    static const size_t counts[] = {1, 2, 7, 31, 64, 200};
    if (!run(model, rows_from(x, 0, ROWS), TEMPER_PREDICT_PROBABILITIES, all))
        return;
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
        for (size_t from = 0; from + counts[n] <= ROWS; from += 13 + counts[n] / 2) {
            if (!run(model, rows_from(x, from, counts[n]), TEMPER_PREDICT_PROBABILITIES, some))
                return;
            CHECKF(memcmp(some, all + from * s->classes, counts[n] * s->classes * sizeof *some) == 0,
                   "C = %zu, (%g, %g): %zu rows from %zu", s->classes, s->t1, s->t2, counts[n], from);
        }
}

TEST(a_row_has_the_same_bits_anywhere)
{
    KERNEL_OR_SKIP;
    static double x[ROWS * FEATURES];
    (void)kernel;
    fill_rows(x);
    for (size_t i = 0; i < SETTINGS; i++) {
        struct model *model = model_of_setting(&settings[i]);
        if (model)
            compare_places(&settings[i], model, x);
        model_free(model);
    }
}

/* Predictions of some rows in floats. */
static bool run_floats(const struct model *model, struct matrix x, float *out)
{
    temper_error error;
    const struct prediction_target target = {.f32 = out};
    return CHECK(predict(model, &x, TEMPER_PREDICT_PROBABILITIES, 2, target, &error) == TEMPER_OK);
}

/* Floats beside doubles: within the bound where they are computed as floats, else rounded; and the same bits for a row
 * in blocks that begin at another row. */
static void compare_floats(const struct setting *s, const struct kernel *kernel, const struct model *model,
                           const double *x)
{
    static double p[MOST_NUMBERS];
    static float all[MOST_NUMBERS], some[MOST_NUMBERS];
    const struct probability_map map = {.classes = s->classes, .t2 = s->t2, .matrix = model->calibration.matrix};
    const bool floats =
        kernel->probabilities && probability_in_floats(&(struct probability_rows){.map = &map, .out_f32 = all});
    if (!run(model, rows_from(x, 0, ROWS), TEMPER_PREDICT_PROBABILITIES, p) ||
        !run_floats(model, rows_from(x, 0, ROWS), all))
        return;
    for (size_t i = 0; i < ROWS * s->classes; i++) {
        const double error = fabs((double)all[i] - (floats ? p[i] : (double)(float)p[i]));
        CHECKF(error <= (floats ? 1e-6 * p[i] + 2e-38 : 0), "C = %zu, (%g, %g), number %zu: %.9g and %.17g", s->classes,
               s->t1, s->t2, i, (double)all[i], p[i]);
    }
    for (size_t from = 0, count = 1; from + count <= ROWS; from += 11, count = count * 3 % 101) {
        if (!run_floats(model, rows_from(x, from, count), some))
            return;
        CHECKF(memcmp(some, all + from * s->classes, count * s->classes * sizeof *some) == 0,
               "C = %zu, (%g, %g): %zu rows from %zu", s->classes, s->t1, s->t2, count, from);
    }
}

/* With features of a mean far from 0 too, which scores in floats would not bear. */
TEST(floats_have_the_precision_of_floats)
{
    KERNEL_OR_SKIP;
    static double x[ROWS * FEATURES], shifted[ROWS * FEATURES];
    fill_rows(x);
    for (size_t i = 0; i < (size_t)ROWS * FEATURES; i++)
        shifted[i] = x[i] + 2000;
    for (size_t i = 0; i < SETTINGS; i++) {
        struct model *model = model_of_setting(&settings[i]);
        if (model) {
            compare_floats(&settings[i], kernel, model, x);
            compare_floats(&settings[i], kernel, model, shifted);
        }
        model_free(model);
    }
}

TEST(values_that_are_not_finite_are_refused)
{
    KERNEL_OR_SKIP;
    static double x[ROWS * FEATURES], p[MOST_NUMBERS];
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    temper_error error;
    (void)kernel;
    fill_rows(x);
    for (size_t i = 0; i < 6; i++) {
        struct model *model = model_of_setting(&settings[i < 3 ? 0 : 10]);
        struct matrix rows = rows_from(x, 0, ROWS);
        double kept = x[500];
        x[500] = bad[i % 3];
        if (model)
            CHECK(predict(model, &rows, TEMPER_PREDICT_PROBABILITIES, 2, (struct prediction_target){.f64 = p},
                          &error) == TEMPER_BAD_DATA);
        x[500] = kept;
        model_free(model);
    }
}

TEST_LIST(LISTED(agrees_with_the_formulas), LISTED(a_row_has_the_same_bits_anywhere),
          LISTED(floats_have_the_precision_of_floats), LISTED(values_that_are_not_finite_are_refused))
