/* column_plain: the reference on floats and doubles. */
#include <math.h>

#include "kernel/column.h"

#define stored       float
#define COLUMN(name) plain_##name##_f32
#include "kernel/column_plain_body.h"

#define stored       double
#define COLUMN(name) plain_##name##_f64
#include "kernel/column_plain_body.h"

const struct column_kernels column_plain = {plain_margins_f32, plain_margins_f64,
                                            plain_residuals_f32, plain_residuals_f64};
