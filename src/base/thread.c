/* thread: worker threads take blocks from a shared counter, and wait for the next loop.
 *
 * A loop ends when all of its blocks have been processed, not when all threads have taken part: a thread that the
 * system does not run, because others use the processors, holds up nobody as long as it has not begun a block. */
#include "base/thread.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/system/processors.h"

/* The stack of a thread. The default of the system is 128 KiB with some C libraries, or whatever `ulimit -s` has set,
 * which is too little for the buffers of some functions. */
static const size_t STACK_BYTES = (size_t)2 << 20;

/* How often a waiting thread looks again before it sleeps: some microseconds, about the time of waking it. */
enum { SPINS = 500 };

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

/* ---- A loop ---------------------------------------------------------------------------------- */

/* A loop, and which of its blocks are taken. */
struct block_loop {
    block_fn *work;
    void *context;
    size_t blocks;
    atomic_size_t next;         /* the first block that no worker has taken */
    atomic_size_t first_failed; /* blocks if none has failed */
    pthread_mutex_t *lock;      /* guards `status`, which goes with first_failed */
    temper_status status;
};

/* Keeps the status of the failed block with the lowest number. */
static void report_failed_block(struct block_loop *loop, size_t block, temper_status status)
{
    if (loop->lock)
        pthread_mutex_lock(loop->lock);
    if (block < atomic_load(&loop->first_failed)) {
        atomic_store(&loop->first_failed, block);
        loop->status = status;
    }
    if (loop->lock)
        pthread_mutex_unlock(loop->lock);
}

/* Blocks in order, until none is left or one before them has failed. */
static void take_blocks(struct block_loop *loop, size_t worker)
{
    for (;;) {
        size_t block = atomic_fetch_add(&loop->next, 1);
        /* Blocks before a failed one still run: the first failure must be the same every time. */
        if (block >= loop->blocks || block > atomic_load(&loop->first_failed))
            return;
        temper_status status = loop->work(loop->context, block, worker);
        if (status != TEMPER_OK)
            report_failed_block(loop, block, status);
    }
}

static void loop_begin(struct block_loop *loop, size_t blocks, block_fn *work, void *context)
{
    loop->work = work;
    loop->context = context;
    loop->blocks = blocks;
    loop->status = TEMPER_OK;
    atomic_store(&loop->next, 0);
    atomic_store(&loop->first_failed, blocks);
}

/* A single thread takes the same path as several, so that results and failures do not depend on their number. */
static temper_status loop_alone(size_t blocks, block_fn *work, void *context)
{
    struct block_loop loop = {0};
    loop_begin(&loop, blocks, work, context);
    take_blocks(&loop, 0);
    return loop.status;
}

/* ---- A pool ---------------------------------------------------------------------------------- */

struct thread_pool {
    pthread_mutex_t lock; /* guards all below but the atomic members */
    pthread_cond_t wake;  /* a loop has begun, or the pool ends */
    pthread_cond_t idle;  /* the last worker has left a loop */
    struct block_loop loop;
    atomic_size_t number; /* of the present loop, or of the last one */
    size_t places;        /* workers that the present loop still takes; 0: none, or it has ended */
    size_t entered;       /* workers that have entered it */
    atomic_size_t inside; /* of which have not left it */
    atomic_bool used;     /* by a loop */
    bool ends;
    pid_t process;         /* that has the threads */
    size_t started, limit; /* threads, and how many there may be */
    pthread_t thread[];
};

/* Waits a little for a change, without sleeping; the body of a loop. */
static inline void spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Called with the lock held, by a worker: takes part in the present loop. Workers are numbered in the order in which
 * they enter; the caller is 0. */
static void enter_loop(struct thread_pool *pool)
{
    size_t worker = ++pool->entered;
    pool->places--;
    atomic_fetch_add(&pool->inside, 1);
    pthread_mutex_unlock(&pool->lock);
    take_blocks(&pool->loop, worker);
    pthread_mutex_lock(&pool->lock);
    if (atomic_fetch_sub(&pool->inside, 1) == 1)
        pthread_cond_signal(&pool->idle);
}

/* The body of a thread: every loop that has a place for it. */
static void *worker_run(void *argument)
{
    struct thread_pool *pool = argument;
    pthread_mutex_lock(&pool->lock);
    while (!pool->ends) {
        if (pool->places > 0) {
            enter_loop(pool);
            continue;
        }
        size_t last = atomic_load(&pool->number);
        pthread_mutex_unlock(&pool->lock);
        for (int i = 0; i < SPINS && atomic_load(&pool->number) == last; i++)
            spin_pause();
        pthread_mutex_lock(&pool->lock);
        if (!pool->ends && pool->places == 0)
            pthread_cond_wait(&pool->wake, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* A thread that cannot be started is not tried again: fewer suffice, as blocks are taken from a shared counter. */
static void start_threads(struct thread_pool *pool, size_t wanted)
{
    while (pool->started < wanted && pool->started < pool->limit) {
        if (thread_start(&pool->thread[pool->started], worker_run, pool))
            pool->started++;
        else
            pool->limit = pool->started;
    }
}

/* Threads are started later. */
struct thread_pool *thread_pool_new(size_t threads)
{
    size_t others = threads > 1 ? threads - 1 : 0, bytes;
    struct thread_pool *pool = NULL;
    if (mul_size(others, sizeof(pthread_t), &bytes) && bytes <= SIZE_MAX - sizeof *pool)
        pool = mem_zeroed(1, sizeof *pool + bytes);
    if (!pool)
        return NULL;
    pool->limit = others;
    pool->process = getpid();
    pool->loop.lock = &pool->lock;
    bool locks = pthread_mutex_init(&pool->lock, NULL) == 0;
    bool wakes = locks && pthread_cond_init(&pool->wake, NULL) == 0;
    if (wakes && pthread_cond_init(&pool->idle, NULL) == 0)
        return pool;
    if (wakes)
        pthread_cond_destroy(&pool->wake);
    if (locks)
        pthread_mutex_destroy(&pool->lock);
    mem_free(pool);
    return NULL;
}

/* In a child of the process that has the threads there are none to be joined, and the lock may be held by one of them.
 */
void thread_pool_free(struct thread_pool *pool)
{
    if (!pool)
        return;
    if (pool->process == getpid()) {
        pthread_mutex_lock(&pool->lock);
        pool->ends = true;
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
        for (size_t i = 0; i < pool->started; i++)
            pthread_join(pool->thread[i], NULL);
        pthread_cond_destroy(&pool->idle);
        pthread_cond_destroy(&pool->wake);
        pthread_mutex_destroy(&pool->lock);
    }
    mem_free(pool);
}

/* ---- Loops of a pool ------------------------------------------------------------------------- */

/* Announces a loop to the workers. */
static void open_loop(struct thread_pool *pool, size_t others)
{
    pthread_mutex_lock(&pool->lock);
    pool->entered = 0;
    pool->places = others;
    atomic_fetch_add(&pool->number, 1);
    if (others == 1)
        pthread_cond_signal(&pool->wake);
    else
        pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

/* Admits no further workers, and waits for those that are within. */
static temper_status close_loop(struct thread_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->places = 0;
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < SPINS && atomic_load(&pool->inside) > 0; i++)
        spin_pause();
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->inside) > 0)
        pthread_cond_wait(&pool->idle, &pool->lock);
    temper_status status = pool->loop.status;
    pthread_mutex_unlock(&pool->lock);
    return status;
}

/* More threads than blocks would have nothing to do. */
temper_status pool_blocks(struct thread_pool *pool, size_t blocks, size_t threads, block_fn *work, void *context)
{
    if (threads > blocks)
        threads = blocks;
    if (threads <= 1)
        return loop_alone(blocks, work, context);
    if (!pool || pool->process != getpid() || atomic_exchange(&pool->used, true))
        return parallel_blocks(blocks, threads, work, context);
    loop_begin(&pool->loop, blocks, work, context);
    open_loop(pool, threads - 1);
    start_threads(pool, threads - 1);
    take_blocks(&pool->loop, 0);
    temper_status status = close_loop(pool);
    atomic_store(&pool->used, false);
    return status;
}

/* A pool for one loop. */
temper_status parallel_blocks(size_t blocks, size_t threads, block_fn *work, void *context)
{
    if (threads > blocks)
        threads = blocks;
    if (threads <= 1)
        return loop_alone(blocks, work, context);
    struct thread_pool *pool = thread_pool_new(threads);
    if (!pool)
        return TEMPER_NO_MEMORY;
    temper_status status = pool_blocks(pool, blocks, threads, work, context);
    thread_pool_free(pool);
    return status;
}

/* Starting or waking a thread takes about as long as this many multiplications. */
static const double WORTH_A_THREAD = 3e5;

/* The number of threads never changes results, only the time. */
size_t threads_worth(size_t threads, double work)
{
    double worth = 1 + work / WORTH_A_THREAD;
    return worth < (double)threads ? (size_t)worth : threads;
}

size_t thread_count_default(void)
{
    return processor_count();
}
