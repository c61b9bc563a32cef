/* comm: what the processes that share one training tell each other.
 *
 * Two calls of temper_comm are all that is needed from outside; everything here is made of them.
 * NULL is a process that is alone, for which all of it is next to nothing. Every process makes the
 * same calls in the same order. */
#ifndef COMM_COMM_H
#define COMM_COMM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

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

/* Of each rank bytes[rank] bytes, one after another, to all; `mine` may not lie within `all`. */
temper_status comm_gather(const temper_comm *comm, const void *mine, const size_t *bytes, void *all,
                          temper_error *error);
/* The same number of bytes from each. */
temper_status comm_gather_each(const temper_comm *comm, const void *mine, size_t bytes, void *all, temper_error *error);
/* out_bytes[rank] bytes to each rank, in_bytes[rank] from each; one after another. */
temper_status comm_exchange(const temper_comm *comm, const void *out, const size_t *out_bytes, void *in,
                            const size_t *in_bytes, temper_error *error);
/* What `from` has, to all. */
temper_status comm_broadcast(const temper_comm *comm, size_t from, void *block, size_t bytes, temper_error *error);

/* A whole file: the first process reads it, and tells the others. */
temper_status comm_read_file(const temper_comm *comm, const char *path, struct text *text, temper_error *error);

/* A failure of one process is one of all: all return the status and have the error of the lowest
 * rank that failed. What a process does alone and may fail at ends with this. */
temper_status comm_agree(const temper_comm *comm, temper_status status, temper_error *error);

/* The sum of all ranks' numbers; those before this rank's, in *before unless that is NULL. */
temper_status comm_count(const temper_comm *comm, uint64_t mine, uint64_t *before, uint64_t *all, temper_error *error);

/* What rank `from` has, to the one behind it; the same number of bytes to both, which 0 may be. */
temper_status comm_pass_on(const temper_comm *comm, size_t from, const void *out, void *in, size_t bytes,
                           temper_error *error);

/* Sums in which the order matters: each rank goes on with the state that the one before it has
 * left, the first one with what it is given; all end with that of the last. */
typedef void turn_fn(void *context, void *state);
temper_status comm_in_turn(const temper_comm *comm, turn_fn *add, void *context, void *state, size_t bytes,
                           temper_error *error);

#endif
