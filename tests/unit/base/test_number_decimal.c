/* test_base_decimal: the shortest digits against those that the C library prints and reads. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/random.h"
#include "fixtures/test.h"

/* Fifteen digits, or as many more as it takes. */
static void agree(double value)
{
    uint64_t digits = 0;
    int exponent = 0, precision = 15;
    char printed[64], text[64];
    if (!CHECKF(decimal_shortest(value, &digits, &exponent), "%.17g was refused", value))
        return;
    do
        snprintf(printed, sizeof printed, "%.*e", precision - 1, value);
    while (strtod(printed, NULL) != value && ++precision <= DECIMAL_DIGITS);
    snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, exponent - (DECIMAL_DIGITS - 1));
    CHECKF(strtod(text, NULL) == value && digits / 10000000000000000 >= 1 && digits / 10000000000000000 <= 9,
           "%.17g became %s", value, text);
    /* As many digits, and the same. */
    snprintf(text, sizeof text, "%" PRIu64, digits);
    for (int i = 0, at = 0; i < DECIMAL_DIGITS; i++) {
        if (printed[at] == '.')
            at++;
        CHECKF(text[i] == (i < precision ? printed[at++] : '0'), "%s is not %s", text, printed);
    }
    CHECKF(exponent == strtol(strchr(printed, 'e') + 1, NULL, 10), "%s has another exponent", printed);
}

TEST(random_numbers)
{
    const struct random random = {.seed = 4};
    for (uint64_t i = 0; i < 20000; i++)
        agree(pow(10, -10.9 + 24.8 * random_uniform(random, 2 * i)) * (1 + 1e-3 * random_uniform(random, 2 * i + 1)));
}

/* Decimals of few digits, powers of two and of ten, and their neighbours. */
TEST(edges)
{
    for (int e = -10; e <= 13; e++)
        for (int n = 1; n < 1000; n += n < 20 ? 1 : 7) {
            double value = n * pow(10, e - 2);
            if (value < 2e-11)
                continue;
            agree(value);
            agree(nextafter(value, 0));
            agree(nextafter(value, 1e300));
        }
    for (int e = -35; e <= 46; e++) {
        agree(ldexp(1, e));
        agree(nextafter(ldexp(1, e), 0));
        agree(ldexp(1 + 3 * DBL_EPSILON, e));
    }
}

TEST(others_are_refused)
{
    uint64_t digits = 7;
    int exponent = 7;
    const double others[] = {0, -1, 1e-13, 1e300, 5e-324, INFINITY, NAN};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!decimal_shortest(others[i], &digits, &exponent));
    CHECK(digits == 7 && exponent == 7);
}

TEST_LIST(LISTED(random_numbers), LISTED(edges), LISTED(others_are_refused))
