/* The Cholesky update (a product is subtracted from rows) of each kernel: equal to the plain sum, and the
 * same bits whichever other rows are updated in the same call. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fixtures/kernel_under_test.h"

enum { MOST_ROWS = 20, STEP = PANEL + 5 };

struct numbers {
    double to[MOST_ROWS * STEP], left[MOST_ROWS * STEP], right[PANEL * PANEL];
};

static void draw_all(struct numbers *numbers)
{
    struct random random = {17, 4};
    for (size_t i = 0; i < MOST_ROWS * STEP; i++) {
        numbers->to[i] = random_normal(random, i);
        numbers->left[i] = random_normal(random, 10000 + i);
    }
    for (size_t i = 0; i < (size_t)PANEL * PANEL; i++)
        numbers->right[i] = random_normal(random, 20000 + i);
}

static struct cholesky_panel panel_of(struct numbers *numbers, size_t row, size_t rows)
{
    return (struct cholesky_panel){
        numbers->to + row * STEP, STEP, numbers->left + row * STEP, STEP, rows, numbers->right};
}

TEST(panels_lose_the_product)
{
    KERNEL_OR_SKIP;
    static struct numbers numbers, before;
    for (size_t rows = 0; rows <= MOST_ROWS; rows++) {
        draw_all(&numbers);
        before = numbers;
        struct cholesky_panel panel = panel_of(&numbers, 0, rows);
        kernel->cholesky_update(&panel);
        for (size_t i = 0; i < MOST_ROWS * STEP; i++) {
            size_t row = i / STEP, column = i % STEP;
            double expected = before.to[i];
            for (size_t k = 0; k < PANEL && row < rows && column < PANEL; k++)
                expected -= before.left[row * STEP + k] * before.right[k * PANEL + column];
            CHECK_NEAR(numbers.to[i], expected, row < rows && column < PANEL ? 1e-12 : 0);
        }
    }
}

TEST(rows_have_the_same_bits_alone)
{
    KERNEL_OR_SKIP;
    static struct numbers together, alone;
    draw_all(&together);
    alone = together;
    struct cholesky_panel panel = panel_of(&together, 0, MOST_ROWS);
    kernel->cholesky_update(&panel);
    for (size_t row = 0; row < MOST_ROWS; row++) {
        panel = panel_of(&alone, row, 1);
        kernel->cholesky_update(&panel);
    }
    CHECK(memcmp(together.to, alone.to, sizeof alone.to) == 0);
}

TEST_LIST(LISTED(panels_lose_the_product), LISTED(rows_have_the_same_bits_alone))
