/* The low-rank preconditioner is the inverse of the matrix that its header defines. */
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
#include "train/preconditioner/preconditioner_batch.h"

enum { ROWS = 500, COLUMNS = 260, DIRECTIONS = 32, SAMPLE = 1024 };
static const double curvature = 0.25, l2 = 0.05;

struct made {
    struct dataset *data;
    struct scaled_features features;
    struct gram_preconditioners_spec spec;
};

static void made_new(struct made *made, const char *scale)
{
    *made = (struct made){.data = made_data(MATRIX_F64, ROWS, COLUMNS, 2)};
    CHECK(scaled_features_new(made->data, scale, 1, &made->features, NULL) == TEMPER_OK);
    made->spec = (struct gram_preconditioners_spec){
        .features = &made->features, .intercept = true, .few_fits = true, .threads = 1};
}

static void made_free(struct made *made)
{
    scaled_features_free(&made->features);
    dataset_free(made->data);
}

/* M x of preconditioner_batch.h, by its definition. */
static void multiply(const struct made *made, const double *x, double *out)
{
    static double direction[COLUMNS * DIRECTIONS], moments[DIRECTIONS * DIRECTIONS];
    struct pca_options how = {DIRECTIONS, SAMPLE, 0};
    double along[DIRECTIONS] = {0}, multiplied[DIRECTIONS] = {0}, total = made->features.scale.spread;
    CHECK(pca_find(made->data, scaled_features_scale(&made->features), how, direction, moments, NULL) == TEMPER_OK);
    for (size_t k = 0; k < DIRECTIONS; k++)
        total -= moments[k * DIRECTIONS + k];
    double rest = total / (COLUMNS - DIRECTIONS);
    for (size_t j = 0; j < COLUMNS; j++)
        for (size_t k = 0; k < DIRECTIONS; k++)
            along[k] += direction[j * DIRECTIONS + k] * x[j];
    for (size_t k = 0; k < DIRECTIONS; k++)
        for (size_t l = 0; l < DIRECTIONS; l++)
            multiplied[k] += moments[k * DIRECTIONS + l] * along[l];
    for (size_t j = 0; j < COLUMNS; j++) {
        out[j] = (curvature * rest + l2) * x[j];
        for (size_t k = 0; k < DIRECTIONS; k++)
            out[j] += curvature * direction[j * DIRECTIONS + k] * (multiplied[k] - rest * along[k]);
    }
    out[COLUMNS] = curvature * x[COLUMNS];
}

TEST(applying_it_undoes_the_multiplication)
{
    struct made made;
    struct lowrank_preconditioner *lowrank;
    static double v[COLUMNS + 1], x[COLUMNS + 1], back[COLUMNS + 1];
    made_new(&made, "standard");
    CHECK(lowrank_preconditioner_suits(&made.spec));
    for (size_t j = 0; j <= COLUMNS; j++)
        v[j] = x[j] = random_normal((struct random){5, 90}, j);
    if (CHECK(lowrank_preconditioner_new(&made.spec, curvature, &lowrank, NULL) == TEMPER_OK)) {
        double *factor = lowrank_preconditioner_factor(lowrank, kernel_best()->cholesky_update, l2);
        CHECK(factor != NULL);
        lowrank_preconditioner_apply(lowrank, factor, x);
        multiply(&made, x, back);
        for (size_t j = 0; j <= COLUMNS; j++)
            CHECK_NEAR(back[j], v[j], 1e-5);
        mem_free(factor);
        lowrank_preconditioner_free(lowrank);
    }
    made_free(&made);
}

TEST(only_a_few_fits_of_rows_around_their_means)
{
    struct made made;
    made_new(&made, "none");
    CHECK(!lowrank_preconditioner_suits(&made.spec));
    made_free(&made);
    made_new(&made, "standard");
    made.spec.few_fits = false;
    CHECK(!lowrank_preconditioner_suits(&made.spec));
    made_free(&made);
}

TEST(memory_ends)
{
    struct made made;
    size_t n = 0;
    made_new(&made, "standard");
    for (bool fired = true; fired;) {
        struct lowrank_preconditioner *lowrank = NULL;
        fault_arm(++n);
        temper_status status = lowrank_preconditioner_new(&made.spec, curvature, &lowrank, NULL);
        fault_disarm();
        fired = fault_fired();
        CHECK(status == (fired ? TEMPER_NO_MEMORY : TEMPER_OK));
        lowrank_preconditioner_free(lowrank);
    }
    CHECK(n > 4);
    made_free(&made);
}

/* Features that are all 0, without an intercept and a penalty: the matrix is 0, and has no factor; nor does the failed
 * attempt leave memory behind, which the sanitizers look for. */
TEST(a_matrix_of_zeros_has_no_factor)
{
    static const double zeros[8];
    static const char *const labels[] = {"a", "b", "a", "b"};
    struct made made = {.data = made_points(4, zeros, labels)};
    struct gram_preconditioners *batch = NULL;
    size_t number = 0;
    CHECK(scaled_features_new(made.data, "none", 1, &made.features, NULL) == TEMPER_OK);
    made.spec = (struct gram_preconditioners_spec){.features = &made.features,
                                                   .max_penalties = 2,
                                                   .loss = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
                                                   .threads = 1};
    if (CHECK(gram_preconditioners_new(&made.spec, &batch, NULL) == TEMPER_OK)) {
        CHECK(gram_preconditioners_find(batch, 0, &number, NULL) == TEMPER_OK && number == GRAM_PRECONDITIONERS_NONE);
        CHECK(gram_preconditioners_find(batch, 0.5, &number, NULL) == TEMPER_OK && number != GRAM_PRECONDITIONERS_NONE);
    }
    gram_preconditioners_free(batch);
    made_free(&made);
}

TEST_LIST(LISTED(a_matrix_of_zeros_has_no_factor), LISTED(applying_it_undoes_the_multiplication),
          LISTED(only_a_few_fits_of_rows_around_their_means), LISTED(memory_ends))
