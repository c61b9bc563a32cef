/* The linear kernels on floats. */
#define real        float
#define EPS         FLT_EPSILON
#define SMALLEST    FLT_MIN
#define rows_type   struct rows_f32
#define many_type   struct many_f32
#define linear_type struct linear_f32
#define LINEAR      linear_f32
#define PLAIN       linear_f32_plain
#include "kernel/dense/kernel_linear.inc.h"

/* Bytes that the kernel converts to floats give the bits of floats, whether they are kept or not. */
static void check_widening(const linear_type *linear, size_t rows, size_t columns, bool aside)
{
    struct arrays all = {.shift = columns % 4};
    size_t n = rows * columns;
    float *x = numbers(&all, n, 0), *r = numbers(&all, rows, 0), *w = numbers(&all, columns, 0);
    float *out = array(&all, rows), *expected = array(&all, rows);
    double *gradient = doubles(&all, columns), *expected_gradient = doubles(&all, columns);
    uint8_t *bytes = (uint8_t *)array(&all, (n + 3) / 4) + (4 - n % 4) % 4; /* to the very end */
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(bytes[i] = (uint8_t)(i * 37 + i / 256));
    struct linear_hints how = {aside, aside ? array(&all, linear_wide(rows, columns) + 16) : NULL};
    if (aside) /* vectors are aligned */
        how.wide = (char *)how.wide + (64 - (uintptr_t)how.wide % 64) % 64;
    linear->times_u8((struct rows_u8){bytes, rows, columns}, how, w, out);
    linear->times((struct rows_f32){x, rows, columns}, w, expected);
    CHECKF(memcmp(out, expected, rows * sizeof *out) == 0, "%zu rows, %zu columns", rows, columns);
    linear->back_u8((struct rows_u8){bytes, rows, columns}, how, r, gradient);
    linear->back((struct rows_f32){x, rows, columns}, r, expected_gradient);
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
