/* The spread of eigenvalues from a sample of rows, against spectra that are known. */
#include <stdlib.h>

#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "fixtures/thread_comm_fixture.h"
#include "objective/gram/spectrum.h"

enum { ROWS = 4000, COLUMNS = 40 };

/* Column j has the standard deviation deviation(j). */
static struct dataset *normal_rows(enum matrix_kind kind, double (*deviation)(size_t))
{
    double *x = calloc((size_t)ROWS * COLUMNS, sizeof *x);
    struct draw draw = draw_from(5);
    struct dataset *data = NULL;
    if (x) {
        draw_normals(&draw, x, (size_t)ROWS * COLUMNS, 1);
        for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++)
            x[i] *= deviation(i % COLUMNS);
        data = table_make(kind, ROWS, COLUMNS, x, NULL);
    }
    free(x);
    return data;
}

static double equal(size_t j)
{
    (void)j;
    return 3;
}

/* Variances 1 and 25: mean 13, second moment 313. */
static double two_sizes(size_t j)
{
    return j % 2 ? 5 : 1;
}

TEST(equal_eigenvalues_have_the_square_of_their_mean_as_second_moment)
{
    static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64};
    for (size_t k = 0; k < 2; k++) {
        struct dataset *data = normal_rows(kinds[k], equal);
        struct spectrum found = {0};
        CHECK(spectrum_estimate(data, NULL, &found, NULL) == TEMPER_OK);
        CHECK_CLOSE(found.mean, 9, 0.1);
        CHECK_CLOSE(found.second_moment / (found.mean * found.mean), 1, 0.15);
        dataset_free(data);
    }
}

TEST(unequal_eigenvalues_have_a_larger_one_unless_scaling_makes_them_equal)
{
    struct dataset *data = normal_rows(MATRIX_F64, two_sizes);
    double offset[COLUMNS] = {0}, factor[COLUMNS];
    for (size_t j = 0; j < COLUMNS; j++)
        factor[j] = 1 / two_sizes(j);
    const struct scale scale = {.kind = SCALE_STANDARD, .offset = offset, .factor = factor};
    struct spectrum found = {0};
    CHECK(spectrum_estimate(data, NULL, &found, NULL) == TEMPER_OK);
    CHECK_CLOSE(found.mean, 13, 0.15);
    CHECK_CLOSE(found.second_moment, 313, 0.2);
    CHECK(spectrum_estimate(data, &scale, &found, NULL) == TEMPER_OK);
    CHECK_CLOSE(found.mean, 1, 0.1);
    CHECK_CLOSE(found.second_moment, 1, 0.2);
    dataset_free(data);
}

TEST(one_row_shows_no_second_moment)
{
    const double x[] = {1, 2};
    struct dataset *data = table_make(MATRIX_F64, 1, 2, x, NULL);
    struct spectrum found = {0};
    CHECK(spectrum_estimate(data, NULL, &found, NULL) == TEMPER_OK);
    CHECK_CLOSE(found.mean, 2.5, 1e-6);
    CHECK(isinf(found.second_moment));
    dataset_free(data);
}

/* Each rank holds some of the rows. */
static void estimate_share(void *context, const temper_comm *comm)
{
    struct dataset *all = context;
    struct dataset own = *all;
    const size_t rank = comm->rank, size = comm->size, first = ROWS * rank / size, end = ROWS * (rank + 1) / size;
    struct spectrum alone = {0}, found = {0};
    own.x.dense = (char *)all->x.dense + first * COLUMNS * sizeof(double);
    own.x.rows = end - first;
    own.ranks.comm = comm;
    own.ranks.first_row = first;
    own.ranks.all_rows = ROWS;
    CHECK(spectrum_estimate(all, NULL, &alone, NULL) == TEMPER_OK);
    CHECK(spectrum_estimate(&own, NULL, &found, NULL) == TEMPER_OK);
    CHECK(found.mean == alone.mean && found.second_moment == alone.second_moment);
}

TEST(processes_find_the_same_bits)
{
    struct dataset *data = normal_rows(MATRIX_F64, two_sizes);
    for (size_t ranks = 2; ranks < 4; ranks++)
        team_run(ranks, estimate_share, data);
    dataset_free(data);
}

TEST(a_lack_of_memory_is_reported)
{
    struct dataset *data = normal_rows(MATRIX_F32, equal);
    struct spectrum found = {.mean = -1};
    temper_error error = {0};
    fault_arm(1);
    CHECK(spectrum_estimate(data, NULL, &found, &error) == TEMPER_NO_MEMORY);
    fault_disarm();
    CHECK(fault_fired() && error.status == TEMPER_NO_MEMORY && found.mean == -1);
    dataset_free(data);
}

TEST_LIST(LISTED(equal_eigenvalues_have_the_square_of_their_mean_as_second_moment),
          LISTED(unequal_eigenvalues_have_a_larger_one_unless_scaling_makes_them_equal),
          LISTED(one_row_shows_no_second_moment), LISTED(processes_find_the_same_bits),
          LISTED(a_lack_of_memory_is_reported))
