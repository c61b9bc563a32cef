/* A path of penalties on folds: each fit must be what a training on its rows alone gives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/subset.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper.h"

enum { ROWS = 300, COLUMNS = 6, FOLDS = 3, PENALTIES = 5, FITS = FOLDS * PENALTIES };

/* A path over made data, and what it fills. */
struct made_path {
    struct dataset *data;
    uint32_t fold[ROWS];
    double l2[FITS], weights[FITS * COLUMNS], intercepts[FITS], scores[PENALTIES * ROWS];
    size_t iterations[FITS];
    temper_stop stops[FITS];
    temper_train_options options;
    temper_fold_path path;
};

static struct made_path *path_new(enum matrix_kind kind, size_t classes)
{
    struct made_path *made = calloc(1, sizeof *made);
    made->data = made_data(kind, ROWS, COLUMNS, classes);
    for (size_t row = 0; row < ROWS; row++)
        made->fold[row] = (uint32_t)(row * row % 7 % FOLDS);
    for (size_t i = 0; i < FITS; i++) /* a little different for each fold, as of C and the rows of a fold */
        made->l2[i] = pow(0.1, (double)(i % PENALTIES) + 1) * (1 + 0.01 * (double)(i / PENALTIES));
    made->options = made_options();
    made->options.loss = (temper_loss_spec){.method = TEMPER_LOGISTIC};
    made->options.scale = "none";
    made->options.precision = "f64";
    made->options.tolerance = 1e-9;
    made->path = (temper_fold_path){.fold = made->fold,
                                    .folds = FOLDS,
                                    .penalties = PENALTIES,
                                    .l2 = made->l2,
                                    .weights = made->weights,
                                    .intercepts = made->intercepts,
                                    .iterations = made->iterations,
                                    .stops = made->stops,
                                    .scores = made->scores};
    return made;
}

static void path_free(struct made_path *made)
{
    dataset_free(made->data);
    free(made);
}

static temper_status run(struct made_path *made, temper_error *error)
{
    return temper_fit_folds(made_public(made->data), &made->options, &made->path, error);
}

/* Trains from W = 0 on the rows of one fit. */
static temper_model *train_cold(const struct made_path *made, size_t fold, double l2)
{
    size_t row[ROWS], count = 0;
    struct dataset *seen;
    temper_error error;
    temper_train_options options = made->options;
    for (size_t i = 0; i < ROWS; i++)
        if (made->fold[i] != fold)
            row[count++] = i;
    CHECK(dataset_rows(made->data, row, count, &seen, &error) == TEMPER_OK);
    options.l2 = l2;
    temper_model *model = made_train(seen, options, NULL);
    dataset_free(seen);
    return model;
}

static void check_fit(const struct made_path *made, size_t fit)
{
    size_t fold = fit / PENALTIES, penalty = fit % PENALTIES;
    temper_model *cold = train_cold(made, fold, made->l2[fit]);
    double decision[ROWS];
    temper_error error;
    const double *expected = temper_model_weights(cold, 0);
    for (size_t j = 0; j < COLUMNS; j++)
        CHECKF(fabs(made->weights[fit * COLUMNS + j] - expected[j]) <= 1e-6, "fit %zu, weight %zu", fit, j);
    CHECK(temper_predict(cold, made_public(made->data), TEMPER_PREDICT_DECISIONS, 1, decision, &error) == TEMPER_OK);
    for (size_t row = 0; row < ROWS; row++)
        if (made->fold[row] == fold)
            CHECKF(fabs(made->scores[penalty * ROWS + row] - decision[row]) <= 1e-5, "fit %zu, row %zu", fit, row);
    CHECK(made->stops[fit] == TEMPER_STOP_CONVERGED && made->iterations[fit] > 0);
    temper_model_free(cold);
}

TEST(fits_are_those_of_cold_trainings)
{
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
    for (size_t k = 0; k < 4; k++)
        for (int no_intercept = 0; no_intercept < 2; no_intercept++) {
            struct made_path *made = path_new(kinds[k], 2);
            temper_error error;
            made->options.no_intercept = no_intercept;
            CHECK(run(made, &error) == TEMPER_OK);
            for (size_t fit = 0; fit < FITS; fit++)
                check_fit(made, fit);
            path_free(made);
        }
}

TEST(penalties_may_be_in_any_order)
{
    struct made_path *falling = path_new(MATRIX_F64, 2), *rising = path_new(MATRIX_F64, 2);
    temper_error error;
    for (size_t i = 0; i < FITS; i++)
        rising->l2[i] = falling->l2[i / PENALTIES * PENALTIES + PENALTIES - 1 - i % PENALTIES];
    CHECK(run(falling, &error) == TEMPER_OK && run(rising, &error) == TEMPER_OK);
    for (size_t i = 0; i < FITS; i++) {
        size_t other = i / PENALTIES * PENALTIES + PENALTIES - 1 - i % PENALTIES;
        CHECK(fabs(falling->intercepts[i] - rising->intercepts[other]) <= 1e-6);
    }
    path_free(falling);
    path_free(rising);
}

TEST(threads_change_no_bit)
{
    struct made_path *one = path_new(MATRIX_F32, 2), *many = path_new(MATRIX_F32, 2);
    temper_error error;
    CHECK(run(one, &error) == TEMPER_OK);
    for (size_t threads = 2; threads < 6; threads += 3) {
        many->options.threads = threads;
        CHECK(run(many, &error) == TEMPER_OK);
        CHECK(memcmp(one->weights, many->weights, sizeof one->weights) == 0);
        CHECK(memcmp(one->scores, many->scores, sizeof one->scores) == 0);
    }
    path_free(one);
    path_free(many);
}

/* Must be refused with these words. */
static void check_refused(struct made_path *made, temper_status wanted, const char *words)
{
    temper_error error = {0};
    CHECKF(run(made, &error) == wanted, "%s: %s", words, error.message);
    CHECKF(strstr(error.message, words), "%s: %s", words, error.message);
    path_free(made);
}

TEST(what_it_cannot_fit_is_refused)
{
    check_refused(path_new(MATRIX_F64, 3), TEMPER_USAGE, "two classes");
    struct made_path *made = path_new(MATRIX_F64, 2);
    made->options.loss = (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1};
    check_refused(made, TEMPER_USAGE, "smooth convex losses");
    made = path_new(MATRIX_F64, 2);
    made->path.penalties = 0;
    check_refused(made, TEMPER_USAGE, "needs the fold of each row and penalties");
    made = path_new(MATRIX_F64, 2);
    made->path.scores = NULL;
    check_refused(made, TEMPER_USAGE, "one of them is NULL");
    made = path_new(MATRIX_F64, 2);
    made->l2[4] = NAN;
    check_refused(made, TEMPER_USAGE, "l2 must be a number");
    made = path_new(MATRIX_F64, 2);
    made->fold[7] = FOLDS;
    check_refused(made, TEMPER_USAGE, "fold");
    made = path_new(MATRIX_F64, 2);
    for (size_t row = 0; row < ROWS; row++) /* fold 1 has all rows of class 1 */
        made->fold[row] = made->data->label[row] == 1 ? 1 : (uint32_t)(row % 2 * 2);
    check_refused(made, TEMPER_BAD_DATA, "fold 2 has all rows of a class");
}

static int stop_at_once(void *context, const temper_train_progress *progress)
{
    *(size_t *)context = progress->max_iterations;
    return 1;
}

TEST(the_caller_can_end_it)
{
    struct made_path *made = path_new(MATRIX_F64, 2);
    temper_error error;
    size_t fits = 0;
    made->options.on_progress = stop_at_once;
    made->options.progress_context = &fits;
    CHECK(run(made, &error) == TEMPER_INTERRUPTED);
    CHECK_EQ_SIZE(fits, FITS);
    path_free(made);
}

TEST(no_memory_is_told)
{
    for (size_t n = 1;; n += test_step(7)) {
        struct made_path *made = path_new(MATRIX_F64, 2);
        temper_error error;
        made->options.max_iterations = 2;
        made->path.penalties = 2;
        fault_arm(n);
        temper_status status = run(made, &error);
        fault_disarm();
        path_free(made);
        if (!fault_fired())
            break;
        CHECKF(status == TEMPER_NO_MEMORY, "allocation %zu", n);
    }
}

TEST_LIST(LISTED(fits_are_those_of_cold_trainings), LISTED(penalties_may_be_in_any_order),
          LISTED(threads_change_no_bit), LISTED(what_it_cannot_fit_is_refused), LISTED(the_caller_can_end_it),
          LISTED(no_memory_is_told))
