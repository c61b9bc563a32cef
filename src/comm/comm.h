/* comm: collective operations of the processes that share one training.
 *
 * All are made of the two callbacks of temper_comm (all-gather and all-to-all). NULL is a single
 * process, for which they cost next to nothing. Every process makes the same calls in the same order, except after a
 * failure: each operation agrees first that no process has failed, and each call of the library that has operations
 * ends with comm_end. So a process that fails leaves its steps as it would alone, and all others end with its error. */
#ifndef COMM_COMM_H
#define COMM_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/status.h"
#include "temper_extra.h"

struct text; /* base/text.h */

static inline size_t comm_rank(const temper_comm *comm)
{
    return comm ? comm->rank : 0;
}

static inline size_t comm_size(const temper_comm *comm)
{
    return comm ? comm->size : 1;
}

static inline bool comm_alone(const temper_comm *comm)
{
    return comm_size(comm) == 1;
}

/* ---- Implementations for several processes (comm.c); callers use the functions below ------------------------------
 */

/* Sequential reductions: rank by rank each call updates the state that the previous rank left. */
typedef void turn_fn(void *context, void *state);

temper_status comm_gather_ranks(const temper_comm *comm, const void *mine, const size_t *bytes, void *all,
                                temper_error *error);
temper_status comm_gather_each_ranks(const temper_comm *comm, const void *mine, size_t bytes, void *all,
                                     temper_error *error);
temper_status comm_broadcast_ranks(const temper_comm *comm, size_t from, void *block, size_t bytes,
                                   temper_error *error);
temper_status comm_agree_ranks(const temper_comm *comm, temper_status status, temper_error *error);
temper_status comm_end_ranks(const temper_comm *comm, temper_status status, temper_error *error);
temper_status comm_count_ranks(const temper_comm *comm, uint64_t mine, uint64_t *before, uint64_t *all,
                               temper_error *error);
temper_status comm_in_turn_ranks(const temper_comm *comm, turn_fn *add, void *context, void *state, size_t bytes,
                                 temper_error *error);

/* ---- Collective operations; inline where the process is alone, so that its path has no calls for ranks ------------
 */

/* All-gather: bytes[rank] bytes of each rank, concatenated, to all; `mine` and `all` do not overlap. */
static inline temper_status comm_gather(const temper_comm *comm, const void *mine, const size_t *bytes, void *all,
                                        temper_error *error)
{
    if (!comm_alone(comm))
        return comm_gather_ranks(comm, mine, bytes, all, error);
    if (bytes[0])
        memcpy(all, mine, bytes[0]);
    return TEMPER_OK;
}

/* The same number of bytes of each rank. */
static inline temper_status comm_gather_each(const temper_comm *comm, const void *mine, size_t bytes, void *all,
                                             temper_error *error)
{
    return comm_alone(comm) ? comm_gather(comm, mine, &bytes, all, error)
                            : comm_gather_each_ranks(comm, mine, bytes, all, error);
}

/* The block of rank `from`, to all. */
static inline temper_status comm_broadcast(const temper_comm *comm, size_t from, void *block, size_t bytes,
                                           temper_error *error)
{
    return comm_alone(comm) ? TEMPER_OK : comm_broadcast_ranks(comm, from, block, bytes, error);
}

/* Makes a failure of one process a failure of all: all return the status and the error of the lowest rank that
 * failed. Called where all have to know it and no other operation follows, or where they continue after it. */
static inline temper_status comm_agree(const temper_comm *comm, temper_status status, temper_error *error)
{
    return comm_alone(comm) ? status : comm_agree_ranks(comm, status, error);
}

/* The end of a call of the library, with its status in this process: the status and the error of all. A call that has
 * collective operations has it once, on every path through it, before its results are published. */
static inline temper_status comm_end(const temper_comm *comm, temper_status status, temper_error *error)
{
    return comm_alone(comm) ? status : comm_end_ranks(comm, status, error);
}

/* *all: the sum over ranks; *before, unless NULL: the sum over lower ranks (exclusive prefix sum). */
static inline temper_status comm_count(const temper_comm *comm, uint64_t mine, uint64_t *before, uint64_t *all,
                                       temper_error *error)
{
    if (!comm_alone(comm))
        return comm_count_ranks(comm, mine, before, all, error);
    if (before)
        *before = 0;
    *all = mine;
    return TEMPER_OK;
}

/* Each rank in its turn applies `add` to the state that the previous rank left, rank 0 to the given one; all end with
 * the state of the last rank. */
static inline temper_status comm_in_turn(const temper_comm *comm, turn_fn *add, void *context, void *state,
                                         size_t bytes, temper_error *error)
{
    if (!comm_alone(comm))
        return comm_in_turn_ranks(comm, add, context, state, bytes, error);
    add(context, state);
    return TEMPER_OK;
}

/* All-to-all: out_bytes[rank] bytes to each rank, in_bytes[rank] from each; concatenated. */
temper_status comm_exchange(const temper_comm *comm, const void *out, const size_t *out_bytes, void *in,
                            const size_t *in_bytes, temper_error *error);

struct whole_file;

/* TEMPER_USAGE in all processes if rank 0 finds a file there that is no checkpoint (checkpoint_file.h). */
temper_status comm_check_replaceable(const temper_comm *comm, const char *path, temper_error *error);
/* A whole file: rank 0 reads it and broadcasts it. */
temper_status comm_read_file(const temper_comm *comm, const char *path, const struct whole_file *expected,
                             struct text *text, temper_error *error);

/* Sends bytes from rank `from` to rank from + 1; `bytes` is the same on both, and may be 0. */
temper_status comm_pass_on(const temper_comm *comm, size_t from, const void *out, void *in, size_t bytes,
                           temper_error *error);

#endif
