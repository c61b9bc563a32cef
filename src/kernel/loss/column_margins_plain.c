/* column_plain: the reference on floats and doubles. */
#include <math.h>

#include "kernel/loss/column_margins.h"

#define stored       float
#define COLUMN(name) plain_##name##_f32
#include "kernel/loss/column_margins_plain.inc.h"

#define stored       double
#define COLUMN(name) plain_##name##_f64
#include "kernel/loss/column_margins_plain.inc.h"

const struct column_margin_kernels column_plain = {plain_margins_f32, plain_margins_f64, plain_residuals_f32,
                                                   plain_residuals_f64};
