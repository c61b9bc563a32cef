/* Predictions and evaluations against numbers worked out by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/data/dataset_fixture.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "tempered/log_partition.h"

/* A model of one feature for each vector, a_k = x_k; two classes: a = x. */
static struct model *identity(size_t classes, temper_loss_spec loss)
{
    struct model *model = NULL;
    char name[8];
    size_t vectors = classes == 2 ? 1 : classes;
    if (!CHECK(model_new(classes, vectors, &model, NULL) == TEMPER_OK))
        return NULL;
    model->loss = loss;
    for (size_t k = 0; k < vectors; k++)
        model->weights[k * vectors + k] = 1;
    for (size_t c = 0; c < classes; c++) {
        snprintf(name, sizeof name, "c%zu", c);
        classes_add(&model->classes, name, 2);
    }
    return model;
}

static const temper_model *outside(const struct model *model)
{
    return (const temper_model *)model;
}

static bool predict(const struct model *model, const struct dataset *data, temper_prediction output, double *out)
{
    temper_error error = {0};
    return CHECKF(temper_predict(outside(model), made_public(data), output, 1, out, &error) == TEMPER_OK, "%s",
                  error.message);
}

/* ---- Predictions ----------------------------------------------------------------------------- */

static const double activations[] = {0, 0, 0, 1, 2, 0.5, -3, 0, 9, 4, -2, 4, 1e3, 0, -1e3};
enum { ROWS = 5 };

TEST(probabilities_are_escorts_and_sum_to_one)
{
    static const temper_loss_spec losses[] = {{.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1},
                                              {.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 1.7},
                                              {.method = TEMPER_TEMPERED, .t1 = 0.4, .t2 = 0.6},
                                              {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
                                              {.method = TEMPER_BREGMAN, .t1 = 0.7, .t2 = 1.4}};
    for (size_t l = 0; l < 5; l++)
        for (size_t classes = 2; classes < 4; classes++) {
            struct model *model = identity(classes, losses[l]);
            struct dataset *data = table_make(MATRIX_F64, ROWS, classes == 2 ? 1 : 3, activations, NULL);
            double raw[ROWS * 3], p[ROWS * 3];
            double order = losses[l].method == TEMPER_BREGMAN ? 1 : losses[l].t1;
            CHECK(temper_prediction_width(outside(model), TEMPER_PREDICT_PROBABILITIES) == classes);
            if (!predict(model, data, TEMPER_PREDICT_RAW_PROBABILITIES, raw) ||
                !predict(model, data, TEMPER_PREDICT_PROBABILITIES, p))
                return;
            for (size_t row = 0; row < ROWS; row++) {
                double sum = 0, raw_sum = 0, powers = 0;
                for (size_t c = 0; c < classes; c++) {
                    sum += p[row * classes + c];
                    raw_sum += raw[row * classes + c];
                    powers += pow(raw[row * classes + c], order);
                }
                CHECK_NEAR(sum, 1, 1e-14);
                CHECK_NEAR(raw_sum, 1, 1e-14);
                for (size_t c = 0; c < classes; c++)
                    CHECK_NEAR(p[row * classes + c], pow(raw[row * classes + c], order) / powers, 1e-12);
            }
            model_free(model);
            dataset_free(data);
        }
}

/* Rows near the largest double, whose activations overflow, or cancel in part; the last one is an ordinary row. */
static const double far_rows[] = {1.7e308, 1.7e308, 1e308, 1e308, -1.7e308, 1.7e308, 1e308, -1e308, 1e307, 0, 1, 2};
static const double far_weights[] = {9, -9, -5, 20, 30, 2, 31, -29}; /* two for each of four classes */
static const size_t far_classes[] = {2, 2, 1, 3, 3, 1};
enum { FAR_ROWS = 6, FAR_CLASSES = 4 };

/* The same rows as CSR, in doubles. */
static struct matrix far_sparse(void)
{
    static const uint64_t row_start[] = {0, 2, 4, 6, 8, 10, 12};
    static const uint32_t column[] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    return (struct matrix){.kind = MATRIX_CSR,
                           .rows = FAR_ROWS,
                           .columns = 2,
                           .nonzeros = 12,
                           .row_start = row_start,
                           .column = column,
                           .value64 = far_rows};
}

static void check_far(const struct model *model, const struct dataset *data)
{
    double p[FAR_ROWS * FAR_CLASSES], a[FAR_ROWS * FAR_CLASSES], label[FAR_ROWS];
    if (!predict(model, data, TEMPER_PREDICT_PROBABILITIES, p) || !predict(model, data, TEMPER_PREDICT_DECISIONS, a) ||
        !predict(model, data, TEMPER_PREDICT_LABELS, label))
        return;
    for (size_t row = 0; row < FAR_ROWS; row++) {
        double sum = 0;
        for (size_t k = 0; k < FAR_CLASSES; k++) {
            sum += p[row * FAR_CLASSES + k];
            CHECKF(isfinite(a[row * FAR_CLASSES + k]), "row %zu: %g", row, a[row * FAR_CLASSES + k]);
        }
        CHECK_NEAR(sum, 1, 1e-12);
        CHECKF(label[row] == (double)far_classes[row], "row %zu: %g", row, label[row]);
        if (row + 1 < FAR_ROWS)
            CHECK_NEAR(p[row * FAR_CLASSES + far_classes[row]], 1, 1e-12);
        else
            CHECK_NEAR(a[row * FAR_CLASSES + 1], 35, 1e-12);
    }
}

TEST(activations_beyond_doubles_have_probabilities)
{
    static const double t2[] = {1, 1.5, 0.7};
    for (size_t i = 0; i < 3; i++) {
        struct model *model = NULL;
        struct dataset *data = table_make(MATRIX_F64, FAR_ROWS, 2, far_rows, NULL), sparse = {.x = far_sparse()};
        if (!CHECK(model_new(FAR_CLASSES, 2, &model, NULL) == TEMPER_OK))
            return;
        for (size_t c = 0; c < FAR_CLASSES; c++)
            classes_add(&model->classes, &"abcd"[c], 1);
        model->loss = (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = t2[i]};
        memcpy(model->weights, far_weights, sizeof far_weights);
        check_far(model, data);
        check_far(model, &sparse);
        model_free(model);
        dataset_free(data);
    }
}

TEST(raw_probabilities_are_those_of_the_paper)
{
    struct model *two = identity(2, (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1});
    struct model *three = identity(3, (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 2});
    struct dataset *data = table_make(MATRIX_F64, ROWS, 1, activations, NULL);
    struct dataset *wide = table_make(MATRIX_F64, ROWS, 3, activations, NULL);
    double p[ROWS * 3];
    if (predict(two, data, TEMPER_PREDICT_RAW_PROBABILITIES, p)) /* rows 0 0 0 1 2 */
        for (size_t row = 0; row < ROWS; row++) {
            CHECK_CLOSE(p[2 * row + 1], 1 / (1 + exp(-activations[row])), 1e-13);
            CHECK_CLOSE(p[2 * row], 1 / (1 + exp(activations[row])), 1e-13);
        }
    if (predict(three, wide, TEMPER_PREDICT_RAW_PROBABILITIES, p)) {
        for (size_t c = 0; c < 3; c++)
            CHECK_CLOSE(p[c], 1.0 / 3, 1e-13);
        double g = activations[3] + 1 / p[3] - 1; /* exp_2(a - G) = 1 / (1 - a + G) */
        for (size_t c = 1; c < 3; c++)
            CHECK_CLOSE(p[3 + c], 1 / (1 - activations[3 + c] + g), 1e-12);
    }
    model_free(two);
    model_free(three);
    dataset_free(data);
    dataset_free(wide);
}

TEST(labels_and_decisions_are_by_the_largest_activation)
{
    const temper_loss_spec loss = {.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 1.3};
    struct model *two = identity(2, loss), *three = identity(3, loss);
    static const double x[] = {-1, 0, 1e-300, 5};
    static const double wide[] = {1, 2, 2, 5, 5, 0, -1, -2, -0.5, 0, 0, 0};
    static const double classes[] = {1, 0, 2, 0};
    struct dataset *data = table_make(MATRIX_F64, 4, 1, x, NULL);
    struct dataset *many = table_make(MATRIX_F64, 4, 3, wide, NULL);
    double out[12];
    if (predict(two, data, TEMPER_PREDICT_LABELS, out))
        CHECK(out[0] == 0 && out[1] == 0 && out[2] == 1 && out[3] == 1);
    if (predict(two, data, TEMPER_PREDICT_DECISIONS, out))
        CHECK(table_same_bits(out, x, 4));
    if (predict(three, many, TEMPER_PREDICT_LABELS, out))
        CHECK(table_same_bits(out, classes, 4)); /* the first of equal ones */
    if (predict(three, many, TEMPER_PREDICT_DECISIONS, out))
        CHECK(table_same_bits(out, wide, 12));
    CHECK(temper_prediction_width(outside(two), TEMPER_PREDICT_DECISIONS) == 1);
    CHECK(temper_prediction_width(outside(three), TEMPER_PREDICT_DECISIONS) == 3);
    CHECK(temper_prediction_width(outside(three), TEMPER_PREDICT_LABELS) == 1);
    model_free(two);
    model_free(three);
    dataset_free(data);
    dataset_free(many);
}

TEST(features_that_the_model_does_not_know_are_left_out_of_sparse_data_and_refused_in_dense)
{
    static const double known[] = {1, 2, 0, 3, 0, -1}, more[] = {1, 2, 0, 8, 3, 0, -1, 0};
    struct model *model = identity(3, (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1});
    struct dataset *sparse = table_make(MATRIX_CSR, 2, 4, more, NULL);
    struct dataset *fewer = table_make(MATRIX_CSR, 2, 2, (double[]){1, 2, 3, 0}, NULL);
    struct dataset *dense = table_make(MATRIX_F32, 2, 4, more, NULL);
    double out[6];
    temper_error error = {0};
    if (predict(model, sparse, TEMPER_PREDICT_DECISIONS, out))
        CHECK(table_same_bits(out, known, 6));
    if (predict(model, fewer, TEMPER_PREDICT_DECISIONS, out))
        CHECK(out[0] == 1 && out[1] == 2 && out[2] == 0 && out[3] == 3 && out[5] == 0);
    CHECK(temper_predict(outside(model), made_public(dense), TEMPER_PREDICT_LABELS, 1, out, &error) == TEMPER_BAD_DATA);
    CHECKF(strstr(error.message, "4 features, the model 3"), "%s", error.message);
    model_free(model);
    dataset_free(sparse);
    dataset_free(fewer);
    dataset_free(dense);
}

/* Arrays of the caller, in floats and doubles, against a dataset of the same rows. */
TEST(arrays_are_predicted_in_place)
{
    struct model *model = identity(3, (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 1.7});
    struct dataset *data = table_make(MATRIX_F64, ROWS, 3, activations, NULL);
    double expected[ROWS * 3], p[ROWS * 3];
    float narrow[ROWS * 3], x[ROWS * 3];
    temper_error error = {0};
    for (size_t i = 0; i < ROWS * 3; i++)
        x[i] = (float)activations[i]; /* exact */
    temper_dense_rows rows = {.x_f64 = activations, .rows = ROWS, .columns = 3, .out_f64 = p};
    if (predict(model, data, TEMPER_PREDICT_PROBABILITIES, expected)) {
        CHECK(temper_predict_rows(outside(model), &rows, TEMPER_PREDICT_PROBABILITIES, 0, &error) == TEMPER_OK);
        CHECK(table_same_bits(p, expected, ROWS * 3));
        rows = (temper_dense_rows){.x_f32 = x, .rows = ROWS, .columns = 3, .out_f32 = narrow};
        CHECK(temper_predict_rows(outside(model), &rows, TEMPER_PREDICT_PROBABILITIES, 2, &error) == TEMPER_OK);
        for (size_t i = 0; i < ROWS * 3; i++)
            CHECK(narrow[i] == (float)expected[i]);
    }
    rows.columns = 2;
    CHECK(temper_predict_rows(outside(model), &rows, TEMPER_PREDICT_LABELS, 1, &error) == TEMPER_BAD_DATA);
    CHECKF(strstr(error.message, "2 features, the model 3"), "%s", error.message);
    rows = (temper_dense_rows){.x_f32 = x, .rows = ROWS, .columns = 3};
    CHECK(temper_predict_rows(outside(model), &rows, TEMPER_PREDICT_LABELS, 1, &error) == TEMPER_USAGE);
    model_free(model);
    dataset_free(data);
}

TEST(a_model_without_probabilities_says_so)
{
    struct dataset *data = table_make(MATRIX_F64, 1, 1, activations, NULL);
    struct model *hinge = identity(2, (temper_loss_spec){.method = TEMPER_HINGE});
    struct model *sharp = identity(2, (temper_loss_spec){.method = TEMPER_TEMPERED, .t2 = 1});
    double out[2];
    temper_error error = {0};
    CHECK(temper_prediction_width(outside(hinge), TEMPER_PREDICT_PROBABILITIES) == 0);
    CHECK(temper_prediction_width(outside(hinge), TEMPER_PREDICT_RAW_PROBABILITIES) == 0);
    CHECK(temper_prediction_width(outside(sharp), TEMPER_PREDICT_PROBABILITIES) == 0);
    CHECK(temper_prediction_width(outside(sharp), TEMPER_PREDICT_RAW_PROBABILITIES) == 2);
    CHECK(temper_predict(outside(hinge), made_public(data), TEMPER_PREDICT_PROBABILITIES, 1, out, &error) ==
          TEMPER_USAGE);
    CHECKF(strstr(error.message, "hinge") && strstr(error.message, "--decision"), "%s", error.message);
    CHECK(temper_predict(outside(sharp), made_public(data), TEMPER_PREDICT_PROBABILITIES, 1, out, &error) ==
          TEMPER_USAGE);
    CHECKF(strstr(error.message, "t1 = 0") != NULL, "%s", error.message);
    model_free(hinge);
    model_free(sharp);
    dataset_free(data);
}

TEST_LIST(LISTED(probabilities_are_escorts_and_sum_to_one), LISTED(activations_beyond_doubles_have_probabilities),
          LISTED(raw_probabilities_are_those_of_the_paper), LISTED(labels_and_decisions_are_by_the_largest_activation),
          LISTED(features_that_the_model_does_not_know_are_left_out_of_sparse_data_and_refused_in_dense),
          LISTED(arrays_are_predicted_in_place), LISTED(a_model_without_probabilities_says_so))
