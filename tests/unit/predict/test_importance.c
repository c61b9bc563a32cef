/* Importance factors are those of the scalar function, row by row, in chunks and on threads. */
#include <stdlib.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper_extra.h"

static temper_train_options options_of(double t1, double t2)
{
    temper_train_options options = made_options();
    options.loss.t1 = t1;
    options.loss.t2 = t2;
    options.max_iterations = 3;
    return options;
}

/* Through the decisions, which have tests of their own. */
static double expected(const temper_model *model, const double *a, uint32_t label)
{
    temper_loss_spec loss = temper_model_loss(model);
    const double two[] = {-a[0] / 2, a[0] / 2};
    size_t classes = temper_model_classes(model);
    return temper_importance(classes == 2 ? two : a, classes, label, loss.t1, loss.t2);
}

static void hold(enum matrix_kind kind, size_t rows, size_t classes, double t1, double t2)
{
    struct dataset *data = made_data(kind, rows, 6, classes);
    const temper_data *public = made_public(data);
    temper_model *model = made_train(data, options_of(t1, t2), NULL);
    size_t width = model ? temper_prediction_width(model, TEMPER_PREDICT_DECISIONS) : 0;
    double *a = calloc(rows * (width + 1), sizeof *a), *one = calloc(rows, sizeof *one),
           *two = calloc(rows, sizeof *two);
    if (!CHECK(model && a && one && two))
        return;
    CHECK(temper_predict(model, public, TEMPER_PREDICT_DECISIONS, 1, a, NULL) == TEMPER_OK);
    CHECK(temper_predict_importance(model, public, 1, one, NULL) == TEMPER_OK);
    CHECK(temper_predict_importance(model, public, 2, two, NULL) == TEMPER_OK);
    CHECK(memcmp(one, two, rows * sizeof *one) == 0);
    for (size_t i = 0; i < rows; i += rows / 50)
        CHECK_CLOSE(one[i], expected(model, a + i * width, data->label[i]), 1e-12);
    CHECK_CLOSE(one[rows - 1], expected(model, a + (rows - 1) * width, data->label[rows - 1]), 1e-12);
    free(a);
    free(one);
    free(two);
    temper_model_free(model);
    dataset_free(data);
}

TEST(as_the_scalar_function)
{
    hold(MATRIX_F32, 300, 2, 0.3, 1);
    hold(MATRIX_F64, 300, 4, 0.3, 1.12);
    hold(MATRIX_U8, 300, 3, 1, 1);
}

TEST(beyond_one_chunk)
{
    hold(MATRIX_F32, 20000, 3, 0.5, 1.5);
    hold(MATRIX_CSR, 20000, 2, 0.5, 1.5);
}

TEST(refused_without_labels_or_temperatures)
{
    struct dataset *data = made_data(MATRIX_F32, 50, 6, 2), *other = made_data(MATRIX_F32, 50, 6, 3);
    temper_train_options options = made_options();
    double out[50];
    temper_error error;
    options.loss.method = TEMPER_HINGE;
    temper_model *hinge = made_train(data, options, NULL), *model = made_train(data, made_options(), NULL);
    if (!CHECK(hinge && model))
        return;
    CHECK(temper_predict_importance(hinge, made_public(data), 1, out, &error) == TEMPER_USAGE);
    CHECK(strstr(error.message, "is hinge") != NULL);
    CHECK(temper_predict_importance(model, made_public(other), 1, out, &error) == TEMPER_BAD_DATA);
    CHECK(strstr(error.message, "does not have the class '2'") != NULL);
    free(data->label);
    data->label = NULL;
    CHECK(temper_predict_importance(model, made_public(data), 1, out, &error) == TEMPER_USAGE);
    temper_model_free(hinge);
    temper_model_free(model);
    dataset_free(data);
    dataset_free(other);
}

TEST(memory_may_end)
{
    struct dataset *data = made_data(MATRIX_F32, 50, 6, 2);
    temper_model *model = made_train(data, made_options(), NULL);
    double out[50];
    for (size_t n = 1; model; n++) {
        fault_arm(n);
        temper_status status = temper_predict_importance(model, made_public(data), 1, out, NULL);
        fault_disarm();
        CHECK(status == (fault_fired() ? TEMPER_NO_MEMORY : TEMPER_OK));
        if (!fault_fired())
            break;
    }
    temper_model_free(model);
    dataset_free(data);
}

TEST_LIST(LISTED(as_the_scalar_function), LISTED(beyond_one_chunk), LISTED(refused_without_labels_or_temperatures),
          LISTED(memory_may_end))
