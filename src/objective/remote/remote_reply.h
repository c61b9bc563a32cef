/* remote_reply: layout of the numbers that a shard returns for a request (reverse communication, see temper.h). */
#ifndef OBJECTIVE_REMOTE_REPLY_H
#define OBJECTIVE_REMOTE_REPLY_H

#include <stddef.h>

#include "base/status.h"
#include "temper_extra.h"

enum { REPLY_LOSS, REPLY_ACCURACY, REPLY_GRADIENT }; /* of TEMPER_SHARD_GRADIENT */
enum { REPLY_SQUARES, REPLY_OF_LENGTH };             /* of TEMPER_SHARD_SQUARED_NORM; and their number */

/* Length of a reply; `size` is that of w. */
static inline size_t reply_length(size_t size, temper_shard_request_kind kind)
{
    return kind == TEMPER_SHARD_SQUARED_NORM ? REPLY_OF_LENGTH : REPLY_GRADIENT + size;
}

#endif
