/* softmax_plain_f32: the reference on arrays of floats. */
#define real       float
#define block_type struct softmax_f32
#include "kernel/loss/softmax_plain.inc.h"

void softmax_f32_plain(const struct softmax_f32 *block)
{
    plain_block(block);
}
