/* The objective against its own definition, row by row, for every kind of matrix and loss. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/loss_fixture.h"
#include "fixtures/numeric.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "objective/objective.h"
#include "tempered/loss_family.h"

static const enum matrix_kind kinds[] = {MATRIX_F32, MATRIX_F64, MATRIX_U8, MATRIX_CSR};
enum { KINDS = 4, TSALLIS = 5 };

/* ---- Problems -------------------------------------------------------------------------------- */

/* Random whole numbers, so that every kind holds them; labels follow them loosely. */
static struct dataset *make_data(enum matrix_kind kind, size_t rows, size_t columns, size_t classes, bool weighted)
{
    static const char *const names[] = {"0", "1", "2", "3", "4"};
    struct draw draw = draw_from(rows + 31 * columns + 7 * classes);
    double *values = calloc(rows * columns, sizeof *values), *weights = calloc(rows, 8);
    const char **labels = (const char **)calloc(rows, sizeof *labels);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++)
            values[i * columns + j] = draw_below(&draw, 3) ? 0 : (double)draw_below(&draw, 9);
        labels[i] = names[i < classes ? i : draw_below(&draw, classes)];
        weights[i] = i % 5 == 4 ? 0 : draw_uniform(&draw, 0.5, 3);
    }
    struct dataset *data = table_make(kind, rows, columns, values, labels);
    if (weighted)
        table_weigh(data, weights);
    free(values);
    free(weights);
    free((void *)labels);
    return data;
}

/* J and its gradient by the definition, in the order of the rows. */
static double definition(const struct objective_spec *spec, const double *w, double *gradient)
{
    const struct dataset *data = spec->data;
    size_t columns = (size_t)data->x.columns, classes = data->classes.count;
    size_t vectors = classes == 2 ? 1 : classes, plain = columns * vectors;
    double sum = 0, weights = 0, x[64], a[8], g[8];
    memset(gradient, 0, (plain + (spec->intercept ? vectors : 0)) * sizeof *gradient);
    for (size_t row = 0; row < data->x.rows; row++) {
        double weight = data->weight ? data->weight[row] : 1;
        matrix_row_f64(&data->x, row, x);
        if (spec->scale)
            scale_row(spec->scale, x);
        for (size_t k = 0; k < vectors; k++) {
            a[k] = spec->intercept ? w[plain + k] : 0;
            for (size_t j = 0; j < columns; j++)
                a[k] += x[j] * w[j * vectors + k];
        }
        if (classes == 2) {
            double sign = data->label[row] ? 1 : -1;
            struct margin_loss loss = any_margin_loss(spec->loss, sign * a[0]);
            sum += weight * loss.value;
            g[0] = sign * loss.slope;
        } else {
            sum += weight * any_loss(spec->loss, a, classes, data->label[row], g, NULL);
        }
        weights += weight;
        for (size_t k = 0; k < vectors; k++) {
            for (size_t j = 0; j < columns; j++)
                gradient[j * vectors + k] += weight * g[k] * x[j];
            if (spec->intercept)
                gradient[plain + k] += weight * g[k];
        }
    }
    double norm = 0;
    for (size_t i = 0; i < plain + (spec->intercept ? vectors : 0); i++)
        gradient[i] /= weights;
    for (size_t i = 0; i < plain; i++) {
        gradient[i] += spec->l2 * w[i];
        norm += w[i] * w[i];
    }
    return sum / weights + 0.5 * spec->l2 * norm;
}

static struct objective *make_objective(const struct objective_spec *spec)
{
    struct objective *objective = NULL;
    temper_error error;
    CHECKF(objective_new(spec, &objective, &error) == TEMPER_OK, "%s", error.message);
    return objective;
}

static struct scale learn(const struct dataset *data, enum scale_kind kind)
{
    struct scale scale = {0};
    CHECK(scale_learn(data, kind, (struct scale_rows){0, (size_t)data->x.rows}, 1, &scale, NULL) == TEMPER_OK);
    return scale;
}

/* ---- Value and gradient ---------------------------------------------------------------------- */

static void check_definition(const struct objective_spec *spec, const char *what)
{
    struct objective *objective = make_objective(spec);
    double w[256], gradient[256], expected[256], value;
    struct draw draw = draw_from(5);
    if (!objective)
        return;
    size_t size = objective_size(objective);
    draw_normals(&draw, w, size, 0.05);
    double wanted = definition(spec, w, expected), largest = 0;
    CHECK(objective_evaluate(objective, w, &value, gradient, NULL) == TEMPER_OK);
    for (size_t i = 0; i < size; i++)
        largest = fmax(largest, fabs(expected[i]));
    bool f64 = spec->f64 || (spec->data->x.kind == MATRIX_CSR && !spec->floats);
    double bound = f64 ? 1e-11 : 2e-5;
    CHECKF(fabs(value - wanted) <= bound * fabs(wanted), "%s: %.17g, not %.17g", what, value, wanted);
    for (size_t i = 0; i < size; i++)
        CHECKF(fabs(gradient[i] - expected[i]) <= bound * largest, "%s: gradient[%zu] %g, not %g", what, i, gradient[i],
               expected[i]);
    objective_free(objective);
}

static void check_kind(enum matrix_kind kind, temper_loss_spec loss, size_t classes, bool f64)
{
    for (int variant = 0; variant < 4; variant++) {
        char what[100];
        struct dataset *data = make_data(kind, 150 + (size_t)variant, 19, classes, variant & 1);
        struct scale scale = learn(data, variant & 2 ? SCALE_STANDARD : SCALE_NONE);
        struct objective_spec spec = {.data = data,
                                      .scale = &scale,
                                      .loss = loss,
                                      .l2 = 0.01,
                                      .intercept = variant != 2,
                                      .f64 = f64,
                                      .floats = !f64,
                                      .curvature = !f64,
                                      .threads = 2};
        snprintf(what, sizeof what, "kind %d, method %d, classes %zu, f64 %d, variant %d", (int)kind, (int)loss.method,
                 classes, f64, variant);
        check_definition(&spec, what);
        scale_free(&scale);
        dataset_free(data);
    }
}

TEST(value_and_gradient_are_what_the_definition_says)
{
    size_t step = test_step(3);
    for (size_t k = 0; k < KINDS; k++)
        for (size_t l = 0; l < MADE_LOSSES; l++)
            for (size_t classes = 2 + (k + l) % step; classes <= 4; classes += step) {
                check_kind(kinds[k], made_losses[l], classes, true);
                check_kind(kinds[k], made_losses[l], classes, false);
            }
}

TEST(features_far_from_zero_lose_no_digits)
{
    struct dataset *data = make_data(MATRIX_F32, 500, 5, 2, false);
    float *x = data->x.owned[0];
    for (size_t i = 0; i < 500; i++)
        x[i * 5] += 4e6f; /* a time stamp, say */
    struct scale scale = learn(data, SCALE_STANDARD);
    struct objective_spec spec = {
        .data = data, .scale = &scale, .loss = made_losses[0], .intercept = true, .threads = 1};
    check_definition(&spec, "floats");
    spec.f64 = true;
    check_definition(&spec, "doubles");
    scale_free(&scale);
    dataset_free(data);
}

/* ---- Curvature ------------------------------------------------------------------------------- */

static void check_curvature(const struct objective_spec *spec, const char *what)
{
    struct objective *objective = make_objective(spec);
    double w[256], v[256], gradient[256], product[256], plus[256], minus[256], value;
    struct draw draw = draw_from(6);
    const double step = 1e-5;
    if (!objective || !CHECKF(objective_can_multiply(objective), "%s", what)) {
        objective_free(objective);
        return;
    }
    size_t size = objective_size(objective);
    draw_normals(&draw, w, size, 0.05);
    draw_normals(&draw, v, size, 1);
    objective_evaluate(objective, w, &value, gradient, NULL);
    objective_accept(objective);
    for (size_t i = 0; i < size; i++)
        w[i] += step * v[i];
    objective_evaluate(objective, w, &value, plus, NULL);
    for (size_t i = 0; i < size; i++)
        w[i] -= 2 * step * v[i];
    objective_evaluate(objective, w, &value, minus, NULL);
    /* The accepted point is still the first. */
    CHECK(objective_multiply(objective, v, product, NULL) == TEMPER_OK);
    double largest = 0;
    for (size_t i = 0; i < size; i++)
        largest = fmax(largest, fabs(product[i]));
    for (size_t i = 0; i < size; i++) {
        double difference = (plus[i] - minus[i]) / (2 * step);
        CHECKF(fabs(difference - product[i]) <= 1e-5 * largest, "%s: product[%zu] %g, not %g", what, i, product[i],
               difference);
    }
    objective_free(objective);
}

TEST(products_are_differences_of_gradients)
{
    char what[100];
    for (size_t k = 0; k < KINDS; k++)
        for (size_t l = 0; l < TSALLIS; l++)
            for (size_t step = test_step(3), classes = 2 + (k + l) % step; classes <= 4; classes += step) {
                struct dataset *data = make_data(kinds[k], 120, 11, classes, l & 1);
                struct scale scale = learn(data, SCALE_STANDARD);
                struct objective_spec spec = {.data = data,
                                              .scale = &scale,
                                              .loss = made_losses[l],
                                              .l2 = 0.1,
                                              .intercept = true,
                                              .f64 = true,
                                              .curvature = true,
                                              .threads = 1};
                snprintf(what, sizeof what, "kind %d, loss %zu, classes %zu", (int)kinds[k], l, classes);
                check_curvature(&spec, what);
                scale_free(&scale);
                dataset_free(data);
            }
}

/* Lines and columns of the Hessian for every second feature, for the first one, and for none but the intercept. */
static void check_chosen(struct objective *objective, const struct objective_spec *spec, const double *h, double bound)
{
    const size_t size = objective_size(objective), features = size - (spec->intercept ? 1 : 0);
    for (size_t step = 2; step <= 2 * features + 2; step += features) {
        size_t index[32], count = 0;
        double chosen[32 * 32];
        for (size_t j = step == 2 * features + 2 ? features : 0; j < features; j += step)
            index[count++] = j;
        if (spec->intercept)
            index[count++] = features;
        if (count == 0)
            continue;
        CHECK(objective_hessian_of(objective, index, count, chosen, NULL) == TEMPER_OK);
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j <= i; j++)
                CHECKF(fabs(chosen[i * count + j] - h[index[i] * size + index[j]]) <= bound,
                       "step %zu: h[%zu][%zu] %g, not %g", step, i, j, chosen[i * count + j],
                       h[index[i] * size + index[j]]);
    }
}

static void check_hessian(const struct objective_spec *spec, double bound)
{
    struct objective *objective = make_objective(spec);
    double w[32], gradient[32], unit[32] = {0}, product[32], value, h[32 * 32];
    struct draw draw = draw_from(8);
    if (!objective)
        return;
    size_t size = objective_size(objective);
    draw_normals(&draw, w, size, 0.1);
    objective_evaluate(objective, w, &value, gradient, NULL);
    objective_accept(objective);
    CHECK(objective_hessian(objective, h, NULL) == TEMPER_OK);
    for (size_t i = 0; i < size; i++) {
        unit[i] = 1;
        objective_multiply(objective, unit, product, NULL);
        unit[i] = 0;
        for (size_t j = 0; j <= i; j++)
            CHECKF(fabs(h[i * size + j] - product[j]) <= bound, "h[%zu][%zu] %g, not %g", i, j, h[i * size + j],
                   product[j]);
    }
    check_chosen(objective, spec, h, bound);
    objective_free(objective);
}

TEST(the_hessian_is_what_products_say)
{
    for (size_t k = 0; k < KINDS; k++)
        for (int f64 = 0; f64 < 2; f64++) {
            struct dataset *data = make_data(kinds[k], 700, 9, 2, f64);
            struct scale scale = learn(data, SCALE_STANDARD);
            struct objective_spec spec = {.data = data,
                                          .scale = &scale,
                                          .loss = made_losses[2],
                                          .l2 = 0.1,
                                          .intercept = f64,
                                          .f64 = f64,
                                          .curvature = true,
                                          .threads = 2};
            check_hessian(&spec, f64 || kinds[k] == MATRIX_CSR ? 1e-13 : 1e-6);
            scale_free(&scale);
            dataset_free(data);
        }
}

/* Products with unit vectors have the same diagonal, but for the term of the label, which is not positive, and is 0
 * where t1 = t2. */
static void check_intercepts(const struct objective_spec *spec, size_t classes)
{
    struct objective *objective = make_objective(spec);
    double w[64], gradient[64], unit[64] = {0}, product[64], curvature[4], value;
    struct draw draw = draw_from(9);
    if (!objective)
        return;
    const size_t size = objective_size(objective), last = size - classes;
    draw_normals(&draw, w, size, 0.5);
    objective_evaluate(objective, w, &value, gradient, NULL);
    objective_accept(objective);
    CHECK(objective_intercept_curvature(objective, curvature, NULL) == TEMPER_OK);
    for (size_t k = 0; k < classes; k++) {
        unit[last + k] = 1;
        objective_multiply(objective, unit, product, NULL);
        unit[last + k] = 0;
        const double difference = curvature[k] - product[last + k];
        CHECKF(spec->loss.t1 == spec->loss.t2 ? fabs(difference) <= 1e-12 * curvature[k] : difference > 0,
               "class %zu: %g, products %g", k, curvature[k], product[last + k]);
    }
    objective_free(objective);
}

TEST(curvatures_of_intercepts_are_what_products_say)
{
    const temper_loss_spec losses[] = {{.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
                                       {.method = TEMPER_TEMPERED, .t1 = 1.3, .t2 = 1.3},
                                       {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1.4}};
    for (size_t l = 0; l < 3; l++)
        for (size_t classes = 3; classes <= 4; classes++)
            for (int by_column = 0; by_column < 2; by_column++) {
                struct dataset *data = make_data(MATRIX_CSR, 700, 9, classes, l & 1);
                struct objective_spec spec = {.data = data,
                                              .loss = losses[l],
                                              .l2 = 0.1,
                                              .intercept = true,
                                              .f64 = true,
                                              .curvature = true,
                                              .by_column = by_column,
                                              .threads = 2};
                check_intercepts(&spec, classes);
                dataset_free(data);
            }
}

TEST(second_moments_of_standardised_features_have_ones_on_the_diagonal)
{
    struct dataset *data = make_data(MATRIX_F32, 3000, 6, 2, false);
    struct scale scale = learn(data, SCALE_STANDARD);
    struct objective_spec spec = {
        .data = data, .scale = &scale, .loss = made_losses[0], .intercept = true, .threads = 1};
    struct objective *objective = make_objective(&spec);
    double gram[49] = {0};
    CHECK(objective_gram(objective, NULL, 0, gram, NULL) == TEMPER_OK);
    for (size_t j = 0; j < 7; j++) {
        CHECK_CLOSE(gram[j * 7 + j], 1, 1e-4);
        if (j < 6)
            CHECK_NEAR(gram[6 * 7 + j], 0, 1e-5);
    }
    objective_free(objective);
    scale_free(&scale);
    dataset_free(data);
}

/* Threads divide the lines of a large sparse matrix among them; some rows have no entry. */
TEST(second_moments_of_sparse_rows_have_the_same_bits_on_threads)
{
    enum { COLUMNS = 6, N = COLUMNS + 1 };
    struct dataset *data = made_data(MATRIX_CSR, 40000, COLUMNS, 2);
    size_t empty = 0;
    for (size_t i = 0; i < 40000; i++)
        empty += data->x.row_start[i] == data->x.row_start[i + 1];
    CHECK(empty > 0);
    static double one[N * N], many[N * N];
    for (size_t threads = 1; threads <= 4; threads++) {
        struct objective_spec spec = {.data = data, .loss = made_losses[0], .intercept = true, .threads = threads};
        struct objective *objective = make_objective(&spec);
        CHECK(objective_gram(objective, NULL, 0, threads == 1 ? one : many, NULL) == TEMPER_OK);
        CHECKF(threads == 1 || memcmp(one, many, sizeof one) == 0, "%zu threads", threads);
        objective_free(objective);
    }
    dataset_free(data);
}

/* Plain softmax at w = 0: p (1 - p) = 2/9 in each of three classes; anywhere, the matrices of the
 * classes add up to that of all, which is their mean; and any number of threads makes the same. */
TEST(second_moments_of_classes_add_up_to_those_of_all)
{
    struct dataset *data = make_data(MATRIX_F32, 3000, 6, 3, true);
    struct objective_spec spec = {.data = data, .loss = made_losses[0], .intercept = true, .threads = 2};
    struct objective *objective = make_objective(&spec);
    double plain[49] = {0}, all[49] = {0}, each[147] = {0}, again[147] = {0}, w[21] = {0};
    struct draw draw = draw_from(4);
    CHECK(objective_gram(objective, NULL, 0, plain, NULL) == TEMPER_OK);
    CHECK(objective_class_grams(objective, w, (struct gram_rows){0}, each, NULL) == TEMPER_OK);
    for (size_t i = 0; i < 7; i++)
        for (size_t j = 0; j <= i; j++)
            CHECK_NEAR(each[49 + i * 7 + j], plain[i * 7 + j] * 2 / 9, 1e-5);
    draw_normals(&draw, w, 21, 0.5);
    CHECK(objective_gram(objective, w, 0, all, NULL) == TEMPER_OK);
    CHECK(objective_class_grams(objective, w, (struct gram_rows){0}, each, NULL) == TEMPER_OK);
    for (size_t i = 0; i < 7; i++)
        for (size_t at = i * 7; at <= i * 8; at++)
            CHECK_NEAR((each[at] + each[49 + at] + each[98 + at]) / 3, all[at], 1e-5);
    objective_free(objective);
    spec.threads = 1;
    objective = make_objective(&spec);
    CHECK(objective_class_grams(objective, w, (struct gram_rows){0}, again, NULL) == TEMPER_OK);
    CHECK(memcmp(each, again, sizeof each) == 0);
    objective_free(objective);
    dataset_free(data);
}

/* ---- Threads and memory ---------------------------------------------------------------------- */

static void evaluate_on(struct objective_spec spec, size_t threads, double *numbers)
{
    double w[256];
    struct draw draw = draw_from(9);
    spec.threads = threads;
    struct objective *objective = make_objective(&spec);
    if (!objective)
        return;
    draw_normals(&draw, w, objective_size(objective), 0.05);
    objective_evaluate(objective, w, numbers, numbers + 1, NULL);
    objective_free(objective);
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    for (size_t k = 0; k < KINDS; k++)
        for (size_t classes = 2; classes <= 3; classes++) {
            struct dataset *data = make_data(kinds[k], 60000, 20, classes, true);
            struct objective_spec spec = {.data = data, .loss = made_losses[1], .l2 = 0.1, .intercept = true};
            double one[257] = {0}, other[257] = {0};
            evaluate_on(spec, 1, one);
            for (size_t threads = 2; threads <= 5; threads += 3) {
                evaluate_on(spec, threads, other);
                CHECK(table_same_bits(one, other, 1 + 21 * classes));
            }
            dataset_free(data);
        }
}

/* Data of 16 MiB and more has both products in one loop, for which it is divided into steps: the last of a block, of a
 * part and of all rows, which are shorter, are among these. */
TEST(rows_beyond_the_caches)
{
    static const struct {
        enum matrix_kind kind;
        size_t rows;
        bool f64;
    } cases[] = {{MATRIX_F32, 70003, false}, {MATRIX_F32, 70003, true}, {MATRIX_F64, 35009, true}};
    for (size_t k = 0; k < 3; k++) {
        struct dataset *data = make_data(cases[k].kind, cases[k].rows, 61, 2, true);
        struct scale scale = learn(data, SCALE_STANDARD);
        struct objective_spec spec = {.data = data,
                                      .scale = k == 1 ? NULL : &scale,
                                      .loss = made_losses[1],
                                      .l2 = 0.1,
                                      .intercept = true,
                                      .f64 = cases[k].f64,
                                      .threads = 2};
        double one[257] = {0}, other[257] = {0};
        CHECK(matrix_bytes(&data->x) > 16 << 20);
        check_definition(&spec, "beyond the caches");
        evaluate_on(spec, 1, one);
        evaluate_on(spec, 3, other);
        CHECK(table_same_bits(one, other, 63));
        scale_free(&scale);
        dataset_free(data);
    }
}

TEST(an_allocation_that_fails_is_an_error_and_leaks_nothing)
{
    struct dataset *data = make_data(MATRIX_CSR, 100, 8, 3, true);
    struct objective_spec spec = {
        .data = data, .loss = made_losses[1], .l2 = 0.1, .intercept = true, .curvature = true, .threads = 2};
    double w[32] = {0}, gradient[32], value;
    for (size_t n = 1;; n++) {
        struct objective *objective = NULL;
        temper_error error;
        fault_arm(n);
        temper_status status = objective_new(&spec, &objective, &error);
        if (status == TEMPER_OK)
            status = objective_evaluate(objective, w, &value, gradient, &error);
        fault_disarm();
        objective_free(objective);
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_NO_MEMORY);
    }
    dataset_free(data);
}

/* The share of the weights of rows whose label is the first class with the largest score, row by row. */
static double accuracy_by_definition(const struct dataset *data, const double *w)
{
    size_t columns = (size_t)data->x.columns, classes = data->classes.count;
    double right = 0, weights = 0, x[64], a[8];
    for (size_t row = 0; row < data->x.rows; row++) {
        double weight = data->weight ? data->weight[row] : 1;
        size_t best = 0;
        matrix_row_f64(&data->x, row, x);
        for (size_t c = 0; c < classes; c++) {
            a[c] = w[columns * classes + c];
            for (size_t j = 0; j < columns; j++)
                a[c] += x[j] * w[j * classes + c];
            best = a[c] > a[best] ? c : best;
        }
        right += best == data->label[row] ? weight : 0;
        weights += weight;
    }
    return right / weights;
}

/* Of equal scores the first class is predicted: all of them equal, two of them, and that only in some rows. Weights are
 * whole numbers, so that scores are exact. */
TEST(of_equal_scores_the_first_class_counts)
{
    for (int variant = 0; variant < 16; variant++) {
        const size_t classes = 4, columns = 7;
        struct dataset *data = make_data(kinds[variant % 4], 700, columns, classes, variant & 4);
        struct objective_spec spec = {.data = data,
                                      .loss = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
                                      .l2 = 0.01,
                                      .intercept = true,
                                      .f64 = variant & 8,
                                      .floats = !(variant & 8),
                                      .threads = 1};
        struct objective *objective = make_objective(&spec);
        double w[64] = {0}, gradient[64], value;
        for (size_t kind = 0; objective && kind < 3; kind++) {
            w[(columns * classes) + 1] = w[(columns * classes) + 3] = kind > 0;
            w[2 * classes + 3] = w[3 * classes + 2] = kind > 1;
            CHECK(objective_evaluate(objective, w, &value, gradient, NULL) == TEMPER_OK);
            CHECK_CLOSE(objective_accuracy(objective), accuracy_by_definition(data, w), 1e-12);
        }
        objective_free(objective);
        dataset_free(data);
    }
}

TEST_LIST(LISTED(of_equal_scores_the_first_class_counts), LISTED(value_and_gradient_are_what_the_definition_says),
          LISTED(features_far_from_zero_lose_no_digits), LISTED(products_are_differences_of_gradients),
          LISTED(the_hessian_is_what_products_say), LISTED(curvatures_of_intercepts_are_what_products_say),
          LISTED(second_moments_of_standardised_features_have_ones_on_the_diagonal),
          LISTED(second_moments_of_sparse_rows_have_the_same_bits_on_threads),
          LISTED(second_moments_of_classes_add_up_to_those_of_all), LISTED(any_number_of_threads_gives_the_same_bits),
          LISTED(rows_beyond_the_caches), LISTED(an_allocation_that_fails_is_an_error_and_leaks_nothing))
