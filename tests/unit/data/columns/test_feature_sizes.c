/* The sizes of features, by which unscaled ones are warned of. */
#include <math.h>
#include <stdlib.h>

#include "data/columns/feature_sizes.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/test.h"

enum { COLUMNS = 3 };
static const double values[] = {
    1,    5, 0,   /**/
    -3,   5, 0,   /**/
    1,    5, 0.5, /**/
    -300, 5, 0.5  /* of weight 0 below */
};
static const double weights[] = {1, 2, 1, 0};

static void sizes_of(enum matrix_kind kind, const double *weight, double *size)
{
    struct dataset *data = table_make(kind, 4, COLUMNS, values, NULL);
    const struct sized_rows rows = {data, weight, 1};
    for (size_t j = 0; j < COLUMNS; j++)
        size[j] = 0;
    CHECK(feature_sizes(&rows, size, NULL) == TEMPER_OK);
    dataset_free(data);
}

TEST(sparse_features_have_their_largest_absolute_value)
{
    double size[COLUMNS];
    sizes_of(MATRIX_CSR, NULL, size);
    CHECK(size[0] == 300 && size[1] == 5 && size[2] == 0.5);
}

TEST(dense_features_have_their_standard_deviation_and_constant_ones_none)
{
    double size[COLUMNS];
    sizes_of(MATRIX_F64, NULL, size);
    const double mean = -301.0 / 4, squares = 1 + 9 + 1 + 90000;
    CHECK_NEAR(size[0], sqrt(squares / 4 - mean * mean), 1e-12);
    CHECK(size[1] == 0);
    CHECK_NEAR(size[2], 0.25, 1e-15);
}

TEST(rows_of_weight_zero_do_not_count)
{
    double size[COLUMNS];
    sizes_of(MATRIX_CSR, weights, size);
    CHECK(size[0] == 3 && size[2] == 0.5);
    sizes_of(MATRIX_F64, weights, size);
    CHECK_NEAR(size[0], 2, 1e-12); /* 1, -3 twice, 1 */
    CHECK(size[1] == 0);
}

/* Every tenth row, or 512 of fewer: the row between two of them is not looked at. */
TEST(a_sample_of_evenly_spaced_rows_is_enough)
{
    enum { ROWS = 20480 };
    double *tall = calloc(ROWS, sizeof *tall), size[1] = {0};
    if (!CHECK(tall != NULL))
        return;
    tall[10] = 7;
    tall[11] = 1000;
    struct dataset *data = table_make(MATRIX_CSR, ROWS, 1, tall, NULL);
    const struct sized_rows rows = {data, NULL, 1};
    CHECK(feature_sizes(&rows, size, NULL) == TEMPER_OK);
    CHECK(size[0] == 7);
    dataset_free(data);
    free(tall);
}

TEST_LIST(LISTED(sparse_features_have_their_largest_absolute_value),
          LISTED(dense_features_have_their_standard_deviation_and_constant_ones_none),
          LISTED(rows_of_weight_zero_do_not_count), LISTED(a_sample_of_evenly_spaced_rows_is_enough))
