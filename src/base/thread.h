/* thread: work through fixed blocks on several threads.
 *
 * Threads are born and die with the call that uses them: nothing outlives it, so a fork between two
 * calls is safe. What belongs to a block depends on the block alone, and sums over blocks are added
 * in the order of their numbers, so any number of threads gives the same bits. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <stddef.h>

#include "base/status.h"

/* Does one block; `worker` (0 .. threads-1) names the thread, for scratch space only. */
typedef temper_status block_fn(void *context, size_t block, size_t worker);

/* Calls work(context, block, worker) once for each block, on up to `threads` threads (at least one,
 * the caller's own). If blocks fail, the status of the first failing block is returned: all before
 * it were done, those after it perhaps not. Where the system gives fewer threads, fewer work. */
temper_status parallel_blocks(size_t blocks, size_t threads, block_fn *work, void *context);

/* How many threads the machine runs at once; at least 1. */
size_t thread_count_default(void);

#endif
