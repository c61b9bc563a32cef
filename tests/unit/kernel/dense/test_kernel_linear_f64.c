/* The linear kernels on doubles. */
#define real        double
#define EPS         DBL_EPSILON
#define SMALLEST    DBL_MIN
#define rows_type   struct rows_f64
#define many_type   struct many_f64
#define linear_type struct linear_f64
#define LINEAR      linear_f64
#define PLAIN       linear_f64_plain
#include "kernel/dense/kernel_linear.inc.h"

/* Floats that the kernel converts to doubles give the bits of doubles, whether they are kept or not. */
static void check_widening(const linear_type *linear, size_t rows, size_t columns, bool aside)
{
    struct arrays all = {.shift = columns % 4};
    size_t n = rows * columns;
    double *x = numbers(&all, n, 3), *r = numbers(&all, rows, 0), *w = numbers(&all, columns, 0);
    double *out = array(&all, rows), *expected = array(&all, rows);
    double *gradient = doubles(&all, columns), *expected_gradient = doubles(&all, columns);
    float *narrow = (float *)array(&all, (n + 1) / 2) + n % 2; /* to the end of the memory */
    for (size_t i = 0; i < n; i++)
        x[i] = (double)(narrow[i] = (float)x[i]);
    struct linear_hints how = {aside, aside ? array(&all, linear_wide(rows, columns) + 16) : NULL};
    if (aside) /* vectors are aligned */
        how.wide = (char *)how.wide + (64 - (uintptr_t)how.wide % 64) % 64;
    linear->times_f32((struct rows_f32){narrow, rows, columns}, how, w, out);
    linear->times((struct rows_f64){x, rows, columns}, w, expected);
    CHECKF(memcmp(out, expected, rows * sizeof *out) == 0, "%zu rows, %zu columns", rows, columns);
    linear->back_f32((struct rows_f32){narrow, rows, columns}, how, r, gradient);
    linear->back((struct rows_f64){x, rows, columns}, r, expected_gradient);
    CHECKF(memcmp(gradient, expected_gradient, columns * sizeof *gradient) == 0, "%zu rows, %zu columns", rows,
           columns);
    release(&all);
}

/* The same of both products in one loop. */
static void check_fused_widening(const linear_type *linear, size_t rows, size_t before, size_t columns)
{
    struct arrays all = {.shift = columns % 4};
    const size_t n = (rows + before) * columns;
    double *x = numbers(&all, n, 3), *r = numbers(&all, before, 0), *w = numbers(&all, columns, 0);
    double *out = array(&all, rows), *expected = array(&all, rows);
    double *sum = filled(&all, linear_fused_sums(columns), 1), *wanted = filled(&all, linear_fused_sums(columns), 1);
    float *narrow = (float *)array(&all, (n + 1) / 2) + n % 2; /* to the end of the memory */
    for (size_t i = 0; i < n; i++)
        x[i] = (double)(narrow[i] = (float)x[i]);
    linear->fused_f32((struct rows_f32){narrow + before * columns, rows, columns}, before, w, out, r, sum);
    linear->fused((struct rows_f64){x + before * columns, rows, columns}, before, w, expected, r, wanted);
    CHECKF(rows == 0 || memcmp(out, expected, rows * sizeof *out) == 0, "%zu rows, %zu columns", rows, columns);
    CHECKF(memcmp(sum, wanted, columns * sizeof *sum) == 0, "%zu rows before, %zu columns", before, columns);
    release(&all);
}

TEST(widening)
{
    KERNEL_OR_SKIP;
    for (size_t n = 0; n < SOME_ROWS; n++)
        for (size_t columns = 1 + n % test_step(13); columns <= 132; columns += test_step(13)) {
            check_widening(kernel->LINEAR, some_rows[n], columns == 132 ? 784 : columns, false);
            check_widening(kernel->LINEAR, some_rows[n], columns == 132 ? 784 : columns, true);
            check_fused_widening(kernel->LINEAR, some_rows[n], some_rows[(n + columns) % SOME_ROWS], columns);
        }
}

/* Scores of floats and of doubles have the bits of many_times and an addition; a score that is too large is noticed in
 * whichever row and class. */
static void check_scores(const linear_type *linear, size_t rows, size_t columns, size_t classes)
{
    struct arrays all = {.shift = columns % 4};
    const size_t n = rows * columns, stride = (rows + 15) / 16 * 16;
    double *x = numbers(&all, n, 3), *w = numbers(&all, columns * classes, 0), *bias = numbers(&all, classes, 0);
    double *out = array(&all, stride * classes), *expected = array(&all, stride * classes);
    double *scratch = array(&all, linear_scratch(stride, columns, classes));
    float *narrow = (float *)array(&all, (n + 1) / 2) + n % 2; /* to the end of the memory */
    for (size_t i = 0; i < n; i++)
        x[i] = (double)(narrow[i] = (float)x[i]);
    struct many_f64 many = {.block = {x, rows, columns}, .classes = classes, .stride = stride, .scratch = scratch};
    struct linear_scores of = {.x_f32 = narrow,
                               .rows = rows,
                               .columns = columns,
                               .classes = classes,
                               .stride = stride,
                               .weights = w,
                               .bias = bias,
                               .largest = 1e300,
                               .scratch = scratch};
    linear->many_times(&many, w, expected);
    for (size_t floats = 0; floats < 2; floats++) {
        of.x_f32 = floats ? narrow : NULL;
        of.x_f64 = floats ? NULL : x;
        CHECK(linear->scores(&of, out));
        for (size_t c = 0; c < classes; c++)
            for (size_t i = 0; i < rows; i++)
                CHECKF(out[c * stride + i] == expected[c * stride + i] + bias[c], "%zu rows, %zu columns, %zu classes",
                       rows, columns, classes);
    }
    bias[classes - 1] = 1e301;
    CHECK(!linear->scores(&of, out));
    bias[classes - 1] = 0;
    narrow[n - 1] = NAN;
    CHECK(!linear->scores(&of, out));
    release(&all);
}

TEST(scores)
{
    KERNEL_OR_SKIP;
    static const size_t classes[] = {3, 7, 10, 13, 40};
    if (!kernel->LINEAR->scores) { /* plain has none */
        CHECK(kernel->LINEAR == &linear_f64_plain);
        return;
    }
    for (size_t n = 0; n < SOME_ROWS; n++)
        for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
            for (size_t columns = 1 + n % 3; columns <= 60; columns += test_step(7))
                if (linear_scores_fit(columns, classes[k]) && some_rows[n] > 0)
                    check_scores(kernel->LINEAR, some_rows[n], columns, classes[k]);
}

TEST_LIST(LINEAR_TESTS, LISTED(widening), LISTED(scores))
