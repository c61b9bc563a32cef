/* The maximum by way of a sample is that of all rows. */
#include "audit/noise/noise_posterior.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

enum { ROWS = 9000, CLASSES = 3, SOURCES = 3, PARAMETERS = SOURCES + CLASSES, ITERATIONS = 100 };

static double evidence[ROWS * SOURCES * CLASSES];
static uint32_t given[ROWS];

/* Evidence of different use, and one label in ten drawn at random. */
static struct noise_rows made_rows(size_t rows, size_t classes)
{
    struct random random = {3, 9};
    for (size_t i = 0; i < rows * SOURCES * classes; i++)
        evidence[i] = 2 * random_normal(random, i);
    for (size_t row = 0; row < rows; row++) {
        const double *e = evidence + row * SOURCES * classes;
        double most = -INFINITY;
        for (size_t c = 0; c < classes; c++) {
            double score = 2 * e[c] + 0.5 * e[classes + c] + random_normal((struct random){3, 10}, row * classes + c);
            given[row] = score > most ? (uint32_t)c : given[row];
            most = fmax(most, score);
        }
        if (random_uniform((struct random){3, 11}, row) < 0.1)
            given[row] = (uint32_t)(row % classes);
    }
    return (struct noise_rows){
        .evidence = evidence, .given = given, .rows = rows, .classes = classes, .sources = SOURCES, .threads = 1};
}

/* From slopes of 1 and a small rate. */
static void begin(const struct noise_search *search, double *w)
{
    for (size_t i = 0; i < PARAMETERS; i++)
        w[i] = i < SOURCES;
    w[noise_shared_parameters(&search->all)] = -2;
}

TEST(the_maximum_is_that_of_all_rows)
{
    for (size_t classes = 2; classes <= CLASSES; classes++) {
        struct noise_rows rows = made_rows(ROWS, classes);
        struct noise_search search;
        double w[2][PARAMETERS], posterior[2];
        if (!CHECK(noise_search_new(&rows, &search, NULL) == TEMPER_OK))
            return;
        CHECK(search.has_sample);
        search.all.free_rate = true;
        begin(&search, w[0]);
        begin(&search, w[1]);
        CHECK(noise_maximise(&search, NOISE_SEVERAL, ITERATIONS, w[0], &posterior[0], NULL) == TEMPER_OK);
        CHECK(noise_maximise(&search, NOISE_FAR, ITERATIONS, w[1], &posterior[1], NULL) == TEMPER_OK);
        CHECK(search.hessian == SOURCES + classes);
        CHECKF(fabs(posterior[0] - posterior[1]) < 0.01, "%g and %g", posterior[0], posterior[1]);
        for (size_t i = 0; i < SOURCES + classes; i++)
            CHECKF(fabs(w[0][i] - w[1][i]) < 0.02, "%zu: %g and %g", i, w[0][i], w[1][i]);
        CHECK(noise_maximise(&search, NOISE_AGAIN, ITERATIONS, w[0], &posterior[0], NULL) == TEMPER_OK);
        CHECKF(fabs(posterior[0] - posterior[1]) < 0.01, "%g and %g", posterior[0], posterior[1]);
        noise_search_free(&search);
    }
}

/* Evenly spread, with the units of all rows; its posterior estimates theirs. */
TEST(the_sample_stands_for_all_rows)
{
    struct noise_rows rows = made_rows(ROWS, 2);
    struct noise_search search;
    double w[PARAMETERS], posterior, of_sample;
    if (!CHECK(noise_search_new(&rows, &search, NULL) == TEMPER_OK))
        return;
    CHECK_CLOSE(search.sample.weight * (double)search.sample.rows->rows, ROWS, 1e-12);
    CHECK(memcmp(search.sample.unit, search.all.unit, sizeof search.all.unit) == 0);
    search.all.free_rate = true;
    begin(&search, w);
    CHECK(noise_maximise(&search, NOISE_SEVERAL, ITERATIONS, w, &posterior, NULL) == TEMPER_OK);
    CHECK(noise_maximise_sample(&search, NOISE_NEAR, ITERATIONS, w, &of_sample, NULL) == TEMPER_OK);
    CHECKF(fabs(of_sample / posterior - 1) < 0.1, "%g and %g", of_sample, posterior);
    noise_search_free(&search);
}

/* Where the value alone matters, fewer iterations find it to hundredths of a nat. */
TEST(small_gains_end_it)
{
    struct noise_rows rows = made_rows(ROWS, 2);
    struct noise_search search;
    double w[2][PARAMETERS], posterior[2];
    if (!CHECK(noise_search_new(&rows, &search, NULL) == TEMPER_OK))
        return;
    search.all.free_rate = true;
    for (size_t i = 0; i < 2; i++) {
        search.least_gain = i == 0 ? 0 : 0.01;
        begin(&search, w[i]);
        CHECK(noise_maximise(&search, NOISE_SEVERAL, ITERATIONS, w[i], &posterior[i], NULL) == TEMPER_OK);
    }
    CHECKF(fabs(posterior[0] - posterior[1]) < 0.05, "%g and %g", posterior[0], posterior[1]);
    CHECK(memcmp(w[0], w[1], sizeof w[0]) != 0);
    /* A gain that no iteration has ends it after the second. */
    search.least_gain = 1e9;
    begin(&search, w[1]);
    CHECK(noise_maximise(&search, NOISE_SEVERAL, ITERATIONS, w[1], &posterior[1], NULL) == TEMPER_OK);
    begin(&search, w[0]);
    search.least_gain = 0;
    CHECK(noise_maximise(&search, NOISE_SEVERAL, 2, w[0], &posterior[0], NULL) == TEMPER_OK);
    CHECK(posterior[0] == posterior[1]);
    noise_search_free(&search);
}

TEST(few_rows_have_no_sample)
{
    struct noise_rows rows = made_rows(1000, 2);
    struct noise_search search;
    double w[PARAMETERS], posterior;
    if (!CHECK(noise_search_new(&rows, &search, NULL) == TEMPER_OK))
        return;
    CHECK(!search.has_sample);
    begin(&search, w);
    CHECK(noise_maximise(&search, NOISE_FAR, ITERATIONS, w, &posterior, NULL) == TEMPER_OK);
    CHECK(isfinite(posterior) && search.hessian == 0);
    noise_search_free(&search);
}

TEST(no_memory_is_reported)
{
    struct noise_rows rows = made_rows(ROWS, 2);
    for (size_t n = 1;; n++) {
        struct noise_search search;
        fault_arm(n);
        temper_status status = noise_search_new(&rows, &search, NULL);
        fault_disarm();
        noise_search_free(&search);
        if (!fault_fired())
            break;
        CHECKF(status == TEMPER_NO_MEMORY, "allocation %zu", n);
    }
}

TEST_LIST(LISTED(the_maximum_is_that_of_all_rows), LISTED(the_sample_stands_for_all_rows), LISTED(small_gains_end_it),
          LISTED(few_rows_have_no_sample), LISTED(no_memory_is_reported))
