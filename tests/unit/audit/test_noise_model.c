/* The noise model: rates, tables and slopes that were planted come back, within their range. */
#include <math.h>
#include <string.h>

#include "audit/noise_model.h"
#include "base/random.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

enum { MOST = 6000, CLASSES = 4, SOURCES = 2 };
static double evidence[MOST * SOURCES * CLASSES];
static uint32_t given[MOST];

/* Draws rows from the model: slopes 3 and 1, and the transition table. */
static struct noise_rows draw(size_t rows, size_t classes, const double *transition)
{
    for (size_t row = 0; row < rows; row++) {
        double p[CLASSES], sum = 0, u = random_uniform((struct random){1, 50}, row);
        double v = random_uniform((struct random){1, 51}, row);
        double *e = evidence + row * SOURCES * classes;
        uint32_t class = 0;
        for (size_t i = 0; i < SOURCES * classes; i++)
            e[i] = random_normal((struct random){1, 52}, row * SOURCES * classes + i);
        for (size_t c = 0; c < classes; c++)
            sum += p[c] = exp(3 * e[c] + e[classes + c]);
        while (class + 1 < classes && u * sum > p[class])
            u -= p[class ++] / sum;
        given[row] = 0;
        while (given[row] + 1 < classes && v > transition[class * classes + given[row]])
            v -= transition[class * classes + given[row]++];
    }
    return (struct noise_rows){evidence, given, rows, classes, SOURCES, false};
}

/* A table of uniform noise. */
static const double *uniform(size_t classes, double rate)
{
    static double table[CLASSES * CLASSES];
    for (size_t i = 0; i < classes * classes; i++)
        table[i] = i % (classes + 1) == 0 ? 1 - rate : rate / (double)(classes - 1);
    return table;
}

TEST(uniform_noise_comes_back)
{
    for (size_t classes = 2; classes <= CLASSES; classes++) {
        struct noise_rows rows = draw(MOST, classes, uniform(classes, 0.15));
        struct noise_estimate found;
        if (!CHECK(noise_model_fit(&rows, false, &found, NULL) == TEMPER_OK))
            continue;
        CHECK_NEAR(found.best.rate, 0.15, 0.03);
        CHECK_NEAR(found.best.slope[0], 3, 0.5);
        CHECK_NEAR(found.best.slope[1], 1, 0.25);
        CHECK(!found.best.transition);
        CHECK(found.low.rate < found.best.rate && found.best.rate < found.high.rate);
        CHECK_NEAR(found.high.rate - found.low.rate, 0.04, 0.03);
        CHECK(found.log_posterior - found.without > 20);
        CHECK(found.certainty > 0.7 && found.certainty < 1);
        noise_estimate_free(&found);
    }
}

TEST(labels_without_noise_have_no_gain)
{
    struct noise_rows rows = draw(MOST, 3, uniform(3, 0));
    struct noise_estimate found;
    if (!CHECK(noise_model_fit(&rows, false, &found, NULL) == TEMPER_OK))
        return;
    CHECK(found.best.rate < 0.02);
    CHECK(found.log_posterior - found.without < 4);
    noise_estimate_free(&found);
}

TEST(confused_pairs_come_back)
{
    static const double table[9] = {0.9, 0.1, 0, 0, 0.7, 0.3, 0, 0, 1};
    struct noise_rows rows = draw(MOST, 3, table);
    struct noise_estimate found;
    if (!CHECK(noise_model_fit(&rows, false, &found, NULL) == TEMPER_OK))
        return;
    if (CHECK(found.best.transition))
        for (size_t i = 0; i < 9; i++)
            CHECK_NEAR(found.best.transition[i], table[i], 0.04);
    CHECK_NEAR(found.best.rate, 0.13, 0.02);
    noise_estimate_free(&found);
}

TEST(two_classes_may_have_a_rate_each)
{
    static const double table[4] = {0.95, 0.05, 0.35, 0.65};
    struct noise_rows rows = draw(MOST, 2, table);
    struct noise_estimate found;
    if (!CHECK(noise_model_fit(&rows, true, &found, NULL) == TEMPER_OK))
        return;
    if (CHECK(found.best.transition)) {
        CHECK_NEAR(found.best.transition[1], 0.05, 0.03);
        CHECK_NEAR(found.best.transition[2], 0.35, 0.04);
    }
    CHECK(!found.low.offset && !found.high.offset);
    noise_estimate_free(&found);
}

/* The joint probabilities of a row are those of the model, and add up. */
TEST(a_row_adds_up)
{
    double offset[3] = {0, 0.5, -1}, table[9] = {0.8, 0.2, 0, 0.1, 0.9, 0, 0, 0.3, 0.7}, out[3];
    const double e[6] = {1, 2, 3, 0.5, 0, -0.5};
    struct noise_model model = {.classes = 3, .sources = 2, .slope = {0.5, 2}, .offset = offset, .transition = table};
    double all = noise_model_row(&model, e, 1, out), sum = 0;
    for (size_t c = 0; c < 3; c++) {
        CHECK_CLOSE(out[c], 0.5 * e[c] + 2 * e[3 + c] + offset[c] + log(table[c * 3 + 1]), 1e-14);
        sum += exp(out[c]);
    }
    CHECK_CLOSE(exp(all), sum, 1e-14);
}

/* All of one class, and evidence that says nothing: no NaN comes out. */
TEST(rows_without_evidence)
{
    struct noise_rows rows = {evidence, given, 50, 3, SOURCES, false};
    struct noise_estimate found;
    double out[3];
    memset(evidence, 0, sizeof evidence);
    memset(given, 0, sizeof given);
    if (!CHECK(noise_model_fit(&rows, false, &found, NULL) == TEMPER_OK))
        return;
    CHECK(isfinite(noise_model_row(&found.best, evidence, 0, out)));
    CHECK(isfinite(noise_model_row(&found.high, evidence, 1, out)));
    CHECK(isfinite(found.log_posterior) && isfinite(found.without));
    noise_estimate_free(&found);
}

TEST(no_memory_is_told)
{
    static const double table[9] = {0.9, 0.1, 0, 0, 0.6, 0.4, 0, 0, 1};
    struct noise_rows rows = draw(600, 3, table);
    for (size_t n = 1;; n += test_step(3)) {
        struct noise_estimate found;
        fault_arm(n);
        temper_status status = noise_model_fit(&rows, false, &found, NULL);
        fault_disarm();
        if (!fault_fired()) {
            if (CHECK(status == TEMPER_OK))
                noise_estimate_free(&found);
            break;
        }
        CHECK(status == TEMPER_NO_MEMORY);
    }
}

TEST_LIST(LISTED(uniform_noise_comes_back), LISTED(labels_without_noise_have_no_gain), LISTED(confused_pairs_come_back),
          LISTED(two_classes_may_have_a_rate_each), LISTED(a_row_adds_up), LISTED(rows_without_evidence),
          LISTED(no_memory_is_told))
