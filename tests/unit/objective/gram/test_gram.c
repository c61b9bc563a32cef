/* Second moments of classes from the rows that matter, and few of those that hardly do. */
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "objective/objective.h"

enum { COLUMNS = 6, CLASSES = 3, N = COLUMNS + 1, NUMBERS = CLASSES * N * N };

static void grams(struct objective *objective, const double *w, bool thin, double *out)
{
    const struct gram_rows rows = {.thin = thin};
    memset(out, 0, NUMBERS * sizeof *out);
    CHECK(objective_class_grams(objective, w, rows, out, NULL) == TEMPER_OK);
}

/* All diagonals, within a share. */
static void check_diagonals(const double *some, const double *all, double share)
{
    for (size_t i = 0; i < CLASSES * N; i++) {
        size_t diagonal = i / N * N * N + i % N * (N + 1);
        CHECK_CLOSE(some[diagonal], all[diagonal], share);
    }
}

/* Nearly all rows stay where all have a large curvature; where many have a small one, the sums are still right in the
 * mean. */
static void check_thin(const struct dataset *data, bool f64, double share)
{
    const struct objective_spec spec = {.data = data,
                                        .loss = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
                                        .intercept = true,
                                        .f64 = f64,
                                        .threads = 1};
    struct objective *objective;
    double all[NUMBERS], some[NUMBERS], w[CLASSES * N] = {0};
    struct draw draw = draw_from(4);
    if (objective_new(&spec, &objective, NULL) != TEMPER_OK) {
        CHECK(false);
        return;
    }
    grams(objective, w, false, all);
    grams(objective, w, true, some);
    check_diagonals(some, all, 0.01);
    draw_normals(&draw, w + CLASSES, CLASSES * (N - 1), 0.7); /* the first column has no weight */
    grams(objective, w, false, all);
    grams(objective, w, true, some);
    CHECK(memcmp(all, some, sizeof all) != 0);
    check_diagonals(some, all, share);
    objective_free(objective);
}

TEST(moments_of_fewer_rows_resemble_those_of_all)
{
    struct dataset *data = made_data(MATRIX_F32, 20000, COLUMNS, CLASSES);
    check_thin(data, false, 0.05);
    check_thin(data, true, 0.05);
    dataset_free(data);
}

/* Few rows have a value in the first column, and it is large: sampled by curvature alone, its sums would be far off. */
TEST(rows_with_a_rare_feature_stay)
{
    struct dataset *data = made_data(MATRIX_F32, 20000, COLUMNS, CLASSES);
    float *x = (float *)(uintptr_t)data->x.dense;
    for (size_t row = 0; row < 20000; row++)
        x[row * COLUMNS] = row % 400 == 7 ? 6 : 0;
    check_thin(data, false, 0.05);
    check_thin(data, true, 0.05);
    dataset_free(data);
}

/* The Gram matrix of all rows by some threads; entries above the diagonal are 0. */
static void gram_by(const struct dataset *data, size_t threads, bool intercept, double *out)
{
    const struct objective_spec spec = {.data = data,
                                        .loss = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
                                        .intercept = intercept,
                                        .threads = threads};
    const size_t n = (size_t)data->x.columns + intercept;
    struct objective *objective;
    if (objective_new(&spec, &objective, NULL) != TEMPER_OK) {
        CHECK(false);
        return;
    }
    CHECK(objective_gram(objective, NULL, 0, out, NULL) == TEMPER_OK);
    objective_free(objective);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            out[i * n + j] = 0;
}

/* Fewer threads than groups of rows take a group each, the last groups and more threads divide the lines. */
TEST(any_number_of_threads_gives_the_same_matrix)
{
    enum { WIDE = 40, SIZE = (WIDE + 1) * (WIDE + 1) };
    static const size_t threads[] = {2, 3, 5, 16};
    static double one[SIZE], more[SIZE];
    struct dataset *data = made_data(MATRIX_F32, 20000, WIDE, 2);
    for (int intercept = 0; intercept < 2; intercept++) {
        gram_by(data, 1, intercept, one);
        CHECK(one[0] > 0);
        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
            gram_by(data, threads[i], intercept, more);
            const size_t n = WIDE + (size_t)intercept;
            CHECKF(memcmp(one, more, n * n * sizeof *one) == 0, "%zu threads", threads[i]);
        }
    }
    dataset_free(data);
}

/* Without a pool of its own an objective allocates one for each of its loops, which may fail too. */
TEST(each_lack_of_memory_is_reported)
{
    struct dataset *data = made_data(MATRIX_F32, 20000, COLUMNS, CLASSES);
    const struct objective_spec spec = {
        .data = data, .loss = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1}, .intercept = true, .threads = 2};
    const double w[CLASSES * N] = {0};
    double out[NUMBERS] = {0};
    size_t failures = 0;
    for (bool fired = true; fired; failures += fired) {
        struct objective *objective;
        temper_error error = {0};
        if (objective_new(&spec, &objective, NULL) != TEMPER_OK) {
            CHECK(false);
            break;
        }
        fault_arm(failures + 1);
        temper_status status = objective_class_grams(objective, w, (struct gram_rows){.thin = true}, out, &error);
        fault_disarm();
        fired = fault_fired();
        CHECKF(status == (fired ? TEMPER_NO_MEMORY : TEMPER_OK), "allocation %zu", failures + 1);
        objective_free(objective);
    }
    CHECK(failures > 5);
    dataset_free(data);
}

TEST_LIST(LISTED(moments_of_fewer_rows_resemble_those_of_all), LISTED(rows_with_a_rare_feature_stay),
          LISTED(any_number_of_threads_gives_the_same_matrix), LISTED(each_lack_of_memory_is_reported))
