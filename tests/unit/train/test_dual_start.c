/* Trainings of sparse rows that begin with a dual coordinate ascent end where conjugate gradients end, on any number of
 * threads and after any interruption. */
#include <stdlib.h>
#include <unistd.h>

#include "fixtures/data/binary_format_fixture.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/model_fixture.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"

enum { ROWS = 300, COLUMNS = 520 }; /* more columns than Newton's method takes */

static temper_train_options dual_options(double tolerance)
{
    temper_train_options options = made_options();
    options.loss = (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};
    options.scale = "none";
    options.l2 = 2;
    options.tolerance = tolerance;
    return options;
}

TEST(the_end_is_that_of_conjugate_gradients)
{
    static const double tolerances[] = {0.1, 1e-4, 1e-8};
    struct dataset *data = made_data(MATRIX_CSR, ROWS, COLUMNS, 2);
    temper_train_options options = dual_options(1e-10);
    temper_train_report exact = {0}, found = {0};
    options.solver = "tron";
    temper_model_free(made_train(data, options, &exact));
    for (size_t i = 0; i < 3; i++) {
        options = dual_options(tolerances[i]);
        temper_model *model = made_train(data, options, &found);
        CHECK(found.stop == TEMPER_STOP_CONVERGED);
        CHECK_CLOSE(found.objective, exact.objective, 3e-3 * tolerances[i]);
        CHECK(made_gradient(made_inside(model), data) <= 1.01 * tolerances[i]);
        /* Epochs count as evaluations. */
        CHECK(found.evaluations > 4 && found.evaluations + found.products < exact.evaluations + exact.products);
        temper_model_free(model);
    }
    dataset_free(data);
}

/* Long rows, relative to the penalty: whether the ascent suffices, or is given up and the objective made again. */
TEST(weaker_penalties_end_there_too)
{
    static const double penalties[] = {0.5, 0.1, 0.025, 0.01};
    struct dataset *few = made_data(MATRIX_CSR, ROWS, COLUMNS, 2), *many = made_data(MATRIX_CSR, 6 * ROWS, COLUMNS, 2);
    for (size_t i = 0; i < 4; i++) {
        const struct dataset *data = i < 3 ? few : many;
        temper_train_options options = dual_options(1e-3);
        temper_train_report exact = {0}, found = {0};
        options.l2 = penalties[i];
        temper_model *model = made_train(data, options, &found);
        CHECK(found.stop == TEMPER_STOP_CONVERGED);
        CHECK(made_gradient(made_inside(model), data) <= 1.01e-3);
        temper_model_free(model);
        check_same_on_threads(data, options);
        options.solver = "tron";
        options.tolerance = 1e-8;
        temper_model_free(made_train(data, options, &exact));
        CHECK_CLOSE(found.objective, exact.objective, 3e-6);
    }
    dataset_free(few);
    dataset_free(many);
}

TEST(a_solver_that_was_asked_for_and_other_starts_do_without)
{
    struct dataset *data = made_data(MATRIX_CSR, ROWS, COLUMNS, 2);
    temper_train_options options = dual_options(0.1);
    temper_train_report report = {0};
    temper_model *model = made_train(data, options, &report);
    CHECK(report.iterations == 0);
    options.solver = "tron";
    temper_model_free(made_train(data, options, &report));
    CHECK(report.iterations > 0);
    options.solver = NULL;
    options.init = "normal:0.01";
    temper_model_free(made_train(data, options, &report));
    CHECK(report.iterations > 0);
    temper_model_free(model);
    dataset_free(data);
}

TEST(any_number_of_threads_has_the_same_bits)
{
    struct dataset *data = made_data(MATRIX_CSR, ROWS, COLUMNS, 2);
    check_same_on_threads(data, dual_options(1e-6));
    dataset_free(data);
}

/* From the start of the solver, and from iterations after it. */
static void check_resumed(const struct dataset *data, temper_train_options options, size_t most)
{
    temper_model *wanted = made_train(data, options, NULL);
    options.checkpoint = "going.resume";
    options.checkpoint_seconds = 0;
    for (size_t after = 1; after < most; after++) {
        struct made_stop stop = {.after = after};
        temper_train_report report = {0};
        options.resume = 0;
        options.on_progress = made_follow;
        options.progress_context = &stop;
        unlink(options.checkpoint);
        temper_model_free(made_train(data, options, NULL));
        options.resume = 1;
        options.on_progress = NULL;
        temper_model *resumed = made_train(data, options, &report);
        CHECKF(model_same(made_inside(resumed), made_inside(wanted)), "stopped after %zu", after);
        temper_model_free(resumed);
    }
    temper_model_free(wanted);
}

SCRATCH_TEST(a_resumed_training_has_the_same_bits)
{
    struct dataset *data = made_data(MATRIX_CSR, ROWS, COLUMNS, 2);
    check_resumed(data, dual_options(1e-8), 4);
    dataset_free(data);
}

/* ---- Many columns of few entries: copies of the rows are made only where the ascent is not the end ------------ */

enum { THIN_ROWS = 700, THIN_COLUMNS = 600 };

/* Seven entries a row and a column. */
static struct dataset *thin_data(void)
{
    double *value = calloc((size_t)THIN_ROWS * THIN_COLUMNS, sizeof *value);
    const char **label = malloc(THIN_ROWS * sizeof *label);
    for (size_t i = 0; value && label && i < THIN_ROWS; i++) {
        label[i] = (i * 5 % 7 < 3) != (i % 11 == 0) ? "1" : "0";
        for (size_t j = 0; j < THIN_COLUMNS; j++)
            if ((31 * i + 17 * j) % 97 == 0)
                value[i * THIN_COLUMNS + j] = 1 + (double)((i + j) % 7);
    }
    struct dataset *made = table_make(MATRIX_CSR, THIN_ROWS, THIN_COLUMNS, value, label);
    free(value);
    free((void *)label);
    return made;
}

TEST(thin_rows_end_there_with_copies_and_without)
{
    static const struct {
        double l2, tolerance;
        bool suffices; /* the ascent: no copies are made */
    } cases[] = {{0.05, 0.1, true}, {0.02, 1e-3, true}, {0.002, 1e-8, false}};
    struct dataset *data = thin_data();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        temper_train_options options = dual_options(cases[i].tolerance);
        temper_train_report exact = {0}, found = {0};
        options.l2 = cases[i].l2;
        temper_model *model = made_train(data, options, &found);
        CHECK(found.stop == TEMPER_STOP_CONVERGED);
        CHECKF((found.products == 0) == cases[i].suffices, "%zu: %zu products", i, found.products);
        CHECK(made_gradient(made_inside(model), data) <= 1.01 * cases[i].tolerance);
        temper_model_free(model);
        check_same_on_threads(data, options);
        options.solver = "tron";
        options.tolerance = 1e-9;
        temper_model_free(made_train(data, options, &exact));
        CHECK_CLOSE(found.objective, exact.objective, 3e-3 * cases[i].tolerance + 1e-12);
    }
    dataset_free(data);
}

SCRATCH_TEST(resumed_trainings_of_thin_rows_have_the_same_bits)
{
    struct dataset *data = thin_data();
    temper_train_options options = dual_options(0.1);
    options.l2 = 0.05;
    check_resumed(data, options, 2);
    options = dual_options(1e-8);
    options.l2 = 0.002;
    check_resumed(data, options, 4);
    dataset_free(data);
}

/* ---- Beyond 2^20 entries an epoch costs more, and fewer of them may be needed ----------------------------------- */

/* A thousand columns; about 933 entries a row. */
static struct dataset *long_rows(size_t rows)
{
    enum { LONG_COLUMNS = 1000 };
    double *value = calloc(rows * LONG_COLUMNS, sizeof *value);
    const char **label = malloc(rows * sizeof *label);
    for (size_t i = 0; value && label && i < rows; i++) {
        label[i] = (i * 5 % 7 < 3) != (i % 11 == 0) ? "1" : "0";
        for (size_t j = 0; j < LONG_COLUMNS; j++) {
            double size = (double)((i * 7919 + j * 104729 + i * j * 31) % 7);
            value[i * LONG_COLUMNS + j] = 1 + ((i * 13 + j * 17 + i * i * j) % 2 ? size : -size);
        }
    }
    struct dataset *made = table_make(MATRIX_CSR, rows, LONG_COLUMNS, value, label);
    free(value);
    free((void *)label);
    return made;
}

/* About 16 epochs would do for the tolerance of 1e-6: too many of large data, but not of less. */
TEST(few_epochs_of_large_data)
{
    static const struct {
        size_t rows;
        double tolerance;
        bool suffices; /* the ascent */
    } cases[] = {{1500, 0.1, true}, {1500, 1e-6, false}, {1000, 1e-6, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dataset *data = long_rows(cases[i].rows);
        temper_train_options options = dual_options(cases[i].tolerance);
        temper_train_report found = {0};
        options.l2 = 1e5;
        CHECK((data->x.nonzeros > 1 << 20) == (cases[i].rows == 1500));
        temper_model *model = made_train(data, options, &found);
        CHECK(found.stop == TEMPER_STOP_CONVERGED);
        CHECKF((found.products == 0) == cases[i].suffices, "%zu: %zu products", i, found.products);
        CHECKF((found.evaluations > 12) == (i == 2), "%zu: %zu evaluations", i, found.evaluations);
        CHECK(made_gradient(made_inside(model), data) <= 1.01 * cases[i].tolerance);
        temper_model_free(model);
        dataset_free(data);
    }
}

TEST(a_lack_of_memory_is_reported)
{
    struct dataset *data = made_data(MATRIX_CSR, 20, COLUMNS, 2);
    temper_train_options options = dual_options(0.1);
    size_t n = 1;
    for (bool fired = true; fired; n++) {
        temper_error error = {0};
        temper_model *model = NULL;
        fault_arm(n);
        temper_status status = temper_train(made_public(data), &options, &model, NULL, &error);
        fault_disarm();
        fired = fault_fired();
        CHECKF(status == (model ? TEMPER_OK : TEMPER_NO_MEMORY), "allocation %zu: %s", n, error.message);
        temper_model_free(model);
    }
    CHECK(n > 20);
    dataset_free(data);
}

TEST_LIST(LISTED(the_end_is_that_of_conjugate_gradients), LISTED(weaker_penalties_end_there_too),
          LISTED(a_solver_that_was_asked_for_and_other_starts_do_without),
          LISTED(any_number_of_threads_has_the_same_bits), LISTED(a_resumed_training_has_the_same_bits),
          LISTED(thin_rows_end_there_with_copies_and_without),
          LISTED(resumed_trainings_of_thin_rows_have_the_same_bits), LISTED(few_epochs_of_large_data),
          LISTED(a_lack_of_memory_is_reported))
