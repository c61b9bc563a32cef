/* The same model, byte by byte, for any number of threads; and the same predictions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/model_fixture.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"

static const size_t counts[] = {1, 2, 5};

static void check_training(const struct dataset *data, temper_train_options options, const char *what)
{
    temper_model *model[3];
    for (size_t i = 0; i < 3; i++) {
        options.threads = counts[i];
        model[i] = made_train(data, options, NULL);
    }
    for (size_t i = 1; i < 3; i++)
        CHECKF(model_same(made_inside(model[0]), made_inside(model[i])), "%s, %zu threads", what, counts[i]);
    if (options.starts > 1)
        CHECK(made_same_bytes(model[0], model[2]));
    for (size_t i = 0; i < 3; i++)
        temper_model_free(model[i]);
}

/* Large enough that several threads are worth it. */
SCRATCH_TEST(models_are_the_same_for_any_number_of_threads)
{
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
    static const char *const solvers[] = {"newton", "lbfgs", "tron"};
    char what[60];
    for (size_t k = 0; k < 4; k++)
        for (size_t classes = 2; classes < 4; classes++)
            for (size_t s = classes == 2 ? 0 : 1; s < 3; s++) {
                struct dataset *data = made_data(kinds[k], 6000, 24, classes);
                temper_train_options options = made_options();
                options.solver = solvers[s];
                options.max_iterations = 3;
                options.scale = s == 2 ? "log" : NULL;
                snprintf(what, sizeof what, "kind %d, %s, %zu", (int)kinds[k], solvers[s], classes);
                check_training(data, options, what);
                dataset_free(data);
            }
}

SCRATCH_TEST(penalties_of_absolute_weights_are_the_same_for_any_number_of_threads)
{
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
    for (size_t k = 0; k < 4; k++)
        for (size_t classes = 2; classes < 4; classes++) {
            struct dataset *data = made_data(kinds[k], 6000, 24, classes);
            temper_train_options options = made_options();
            options.l1 = 0.005;
            options.max_iterations = 4;
            check_training(data, options, "l1");
            dataset_free(data);
        }
}

SCRATCH_TEST(whole_trainings_are_the_same_for_any_number_of_threads)
{
    struct dataset *data = made_data(MATRIX_F32, 5000, 9, 2), *valid = made_data(MATRIX_F32, 900, 9, 2);
    temper_train_options options = made_options();
    options.starts = 3;
    options.validation = made_public(valid);
    options.checkpoint = "going.resume";
    check_training(data, options, "starts");
    options.starts = 1;
    options.loss.method = TEMPER_HINGE;
    check_training(data, options, "hinge");
    dataset_free(data);
    dataset_free(valid);
}

static temper_evaluation evaluate(const temper_model *model, const struct dataset *data, size_t threads)
{
    temper_evaluation evaluation = {0};
    temper_evaluator *evaluator = NULL;
    CHECK(temper_evaluator_new(model, &evaluator, NULL) == TEMPER_OK);
    CHECK(temper_evaluator_add(evaluator, made_public(data), threads, NULL) == TEMPER_OK);
    CHECK(temper_evaluator_finish(evaluator, &evaluation, NULL) == TEMPER_OK);
    return evaluation;
}

enum { ROWS = 12000 }; /* predictions of which are worth four threads */
static double alone[3 * ROWS], together[3 * ROWS];

static void check_predictions(const temper_model *model, const struct dataset *data, size_t threads)
{
    for (int i = TEMPER_PREDICT_LABELS; i <= TEMPER_PREDICT_DECISIONS; i++) {
        temper_prediction output = (temper_prediction)i;
        size_t width = temper_prediction_width(model, output);
        CHECK(temper_predict(model, made_public(data), output, 1, alone, NULL) == TEMPER_OK);
        CHECK(temper_predict(model, made_public(data), output, threads, together, NULL) == TEMPER_OK);
        CHECK(table_same_bits(alone, together, ROWS * width));
    }
}

TEST(predictions_are_the_same_for_any_number_of_threads)
{
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_U8, MATRIX_CSR};
    for (size_t k = 0; k < 3; k++) {
        struct dataset *data = made_data(kinds[k], ROWS, 12, 3);
        temper_train_options options = made_options();
        options.max_iterations = 3;
        temper_model *model = made_train(data, options, NULL);
        for (size_t i = 1; model && i < 3; i++) {
            check_predictions(model, data, counts[i]);
            temper_evaluation first = evaluate(model, data, 1);
            temper_evaluation second = evaluate(model, data, counts[i]);
            CHECK(first.loss == second.loss && first.ece == second.ece);
            temper_evaluation_free(&first);
            temper_evaluation_free(&second);
        }
        temper_model_free(model);
        dataset_free(data);
    }
}

/* By scores, with space of each thread: labels with noise, whose losses do not follow from one probability. */
TEST(losses_by_scores_are_the_same_for_any_number_of_threads)
{
    static const double transition[] = {0.8, 0.1, 0.1, 0.2, 0.7, 0.1, 0.1, 0.3, 0.6};
    struct dataset *data = made_data(MATRIX_F32, ROWS, 12, 3);
    temper_train_options options = made_options();
    options.max_iterations = 3;
    temper_model *model = made_train(data, options, NULL);
    double *own = malloc(sizeof transition);
    if (!CHECK(model && own))
        return;
    memcpy(own, transition, sizeof transition);
    ((struct model *)model)->transition = own; /* which the model frees */
    temper_evaluation first = evaluate(model, data, 1);
    temper_evaluation second = evaluate(model, data, 4);
    CHECKF(first.loss == second.loss, "%.17g, %.17g", first.loss, second.loss);
    temper_evaluation_free(&first);
    temper_evaluation_free(&second);
    temper_model_free(model);
    dataset_free(data);
}

/* A limit of the system on threads makes it slower, not other. */
SCRATCH_TEST(threads_that_do_not_start_change_nothing)
{
    struct dataset *data = made_data(MATRIX_F32, 20000, 24, 3); /* enough work for five threads */
    temper_train_options options = made_options();
    options.max_iterations = 3;
    options.threads = 5;
    temper_model *all = made_train(data, options, NULL);
    for (size_t n = 1; n < 4; n++) {
        fault_arm_threads(n);
        temper_model *fewer = made_train(data, options, NULL);
        fault_disarm();
        CHECK(fault_fired());
        CHECK(model_same(made_inside(all), made_inside(fewer)));
        temper_model_free(fewer);
    }
    temper_model_free(all);
    dataset_free(data);
}

TEST_LIST(LISTED(models_are_the_same_for_any_number_of_threads),
          LISTED(penalties_of_absolute_weights_are_the_same_for_any_number_of_threads),
          LISTED(whole_trainings_are_the_same_for_any_number_of_threads),
          LISTED(predictions_are_the_same_for_any_number_of_threads),
          LISTED(losses_by_scores_are_the_same_for_any_number_of_threads),
          LISTED(threads_that_do_not_start_change_nothing))
