/* thread: parallel loops over fixed blocks, and pools of threads that wait between such loops.
 *
 * Threads live no longer than the public call that needs them, so that a fork between two calls is safe; after a fork
 * within a call, as from a callback, the child does not use a pool of its parent. The result of a block depends on the
 * block alone, and sums over blocks are added in the order of their numbers, so that any number of threads gives the
 * same bits. */
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

/* Threads for many loops, one after the other. */
struct thread_pool;

/* A pool for loops on up to `threads` threads, that of the caller included; the others are started by the first loop
 * that can use them. NULL: out of memory. */
struct thread_pool *thread_pool_new(size_t threads);
void thread_pool_free(struct thread_pool *pool);

/* How many threads of which pool; a pool of NULL is none. */
struct thread_team {
    struct thread_pool *pool;
    size_t threads;
};

/* The same as parallel_blocks, by threads of the pool; a pool of NULL is none. A loop that is called by a block of
 * another one of the same pool has threads of its own. */
temper_status pool_blocks(struct thread_pool *pool, size_t blocks, size_t threads, block_fn *work, void *context);

/* How many of so many threads are worth waking for so many multiplications, or operations that take as long. */
size_t threads_worth(size_t threads, double work);

/* Number of processors that this process may use (base/system/processors.h); at least 1. */
size_t thread_count_default(void);

#endif
