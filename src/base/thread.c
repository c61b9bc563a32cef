/* thread: fixed blocks on short-lived threads. */
#include "base/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/memory.h"

struct crew {
    block_fn *work;
    void *context;
    size_t blocks;
    atomic_size_t next;         /* the first block that nobody has taken */
    atomic_size_t first_failed; /* blocks if none has failed */
    pthread_mutex_t lock;       /* guards `status`, which goes with first_failed */
    temper_status status;
};

struct worker {
    struct crew *crew;
    size_t number;
    pthread_t thread;
};

static void crew_report(struct crew *crew, size_t block, temper_status status)
{
    pthread_mutex_lock(&crew->lock);
    if (block < atomic_load(&crew->first_failed)) {
        atomic_store(&crew->first_failed, block);
        crew->status = status;
    }
    pthread_mutex_unlock(&crew->lock);
}

static void *worker_run(void *argument)
{
    struct worker *worker = argument;
    struct crew *crew = worker->crew;
    for (;;) {
        size_t block = atomic_fetch_add(&crew->next, 1);
        /* Blocks before a failed one still run: the first failure must be the same every time. */
        if (block >= crew->blocks || block > atomic_load(&crew->first_failed))
            return NULL;
        temper_status status = crew->work(crew->context, block, worker->number);
        if (status != TEMPER_OK)
            crew_report(crew, block, status);
    }
}

static temper_status crew_run(struct crew *crew, struct worker *workers, size_t threads)
{
    size_t started = 1; /* the caller is worker 0 */
    for (; started < threads; started++) {
        workers[started] = (struct worker){.crew = crew, .number = started};
        if (pthread_create(&workers[started].thread, NULL, worker_run, &workers[started]) != 0)
            break;
    }
    workers[0] = (struct worker){.crew = crew, .number = 0};
    worker_run(&workers[0]);
    for (size_t i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    return crew->status;
}

temper_status parallel_blocks(size_t blocks, size_t threads, block_fn *work, void *context)
{
    struct crew crew = {.work = work, .context = context, .blocks = blocks, .status = TEMPER_OK};
    atomic_init(&crew.next, 0);
    atomic_init(&crew.first_failed, blocks);
    if (threads > blocks)
        threads = blocks;
    if (threads < 1)
        threads = 1;
    struct worker *workers = mem_alloc(threads, sizeof *workers);
    if (!workers)
        return TEMPER_NO_MEMORY;
    if (pthread_mutex_init(&crew.lock, NULL) != 0) {
        mem_free(workers);
        return TEMPER_NO_MEMORY;
    }
    temper_status status = crew_run(&crew, workers, threads);
    pthread_mutex_destroy(&crew.lock);
    mem_free(workers);
    return status;
}

size_t thread_count_default(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}
