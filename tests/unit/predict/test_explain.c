/* Explanations: base and contributions add up to the score, for every scaling and kind of data; names and values are
 * those of the table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper_explain.h"
#include "temper_extra.h"

/* A table with numbers, categories, truth values, dates and frequent gaps; `classes` is 2 or 3. */
static temper_data *shop(size_t classes)
{
    static const char *const colours[] = {"red", "green", "blue"}, *const names[] = {"no", "yes", "maybe"};
    char text[1 << 14] = "age,colour,member,joined,income,bought\n", income[32];
    size_t at = strlen(text);
    temper_data *data = NULL;
    temper_error error = {0};
    temper_read_options options = temper_read_defaults();
    options.automatic = 1;
    for (size_t i = 0; i < 120; i++) {
        size_t age = 20 + i * 7 % 50, colour = i * 5 % 3;
        size_t label = (size_t)(age > 40) + (size_t)(classes == 3 && colour == 0);
        snprintf(income, sizeof income, "%zu", 1000 + i * 31 % 977);
        if (i % 3 == 0) /* a gap */
            income[0] = '\0';
        at += (size_t)snprintf(text + at, sizeof text - at, "%zu,%s,%s,2020-%02zu-%02zu,%s,%s\n", age, colours[colour],
                               i % 2 ? "yes" : "no", 1 + i % 12, 1 + i % 28, income, names[label]);
    }
    CHECKF(temper_data_read_memory("shop.csv", text, at, &options, &data, &error) == TEMPER_OK, "%s", error.message);
    return data;
}

static temper_model *trained(const temper_data *data, const char *scale)
{
    temper_model *model = NULL;
    temper_error error = {0};
    temper_train_options options = temper_train_defaults();
    options.scale = scale;
    options.calibrate = "none";
    CHECKF(temper_train(data, &options, &model, NULL, &error) == TEMPER_OK, "%s", error.message);
    return model;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* Whether contributions of features and of terms add up to the scores and margins of all rows. */
static void check_sums(const temper_model *model, const temper_data *data, size_t top)
{
    size_t rows = temper_data_rows(data), vectors = temper_model_weight_vectors(model);
    size_t width = temper_model_features(model) + 1;
    double *score = calloc(rows * vectors, sizeof *score), *all = calloc(rows * vectors * width, sizeof *all);
    temper_explainer *explainer = NULL;
    temper_explanation to = {top, calloc(rows, sizeof *to.rows), calloc(rows * top, sizeof *to.list)};
    CHECK(temper_predict(model, data, TEMPER_PREDICT_DECISIONS, 1, score, NULL) == TEMPER_OK);
    CHECK(temper_contributions(model, data, 2, all, NULL) == TEMPER_OK);
    CHECK(temper_explainer_new(model, &explainer, NULL) == TEMPER_OK);
    CHECK(temper_explain_rows(explainer, data, 2, &to, NULL) == TEMPER_OK);
    for (size_t i = 0; i < rows * vectors; i++) {
        double sum = 0;
        for (size_t j = 0; j < width; j++)
            sum += all[i * width + j];
        CHECK_NEAR(sum, score[i], 1e-9 * (1 + fabs(score[i])));
    }
    for (size_t r = 0; r < rows; r++) {
        const temper_row_explanation *row = &to.rows[r];
        double sum = row->base + row->rest;
        for (size_t i = 0; i < row->count; i++) {
            sum += to.list[r * top + i].contribution;
            CHECK(i == 0 || fabs(to.list[r * top + i].contribution) <= fabs(to.list[r * top + i - 1].contribution));
        }
        double margin =
            vectors == 1 ? fabs(score[r]) : score[r * vectors + row->predicted] - score[r * vectors + row->runner_up];
        CHECK_NEAR(sum, margin, 1e-9 * (1 + margin));
        CHECK(row->margin >= 0 && row->margin == margin && row->predicted != row->runner_up);
        for (size_t c = 0; c < vectors; c++) /* no other class is between the two */
            CHECK(vectors == 1 || c == row->predicted || score[r * vectors + c] <= score[r * vectors + row->runner_up]);
    }
    temper_explainer_free(explainer);
    free(to.rows);
    free(to.list);
    free(score);
    free(all);
}

TEST(contributions_add_up_to_scores)
{
    static const char *const scales[] = {"standard", "none", "minmax", "maxabs", "log", "pixels"};
    for (size_t classes = 2; classes <= 3; classes++)
        for (size_t s = 0; s < 6; s++) {
            temper_data *data = shop(classes);
            temper_model *model = trained(data, scales[s]);
            check_sums(model, data, s % 2 ? 2 : 100);
            temper_model_free(model);
            temper_data_free(data);
        }
}

TEST(all_kinds_of_matrices)
{
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
    for (size_t k = 0; k < 4; k++) {
        struct dataset *data = made_data(kinds[k], 70, 5, 3);
        temper_model *model = made_train(data, made_options(), NULL);
        check_sums(model, made_public(data), 3);
        temper_model_free(model);
        dataset_free(data);
    }
}

/* A dense model has means; rows of sparse data that lack columns, or have more, are explained by the model's. */
TEST(sparse_rows_of_a_dense_model)
{
    struct dataset *dense = made_data(MATRIX_F32, 70, 5, 2);
    temper_model *model = made_train(dense, made_options(), NULL);
    for (size_t columns = 3; columns <= 7; columns += 2) {
        struct dataset *sparse = made_data(MATRIX_CSR, 20, columns, 2);
        check_sums(model, made_public(sparse), 4);
        dataset_free(sparse);
    }
    temper_model_free(model);
    dataset_free(dense);
}

/* ---- Names and values ------------------------------------------------------------------------ */

static const temper_contribution *find(const temper_explanation *to, size_t row, const char *name)
{
    for (size_t i = 0; i < to->rows[row].count; i++)
        if (strcmp(to->list[row * to->top + i].name, name) == 0)
            return &to->list[row * to->top + i];
    return NULL;
}

TEST(names_and_values_are_those_of_the_table)
{
    enum { TOP = 20 };
    temper_data *data = shop(2), *other = NULL;
    temper_model *model = trained(data, "standard");
    temper_explainer *explainer = NULL;
    temper_row_explanation rows[3];
    temper_contribution list[3 * TOP];
    temper_explanation to = {TOP, rows, list};
    temper_batch_reader *reader = NULL;
    static const char text[] = "colour,age,member,joined,income\nred,33,yes,2020-03-04,\npink,50,no,2020-03-04,1200\n"
                               ",33,yes,2020-03-04,1100\n";
    scratch_enter();
    scratch_write("new.csv", text, sizeof text - 1);
    CHECK(temper_batch_reader_open(model, "new.csv", NULL, &reader, NULL) == TEMPER_OK);
    CHECK(temper_batch_reader_next(reader, &other, NULL) == TEMPER_OK);
    CHECK(temper_explainer_new(model, &explainer, NULL) == TEMPER_OK);
    CHECK(temper_explain_rows(explainer, other, 1, &to, NULL) == TEMPER_OK);
    CHECK_EQ_TEXT(find(&to, 0, "colour")->text, "red");
    CHECK_EQ_TEXT(find(&to, 1, "colour")->text, "another value");
    CHECK_EQ_TEXT(find(&to, 2, "colour")->text, "no value");
    CHECK_EQ_TEXT(find(&to, 0, "member")->text, "yes");
    CHECK_EQ_TEXT(find(&to, 0, "income is missing")->text, "yes");
    CHECK_EQ_TEXT(find(&to, 1, "income is missing")->text, "no");
    CHECK(find(&to, 0, "age")->text == NULL && find(&to, 0, "age")->value == 33);
    CHECK(find(&to, 1, "joined:month")->value == 3);
    const temper_contribution *income = find(&to, 0, "income"); /* filled with the mean, but for rounding to a float */
    CHECK(!income || fabs(income->contribution) < 1e-6);
    temper_explainer_free(explainer);
    temper_data_free(other);
    temper_batch_reader_close(reader);
    scratch_leave();
    temper_model_free(model);
    temper_data_free(data);
}

/* Means come from the scaling, or from the gaps that were filled with them; one of the two is enough. */
TEST(means_of_numbers_without_gaps)
{
    struct dataset *data = made_data(MATRIX_F64, 70, 5, 2);
    for (int scaled = 0; scaled < 2; scaled++) {
        temper_train_options options = made_options();
        temper_explainer *explainer = NULL;
        options.scale = scaled ? "standard" : "none";
        temper_model *model = made_train(data, options, NULL);
        CHECK(model && temper_explainer_new(model, &explainer, NULL) == TEMPER_OK);
        CHECK(temper_explainer_has_means(explainer) == scaled);
        temper_explainer_free(explainer);
        temper_model_free(model);
    }
    dataset_free(data);
}

/* Features of no weight have no effect, and are not listed, however many there is room for. */
TEST(features_without_an_effect_are_left_out)
{
    struct dataset *data = made_data(MATRIX_F64, 70, 5, 2);
    temper_train_options options = made_options();
    temper_explainer *explainer = NULL;
    temper_effect list[5];
    size_t count = 0, weights = 0;
    options.l1 = 0.1;
    temper_model *model = made_train(data, options, NULL);
    CHECK(model && temper_explainer_new(model, &explainer, NULL) == TEMPER_OK);
    for (size_t j = 0; model && j < 5; j++)
        weights += temper_model_weights(model, 0)[j] != 0;
    CHECKF(weights > 0 && weights < 5, "%zu", weights);
    CHECK(temper_explain_model(explainer, 0, 5, list, &count, NULL) == TEMPER_OK);
    CHECK_EQ_SIZE(count, weights);
    temper_explainer_free(explainer);
    temper_model_free(model);
    dataset_free(data);
}

TEST(effects_are_sorted_and_scaled)
{
    temper_data *data = shop(3);
    temper_model *model = trained(data, "standard");
    temper_explainer *explainer = NULL;
    temper_effect list[4];
    temper_error error;
    size_t count;
    CHECK(temper_explainer_new(model, &explainer, NULL) == TEMPER_OK);
    CHECK(temper_explainer_has_means(explainer) == 1);
    CHECK_EQ_TEXT(temper_explainer_step(explainer), "a standard deviation of the feature");
    for (size_t v = 0; v < 3; v++) {
        CHECK(temper_explain_model(explainer, v, 4, list, &count, NULL) == TEMPER_OK && count == 4);
        for (size_t i = 0; i < count; i++) {
            CHECK(list[i].weight == temper_model_weights(model, v)[list[i].feature]);
            CHECK(list[i].effect == list[i].weight * list[i].step && list[i].step > 0);
            CHECK(i == 0 || fabs(list[i].effect) <= fabs(list[i - 1].effect));
        }
    }
    CHECK(temper_explain_model(explainer, 3, 4, list, &count, &error) == TEMPER_USAGE);
    /* age, colour, member, joined by days, month and weekday, income and its gaps */
    CHECK_EQ_SIZE(temper_explainer_terms(explainer), 8);
    CHECK_EQ_TEXT(temper_explainer_term(explainer, 1), "colour");
    CHECK(temper_explainer_term(explainer, 8) == NULL);
    temper_explainer_free(explainer);
    temper_model_free(model);
    temper_data_free(data);
}

/* ---- Faults ---------------------------------------------------------------------------------- */

TEST(memory_runs_out)
{
    temper_data *data = shop(2);
    temper_model *model = trained(data, "standard");
    size_t rows = temper_data_rows(data), faults = 0;
    double *all = calloc(rows * (temper_model_features(model) + 1), sizeof *all);
    for (;; faults++) {
        fault_arm(faults + 1);
        temper_status status = temper_contributions(model, data, 1, all, NULL);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_NO_MEMORY);
    }
    CHECKF(faults > 20, "%zu", faults);
    free(all);
    temper_model_free(model);
    temper_data_free(data);
}

TEST(other_columns_are_refused)
{
    struct dataset *data = made_data(MATRIX_F32, 30, 5, 2), *narrow = made_data(MATRIX_F32, 30, 4, 2);
    temper_model *model = made_train(data, made_options(), NULL);
    double all[30 * 6];
    CHECK(temper_contributions(model, made_public(narrow), 1, all, NULL) == TEMPER_BAD_DATA);
    temper_model_free(model);
    dataset_free(data);
    dataset_free(narrow);
}

TEST_LIST(LISTED(contributions_add_up_to_scores), LISTED(all_kinds_of_matrices), LISTED(sparse_rows_of_a_dense_model),
          LISTED(names_and_values_are_those_of_the_table), LISTED(means_of_numbers_without_gaps),
          LISTED(features_without_an_effect_are_left_out), LISTED(effects_are_sorted_and_scaled),
          LISTED(memory_runs_out), LISTED(other_columns_are_refused))
