/* summary: figures of small tables that can be worked out by hand, dense and sparse. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "data/columns/summary.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "temper_extra.h"

enum { ROWS = 4, COLUMNS = 7 };

/* Columns 1 and 4 never change, 3 repeats 2, 6 and 7 repeat 5. */
static const float table[ROWS][COLUMNS] = {
    {5, 1, 1, 0, 0, 0, 0},
    {5, 2, 2, 0, -3, -3, -3},
    {5, 0, 0, 0, 0, 0, 0},
    {5, 1, 1, 0, 8, 8, 8},
};

static uint32_t label[ROWS] = {1, 0, 1, 1};

static struct dataset dense_data(void)
{
    return (struct dataset){
        .x = {.kind = MATRIX_F32, .rows = ROWS, .columns = COLUMNS, .nonzeros = ROWS * COLUMNS, .dense = table},
        .label = label,
        .classes = {.count = 2},
        .file.format = "npy",
    };
}

/* The same numbers without their zeros. */
struct sparse {
    uint64_t row_start[ROWS + 1];
    uint32_t column[ROWS * COLUMNS];
    float value[ROWS * COLUMNS];
};

/* Every column is shifted by `shift`. */
static struct dataset sparse_data(struct sparse *sparse, uint32_t shift)
{
    uint64_t count = 0;
    for (size_t i = 0; i < ROWS; i++) {
        sparse->row_start[i] = count;
        for (uint32_t j = 0; j < COLUMNS; j++)
            if (table[i][j] != 0) {
                sparse->column[count] = j + shift;
                sparse->value[count++] = table[i][j];
            }
    }
    sparse->row_start[ROWS] = count;
    struct dataset data = dense_data();
    data.x = (struct matrix){.kind = MATRIX_CSR,
                             .rows = ROWS,
                             .columns = COLUMNS + (uint64_t)shift,
                             .nonzeros = count,
                             .row_start = sparse->row_start,
                             .column = sparse->column,
                             .value = sparse->value};
    return data;
}

static temper_data_summary summary_of(const struct dataset *data, size_t threads)
{
    temper_data_summary summary = {0};
    temper_error error;
    CHECK(dataset_summary(data, threads, &summary, &error) == TEMPER_OK);
    return summary;
}

static void check_table(const temper_data_summary *s)
{
    CHECK_EQ_SIZE(s->nonzeros, 16);
    CHECK(s->low == -3 && s->high == 8);
    CHECK_EQ_SIZE(s->constant.count, 2);
    CHECK(s->constant.column[0] == 1 && s->constant.column[1] == 4);
    CHECK_EQ_SIZE(s->duplicate.count, 3);
    CHECK(s->duplicate.column[0] == 3 && s->duplicate.same_as[0] == 2);
    CHECK(s->duplicate.column[1] == 6 && s->duplicate.same_as[1] == 5);
    CHECK(s->duplicate.column[2] == 7 && s->duplicate.same_as[2] == 5);
    CHECK_EQ_SIZE(s->classes, 2);
    CHECK(s->class_rows[0] == 1 && s->class_rows[1] == 3);
}

TEST(dense)
{
    struct dataset data = dense_data();
    temper_data_summary s = summary_of(&data, 1);
    CHECK_EQ_TEXT(s.storage, "dense float32");
    CHECK_EQ_SIZE(s.stored, ROWS * COLUMNS);
    CHECK_EQ_SIZE(s.bytes, sizeof table + sizeof label);
    CHECK(!s.weighted && s.compression == NULL);
    check_table(&s);
    summary_free(&s);
}

TEST(sparse_is_the_same)
{
    struct sparse sparse;
    struct dataset data = sparse_data(&sparse, 0);
    temper_data_summary s = summary_of(&data, 2);
    CHECK_EQ_TEXT(s.storage, "sparse float32");
    CHECK_EQ_SIZE(s.stored, 16);
    check_table(&s);
    summary_free(&s);
}

/* Two thousand million columns, of which seven have entries: no memory for the others. */
TEST(wide)
{
    struct sparse sparse;
    const uint32_t shift = 2000000000;
    struct dataset data = sparse_data(&sparse, shift);
    temper_data_summary s = summary_of(&data, 2);
    CHECK(s.low == -3 && s.high == 8);
    CHECK_EQ_SIZE(s.constant.count, shift + 2);
    CHECK(s.constant.column[0] == 1 && s.constant.column[5] == 6);
    CHECK_EQ_SIZE(s.duplicate.count, 3);
    CHECK(s.duplicate.column[0] == shift + 3 && s.duplicate.same_as[0] == shift + 2);
    summary_free(&s);
}

/* A column of stored zeros is one of zeros; -0 is 0. */
TEST(zeros)
{
    static const uint64_t row_start[] = {0, 2, 3};
    static const uint32_t column[] = {0, 1, 0};
    static const float value[] = {-0.0f, 0.0f, 0.0f};
    struct dataset data = {.x = {.kind = MATRIX_CSR,
                                 .rows = 2,
                                 .columns = 2,
                                 .nonzeros = 3,
                                 .row_start = row_start,
                                 .column = column,
                                 .value = value}};
    temper_data_summary s = summary_of(&data, 1);
    CHECK_EQ_SIZE(s.nonzeros, 0);
    CHECK_EQ_SIZE(s.constant.count, 2);
    CHECK_EQ_SIZE(s.duplicate.count, 0);
    CHECK(s.low == 0 && s.high == 0 && !signbit(s.low));
    CHECK(s.classes == 0 && s.class_rows == NULL);
    summary_free(&s);
}

/* The same values in another order are another column. */
TEST(order_matters)
{
    static const double values[] = {1, 2, 2, 1};
    struct dataset data = {.x = {.kind = MATRIX_F64, .rows = 2, .columns = 2, .nonzeros = 4, .dense = values}};
    temper_data_summary s = summary_of(&data, 1);
    CHECK_EQ_SIZE(s.duplicate.count, 0);
    summary_free(&s);
}

TEST(weights)
{
    double weight[ROWS] = {1, 0.5, 2, 4};
    struct dataset data = dense_data();
    data.weight = weight;
    temper_data_summary s = summary_of(&data, 1);
    CHECK(s.weighted);
    CHECK(s.weight_low == 0.5 && s.weight_high == 4 && s.weight_sum == 7.5);
    summary_free(&s);
}

enum { MANY_ROWS = 3000, MANY_COLUMNS = 40 };

/* Each column of the second half repeats one of the first; more duplicates than are shown. */
static unsigned char *many_bytes(void)
{
    unsigned char *bytes = mem_alloc(MANY_ROWS, MANY_COLUMNS);
    for (size_t i = 0; bytes && i < MANY_ROWS; i++)
        for (size_t j = 0; j < MANY_COLUMNS; j++) {
            uint64_t index = i * MANY_COLUMNS + j % (MANY_COLUMNS / 2);
            bytes[i * MANY_COLUMNS + j] = (unsigned char)random_bits((struct random){7, 1}, index);
        }
    return bytes;
}

TEST(threads)
{
    unsigned char *bytes = many_bytes();
    struct dataset data = {.x = {.kind = MATRIX_U8,
                                 .rows = MANY_ROWS,
                                 .columns = MANY_COLUMNS,
                                 .nonzeros = MANY_ROWS * MANY_COLUMNS,
                                 .dense = bytes}};
    temper_data_summary one = summary_of(&data, 1), five = summary_of(&data, 5);
    CHECK_EQ_SIZE(one.duplicate.count, MANY_COLUMNS / 2);
    for (size_t i = 0; i < TEMPER_SUMMARY_SHOWN; i++)
        CHECK(one.duplicate.column[i] == MANY_COLUMNS / 2 + i + 1 && one.duplicate.same_as[i] == i + 1);
    CHECK(memcmp(&one.duplicate, &five.duplicate, sizeof one.duplicate) == 0);
    CHECK(one.nonzeros == five.nonzeros && one.low == five.low && one.high == five.high);
    mem_free(bytes);
}

TEST(every_allocation_fails)
{
    struct sparse sparse;
    struct dataset data = sparse_data(&sparse, 2000000000);
    for (size_t n = 1; n < 100; n++) {
        temper_error error = {.status = TEMPER_OK};
        temper_data_summary s = {.rows = 77};
        fault_arm(n);
        temper_status status = dataset_summary(&data, 1, &s, &error);
        fault_disarm();
        if (!fault_fired()) {
            CHECK(n > 4 && status == TEMPER_OK);
            summary_free(&s);
            return;
        }
        CHECK(status == TEMPER_NO_MEMORY && s.rows == 77);
    }
    CHECKF(false, "it never stopped failing");
}

TEST_LIST(LISTED(dense), LISTED(sparse_is_the_same), LISTED(wide), LISTED(zeros), LISTED(order_matters),
          LISTED(weights), LISTED(threads), LISTED(every_allocation_fails))
