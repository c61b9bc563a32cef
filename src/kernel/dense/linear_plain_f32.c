/* linear_plain_f32: the reference on arrays of floats. */
#define real                     float
#define rows_type                struct rows_f32
#define many_type                struct many_f32
#define other_rows               struct rows_u8
#define PLAIN_OTHER(times, back) .times_u8 = times, .back_u8 = back,
#include "kernel/dense/linear_plain.inc.h"

const struct linear_f32 linear_f32_plain = LINEAR_PLAIN;
