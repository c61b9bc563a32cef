/* Weights of a model that a caller replaces, and the model of a training that is in progress. */
#include <math.h>
#include <string.h>

#include "data/dataset.h"
#include "fixtures/model_fixture.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper_extra.h"

/* ---- Weights of the caller ------------------------------------------------------------------- */

TEST(weights_are_replaced)
{
    const double weights[] = {1, -2, 0.5};
    struct dataset *data = made_data(MATRIX_F64, 60, 3, 3);
    temper_model *model = made_train(data, made_options(), NULL);
    double other = temper_model_weights(model, 0)[2], scores[60 * 3];
    CHECK(temper_model_set_weights(model, 1, weights, 7, NULL) == TEMPER_OK);
    CHECK(memcmp(temper_model_weights(model, 1), weights, sizeof weights) == 0);
    CHECK_CLOSE(temper_model_intercept(model, 1), 7, 0);
    CHECK_CLOSE(temper_model_weights(model, 0)[2], other, 0);
    CHECK(temper_predict(model, made_public(data), TEMPER_PREDICT_DECISIONS, 1, scores, NULL) == TEMPER_OK);
    const double *x = data->x.dense;
    CHECK_CLOSE(scores[1], 7 + x[0] - 2 * x[1] + 0.5 * x[2], 1e-12);
    temper_model_free(model);
    dataset_free(data);
}

TEST(bad_weights_are_refused)
{
    struct model *model = model_made(3, 4, (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1}, true);
    temper_model *handle = (temper_model *)model;
    temper_error error;
    double weights[] = {1, 2, 3, (double)NAN}, first = model->weights[0], bias = model->bias[0];
    CHECK(temper_model_set_weights(handle, 0, weights, 0, &error) == TEMPER_BAD_DATA);
    CHECK(strstr(error.message, "not a finite number") != NULL);
    weights[3] = 4;
    CHECK(temper_model_set_weights(handle, 0, weights, (double)INFINITY, &error) == TEMPER_BAD_DATA);
    CHECK(temper_model_set_weights(handle, 3, weights, 0, &error) == TEMPER_USAGE);
    CHECK(strstr(error.message, "no vector 3") != NULL);
    CHECK_CLOSE(model->weights[0], first, 0);
    CHECK_CLOSE(model->bias[0], bias, 0);
    model_free(model);
}

/* ---- In progress ----------------------------------------------------------------------------- */

/* The model after an iteration of this number. */
struct kept {
    size_t at, calls;
    temper_model *model;
    temper_status status;
};

static int keep(void *context, const temper_train_progress *progress)
{
    struct kept *kept = context;
    kept->calls++;
    if (progress->state && progress->iteration == kept->at && !kept->model)
        kept->status = temper_train_progress_model(progress, &kept->model, NULL);
    return 0;
}

static void check_same_as_stopped(size_t classes)
{
    struct dataset *data = made_data(MATRIX_F64, 200, 4, classes);
    temper_train_options options = made_options();
    struct kept kept = {.at = 2};
    struct blob bytes;
    options.on_progress = keep;
    options.progress_context = &kept;
    temper_model *whole = made_train(data, options, NULL);
    options.on_progress = NULL;
    options.max_iterations = 2;
    temper_model *stopped = made_train(data, options, NULL);
    CHECK(kept.status == TEMPER_OK && kept.calls > 3);
    if (CHECK(kept.model != NULL)) {
        for (size_t v = 0; v < temper_model_weight_vectors(stopped); v++) {
            CHECK(memcmp(temper_model_weights(kept.model, v), temper_model_weights(stopped, v), 4 * sizeof(double)) ==
                  0);
            CHECK_CLOSE(temper_model_intercept(kept.model, v), temper_model_intercept(stopped, v), 0);
        }
        CHECK(temper_model_weights(whole, 0)[0] != temper_model_weights(stopped, 0)[0]);
        bytes = made_bytes(kept.model); /* it can be saved */
        blob_free(&bytes);
    }
    temper_model_free(kept.model);
    temper_model_free(stopped);
    temper_model_free(whole);
    dataset_free(data);
}

TEST(a_model_in_progress_is_that_of_a_stopped_training)
{
    check_same_as_stopped(2);
    check_same_as_stopped(3);
}

/* Calibration fits lack a fold of the rows: there is no model of all rows to be had. */
static int refuse_other_phases(void *context, const temper_train_progress *progress)
{
    bool *seen = context;
    temper_model *model = NULL;
    temper_error error;
    if (strcmp(progress->phase, TEMPER_PHASE_CALIBRATE) != 0)
        return 0;
    *seen = true;
    CHECK(temper_train_progress_model(progress, &model, &error) == TEMPER_USAGE && !model);
    CHECK(strstr(error.message, "no model in the phase 'calibrate'") != NULL);
    CHECKF(progress->seconds >= 0 && progress->seconds < 3600, "%g", progress->seconds);
    return 0;
}

TEST(other_phases_have_no_model)
{
    struct dataset *data = made_data(MATRIX_F64, 60, 4, 2);
    temper_train_options options = made_calibrated_options();
    bool seen = false;
    options.calibrate = "folds";
    options.on_progress = refuse_other_phases;
    options.progress_context = &seen;
    temper_model_free(made_train(data, options, NULL));
    CHECK(seen);
    dataset_free(data);
}

TEST_LIST(LISTED(weights_are_replaced), LISTED(bad_weights_are_refused),
          LISTED(a_model_in_progress_is_that_of_a_stopped_training), LISTED(other_phases_have_no_model))
