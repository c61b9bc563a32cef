/* Lists of neighbours and waves of each kernel: equal to the reference, points that are as near in the order in which
 * they came. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "fixtures/kernel_under_test.h"

enum { DIMENSIONS = 3, TILES = 4, MOST_COUNT = 40, QUERIES = NEIGHBOUR_QUERIES, POINTS = NEIGHBOUR_POINTS };

/* Coordinates are small whole numbers, so that many points are equally near, and sums are exact. */
struct lists_case {
    float query[DIMENSIONS * QUERIES], x[TILES * DIMENSIONS * POINTS], norm[TILES * POINTS], worst[QUERIES];
    uint32_t row[TILES * POINTS], own[QUERIES];
    float value[QUERIES * (MOST_COUNT + 3 * NEIGHBOUR_PAD)];
    uint32_t listed[QUERIES * (MOST_COUNT + 3 * NEIGHBOUR_PAD)];
};

static float small_number(size_t i)
{
    return floorf(9 * (float)random_uniform((struct random){8, 2}, i)) - 4;
}

/* The last points of the last tile are padding, the last query takes no point. */
static void make_case(struct lists_case *c)
{
    for (size_t i = 0; i < DIMENSIONS * QUERIES; i++)
        c->query[i] = small_number(i);
    for (size_t point = 0; point < (size_t)TILES * POINTS; point++) {
        bool real = point + 5 < (size_t)TILES * POINTS;
        c->norm[point] = real ? 0 : INFINITY;
        c->row[point] = (uint32_t)point;
        for (size_t j = 0; j < DIMENSIONS; j++) {
            float x = real ? small_number(1000 + point * DIMENSIONS + j) : 0;
            c->x[(point / POINTS * DIMENSIONS + j) * POINTS + point % POINTS] = x;
            c->norm[point] += x * x;
        }
    }
    for (size_t q = 0; q < QUERIES; q++) {
        c->own[q] = (uint32_t)(3 * q);
        c->worst[q] = q + 1 < QUERIES ? INFINITY : -INFINITY;
    }
}

static void run(neighbour_fn *take, size_t count, struct lists_case *c)
{
    struct neighbour_lists lists = {count,   neighbour_stride(count), DIMENSIONS, c->query, c->own, c->value, c->listed,
                                    c->worst};
    for (size_t i = 0; i < QUERIES * lists.stride; i++) {
        c->value[i] = i % lists.stride < NEIGHBOUR_PAD ? -INFINITY : INFINITY;
        c->listed[i] = 0;
    }
    for (size_t tile = 0; tile < TILES; tile++)
        take(&lists, &(struct neighbour_points){c->x + tile * DIMENSIONS * POINTS, c->norm + tile * POINTS,
                                                c->row + tile * POINTS});
}

TEST(lists_are_those_of_the_reference)
{
    KERNEL_OR_SKIP;
    static const size_t counts[] = {1, 2, 7, 8, 9, 16, 17, 20, 32, MOST_COUNT};
    static struct lists_case found, expected;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        size_t stride = neighbour_stride(counts[i]);
        make_case(&found);
        make_case(&expected);
        run(kernel->neighbours, counts[i], &found);
        run(neighbours_plain, counts[i], &expected);
        CHECK(memcmp(found.worst, expected.worst, sizeof found.worst) == 0);
        for (size_t q = 0; q < QUERIES; q++) {
            size_t from = q * stride + NEIGHBOUR_PAD;
            CHECKF(memcmp(found.value + from, expected.value + from, counts[i] * sizeof(float)) == 0, "query %zu", q);
            CHECKF(memcmp(found.listed + from, expected.listed + from, counts[i] * sizeof(uint32_t)) == 0, "query %zu",
                   q);
        }
    }
}

/* By definition: lists ascend, equal values by row, and no row is its own neighbour. */
TEST(lists_ascend)
{
    KERNEL_OR_SKIP;
    static struct lists_case c;
    make_case(&c);
    run(kernel->neighbours, 20, &c);
    for (size_t q = 0; q + 1 < QUERIES; q++)
        for (size_t i = 0; i < 20; i++) {
            size_t at = q * neighbour_stride(20) + NEIGHBOUR_PAD + i;
            CHECKF(c.listed[at] != c.own[q], "query %zu", q);
            CHECKF(i == 0 || c.value[at - 1] < c.value[at] ||
                       (c.value[at - 1] == c.value[at] && c.listed[at - 1] < c.listed[at]),
                   "query %zu, %zu", q, i);
        }
}

TEST(waves_are_cosines)
{
    KERNEL_OR_SKIP;
    enum { MOST = 67 };
    for (size_t n = 0; n <= MOST; n++) {
        float *turns = memory(n, sizeof *turns), expected[MOST], start[MOST];
        for (size_t i = 0; i < n; i++)
            turns[i] = expected[i] = start[i] = 5 * (float)random_normal((struct random){2, 9}, i);
        kernel->waves(turns, n, 2);
        waves_plain(expected, n, 2);
        CHECKF(n == 0 || memcmp(turns, expected, n * sizeof *turns) == 0, "%zu", n);
        for (size_t i = 0; i < n; i++)
            CHECK_NEAR((double)turns[i], 2 * cos(6.283185307179586 * (double)start[i]), 5e-3);
        free(turns);
    }
}

TEST_LIST(LISTED(lists_are_those_of_the_reference), LISTED(lists_ascend), LISTED(waves_are_cosines))
