/* fault: stands between the tested code and the C library (see the linker's --wrap). */
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is counted now; the wrappers run on any thread. */
enum armed { NOTHING, ALLOCATIONS, THREADS, FILES, READS, SHORT_READS, WRITES };

static atomic_int armed;
static atomic_size_t seen;   /* calls of the armed kind */
static atomic_size_t target; /* the first that fails */
static atomic_bool fired;

static void arm(enum armed what, size_t n)
{
    atomic_store(&armed, NOTHING);
    atomic_store(&seen, 0);
    atomic_store(&target, n);
    atomic_store(&fired, false);
    atomic_store(&armed, (int)what);
}

void fault_arm(size_t n)
{
    arm(ALLOCATIONS, n);
}

void fault_arm_threads(size_t n)
{
    arm(THREADS, n);
}

void fault_arm_files(size_t n)
{
    arm(FILES, n);
}

void fault_arm_reads(size_t n)
{
    arm(READS, n);
}

void fault_hamper_reads(void)
{
    arm(SHORT_READS, 1);
}

void fault_hamper_writes(void)
{
    arm(WRITES, 1);
}

void fault_disarm(void)
{
    atomic_store(&armed, NOTHING);
}

bool fault_fired(void)
{
    return atomic_load(&fired);
}

size_t fault_count(void)
{
    return atomic_load(&seen);
}

/* Counts a call; true if it should fail. */
static bool should_fail(enum armed what)
{
    if (atomic_load(&armed) != (int)what)
        return false;
    size_t n = atomic_fetch_add(&seen, 1) + 1, first = atomic_load(&target);
    bool from_then_on = what == THREADS || what == WRITES || what == SHORT_READS;
    bool fails = from_then_on ? n >= first : n == first;
    if (fails)
        atomic_store(&fired, true);
    return fails;
}

static bool no_memory(void)
{
    bool fails = should_fail(ALLOCATIONS);
    if (fails)
        errno = ENOMEM;
    return fails;
}

static bool no_input_output(void)
{
    bool fails = should_fail(FILES);
    if (fails)
        errno = EIO;
    return fails;
}

/* ---- The names that --wrap gives ------------------------------------------------------------- */

#define WRAPPED(type, name, ...)                                                                   \
    type __real_##name(__VA_ARGS__);                                                               \
    type __wrap_##name(__VA_ARGS__);                                                               \
    type __wrap_##name(__VA_ARGS__)

WRAPPED(void *, malloc, size_t size)
{
    return no_memory() ? NULL : __real_malloc(size);
}

WRAPPED(void *, calloc, size_t count, size_t size)
{
    return no_memory() ? NULL : __real_calloc(count, size);
}

WRAPPED(void *, realloc, void *block, size_t size)
{
    return no_memory() ? NULL : __real_realloc(block, size);
}

WRAPPED(void *, aligned_alloc, size_t alignment, size_t size)
{
    return no_memory() ? NULL : __real_aligned_alloc(alignment, size);
}

WRAPPED(int, pthread_create, pthread_t *thread, const pthread_attr_t *attributes,
        void *(*start)(void *), void *argument)
{
    return should_fail(THREADS) ? EAGAIN
                                : __real_pthread_create(thread, attributes, start, argument);
}

WRAPPED(int, open, const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    return no_input_output() ? -1 : __real_open(path, flags, mode);
}

/* Of a hampered call: true if it is interrupted, else it gets a single byte. */
static bool hampered(enum armed what, size_t *length)
{
    if (!should_fail(what))
        return false;
    if (fault_count() % 2 == 1) {
        errno = EINTR;
        return true;
    }
    *length = *length > 1 ? 1 : *length;
    return false;
}

WRAPPED(ssize_t, write, int file, const void *bytes, size_t length)
{
    if (no_input_output() || hampered(WRITES, &length))
        return -1;
    return __real_write(file, bytes, length);
}

WRAPPED(ssize_t, read, int file, void *bytes, size_t length)
{
    if (should_fail(READS)) {
        errno = EIO;
        return -1;
    }
    return hampered(SHORT_READS, &length) ? -1 : __real_read(file, bytes, length);
}

WRAPPED(int, fchmod, int file, mode_t mode)
{
    return no_input_output() ? -1 : __real_fchmod(file, mode);
}

WRAPPED(int, fsync, int file)
{
    return no_input_output() ? -1 : __real_fsync(file);
}

/* A failing close closes all the same. */
WRAPPED(int, close, int file)
{
    bool fails = no_input_output();
    int result = __real_close(file);
    if (fails)
        errno = EIO;
    return fails ? -1 : result;
}

WRAPPED(int, rename, const char *from, const char *to)
{
    return no_input_output() ? -1 : __real_rename(from, to);
}

WRAPPED(int, link, const char *from, const char *to)
{
    return no_input_output() ? -1 : __real_link(from, to);
}
