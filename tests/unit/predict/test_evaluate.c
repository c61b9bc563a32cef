/* Evaluations against numbers worked out by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "data/dist/scatter_rows.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/thread_comm_fixture.h"
#include "fixtures/train_fixture.h"
#include "predict/evaluate.h"

/* Logistic, with log odds, or log probabilities, as features. */
static struct model *identity(size_t classes, temper_method method)
{
    static const char *const names[] = {"no", "yes", "maybe"};
    struct model *model = NULL;
    size_t vectors = classes == 2 ? 1 : classes;
    if (!CHECK(model_new(classes, vectors, &model, NULL) == TEMPER_OK))
        return NULL;
    model->loss = (temper_loss_spec){.method = method, .t1 = 1, .t2 = 1};
    for (size_t k = 0; k < vectors; k++)
        model->weights[k * vectors + k] = 1;
    for (size_t c = 0; c < classes; c++)
        classes_add(&model->classes, names[c], strlen(names[c]));
    return model;
}

/* All rows at once. */
static bool evaluate(const struct model *model, const struct dataset *data, temper_evaluation *evaluation)
{
    temper_evaluator *evaluator = NULL;
    temper_error error = {0};
    *evaluation = (temper_evaluation){0};
    return CHECK(temper_evaluator_new((const temper_model *)model, &evaluator, &error) == TEMPER_OK) &&
           CHECKF(temper_evaluator_add(evaluator, made_public(data), 1, &error) == TEMPER_OK, "%s", error.message) &&
           CHECKF(temper_evaluator_finish(evaluator, evaluation, &error) == TEMPER_OK, "%s", error.message);
}

static double log_odds(double p)
{
    return log(p / (1 - p));
}

TEST(two_classes_with_weights)
{
    /* p(yes), given:   0.9 yes    0.6 no    0.2 no    0.3 yes    of weights 1 2 3 4 */
    const double x[] = {log_odds(0.9), log_odds(0.6), log_odds(0.2), log_odds(0.3)};
    static const char *const labels[] = {"yes", "no", "no", "yes"};
    struct model *model = identity(2, TEMPER_LOGISTIC);
    struct dataset *data = table_make(MATRIX_F64, 4, 1, x, labels);
    temper_evaluation e;
    table_weigh(data, (const double[]){1, 2, 3, 4});
    if (!evaluate(model, data, &e))
        return;
    CHECK(e.rows == 4 && e.unknown == 0 && e.weight == 10 && e.classes == 2);
    CHECK_CLOSE(e.accuracy, 0.4, 1e-14);
    CHECK_CLOSE(e.balanced_accuracy, (3.0 / 5 + 1.0 / 5) / 2, 1e-14);
    double log_loss = -(log(0.9) + 2 * log(0.4) + 3 * log(0.8) + 4 * log(0.3)) / 10;
    CHECK_CLOSE(e.log_loss, log_loss, 1e-12);
    CHECK_CLOSE(e.loss, log_loss, 1e-12); /* it is the same loss */
    CHECK_CLOSE(e.brier, (0.01 + 2 * 0.36 + 3 * 0.04 + 4 * 0.49) / 10, 1e-12);
    /* Confidences 0.9 (right), 0.6 (wrong), 0.8 (right), 0.7 (wrong), each in a bin of its own. */
    CHECK_CLOSE(e.ece, (0.1 + 2 * 0.6 + 3 * 0.2 + 4 * 0.7) / 10, 1e-12);
    static const double confusion[] = {3, 2, 4, 1}; /* [given][predicted] */
    CHECK(table_same_bits(e.confusion, confusion, 4));
    temper_evaluation_free(&e);
    CHECK(e.confusion == NULL);
    model_free(model);
    dataset_free(data);
}

TEST(three_classes)
{
    static const double p[] = {0.7, 0.2, 0.1, 0.1, 0.3, 0.6, 0.25, 0.5, 0.25, 0.34, 0.33, 0.33};
    static const char *const labels[] = {"no", "yes", "yes", "no"};
    struct model *model = identity(3, TEMPER_LOGISTIC);
    double x[12];
    for (size_t i = 0; i < 12; i++)
        x[i] = log(p[i]);
    struct dataset *data = table_make(MATRIX_F64, 4, 3, x, labels);
    temper_evaluation e;
    if (!evaluate(model, data, &e))
        return;
    CHECK_CLOSE(e.accuracy, 0.75, 1e-14);
    CHECK_CLOSE(e.balanced_accuracy, (1 + 0.5) / 2, 1e-14); /* 'maybe' does not occur */
    CHECK_CLOSE(e.log_loss, -(log(0.7) + log(0.3) + log(0.5) + log(0.34)) / 4, 1e-12);
    double brier[] = {0.09 + 0.04 + 0.01, 0.01 + 0.49 + 0.36, 0.0625 + 0.25 + 0.0625, 0.66 * 0.66 + 2 * 0.33 * 0.33};
    CHECK_CLOSE(e.brier, (brier[0] + brier[1] + brier[2] + brier[3]) / 4, 1e-12);
    CHECK_CLOSE(e.ece, (0.3 + 0.6 + 0.5 + 0.66) / 4, 1e-12);
    /* 'maybe' does not occur, and is predicted once: no recall, and no area to rank it by; means are of the others. */
    CHECK(e.quality[2].precision == 0 && isnan(e.quality[2].recall) && e.quality[2].f1 == 0);
    CHECK(isnan(e.quality[2].auc) && isnan(e.quality[2].average_precision) && e.thresholds == NULL);
    CHECK_CLOSE(e.macro.recall, (1 + 0.5) / 2, 1e-14);
    CHECK_CLOSE(e.macro.precision, (1 + 1 + 0) / 3.0, 1e-14);
    CHECK_CLOSE(e.weighted.precision, 1, 1e-14);
    static const double confusion[] = {2, 0, 0, 0, 1, 1, 0, 0, 0};
    CHECK(table_same_bits(e.confusion, confusion, 9));
    temper_evaluation_free(&e);
    model_free(model);
    dataset_free(data);
}

/* The rows of two_classes_with_weights: yes is predicted for the rows of 0.9 (weight 1, right) and 0.6 (2, wrong). */
TEST(figures_of_classes_and_thresholds)
{
    const double x[] = {log_odds(0.9), log_odds(0.6), log_odds(0.2), log_odds(0.3)};
    static const char *const labels[] = {"yes", "no", "no", "yes"};
    struct model *model = identity(2, TEMPER_LOGISTIC);
    struct dataset *data = table_make(MATRIX_F64, 4, 1, x, labels);
    temper_evaluation e;
    table_weigh(data, (const double[]){1, 2, 3, 4});
    if (!evaluate(model, data, &e))
        return;
    const temper_class_quality *no = &e.quality[0], *yes = &e.quality[1];
    CHECK(yes->weight == 5 && yes->predicted == 3 && no->weight == 5 && no->predicted == 7);
    CHECK_CLOSE(yes->precision, 1.0 / 3, 1e-14);
    CHECK_CLOSE(yes->recall, 1.0 / 5, 1e-14);
    CHECK_CLOSE(yes->f1, 2.0 / 8, 1e-14);
    CHECK_CLOSE(no->precision, 3.0 / 7, 1e-14);
    CHECK_CLOSE(no->f1, 6.0 / 12, 1e-14);
    /* Of 25 pairs, 5 with the row of 0.9 and 4 * 3 with that of 0.3 are in order. */
    CHECK_CLOSE(yes->auc, 17.0 / 25, 1e-14);
    CHECK_CLOSE(no->auc, 17.0 / 25, 1e-14);
    CHECK_CLOSE(yes->average_precision, (1 * 1 + 4 * 5.0 / 7) / 5, 1e-14);
    CHECK_CLOSE(e.macro.f1, (0.25 + 0.5) / 2, 1e-14);
    CHECK_CLOSE(e.weighted.recall, (5 * 0.2 + 5 * 0.6) / 10, 1e-14);
    const temper_threshold *line = e.thresholds + TEMPER_THRESHOLDS + 1;
    CHECK(line[5].threshold == 0.5 && line[9].threshold == 0.9 && line[10].threshold == 0.95);
    CHECK_CLOSE(line[5].precision, 1.0 / 3, 1e-14);
    CHECK_CLOSE(line[5].flagged, 0.3, 1e-14);
    CHECK_CLOSE(line[2].recall, 1, 0); /* 0.2: all rows but none of less */
    CHECK(isnan(line[10].precision) && line[10].recall == 0 && line[10].f1 == 0 && line[10].flagged == 0);
    CHECK_CLOSE(line[TEMPER_THRESHOLDS].threshold, 0.3, 1e-12);
    CHECK_CLOSE(line[TEMPER_THRESHOLDS].f1, 10.0 / 12, 1e-14);
    CHECK(!e.grouped);
    temper_evaluation_free(&e);
    CHECK(e.quality == NULL && e.thresholds == NULL);
    model_free(model);
    dataset_free(data);
}

/* Rows in one bin are taken together: 0.7 wrong and 0.69 right. */
TEST(calibration_is_of_bins)
{
    const double x[] = {log_odds(0.7), log_odds(0.69)};
    static const char *const labels[] = {"no", "yes"};
    struct model *model = identity(2, TEMPER_LOGISTIC);
    struct dataset *data = table_make(MATRIX_F64, 2, 1, x, labels);
    temper_evaluation e;
    if (!evaluate(model, data, &e))
        return;
    CHECK_CLOSE(e.ece, (0.7 + 0.69 - 1) / 2, 1e-12);
    temper_evaluation_free(&e);
    model_free(model);
    dataset_free(data);
}

/* They are errors of the accuracy, and nothing to the rest. */
TEST(unknown_classes_count_as_errors)
{
    const double x[] = {log_odds(0.9), log_odds(0.6), log_odds(0.2)};
    static const char *const labels[] = {"yes", "other", "no"}, *const none[] = {"p", "q", "p"};
    struct model *model = identity(2, TEMPER_LOGISTIC);
    struct dataset *data = table_make(MATRIX_F64, 3, 1, x, labels);
    struct dataset *strange = table_make(MATRIX_F64, 3, 1, x, none);
    temper_evaluation e;
    table_weigh(data, (const double[]){1, 2, 1});
    if (!evaluate(model, data, &e))
        return;
    CHECK(e.rows == 3 && e.unknown == 1 && e.weight == 4);
    CHECK_CLOSE(e.accuracy, 0.5, 1e-14);
    CHECK_CLOSE(e.balanced_accuracy, 1, 1e-14);
    CHECK_CLOSE(e.log_loss, -(log(0.9) + log(0.8)) / 2, 1e-12);
    CHECK_CLOSE(e.ece, (0.1 + 0.2) / 2, 1e-12);
    temper_evaluation_free(&e);
    if (!evaluate(model, strange, &e))
        return;
    CHECK(e.unknown == 3 && e.accuracy == 0);
    CHECK(isnan(e.loss) && isnan(e.log_loss) && isnan(e.ece) && isnan(e.balanced_accuracy));
    CHECK(isnan(e.macro.precision) && isnan(e.quality[0].auc) && isnan(e.thresholds[0].flagged));
    temper_evaluation_free(&e);
    model_free(model);
    dataset_free(data);
    dataset_free(strange);
}

TEST(a_hinge_has_a_loss_and_no_calibration)
{
    static const double x[] = {0.5, -2, 3};
    static const char *const labels[] = {"yes", "no", "no"};
    struct model *model = identity(2, TEMPER_HINGE);
    struct dataset *data = table_make(MATRIX_F64, 3, 1, x, labels);
    temper_evaluation e;
    if (!evaluate(model, data, &e))
        return;
    CHECK_CLOSE(e.loss, (0.5 + 0 + 4) / 3, 1e-14);
    CHECK(isnan(e.log_loss) && isnan(e.brier) && isnan(e.ece));
    CHECK_CLOSE(e.quality[1].auc, 0.5, 1e-14); /* by the decision value: above -2, below 3 */
    CHECK(e.thresholds == NULL);
    temper_evaluation_free(&e);
    model_free(model);
    dataset_free(data);
}

/* A probability that is 0 costs as much as one of 1e-15. */
TEST(the_log_loss_has_an_end)
{
    static const double x[] = {-1e4, 1e4};
    static const char *const labels[] = {"yes", "yes"};
    struct model *model = identity(2, TEMPER_LOGISTIC);
    struct dataset *data = table_make(MATRIX_F64, 2, 1, x, labels);
    temper_evaluation e;
    if (!evaluate(model, data, &e))
        return;
    CHECK_CLOSE(e.log_loss, -log(1e-15) / 2, 1e-12);
    CHECK_CLOSE(e.loss, 1e4 / 2, 1e-12);
    temper_evaluation_free(&e);
    model_free(model);
    dataset_free(data);
}

TEST(batches_add_up)
{
    struct dataset *data = made_data(MATRIX_F32, 90, 3, 3), *other = made_data(MATRIX_CSR, 70, 3, 3);
    temper_model *model = made_train(data, made_options(), NULL);
    temper_evaluation one, two, both = {0};
    temper_evaluator *evaluator = NULL;
    if (!model || !evaluate(made_inside(model), data, &one) || !evaluate(made_inside(model), other, &two))
        return;
    CHECK(temper_evaluator_new(model, &evaluator, NULL) == TEMPER_OK);
    CHECK(temper_evaluator_add(evaluator, made_public(data), 1, NULL) == TEMPER_OK);
    CHECK(temper_evaluator_add(evaluator, made_public(other), 1, NULL) == TEMPER_OK);
    CHECK(temper_evaluator_finish(evaluator, &both, NULL) == TEMPER_OK);
    CHECK_CLOSE(both.accuracy, (90 * one.accuracy + 70 * two.accuracy) / 160, 1e-12);
    CHECK_CLOSE(both.log_loss, (90 * one.log_loss + 70 * two.log_loss) / 160, 1e-12);
    CHECK_CLOSE(both.loss, (90 * one.loss + 70 * two.loss) / 160, 1e-12);
    temper_evaluation_free(&one);
    temper_evaluation_free(&two);
    temper_evaluation_free(&both);
    temper_model_free(model);
    dataset_free(data);
    dataset_free(other);
}

/* More rows than are evaluated at a time, with weights: the same bits as of parts that the caller makes. */
TEST(many_rows_are_evaluated_in_parts)
{
    enum { MANY = 140000, PART = 30000 };
    struct dataset *data = made_data(MATRIX_F32, MANY, 3, 3), *few = made_data(MATRIX_F32, 90, 3, 3);
    temper_model *model = made_train(few, made_options(), NULL);
    double *weight = malloc(MANY * sizeof *weight);
    temper_evaluator *evaluator = NULL;
    temper_evaluation whole, parts = {0};
    if (!CHECK(data && model && weight))
        return;
    for (size_t row = 0; row < MANY; row++)
        weight[row] = 0.5 + (double)(row % 7);
    table_weigh(data, weight);
    CHECK(evaluate(made_inside(model), data, &whole));
    CHECK(temper_evaluator_new(model, &evaluator, NULL) == TEMPER_OK);
    for (size_t from = 0; from < MANY; from += PART) {
        struct dataset part = *data;
        part.x = matrix_slice(&data->x, from, MANY - from < PART ? MANY - from : PART);
        part.label += from;
        part.weight += from;
        CHECK(temper_evaluator_add(evaluator, made_public(&part), 1, NULL) == TEMPER_OK);
    }
    CHECK(temper_evaluator_finish(evaluator, &parts, NULL) == TEMPER_OK);
    CHECK(whole.rows == MANY && whole.rows == parts.rows && whole.accuracy == parts.accuracy);
    CHECKF(whole.loss == parts.loss, "%.17g, %.17g", whole.loss, parts.loss);
    CHECKF(whole.log_loss == parts.log_loss, "%.17g, %.17g", whole.log_loss, parts.log_loss);
    CHECKF(whole.brier == parts.brier, "%.17g, %.17g", whole.brier, parts.brier);
    temper_evaluation_free(&whole);
    temper_evaluation_free(&parts);
    temper_model_free(model);
    dataset_free(data);
    dataset_free(few);
    free(weight);
}

/* Many rows, some of them improbable and, for t2 < 1, outside the support: the mean loss beside the formulas, and the
 * same bits on several threads. */
static void check_losses(const struct model *model, const struct dataset *data, const double *x)
{
    enum { WIDE = 3 };
    temper_evaluator *evaluator = NULL;
    temper_evaluation one, three;
    double sum = 0, space[2 * WIDE];
    if (!evaluate(model, data, &one) ||
        !CHECK(temper_evaluator_new((const temper_model *)model, &evaluator, NULL) == TEMPER_OK) ||
        !CHECK(temper_evaluator_add(evaluator, made_public(data), 3, NULL) == TEMPER_OK) ||
        !CHECK(temper_evaluator_finish(evaluator, &three, NULL) == TEMPER_OK))
        return;
    for (size_t i = 0; i < (size_t)data->x.rows; i++)
        sum += model_row_loss(model, x + i * model->vectors, data->label[i], space);
    CHECK_CLOSE(one.loss, sum / (double)data->x.rows, 1e-12);
    CHECK(one.loss == three.loss && one.log_loss == three.log_loss && one.brier == three.brier && one.ece == three.ece);
    temper_evaluation_free(&one);
    temper_evaluation_free(&three);
}

TEST(losses_are_those_of_the_formulas)
{
    enum { MANY = 1500, WIDE = 3 };
    static const double t2[] = {0.6, 1, 1.4};
    static const char *const names[] = {"no", "yes", "maybe"};
    static double x[MANY * WIDE];
    static const char *labels[MANY];
    const struct random random = {.seed = 5};
    for (size_t i = 0; i < (size_t)MANY * WIDE; i++)
        x[i] = (i % 7 ? 1.5 : 30) * random_normal(random, i);
    for (size_t i = 0; i < sizeof t2 / sizeof *t2; i++)
        for (size_t classes = 2; classes <= WIDE; classes++) {
            for (size_t row = 0; row < MANY; row++)
                labels[row] = names[row < classes ? row : row * 5 % 11 % classes];
            struct model *model = identity(classes, TEMPER_TEMPERED);
            struct dataset *data = table_make(MATRIX_F64, MANY, classes == 2 ? 1 : classes, x, labels);
            model->loss.t1 = 0.4;
            model->loss.t2 = t2[i];
            check_losses(model, data, x);
            model_free(model);
            dataset_free(data);
        }
}

/* Trained with the weights it is evaluated with: what training reported. */
TEST(an_evaluation_of_the_training_rows_is_the_report)
{
    struct dataset *data = made_data(MATRIX_F64, 90, 3, 3);
    double weights[90];
    temper_train_report report = {0};
    for (size_t i = 0; i < 90; i++)
        weights[i] = 0.5 + (double)(i % 4);
    table_weigh(data, weights);
    temper_model *model = made_train(data, made_options(), &report);
    temper_evaluation e;
    if (!model || !evaluate(made_inside(model), data, &e))
        return;
    CHECK_CLOSE(e.loss, report.train_loss, 1e-9);
    CHECK_CLOSE(e.accuracy, report.accuracy, 1e-12);
    temper_evaluation_free(&e);
    temper_model_free(model);
    dataset_free(data);
}

TEST(nothing_to_evaluate_is_refused)
{
    static const double x[] = {1, 2};
    static const char *const labels[] = {"no", "yes"};
    struct model *model = identity(2, TEMPER_LOGISTIC);
    struct dataset *plain = table_make(MATRIX_F64, 2, 1, x, NULL);
    struct dataset *light = table_make(MATRIX_F64, 2, 1, x, labels);
    temper_evaluator *evaluator = NULL;
    temper_evaluation untouched = {.rows = 4711};
    temper_error error = {0};
    table_weigh(light, (const double[]){0, 0});
    for (int i = 0; i < 2; i++) {
        CHECK(temper_evaluator_new((const temper_model *)model, &evaluator, NULL) == TEMPER_OK);
        if (i == 0) {
            CHECK(temper_evaluator_add(evaluator, made_public(plain), 1, &error) == TEMPER_BAD_DATA);
            CHECKF(strstr(error.message, "table.csv: there are no labels"), "%s", error.message);
        } else {
            CHECK(temper_evaluator_add(evaluator, made_public(light), 1, &error) == TEMPER_OK);
        }
        CHECK(temper_evaluator_finish(evaluator, &untouched, &error) == TEMPER_BAD_DATA);
        CHECK(untouched.rows == 4711 && strstr(error.message, "no rows"));
    }
    model_free(model);
    dataset_free(plain);
    dataset_free(light);
}

/* Three processes with a third of the rows each find the bits of one that has all. */
struct evaluating_team {
    const struct model *model;
    size_t victim, failing; /* the rank whose allocation of this number, of rows that are added, fails; 0: none */
    temper_evaluation found[3];
    temper_status status[3];
};

static void evaluate_share(void *context, const temper_comm *comm)
{
    struct evaluating_team *team = context;
    struct dataset *data = made_data(MATRIX_F64, 100, 3, 3);
    temper_evaluator *evaluator = NULL;
    temper_status status = scatter_rows(data, comm, NULL);
    if (status == TEMPER_OK)
        status = temper_evaluator_new((const temper_model *)team->model, &evaluator, NULL);
    if (comm->rank == team->victim)
        fault_arm_here(team->failing);
    for (int batch = 0; status == TEMPER_OK && batch < 2; batch++)
        status = temper_evaluator_add(evaluator, made_public(data), 1, NULL);
    if (comm->rank == team->victim)
        fault_disarm();
    temper_status ended = temper_evaluator_finish(evaluator, &team->found[comm->rank], NULL);
    if (status != TEMPER_OK && ended == TEMPER_OK)
        temper_evaluation_free(&team->found[comm->rank]);
    status = status == TEMPER_OK ? ended : status;
    team->status[comm->rank] = status;
    dataset_free(data);
}

/* Every allocation of one process fails once, and all processes report it. */
TEST(several_processes_and_one_without_memory)
{
    struct dataset *data = made_data(MATRIX_F64, 100, 3, 3);
    temper_model *model = made_train(data, made_options(), NULL);
    struct evaluating_team team = {.model = made_inside(model)};
    for (team.victim = 0; model && team.victim < 3; team.victim++)
        for (team.failing = 1;; team.failing++) {
            team_run(3, evaluate_share, &team);
            bool fired = fault_fired();
            for (size_t r = 0; r < 3; r++) {
                CHECKF(team.status[r] == (fired ? TEMPER_NO_MEMORY : TEMPER_OK),
                       "allocation %zu of rank %zu: %d in %zu", team.failing, team.victim, (int)team.status[r], r);
                if (team.status[r] == TEMPER_OK)
                    temper_evaluation_free(&team.found[r]);
            }
            if (!fired)
                break;
        }
    temper_model_free(model);
    dataset_free(data);
}

TEST(several_processes_find_the_same)
{
    struct dataset *data = made_data(MATRIX_F64, 100, 3, 3);
    temper_model *model = made_train(data, made_options(), NULL);
    struct evaluating_team team = {.model = made_inside(model)}, alone = team;
    team_run(1, evaluate_share, &alone);
    team_run(3, evaluate_share, &team);
    CHECK(alone.status[0] == TEMPER_OK && alone.found[0].rows == 200 && alone.found[0].macro.auc > 0.5);
    for (size_t rank = 0; rank < 3; rank++) {
        const temper_evaluation *found = &team.found[rank];
        if (!CHECK(team.status[rank] == TEMPER_OK))
            continue;
        CHECK(found->accuracy == alone.found[0].accuracy && found->log_loss == alone.found[0].log_loss);
        CHECK(memcmp(found->quality, alone.found[0].quality, 3 * sizeof *found->quality) == 0);
        temper_evaluation_free(&team.found[rank]);
    }
    temper_evaluation_free(&alone.found[0]);
    temper_model_free(model);
    dataset_free(data);
}

static temper_status evaluate_with(const struct model *model, const struct dataset *data, temper_evaluation *evaluation)
{
    temper_evaluator *evaluator = NULL;
    temper_status status = temper_evaluator_new((const temper_model *)model, &evaluator, NULL);
    if (status != TEMPER_OK)
        return status;
    status = temper_evaluator_add(evaluator, made_public(data), 1, NULL);
    temper_status end = temper_evaluator_finish(evaluator, status == TEMPER_OK ? evaluation : NULL, NULL);
    return status == TEMPER_OK ? end : status;
}

/* Every allocation of an evaluation fails once; the figures are those of one that did not. */
TEST(no_memory_for_an_evaluation)
{
    struct dataset *data = made_data(MATRIX_F64, 60, 3, 3);
    temper_model *model = made_train(data, made_options(), NULL);
    temper_evaluation whole;
    if (!model || !evaluate(made_inside(model), data, &whole))
        return;
    for (size_t n = 1;; n++) {
        temper_evaluation e = {.rows = 4711};
        fault_arm(n);
        temper_status status = evaluate_with(made_inside(model), data, &e);
        fault_disarm();
        if (status == TEMPER_OK) {
            CHECK(e.loss == whole.loss && e.accuracy == whole.accuracy);
            temper_evaluation_free(&e);
        } else {
            CHECK(status == TEMPER_NO_MEMORY);
        }
        if (!fault_fired())
            break;
    }
    temper_evaluation_free(&whole);
    temper_model_free(model);
    dataset_free(data);
}

TEST_LIST(LISTED(two_classes_with_weights), LISTED(three_classes), LISTED(figures_of_classes_and_thresholds),
          LISTED(calibration_is_of_bins), LISTED(unknown_classes_count_as_errors),
          LISTED(a_hinge_has_a_loss_and_no_calibration), LISTED(the_log_loss_has_an_end), LISTED(batches_add_up),
          LISTED(many_rows_are_evaluated_in_parts), LISTED(losses_are_those_of_the_formulas),
          LISTED(an_evaluation_of_the_training_rows_is_the_report), LISTED(nothing_to_evaluate_is_refused),
          LISTED(several_processes_find_the_same), LISTED(several_processes_and_one_without_memory),
          LISTED(no_memory_for_an_evaluation))
