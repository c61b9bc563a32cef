/* thread: a group of short-lived worker threads takes blocks from a shared counter. */
#include "base/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/memory.h"

/* The stack of a thread. The default of the system is 128 KiB with some C libraries, or whatever `ulimit -s` has set,
 * which is too little for the buffers of some functions. */
static const size_t STACK_BYTES = (size_t)2 << 20;

/* Where the attribute cannot be set, the default of the system has to do. */
bool thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    bool started = pthread_create(thread, &attributes, run, argument) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

/* What all workers of one call share. */
struct worker_group {
    block_fn *work;
    void *context;
    size_t blocks;
    atomic_size_t next;         /* the first block that no worker has taken */
    atomic_size_t first_failed; /* blocks if none has failed */
    pthread_mutex_t lock;       /* guards `status`, which goes with first_failed */
    temper_status status;
};

/* One thread of the group; its number selects the workspace of the caller, so that workers share no memory that
 * they write to. */
struct worker {
    struct worker_group *group;
    size_t number;
    pthread_t thread;
};

/* Keeps the status of the failed block with the lowest number. */
static void report_failed_block(struct worker_group *group, size_t block, temper_status status)
{
    pthread_mutex_lock(&group->lock);
    if (block < atomic_load(&group->first_failed)) {
        atomic_store(&group->first_failed, block);
        group->status = status;
    }
    pthread_mutex_unlock(&group->lock);
}

/* The body of a thread: blocks in order, until none is left or one before them has failed. */
static void *worker_run(void *argument)
{
    struct worker *worker = argument;
    struct worker_group *group = worker->group;
    for (;;) {
        size_t block = atomic_fetch_add(&group->next, 1);
        /* Blocks before a failed one still run: the first failure must be the same every time. */
        if (block >= group->blocks || block > atomic_load(&group->first_failed))
            return NULL;
        temper_status status = group->work(group->context, block, worker->number);
        if (status != TEMPER_OK)
            report_failed_block(group, block, status);
    }
}

/* Starts threads - 1 threads, works on blocks in the calling thread, and joins them. As blocks are taken from a shared
 * counter, all are processed even if the system starts fewer threads than requested. */
static temper_status run_workers(struct worker_group *group, struct worker *workers, size_t threads)
{
    size_t started = 1; /* the caller is worker 0 */
    for (; started < threads; started++) {
        workers[started] = (struct worker){.group = group, .number = started};
        /* fewer threads suffice, see above */
        if (!thread_start(&workers[started].thread, worker_run, &workers[started]))
            break;
    }
    workers[0] = (struct worker){.group = group, .number = 0};
    worker_run(&workers[0]);
    for (size_t i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    return group->status;
}

/* A single thread takes the same path as several, so that results and failures do not depend on their number. More
 * threads than blocks would have nothing to do. */
temper_status parallel_blocks(size_t blocks, size_t threads, block_fn *work, void *context)
{
    struct worker_group group = {.work = work, .context = context, .blocks = blocks, .status = TEMPER_OK};
    atomic_init(&group.next, 0);
    atomic_init(&group.first_failed, blocks);
    if (threads > blocks)
        threads = blocks;
    if (threads < 1)
        threads = 1;
    struct worker *workers = mem_alloc(threads, sizeof *workers);
    if (!workers)
        return TEMPER_NO_MEMORY;
    if (pthread_mutex_init(&group.lock, NULL) != 0) {
        mem_free(workers);
        return TEMPER_NO_MEMORY;
    }
    temper_status status = run_workers(&group, workers, threads);
    pthread_mutex_destroy(&group.lock);
    mem_free(workers);
    return status;
}

/* Counts the processors of the machine: affinity masks and container quotas are not considered, for which the user
 * has an option. */
size_t thread_count_default(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}
