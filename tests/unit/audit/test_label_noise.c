/* The noise that training keeps in a model, and the probabilities of true labels that follow from it. */
#include "audit/label_noise.h"

#include <math.h>
#include <stdlib.h>

#include "fixtures/test.h"
#include "fixtures/train_fixture.h"

TEST(training_keeps_the_noise_on_request)
{
    struct dataset *data = made_data(MATRIX_F64, 600, 8, 3);
    temper_train_options options = made_options();
    temper_model *without = made_train(data, options, NULL);
    CHECK(temper_prediction_width(without, TEMPER_PREDICT_TRUE_PROBABILITIES) == 0);
    options.estimate_noise = 1;
    temper_model *with = made_train(data, options, NULL);
    CHECK(temper_prediction_width(with, TEMPER_PREDICT_TRUE_PROBABILITIES) == 3);
    const struct label_noise *noise = &made_inside(with)->noise;
    CHECK(noise->known && noise->transition);
    for (size_t c = 0; noise->transition && c < 3; c++)
        CHECK_CLOSE(noise->transition[3 * c] + noise->transition[3 * c + 1] + noise->transition[3 * c + 2], 1, 1e-12);
    /* Every seventh label of these rows is drawn, so that about a tenth is wrong. */
    CHECKF(noise->rate > 0.02 && noise->rate < 0.2, "%g", noise->rate);
    temper_model_free(without);
    temper_model_free(with);
    dataset_free(data);
}

/* Surer than those of the given label, and distributions. */
TEST(true_labels_are_surer_than_given_ones)
{
    struct dataset *data = made_data(MATRIX_F64, 600, 8, 2);
    temper_train_options options = made_options();
    options.estimate_noise = 1;
    temper_model *model = made_train(data, options, NULL);
    double *given = calloc(1200, sizeof *given), *truth = calloc(1200, sizeof *truth);
    CHECK(temper_predict(model, made_public(data), TEMPER_PREDICT_PROBABILITIES, 1, given, NULL) == TEMPER_OK);
    CHECK(temper_predict(model, made_public(data), TEMPER_PREDICT_TRUE_PROBABILITIES, 1, truth, NULL) == TEMPER_OK);
    double sure_given = 0, sure_true = 0;
    for (size_t row = 0; row < 600; row++) {
        CHECK_CLOSE(truth[2 * row] + truth[2 * row + 1], 1, 1e-12);
        sure_given += fmax(given[2 * row], given[2 * row + 1]) / 600;
        sure_true += fmax(truth[2 * row], truth[2 * row + 1]) / 600;
    }
    CHECKF(sure_true > sure_given, "%g, %g", sure_true, sure_given);
    free(given);
    free(truth);
    temper_model_free(model);
    dataset_free(data);
}

TEST(a_model_file_keeps_it)
{
    struct dataset *data = made_data(MATRIX_F64, 200, 5, 3);
    temper_train_options options = made_options();
    options.estimate_noise = 1;
    temper_model *model = made_train(data, options, NULL);
    struct blob file = made_bytes(model);
    struct model *loaded = NULL;
    CHECK(model_read_text((const char *)file.bytes, file.length, &loaded, NULL) == TEMPER_OK);
    CHECK(loaded && loaded->noise.known && made_same_bytes(model, (const temper_model *)loaded));
    temper_model_free(model);
    model_free(loaded);
    free(file.bytes);
    dataset_free(data);
}

TEST_LIST(LISTED(training_keeps_the_noise_on_request), LISTED(true_labels_are_surer_than_given_ones),
          LISTED(a_model_file_keeps_it))
