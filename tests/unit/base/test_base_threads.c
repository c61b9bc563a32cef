/* Blocks on threads: each done once, the same bits and the same failure for any thread count. */
#define _GNU_SOURCE /* pthread_getattr_np, pthread_setattr_default_np */
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "base/thread.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

enum { BLOCKS = 257, ROWS_PER_BLOCK = 100, MANY = 16 };

static const size_t thread_counts[] = {1, 2, 5, MANY};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts };

/* ---- Every block once ------------------------------------------------------------------------ */

struct tally {
    atomic_int done[BLOCKS];
    atomic_int strangers; /* worker numbers out of range */
    size_t threads;
};

static temper_status count_block(void *context, size_t block, size_t worker)
{
    struct tally *tally = context;
    atomic_fetch_add(&tally->done[block], 1);
    if (worker >= tally->threads)
        atomic_fetch_add(&tally->strangers, 1);
    return TEMPER_OK;
}

static void check_all_done(size_t threads)
{
    struct tally tally = {.threads = threads > 0 ? threads : 1};
    CHECK(parallel_blocks(BLOCKS, threads, count_block, &tally) == TEMPER_OK);
    for (size_t i = 0; i < BLOCKS; i++)
        CHECKF(atomic_load(&tally.done[i]) == 1, "block %zu was done %d times", i, atomic_load(&tally.done[i]));
    CHECK(atomic_load(&tally.strangers) == 0);
}

TEST(every_block_is_done_once)
{
    for (size_t i = 0; i < THREAD_COUNTS; i++)
        check_all_done(thread_counts[i]);
    check_all_done(0);
    check_all_done(BLOCKS + 10);
}

TEST(no_blocks_are_no_work)
{
    struct tally tally = {.threads = 4};
    CHECK(parallel_blocks(0, 4, count_block, &tally) == TEMPER_OK);
    CHECK(atomic_load(&tally.done[0]) == 0);
}

/* ---- The same bits --------------------------------------------------------------------------- */

struct block_sums {
    double part[BLOCKS];
    double scratch[MANY]; /* of each worker */
};

/* A sum whose last bits depend on the order in which it is added. */
static temper_status sum_block(void *context, size_t block, size_t worker)
{
    struct block_sums *sums = context;
    const struct random random = {.seed = 1};
    sums->scratch[worker] = 0;
    for (size_t i = 0; i < ROWS_PER_BLOCK; i++) {
        uint64_t row = block * ROWS_PER_BLOCK + i;
        sums->scratch[worker] += exp(10 * random_normal(random, row));
    }
    sums->part[block] = sums->scratch[worker];
    return TEMPER_OK;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double sum_on(size_t threads)
{
    struct block_sums sums;
    memset(&sums, 0, sizeof sums);
    double total = 0;
    CHECK(parallel_blocks(BLOCKS, threads, sum_block, &sums) == TEMPER_OK);
    for (size_t block = 0; block < BLOCKS; block++)
        total += sums.part[block];
    return total;
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    double expected = sum_on(1);
    CHECK(isfinite(expected) && expected > 0);
    for (size_t i = 1; i < THREAD_COUNTS; i++)
        for (int repeat = 0; repeat < 3; repeat++) {
            double actual = sum_on(thread_counts[i]);
            CHECKF(bits_of(actual) == bits_of(expected), "%zu threads: %.17g, one: %.17g", thread_counts[i], actual,
                   expected);
        }
}

/* ---- Failures
 * ------------------------------------------------------------------------------------ */

enum { FIRST_BAD = 50, SECOND_BAD = 51, LATE_BAD = 200 };

struct failing {
    atomic_int done[BLOCKS];
};

/* The first failing block is slow, so that the later ones are reported before it. */
static temper_status fail_some(void *context, size_t block, size_t worker)
{
    struct failing *failing = context;
    (void)worker;
    atomic_fetch_add(&failing->done[block], 1);
    if (block == FIRST_BAD) {
        volatile double busy = 0;
        for (int i = 0; i < 200000; i++)
            busy = busy + 1;
        return TEMPER_BAD_DATA;
    }
    if (block == SECOND_BAD)
        return TEMPER_IO;
    return block == LATE_BAD ? TEMPER_NO_MEMORY : TEMPER_OK;
}

TEST(the_first_failing_block_wins)
{
    for (size_t i = 0; i < THREAD_COUNTS; i++)
        for (int repeat = 0; repeat < 20; repeat++) {
            struct failing failing = {0};
            temper_status status = parallel_blocks(BLOCKS, thread_counts[i], fail_some, &failing);
            CHECKF(status == TEMPER_BAD_DATA, "%zu threads: %s", thread_counts[i], temper_status_name(status));
            for (size_t block = 0; block <= FIRST_BAD; block++)
                CHECK(atomic_load(&failing.done[block]) == 1);
        }
}

TEST(one_thread_stops_at_the_failure)
{
    struct failing failing = {0};
    CHECK(parallel_blocks(BLOCKS, 1, fail_some, &failing) == TEMPER_BAD_DATA);
    CHECK(atomic_load(&failing.done[FIRST_BAD]) == 1);
    CHECK(atomic_load(&failing.done[SECOND_BAD]) == 0);
}

TEST(without_new_threads_the_caller_does_it)
{
    for (size_t n = 1; n < MANY; n++) {
        fault_arm_threads(n);
        check_all_done(MANY);
        fault_disarm();
        CHECK(fault_fired());
        CHECK_EQ_SIZE(fault_count(), n);
    }
    double expected = sum_on(1);
    fault_arm_threads(3);
    double actual = sum_on(MANY);
    fault_disarm();
    CHECK(bits_of(actual) == bits_of(expected));
}

TEST(one_thread_starts_none)
{
    fault_arm_threads(1);
    check_all_done(1);
    fault_disarm();
    CHECK_EQ_SIZE(fault_count(), 0);
}

TEST(no_memory_is_a_status)
{
    struct tally tally = {.threads = 4};
    fault_arm(1);
    CHECK(parallel_blocks(BLOCKS, 4, count_block, &tally) == TEMPER_NO_MEMORY);
    fault_disarm();
    CHECK(fault_fired());
    CHECK(atomic_load(&tally.done[0]) == 0);
}

/* ---- Pools ----------------------------------------------------------------------------------- */

static void check_pool(struct thread_pool *pool, size_t threads)
{
    struct tally tally = {.threads = threads};
    CHECK(pool_blocks(pool, BLOCKS, threads, count_block, &tally) == TEMPER_OK);
    for (size_t i = 0; i < BLOCKS; i++)
        CHECKF(atomic_load(&tally.done[i]) == 1, "block %zu was done %d times", i, atomic_load(&tally.done[i]));
    CHECK(atomic_load(&tally.strangers) == 0);
}

/* Loops of all widths one after the other, and no thread is started twice. */
TEST(a_pool_starts_each_thread_once)
{
    struct thread_pool *pool = thread_pool_new(4);
    if (!CHECK(pool != NULL))
        return;
    fault_arm_threads(1000);
    for (size_t i = 0; i < 100; i++)
        check_pool(pool, 1 + i % 4);
    fault_disarm();
    CHECK_EQ_SIZE(fault_count(), 3);
    thread_pool_free(pool);
    thread_pool_free(NULL);
}

/* A block that others could take meanwhile, if they were admitted. */
static temper_status count_slowly(void *context, size_t block, size_t worker)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    return count_block(context, block, worker);
}

/* Workers have workspaces by their number, so that a loop must have no more of them than it was asked for, also if the
 * pool has started more. */
TEST(a_narrow_loop_of_a_wide_pool_has_few_workers)
{
    struct thread_pool *pool = thread_pool_new(4);
    if (!CHECK(pool != NULL))
        return;
    check_pool(pool, 4);
    for (size_t threads = 2; threads < 4; threads++) {
        struct tally tally = {.threads = threads};
        CHECK(pool_blocks(pool, BLOCKS < 12 ? BLOCKS : 12, threads, count_slowly, &tally) == TEMPER_OK);
        CHECK(atomic_load(&tally.strangers) == 0);
    }
    thread_pool_free(pool);
}

TEST(a_pool_without_threads_works)
{
    struct thread_pool *pool = thread_pool_new(MANY);
    if (!CHECK(pool != NULL))
        return;
    fault_arm_threads(3);
    check_pool(pool, MANY);
    check_pool(pool, MANY);
    fault_disarm();
    CHECK_EQ_SIZE(fault_count(), 3); /* not tried again */
    thread_pool_free(pool);
    fault_arm(1);
    CHECK(thread_pool_new(4) == NULL);
    fault_disarm();
    check_pool(NULL, 3);
}

TEST(a_pool_reports_the_first_failing_block)
{
    struct thread_pool *pool = thread_pool_new(5);
    for (int repeat = 0; pool && repeat < 20; repeat++) {
        struct failing failing = {0};
        CHECK(pool_blocks(pool, BLOCKS, 5, fail_some, &failing) == TEMPER_BAD_DATA);
        for (size_t block = 0; block <= FIRST_BAD; block++)
            CHECK(atomic_load(&failing.done[block]) == 1);
        check_pool(pool, 5); /* a failure does not stay */
    }
    thread_pool_free(pool);
}

struct nested_loops {
    struct thread_pool *pool;
    struct tally inner[8];
};

static temper_status run_nested(void *context, size_t block, size_t worker)
{
    struct nested_loops *nested = context;
    (void)worker;
    nested->inner[block].threads = 3;
    return pool_blocks(nested->pool, BLOCKS, 3, count_block, &nested->inner[block]);
}

TEST(a_loop_within_a_loop_of_the_same_pool_ends)
{
    static struct nested_loops nested;
    nested.pool = thread_pool_new(3);
    CHECK(pool_blocks(nested.pool, 8, 3, run_nested, &nested) == TEMPER_OK);
    for (size_t block = 0; block < 8; block++)
        for (size_t i = 0; i < BLOCKS; i++)
            CHECK(atomic_load(&nested.inner[block].done[i]) == 1);
    thread_pool_free(nested.pool);
}

/* ThreadSanitizer ends a child that starts threads. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WITH_THREAD_SANITIZER
#endif
#elif defined(__SANITIZE_THREAD__)
#define WITH_THREAD_SANITIZER
#endif

/* A child, which has none of the threads, starts its own, and does not wait for the others as it frees the pool. */
TEST(a_child_of_fork_has_threads_of_its_own)
{
#ifdef WITH_THREAD_SANITIZER
    SKIP("ThreadSanitizer has no threads after fork");
#endif
    struct thread_pool *pool = thread_pool_new(3);
    int ended = -1;
    if (!CHECK(pool != NULL))
        return;
    check_pool(pool, 3);
    pid_t child = fork();
    if (child == 0) {
        struct tally tally = {.threads = 3};
        alarm(1200); /* ends a child that waits for ever */
        fault_arm_threads(1000);
        bool fine = pool_blocks(pool, BLOCKS, 3, count_block, &tally) == TEMPER_OK;
        fine = fine && fault_count() == 2; /* those of the parent are not here */
        for (size_t i = 0; i < BLOCKS; i++)
            fine = fine && atomic_load(&tally.done[i]) == 1;
        thread_pool_free(pool);
        _exit(fine ? 0 : 1);
    }
    CHECK(child > 0 && waitpid(child, &ended, 0) == child);
    CHECKF(ended == 0, "the child ended with status %d", ended);
    check_pool(pool, 3);
    thread_pool_free(pool);
}

TEST(the_machine_has_a_thread)
{
    CHECK(thread_count_default() >= 1);
}

/* The size of the stack of the calling thread; 0 if it is not known. */
static size_t own_stack(void)
{
    pthread_attr_t attributes;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return 0;
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
    return size;
}

static void *measure_stack(void *out)
{
    *(size_t *)out = own_stack();
    return NULL;
}

/* The default is 128 KiB in some C libraries, and follows `ulimit -s` in others. */
TEST(the_stack_of_a_thread_does_not_depend_on_the_system)
{
    pthread_attr_t small;
    pthread_t thread;
    size_t size = 0;
    CHECK(pthread_attr_init(&small) == 0 && pthread_attr_setstacksize(&small, 128 << 10) == 0);
    if (pthread_setattr_default_np(&small) != 0)
        SKIP("the default stack cannot be set");
    if (CHECK(thread_start(&thread, measure_stack, &size)))
        pthread_join(thread, NULL);
    CHECKF(size >= (size_t)2 << 20, "%zu", size);
    pthread_attr_destroy(&small);
}

TEST_LIST(LISTED(every_block_is_done_once), LISTED(no_blocks_are_no_work),
          LISTED(any_number_of_threads_gives_the_same_bits), LISTED(the_first_failing_block_wins),
          LISTED(one_thread_stops_at_the_failure), LISTED(without_new_threads_the_caller_does_it),
          LISTED(one_thread_starts_none), LISTED(no_memory_is_a_status), LISTED(a_pool_starts_each_thread_once),
          LISTED(a_narrow_loop_of_a_wide_pool_has_few_workers), LISTED(a_pool_without_threads_works),
          LISTED(a_pool_reports_the_first_failing_block), LISTED(a_loop_within_a_loop_of_the_same_pool_ends),
          LISTED(a_child_of_fork_has_threads_of_its_own), LISTED(the_machine_has_a_thread),
          LISTED(the_stack_of_a_thread_does_not_depend_on_the_system))
