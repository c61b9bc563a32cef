/* Several starts, and rows that tell when to stop. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/subset.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"

/* ---- Starts ---------------------------------------------------------------------------------- */

enum { POINTS = 200 };

/* Most rows are of their class by the first feature; a fifth is far on the other side. */
static struct dataset *structured_noise(uint64_t seed)
{
    double xy[2 * POINTS], g[2];
    const char *labels[POINTS];
    struct draw draw = draw_from(seed);
    for (size_t i = 0; i < POINTS; i++) {
        bool second = i < 2 ? i : draw_below(&draw, 2);
        double sign = second ? 1 : -1;
        draw_normals(&draw, g, 2, 0.3);
        xy[2 * i] = (i < POINTS / 5 ? -3.9 : 1) * sign + g[0];
        xy[2 * i + 1] = (i < POINTS / 5 ? 1 : 3) * g[1];
        labels[i] = second ? "b" : "a";
    }
    return made_points(POINTS, xy, labels);
}

static bool starts_disagree(uint64_t seed, size_t starts, temper_loss_spec loss)
{
    struct dataset *data = structured_noise(seed);
    temper_train_options options = made_options();
    temper_train_report report = {0};
    temper_model *model = NULL;
    options.loss = loss;
    options.l2 = 1e-5;
    options.starts = starts;
    /* From some of them nothing can be learnt. */
    temper_status status = temper_train(made_public(data), &options, &model, &report, NULL);
    CHECK(status == TEMPER_OK || (status == TEMPER_BAD_DATA && loss.t1 < 1));
    temper_model_free(model);
    dataset_free(data);
    return made_warned(&report.warnings, TEMPER_WARNING_STARTS_DISAGREE, "ends in another model");
}

TEST(starts_that_disagree_are_a_warning)
{
    const temper_loss_spec tempered = {.method = TEMPER_TEMPERED, .t1 = 0.087, .t2 = 1.895};
    const temper_loss_spec logistic = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};
    size_t disagree = 0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        disagree += starts_disagree(seed, 2, tempered);
        CHECK(!starts_disagree(seed, 1, tempered));
        CHECK(!starts_disagree(seed, 3, logistic)); /* convex: they cannot */
    }
    CHECKF(disagree > 0, "%zu", disagree);
}

/* The objective that training ends with; INFINITY if nothing was learnt. */
static double objective_from(const struct dataset *data, temper_train_options options, temper_warnings *warnings)
{
    temper_train_report report = {.objective = INFINITY};
    temper_model *model = NULL;
    temper_status status = temper_train(made_public(data), &options, &model, &report, NULL);
    CHECK(status == TEMPER_OK || status == TEMPER_BAD_DATA);
    if (model)
        CHECK_CLOSE(made_inside(model)->training.objective, report.objective, 1e-12);
    *warnings = report.warnings;
    temper_model_free(model);
    return status == TEMPER_OK ? report.objective : (double)INFINITY;
}

TEST(the_start_of_the_lowest_objective_is_kept)
{
    size_t second = 0, first = 0, explained = 0;
    for (uint64_t seed = 0; seed < 24; seed++) {
        struct dataset *data = structured_noise(seed);
        temper_train_options options = made_options();
        temper_warnings warnings = {0}, unused;
        options.l2 = 1e-5;
        options.loss.method = TEMPER_LOGISTIC;
        temper_model *logistic = made_train(data, options, NULL);
        options.loss = (temper_loss_spec){
            .method = TEMPER_TEMPERED, .t1 = 0.1 + 0.02 * (double)(seed / 4), .t2 = 1.3 + 0.2 * (double)(seed % 4)};
        double zero = objective_from(data, options, &unused);
        options.warm_start = logistic;
        double warm = objective_from(data, options, &unused);
        options.warm_start = NULL;
        options.starts = 2;
        double kept = objective_from(data, options, &warnings), least = fmin(zero, warm);
        CHECKF(kept <= least * (1 + 1e-5), "seed %d: %g is kept, not %g", (int)seed, kept, least);
        first += zero < warm * (1 - 1e-3);
        second += warm < zero * (1 - 1e-3) && isfinite(zero);
        explained += warm < zero * (1 - 1e-3) && made_warned(&warnings, TEMPER_WARNING_STARTS_DISAGREE,
                                                             "start 1 ends in another model than start 2");
        temper_model_free(logistic);
        dataset_free(data);
    }
    /* Otherwise there was nothing to choose. */
    CHECKF(first > 0 && second > 0 && explained > 0, "%zu, %zu, %zu", first, second, explained);
}

/* Two normal classes; a label is wrong where its row is most certainly of its class. */
static struct dataset *flipped_far_rows(void)
{
    enum { ROWS = 400 };
    double xy[2 * ROWS];
    const char *labels[ROWS];
    struct draw draw = draw_from(1);
    for (size_t i = 0; i < ROWS; i++) {
        bool second = i % 2;
        draw_normals(&draw, xy + 2 * i, 2, 1);
        xy[2 * i] += second ? 2 : -2;
        bool flipped = xy[2 * i] < -3.2 || xy[2 * i] > 3.2;
        labels[i] = second != flipped ? "b" : "a";
    }
    return made_points(ROWS, xy, labels);
}

TEST(labels_that_are_wrong_far_from_the_boundary_are_a_warning)
{
    struct dataset *data = flipped_far_rows();
    temper_tune_options options = temper_tune_defaults();
    options.train.threads = 1;
    temper_tune_report report = made_tune(data, options, NULL);
    CHECKF(made_warned(&report.warnings, TEMPER_WARNING_SYSTEMATIC_LABELS, "systematically wrong"), "%s",
           made_first_warning(&report.warnings));
    temper_tune_report_free(&report);
    dataset_free(data);
}

TEST(other_starts_do_not_change_the_model)
{
    for (size_t classes = 2; classes < 4; classes++) {
        struct dataset *data = made_data(MATRIX_F64, 150, 5, classes);
        temper_train_options options = made_options();
        temper_train_report one = {0}, three = {0};
        temper_model *first = made_train(data, options, &one);
        options.starts = 3;
        temper_model *second = made_train(data, options, &three);
        CHECK(one.objective == three.objective && one.gradient_norm == three.gradient_norm);
        CHECK(three.iterations > one.iterations && three.stop == one.stop);
        if (first && second)
            CHECK(table_same_bits(temper_model_weights(first, 0), temper_model_weights(second, 0), 5));
        temper_model_free(first);
        temper_model_free(second);
        dataset_free(data);
    }
}

/* ---- Validation ------------------------------------------------------------------------------ */

static struct dataset *part(const struct dataset *data, size_t from, size_t count)
{
    size_t row[400];
    struct dataset *made = NULL;
    for (size_t i = 0; i < count; i++)
        row[i] = from + i;
    CHECK(dataset_rows(data, row, count, &made, NULL) == TEMPER_OK);
    return made;
}

/* Keeps every loss on the validation rows that it is shown. */
struct losses {
    double least, last;
    size_t calls, at;
};

static int watch(void *context, const temper_train_progress *progress)
{
    struct losses *losses = context;
    losses->last = progress->validation;
    if (progress->validation < losses->least) {
        losses->least = progress->validation;
        losses->at = losses->calls;
    }
    losses->calls++;
    return 0;
}

/* The mean loss of the model on rows, by definition. */
static double loss_on(const temper_model *model, const struct dataset *rows)
{
    struct model plain = *made_inside(model);
    double gradient[256];
    plain.l2 = 0;
    return made_objective(&plain, 1, rows, gradient);
}

static void check_validation(enum matrix_kind kind, size_t classes, const char *scale)
{
    struct dataset *all = made_data(kind, 90, 12, classes);
    struct dataset *data = part(all, 0, 40), *valid = part(all, 40, 50);
    struct losses losses = {.least = INFINITY};
    temper_train_options options = made_options();
    temper_train_report report = {0};
    options.loss = (temper_loss_spec){.method = TEMPER_LOGISTIC};
    options.l2 = 0;
    options.solver = "lbfgs";
    options.precision = "f64";
    options.scale = scale;
    options.validation = made_public(valid);
    options.patience = 3;
    options.on_progress = watch;
    options.progress_context = &losses;
    temper_model *model = made_train(data, options, &report);
    CHECKF(report.stop == TEMPER_STOP_VALIDATION, "%s: %s", scale, temper_stop_name(report.stop));
    CHECK(losses.last > losses.least && report.validation == losses.least);
    CHECKF(losses.calls - 1 - losses.at == 3 || classes > 2, "%zu, %zu", losses.calls, losses.at);
    if (model) {
        CHECK_CLOSE(loss_on(model, valid), losses.least, 1e-7);
        CHECK_EQ_TEXT(made_inside(model)->training.stop, "validation");
    }
    temper_model_free(model);
    dataset_free(all);
    dataset_free(data);
    dataset_free(valid);
}

TEST(training_stops_where_the_validation_loss_was_least)
{
    static const char *const scales[] = {"none", "standard", "log"};
    for (size_t s = 0; s < 3; s++) {
        check_validation(MATRIX_F64, 2, scales[s]);
        check_validation(MATRIX_F64, 3, scales[s]);
        check_validation(MATRIX_CSR, 2, scales[s]);
    }
}

/* Counts the calls with a validation loss in other phases than the first start. */
static int watch_others(void *context, const temper_train_progress *progress)
{
    *(size_t *)context += strcmp(progress->phase, "start 1") != 0 && !isnan(progress->validation);
    return 0;
}

TEST(validation_is_of_the_first_start_alone)
{
    size_t others = 0;
    struct dataset *all = made_data(MATRIX_F64, 90, 12, 2);
    struct dataset *data = part(all, 0, 40), *valid = part(all, 40, 50);
    temper_train_options options = made_options();
    temper_train_report one = {0}, three = {0};
    options.l2 = 1e-6;
    options.solver = "lbfgs";
    options.validation = made_public(valid);
    options.patience = 2;
    temper_model *first = made_train(data, options, &one);
    options.starts = 3;
    options.on_progress = watch_others;
    options.progress_context = &others;
    temper_model *second = made_train(data, options, &three);
    CHECKF(others == 0, "%zu", others);
    CHECK(one.validation == three.validation && one.stop == three.stop);
    CHECK(one.objective == three.objective && three.iterations > one.iterations + 4);
    if (second)
        CHECK_CLOSE(loss_on(second, valid), three.validation, 1e-9);
    temper_model_free(first);
    temper_model_free(second);
    dataset_free(all);
    dataset_free(data);
    dataset_free(valid);
}

TEST(validation_rows_of_other_class_numbers_are_found_by_name)
{
    struct dataset *data = made_data(MATRIX_F64, 80, 3, 3), *valid = part(data, 0, 80);
    temper_train_options options = made_options();
    temper_train_report plain = {0}, renamed = {0};
    options.validation = made_public(valid);
    options.loss.method = TEMPER_LOGISTIC;
    temper_model_free(made_train(data, options, &plain));
    char *name = valid->classes.name[0];
    struct classes rotated = {0};
    CHECK(classes_add(&rotated, valid->classes.name[2], 1) == 0);
    CHECK(classes_add(&rotated, name, 1) == 1 && classes_add(&rotated, "1", 1) == 2);
    classes_free(&valid->classes);
    valid->classes = rotated;
    for (size_t i = 0; i < 80; i++)
        valid->label[i] = (valid->label[i] + 1) % 3; /* 2 0 1 */
    temper_model_free(made_train(data, options, &renamed));
    CHECK(isfinite(plain.validation) && plain.validation == renamed.validation);
    dataset_free(data);
    dataset_free(valid);
}

TEST(few_iterations_have_a_validation_loss_too)
{
    struct dataset *data = made_data(MATRIX_F64, 120, 3, 3);
    temper_train_options options = made_options();
    temper_train_report report = {0};
    options.validation = made_public(data);
    options.loss.method = TEMPER_LOGISTIC;
    options.tolerance = 0.1;
    options.l2 = 0.1;
    temper_model *model = made_train(data, options, &report);
    CHECKF(report.iterations < 6, "%zu", report.iterations);
    if (model)
        CHECK_CLOSE(report.validation, loss_on(model, data), 1e-6);
    temper_model_free(model);
    dataset_free(data);
}

TEST_LIST(LISTED(starts_that_disagree_are_a_warning), LISTED(the_start_of_the_lowest_objective_is_kept),
          LISTED(labels_that_are_wrong_far_from_the_boundary_are_a_warning),
          LISTED(other_starts_do_not_change_the_model), LISTED(training_stops_where_the_validation_loss_was_least),
          LISTED(validation_is_of_the_first_start_alone),
          LISTED(validation_rows_of_other_class_numbers_are_found_by_name),
          LISTED(few_iterations_have_a_validation_loss_too))
