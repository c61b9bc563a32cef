/* Scaling on several threads: the same bits, and the same first fault, for any number of them. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "data/columns/scale.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/test.h"

static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
enum { KINDS = 4 };
static const struct scale_rows all_rows = {0};

TEST(any_number_of_threads_gives_the_same_bits)
{
    for (size_t k = 0; k < KINDS; k++) {
        struct dataset *data = table_random(kinds[k], 5000, 17);
        struct scale one, many;
        if (!CHECK(scale_learn(data, SCALE_STANDARD, all_rows, 1, &one, NULL) == TEMPER_OK))
            return;
        for (size_t threads = 2; threads < 8; threads++) {
            CHECK(scale_learn(data, SCALE_STANDARD, all_rows, threads, &many, NULL) == TEMPER_OK);
            CHECK(table_same_bits(one.factor, many.factor, 17));
            CHECK(table_same_bits(one.offset, many.offset, 17));
            scale_free(&many);
        }
        scale_free(&one);
        dataset_free(data);
    }
}

TEST(scaled_matrices_have_the_same_bits)
{
    for (size_t k = 0; k < KINDS; k++) {
        struct dataset *data = table_random(kinds[k], 5000, 3);
        struct scale scale;
        struct matrix one, many;
        size_t same = 0;
        if (!CHECK(scale_learn(data, SCALE_LOG, all_rows, 2, &scale, NULL) == TEMPER_OK) ||
            !CHECK(scale_matrix(&scale, &data->x, 1, &one, NULL) == TEMPER_OK) ||
            !CHECK(scale_matrix(&scale, &data->x, 4, &many, NULL) == TEMPER_OK))
            return;
        for (size_t i = 0; i < 5000; i++)
            same += table_same_row(&one, i, &many, i);
        CHECK_EQ_SIZE(same, 5000);
        matrix_free(&one);
        matrix_free(&many);
        scale_free(&scale);
        dataset_free(data);
    }
}

/* The first one in the file, whichever block finishes first. */
TEST(the_first_negative_value_is_named)
{
    enum { ROWS = 5000 };
    double *values = calloc(ROWS, sizeof *values);
    if (!CHECK(values != NULL))
        return;
    for (size_t i = 3000; i < ROWS; i++)
        values[i] = -1;
    struct dataset *data = table_make(MATRIX_F32, ROWS, 1, values, NULL);
    for (size_t threads = 1; threads < 9; threads++) {
        struct scale scale;
        temper_error error = {0};
        CHECK(scale_learn(data, SCALE_LOG, all_rows, threads, &scale, &error) == TEMPER_BAD_DATA);
        CHECK_EQ_SIZE(error.line, 30010);
    }
    dataset_free(data);
    free(values);
}

TEST_LIST(LISTED(any_number_of_threads_gives_the_same_bits), LISTED(scaled_matrices_have_the_same_bits),
          LISTED(the_first_negative_value_is_named))
