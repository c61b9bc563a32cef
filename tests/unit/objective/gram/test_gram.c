/* Second moments of classes from the rows that matter, and few of those that hardly do. */
#include <string.h>

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

/* No row is left out where all have a large curvature; where many have a small one, the sums are
 * still right in the mean. */
static void check_thin(const struct dataset *data, bool f64)
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
    CHECK(memcmp(all, some, sizeof all) == 0);
    draw_normals(&draw, w, CLASSES * N, 0.7);
    grams(objective, w, false, all);
    grams(objective, w, true, some);
    CHECK(memcmp(all, some, sizeof all) != 0);
    for (size_t i = 0; i < CLASSES * N; i++) {
        size_t diagonal = i / N * N * N + i % N * (N + 1);
        CHECK_CLOSE(some[diagonal], all[diagonal], 0.1);
    }
    objective_free(objective);
}

TEST(moments_of_fewer_rows_resemble_those_of_all)
{
    struct dataset *data = made_data(MATRIX_F32, 20000, COLUMNS, CLASSES);
    check_thin(data, false);
    check_thin(data, true);
    dataset_free(data);
}

TEST_LIST(LISTED(moments_of_fewer_rows_resemble_those_of_all))
