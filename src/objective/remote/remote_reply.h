/* answer: how the numbers lie that a shard answers with (temper.h: temper_shard_request_kind). */
#ifndef OBJECTIVE_REMOTE_REPLY_H
#define OBJECTIVE_REMOTE_REPLY_H

#include <stddef.h>

#include "base/status.h"

enum { ANSWER_LOSS, ANSWER_ACCURACY, ANSWER_GRADIENT }; /* of TEMPER_SHARD_GRADIENT */
enum { ANSWER_SQUARES, ANSWER_OF_LENGTH };              /* of TEMPER_SHARD_SQUARED_NORM; and how many */

/* `size` that of w. */
static inline size_t answer_length(size_t size, temper_shard_request_kind asked)
{
    return asked == TEMPER_SHARD_SQUARED_NORM ? ANSWER_OF_LENGTH : ANSWER_GRADIENT + size;
}

#endif
