/* The noise that training keeps in a model, and the probabilities of true labels that follow from it. */
#include "audit/label_noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Counts the calls of each phase, and stops in the audit if asked to. */
struct watched {
    size_t trained, audited;
    bool stops;
};

static int watch(void *context, const temper_train_progress *progress)
{
    struct watched *watched = context;
    bool noise = strcmp(progress->phase, TEMPER_PHASE_NOISE) == 0;
    watched->trained += !noise;
    watched->audited += noise;
    return noise && watched->stops;
}

/* The model of the training stays; only the estimate is missing. */
TEST(an_interrupted_audit_leaves_the_model)
{
    struct dataset *data = made_data(MATRIX_F64, 600, 8, 3);
    temper_train_options options = made_options();
    struct watched watched = {.stops = true};
    temper_model *plain = made_train(data, options, NULL);
    options.estimate_noise = 1;
    options.on_progress = watch;
    options.progress_context = &watched;
    temper_train_report report;
    temper_model *model = made_train(data, options, &report);
    CHECK(watched.trained > 0 && watched.audited == 1);
    CHECK(report.stop == TEMPER_STOP_INTERRUPTED && !made_inside(model)->noise.known);
    CHECK(made_same_bytes(plain, model));
    temper_model_free(plain);
    temper_model_free(model);
    dataset_free(data);
}

/* What the audit would refuse is refused before the training begins. */
TEST(refusals_come_before_the_training)
{
    struct dataset *data = made_data(MATRIX_F64, 600, 8, 3), *few = made_data(MATRIX_F64, 8, 2, 2);
    temper_train_options options = made_options();
    struct watched watched = {0};
    temper_model *model = NULL;
    temper_error error;
    options.estimate_noise = 1;
    options.on_progress = watch;
    options.progress_context = &watched;
    CHECK(temper_train(made_public(few), &options, &model, NULL, &error) == TEMPER_BAD_DATA);
    options.loss = (temper_loss_spec){.method = TEMPER_HINGE};
    CHECK(temper_train(made_public(data), &options, &model, NULL, &error) == TEMPER_USAGE);
    CHECKF(strstr(error.message, "two-temperature"), "%s", error.message);
    CHECK(!model && watched.trained == 0);
    dataset_free(data);
    dataset_free(few);
}

/* The final model of a search has the estimate too, by the loss that was selected. */
TEST(tuning_estimates_it_too)
{
    struct dataset *data = made_data(MATRIX_F64, 300, 5, 2);
    temper_tune_options options = temper_tune_defaults();
    temper_model *model = NULL;
    temper_error error;
    options.folds = 3;
    options.grid = "t1=0.3 t2=1 l2=1x only";
    options.train.threads = 1;
    options.train.estimate_noise = 1;
    CHECK(temper_tune(made_public(data), &options, &model, NULL, &error) == TEMPER_OK);
    CHECK(model && made_inside(model)->noise.known);
    temper_model_free(model);
    model = NULL;
    options.grid = "t1=0.3 t2=1 l2=1x loss=tempered,hinge only";
    CHECK(temper_tune(made_public(data), &options, &model, NULL, &error) == TEMPER_USAGE);
    CHECKF(strstr(error.message, "loss hinge"), "%s", error.message);
    /* Without a model there is nothing to estimate. */
    CHECK(temper_tune(made_public(data), &options, NULL, NULL, &error) == TEMPER_OK);
    dataset_free(data);
}

TEST_LIST(LISTED(training_keeps_the_noise_on_request), LISTED(true_labels_are_surer_than_given_ones),
          LISTED(a_model_file_keeps_it), LISTED(an_interrupted_audit_leaves_the_model),
          LISTED(refusals_come_before_the_training), LISTED(tuning_estimates_it_too))
