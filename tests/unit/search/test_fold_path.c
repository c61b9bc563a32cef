/* A path of penalties on folds: each fit must be what a training on its rows alone gives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/subset.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper.h"

enum { ROWS = 330, COLUMNS = 6, FOLDS = 3, PENALTIES = 5, FITS = FOLDS * PENALTIES };
/* Columns for which a path has no Hessian: of dense rows, hardly more than rows; and of sparse ones. WIDER: dense rows
 * are fitted in their own space. */
enum { WIDE = 404, WIDE_SPARSE = 510, WIDER = 420 };

/* A path over made data, and what it fills. */
struct made_path {
    struct dataset *data;
    size_t columns;
    uint32_t fold[ROWS];
    double l2[FITS], *weights, intercepts[FITS], scores[PENALTIES * ROWS];
    double near; /* how far weights may be from those of cold trainings */
    size_t iterations[FITS];
    temper_stop stops[FITS];
    temper_train_options options;
    temper_fold_path path;
};

static struct made_path *path_new_of(enum matrix_kind kind, size_t columns, size_t classes)
{
    struct made_path *made = calloc(1, sizeof *made);
    made->data = made_data(kind, ROWS, columns, classes);
    made->columns = columns;
    made->weights = calloc(FITS * columns, sizeof *made->weights);
    made->near = 1e-6;
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

static struct made_path *path_new(enum matrix_kind kind, size_t classes)
{
    return path_new_of(kind, COLUMNS, classes);
}

/* More columns than rows: classes are separable, and weak penalties take long. */
static struct made_path *wide_new_of(enum matrix_kind kind, size_t columns)
{
    struct made_path *made = path_new_of(kind, columns, 2);
    for (size_t i = 0; i < FITS; i++)
        made->l2[i] = pow(0.3, (double)(i % PENALTIES)) * (1 + 0.01 * (double)(i / PENALTIES));
    made->options.max_iterations = 2000;
    made->options.tolerance = 1e-10;
    made->near = 1e-5;
    return made;
}

static struct made_path *wide_new(enum matrix_kind kind)
{
    return wide_new_of(kind, kind == MATRIX_CSR ? WIDE_SPARSE : WIDE);
}

static void path_free(struct made_path *made)
{
    free(made->weights);
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
    for (size_t j = 0; j < made->columns; j++)
        CHECKF(fabs(made->weights[fit * made->columns + j] - expected[j]) <= made->near, "fit %zu, weight %zu", fit, j);
    CHECK(temper_predict(cold, made_public(made->data), TEMPER_PREDICT_DECISIONS, 1, decision, &error) == TEMPER_OK);
    for (size_t row = 0; row < ROWS; row++)
        if (made->fold[row] == fold)
            CHECKF(fabs(made->scores[penalty * ROWS + row] - decision[row]) <= 10 * made->near, "fit %zu, row %zu", fit,
                   row);
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

TEST(so_are_fits_of_many_columns)
{
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_CSR};
    for (size_t k = 0; k < 5; k++) {
        struct made_path *made = k < 3 ? wide_new(kinds[k]) : wide_new_of(kinds[k % 3], WIDER);
        temper_error error;
        made->options.no_intercept = k == 1 || k == 4;
        CHECK(run(made, &error) == TEMPER_OK);
        for (size_t fit = 0; fit < FITS; fit += k == 0 ? 1 : 4)
            check_fit(made, fit);
        path_free(made);
    }
}

/* The largest entry of the gradient of a fit, of logistic regression by its definition. */
static double largest_entry(const struct made_path *made, size_t fit)
{
    const double *w = made->weights + fit * made->columns, *x = made->data->x.dense;
    double gradient[WIDER + 1] = {0}, rows = 0, largest = 0;
    for (size_t i = 0; i < ROWS; i++, x += made->columns) {
        double sign = made->data->label[i] ? 1 : -1, score = made->intercepts[fit];
        if (made->fold[i] == fit / PENALTIES)
            continue;
        for (size_t j = 0; j < made->columns; j++)
            score += w[j] * x[j];
        double residual = -sign / (1 + exp(sign * score));
        for (size_t j = 0; j < made->columns; j++)
            gradient[j] += residual * x[j];
        gradient[made->columns] += residual;
        rows++;
    }
    for (size_t j = 0; j <= made->columns; j++) {
        double penalty = j < made->columns ? made->l2[fit] * w[j] : 0;
        largest = fmax(largest, fabs(gradient[j] / rows + penalty));
    }
    return largest;
}

static size_t all_iterations(const struct made_path *made)
{
    size_t sum = 0;
    for (size_t i = 0; i < FITS; i++)
        sum += made->iterations[i];
    return sum;
}

TEST(fits_end_where_no_entry_of_the_gradient_is_larger)
{
    for (int wide = 0; wide < 3; wide++) {
        struct made_path *made = wide ? wide_new_of(MATRIX_F64, wide > 1 ? WIDER : WIDE) : path_new(MATRIX_F64, 2);
        temper_error error;
        CHECK(run(made, &error) == TEMPER_OK);
        size_t before = all_iterations(made), after = 0;
        double largest = 0;
        for (double limit = 1e-6; limit < 0.1; limit *= 100, before = after, largest = 0) {
            made->path.gradient_entry = limit;
            CHECK(run(made, &error) == TEMPER_OK);
            for (size_t fit = 0; fit < FITS; fit++) {
                CHECK(made->stops[fit] == TEMPER_STOP_CONVERGED);
                largest = fmax(largest, largest_entry(made, fit));
            }
            CHECKF(largest <= limit * (1 + 1e-9) && largest > limit / 1000, "%g beside %g", largest, limit);
            after = all_iterations(made);
            CHECKF(after < before, "%zu iterations, %zu before", after, before);
        }
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

static void check_threads(struct made_path *one, struct made_path *many)
{
    temper_error error;
    CHECK(run(one, &error) == TEMPER_OK);
    for (size_t threads = 2; threads < 6; threads += 3) {
        many->options.threads = threads;
        CHECK(run(many, &error) == TEMPER_OK);
        CHECK(memcmp(one->weights, many->weights, FITS * one->columns * sizeof *one->weights) == 0);
        CHECK(memcmp(one->scores, many->scores, sizeof one->scores) == 0);
    }
    path_free(one);
    path_free(many);
}

TEST(threads_change_no_bit)
{
    check_threads(path_new(MATRIX_F32, 2), path_new(MATRIX_F32, 2));
    check_threads(wide_new(MATRIX_F64), wide_new(MATRIX_F64));
    check_threads(wide_new(MATRIX_CSR), wide_new(MATRIX_CSR));
    check_threads(wide_new_of(MATRIX_F32, WIDER), wide_new_of(MATRIX_F32, WIDER));
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

/* Each allocation of a path fails once. */
static void check_no_memory(bool wide)
{
    for (size_t n = 1;; n += test_step(7)) {
        struct made_path *made = wide ? wide_new(MATRIX_CSR) : path_new(MATRIX_F64, 2);
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

TEST(no_memory_is_told)
{
    check_no_memory(false);
    check_no_memory(true);
}

TEST_LIST(LISTED(fits_are_those_of_cold_trainings), LISTED(so_are_fits_of_many_columns),
          LISTED(fits_end_where_no_entry_of_the_gradient_is_larger), LISTED(penalties_may_be_in_any_order),
          LISTED(threads_change_no_bit), LISTED(what_it_cannot_fit_is_refused), LISTED(the_caller_can_end_it),
          LISTED(no_memory_is_told))
