/* softmax_plain_f64: the reference on arrays of doubles. */
#define real       double
#define block_type struct softmax_f64
#include "kernel/loss/softmax_plain.inc.h"

void softmax_f64_plain(const struct softmax_f64 *block)
{
    plain_block(block);
}
