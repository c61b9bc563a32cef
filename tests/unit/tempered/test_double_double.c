/* test_double_double: numbers of 106 bits: errors of sums and products that are exact, exponentials against 60-digit
 * values and against each other. */
#include "tempered/double_double.h"

#include <math.h>

#include "fixtures/numeric.h"
#include "fixtures/test.h"

/* The relative error that is allowed: 2^-100. */
static const double BOUND = 0x1p-100;

static double relative_error(struct double_double a, struct double_double expected)
{
    return fabs(dd_add(a, dd_negate(expected)).high / expected.high);
}

/* Of all magnitudes between 1e-40 and 1e40, of both signs. */
static double draw_number(struct draw *draw)
{
    double size = exp(draw_uniform(draw, -92, 92));
    return draw_uniform(draw, 0, 1) < 0.5 ? -size : size;
}

/* fma rounds once: what a product loses is its own remainder. */
TEST(products_are_exact)
{
    struct draw draw = draw_from(1);
    for (int i = 0; i < 10000; i++) {
        double a = draw_number(&draw), b = draw_number(&draw);
        struct double_double product = dd_product(a, b);
        CHECKF(product.high == a * b && product.low == fma(a, b, -product.high), "%.17g %.17g", a, b);
    }
}

/* The remainder of a sum, taken from the larger number first. */
TEST(sums_are_exact)
{
    struct draw draw = draw_from(2);
    for (int i = 0; i < 10000; i++) {
        double a = draw_uniform(&draw, -1, 1), b = a * draw_number(&draw);
        double large = fabs(a) > fabs(b) ? a : b, small = fabs(a) > fabs(b) ? b : a;
        struct double_double sum = dd_sum(a, b), ordered = dd_ordered_sum(large, small);
        CHECK(sum.high == a + b && sum.low == small - (sum.high - large));
        CHECK(ordered.high == sum.high && ordered.low == sum.low);
    }
    struct double_double near = dd_add(dd_sum(1, 0x1p-80), dd_sum(-1, 0x1p-90)); /* cancels to the low parts */
    CHECK(near.high == 0x1p-80 + 0x1p-90 && near.low == 0);
    near = dd_add_double(dd_sum(1, 0x1p-80), -1);
    CHECK(near.high == 0x1p-80);
    near = dd_add_smaller(dd_sum(1, 0x1p-80), dd_sum(0.25, -0x1p-90));
    CHECK(near.high == 1.25 && near.low == 0x1p-80 - 0x1p-90);
}

TEST(quotients_times_divisors)
{
    struct draw draw = draw_from(3);
    for (int i = 0; i < 10000; i++) {
        struct double_double a = dd_sum(draw_number(&draw), 0), b = dd_sum(draw_number(&draw), 0);
        a = dd_add_double(a, a.high * 0x1p-54 * draw_uniform(&draw, -1, 1));
        b = dd_add_double(b, b.high * 0x1p-54 * draw_uniform(&draw, -1, 1));
        CHECK(relative_error(dd_multiply(dd_divide(a, b), b), a) <= BOUND);
        CHECK(relative_error(dd_multiply_double(dd_divide(a, dd_sum(b.high, 0)), b.high), a) <= BOUND);
    }
}

/* x, e^x and e^x - 1. */
TEST(exponentials)
{
    static const struct double_double rows[][3] = {
        {{0.1, 1e-18}, {1.1051709180756477, -8.039006821520055e-17}, {0.10517091807564763, 2.8766586316861977e-18}},
        {{-0.3, 2e-17}, {0.7408182206817179, 1.3010833907681359e-17}, {-0.2591817793182821, 1.3010833907681359e-17}},
        {{5.5, -3e-16}, {244.69193226422033, -1.2434840631007249e-14}, {243.69193226422033, -1.2434840631007249e-14}},
        {{-40.25, 1e-15}, {3.308621620785828e-18, -2.2033109785290014e-35}, {-1, 3.308621620785828e-18}},
        {{1e-20, 1e-37}, {1, 1e-20}, {1e-20, 1.0005e-37}},
        {{-1e-9, 0}, {0.999999999, -2.778193152587354e-17}, {-9.999999995e-10, -7.477230737177921e-26}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECKF(relative_error(dd_exp(rows[i][0]), rows[i][1]) <= BOUND, "row %zu", i);
        CHECKF(relative_error(dd_expm1(rows[i][0]), rows[i][2]) <= BOUND, "row %zu", i);
    }
    CHECK(dd_exp(dd_sum(-700.125, 0)).high == 8.701134010353987e-305);
    CHECK(dd_exp(dd_sum(-744.4, 0)).high == 0x1p-1074 && dd_exp(dd_sum(-1e17, 0)).high == 0);
    CHECK(dd_expm1(dd_sum(-1e17, 0)).high == -1 && dd_expm1((struct double_double){0}).high == 0);
}

/* e^x e^-x = 1, and e^(2x) - 1 = (e^x - 1)(e^x - 1 + 2), which holds for small x to relative accuracy. */
TEST(exponentials_of_sums)
{
    struct draw draw = draw_from(4);
    for (int i = 0; i < 10000; i++) {
        double size = exp(draw_uniform(&draw, -60, 4));
        struct double_double x = dd_sum(size, size * 0x1p-54 * draw_uniform(&draw, -1, 1));
        struct double_double half = dd_expm1(dd_scale(x, -1)), one = {.high = 1};
        CHECK(relative_error(dd_multiply(dd_exp(x), dd_exp(dd_negate(x))), one) <= BOUND * (1 + size));
        CHECK(relative_error(dd_multiply(half, dd_add_double(half, 2)), dd_expm1(x)) <= BOUND * (1 + size));
    }
}

TEST_LIST(LISTED(products_are_exact), LISTED(sums_are_exact), LISTED(quotients_times_divisors), LISTED(exponentials),
          LISTED(exponentials_of_sums))
