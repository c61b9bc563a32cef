/* thread: parallel loops over fixed blocks.
 *
 * Threads start and end within the call, so a fork between two calls is safe. The result of a block
 * depends on the block alone, and sums over blocks are added in the order of their numbers, so that
 * any number of threads gives the same bits. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Starts a thread with a stack of 2 MiB, whatever the default of the system; false if there can be none. The caller
 * joins it. */
bool thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

/* Processes one block; `worker` (0 .. threads-1) is the thread, to select its workspace. */
typedef temper_status block_fn(void *context, size_t block, size_t worker);

/* Calls work(context, block, worker) once for each block, on up to `threads` threads, the caller's
 * included. If blocks fail, the status of the first failing block is returned: all before it were
 * processed, those after it perhaps not. If the system refuses threads, fewer are used. */
temper_status parallel_blocks(size_t blocks, size_t threads, block_fn *work, void *context);

/* Number of processors that are online; at least 1. */
size_t thread_count_default(void);

#endif
