/* The caller's arrays as data: the same as from a file, and as strict. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "temper_extra.h"

static const double x[] = {1, 2, 3, 4, 5, 6};
static const int labels[] = {7, -1, 7};

static const struct dataset *inside(const temper_data *data)
{
    return (const struct dataset *)data;
}

static double cell(const temper_data *data, uint64_t row, size_t column)
{
    double values[4];
    matrix_row_f64(&inside(data)->x, row, values);
    return values[column];
}

TEST(a_copy_and_its_classes)
{
    double mine[6];
    temper_data *data = NULL;
    temper_error error;
    memcpy(mine, x, sizeof mine);
    if (!CHECK(temper_data_from_f64(mine, 3, 2, labels, &data, &error) == TEMPER_OK))
        return;
    mine[0] = 100; /* a copy does not see it */
    CHECK(cell(data, 0, 0) == 1 && cell(data, 2, 1) == 6);
    CHECK(temper_data_rows(data) == 3 && temper_data_features(data) == 2);
    CHECK(temper_data_stored_values(data) == 6);
    CHECK_EQ_SIZE(temper_data_classes(data), 2);
    CHECK_EQ_TEXT(temper_data_class_name(data, 0), "-1");
    CHECK_EQ_TEXT(temper_data_class_name(data, 1), "7");
    const uint32_t *given = temper_data_labels(data);
    CHECK(given && given[0] == 1 && given[1] == 0 && given[2] == 1);
    CHECK_EQ_TEXT(temper_data_format(data), "arrays");
    temper_data_free(data);
}

TEST(borrowed_arrays_of_every_type)
{
    double f64[] = {1, 2, 3, 4};
    float f32[] = {1, 2, 3, 4};
    unsigned char u8[] = {1, 2, 3, 4};
    temper_data *data[3] = {NULL, NULL, NULL};
    CHECK(temper_data_borrow_f64(f64, 2, 2, NULL, &data[0], NULL) == TEMPER_OK);
    CHECK(temper_data_borrow_f32(f32, 2, 2, NULL, &data[1], NULL) == TEMPER_OK);
    CHECK(temper_data_borrow_u8(u8, 2, 2, NULL, &data[2], NULL) == TEMPER_OK);
    f64[3] = 9;
    f32[3] = 9;
    u8[3] = 9;
    for (size_t i = 0; i < 3; i++) {
        CHECK(data[i] && cell(data[i], 0, 1) == 2 && cell(data[i], 1, 1) == 9);
        CHECK(temper_data_classes(data[i]) == 0 && !temper_data_labels(data[i]));
        temper_data_free(data[i]);
    }
}

static const uint64_t starts[] = {0, 2, 2, 3};
static const uint32_t columns[] = {0, 3, 1};
static const float values[] = {1.5F, 2.5F, 3.5F};
static const temper_csr sparse = {.rows = 3, .columns = 4, .row_start = starts, .column = columns, .value = values};

TEST(borrowed_sparse_rows)
{
    temper_data *data = NULL;
    if (!CHECK(temper_data_borrow_csr(&sparse, labels, &data, NULL) == TEMPER_OK))
        return;
    CHECK(temper_data_stored_values(data) == 3 && temper_data_features(data) == 4);
    CHECK(cell(data, 0, 3) == 2.5 && cell(data, 1, 0) == 0 && cell(data, 2, 1) == 3.5);
    temper_data_free(data);
}

static void refuse_csr(temper_csr csr, const char *words)
{
    temper_data *data = NULL;
    temper_error error;
    CHECK(temper_data_borrow_csr(&csr, NULL, &data, &error) != TEMPER_OK && !data);
    CHECK(strncmp(error.message, words, strlen(words)) == 0);
}

TEST(wrong_sparse_rows_are_refused)
{
    static const uint64_t falling[] = {0, 2, 1, 3}, late[] = {1, 2, 2, 3};
    static const uint32_t wide[] = {0, 4, 1}, twice[] = {3, 3, 1};
    static const float hole[] = {1, 2, NAN};
    temper_csr csr = sparse;
    csr.row_start = falling;
    refuse_csr(csr, "entry 2 of row_start is 1; begin with 0");
    csr.row_start = late;
    refuse_csr(csr, "entry 0 of row_start is 1; begin with 0");
    csr = sparse;
    csr.column = wide;
    refuse_csr(csr, "column 4 of row 0 is not below 4");
    csr.column = twice;
    refuse_csr(csr, "column 3 of row 0 is not below 4, or not above the one before");
    csr = sparse;
    csr.value = hole;
    refuse_csr(csr, "the value in row 2, column 1, both counted from 0, is not finite");
    csr.value = NULL;
    refuse_csr(csr, "an array of the sparse rows is missing");
}

TEST(wrong_arrays_are_refused)
{
    static const double hole[] = {1, 2, 3, INFINITY};
    temper_data *data = NULL;
    temper_error error;
    CHECK(temper_data_from_f64(hole, 2, 2, NULL, &data, &error) == TEMPER_BAD_DATA);
    CHECK_EQ_TEXT(error.message, "the value in row 1, column 1, both counted from 0, is not "
                                 "finite; replace it, or drop the row");
    CHECK(temper_data_from_f64(NULL, 2, 2, NULL, &data, &error) == TEMPER_USAGE);
    CHECK(temper_data_from_f64(x, 2, 2, NULL, NULL, &error) == TEMPER_USAGE);
    CHECK(temper_data_from_f64(x, 0, 2, NULL, &data, &error) == TEMPER_BAD_DATA);
    CHECK(temper_data_from_f64(x, 2, 0, NULL, &data, &error) == TEMPER_BAD_DATA);
    CHECK(temper_data_borrow_f64(x, SIZE_MAX, 2, NULL, &data, &error) == TEMPER_NO_MEMORY);
    CHECK(temper_data_from_f64(x, SIZE_MAX / 2, 4, NULL, &data, &error) == TEMPER_NO_MEMORY);
    CHECK(!data);
}

TEST(memory_may_end)
{
    for (size_t n = 1;; n++) {
        temper_data *data = NULL;
        fault_arm(n);
        temper_status status = temper_data_from_f64(x, 3, 2, labels, &data, NULL);
        fault_disarm();
        CHECK(fault_fired() ? status == TEMPER_NO_MEMORY && !data : status == TEMPER_OK);
        temper_data_free(data);
        if (!fault_fired())
            break;
    }
}

/* Training and noise take it like any other. */
TEST(noise_of_arrays)
{
    const temper_noise_options options = {
        .struct_size = sizeof(temper_noise_options), .kind = "random", .rate = 0.34, .seed = 3};
    temper_data *data = NULL, *noisy = NULL;
    temper_noise_change *changes = NULL;
    size_t count = 0;
    if (!CHECK(temper_data_borrow_f64(x, 3, 2, labels, &data, NULL) == TEMPER_OK))
        return;
    CHECK(temper_data_add_noise(data, &options, &noisy, &changes, &count, NULL) == TEMPER_OK);
    CHECK_EQ_SIZE(count, 1);
    temper_data_free(noisy);
    temper_data_free(data);
    temper_free(changes);
}

TEST_LIST(LISTED(a_copy_and_its_classes), LISTED(borrowed_arrays_of_every_type), LISTED(borrowed_sparse_rows),
          LISTED(wrong_sparse_rows_are_refused), LISTED(wrong_arrays_are_refused), LISTED(memory_may_end),
          LISTED(noise_of_arrays))
