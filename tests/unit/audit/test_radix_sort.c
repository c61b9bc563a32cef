/* Rows by the digits of their keys, compared with qsort. */
#include "audit/radix_sort.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "fixtures/test.h"

enum { ROWS = 5000 };

static double number[ROWS];
static struct keyed_row sorted[ROWS], space[ROWS];
static size_t expected[ROWS];
static uint64_t selected[ROWS];

/* Of equal numbers the first row is first. */
static int by_number(const void *a, const void *b)
{
    size_t one = *(const size_t *)a, other = *(const size_t *)b;
    if (number[one] != number[other])
        return number[one] < number[other] ? -1 : 1;
    return one < other ? -1 : one > other;
}

static void check_order(size_t rows)
{
    bool same = true;
    for (size_t i = 0; i < rows; i++) {
        sorted[i] = (struct keyed_row){radix_key(number[i]), i};
        expected[i] = i;
    }
    radix_sort(sorted, rows, space);
    qsort(expected, rows, sizeof *expected, by_number);
    for (size_t i = 0; i < rows; i++)
        same = same && sorted[i].row == expected[i] && radix_number(sorted[i].key) == number[expected[i]];
    CHECK(same);
    for (size_t index = 0; index < rows; index += 1 + rows / 7) {
        for (size_t i = 0; i < rows; i++)
            selected[i] = radix_key(number[i]);
        CHECK(radix_number(radix_select(selected, rows, index)) == number[expected[index]]);
    }
}

TEST(random_numbers)
{
    struct random random = {7, 1};
    for (size_t i = 0; i < ROWS; i++)
        number[i] = random_normal(random, i) * (i % 3 == 0 ? 1e-9 : 1e3);
    check_order(ROWS);
}

TEST(equal_numbers_keep_their_order)
{
    struct random random = {8, 1};
    for (size_t i = 0; i < ROWS; i++)
        number[i] = floor(4 * random_uniform(random, i)) - 2;
    check_order(ROWS);
}

TEST(special_numbers)
{
    static const double special[] = {INFINITY, 0, -0.0, -INFINITY, 5e-324, -5e-324, 1, -1, 1.7e308, 0, -0.0};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        number[i] = special[i];
    check_order(sizeof special / sizeof *special);
}

/* Keys that differ in their lowest digit alone. */
TEST(neighbouring_numbers)
{
    enum { NEIGHBOURS = 200 };
    for (size_t i = 0; i < NEIGHBOURS; i++)
        number[i] = 1 + (double)(i * 7 % NEIGHBOURS) * DBL_EPSILON;
    check_order(NEIGHBOURS);
}

TEST(few_rows)
{
    number[0] = 2;
    number[1] = 1;
    check_order(0);
    check_order(1);
    check_order(2);
}

TEST_LIST(LISTED(random_numbers), LISTED(equal_numbers_keep_their_order), LISTED(special_numbers),
          LISTED(neighbouring_numbers), LISTED(few_rows))
