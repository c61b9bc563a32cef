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

TEST(widening)
{
    KERNEL_OR_SKIP;
    for (size_t n = 0; n < SOME_ROWS; n++)
        for (size_t columns = 1 + n % test_step(13); columns <= 132; columns += test_step(13)) {
            check_widening(kernel->LINEAR, some_rows[n], columns == 132 ? 784 : columns, false);
            check_widening(kernel->LINEAR, some_rows[n], columns == 132 ? 784 : columns, true);
        }
}

TEST_LIST(LINEAR_TESTS, LISTED(widening))
