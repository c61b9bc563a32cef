/* The noise of two classes: rates that were planted come back, within their range. */
#include <math.h>

#include "audit/noise_binary.h"
#include "base/random.h"
#include "fixtures/test.h"

/* Evidence of two classes, drawn from its own model, with rates[2]. */
static void draw_two(const double rates[2], double *evidence, uint32_t *given, size_t rows)
{
    for (size_t row = 0; row < rows; row++) {
        double *e = evidence + BINARY_EVIDENCE * row;
        e[0] = 3 * random_normal((struct random){2, 60}, row);
        e[1] = random_normal((struct random){2, 61}, row);
        e[2] = random_normal((struct random){2, 64}, row);
        double p = 1 / (1 + exp(-(1.2 * e[0] + 0.8 * e[1] + 0.6 * e[2] - 0.5)));
        uint32_t class = random_uniform((struct random){2, 62}, row) < p;
        bool wrong = random_uniform((struct random){2, 63}, row) < rates[class];
        given[row] = wrong ? 1 - class : class;
    }
}

static void check_two(double first, double second)
{
    enum { N = 12000 };
    static double evidence[N * BINARY_EVIDENCE];
    static uint32_t given[N];
    const double rates[2] = {first, second};
    struct noise_binary_range range;
    draw_two(rates, evidence, given, N);
    noise_binary_fit(&(struct noise_binary_rows){.evidence = evidence, .given = given, .rows = N}, NULL, &range);
    CHECK_NEAR(range.best.rate[0], first, 0.025);
    CHECK_NEAR(range.best.rate[1], second, 0.025);
    CHECK(range.low.rate[0] < range.best.rate[0] && range.best.rate[0] < range.high.rate[0]);
    CHECK(range.low.rate[0] + range.low.rate[1] < first + second);
    CHECK(range.high.rate[0] + range.high.rate[1] > first + second);
    CHECK((range.best.rate[0] == range.best.rate[1]) == (first == second));
    CHECK_NEAR(range.best.slope[0], 1.2, 0.25);
    CHECK_NEAR(range.best.slope[1], 0.8, 0.25);
    CHECK_NEAR(range.best.slope[2], 0.6, 0.25);
    double out[2], all = noise_binary_row(&range.best, evidence, given[0], out);
    CHECK_CLOSE(exp(out[0]) + exp(out[1]), exp(all), 1e-12);
}

TEST(two_classes_with_one_rate)
{
    check_two(0.2, 0.2);
}

TEST(two_classes_with_a_rate_each)
{
    check_two(0.1, 0.35);
}

/* What the surest rows tell of the rate outweighs what the others seem to. */
TEST(a_rate_that_is_known_is_kept)
{
    enum { N = 2000 };
    static double evidence[N * BINARY_EVIDENCE];
    static uint32_t given[N];
    struct noise_binary_range range;
    draw_two((const double[2]){0.2, 0.2}, evidence, given, N);
    struct noise_binary_rows rows = {
        .evidence = evidence, .given = given, .rows = N, .sure_rate = 0.3, .sure_error = 0.001};
    noise_binary_fit(&rows, NULL, &range);
    CHECK_NEAR(range.best.rate[0], 0.3, 0.01);
    CHECK_NEAR(range.best.rate[1], 0.3, 0.01);
}

/* All of one class, and evidence that says nothing: no NaN comes out. */
TEST(two_classes_without_evidence)
{
    static double evidence[50 * BINARY_EVIDENCE];
    static uint32_t given[50];
    struct noise_binary_range range;
    double out[2];
    noise_binary_fit(&(struct noise_binary_rows){.evidence = evidence, .given = given, .rows = 50}, NULL, &range);
    CHECK(isfinite(noise_binary_row(&range.best, evidence, 0, out)));
    CHECK(isfinite(noise_binary_row(&range.high, evidence, 1, out)));
    CHECK(range.best.rate[0] >= 0 && range.best.rate[0] <= 0.5);
}

TEST_LIST(LISTED(two_classes_with_one_rate), LISTED(two_classes_with_a_rate_each), LISTED(a_rate_that_is_known_is_kept),
          LISTED(two_classes_without_evidence))
