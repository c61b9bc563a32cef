/* softmax_plain: the reference of the tempered softmax on arrays of floats and doubles. */
#include <math.h>

#include "kernel/loss/softmax.h"
#include "tempered/target_losses.h"
#include "tempered/tempered_functions.h"

/* One template, instantiated for both element types. */
#define real        float
#define block_type  struct softmax_f32
#define target_type struct softmax_targets_f32
#define PLAIN(name) name##_f32
#include "kernel/loss/softmax_plain.inc.h"
#undef real
#undef block_type
#undef target_type
#undef PLAIN

#define real        double
#define block_type  struct softmax_f64
#define target_type struct softmax_targets_f64
#define PLAIN(name) name##_f64
#include "kernel/loss/softmax_plain.inc.h"

/* External names for the table of kernels; the template's function is static. */
void softmax_f32_plain(const struct softmax_f32 *block)
{
    block_f32(block);
}

void softmax_f64_plain(const struct softmax_f64 *block)
{
    block_f64(block);
}

void softmax_targets_f32_plain(const struct softmax_targets_f32 *rows)
{
    targets_f32(rows);
}

void softmax_targets_f64_plain(const struct softmax_targets_f64 *rows)
{
    targets_f64(rows);
}
