/* The multiclass kernels, f32 and f64, against the exact functions row by row; the bounds are in softmax_bounds.h. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fixtures/kernel_under_test.h"
#include "fixtures/softmax_bounds.h"
#include "temper_extra.h"

enum { ROWS = 37, PADDED = 48, MOST_CLASSES = 1000, MOST = PADDED * MOST_CLASSES };

struct buffers {
    alignas(64) double a64[MOST], gradient64[MOST];
    alignas(64) float a32[MOST], gradient32[MOST];
    double loss64[PADDED], lambda64[PADDED];
    float loss32[PADDED], lambda32[PADDED];
    uint32_t label[PADDED];
    double row[MOST_CLASSES], row_gradient[MOST_CLASSES];
};

static struct buffers *buffers(void)
{
    static struct buffers all;
    return &all;
}

struct setting {
    size_t classes;
    double t1, t2, scale;
};

static struct softmax_shape shape_of(const struct setting *s)
{
    return (struct softmax_shape){ROWS, s->classes, PADDED, s->t1, s->t2};
}

static struct softmax_f32 block32(struct buffers *b, const struct setting *s)
{
    return (struct softmax_f32){shape_of(s), b->a32, b->label, b->gradient32, b->loss32, NULL};
}

static struct softmax_f64 block64(struct buffers *b, const struct setting *s)
{
    return (struct softmax_f64){shape_of(s), b->a64, b->label, b->gradient64, b->loss64, NULL};
}

/* Activations that are floats, so that both types see the same numbers. Row 0 has all equal, row 1
 * a certain class, row 2 two that tie. */
static void fill(struct buffers *b, const struct setting *s)
{
    const struct random random = {.seed = 5, .stream = (uint32_t)s->classes};
    for (size_t c = 0; c < s->classes; c++)
        for (size_t i = 0; i < PADDED; i++) {
            float a = (float)(s->scale * random_normal(random, c * PADDED + i));
            a = i == 0 ? 1.5f : i == 1 && c == 0 ? (float)(100 * s->scale) : a;
            a = i == 2 && c < 2 ? (float)(5 * s->scale) : a;
            b->a32[c * PADDED + i] = a;
            b->a64[c * PADDED + i] = (double)a;
        }
    for (size_t i = 0; i < PADDED; i++)
        b->label[i] = (uint32_t)random_below(random, 7000000 + i, s->classes);
}

/* log p of the label, as far as loss and importance factor f tell it. */
static double label_log_p(const struct setting *s, double exact_loss, double factor)
{
    return s->t1 == 1 ? exact_loss : s->t1 == s->t2 ? 50 : log(factor) / (s->t2 - s->t1);
}

static void check_row(const struct setting *s, size_t i, const double *got, double loss, double eps)
{
    struct buffers *b = buffers();
    double exact = temper_loss(b->row, s->classes, b->label[i], s->t1, s->t2, b->row_gradient);
    double factor = temper_importance(b->row, s->classes, b->label[i], s->t1, s->t2);
    struct softmax_bounds bounds = softmax_bounds_of(s->t1, s->t2, eps);
    double more = softmax_growth(label_log_p(s, exact, factor), s->classes), worst = 0,
           unit = s->t2 < 1 ? fmax(1, factor) : factor;
    if (exact > (eps > 1e-10 ? 1e30 : 1e290) || factor > 1e30)
        return; /* beyond the range of the type */
    CHECKF(loss == exact || fabs(loss - exact) <= more * bounds.loss * fmax(1, exact),
           "(%g, %g), C = %zu, scale %g, row %zu: loss %.17g for %.17g", s->t1, s->t2, s->classes, s->scale, i, loss,
           exact);
    for (size_t c = 0; c < s->classes; c++)
        worst = fmax(worst, fabs(got[c] - b->row_gradient[c]));
    CHECKF(worst <= more * bounds.gradient * unit + (eps > 1e-10 ? FLT_MIN : DBL_MIN),
           "(%g, %g), C = %zu, scale %g, row %zu: gradient off by %.3g, f = %.3g", s->t1, s->t2, s->classes, s->scale,
           i, worst, factor);
}

static void check_rows(const struct setting *s, bool f32)
{
    struct buffers *b = buffers();
    static double got[MOST_CLASSES];
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t c = 0; c < s->classes; c++) {
            size_t at = c * PADDED + i;
            b->row[c] = b->a64[at];
            got[c] = f32 ? (double)b->gradient32[at] : b->gradient64[at];
        }
        check_row(s, i, got, f32 ? (double)b->loss32[i] : b->loss64[i], f32 ? FLT_EPSILON : DBL_EPSILON);
    }
}

static const double temperatures[][2] = {
    {1, 1},   {0.3, 1},   {0, 1},      {1.2, 1},      {0.1, 1.12},  {0.6, 1.6}, {1, 1.6},   {1, 1.9},       {1, 2},
    {0.1, 4}, {1.5, 1.2}, {0.5, 1.01}, {0.5, 1.0001}, {1, 1.00001}, {0.1, 0.9}, {0.3, 0.5}, {0.999, 0.999}, {0, 0.7},
};
enum { TEMPERATURES = sizeof temperatures / sizeof *temperatures };

static void run_setting(const struct kernel *kernel, const struct setting *s)
{
    struct buffers *b = buffers();
    struct softmax_f32 f32 = block32(b, s);
    struct softmax_f64 f64 = block64(b, s);
    fill(b, s);
    kernel->softmax_f32(&f32);
    check_rows(s, true);
    kernel->softmax_f64(&f64);
    check_rows(s, false);
}

TEST(agrees_with_the_exact_functions)
{
    KERNEL_OR_SKIP;
    static const double scales[] = {1e-4, 0.3, 1, 3, 10, 100};
    static const size_t classes[] = {1, 2, 3, 10, 33, 100};
    size_t step = test_step(6);
    for (size_t t = 0; t < TEMPERATURES; t++)
        for (size_t k = t % step; k < sizeof scales / sizeof *scales; k += step)
            for (size_t j = 0; j < sizeof classes / sizeof *classes; j++)
                run_setting(kernel, &(struct setting){classes[j], temperatures[t][0], temperatures[t][1], scales[k]});
}

TEST(a_thousand_classes)
{
    KERNEL_OR_SKIP;
    for (size_t t = 0; t < TEMPERATURES; t += 4 * test_step(3))
        run_setting(kernel, &(struct setting){1000, temperatures[t][0], temperatures[t][1], 3});
}

/* lambda is a start, and nothing more: none, a good one and bad ones give the same answer. */
TEST(any_start_will_do)
{
    KERNEL_OR_SKIP;
    struct buffers *b = buffers();
    static const float starts[] = {0, 0.5f, 10, 1e6f};
    for (size_t t = 4; t < TEMPERATURES; t++)
        for (size_t step = test_step(4), k = t % step; k < 4; k += step) {
            const struct setting s = {10, temperatures[t][0], temperatures[t][1], 2};
            struct softmax_f32 f32 = block32(b, &s);
            fill(b, &s);
            f32.lambda = b->lambda32;
            for (size_t i = 0; i < PADDED; i++)
                b->lambda32[i] = starts[k];
            for (int again = 0; again < 2; again++) { /* the second time from the solution */
                kernel->softmax_f32(&f32);
                check_rows(&s, true);
            }
        }
}

TEST(lambda_is_the_excess)
{
    KERNEL_OR_SKIP;
    struct buffers *b = buffers();
    for (size_t t = 0; t < TEMPERATURES; t++) {
        const struct setting s = {10, temperatures[t][0], temperatures[t][1], 2};
        struct softmax_f64 f64 = block64(b, &s);
        fill(b, &s);
        f64.lambda = b->lambda64;
        memset(b->lambda64, 0, sizeof b->lambda64);
        kernel->softmax_f64(&f64);
        for (size_t i = 0; i < ROWS; i++) {
            for (size_t c = 0; c < s.classes; c++)
                b->row[c] = b->a64[c * PADDED + i];
            double exact = temper_log_partition_excess(b->row, s.classes, s.t2);
            CHECKF(fabs(b->lambda64[i] - exact) <= 1e-12 * fmax(1, exact), "(%g, %g) row %zu: %g %g", s.t1, s.t2, i,
                   b->lambda64[i], exact);
        }
    }
}

/* A row that is not finite has a NaN loss, and leaves its neighbours alone. */
TEST(bad_rows_are_nan)
{
    KERNEL_OR_SKIP;
    struct buffers *b = buffers();
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t t = 0; t < TEMPERATURES; t++)
        for (size_t k = 0; k < 3; k++) {
            const struct setting s = {5, temperatures[t][0], temperatures[t][1], 1};
            struct softmax_f32 f32 = block32(b, &s);
            struct softmax_f64 f64 = block64(b, &s);
            fill(b, &s);
            b->a32[3 * PADDED + 7] = (float)bad[k];
            b->a64[3 * PADDED + 7] = bad[k];
            kernel->softmax_f32(&f32);
            kernel->softmax_f64(&f64);
            for (size_t i = 0; i < ROWS; i++)
                CHECKF((i == 7) == (bool)isnan(b->loss32[i]) && (i == 7) == (bool)isnan(b->loss64[i]),
                       "(%g, %g), %g in row 7: row %zu has %g and %g", s.t1, s.t2, bad[k], i, (double)b->loss32[i],
                       b->loss64[i]);
        }
}

/* Finite, and as large as the type: the right loss, not a cap and not NaN. */
TEST(huge_activations)
{
    KERNEL_OR_SKIP;
    struct buffers *b = buffers();
    for (size_t t = 0; t < TEMPERATURES; t++)
        for (size_t classes = 3; classes <= 1000; classes += 997) {
            const struct setting s = {classes, 0.5, temperatures[t][1], 1};
            struct softmax_f32 f32 = block32(b, &s);
            struct softmax_f64 f64 = block64(b, &s);
            for (size_t i = 0; i < classes * PADDED; i++) {
                double sign = i / PADDED == 0 ? 1 : classes > 3 ? 0.999999 : -1;
                b->a32[i] = (float)(sign * 2e38);
                b->a64[i] = sign * 1.5e308;
            }
            memset(b->label, 0, sizeof b->label);
            kernel->softmax_f32(&f32);
            kernel->softmax_f64(&f64);
            CHECKF(b->loss32[5] >= 0 && b->loss32[5] < 1e-3f, "C = %zu, t2 = %g: %g", classes, s.t2,
                   (double)b->loss32[5]);
            CHECKF(b->loss64[5] >= 0 && b->loss64[5] < 1e-3, "C = %zu, t2 = %g: %g", classes, s.t2, b->loss64[5]);
        }
}

/* A large number added to all activations of a row changes nothing but their last digits. */
TEST(common_offsets)
{
    KERNEL_OR_SKIP;
    struct buffers *b = buffers();
    for (size_t t = 0; t < TEMPERATURES; t++) {
        const struct setting s = {100, temperatures[t][0], temperatures[t][1], 1};
        struct softmax_f32 f32 = block32(b, &s);
        fill(b, &s);
        for (size_t i = 0; i < s.classes * PADDED; i++) {
            b->a32[i] += 1e5f;
            b->a64[i] = (double)b->a32[i];
        }
        kernel->softmax_f32(&f32);
        check_rows(&s, true);
    }
}

/* Every row of a block is computed, whatever their number is, and no other one. */
TEST(any_number_of_rows)
{
    KERNEL_OR_SKIP;
    struct buffers *b = buffers();
    const struct setting s = {3, 0.5, 1.3, 1};
    for (size_t rows = 1; rows <= PADDED; rows++) {
        struct softmax_f32 f32 = block32(b, &s);
        struct softmax_f64 f64 = block64(b, &s);
        f32.shape.rows = f64.shape.rows = rows;
        fill(b, &s);
        for (size_t i = 0; i < PADDED; i++)
            b->loss32[i] = -1, b->loss64[i] = -1;
        kernel->softmax_f32(&f32);
        kernel->softmax_f64(&f64);
        for (size_t i = 0; i < rows; i++)
            CHECKF(b->loss32[i] >= 0 && b->loss64[i] >= 0, "row %zu of %zu: %g, %g", i, rows, (double)b->loss32[i],
                   b->loss64[i]);
    }
}

TEST_LIST(LISTED(agrees_with_the_exact_functions), LISTED(a_thousand_classes), LISTED(any_start_will_do),
          LISTED(lambda_is_the_excess), LISTED(bad_rows_are_nan), LISTED(huge_activations), LISTED(common_offsets),
          LISTED(any_number_of_rows))
