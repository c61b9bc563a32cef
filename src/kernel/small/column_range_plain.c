/* spread_plain: the reference for rows of floats, doubles and bytes. */
#include "kernel/small/column_range.h"

#define stored       float
#define SPREAD(name) plain_##name##_f32
#include "kernel/small/column_range_plain.inc.h"

#define stored       double
#define SPREAD(name) plain_##name##_f64
#include "kernel/small/column_range_plain.inc.h"

#define stored       uint8_t
#define SPREAD(name) plain_##name##_u8
#include "kernel/small/column_range_plain.inc.h"

const struct column_range_kernels spread_plain = {plain_first_f32,  plain_first_f64,  plain_first_u8,
                                                  plain_second_f32, plain_second_f64, plain_second_u8};
