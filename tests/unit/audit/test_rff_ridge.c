/* rff_ridge: classes without a linear boundary are separated, by rows of other folds alone. */
#include <math.h>
#include <stdbool.h>

#include "audit/rff_ridge.h"
#include "base/random.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

enum { N = 3000, D = 3 };

/* A ball within a shell; a tenth of the labels is wrong. */
static void draw(float *x, uint32_t *label, uint32_t *part, uint32_t *inside)
{
    for (size_t row = 0; row < N; row++) {
        float square = 0;
        for (size_t j = 0; j < D; j++) {
            x[row * D + j] = (float)random_normal((struct random){4, 70}, row * D + j);
            square += x[row * D + j] * x[row * D + j];
        }
        inside[row] = square < 2.4F;
        label[row] = inside[row] ^ (random_uniform((struct random){4, 71}, row) < 0.1);
        part[row] = (uint32_t)(row % 7);
    }
}

static float x[N * D];
static uint32_t label[N], part[N], inside[N];
static double out[N * 2], other[N * 2];

static struct rff_ridge drawn(size_t rows, size_t threads)
{
    draw(x, label, part, inside);
    return (struct rff_ridge){.points = {.x = x, .rows = rows, .dimensions = D},
                              .label = label,
                              .classes = 2,
                              .part = part,
                              .seed = 1,
                              .threads = threads};
}

TEST(a_ball_within_a_shell)
{
    struct rff_ridge curves = drawn(N, 1);
    double right = 0;
    CHECK(rff_ridge_fit(&curves, out, NULL) == TEMPER_OK);
    for (size_t row = 0; row < N; row++) {
        right += (out[2 * row + 1] > out[2 * row]) == (inside[row] == 1);
        CHECK_NEAR(out[2 * row] + out[2 * row + 1], 1, 1e-3);
    }
    CHECK(right > 0.93 * N);
}

TEST(the_same_bits_for_any_threads)
{
    struct rff_ridge curves = drawn(N, 1);
    CHECK(rff_ridge_fit(&curves, out, NULL) == TEMPER_OK);
    curves.threads = 3;
    CHECK(rff_ridge_fit(&curves, other, NULL) == TEMPER_OK);
    for (size_t i = 0; i < 2 * N; i++)
        CHECK(out[i] == other[i]);
}

/* A flipped label changes the predictions of rows in other folds, never that of the row itself. */
TEST(a_row_is_predicted_without_its_own_fold)
{
    struct rff_ridge curves = drawn(N, 1);
    CHECK(rff_ridge_fit(&curves, out, NULL) == TEMPER_OK);
    for (size_t row = 2; row < N; row += 7)
        label[row] = 1 - label[row];
    CHECK(rff_ridge_fit(&curves, other, NULL) == TEMPER_OK);
    for (size_t row = 2; row < N; row += 7)
        CHECK(out[2 * row + 1] == other[2 * row + 1]);
    CHECK(out[1] != other[1]);
}

/* Fewer rows than parts, and all in one place: nothing that is not a number. */
TEST(hardly_any_rows)
{
    struct rff_ridge curves = drawn(4, 1);
    CHECK(rff_ridge_fit(&curves, out, NULL) == TEMPER_OK);
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = 0;
    CHECK(rff_ridge_fit(&curves, other, NULL) == TEMPER_OK);
    for (size_t i = 0; i < 8; i++)
        CHECK(isfinite(out[i]) && isfinite(other[i]));
}

TEST(memory_ends)
{
    struct rff_ridge curves = drawn(200, 1);
    size_t n = 0;
    for (bool fired = true; fired;) {
        fault_arm(++n);
        temper_status status = rff_ridge_fit(&curves, out, NULL);
        fault_disarm();
        fired = fault_fired();
        CHECK(status == (fired ? TEMPER_NO_MEMORY : TEMPER_OK));
    }
    CHECK(n > 7);
}

TEST_LIST(LISTED(a_ball_within_a_shell), LISTED(the_same_bits_for_any_threads),
          LISTED(a_row_is_predicted_without_its_own_fold), LISTED(hardly_any_rows), LISTED(memory_ends))
