/* Neighbours against all distances, components against directions that are known, duplicates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/embedding.h"
#include "audit/knn.h"
#include "base/random.h"
#include "data/duplicate_rows.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/thread_comm_fixture.h"
#include "objective/gram/pca.h"

enum { ROWS = 700, DIMENSIONS = 5, COUNT = 7 };

static const struct random source = {3, 77};

static void fill(float *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] = (float)random_normal(source, i);
}

static double square_between(const float *x, size_t a, size_t b)
{
    double sum = 0;
    for (size_t j = 0; j < DIMENSIONS; j++) {
        double d = (double)x[a * DIMENSIONS + j] - (double)x[b * DIMENSIONS + j];
        sum += d * d;
    }
    return sum;
}

/* By definition: how many rows are nearer than that. */
static size_t nearer(const float *x, size_t row, double square)
{
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        count += i != row && square_between(x, row, i) < square;
    return count;
}

TEST(nearest_rows)
{
    static float x[ROWS * DIMENSIONS];
    static uint32_t index[2][ROWS * COUNT];
    static double square[2][ROWS];
    struct points points = {x, ROWS, DIMENSIONS, NULL};
    fill(x, ROWS * DIMENSIONS);
    for (size_t threads = 1; threads <= 2; threads++)
        CHECK(knn_find(points, COUNT, threads, index[threads - 1], square[threads - 1], NULL) == TEMPER_OK);
    CHECK(memcmp(index[0], index[1], sizeof index[0]) == 0);
    CHECK(memcmp(square[0], square[1], sizeof square[0]) == 0);
    for (size_t row = 0; row < ROWS; row++)
        for (size_t i = 0; i < COUNT; i++) {
            uint32_t other = index[0][row * COUNT + i];
            double there = square_between(x, row, other);
            CHECKF(other != row, "row %zu is its own neighbour", row);
            CHECKF(nearer(x, row, there * (1 - 1e-5)) <= i && nearer(x, row, there * (1 + 1e-5)) >= i,
                   "neighbour %zu of row %zu", i, row);
            if (i == COUNT - 1)
                CHECK_CLOSE(square[0][row], there, 1e-4);
        }
}

/* Two wide coordinates, so that the boxes of most tiles are far from each other: none with a neighbour is left out. */
TEST(nearest_rows_of_tiles_far_apart)
{
    enum { SPREAD = 2000 };
    static float x[SPREAD * 2];
    static uint32_t index[SPREAD * COUNT];
    static double square[SPREAD];
    struct points points = {x, SPREAD, 2, NULL};
    for (size_t i = 0; i < SPREAD * 2; i++)
        x[i] = (float)(100 * random_uniform(source, i));
    CHECK(knn_find(points, COUNT, 1, index, square, NULL) == TEMPER_OK);
    for (size_t row = 0; row < SPREAD; row++) {
        size_t count = 0;
        for (size_t i = 0; i < SPREAD; i++) {
            double a = (double)x[2 * i] - (double)x[2 * row], b = (double)x[2 * i + 1] - (double)x[2 * row + 1];
            count +=
                i != row && a * a + b * b < square[row] - 0.1; /* |x|^2 is up to 20,000: of floats, 0.01 is rounding */
        }
        CHECKF(count < COUNT, "row %zu has %zu nearer rows than the last of its list", row, count);
    }
}

/* Of many rows only near tiles are tried: most of the nearest are found, and none twice. */
TEST(nearest_of_many_rows)
{
    enum { MANY = 9000 };
    static float x[MANY * DIMENSIONS];
    static uint32_t index[MANY * COUNT];
    static double square[MANY];
    size_t found = 0, looked = 0;
    fill(x, MANY * DIMENSIONS);
    CHECK(knn_find((struct points){x, MANY, DIMENSIONS, NULL}, COUNT, 2, index, square, NULL) == TEMPER_OK);
    for (size_t row = 0; row < MANY; row += 90) {
        size_t nearer_rows = 0;
        double there = square_between(x, row, index[row * COUNT + COUNT - 1]);
        for (size_t i = 0; i < MANY; i++)
            nearer_rows += i != row && square_between(x, row, i) < there * (1 - 1e-5);
        for (size_t i = 0; i < COUNT; i++)
            for (size_t k = 0; k < i; k++)
                CHECK(index[row * COUNT + i] != index[row * COUNT + k]);
        CHECK_CLOSE(square[row], there, 1e-3);
        found += nearer_rows == COUNT - 1;
        looked++;
    }
    CHECKF(found >= looked * 8 / 10, "%zu of %zu", found, looked);
}

TEST(near_rows_come_together)
{
    static float x[ROWS];
    static uint32_t order[ROWS];
    static bool seen[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        x[i] = (float)(i * 389 % ROWS);
    knn_order((struct points){x, ROWS, 1, NULL}, 64, order);
    for (size_t i = 0; i < ROWS; i++) {
        CHECK(!seen[order[i]]);
        seen[order[i]] = true;
        CHECK((size_t)x[order[i]] / 64 == i / 64);
    }
}

TEST(fewer_rows_than_a_tile)
{
    static const float x[] = {0, 1, 10, 12};
    uint32_t index[8];
    double square[4];
    CHECK(knn_find((struct points){x, 4, 1, NULL}, 2, 3, index, square, NULL) == TEMPER_OK);
    CHECK_EQ_SIZE(index[0], 1);
    CHECK_EQ_SIZE(index[1], 2);
    CHECK_EQ_SIZE(index[6], 2);
    CHECK_NEAR(square[3], 121, 1e-3);
}

TEST(neighbours_without_memory)
{
    static float x[ROWS * DIMENSIONS];
    static uint32_t index[ROWS * COUNT];
    static double square[ROWS];
    fill(x, ROWS * DIMENSIONS);
    for (size_t n = 1;; n++) {
        fault_arm(n);
        temper_status status = knn_find((struct points){x, ROWS, DIMENSIONS, NULL}, COUNT, 1, index, square, NULL);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_NO_MEMORY);
    }
}

struct searching_team {
    const float *x;
    size_t victim, failing; /* the rank whose allocation of this number fails; 0: none */
    temper_status status[3];
    uint32_t index[3][ROWS * COUNT];
    double square[3][ROWS];
};

static void find_share(void *context, const temper_comm *comm)
{
    struct searching_team *team = context;
    size_t rank = comm->rank;
    if (rank == team->victim)
        fault_arm_here(team->failing);
    team->status[rank] = knn_find((struct points){team->x, ROWS, DIMENSIONS, comm}, COUNT, 1, team->index[rank],
                                  team->square[rank], NULL);
    if (rank == team->victim)
        fault_disarm();
}

/* Each process searches for a share of the rows, and all have the neighbours of all. Where one has no memory, all
 * report it. */
TEST(neighbours_by_several_processes)
{
    static float x[ROWS * DIMENSIONS];
    static uint32_t index[ROWS * COUNT];
    static double square[ROWS];
    static struct searching_team team;
    fill(x, ROWS * DIMENSIONS);
    CHECK(knn_find((struct points){x, ROWS, DIMENSIONS, NULL}, COUNT, 1, index, square, NULL) == TEMPER_OK);
    team = (struct searching_team){.x = x};
    team_run(3, find_share, &team);
    for (size_t r = 0; r < 3; r++)
        CHECK(team.status[r] == TEMPER_OK && memcmp(team.index[r], index, sizeof index) == 0 &&
              memcmp(team.square[r], square, sizeof square) == 0);
    for (team.victim = 0; team.victim < 3; team.victim++)
        for (team.failing = 1;; team.failing++) {
            team_run(3, find_share, &team);
            if (!fault_fired())
                break;
            for (size_t r = 0; r < 3; r++)
                CHECKF(team.status[r] == TEMPER_NO_MEMORY, "allocation %zu of rank %zu: rank %zu has %d", team.failing,
                       team.victim, r, (int)team.status[r]);
        }
}

/* ---- Components ------------------------------------------------------------------------------ */

/* Six columns, of which the second and the fifth vary most. */
TEST(strongest_directions)
{
    static double x[400 * 6];
    double directions[6 * 2], moments[4], length[6] = {0};
    for (size_t i = 0; i < 400 * 6; i++)
        x[i] = random_normal(source, i) * (i % 6 == 1 ? 20 : i % 6 == 4 ? 10 : 0.5);
    struct dataset data = {.x = {.kind = MATRIX_F64, .rows = 400, .columns = 6, .nonzeros = 2400, .dense = x}};
    CHECK(pca_find(&data, NULL, (struct pca_options){2, 400, 1}, directions, moments, NULL) == TEMPER_OK);
    double dot = 0, norm = 0, second = 0, fifth = 0;
    for (size_t i = 0; i < 400; i++) {
        second += x[6 * i + 1] * x[6 * i + 1] / 400;
        fifth += x[6 * i + 4] * x[6 * i + 4] / 400;
    }
    for (size_t j = 0; j < 6; j++) {
        dot += directions[2 * j] * directions[2 * j + 1];
        norm += directions[2 * j] * directions[2 * j];
        length[j] = hypot(directions[2 * j], directions[2 * j + 1]);
    }
    CHECK_NEAR(dot, 0, 1e-12);
    CHECK_CLOSE(norm, 1, 1e-12);
    CHECK_NEAR(length[1], 1, 0.01); /* within the space of the two directions */
    CHECK_NEAR(length[4], 1, 0.01);
    CHECK_CLOSE(moments[0] + moments[3], second + fifth, 0.01);
    CHECK_NEAR(moments[1], moments[2], 1e-9);
    CHECK_CLOSE(moments[0] * moments[3] - moments[1] * moments[2], second * fifth, 0.03);
    CHECK(length[0] < 0.1 && length[2] < 0.1 && length[3] < 0.1 && length[5] < 0.1);
}

/* Bytes along directions, by definition. */
TEST(places_of_bytes_rows)
{
    enum { PLACED = 300, WIDE = 50, ALONG = 3 };
    static uint8_t x[PLACED * WIDE];
    static double w[WIDE * ALONG], factor[WIDE], out[2][PLACED * ALONG];
    struct matrix matrix = {.kind = MATRIX_U8, .rows = PLACED, .columns = WIDE, .dense = x};
    for (size_t i = 0; i < PLACED * WIDE; i++)
        x[i] = (uint8_t)(random_uniform(source, i) * 256);
    for (size_t i = 0; i < WIDE * ALONG; i++)
        w[i] = random_normal(source, i);
    for (size_t j = 0; j < WIDE; j++)
        factor[j] = 1 + (double)j;
    for (size_t threads = 1; threads <= 2; threads++)
        CHECK(project_bytes(&matrix, (struct directions){w, ALONG, factor}, threads, out[threads - 1], NULL) ==
              TEMPER_OK);
    CHECK(memcmp(out[0], out[1], sizeof out[0]) == 0);
    for (size_t row = 0; row < PLACED; row++)
        for (size_t k = 0; k < ALONG; k++) {
            double sum = 0, size = 0;
            for (size_t j = 0; j < WIDE; j++) {
                sum += x[row * WIDE + j] * factor[j] * w[j * ALONG + k];
                size += fabs(x[row * WIDE + j] * factor[j] * w[j * ALONG + k]);
            }
            CHECK_NEAR(out[0][row * ALONG + k], sum, 1e-6 * size);
        }
}

TEST(places_without_memory)
{
    static const uint8_t x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const double w[4] = {1, 0, 0, 1};
    struct matrix matrix = {.kind = MATRIX_U8, .rows = 4, .columns = 2, .dense = x};
    double out[8];
    size_t n = 0;
    for (bool fired = true; fired;) {
        fault_arm(++n);
        temper_status status = project_bytes(&matrix, (struct directions){w, 2, NULL}, 1, out, NULL);
        fault_disarm();
        fired = fault_fired();
        CHECK(status == (fired ? TEMPER_NO_MEMORY : TEMPER_OK));
    }
    CHECK(n > 2);
    CHECK_NEAR(out[7], 8, 1e-6);
}

/* ---- Duplicates ------------------------------------------------------------------------------ */

TEST(equal_rows)
{
    static const uint8_t bytes[] = {1, 2, 3, 4, 1, 2, 0, 0, 3, 4, 1, 2};
    static const uint64_t wanted[] = {0, 1, 0, 3, 1, 0};
    struct matrix x = {.kind = MATRIX_U8, .rows = 6, .columns = 2, .dense = bytes};
    uint64_t first[6];
    CHECK(duplicates_find(&x, 1, first, NULL) == TEMPER_OK);
    CHECK(memcmp(first, wanted, sizeof wanted) == 0);
}

TEST(equal_sparse_rows)
{
    static const uint64_t start[] = {0, 2, 4, 4, 6, 6};
    static const uint32_t column[] = {0, 3, 0, 2, 0, 3};
    static const float value[] = {1, 2, 1, 2, 1, 2};
    static const uint64_t wanted[] = {0, 1, 2, 0, 2};
    struct matrix x = {
        .kind = MATRIX_CSR, .rows = 5, .columns = 4, .row_start = start, .column = column, .value = value};
    uint64_t first[5];
    CHECK(duplicates_find(&x, 1, first, NULL) == TEMPER_OK);
    CHECK(memcmp(first, wanted, sizeof wanted) == 0);
}

TEST_LIST(LISTED(nearest_rows), LISTED(neighbours_by_several_processes), LISTED(nearest_rows_of_tiles_far_apart),
          LISTED(nearest_of_many_rows), LISTED(near_rows_come_together), LISTED(fewer_rows_than_a_tile),
          LISTED(neighbours_without_memory), LISTED(strongest_directions), LISTED(places_of_bytes_rows),
          LISTED(places_without_memory), LISTED(equal_rows), LISTED(equal_sparse_rows))
