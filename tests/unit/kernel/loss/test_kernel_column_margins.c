/* Columns of activations on every kernel, against their definition. */
#include <math.h>

#include "fixtures/kernel_under_test.h"
#include "fixtures/numeric.h"

enum { MOST = 8 * COLUMN_STEP };

struct numbers {
    double signed_weight[MOST], activation[MOST], value[MOST], slope[MOST];
    float activation_f32[MOST];
};

/* A third of the rows do not count; theirs may be anything. */
static struct numbers make(uint64_t seed)
{
    struct draw draw = draw_from(seed);
    struct numbers n;
    draw_normals(&draw, n.signed_weight, MOST, 1);
    draw_normals(&draw, n.activation, MOST, 3);
    draw_normals(&draw, n.value, MOST, 1);
    draw_normals(&draw, n.slope, MOST, 1);
    for (size_t i = 0; i < MOST; i++) {
        if (i % 3 == 1) {
            n.signed_weight[i] = i % 2 ? 0 : -0.0;
            n.activation[i] = i % 4 ? INFINITY : NAN;
        }
        n.activation_f32[i] = (float)n.activation[i];
    }
    return n;
}

static double margin_of(double signed_weight, double activation, double bias)
{
    return signed_weight > 0 ? activation + bias : signed_weight < 0 ? -(activation + bias) : 0;
}

TEST(margins)
{
    KERNEL_OR_SKIP;
    struct numbers n = make(1);
    double from_f32[MOST], from_f64[MOST];
    for (size_t count = 0; count <= MOST; count += COLUMN_STEP) {
        struct column_rows rows = {n.signed_weight, count, 0.25};
        kernel->column_margins->margins_f32(&rows, n.activation_f32, from_f32);
        kernel->column_margins->margins_f64(&rows, n.activation, from_f64);
        for (size_t i = 0; i < count; i++) {
            CHECK(from_f32[i] == margin_of(n.signed_weight[i], (double)n.activation_f32[i], 0.25));
            CHECK(from_f64[i] == margin_of(n.signed_weight[i], n.activation[i], 0.25));
        }
    }
}

static void check_sums(const struct numbers *n, size_t count, const struct column_totals *sums)
{
    double loss = 1, residual = 2; /* what was there before */
    for (size_t i = 0; i < count; i++) {
        loss += fabs(n->signed_weight[i]) * n->value[i];
        residual += n->signed_weight[i] * n->slope[i];
    }
    CHECK_NEAR(sums->loss, loss, 1e-12);
    CHECK_NEAR(sums->residual, residual, 1e-12);
}

TEST(residuals)
{
    KERNEL_OR_SKIP;
    struct numbers n = make(2);
    float floats[MOST];
    double doubles[MOST];
    for (size_t count = 0; count <= MOST; count += COLUMN_STEP) {
        struct column_rows rows = {n.signed_weight, count, 0};
        struct column_totals one = {1, 2}, other = {1, 2};
        kernel->column_margins->residuals_f32(&rows, n.value, n.slope, floats, &one);
        kernel->column_margins->residuals_f64(&rows, n.value, n.slope, doubles, &other);
        check_sums(&n, count, &one);
        check_sums(&n, count, &other);
        for (size_t i = 0; i < count; i++)
            CHECK(doubles[i] == n.signed_weight[i] * n.slope[i] && floats[i] == (float)doubles[i]);
    }
}

TEST_LIST(LISTED(margins), LISTED(residuals))
