/* The noise that training keeps in a model, and the probabilities of true labels that follow from it. */
#include "audit/label_noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"

static temper_model *train_with_estimate(const struct dataset *data)
{
    temper_train_options options = made_calibrated_options();
    options.estimate_noise = 1;
    return made_train(data, options, NULL);
}

TEST(training_keeps_the_noise_on_request)
{
    struct dataset *data = made_data(MATRIX_F64, 600, 8, 3);
    temper_model *without = made_train(data, made_calibrated_options(), NULL), *with = train_with_estimate(data);
    CHECK(temper_prediction_width(without, TEMPER_PREDICT_TRUE_PROBABILITIES) == 0);
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

enum { SKEWED_ROWS = 1000 };

/* Two classes of 90 and 10 %, well separated; a tenth of the labels is that of the other class. Sets class weights by
 * which both labels count the same, and *wrong to the share of weight that label b has among the rows of class a. */
static struct dataset *skewed(double *wrong)
{
    struct draw draw = draw_from(5);
    double xy[2 * SKEWED_ROWS], count[2] = {0}, weight[2] = {0};
    const char *labels[SKEWED_ROWS];
    bool other[SKEWED_ROWS], flipped[SKEWED_ROWS];
    draw_normals(&draw, xy, 2 * SKEWED_ROWS, 1.5);
    for (size_t i = 0; i < SKEWED_ROWS; i++) {
        other[i] = i % 10 == 3;
        flipped[i] = draw_uniform(&draw, 0, 1) < 0.1;
        xy[2 * i] += other[i] ? 4 : -4;
        labels[i] = other[i] != flipped[i] ? "b" : "a";
    }
    struct dataset *data = made_points(SKEWED_ROWS, xy, labels);
    uint32_t of_b = classes_find(&data->classes, "b", 1);
    data->weight = malloc(SKEWED_ROWS * sizeof *data->weight);
    for (size_t i = 0; i < SKEWED_ROWS; i++)
        count[data->label[i] == of_b]++;
    for (size_t i = 0; i < SKEWED_ROWS; i++) {
        data->weight[i] = SKEWED_ROWS / 2.0 / count[data->label[i] == of_b];
        weight[flipped[i]] += other[i] ? 0 : data->weight[i];
    }
    *wrong = weight[1] / (weight[0] + weight[1]);
    return data;
}

/* The probabilities of a weighted training are those of the weighted rows, and so is the noise. */
TEST(the_noise_is_that_of_weighted_rows)
{
    double wrong;
    struct dataset *data = skewed(&wrong);
    temper_train_options options = made_calibrated_options();
    options.estimate_noise = 1;
    temper_model *model = made_train(data, options, NULL);
    const struct label_noise *noise = &made_inside(model)->noise;
    uint32_t a = classes_find(&data->classes, "a", 1);
    CHECK(wrong > 0.3 && noise->rate < 0.15);
    CHECKF(fabs(noise->transition[2 * a + (1 - a)] - wrong) < 0.03, "%g instead of %g",
           noise->transition[2 * a + (1 - a)], wrong);
    temper_model_free(model);
    /* Rows of weight 0 do not count: without any label b in class a there is no noise in it. */
    for (size_t i = 0; i < SKEWED_ROWS; i++)
        if ((i % 10 == 3) == (data->label[i] == a))
            data->weight[i] = 0;
    model = made_train(data, options, NULL);
    noise = &made_inside(model)->noise;
    CHECKF(noise->rate < 0.02, "%g", noise->rate);
    temper_model_free(model);
    dataset_free(data);
}

/* Surer than those of the given label, and distributions. */
TEST(true_labels_are_surer_than_given_ones)
{
    struct dataset *data = made_data(MATRIX_F64, 600, 8, 2);
    temper_model *model = train_with_estimate(data);
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
    temper_model *model = train_with_estimate(data);
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
    temper_train_options options = made_calibrated_options();
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
    temper_train_options options = made_calibrated_options();
    struct watched watched = {0};
    temper_model *model = NULL;
    temper_error error;
    options.estimate_noise = 1;
    options.on_progress = watch;
    options.progress_context = &watched;
    CHECK(temper_train(made_public(few), &options, &model, NULL, &error) == TEMPER_BAD_DATA);
    CHECKF(strstr(error.message, "8 rows are too few to estimate the noise") && !strstr(error.message, "fold"), "%s",
           error.message);
    options.loss = (temper_loss_spec){.method = TEMPER_HINGE};
    CHECK(temper_train(made_public(data), &options, &model, NULL, &error) == TEMPER_USAGE);
    CHECKF(strstr(error.message, "two-temperature"), "%s", error.message);
    CHECK(!model && watched.trained == 0);
    dataset_free(data);
    dataset_free(few);
}

/* Seconds of a tuning, which must not fall, and the calls of its audit. */
struct tune_clock {
    double seconds;
    size_t audited;
    bool fell;
};

static int watch_clock(void *context, const temper_tune_progress *progress)
{
    struct tune_clock *clock = context;
    clock->fell = clock->fell || progress->seconds < clock->seconds;
    clock->seconds = progress->seconds;
    clock->audited += strcmp(progress->phase, "audit") == 0;
    return 0;
}

static int last_seconds(void *context, const temper_train_progress *progress)
{
    *(double *)context = progress->seconds;
    return 0;
}

/* Warnings of the audit are those of the call, and its time too. */
TEST(warnings_and_time_of_the_audit_are_reported)
{
    struct dataset *data = made_data(MATRIX_F64, 120, 4, 2);
    temper_train_options options = made_calibrated_options();
    temper_train_report report;
    double seconds = 0;
    options.estimate_noise = 1;
    options.on_progress = last_seconds;
    options.progress_context = &seconds;
    temper_model_free(made_train(data, options, &report));
    CHECKF(made_warned(&report.warnings, TEMPER_WARNING_FEW_ROWS, "with 120 rows the estimated noise"), "%s",
           made_first_warning(&report.warnings));
    CHECKF(report.seconds >= seconds, "%g, %g", report.seconds, seconds);
    temper_tune_options tuning = temper_tune_defaults();
    struct tune_clock clock = {0};
    temper_model *model = NULL;
    tuning.folds = 3;
    tuning.grid = "t1=0.3 t2=1 l2=1x only";
    tuning.train.threads = 1;
    tuning.train.estimate_noise = 1;
    tuning.on_progress = watch_clock;
    tuning.progress_context = &clock;
    temper_tune_report tuned = made_tune(data, tuning, &model);
    CHECK(made_warned(&tuned.warnings, TEMPER_WARNING_FEW_ROWS, "with 120 rows the estimated noise"));
    CHECKF(clock.audited > 0 && !clock.fell && tuned.seconds >= clock.seconds, "%g, %g", tuned.seconds, clock.seconds);
    temper_model_free(model);
    temper_tune_report_free(&tuned);
    dataset_free(data);
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

TEST_LIST(LISTED(training_keeps_the_noise_on_request), LISTED(the_noise_is_that_of_weighted_rows),
          LISTED(warnings_and_time_of_the_audit_are_reported), LISTED(true_labels_are_surer_than_given_ones),
          LISTED(a_model_file_keeps_it), LISTED(an_interrupted_audit_leaves_the_model),
          LISTED(refusals_come_before_the_training), LISTED(tuning_estimates_it_too))
