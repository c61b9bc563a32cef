/* page_window: the resident pages of a mapped file, in units of 2 MiB. The units in use form a queue, from which the
 * oldest one is dropped when it is full: the "clock" or second-chance page replacement (Corbato 1968), for a unit that
 * was announced again meanwhile goes round once more. */
#define _DEFAULT_SOURCE /* madvise */
#include "data/memory/page_window.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/disk_array.h"
#include "base/memory.h"

enum {
    SHIFT = 21,         /* units of 2 MiB: systems cache files in folios of up to that size, */
    CHUNK = 1 << SHIFT, /* and map a whole one when a byte of it is touched */
    AHEAD = 4,          /* units that are prefetched for each reader */
    DISK_LEAST = 512 * 1024,
    PREFETCH_BYTES = 512 * 1024, /* for each call: systems truncate longer requests to what a disk reads at once */
};

/* State of a unit. One that was announced again while in use stays for another round: a slower thread may be reading
 * it. */
enum { USED = 1, PREFETCHED = 2, AGAIN = 4 };

struct page_window {
    struct disk_array *disk; /* temporary files instead of a mapping: all their pages are dropped */
    size_t most;             /* after so many bytes, */
    atomic_size_t read;      /* which are counted here */
    char *mapping;
    size_t length;
    size_t kept; /* bytes before this offset are never dropped */
    size_t page; /* page size of the system */
    size_t chunks;
    _Atomic unsigned char *state; /* of each chunk */
    pthread_mutex_t lock;         /* guards the queue */
    size_t *queue;                /* a ring of units in use, oldest first; NULL: no limit */
    size_t room, oldest, count;
    size_t entered; /* units entered since the last sweep */
};

/* ---- Creation -------------------------------------------------------------------------------- */

/* Watches a mapping of `length` bytes, which it does not own; one state byte for each unit. NULL without memory or for
 * an empty mapping. */
struct page_window *page_window_new(void *mapping, size_t length)
{
    struct page_window *pages = length ? mem_zeroed(1, sizeof *pages) : NULL;
    long page = sysconf(_SC_PAGESIZE);
    if (!pages)
        return NULL;
    pages->mapping = mapping;
    pages->length = length;
    pages->page = page > 0 ? (size_t)page : 4096;
    pages->chunks = ((length - 1) >> SHIFT) + 1;
    pages->state = mem_alloc(pages->chunks, sizeof *pages->state);
    for (size_t i = 0; pages->state && i < pages->chunks; i++)
        atomic_init(&pages->state[i], 0);
    if (!pages->state || pthread_mutex_init(&pages->lock, NULL) != 0) {
        mem_free(pages->state);
        mem_free(pages);
        return NULL;
    }
    return pages;
}

/* For arrays in temporary files (a transposed copy under a memory limit), of which only the bytes read are counted. */
struct page_window *page_window_of_disk_array(struct disk_array *disk)
{
    struct page_window *pages = mem_zeroed(1, sizeof *pages);
    if (!pages)
        return NULL;
    pages->disk = disk;
    atomic_init(&pages->read, 0);
    if (pthread_mutex_init(&pages->lock, NULL) == 0)
        return pages;
    mem_free(pages);
    return NULL;
}

/* The mapping itself is unmapped by its owner. */
void page_window_free(struct page_window *pages)
{
    if (!pages)
        return;
    pthread_mutex_destroy(&pages->lock);
    mem_free(pages->state);
    mem_free(pages->queue);
    mem_free(pages);
}

/* ---- Dropping -------------------------------------------------------------------------------- */

/* Drops the whole pages of [from, to) behind the kept bytes. The mapping is read-only, so MADV_DONTNEED loses nothing:
 * a later read fetches the page again. Failure only costs memory. */
static void drop(const struct page_window *pages, size_t from, size_t to)
{
    size_t least = (pages->kept + pages->page - 1) / pages->page * pages->page;
    from = from > least ? from : least;
    if (from < to)
        (void)madvise(pages->mapping + from, to - from, MADV_DONTNEED);
}

/* The end of a unit; the last one may be shorter. */
static size_t chunk_end(const struct page_window *pages, size_t chunk)
{
    return chunk + 1 < pages->chunks ? (chunk + 1) << SHIFT : pages->length;
}

/* The least limit that avoids thrashing: each thread reads a span of each array, which may touch one unit more, and
 * one unit is being dropped. */
size_t page_window_least(const struct matrix *x, size_t threads, size_t block)
{
    size_t arrays = x->kind == MATRIX_CSR ? 3 : 1;
    if (x->pages && x->pages->disk)
        return 2 * threads * arrays * (DISK_LEAST + block);
    return (threads * arrays * (2 + block / CHUNK) + 1) << SHIFT;
}

/* Sets the limit in bytes; 0 removes it. A limit that holds the whole file needs no queue. false without memory, with
 * the old limit still in force. No thread may read meanwhile. */
bool page_window_limit(struct page_window *pages, size_t bytes)
{
    if (pages->disk) { /* half: labels and weights are dropped too, but not counted */
        pages->most = bytes / 2;
        page_window_forget(pages);
        return true;
    }
    bool whole = bytes == 0 || bytes >> SHIFT >= pages->chunks;
    size_t room = bytes >> SHIFT ? bytes >> SHIFT : 1;
    size_t *queue = whole ? NULL : mem_alloc(room, sizeof *queue);
    if (!whole && !queue)
        return false;
    mem_free(pages->queue);
    pages->queue = queue;
    pages->room = room;
    page_window_forget(pages);
    return true;
}

/* Drops everything, as at the start: units must not be marked as used that are no longer in the queue. */
void page_window_forget(struct page_window *pages)
{
    if (pages->disk) {
        disk_array_drop(pages->disk);
        return;
    }
    for (size_t i = 0; i < pages->chunks; i++)
        atomic_store(&pages->state[i], 0);
    pages->oldest = pages->count = 0;
    drop(pages, 0, pages->length);
}

/* Bytes before `offset` (labels, weights) are read in every pass and therefore never dropped from now on. */
void page_window_keep(struct page_window *pages, size_t offset)
{
    if (pages->queue)
        drop(pages, 0, offset / pages->page * pages->page);
    pages->kept = offset;
}

/* ---- Entering -------------------------------------------------------------------------------- */

/* Drops all units that are not in use. It is needed because a thread that was preempted may continue to read a unit
 * that was dropped meanwhile, and so make pages resident that no queue entry accounts for. */
static void sweep(const struct page_window *pages)
{
    for (size_t from = 0, to; from < pages->chunks; from = to + 1) {
        for (to = from; to < pages->chunks && !(atomic_load(&pages->state[to]) & USED);)
            to++;
        if (from < to)
            drop(pages, from << SHIFT, chunk_end(pages, to - 1));
    }
}

/* Enters a unit into the queue. Returns the unit that is dropped for it, or `chunks`: none has to be. *wrapped: as many
 * units as the queue holds have entered since the last sweep. */
static size_t exchange(struct page_window *pages, size_t chunk, bool *wrapped)
{
    size_t leaves = pages->chunks;
    /* The lock is taken once for each unit of 2 MiB, so contention is negligible. */
    pthread_mutex_lock(&pages->lock);
    *wrapped = ++pages->entered >= pages->room;
    if (*wrapped)
        pages->entered = 0;
    while (pages->count == pages->room) {
        leaves = pages->queue[pages->oldest];
        pages->oldest = (pages->oldest + 1) % pages->room;
        pages->count--;
        /* Second chance: a unit that was announced again is re-entered at the end of the queue. AGAIN is cleared, so
         * the loop ends. */
        if (atomic_fetch_and(&pages->state[leaves], (unsigned char)~AGAIN) & AGAIN)
            pages->queue[(pages->oldest + pages->count++) % pages->room] = leaves;
    }
    pages->queue[(pages->oldest + pages->count++) % pages->room] = chunk;
    pthread_mutex_unlock(&pages->lock);
    return leaves;
}

/* Of the threads that announce a unit, only the one that sets USED puts it into the queue. Without a limit, nothing
 * else happens. */
static void enter(struct page_window *pages, size_t chunk)
{
    if (atomic_fetch_or(&pages->state[chunk], USED) & USED || !pages->queue)
        return;
    bool wrapped;
    size_t leaves = exchange(pages, chunk, &wrapped);
    if (leaves == pages->chunks)
        return;
    /* First marked unused, then dropped: a thread that announces it in between enters it again. */
    atomic_store(&pages->state[leaves], 0);
    if (wrapped)
        sweep(pages);
    else
        drop(pages, leaves << SHIFT, chunk_end(pages, leaves));
}

/* Announces a unit that is about to be read. The common case, a unit in use and announced before, costs one relaxed
 * load. */
static void use(struct page_window *pages, size_t chunk)
{
    unsigned char state = atomic_load_explicit(&pages->state[chunk], memory_order_relaxed);
    if (!(state & USED))
        enter(pages, chunk);
    else if (!(state & AGAIN))
        atomic_fetch_or(&pages->state[chunk], AGAIN);
}

/* In requests of PREFETCH_BYTES; errors are ignored, since prefetching is a hint. */
static void prefetch_bytes(const struct page_window *pages, size_t from, size_t to)
{
    for (; from < to; from += PREFETCH_BYTES) {
        size_t left = to - from;
        (void)madvise(pages->mapping + from, left < PREFETCH_BYTES ? left : PREFETCH_BYTES, MADV_WILLNEED);
    }
}

/* Requests a unit at most once until it is dropped: the flag is cleared with the rest of its state. */
static void prefetch(struct page_window *pages, size_t chunk)
{
    if (!(atomic_fetch_or(&pages->state[chunk], PREFETCHED) & PREFETCHED))
        prefetch_bytes(pages, chunk << SHIFT, chunk_end(pages, chunk));
}

/* The unit of an address within the mapping. */
static size_t chunk_of(const struct page_window *pages, const void *address)
{
    return (size_t)((const char *)address - pages->mapping) >> SHIFT;
}

/* Whether the bytes are in the mapping: a matrix may have copied some of its arrays. */
static bool is_inside(const struct page_window *pages, const void *from, size_t length)
{
    if (pages && pages->disk)
        return false;
    uintptr_t offset = pages ? (uintptr_t)from - (uintptr_t)pages->mapping : 0;
    return pages && length && offset < pages->length && length <= pages->length - offset;
}

/* Counts bytes read from temporary files and drops all their pages at the limit. The count is approximate where
 * threads reset it at the same time. */
static void read_disk(struct page_window *pages, size_t length)
{
    if (!pages->most || atomic_fetch_add(&pages->read, length) + length < pages->most)
        return;
    atomic_store(&pages->read, 0);
    disk_array_drop(pages->disk);
}

/* Announces that `length` bytes from `from` on are about to be read. Their units are entered, and AHEAD more before
 * `end` are prefetched: reads are sequential within a part. */
void page_window_bytes(struct page_window *pages, const void *from, size_t length, const void *end)
{
    if (pages && pages->disk) {
        read_disk(pages, length);
        return;
    }
    if (!is_inside(pages, from, length))
        return;
    const char *behind = (const char *)from + length;
    size_t first = chunk_of(pages, from), last = chunk_of(pages, behind - 1);
    for (size_t chunk = first; chunk <= last; chunk++) {
        if (!(atomic_load_explicit(&pages->state[chunk], memory_order_relaxed) & PREFETCHED))
            prefetch(pages, chunk);
        use(pages, chunk);
    }
    if (!end || (const char *)end <= behind)
        return;
    size_t farthest = chunk_of(pages, (const char *)end - 1);
    for (size_t chunk = last + 1; chunk <= last + AHEAD && chunk <= farthest; chunk++)
        if (!(atomic_load_explicit(&pages->state[chunk], memory_order_relaxed) & PREFETCHED))
            prefetch(pages, chunk);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static const uint8_t element_size[] = {[MATRIX_F32] = sizeof(float), [MATRIX_F64] = sizeof(double), [MATRIX_U8] = 1};

/* Announces the arrays of some rows, and with `more` those behind them. row_start comes first, since it is read here
 * to find the entries. */
void page_window_announce(const struct matrix *x, uint64_t from, uint64_t count, bool more)
{
    if (x->kind != MATRIX_CSR) {
        size_t row = (size_t)x->columns * element_size[x->kind];
        const char *dense = x->dense;
        page_window_bytes(x->pages, dense + from * row, (size_t)count * row, more ? dense + x->rows * row : NULL);
        return;
    }
    const uint64_t *start = x->row_start;
    page_window_bytes(x->pages, start + from, (size_t)(count + 1) * sizeof *start, more ? start + x->rows + 1 : NULL);
    uint64_t first = start[from], entries = start[from + count] - first;
    page_window_bytes(x->pages, x->column + first, (size_t)entries * sizeof *x->column,
                      more ? x->column + x->nonzeros : NULL);
    page_window_bytes(x->pages, x->value + first, (size_t)entries * sizeof *x->value,
                      more ? x->value + x->nonzeros : NULL);
}

/* ---- Selected rows --------------------------------------------------------------------------- */

/* An operation on bytes [from, to) of the mapping. Selected rows are scattered, so that prefetching whole units would
 * read far more than is used. */
typedef void bytes_fn(struct page_window *pages, size_t from, size_t to);

/* Enters the units of a range without prefetching. */
static void use_bytes(struct page_window *pages, size_t from, size_t to)
{
    for (size_t chunk = from >> SHIFT; chunk <= (to - 1) >> SHIFT; chunk++)
        use(pages, chunk);
}

/* Skips units that were prefetched and not dropped since; the rest is requested from the first page on. */
static void prefetch_range(struct page_window *pages, size_t from, size_t to)
{
    size_t first = from >> SHIFT, last = (to - 1) >> SHIFT;
    while (first <= last && atomic_load(&pages->state[first]) & PREFETCHED)
        first++;
    if (first <= last)
        prefetch_bytes(pages, from / pages->page * pages->page, to);
}

/* Applies an operation to an array; arrays outside of the mapping (copies in memory) need none. */
static void with_bytes(struct page_window *pages, const void *from, size_t length, bytes_fn *what)
{
    if (!is_inside(pages, from, length))
        return;
    size_t offset = (size_t)((const char *)from - pages->mapping);
    what(pages, offset, offset + length);
}

/* Applies an operation to all arrays of some rows. */
static void with_rows(const struct matrix *x, uint64_t from, uint64_t count, bytes_fn *what)
{
    if (x->kind != MATRIX_CSR) {
        size_t row = (size_t)x->columns * element_size[x->kind];
        with_bytes(x->pages, (const char *)x->dense + from * row, (size_t)count * row, what);
        return;
    }
    const uint64_t *start = x->row_start;
    with_bytes(x->pages, start + from, (size_t)(count + 1) * sizeof *start, what);
    uint64_t first = start[from], entries = start[from + count] - first;
    with_bytes(x->pages, x->column + first, (size_t)entries * sizeof *x->column, what);
    with_bytes(x->pages, x->value + first, (size_t)entries * sizeof *x->value, what);
}

/* Announces selected rows, which page_window_prefetch has requested before. */
void page_window_use(const struct matrix *x, uint64_t from, uint64_t count)
{
    if (x->pages->disk)
        page_window_announce(x, from, count, false);
    else
        with_rows(x, from, count, use_bytes);
}

/* Requests selected rows ahead of time; a hint, which temporary files do without. */
void page_window_prefetch(const struct matrix *x, uint64_t from, uint64_t count)
{
    if (!x->pages->disk)
        with_rows(x, from, count, prefetch_range);
}
