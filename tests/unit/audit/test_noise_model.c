/* The noise model: rates, tables and slopes that were planted come back, within their range. */
#include <math.h>
#include <string.h>

#include "audit/noise/noise_likelihood.h"
#include "audit/noise/noise_model.h"
#include "base/random.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

enum { MOST = 6000, CLASSES = 4, SOURCES = 2 };
static double evidence[MOST * SOURCES * CLASSES];
static uint32_t given[MOST];

/* Draws rows from the model: slopes of each class for the first source, 1 for the second, and the transition table. */
static struct noise_rows draw_by(const double *slope, size_t rows, size_t classes, const double *transition)
{
    for (size_t row = 0; row < rows; row++) {
        double p[CLASSES], sum = 0, u = random_uniform((struct random){1, 50}, row);
        double v = random_uniform((struct random){1, 51}, row);
        double *e = evidence + row * SOURCES * classes;
        uint32_t class = 0;
        for (size_t i = 0; i < SOURCES * classes; i++)
            e[i] = random_normal((struct random){1, 52}, row * SOURCES * classes + i);
        for (size_t c = 0; c < classes; c++)
            sum += p[c] = exp(slope[c] * e[c] + e[classes + c]);
        while (class + 1 < classes && u * sum > p[class])
            u -= p[class ++] / sum;
        given[row] = 0;
        while (given[row] + 1 < classes && v > transition[class * classes + given[row]])
            v -= transition[class * classes + given[row]++];
    }
    return (struct noise_rows){
        .evidence = evidence, .given = given, .rows = rows, .classes = classes, .sources = SOURCES, .threads = 1};
}

static struct noise_rows draw(size_t rows, size_t classes, const double *transition)
{
    static const double slope[CLASSES] = {3, 3, 3, 3};
    return draw_by(slope, rows, classes, transition);
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

/* A table must be clearly likelier than a rate: the few labels that only one class has wrong in these rows are not
 * enough. */
TEST(a_few_wrong_labels_are_no_table)
{
    static const double table[9] = {0.98, 0.02, 0, 0, 1, 0, 0, 0, 1};
    for (size_t count = 1000; count <= 3000; count += 400) {
        struct noise_rows rows = draw(count, 3, table);
        struct noise_estimate found;
        if (!CHECK(noise_model_fit(&rows, true, &found, NULL) == TEMPER_OK))
            continue;
        CHECKF(!found.best.transition, "%zu rows", count);
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

/* One slope for all classes cannot describe these labels, and noise seems to explain what it does not. */
TEST(classes_that_overlap_more_than_others_have_no_gain)
{
    static const double slope[CLASSES] = {12, 1, 1, 0.2};
    struct noise_rows rows = draw_by(slope, MOST, CLASSES, uniform(CLASSES, 0));
    struct noise_estimate found;
    if (!CHECK(noise_model_fit(&rows, false, &found, NULL) == TEMPER_OK))
        return;
    CHECKF(found.best.rate > 0.02, "%g", found.best.rate);
    CHECKF(found.log_posterior - found.without < NOISE_LEAST_GAIN, "%g", found.log_posterior - found.without);
    noise_estimate_free(&found);
}

/* Derivatives by differences, for labels with and without noise. */
static void check_gradient(struct noise_fit *fit)
{
    enum { MOST_PARAMETERS = SOURCES * CLASSES + CLASSES };
    size_t size = noise_shared_parameters(fit) + fit->free_rate;
    double w[MOST_PARAMETERS], gradient[MOST_PARAMETERS], other[MOST_PARAMETERS];
    for (size_t i = 0; i < size; i++)
        w[i] = 0.5 + 0.4 * sin((double)i);
    double up = 0, down = 0;
    CHECK(noise_log_loss(fit, w, &up, gradient) == TEMPER_OK);
    for (size_t i = 0; i < size; i++) {
        double at = w[i], step = 1e-5;
        w[i] = at + step;
        CHECK(noise_log_loss(fit, w, &up, other) == TEMPER_OK);
        w[i] = at - step;
        CHECK(noise_log_loss(fit, w, &down, other) == TEMPER_OK);
        w[i] = at;
        CHECKF(fabs((up - down) / (2 * step) - gradient[i]) <= 1e-5 * (1 + fabs(gradient[i])), "parameter %zu: %g, %g",
               i, (up - down) / (2 * step), gradient[i]);
    }
}

TEST(the_likelihood_has_its_derivatives)
{
    struct noise_rows rows = draw(300, CLASSES, uniform(CLASSES, 0.1));
    struct noise_fit fit;
    if (CHECK(noise_fit_new(&rows, &fit, NULL) == TEMPER_OK)) {
        fit.free_rate = true;
        check_gradient(&fit);
        fit.free_rate = false;
        fit.transition = uniform(CLASSES, 0.2);
        check_gradient(&fit);
        fit.transition = NULL;
        fit.correct = true;
        for (size_t i = 0; i < 2; i++) {
            fit.slopes = i ? CLASSES : 1;
            fit.temperature = i ? 1.3 : 1;
            check_gradient(&fit);
        }
    }
    noise_fit_free(&fit);
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

/* Few rows: from slopes of 1/2, or from those of the table before it, the table is not found. */
TEST(a_table_starts_from_the_slopes_of_uniform_noise)
{
    static const double table[4] = {1, 0, 0.2, 0.8};
    struct noise_rows rows = draw(300, 2, table);
    struct noise_estimate found;
    if (!CHECK(noise_model_fit(&rows, true, &found, NULL) == TEMPER_OK))
        return;
    if (CHECK(found.best.transition))
        CHECK_NEAR(found.best.transition[2], 0.2, 0.05);
    CHECKF(found.log_posterior > -125, "%g", found.log_posterior); /* without a table -132 */
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
    double log_label[9];
    noise_model_log_labels(&model, log_label);
    for (size_t cell = 0; cell < 9; cell++)
        CHECK(log_label[cell] == log(table[cell]));
}

/* All of one class, and evidence that says nothing: no NaN comes out. */
TEST(rows_without_evidence)
{
    struct noise_rows rows = {
        .evidence = evidence, .given = given, .rows = 50, .classes = 3, .sources = SOURCES, .threads = 1};
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

/* One, two and three threads: the same bits. */
TEST(threads_do_not_change_an_estimate)
{
    static const double table[9] = {0.9, 0.1, 0, 0, 0.7, 0.3, 0, 0, 1};
    struct noise_rows rows = draw(MOST, 3, table);
    struct noise_estimate one, more;
    if (!CHECK(noise_model_fit(&rows, false, &one, NULL) == TEMPER_OK))
        return;
    for (rows.threads = 2; rows.threads <= 3; rows.threads++) {
        if (!CHECK(noise_model_fit(&rows, false, &more, NULL) == TEMPER_OK))
            break;
        CHECK(memcmp(more.best.slope, one.best.slope, SOURCES * sizeof *one.best.slope) == 0);
        CHECK(memcmp(more.best.transition, one.best.transition, 9 * sizeof *table) == 0);
        CHECK(more.log_posterior == one.log_posterior && more.without == one.without);
        CHECK(more.low.rate == one.low.rate && more.high.rate == one.high.rate && more.certainty == one.certainty);
        noise_estimate_free(&more);
    }
    noise_estimate_free(&one);
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

/* All rows of a class are labelled as another one: each line of the table is still a distribution, whose diagonal is
 * not zero. */
TEST(a_class_that_is_never_labelled)
{
    static const double table[9] = {1, 0, 0, 0, 0, 1, 0, 0, 1};
    struct noise_rows rows = draw(MOST, 3, table);
    struct noise_estimate found;
    if (!CHECK(noise_model_fit(&rows, false, &found, NULL) == TEMPER_OK))
        return;
    if (CHECK(found.best.transition))
        for (size_t c = 0; c < 3; c++) {
            const double *line = found.best.transition + c * 3;
            CHECKF(line[c] > 0, "%g %g %g", line[0], line[1], line[2]);
            CHECK_NEAR(line[0] + line[1] + line[2], 1, 1e-9);
        }
    noise_estimate_free(&found);
}

TEST_LIST(LISTED(a_few_wrong_labels_are_no_table), LISTED(uniform_noise_comes_back),
          LISTED(labels_without_noise_have_no_gain), LISTED(classes_that_overlap_more_than_others_have_no_gain),
          LISTED(the_likelihood_has_its_derivatives), LISTED(confused_pairs_come_back),
          LISTED(two_classes_may_have_a_rate_each), LISTED(a_table_starts_from_the_slopes_of_uniform_noise),
          LISTED(a_row_adds_up), LISTED(threads_do_not_change_an_estimate), LISTED(rows_without_evidence),
          LISTED(no_memory_is_told), LISTED(a_class_that_is_never_labelled))
