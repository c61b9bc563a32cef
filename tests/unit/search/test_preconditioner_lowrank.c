/* A metric of a few directions: what it divides by is what it says it is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "kernel/dispatch/kernel.h"
#include "objective/gram/pca.h"
#include "search/preconditioner_lowrank.h"

enum { ROWS = 500, COLUMNS = 260, DIRECTIONS = 32, SAMPLE = 1024 };
static const double bend = 0.25, l2 = 0.05;

struct made {
    struct dataset *data;
    struct scaled_features ground;
    temper_train_options options;
    struct fits_job job;
};

static void made_new(struct made *made, const char *scale)
{
    *made = (struct made){.data = made_data(MATRIX_F64, ROWS, COLUMNS, 2)};
    CHECK(scaled_features_new(made->data, scale, 1, &made->ground, NULL) == TEMPER_OK);
    made->options = made_options();
    made->job = (struct fits_job){.features = &made->ground, .options = &made->options, .threads = 1, .few = true};
}

static void made_free(struct made *made)
{
    scaled_features_free(&made->ground);
    dataset_free(made->data);
}

/* M x of principal.h, by its definition. */
static void multiply(const struct made *made, const double *x, double *out)
{
    static double direction[COLUMNS * DIRECTIONS], moments[DIRECTIONS * DIRECTIONS];
    struct pca_options how = {DIRECTIONS, SAMPLE, 0};
    double along[DIRECTIONS] = {0}, turned[DIRECTIONS] = {0}, total = made->ground.scale.spread;
    CHECK(pca_find(made->data, scaled_features_scale(&made->ground), how, direction, moments, NULL) == TEMPER_OK);
    for (size_t k = 0; k < DIRECTIONS; k++)
        total -= moments[k * DIRECTIONS + k];
    double rest = total / (COLUMNS - DIRECTIONS);
    for (size_t j = 0; j < COLUMNS; j++)
        for (size_t k = 0; k < DIRECTIONS; k++)
            along[k] += direction[j * DIRECTIONS + k] * x[j];
    for (size_t k = 0; k < DIRECTIONS; k++)
        for (size_t l = 0; l < DIRECTIONS; l++)
            turned[k] += moments[k * DIRECTIONS + l] * along[l];
    for (size_t j = 0; j < COLUMNS; j++) {
        out[j] = (bend * rest + l2) * x[j];
        for (size_t k = 0; k < DIRECTIONS; k++)
            out[j] += bend * direction[j * DIRECTIONS + k] * (turned[k] - rest * along[k]);
    }
    out[COLUMNS] = bend * x[COLUMNS];
}

TEST(turning_undoes_the_metric)
{
    struct made made;
    struct lowrank_preconditioner *principal;
    static double v[COLUMNS + 1], x[COLUMNS + 1], back[COLUMNS + 1];
    made_new(&made, "standard");
    CHECK(lowrank_preconditioner_suits(&made.job));
    for (size_t j = 0; j <= COLUMNS; j++)
        v[j] = x[j] = random_normal((struct random){5, 90}, j);
    if (CHECK(lowrank_preconditioner_new(&made.job, bend, &principal, NULL) == TEMPER_OK)) {
        double *factor = lowrank_preconditioner_factor(principal, kernel_best()->panel, l2);
        CHECK(factor != NULL);
        lowrank_preconditioner_apply(principal, factor, x);
        multiply(&made, x, back);
        for (size_t j = 0; j <= COLUMNS; j++)
            CHECK_NEAR(back[j], v[j], 1e-5);
        mem_free(factor);
        lowrank_preconditioner_free(principal);
    }
    made_free(&made);
}

TEST(only_a_few_fits_of_rows_around_their_means)
{
    struct made made;
    made_new(&made, "none");
    CHECK(!lowrank_preconditioner_suits(&made.job));
    made_free(&made);
    made_new(&made, "standard");
    made.job.few = false;
    CHECK(!lowrank_preconditioner_suits(&made.job));
    made_free(&made);
}

TEST(memory_ends)
{
    struct made made;
    size_t n = 0;
    made_new(&made, "standard");
    for (bool fired = true; fired;) {
        struct lowrank_preconditioner *principal = NULL;
        fault_arm(++n);
        temper_status status = lowrank_preconditioner_new(&made.job, bend, &principal, NULL);
        fault_disarm();
        fired = fault_fired();
        CHECK(status == (fired ? TEMPER_NO_MEMORY : TEMPER_OK));
        lowrank_preconditioner_free(principal);
    }
    CHECK(n > 4);
    made_free(&made);
}

TEST_LIST(LISTED(turning_undoes_the_metric), LISTED(only_a_few_fits_of_rows_around_their_means), LISTED(memory_ends))
