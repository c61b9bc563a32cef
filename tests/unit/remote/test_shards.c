/* Rows cut into shards give the model of all rows; the same shards, the same bits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/tree_sum.h"
#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/data/shards_fixture.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "remote/shard_stats.h"
#include "temper_extra.h"

static temper_train_options tight_options(void)
{
    temper_train_options options = made_options();
    options.tolerance = 1e-10;
    options.solver = "lbfgs";
    return options;
}

/* The largest difference of two weights, relative to the largest weight. */
static double difference(const temper_model *a, const temper_model *b)
{
    double most = 0, apart = 0;
    for (size_t k = 0; k < temper_model_weight_vectors(a); k++)
        for (size_t j = 0; j <= temper_model_features(a); j++) {
            bool last = j == temper_model_features(a);
            double x = last ? temper_model_intercept(a, k) : temper_model_weights(a, k)[j];
            double y = last ? temper_model_intercept(b, k) : temper_model_weights(b, k)[j];
            most = fmax(most, fabs(x));
            apart = fmax(apart, fabs(x - y));
        }
    return apart / most;
}

static void check_cuts(const struct dataset *data, temper_train_options options, const char *what)
{
    temper_train_report whole_report, report = {0};
    temper_model *whole = made_train(data, options, &whole_report);
    for (size_t count = 1; whole && count <= MOST_SHARDS; count++) {
        temper_model *model = shards_model(data, count, &options, &report);
        if (!model)
            continue;
        CHECKF(difference(whole, model) < 1e-7, "%s, %zu shards: %g", what, count, difference(whole, model));
        CHECK_CLOSE(report.objective, whole_report.objective, 1e-12);
        CHECK_CLOSE(report.l2, whole_report.l2, 1e-12);
        CHECK_CLOSE(report.accuracy, whole_report.accuracy, 1e-12);
        CHECK(report.stop == TEMPER_STOP_CONVERGED);
        for (size_t c = 0; c < temper_model_classes(whole); c++)
            CHECK_EQ_TEXT(temper_model_class_name(model, c), temper_model_class_name(whole, c));
        temper_model_free(model);
    }
    temper_model_free(whole);
}

TEST(any_number_of_shards_gives_the_model_of_all_rows)
{
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
    char what[40];
    for (size_t k = 0; k < 4; k++)
        for (size_t classes = 2; classes < 5; classes += 2) {
            struct dataset *data = made_data(kinds[k], 300, 6, classes);
            snprintf(what, sizeof what, "kind %zu, %zu classes", k, classes);
            check_cuts(data, tight_options(), what);
            dataset_free(data);
        }
}

TEST(penalties_of_absolute_weights_give_the_model_of_all_rows)
{
    for (size_t classes = 2; classes < 4; classes++) {
        struct dataset *data = made_data(MATRIX_F64, 300, 8, classes);
        temper_train_options options = tight_options();
        options.l1 = 0.02;
        options.loss.t1 = 1;
        options.solver = "owlqn";
        options.tolerance = 1e-9;
        check_cuts(data, options, "l1");
        dataset_free(data);
    }
}

TEST(every_scaling_and_loss_gives_the_model_of_all_rows)
{
    static const char *const scales[] = {"none", "standard", "minmax", "maxabs", "pixels"};
    static const temper_loss_spec losses[] = {
        {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
        {.method = TEMPER_T_LOGISTIC, .t1 = 1, .t2 = 1.4},
        {.method = TEMPER_GCE, .t1 = 0.5, .t2 = 1},
        {.method = TEMPER_HINGE, .smoothing = 0.5},
        {.method = TEMPER_BREGMAN, .t1 = 0.7, .t2 = 1.2},
        {.method = TEMPER_SCE, .t1 = 1, .t2 = 1, .alpha = 0.1, .beta = 1, .log_zero = -4}};
    struct dataset *data = made_data(MATRIX_F64, 300, 5, 2);
    temper_train_options options = tight_options();
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        options.loss = (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};
        options.scale = scales[i % 5];
        options.l2 = 1e-3;
        check_cuts(data, options, scales[i % 5]);
        options.scale = NULL;
        options.loss = losses[i];
        options.l2 = 1e-2;
        check_cuts(data, options, temper_method_name(losses[i].method));
    }
    dataset_free(data);
}

TEST(weights_names_and_the_lack_of_an_intercept_arrive)
{
    struct dataset *data = made_data(MATRIX_F32, 200, 4, 3);
    double weights[200];
    temper_train_options options = tight_options();
    for (size_t i = 0; i < 200; i++)
        weights[i] = (double)(i % 5) / 3;
    table_weigh(data, weights);
    table_name_columns(data);
    check_cuts(data, options, "weights");
    options.no_intercept = 1;
    check_cuts(data, options, "no intercept");
    temper_model *model = shards_model(data, 3, &options, NULL);
    if (model) {
        double sum = 0;
        for (size_t i = 0; i < 200; i++)
            sum += weights[i];
        CHECK_EQ_TEXT(temper_model_feature_name(model, 3), "x4");
        CHECK(!made_inside(model)->intercept);
        CHECK(made_inside(model)->training.rows == 200);
        CHECK_CLOSE(made_inside(model)->training.weight_sum, sum, 1e-14);
    }
    temper_model_free(model);
    dataset_free(data);
}

TEST(a_sharp_hinge_and_other_starts_go_the_same_way)
{
    struct dataset *data = made_data(MATRIX_F64, 200, 4, 2);
    temper_train_options options = made_options();
    temper_train_report whole_report = {0}, report = {0};
    options.solver = "lbfgs";
    options.loss = (temper_loss_spec){.method = TEMPER_HINGE};
    temper_model *whole = made_train(data, options, &whole_report);
    temper_model *model = shards_model(data, 3, &options, &report);
    CHECK_CLOSE(report.objective, whole_report.objective, 2e-3);
    temper_model_free(model);
    temper_model_free(whole);
    options = made_options();
    options.starts = 3;
    whole = made_train(data, options, &whole_report);
    model = shards_model(data, 3, &options, &report);
    CHECK_CLOSE(report.objective, whole_report.objective, 1e-6);
    temper_model_free(model);
    temper_model_free(whole);
    dataset_free(data);
}

TEST(the_order_of_replies_changes_nothing)
{
    struct dataset *data = made_data(MATRIX_F32, 300, 7, 3);
    temper_train_options options = made_options();
    temper_model *model[2] = {NULL, NULL};
    for (size_t i = 0; i < 2; i++) {
        struct shards shards;
        temper_error error = {0};
        if (shards_cut(data, 5, &shards)) {
            shards.backwards = i == 1;
            CHECK(shards_prepare(&shards, &options, &error) == TEMPER_OK);
            CHECK(shards_train(&shards, &options, &model[i], NULL, &error) == TEMPER_OK);
        }
        shards_free(&shards);
    }
    CHECK(made_same_bytes(model[0], model[1]));
    temper_model_free(model[0]);
    temper_model_free(model[1]);
    dataset_free(data);
}

/* One shard has no row of class 2, the other none of class 0, and the numbers are not sorted. */
TEST(classes_that_a_shard_lacks_are_agreed)
{
    static const double x[] = {0, 1, 2, 3, 1, 2, 3, 5, 4, 6, 2, 7};
    static const int first[] = {7, 3, 7, 3, 3, 7}, second[] = {12, 3, 12, 12, 3, 12};
    struct shards shards = {.count = 2};
    temper_train_options options = made_options();
    temper_error error = {0};
    temper_model *model = NULL;
    CHECK(temper_data_from_f64(x, 6, 1, first, &shards.data[0], &error) == TEMPER_OK);
    CHECK(temper_data_from_f64(x + 6, 6, 1, second, &shards.data[1], &error) == TEMPER_OK);
    CHECK(shards_prepare(&shards, &options, &error) == TEMPER_OK);
    CHECKF(shards_train(&shards, &options, &model, NULL, &error) == TEMPER_OK, "%s", error.message);
    if (model) {
        CHECK_EQ_SIZE(temper_model_classes(model), 3);
        CHECK_EQ_TEXT(temper_model_class_name(model, 0), "3");
        CHECK_EQ_TEXT(temper_model_class_name(model, 2), "12");
    }
    temper_model_free(model);
    shards_free(&shards);
}

/* Weights of classes follow their classes into the order of numbers. */
TEST(weights_of_classes_are_sorted_with_them)
{
    static const char *const names[] = {"30", "4", "1", "20"};
    static const char *const sorted[] = {"1", "4", "20", "30"};
    static const double weights[] = {2, 1, 3, 0};
    struct shard_stats all = {.class_weight = malloc(4 * sizeof(double))};
    for (size_t c = 0; all.class_weight && c < 4; c++) {
        CHECK(classes_add(&all.classes, names[c], strlen(names[c])) == c);
        all.class_weight[c] = (double)c;
    }
    if (CHECK(all.class_weight != NULL) && CHECK(shard_stats_finish(&all, NULL) == TEMPER_OK))
        for (size_t c = 0; c < 4; c++) {
            CHECK_EQ_TEXT(all.classes.name[c], sorted[c]);
            CHECK(all.class_weight[c] == weights[c]);
        }
    shard_stats_free(&all);
}

/* The sum of all replies to one request. */
static void ask_all(struct shards *shards, temper_loss_spec loss, const double *w, double *sum)
{
    double answers[MOST_SHARDS][14];
    const double *answer[MOST_SHARDS];
    temper_shard_request request = {TEMPER_SHARD_GRADIENT, loss};
    temper_error error = {0};
    for (size_t s = 0; s < shards->count; s++) {
        answer[s] = answers[s];
        CHECK(temper_shard_reply(shards->shard[s], &request, w, answers[s], &error) == TEMPER_OK);
    }
    temper_shard_sum(answer, shards->count, 14, sum);
}

/* By differences of the loss. */
TEST(replies_add_up_to_the_loss_and_its_gradient)
{
    struct dataset *data = made_data(MATRIX_F64, 150, 3, 3);
    temper_train_options options = tight_options();
    temper_loss_spec loss = temper_loss_resolve(options.loss);
    struct shards shards;
    temper_error error = {0};
    double w[12], sum[14], up[14], down[14];
    if (shards_cut(data, 4, &shards) && CHECK(shards_prepare(&shards, &options, &error) == TEMPER_OK)) {
        CHECK_EQ_SIZE(temper_shard_plan_weight_count(shards.plan), 12);
        CHECK_EQ_SIZE(temper_shard_reply_length(shards.plan, TEMPER_SHARD_GRADIENT), 14);
        CHECK_EQ_SIZE(temper_shard_reply_length(shards.plan, TEMPER_SHARD_SQUARED_NORM), 1);
        for (size_t i = 0; i < 12; i++)
            w[i] = 0.1 * (double)(i % 5) - 0.2;
        ask_all(&shards, loss, w, sum);
        for (size_t i = 0; i < 12; i++) {
            double kept = w[i];
            w[i] = kept + 1e-5;
            ask_all(&shards, loss, w, up);
            w[i] = kept - 1e-5;
            ask_all(&shards, loss, w, down);
            w[i] = kept;
            CHECK_NEAR(sum[2 + i], (up[0] - down[0]) / 2e-5, 1e-8);
        }
    }
    shards_free(&shards);
    dataset_free(data);
}

SCRATCH_TEST(a_checkpoint_and_a_warm_start_work_over_shards)
{
    struct dataset *data = made_data(MATRIX_F64, 200, 5, 3);
    temper_train_options options = made_options();
    temper_train_report report = {0};
    temper_model *straight = shards_model(data, 3, &options, NULL);
    struct made_stop stop = {.after = 3};
    options.checkpoint = "shards.resume";
    options.checkpoint_seconds = 0;
    options.on_progress = made_follow;
    options.progress_context = &stop;
    temper_model_free(shards_model(data, 3, &options, &report));
    CHECK(report.stop == TEMPER_STOP_INTERRUPTED);
    options.on_progress = NULL;
    options.resume = 1;
    temper_model *resumed = shards_model(data, 3, &options, &report);
    CHECK(report.resumed);
    CHECK(straight && resumed && difference(straight, resumed) == 0);
    options = made_options();
    options.warm_start = straight;
    temper_model_free(shards_model(data, 3, &options, &report));
    CHECK(report.iterations <= 1);
    temper_model_free(straight);
    temper_model_free(resumed);
    dataset_free(data);
}

/* As tree_sum has it, for any number of vectors. */
TEST(a_reduction_adds_in_the_order_of_the_tree)
{
    enum { MOST = 70, LENGTH = 300 };
    double *numbers = malloc((size_t)MOST * LENGTH * sizeof *numbers), *vector[MOST];
    const double *given[MOST];
    double sum[LENGTH], wanted[LENGTH];
    if (!CHECK(numbers))
        return;
    for (size_t count = 1; count <= MOST; count++) {
        size_t first[2] = {0, count};
        struct holders holders = {NULL, first, NULL};
        for (size_t i = 0; i < count * LENGTH; i++)
            numbers[i] = sin((double)(i * i % 1009)) * pow(10, (double)(i % 17) - 8);
        for (size_t i = 0; i < count; i++)
            given[i] = vector[i] = numbers + i * LENGTH;
        temper_shard_sum(given, count, LENGTH, sum);
        CHECK(tree_sum(&holders, vector, LENGTH, wanted, NULL) == TEMPER_OK);
        CHECKF(table_same_bits(sum, wanted, LENGTH), "%zu vectors", count);
    }
    temper_shard_sum(NULL, 0, 2, sum);
    CHECK(sum[0] == 0 && sum[1] == 0);
    free(numbers);
}

TEST_LIST(LISTED(weights_of_classes_are_sorted_with_them), LISTED(any_number_of_shards_gives_the_model_of_all_rows),
          LISTED(penalties_of_absolute_weights_give_the_model_of_all_rows),
          LISTED(every_scaling_and_loss_gives_the_model_of_all_rows),
          LISTED(weights_names_and_the_lack_of_an_intercept_arrive),
          LISTED(a_sharp_hinge_and_other_starts_go_the_same_way), LISTED(the_order_of_replies_changes_nothing),
          LISTED(classes_that_a_shard_lacks_are_agreed), LISTED(replies_add_up_to_the_loss_and_its_gradient),
          LISTED(a_checkpoint_and_a_warm_start_work_over_shards), LISTED(a_reduction_adds_in_the_order_of_the_tree))
