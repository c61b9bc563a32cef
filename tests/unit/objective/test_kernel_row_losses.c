/* temper_loss_rows_f32 and _f64 against the exact functions row by row, and against 60-digit values. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fixtures/golden_values.h"
#include "fixtures/kernel_under_test.h"
#include "fixtures/softmax_bounds.h"
#include "temper_extra.h"
#include "tempered/target_losses.h"

enum { ROWS = 37, MOST_CLASSES = 1000, GAP = 3, MOST = ROWS * (MOST_CLASSES + GAP) };

/* How labels are given. */
enum kind { HARD, SMOOTHED, SOFT, SOFT_SMOOTHED, KINDS };

struct row_setting {
    temper_method method;
    enum kind kind;
    size_t classes;
    double t1, t2, scale;
};

struct row_buffers {
    double a64[MOST], targets64[MOST], gradients64[MOST], losses64[ROWS];
    float a32[MOST], targets32[MOST], gradients32[MOST], losses32[ROWS];
    int64_t labels[ROWS];
    double y[MOST_CLASSES], exact[MOST_CLASSES];
};

static struct row_buffers *buffers(void)
{
    static struct row_buffers all;
    return &all;
}

static bool is_soft(enum kind kind)
{
    return kind == SOFT || kind == SOFT_SMOOTHED;
}

static double smoothing_of(enum kind kind)
{
    return kind == SMOOTHED || kind == SOFT_SMOOTHED ? 0.125 : 0;
}

/* Numbers that are floats, so that both types see the same; between rows, NaN, which is not read. */
static void fill(struct row_buffers *b, const struct row_setting *s)
{
    const struct random random = {.seed = 6, .stream = (uint32_t)s->classes};
    size_t stride = s->classes + GAP;
    for (size_t i = 0; i < ROWS; i++) {
        b->labels[i] = (int64_t)random_below(random, 9000000 + i, s->classes);
        for (size_t c = 0; c < stride; c++) {
            size_t at = i * stride + c;
            bool inside = c < s->classes;
            float a = (float)(s->scale * random_normal(random, at));
            a = i == 0 ? 1.5f : i == 1 && c == 0 ? (float)(100 * s->scale) : a;
            /* some classes have no part of the label */
            float y = c % 3 == 1 && s->classes > 2 ? 0 : (float)(random_uniform(random, 5000000 + at) / 4);
            b->a32[at] = inside ? a : NAN;
            b->targets32[at] = inside ? y : NAN;
            b->a64[at] = (double)b->a32[at];
            b->targets64[at] = (double)b->targets32[at];
        }
    }
}

static temper_loss_spec spec_of(const struct row_setting *s)
{
    return (temper_loss_spec){.method = s->method, .t1 = s->t1, .t2 = s->t2};
}

static temper_loss_rows_options options_of(const struct row_buffers *b, const struct row_setting *s, bool f32)
{
    temper_loss_rows_options options = temper_loss_rows_defaults();
    options.rows = ROWS;
    options.classes = s->classes;
    options.stride = s->classes + GAP;
    options.threads = 1;
    options.label_smoothing = smoothing_of(s->kind);
    if (is_soft(s->kind))
        options.targets = f32 ? (const void *)b->targets32 : (const void *)b->targets64;
    else
        options.labels = b->labels;
    return options;
}

/* The label of a row as a distribution, in b->y. */
static void fill_label(struct row_buffers *b, const struct row_setting *s, size_t i)
{
    double smoothing = smoothing_of(s->kind);
    for (size_t c = 0; c < s->classes; c++) {
        double y = is_soft(s->kind) ? b->targets64[i * (s->classes + GAP) + c] : (size_t)b->labels[i] == c;
        b->y[c] = (1 - smoothing) * y + smoothing / (double)s->classes;
    }
}

/* What gradients are compared relative to: the sum of the sizes of what is added and subtracted, y p^(t2-t1) and, for
 * bregman, p^(1+t2-t1) of each class. */
static double unit_of(struct row_buffers *b, const struct row_setting *s, const double *a, double *least_log_p)
{
    double sum = 0, g = temper_log_partition(a, s->classes, s->t2);
    *least_log_p = 0;
    for (size_t c = 0; c < s->classes; c++) {
        double log_p = log(temper_exp_t(a[c] - g, s->t2)), y = b->y[c];
        if (log_p < *least_log_p && y > 0)
            *least_log_p = log_p;
        sum += fabs(target_term(spec_of(s), log_p, 0).pull);
        sum += y > 0 && log_p > -INFINITY ? pow(y, fmin(1, s->t1)) * exp((s->t2 - s->t1) * log_p) : 0;
    }
    return s->t2 < 1 ? fmax(1, sum) : sum;
}

static void check_row(struct row_buffers *b, const struct row_setting *s, size_t i, bool f32)
{
    const double eps = f32 ? FLT_EPSILON : DBL_EPSILON;
    const double *a = b->a64 + i * (s->classes + GAP);
    double worst = 0, log_p, got = f32 ? (double)b->losses32[i] : b->losses64[i];
    fill_label(b, s, i);
    double exact = target_loss(spec_of(s), a, s->classes, b->y, b->exact), unit = unit_of(b, s, a, &log_p);
    struct softmax_bounds bounds = softmax_bounds_of(s->t1, s->t2, eps);
    /* powers of p up to t2; and equal terms, as in row 0, whose rounding errors have the same sign */
    double more = (softmax_growth(log_p, s->classes) + 3e-3 * (double)s->classes) * fmax(1, s->t2);
    if (exact > (f32 ? 1e30 : 1e290) || unit > 1e30)
        return; /* beyond the range of the type */
    CHECKF(got == exact || fabs(got - exact) <= more * bounds.loss * fmax(1, exact),
           "%s, labels %d, (%g, %g), C = %zu, scale %g, row %zu, f32 %d: loss %.17g for %.17g",
           temper_method_name(s->method), (int)s->kind, s->t1, s->t2, s->classes, s->scale, i, f32, got, exact);
    for (size_t c = 0; c < s->classes; c++) {
        size_t at = i * (s->classes + GAP) + c;
        worst = fmax(worst, fabs((f32 ? (double)b->gradients32[at] : b->gradients64[at]) - b->exact[c]));
    }
    CHECKF(worst <= more * bounds.gradient * unit + 3 * (f32 ? (double)FLT_MIN : DBL_MIN),
           "%s, labels %d, (%g, %g), C = %zu, scale %g, row %zu, f32 %d: gradient off by %.3g of %.3g",
           temper_method_name(s->method), (int)s->kind, s->t1, s->t2, s->classes, s->scale, i, f32, worst, unit);
}

static void run_setting(const struct row_setting *s)
{
    struct row_buffers *b = buffers();
    temper_error error;
    fill(b, s);
    temper_loss_rows_options f32 = options_of(b, s, true), f64 = options_of(b, s, false);
    CHECK(temper_loss_rows_f32(spec_of(s), &f32, b->a32, b->losses32, b->gradients32, &error) == TEMPER_OK);
    CHECK(temper_loss_rows_f64(spec_of(s), &f64, b->a64, b->losses64, b->gradients64, &error) == TEMPER_OK);
    for (size_t i = 0; i < ROWS; i++) {
        check_row(b, s, i, true);
        check_row(b, s, i, false);
    }
}

static const double temperatures[][2] = {{0.8, 1.2}, {1, 1},     {0.3, 1},   {0.8, 2},   {1, 1.5},   {0, 1.3},
                                         {0.1, 4},   {1.2, 1.5}, {0.2, 0.5}, {0.1, 0.9}, {0.5, 8},   {0.5, 1.0001},
                                         {0.7, 0.7}, {1.5, 1.2}, {0.5, 9},   {0, 0},     {0.9, 1.05}};
enum { TEMPERATURES = sizeof temperatures / sizeof *temperatures };
static const temper_method methods[] = {TEMPER_TEMPERED, TEMPER_BREGMAN};

TEST(agrees_with_the_exact_functions)
{
    KERNEL_OR_SKIP;
    (void)kernel;
    static const double scales[] = {0.3, 3, 30};
    static const size_t classes[] = {1, 2, 3, 10, 40};
    size_t step = test_step(4) * 3; /* a third of the combinations, and each pair of temperatures with each scale */
    for (size_t t = 0; t < TEMPERATURES; t++)
        for (size_t k = 0; k < 3; k++)
            for (size_t j = (t + k) % step; j < sizeof classes / sizeof *classes; j += step)
                for (int kind = 0; kind < KINDS; kind++)
                    for (size_t m = 0; m < 2; m++)
                        run_setting(&(struct row_setting){methods[m], (enum kind)kind, classes[j], temperatures[t][0],
                                                          temperatures[t][1], scales[k]});
}

TEST(a_thousand_classes)
{
    KERNEL_OR_SKIP;
    (void)kernel;
    for (size_t t = 0; t < TEMPERATURES; t += 8 * test_step(3))
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t m = 0; m < 2; m++)
                run_setting(&(struct row_setting){methods[m], (enum kind)kind, 1000, temperatures[t][0],
                                                  temperatures[t][1], 3});
}

/* The two-temperature loss against the golden values, one row a call. */
static size_t compare_golden(const char *path)
{
    FILE *file = fopen(path, "r");
    struct golden row = {0};
    size_t rows = 0;
    for (; file && golden_next(file, &row); rows++) {
        temper_loss_rows_options options = temper_loss_rows_defaults();
        const temper_loss_spec spec = {.method = TEMPER_TEMPERED, .t1 = row.t1, .t2 = row.t2};
        const int64_t label = (int64_t)row.label;
        double loss, *gradient = memory(row.n, sizeof *gradient), worst = 0;
        double factor = temper_importance(row.a, row.n, row.label, row.t1, row.t2);
        struct softmax_bounds bounds = softmax_bounds_of(row.t1, row.t2, DBL_EPSILON);
        /* next to the edge of support, where u = p^(1-t2) is small, p has the rounding error of u, relative to u */
        double more = softmax_growth(log(row.p[row.label]), row.n) / pow(row.p[row.label], fmax(0, 1 - row.t2));
        options.rows = 1;
        options.classes = row.n;
        options.labels = &label;
        CHECK(temper_loss_rows_f64(spec, &options, row.a, &loss, gradient, NULL) == TEMPER_OK);
        for (size_t c = 0; c < row.n; c++)
            worst = fmax(worst, fabs(gradient[c] - row.gradient[c]));
        CHECKF(fabs(loss - row.loss) <= more * bounds.loss * fmax(1, row.loss), "line %zu: loss %.17g for %.17g",
               row.line, loss, row.loss);
        CHECKF(worst <= more * bounds.gradient * (row.t2 < 1 ? fmax(1, factor) : factor) + DBL_MIN,
               "(%g, %g), C = %zu, line %zu: gradient off by %.3g, f = %.3g, log p = %g", row.t1, row.t2, row.n,
               row.line, worst, factor, log(row.p[row.label]));
        free(gradient);
        golden_free(&row);
    }
    if (file)
        fclose(file);
    return rows;
}

TEST(golden_values)
{
    KERNEL_OR_SKIP;
    (void)kernel;
    CHECK(compare_golden(TEMPER_SOURCE_DIR "/tests/golden/tempered.tsv") > 300);
    compare_golden(TEMPER_SOURCE_DIR "/../shared/golden/tempered.tsv");
}

/* Rows with infinite activations and NaN are as the exact functions have them, and leave their neighbours alone. */
TEST(rows_that_are_not_finite)
{
    KERNEL_OR_SKIP;
    (void)kernel;
    struct row_buffers *b = buffers();
    static const float values[][2] = {{INFINITY, 0}, {INFINITY, INFINITY}, {-INFINITY, 1}, {NAN, 2}, {1e30f, -1e30f}};
    for (size_t m = 0; m < 2; m++)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            const struct row_setting s = {methods[m], k % 2 ? HARD : SOFT, 5, 0.8, 2, 1};
            fill(b, &s);
            for (size_t c = 0; c < 2; c++)
                b->a64[7 * (5 + GAP) + c] = (double)(b->a32[7 * (5 + GAP) + c] = values[k][c]);
            temper_loss_rows_options options = options_of(b, &s, true);
            CHECK(temper_loss_rows_f32(spec_of(&s), &options, b->a32, b->losses32, b->gradients32, NULL) == TEMPER_OK);
            for (size_t i = 0; i < ROWS; i++) {
                if (i != 7)
                    check_row(b, &s, i, true);
            }
            fill_label(b, &s, 7);
            double exact = target_loss(spec_of(&s), b->a64 + 7 * (5 + GAP), 5, b->y, b->exact);
            CHECK(isnan(exact) == (k == 1 || k == 3));
            CHECK_NEAR((double)b->losses32[7], exact, 1e-5);
            for (size_t c = 0; c < 5; c++)
                CHECK_NEAR((double)b->gradients32[7 * (5 + GAP) + c], b->exact[c], 1e-5);
        }
}

/* Losses without a kernel row by row, as temper_loss_of_spec. */
TEST(other_losses)
{
    KERNEL_OR_SKIP;
    (void)kernel;
    struct row_buffers *b = buffers();
    const temper_loss_spec specs[] = {{.method = TEMPER_SCE, .alpha = 0.1, .beta = 1, .log_zero = -4},
                                      {.method = TEMPER_HINGE, .smoothing = 0.5},
                                      {.method = TEMPER_LOGISTIC},
                                      {.method = TEMPER_GCE, .t1 = 0.4}};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        const struct row_setting s = {specs[k].method, HARD, 4, 0, 0, 1};
        fill(b, &s);
        temper_loss_rows_options options = options_of(b, &s, false);
        CHECK(temper_loss_rows_f64(specs[k], &options, b->a64, b->losses64, NULL, NULL) == TEMPER_OK);
        for (size_t i = 0; i < ROWS; i++)
            CHECK_NEAR(b->losses64[i],
                       temper_loss_of_spec(specs[k], b->a64 + i * (4 + GAP), 4, (size_t)b->labels[i], NULL, NULL),
                       1e-12);
    }
}

TEST(ignored_rows_are_zero)
{
    KERNEL_OR_SKIP;
    (void)kernel;
    struct row_buffers *b = buffers();
    const struct row_setting s = {TEMPER_BREGMAN, HARD, 6, 0.8, 1.2, 1};
    fill(b, &s);
    b->labels[3] = -100;
    b->a32[3 * (6 + GAP)] = NAN;
    temper_loss_rows_options options = options_of(b, &s, true);
    CHECK(temper_loss_rows_f32(spec_of(&s), &options, b->a32, b->losses32, b->gradients32, NULL) == TEMPER_OK);
    CHECK(b->losses32[3] == 0 && b->losses32[4] > 0);
    for (size_t c = 0; c < 6; c++)
        CHECK(b->gradients32[3 * (6 + GAP) + c] == 0);
}

TEST_LIST(LISTED(agrees_with_the_exact_functions), LISTED(a_thousand_classes), LISTED(golden_values),
          LISTED(rows_that_are_not_finite), LISTED(other_losses), LISTED(ignored_rows_are_zero))
