/* linear_plain_f64: the reference on arrays of doubles. */
#define real                     double
#define rows_type                struct rows_f64
#define many_type                struct many_f64
#define other_rows               struct rows_f32
#define PLAIN_OTHER(times, back) .times_f32 = times, .back_f32 = back,
#include "kernel/dense/linear_plain.inc.h"

const struct linear_f64 linear_f64_plain = LINEAR_PLAIN;
