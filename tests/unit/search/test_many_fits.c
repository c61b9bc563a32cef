/* Many trainings over the same rows: each must be what training on its own rows alone gives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/split.h"
#include "data/subset.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "search/many_fits.h"
#include "tempered/loss_family.h"

enum { ROWS = 300, COLUMNS = 6, MOST_FITS = 12, MOST_VECTORS = 3, FOLDS = 3 };

/* What became of all fits of a job. */
struct ends {
    size_t count, size, activations;
    struct {
        size_t calls;
        double w[(COLUMNS + 1) * MOST_VECTORS], activation[ROWS * MOST_VECTORS];
    } fit[MOST_FITS];
    size_t steps_left; /* until goes_on says no; SIZE_MAX: never */
    temper_status answer;
};

static temper_status ended(void *context, const struct fit_end *end, temper_error *error)
{
    struct ends *ends = context;
    ends->count++;
    ends->fit[end->fit].calls++;
    memcpy(ends->fit[end->fit].w, end->w, ends->size * sizeof(double));
    memcpy(ends->fit[end->fit].activation, end->activation, ends->activations * sizeof(double));
    return ends->answer == TEMPER_OK ? TEMPER_OK : error_set(error, ends->answer, "as asked");
}

static bool goes_on(void *context)
{
    struct ends *ends = context;
    if (ends->steps_left == SIZE_MAX)
        return true;
    return ends->steps_left > 0 && ends->steps_left-- > 0;
}

/* Chains of three penalties for each fold, and one that sees all rows. */
static size_t made_fits(temper_loss_spec loss, struct fit_spec *fit)
{
    size_t count = 0;
    for (uint32_t part = 0; part < FOLDS; part++)
        for (size_t i = 0; i < 3; i++) {
            size_t after = i ? count - 1 : FIT_BEGINS_AT_ZERO;
            fit[count++] = (struct fit_spec){.loss = loss,
                                             .l2 = pow(0.1, (double)i + 1),
                                             .part = part,
                                             .after = after,
                                             .extrapolation = i == 2 ? 1 : 0};
        }
    fit[count++] = (struct fit_spec){.loss = loss, .l2 = 0.01, .part = FIT_SEES_ALL, .after = FIT_BEGINS_AT_ZERO};
    return count;
}

/* A job over made data; to be freed by job_free. */
struct made_job {
    struct dataset *data;
    struct scaled_features features;
    struct split split;
    struct fit_spec fit[MOST_FITS];
    temper_train_options options;
    struct fits_job job;
    struct ends *ends;
};

static void job_new(struct made_job *made, enum matrix_kind kind, size_t classes, temper_loss_spec loss)
{
    temper_error error;
    *made = (struct made_job){.data = made_data(kind, ROWS, COLUMNS, classes)};
    CHECK(split_folds(made->data, FOLDS, (struct split_options){1, true}, &made->split, &error) == TEMPER_OK);
    CHECK(scaled_features_new(made->data, "none", 1, &made->features, &error) == TEMPER_OK);
    made->options = made_options();
    made->options.tolerance = 1e-9;
    made->options.precision = "f64";
    made->ends = calloc(1, sizeof *made->ends);
    made->ends->size = fits_size(&made->features, &made->options);
    made->ends->activations = ROWS * fits_vectors(&made->features);
    made->ends->steps_left = SIZE_MAX;
    made->job = (struct fits_job){.features = &made->features,
                                  .partition = &made->split,
                                  .fit = made->fit,
                                  .count = made_fits(loss_resolve(loss), made->fit),
                                  .options = &made->options,
                                  .threads = 1,
                                  .ended = ended,
                                  .goes_on = goes_on,
                                  .context = made->ends};
}

static void job_free(struct made_job *made)
{
    free(made->ends);
    split_free(&made->split);
    scaled_features_free(&made->features);
    dataset_free(made->data);
}

/* Trains on the rows that the fit may see, and nothing else. */
static temper_model *train_apart(const struct made_job *made, const struct fit_spec *fit)
{
    size_t row[ROWS], count = 0;
    struct dataset *seen;
    temper_error error;
    temper_train_options options = made->options;
    for (size_t i = 0; i < ROWS; i++)
        if (fit->part == FIT_SEES_ALL || made->split.part[i] != fit->part)
            row[count++] = i;
    CHECK(dataset_rows(made->data, row, count, &seen, &error) == TEMPER_OK);
    options.loss = fit->loss;
    options.l2 = fit->l2;
    options.scale = "none";
    temper_model *model = made_train(seen, options, NULL);
    dataset_free(seen);
    return model;
}

static void check_fit(const struct made_job *made, size_t number)
{
    temper_model *apart = train_apart(made, &made->fit[number]);
    size_t vectors = temper_model_weight_vectors(apart);
    const double *w = made->ends->fit[number].w, *a = made->ends->fit[number].activation;
    CHECK_EQ_SIZE(made->ends->fit[number].calls, 1);
    for (size_t k = 0; k < vectors; k++) {
        const double *expected = temper_model_weights(apart, k);
        for (size_t j = 0; j < COLUMNS; j++)
            CHECKF(fabs(w[j * vectors + k] - expected[j]) <= 1e-6, "fit %zu, weight %zu of %zu", number, j, k);
    }
    double decision[ROWS * MOST_VECTORS];
    temper_error error;
    CHECK(temper_predict(apart, made_public(made->data), TEMPER_PREDICT_DECISIONS, 1, decision, &error) == TEMPER_OK);
    /* The intercepts of many classes may all be larger by the same. */
    for (size_t i = 0; i < ROWS * vectors; i++) {
        double shift = vectors > 1 ? a[0] - decision[0] : 0;
        CHECK(fabs(a[i] - shift - decision[i]) <= 1e-4);
    }
    temper_model_free(apart);
}

TEST(fits_are_what_training_on_their_rows_gives)
{
    static const temper_loss_spec losses[] = {
        {.method = TEMPER_LOGISTIC}, {.method = TEMPER_TEMPERED, .t1 = 0.7, .t2 = 1.2}, {.method = TEMPER_HINGE}};
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
    for (size_t k = 0; k < 4; k++)
        for (size_t classes = 2; classes < 4; classes++)
            for (size_t l = 0; l < (classes == 2 ? 3U : 2U); l++) {
                struct made_job made;
                temper_error error;
                bool finished = false;
                job_new(&made, kinds[k], classes, losses[l]);
                CHECK(fits_run(&made.job, &finished, &error) == TEMPER_OK && finished);
                for (size_t i = 0; i < made.job.count && losses[l].method != TEMPER_HINGE; i++)
                    check_fit(&made, i);
                CHECK_EQ_SIZE(made.ends->count, made.job.count);
                job_free(&made);
            }
}

/* Every allocation of batched fits, separate fits, and separate fits with a shared preconditioner. */
TEST(no_memory_is_told)
{
    for (size_t way = 0; way < 3; way++)
        for (size_t n = 1 + way % test_step(5);; n += test_step(5)) {
            struct made_job made;
            temper_error error;
            bool finished = true;
            job_new(&made, MATRIX_F32, way == 2 ? 3 : 2,
                    (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0.7, .t2 = 1});
            made.job.count = 5;
            made.options.max_iterations = 2;
            made.options.solver = way == 1 ? "newton" : NULL;
            fault_arm(n);
            temper_status status = fits_run(&made.job, &finished, &error);
            fault_disarm();
            job_free(&made);
            if (!fault_fired())
                break;
            CHECKF(status == TEMPER_NO_MEMORY && !finished, "allocation %zu", n);
        }
}

/* The two ways to the same optima. */
TEST(in_step_or_apart)
{
    struct made_job in_step, apart;
    temper_error error;
    bool finished = false;
    job_new(&in_step, MATRIX_F32, 2, (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0.7, .t2 = 1.2});
    job_new(&apart, MATRIX_F32, 2, (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = 0.7, .t2 = 1.2});
    apart.options.solver = "newton";
    CHECK(fits_run(&in_step.job, &finished, &error) == TEMPER_OK && finished);
    CHECK(fits_run(&apart.job, &finished, &error) == TEMPER_OK && finished);
    for (size_t i = 0; i < in_step.job.count; i++)
        for (size_t j = 0; j < in_step.ends->size; j++)
            CHECK(fabs(in_step.ends->fit[i].w[j] - apart.ends->fit[i].w[j]) <= 1e-6);
    job_free(&in_step);
    job_free(&apart);
}

TEST(fits_are_the_same_for_any_number_of_threads)
{
    static const temper_loss_spec loss = {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1};
    for (size_t classes = 2; classes < 4; classes++) {
        struct made_job one, many;
        temper_error error;
        bool finished = false;
        job_new(&one, MATRIX_F32, classes, loss);
        CHECK(fits_run(&one.job, &finished, &error) == TEMPER_OK && finished);
        for (size_t threads = 2; threads < 20; threads += 7) {
            job_new(&many, MATRIX_F32, classes, loss);
            many.job.threads = threads;
            CHECK(fits_run(&many.job, &finished, &error) == TEMPER_OK && finished);
            CHECK(memcmp(one.ends->fit, many.ends->fit, sizeof one.ends->fit) == 0);
            job_free(&many);
        }
        job_free(&one);
    }
}

/* Nor do the bits of a fit depend on which others there are. */
TEST(a_fit_does_not_know_the_others)
{
    static const temper_loss_spec loss = {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1};
    for (size_t classes = 2; classes < 4; classes++) {
        struct made_job all, few;
        temper_error error;
        bool finished = false;
        job_new(&all, MATRIX_F32, classes, loss);
        CHECK(fits_run(&all.job, &finished, &error) == TEMPER_OK && finished);
        for (size_t chain = 0; chain < FOLDS; chain++) {
            job_new(&few, MATRIX_F32, classes, loss);
            few.job.count = 3;
            memcpy(few.fit, all.fit + 3 * chain, 3 * sizeof *few.fit);
            for (size_t i = 1; i < 3; i++)
                few.fit[i].after = i - 1;
            CHECK(fits_run(&few.job, &finished, &error) == TEMPER_OK && finished);
            CHECK(memcmp(few.ends->fit, all.ends->fit + 3 * chain, 3 * sizeof *few.ends->fit) == 0);
            job_free(&few);
        }
        job_free(&all);
    }
}

TEST(fits_can_be_stopped)
{
    for (size_t steps = 0; steps < 36; steps += 7)
        for (size_t threads = 1; threads < 5; threads++) {
            struct made_job made;
            temper_error error;
            bool finished = true;
            /* Two classes in step; three apart, after a pilot. */
            job_new(&made, MATRIX_F64, threads < 3 ? 2 : 3, (temper_loss_spec){.method = TEMPER_LOGISTIC});
            made.ends->steps_left = steps;
            made.job.threads = threads;
            CHECK(fits_run(&made.job, &finished, &error) == TEMPER_OK && !finished);
            CHECK(made.ends->count < made.job.count);
            job_free(&made);
        }
}

TEST(a_caller_that_fails_ends_all)
{
    struct made_job made;
    temper_error error;
    bool finished = true;
    job_new(&made, MATRIX_F64, 2, (temper_loss_spec){.method = TEMPER_LOGISTIC});
    made.ends->answer = TEMPER_IO;
    CHECK(fits_run(&made.job, &finished, &error) == TEMPER_IO && !finished);
    CHECK_EQ_SIZE(made.ends->count, 1);
    CHECK(strstr(error.message, "as asked") != NULL);
    job_free(&made);
}

TEST_LIST(LISTED(fits_are_what_training_on_their_rows_gives), LISTED(no_memory_is_told), LISTED(in_step_or_apart),
          LISTED(fits_are_the_same_for_any_number_of_threads), LISTED(a_fit_does_not_know_the_others),
          LISTED(fits_can_be_stopped), LISTED(a_caller_that_fails_ends_all))
