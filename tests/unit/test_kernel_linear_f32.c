/* The linear kernels on floats. */
#define real        float
#define EPS         FLT_EPSILON
#define SMALLEST    FLT_MIN
#define rows_type   struct rows_f32
#define many_type   struct many_f32
#define linear_type struct linear_f32
#define LINEAR      linear_f32
#define PLAIN       linear_f32_plain
#include "test_kernel_linear.h"

TEST_LIST(LINEAR_TESTS)
