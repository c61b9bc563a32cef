/* Two classes by one number for each source and row: the same as by the formulas for any number of classes. */
#include <math.h>
#include <string.h>

#include "audit/noise/noise_binary.h"
#include "audit/noise/noise_likelihood.h"
#include "base/random.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

enum {
    ROWS = 1000,
    SOURCES = 3,
    PARAMETERS = 2 * SOURCES + 2
}; /* not a multiple of a block; slopes, an offset, a rate */

static double evidence[ROWS * SOURCES * 2];
static uint32_t given[ROWS];
static const double at[PARAMETERS] = {0.9, 0.3, 1.4, -0.4, -1.5, 0.8, 0.2, 0.1};

static struct noise_rows made_rows(void)
{
    struct random random = {1, 7};
    for (size_t i = 0; i < ROWS * SOURCES * 2; i++)
        evidence[i] = 3 * random_normal(random, i);
    for (size_t row = 0; row < ROWS; row++)
        given[row] = evidence[row * SOURCES * 2 + 1] + random_normal(random, row + ROWS * SOURCES * 2) >
                     evidence[row * SOURCES * 2];
    return (struct noise_rows){.evidence = evidence, .given = given, .rows = ROWS, .classes = 2, .sources = SOURCES};
}

/* Loss and gradient by either formula. */
static void evaluate(struct noise_fit *fit, bool general, double *loss, double *gradient)
{
    struct noise_binary *binary = fit->binary;
    if (general)
        fit->binary = NULL;
    CHECK(noise_log_loss(fit, at, loss, gradient) == TEMPER_OK);
    fit->binary = binary;
}

static void check_alike(struct noise_fit *fit, size_t parameters)
{
    double loss[2], gradient[2][PARAMETERS] = {{0}, {0}};
    evaluate(fit, false, &loss[0], gradient[0]);
    evaluate(fit, true, &loss[1], gradient[1]);
    CHECKF(fabs(loss[0] - loss[1]) <= 1e-9 * loss[1], "%.17g and %.17g", loss[0], loss[1]);
    for (size_t i = 0; i < parameters; i++)
        CHECKF(fabs(gradient[0][i] - gradient[1][i]) <= 1e-8 * ROWS, "%zu: %g and %g", i, gradient[0][i],
               gradient[1][i]);
}

TEST(likelihoods_of_uniform_noise_and_of_a_table)
{
    static const double table[] = {0.8, 0.2, 0.05, 0.95};
    struct noise_rows rows = made_rows();
    for (int calibrated = 0; calibrated < 2; calibrated++) {
        struct noise_fit fit;
        rows.calibrated = calibrated;
        if (!CHECK(noise_fit_new(&rows, &fit, NULL) == TEMPER_OK))
            return;
        CHECK(fit.binary && fit.offsets == (calibrated ? 0 : 1));
        fit.log_odds = -2;
        check_alike(&fit, SOURCES + fit.offsets);
        fit.free_rate = true;
        check_alike(&fit, SOURCES + fit.offsets + 1);
        fit.free_rate = false;
        fit.transition = table;
        check_alike(&fit, SOURCES + fit.offsets);
        noise_fit_free(&fit);
    }
}

TEST(likelihoods_of_correct_labels)
{
    struct noise_rows rows = made_rows();
    struct noise_fit fit;
    if (!CHECK(noise_fit_new(&rows, &fit, NULL) == TEMPER_OK))
        return;
    fit.correct = true;
    for (size_t i = 0; i < 4; i++) {
        fit.slopes = 1 + i % 2;
        fit.temperature = i < 2 ? 1 : 1.3;
        check_alike(&fit, noise_shared_parameters(&fit));
    }
    noise_fit_free(&fit);
}

/* Counts row by row. */
TEST(joint_counts)
{
    static const double table[] = {0.8, 0.2, 0.05, 0.95};
    static double prior[ROWS + 2 * NOISE_PAD];
    size_t next[2] = {0, 0}; /* rows are ordered by label, and padded after each */
    struct noise_rows rows = made_rows();
    struct noise_fit fit;
    double joint[4], expected[4] = {0};
    if (!CHECK(noise_fit_new(&rows, &fit, NULL) == TEMPER_OK))
        return;
    CHECK(noise_fill_priors(&fit, at, prior) == TEMPER_OK);
    for (size_t block = fit.blocks; block > 0; block--)
        if (fit.block[block - 1].given == 1)
            next[1] = fit.block[block - 1].first;
    for (size_t row = 0; row < ROWS; row++) {
        double margin = at[SOURCES];
        for (size_t k = 0; k < SOURCES; k++) {
            const double *e = evidence + (row * SOURCES + k) * 2;
            margin += at[k] * at[k] / fit.unit[k] * (e[1] - e[0]);
        }
        double second = 1 / (1 + exp(-margin)), p[2] = {1 - second, second};
        size_t g = given[row];
        CHECKF(fabs(prior[next[g]] - p[g]) <= 1e-11, "row %zu: %g and %g", row, prior[next[g]], p[g]);
        next[g]++;
        double all = p[0] * table[g] + p[1] * table[2 + g];
        expected[g] += p[0] * table[g] / all;
        expected[2 + g] += p[1] * table[2 + g] / all;
    }
    noise_binary_joint(&fit, prior, table, joint);
    for (size_t i = 0; i < 4; i++)
        CHECKF(fabs(joint[i] - expected[i]) <= 1e-8, "%zu: %g and %g", i, joint[i], expected[i]);
    noise_fit_free(&fit);
}

TEST(no_memory_is_told)
{
    struct noise_rows rows = made_rows();
    for (size_t n = 1;; n++) {
        struct noise_fit fit;
        fault_arm(n);
        temper_status status = noise_fit_new(&rows, &fit, NULL);
        fault_disarm();
        noise_fit_free(&fit);
        if (!fault_fired())
            break;
        CHECKF(status == TEMPER_NO_MEMORY, "allocation %zu", n);
    }
}

TEST_LIST(LISTED(likelihoods_of_uniform_noise_and_of_a_table), LISTED(likelihoods_of_correct_labels),
          LISTED(joint_counts), LISTED(no_memory_is_told))
