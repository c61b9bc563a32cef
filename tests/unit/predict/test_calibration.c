/* Calibrations of scores whose probabilities are known. */
#include "predict/calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "predict/predict.h"

enum { ROWS = 20000, CLASSES = 4 };

/* A model of that many classes; only its loss and its classes are read. */
static struct model *shape(size_t classes, temper_loss_spec loss)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    struct model *model = NULL;
    if (!CHECK(model_new(classes, 1, &model, NULL) == TEMPER_OK))
        return NULL;
    model->loss = loss;
    for (size_t c = 0; c < classes; c++)
        classes_add(&model->classes, names[c], strlen(names[c]));
    return model;
}

/* Labels drawn from p. */
static uint32_t draw_label(struct draw *draw, const double *p, size_t classes)
{
    double u = draw_uniform(draw, 0, 1);
    uint32_t c = 0;
    while (c + 1 < classes && (u -= p[c]) > 0)
        c++;
    return c;
}

/* Draws scores, and labels from the probabilities that `truth` gives them; fits, and compares. */
static void check_recovered(struct model *model, struct calibration truth, double order_error, double floor_error)
{
    struct draw draw = draw_from(7);
    size_t drawn = ROWS / test_step(4);
    double spread = sqrt((double)test_step(4)); /* of estimates from fewer rows */
    double *score = malloc(drawn * model->vectors * sizeof *score), p[CLASSES];
    uint32_t *label = malloc(drawn * sizeof *label);
    draw_normals(&draw, score, drawn * model->vectors, 2);
    model->calibration = truth;
    for (size_t row = 0; row < drawn; row++) {
        predicted_probabilities(model, score + row * model->vectors, true, p);
        label[row] = draw_label(&draw, p, model->classes.count);
    }
    struct calibration_rows rows = {score, label, NULL, drawn, drawn};
    struct calibration found = {.folds = 3};
    CHECK(calibration_fit(model, &rows, &found, NULL) == TEMPER_OK);
    CHECKF(fabs(found.order / truth.order - 1) < order_error * spread, "%g instead of %g", found.order, truth.order);
    CHECKF(fabs(found.floor - truth.floor) < floor_error * spread, "%g instead of %g", found.floor, truth.floor);
    CHECK(found.rows == drawn && found.folds == 3);
    mem_free(found.matrix);
    free(score);
    free(label);
    model_free(model);
}

TEST(order_and_floor_are_recovered)
{
    const temper_loss_spec default_loss = {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1},
                           heavy = {.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 1.5},
                           sparse = {.method = TEMPER_TEMPERED, .t1 = 0.5, .t2 = 0.8}, hinge = {.method = TEMPER_HINGE};
    check_recovered(shape(2, default_loss), (struct calibration){.order = 0.8, .floor = 0.2}, 0.1, 0.03);
    check_recovered(shape(4, default_loss), (struct calibration){.order = 2, .floor = 0.1}, 0.06, 0.02);
    check_recovered(shape(4, default_loss), (struct calibration){.order = 1.3, .floor = 0}, 0.06, 0.01);
    check_recovered(shape(4, heavy), (struct calibration){.order = 3, .floor = 0.05}, 0.1, 0.03);
    check_recovered(shape(4, sparse), (struct calibration){.order = 0.7, .floor = 0.1}, 0.1, 0.03);
    check_recovered(shape(2, hinge), (struct calibration){.order = 1.5, .floor = 0.1}, 0.1, 0.03);
}

TEST(scores_that_are_always_right_have_a_finite_order)
{
    struct model *model = shape(2, (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1});
    double score[100], p[2];
    uint32_t label[100];
    for (uint32_t i = 0; i < 100; i++) {
        label[i] = i % 2;
        score[i] = label[i] ? 1 : -1;
    }
    struct calibration_rows rows = {score, label, NULL, 100, 100};
    CHECK(calibration_fit(model, &rows, &model->calibration, NULL) == TEMPER_OK);
    predicted_probabilities(model, score, true, p);
    /* About as sure as a hundred rows without an error allow. */
    CHECKF(p[0] > 0.98 && p[0] < 0.999, "%g", p[0]);
    model_free(model);
}

TEST(scores_without_information_are_left_alone)
{
    struct model *model = shape(4, (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1});
    double score[40] = {0}, p[4];
    uint32_t label[10] = {0, 1, 2, 3};
    struct calibration_rows rows = {score, label, NULL, 10, 10};
    CHECK(calibration_fit(model, &rows, &model->calibration, NULL) == TEMPER_OK);
    CHECK(model->calibration.order == 1 && model->calibration.floor == 0);
    predicted_probabilities(model, score, true, p);
    CHECK(p[0] == 0.25 && p[3] == 0.25);
    model_free(model);
}

/* A third of the scores is so large that a label against them has no other explanation than the floor, 80 % here. */
TEST(a_large_floor_is_found_where_scores_are_certain)
{
    enum { CERTAIN_ROWS = 3000 };
    const double size[] = {0.2, 1, 50}, floor = 0.8;
    struct model *model = shape(2, (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1});
    struct draw draw = draw_from(3);
    double *score = malloc(CERTAIN_ROWS * sizeof *score);
    uint32_t *label = malloc(CERTAIN_ROWS * sizeof *label);
    for (size_t i = 0; i < CERTAIN_ROWS; i++) {
        score[i] = (i / 3 % 2 ? 1 : -1) * size[i % 3];
        double p = floor / 2 + (1 - floor) / (1 + exp(-5 * score[i]));
        label[i] = draw_uniform(&draw, 0, 1) < p;
    }
    struct calibration_rows rows = {score, label, NULL, CERTAIN_ROWS, CERTAIN_ROWS};
    struct calibration found = {0};
    CHECK(calibration_fit(model, &rows, &found, NULL) == TEMPER_OK);
    CHECKF(fabs(found.order - 5) < 1, "%g", found.order);
    CHECKF(fabs(found.floor - floor) < 0.05, "%g", found.floor);
    mem_free(found.matrix);
    free(score);
    free(label);
    model_free(model);
}

/* Scores that are worse than chance cannot become probabilities that contradict the predicted label. */
TEST(the_predicted_class_stays_the_most_probable)
{
    struct model *model = shape(2, (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1});
    double score[50], p[2];
    uint32_t label[50];
    for (uint32_t i = 0; i < 50; i++) {
        label[i] = i % 2;
        score[i] = label[i] ? -1 : 1;
    }
    struct calibration_rows rows = {score, label, NULL, 50, 50};
    CHECK(calibration_fit(model, &rows, &model->calibration, NULL) == TEMPER_OK);
    predicted_probabilities(model, score, true, p);
    CHECKF(p[1] >= p[0] && p[1] < 0.51, "%g", p[1]);
    model_free(model);
}

TEST(a_weight_of_two_is_a_row_twice)
{
    struct model *model = shape(2, (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1});
    struct draw draw = draw_from(3);
    double score[600], weight[600];
    uint32_t label[600];
    draw_normals(&draw, score, 300, 2);
    for (size_t i = 0; i < 300; i++) {
        double p[] = {1 / (1 + exp(score[i])), 1 / (1 + exp(-score[i]))};
        label[i] = label[300 + i] = draw_label(&draw, p, 2);
        score[300 + i] = score[i];
        weight[i] = 2;
        weight[300 + i] = 0;
    }
    struct calibration twice = {0}, weighted = {0};
    CHECK(calibration_fit(model, &(struct calibration_rows){score, label, NULL, 600, 300}, &twice, NULL) == TEMPER_OK);
    CHECK(calibration_fit(model, &(struct calibration_rows){score, label, weight, 600, 300}, &weighted, NULL) ==
          TEMPER_OK);
    CHECK_CLOSE(twice.order, weighted.order, 1e-9);
    CHECK_CLOSE(twice.floor, weighted.floor, 1e-9);
    for (size_t i = 0; twice.matrix && weighted.matrix && i < 6; i++)
        CHECK_NEAR(twice.matrix[i], weighted.matrix[i], 1e-9);
    mem_free(twice.matrix);
    mem_free(weighted.matrix);
    model_free(model);
}

TEST_LIST(LISTED(order_and_floor_are_recovered), LISTED(scores_that_are_always_right_have_a_finite_order),
          LISTED(scores_without_information_are_left_alone), LISTED(a_large_floor_is_found_where_scores_are_certain),
          LISTED(the_predicted_class_stays_the_most_probable), LISTED(a_weight_of_two_is_a_row_twice))
