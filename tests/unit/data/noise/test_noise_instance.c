/* Instance noise: rows that get the features of rows of other classes, and keep their labels. */
#include "data/noise/noise.h"
#include "data/subset.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/test.h"

enum { SEED = 20190417 };
static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};

TEST(instances_come_from_other_classes_of_the_data)
{
    for (size_t k = 0; k < 4; k++) {
        struct dataset *data = table_pattern(kinds[k], 50, 3, 3), *out = NULL;
        struct noise noise;
        if (!CHECK(noise_instance(data, NULL, 0.3, SEED, &noise, NULL) == TEMPER_OK))
            return;
        CHECK_EQ_SIZE(noise.count, 15);
        if (!CHECK(noise_apply(data, NULL, &noise, &out, NULL) == TEMPER_OK))
            return;
        for (size_t i = 0, n = 0; i < 50; i++) {
            bool changed = n < noise.count && noise.change[n].row == i;
            size_t from = changed ? (size_t)noise.change[n].from : i;
            CHECK(out->label[i] == data->label[i]);
            CHECK((data->label[from] != data->label[i]) == changed);
            CHECK(table_same_row(&out->x, i, &data->x, from));
            n += changed;
        }
        noise_free(&noise);
        dataset_free(out);
        dataset_free(data);
    }
}

/* The paper's way: two classes are kept, and rows of all others replace some of theirs. */
TEST(instances_come_from_classes_that_were_left_out)
{
    for (size_t k = 0; k < 4; k++) {
        struct dataset *data = table_pattern(kinds[k], 60, 3, 6), *out = NULL;
        struct dataset *pool = table_pattern(kinds[k], 60, 3, 6);
        struct noise noise;
        size_t used[60] = {0};
        if (!CHECK(select_classes(data, "c1,c4", NULL) == TEMPER_OK) ||
            !CHECK(noise_instance(data, pool, 1, SEED, &noise, NULL) == TEMPER_OK))
            return;
        CHECK_EQ_SIZE(noise.count, 20);
        if (!CHECK(noise_apply(data, pool, &noise, &out, NULL) == TEMPER_OK))
            return;
        for (size_t i = 0; i < noise.count; i++) {
            size_t from = (size_t)noise.change[i].from;
            CHECK(pool->label[from] != 1 && pool->label[from] != 4);
            CHECK(table_same_row(&out->x, i, &pool->x, from));
            CHECK_EQ_SIZE(used[from]++, 0); /* 40 rows for 20 places: none twice */
        }
        noise_free(&noise);
        dataset_free(out);
        dataset_free(pool);
        dataset_free(data);
    }
}

TEST(a_small_pool_is_used_again)
{
    const double values[] = {9, 8};
    struct dataset *data = table_pattern(MATRIX_F32, 10, 1, 2);
    struct dataset *pool = table_make(MATRIX_F32, 2, 1, values, NULL); /* no labels: all of it */
    struct noise noise;
    size_t used[2] = {0};
    CHECK(noise_instance(data, pool, 0.6, SEED, &noise, NULL) == TEMPER_OK);
    for (size_t i = 0; i < noise.count; i++)
        used[noise.change[i].from]++;
    CHECK(used[0] == 3 && used[1] == 3);
    noise_free(&noise);
    dataset_free(pool);
    dataset_free(data);
}

static void check_pool_refused(struct dataset *pool, const char *message)
{
    struct dataset *data = table_pattern(MATRIX_F32, 10, 1, 2);
    struct noise noise = {.count = 77};
    temper_error error = {0};
    CHECK(noise_instance(data, pool, 0.6, SEED, &noise, &error) == TEMPER_BAD_DATA);
    CHECK_EQ_TEXT(error.message, message);
    CHECK_EQ_SIZE(noise.count, 77);
    dataset_free(pool);
    dataset_free(data);
}

TEST(pools_that_are_refused)
{
    check_pool_refused(table_pattern(MATRIX_F32, 10, 1, 2),
                       "table.csv: no row is of a class that the data does not have; give a pool "
                       "with other classes, or none");
    check_pool_refused(table_pattern(MATRIX_F32, 10, 2, 3),
                       "table.csv: rows of 2 features cannot replace rows of 1; take them from "
                       "data of the same form");
    check_pool_refused(table_pattern(MATRIX_U8, 10, 1, 3),
                       "table.csv: its features are stored in another way than those of the data; "
                       "read both from the same format");
}

TEST_LIST(LISTED(instances_come_from_other_classes_of_the_data), LISTED(instances_come_from_classes_that_were_left_out),
          LISTED(a_small_pool_is_used_again), LISTED(pools_that_are_refused))
