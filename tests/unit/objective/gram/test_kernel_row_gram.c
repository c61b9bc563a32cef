/* Products and combinations of rows, against their definition: for each kind of data, scaled and not, and with the same
 * bits on any number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "kernel/dispatch/kernel.h"
#include "objective/gram/row_gram.h"

enum { ROWS = 37, COLUMNS = 1100, VECTORS = 3 };
static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8};

/* The rows as the solver sees them. */
static void read_all(const struct row_gram *rows, double *x)
{
    for (size_t i = 0; i < ROWS; i++, x += COLUMNS) {
        matrix_row_f64(rows->x, i, x);
        for (size_t j = 0; rows->scale && j < COLUMNS; j++)
            x[j] = (x[j] - rows->scale->offset[j]) * rows->scale->factor[j];
    }
}

static void check_products(const struct row_gram *rows, const double *x)
{
    double *k = calloc((size_t)ROWS * ROWS, sizeof *k);
    CHECK(row_gram(rows, k, NULL) == TEMPER_OK);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++) {
            double sum = 0, size = 0;
            for (size_t c = 0; c < COLUMNS && j <= i; c++) {
                sum += x[i * COLUMNS + c] * x[j * COLUMNS + c];
                size += fabs(x[i * COLUMNS + c] * x[j * COLUMNS + c]);
            }
            CHECKF(fabs(k[i * ROWS + j] - sum) <= 1e-13 * size, "%zu, %zu: %g, not %g", i, j, k[i * ROWS + j], sum);
        }
    free(k);
}

static void check_combinations(const struct row_gram *rows, const double *x, size_t vectors)
{
    const size_t stride = row_combine_stride(ROWS);
    double *a = calloc(vectors * stride, sizeof *a), *w = calloc(COLUMNS * vectors, sizeof *w);
    for (size_t k = 0; k < vectors; k++)
        for (size_t i = 0; i < ROWS; i++)
            a[k * stride + i] = (double)((7 * i + 3 * k) % 5) - 2;
    CHECK(row_combine(rows, a, vectors, w, NULL) == TEMPER_OK);
    for (size_t j = 0; j < COLUMNS; j++)
        for (size_t k = 0; k < vectors; k++) {
            const bool none = rows->scale && rows->scale->is_zero && rows->scale->is_zero[j];
            double sum = 0, size = 0;
            for (size_t i = 0; i < ROWS && !none; i++) {
                sum += x[i * COLUMNS + j] * a[k * stride + i];
                size += fabs(x[i * COLUMNS + j] * a[k * stride + i]);
            }
            CHECKF(fabs(w[j * vectors + k] - sum) <= 1e-13 * size, "%zu, %zu", j, k);
        }
    free(a);
    free(w);
}

TEST(products_and_combinations_are_those_of_the_definition)
{
    const char *wanted;
    double *x = calloc((size_t)ROWS * COLUMNS, sizeof *x);
    for (size_t k = 0; k < 3; k++)
        for (int scaled = 0; scaled < 2; scaled++) {
            struct dataset *data = table_random(kinds[k], ROWS, COLUMNS);
            struct scale scale = {0};
            CHECK(scale_learn(data, SCALE_STANDARD, (struct scale_rows){NULL, ROWS}, 1, &scale, NULL) == TEMPER_OK);
            const struct row_gram rows = {&data->x, scaled ? &scale : NULL, kernel_choose(&wanted), 1};
            read_all(&rows, x);
            check_products(&rows, x);
            check_combinations(&rows, x, 1);
            check_combinations(&rows, x, VECTORS);
            scale_free(&scale);
            dataset_free(data);
        }
    free(x);
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    const char *wanted;
    struct dataset *data = table_random(MATRIX_F32, ROWS, COLUMNS);
    double *one = calloc((size_t)ROWS * ROWS, sizeof *one), *more = calloc((size_t)ROWS * ROWS, sizeof *more);
    struct row_gram rows = {&data->x, NULL, kernel_choose(&wanted), 1};
    CHECK(row_gram(&rows, one, NULL) == TEMPER_OK);
    for (rows.threads = 2; rows.threads < 100; rows.threads *= 3) {
        CHECK(row_gram(&rows, more, NULL) == TEMPER_OK);
        CHECKF(memcmp(one, more, (size_t)ROWS * ROWS * sizeof *one) == 0, "%zu threads", rows.threads);
    }
    free(one);
    free(more);
    dataset_free(data);
}

TEST(a_lack_of_memory_is_reported)
{
    const char *wanted;
    struct dataset *data = table_random(MATRIX_F32, ROWS, COLUMNS);
    double *k = calloc((size_t)ROWS * ROWS, sizeof *k), w[COLUMNS], a[64] = {0};
    const struct row_gram rows = {&data->x, NULL, kernel_choose(&wanted), 1};
    fault_arm(1);
    CHECK(row_gram(&rows, k, NULL) == TEMPER_NO_MEMORY);
    fault_arm(1);
    CHECK(row_combine(&rows, a, 1, w, NULL) == TEMPER_NO_MEMORY);
    fault_disarm();
    free(k);
    dataset_free(data);
}

TEST_LIST(LISTED(products_and_combinations_are_those_of_the_definition),
          LISTED(any_number_of_threads_gives_the_same_bits), LISTED(a_lack_of_memory_is_reported))
