/* Scaling: what is learnt, from which rows, and how it is applied. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "data/columns/scale.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
enum { KINDS = 4 };
static const struct scale_rows all_rows = {0};

/* Three columns: 1 2 3 4, 5 5 5 5, 0 0 0 8. */
static const double small[] = {1, 5, 0, 2, 5, 0, 3, 5, 0, 4, 5, 8};

static void check_scale(const struct dataset *data, enum scale_kind kind, const double *offset, const double *factor,
                        size_t constants)
{
    struct scale scale = {0};
    temper_error error = {0};
    if (!CHECKF(scale_learn(data, kind, all_rows, 2, &scale, &error) == TEMPER_OK, "%s", error.message))
        return;
    for (size_t j = 0; j < scale.columns && j < 3; j++) {
        CHECK_NEAR(scale.offset[j], offset[j], 1e-15);
        CHECK_CLOSE(scale.factor[j], factor[j], 1e-15);
    }
    CHECK_EQ_SIZE(scale.constants, constants);
    scale_free(&scale);
}

TEST(each_kind_of_scale_on_each_kind_of_matrix)
{
    const double none[] = {0, 0, 0}, ones[] = {1, 1, 1};
    for (size_t k = 0; k < KINDS; k++) {
        struct dataset *data = table_make(kinds[k], 4, 3, small, NULL);
        bool sparse = kinds[k] == MATRIX_CSR;
        check_scale(data, SCALE_NONE, none, ones, 0);
        check_scale(data, SCALE_STANDARD, sparse ? none : (const double[]){2.5, 5, 2},
                    (const double[]){1 / sqrt(1.25), 1, 1 / sqrt(12)}, 1);
        check_scale(data, SCALE_MAXABS, none, (const double[]){1.0 / 4, 1.0 / 5, 1.0 / 8}, 0);
        if (!sparse)
            check_scale(data, SCALE_MINMAX, (const double[]){1, 5, 0}, (const double[]){1.0 / 3, 1, 1.0 / 8}, 1);
        dataset_free(data);
    }
}

TEST(logarithms_come_before_standardising)
{
    const double e = exp(1), values[] = {0, e - 1, e * e - 1};
    struct dataset *data = table_make(MATRIX_F64, 3, 1, values, NULL);
    check_scale(data, SCALE_LOG, (const double[]){1, 0, 0}, (const double[]){1 / sqrt(2.0 / 3), 0, 0}, 0);
    dataset_free(data);
}

TEST(negative_values_have_no_logarithm)
{
    const double values[] = {0, 1, 2, -3, 4, 5};
    static const enum matrix_kind signed_kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_CSR};
    for (size_t k = 0; k < 3; k++) {
        struct dataset *data = table_make(signed_kinds[k], 3, 2, values, NULL);
        struct scale scale = {.columns = 77};
        temper_error error = {0};
        CHECK(scale_learn(data, SCALE_LOG, all_rows, 1, &scale, &error) == TEMPER_BAD_DATA);
        CHECK_EQ_TEXT(error.message, "table.csv:20: feature 2 has a negative value, which --scale "
                                     "log cannot take; use --scale standard");
        CHECK_EQ_SIZE(error.line, 20);
        CHECK_EQ_SIZE(scale.columns, 77);
        table_name_columns(data);
        free(data->line);
        data->line = NULL;
        CHECK(scale_learn(data, SCALE_LOG, all_rows, 1, &scale, &error) == TEMPER_BAD_DATA);
        CHECK_EQ_TEXT(error.message, "table.csv: feature 2 'x2' has a negative value in row 2, "
                                     "which --scale log cannot take; use --scale standard");
        dataset_free(data);
    }
}

TEST(sparse_data_stays_sparse)
{
    struct dataset *data = table_make(MATRIX_CSR, 4, 3, small, NULL);
    struct scale scale;
    temper_error error = {0};
    CHECK(scale_learn(data, SCALE_MINMAX, all_rows, 1, &scale, &error) == TEMPER_USAGE);
    CHECK_EQ_TEXT(error.message, "table.csv: --scale minmax would fill the zeros of sparse data; "
                                 "use --scale maxabs");
    dataset_free(data);
}

/* Nothing is learnt: a test row of other brightness is divided by the same number. */
TEST(pixels_are_divided_by_255)
{
    for (size_t k = 0; k < KINDS; k++) {
        struct dataset *data = table_make(kinds[k], 4, 3, small, NULL);
        struct scale scale;
        if (!CHECK(scale_learn(data, SCALE_PIXELS, all_rows, 1, &scale, NULL) == TEMPER_OK))
            return;
        for (size_t j = 0; j < 3; j++)
            CHECK(scale.offset[j] == 0 && scale.factor[j] == 1.0 / 255);
        CHECK_EQ_SIZE(scale.constants, 0);
        scale_free(&scale);
        dataset_free(data);
    }
}

TEST(only_the_given_rows_teach)
{
    static const size_t rows[] = {0, 2};
    for (size_t k = 0; k < KINDS; k++) {
        struct dataset *data = table_make(kinds[k], 4, 3, small, NULL);
        struct scale scale;
        if (!CHECK(scale_learn(data, SCALE_STANDARD, (struct scale_rows){rows, 2}, 2, &scale, NULL) == TEMPER_OK))
            return;
        CHECK(scale.offset[0] == (kinds[k] == MATRIX_CSR ? 0 : 2));
        CHECK_CLOSE(scale.factor[0], 1, 1e-15);
        CHECK(scale.factor[2] == 1); /* 8 is in another row */
        CHECK_EQ_SIZE(scale.constants, 2);
        scale_free(&scale);
        dataset_free(data);
    }
}

static void check_same_scale(const struct dataset *left, const struct dataset *right, enum scale_kind kind)
{
    struct scale a = {0}, b = {0};
    CHECK(scale_learn(left, kind, all_rows, 1, &a, NULL) == TEMPER_OK);
    CHECK(scale_learn(right, kind, all_rows, 1, &b, NULL) == TEMPER_OK);
    for (size_t j = 0; j < a.columns; j++) {
        CHECK_NEAR(a.offset[j], b.offset[j], 1e-15);
        CHECK_CLOSE(a.factor[j], b.factor[j], 1e-14);
    }
    CHECK_EQ_SIZE(a.constants, b.constants);
    scale_free(&a);
    scale_free(&b);
}

/* A row of weight 2 is two rows, one of weight 0 is none. */
TEST(weights_are_repetitions)
{
    const double weights[] = {0, 1, 2, 3}, twice[] = {2, 5, 0, 3, 5, 0, 3, 5, 0, 4, 5, 8, 4, 5, 8, 4, 5, 8};
    for (size_t k = 0; k < KINDS; k++) {
        struct dataset *data = table_make(kinds[k], 4, 3, small, NULL);
        struct dataset *repeated = table_make(kinds[k], 6, 3, twice, NULL);
        table_weigh(data, weights);
        check_same_scale(data, repeated, SCALE_STANDARD);
        check_same_scale(data, repeated, SCALE_MAXABS);
        check_same_scale(data, repeated, SCALE_LOG);
        if (kinds[k] != MATRIX_CSR)
            check_same_scale(data, repeated, SCALE_MINMAX);
        dataset_free(data);
        dataset_free(repeated);
    }
}

/* A large number and a little: one pass over the squares would lose everything. */
TEST(large_means_do_not_hide_small_spreads)
{
    enum { ROWS = 3000 };
    double *values = calloc(2 * (size_t)ROWS, sizeof *values);
    if (!CHECK(values != NULL))
        return;
    for (size_t i = 0; i < ROWS; i++) {
        values[2 * i] = 4e15 + (i % 3 == 0); /* its mean, a third more, is between two doubles */
        values[2 * i + 1] = 0.1;             /* no double: its mean is not quite itself */
    }
    struct dataset *data = table_make(MATRIX_F64, ROWS, 2, values, NULL);
    struct scale scale;
    if (CHECK(scale_learn(data, SCALE_STANDARD, all_rows, 2, &scale, NULL) == TEMPER_OK)) {
        CHECK_CLOSE(scale.offset[0], 4e15, 1e-15);
        CHECK_CLOSE(scale.factor[0], 1 / sqrt(2.0 / 9), 1e-12);
        CHECK(scale.factor[1] == 1 && scale.constants == 1);
        scale_free(&scale);
    }
    dataset_free(data);
    free(values);
}

/* Sparse and dense sums of the same numbers. */
TEST(sparse_sums_are_those_of_dense_data)
{
    struct dataset *dense = table_random(MATRIX_F32, 3000, 11);
    struct dataset *sparse = table_random(MATRIX_CSR, 3000, 11);
    for (int kind = SCALE_STANDARD; kind <= SCALE_LOG; kind++) {
        struct scale a, b;
        if (kind == SCALE_MINMAX)
            continue;
        CHECK(scale_learn(dense, (enum scale_kind)kind, all_rows, 2, &a, NULL) == TEMPER_OK);
        CHECK(scale_learn(sparse, (enum scale_kind)kind, all_rows, 2, &b, NULL) == TEMPER_OK);
        for (size_t j = 0; j < 11; j++)
            CHECK_CLOSE(b.factor[j], a.factor[j], 1e-13);
        scale_free(&a);
        scale_free(&b);
    }
    dataset_free(dense);
    dataset_free(sparse);
}

/* Bytes are added up as whole numbers: one column never changes, one is 255 but once. */
TEST(sums_of_bytes_are_exact)
{
    enum { MANY = 80000 };
    double *values = calloc(3 * (size_t)MANY, sizeof *values);
    if (!CHECK(values != NULL))
        return;
    for (size_t i = 0; i < MANY; i++) {
        values[3 * i] = 255;
        values[3 * i + 1] = i == 12345 ? 254 : 255;
        values[3 * i + 2] = (double)(i * 37 % 251);
    }
    struct dataset *bytes = table_make(MATRIX_U8, MANY, 3, values, NULL);
    struct dataset *doubles = table_make(MATRIX_F64, MANY, 3, values, NULL);
    struct scale a, b;
    CHECK(scale_learn(bytes, SCALE_STANDARD, all_rows, 2, &a, NULL) == TEMPER_OK);
    CHECK(scale_learn(doubles, SCALE_STANDARD, all_rows, 2, &b, NULL) == TEMPER_OK);
    CHECK(a.factor[0] == 1 && a.constants == 1);
    CHECK_CLOSE(a.factor[1], MANY / sqrt(MANY - 1.0), 1e-12);
    for (size_t j = 0; j < 3; j++) {
        CHECK_CLOSE(a.offset[j], b.offset[j], 1e-14);
        CHECK_CLOSE(a.factor[j], b.factor[j], 1e-10);
    }
    scale_free(&a);
    scale_free(&b);
    CHECK(scale_learn(bytes, SCALE_MINMAX, all_rows, 1, &a, NULL) == TEMPER_OK);
    CHECK(a.offset[1] == 254 && a.offset[2] == 0 && a.factor[2] == 1.0 / 250);
    scale_free(&a);
    dataset_free(bytes);
    dataset_free(doubles);
    free(values);
}

TEST(what_no_double_can_scale_is_refused)
{
    const double huge[] = {-1e308, 1e308}, tiny[] = {0, 4.9406564584124654e-324}, wrong[] = {1, NAN};
    const double *const columns[] = {huge, tiny, wrong};
    for (size_t i = 0; i < 3; i++) {
        struct dataset *data = table_make(MATRIX_F64, 2, 1, columns[i], NULL);
        struct scale scale;
        temper_error error = {0};
        CHECK(scale_learn(data, SCALE_STANDARD, all_rows, 1, &scale, &error) == TEMPER_BAD_DATA);
        CHECK_EQ_TEXT(error.message, "table.csv: feature 1 has values too large, too small or not finite: no "
                                     "double can scale them; use --scale none, or other units");
        dataset_free(data);
    }
}

TEST(scaled_matrices_have_the_promised_moments)
{
    for (size_t k = 0; k < KINDS; k++) {
        struct dataset *data = table_random(kinds[k], 2000, 5);
        struct scale scale, again = {0};
        if (!CHECK(scale_learn(data, SCALE_STANDARD, all_rows, 2, &scale, NULL) == TEMPER_OK))
            return;
        struct dataset scaled = *data;
        if (!CHECK(scale_matrix(&scale, &data->x, 3, &scaled.x, NULL) == TEMPER_OK))
            return;
        CHECK(scaled.x.kind == (kinds[k] == MATRIX_U8 ? MATRIX_F32 : kinds[k]));
        CHECK(scaled.x.nonzeros == data->x.nonzeros);
        CHECK(scale_learn(&scaled, SCALE_STANDARD, all_rows, 2, &again, NULL) == TEMPER_OK);
        for (size_t j = 0; j < 5; j++) {
            CHECK_NEAR(again.offset[j], 0, 1e-7);
            CHECK_CLOSE(again.factor[j], 1, 1e-6);
        }
        scale_free(&scale);
        scale_free(&again);
        matrix_free(&scaled.x);
        dataset_free(data);
    }
}

TEST(a_scaled_row_is_that_of_the_scaled_matrix)
{
    struct dataset *data = table_random(MATRIX_F64, 600, 5);
    for (int kind = SCALE_NONE; kind <= SCALE_LOG; kind++) {
        struct scale scale;
        struct matrix scaled;
        double row[5], expected[5];
        CHECK(scale_learn(data, (enum scale_kind)kind, all_rows, 1, &scale, NULL) == TEMPER_OK);
        CHECK(scale_matrix(&scale, &data->x, 2, &scaled, NULL) == TEMPER_OK);
        matrix_row_f64(&data->x, 599, row);
        matrix_row_f64(&scaled, 599, expected);
        scale_row(&scale, row);
        CHECK(table_same_bits(row, expected, 5));
        matrix_free(&scaled);
        scale_free(&scale);
    }
    dataset_free(data);
}

TEST(empty_data_and_names)
{
    struct dataset *data = table_make(MATRIX_F32, 0, 2, small, NULL);
    enum scale_kind kind = SCALE_NONE;
    check_scale(data, SCALE_STANDARD, (const double[]){0, 0, 0}, (const double[]){1, 1, 1}, 2);
    dataset_free(data);
    CHECK(scale_find("maxabs", &kind) && kind == SCALE_MAXABS);
    CHECK(!scale_find("max", &kind) && kind == SCALE_MAXABS);
    CHECK_EQ_TEXT(scale_name(SCALE_LOG), "log");
}

TEST(survives_a_lack_of_memory)
{
    for (size_t k = 0; k < KINDS; k++) {
        struct dataset *data = table_random(kinds[k], 300, 3);
        struct scale scale = {.columns = 77};
        struct matrix scaled = {.rows = 77};
        temper_error error;
        for (size_t n = 1;; n++) {
            fault_arm(n);
            temper_status status = scale_learn(data, SCALE_LOG, all_rows, 1, &scale, &error);
            fault_disarm();
            if (!fault_fired())
                break;
            CHECK(status == TEMPER_NO_MEMORY && scale.columns == 77);
        }
        for (size_t n = 1;; n++) {
            fault_arm(n);
            temper_status status = scale_matrix(&scale, &data->x, 1, &scaled, &error);
            fault_disarm();
            if (!fault_fired())
                break;
            CHECK(status == TEMPER_NO_MEMORY && scaled.rows == 77);
        }
        matrix_free(&scaled);
        scale_free(&scale);
        dataset_free(data);
    }
}

TEST_LIST(LISTED(each_kind_of_scale_on_each_kind_of_matrix), LISTED(logarithms_come_before_standardising),
          LISTED(negative_values_have_no_logarithm), LISTED(sparse_data_stays_sparse),
          LISTED(pixels_are_divided_by_255), LISTED(only_the_given_rows_teach), LISTED(weights_are_repetitions),
          LISTED(large_means_do_not_hide_small_spreads), LISTED(sparse_sums_are_those_of_dense_data),
          LISTED(sums_of_bytes_are_exact), LISTED(what_no_double_can_scale_is_refused),
          LISTED(scaled_matrices_have_the_promised_moments), LISTED(a_scaled_row_is_that_of_the_scaled_matrix),
          LISTED(empty_data_and_names), LISTED(survives_a_lack_of_memory))
