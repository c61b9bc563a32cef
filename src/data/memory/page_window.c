/* pages: a file in chunks: those in use are in a queue, and the oldest leaves when it is full. */
#define _DEFAULT_SOURCE /* madvise */
#include "data/memory/page_window.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/disk_array.h"
#include "base/memory.h"

enum {
    SHIFT = 21,         /* chunks of 2 MiB of the file: systems keep files in pieces of up to that, */
    CHUNK = 1 << SHIFT, /* and map the whole piece where one byte of it is touched */
    AHEAD = 4,          /* chunks that are asked for before they are needed, for each reader */
    SPILL_LEAST = 512 * 1024,
    ASK_BYTES = 512 * 1024, /* at a time: systems cut longer requests to what a disk takes at once */
};

/* Of a chunk. One that was spoken of again while it was in use stays for another round: someone who
 * lags behind may be reading it. */
enum { USED = 1, ASKED = 2, AGAIN = 4 };

struct page_window {
    struct disk_array *spill; /* arrays in temporary files, instead of a mapping: their pages all go */
    size_t most;              /* after so many bytes were read, */
    atomic_size_t read;       /* which are counted here */
    char *mapping;
    size_t length;
    size_t kept; /* bytes before this are never dropped */
    size_t page; /* bytes of the system's pages */
    size_t chunks;
    _Atomic unsigned char *state; /* of each chunk */
    pthread_mutex_t lock;         /* guards the queue */
    size_t *queue;                /* a ring of chunks in use, the oldest first; NULL: no limit */
    size_t room, oldest, count;
    size_t entered; /* since the last sweep */
};

/* ---- Birth ----------------------------------------------------------------------------------- */

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

struct page_window *page_window_of_disk_array(struct disk_array *spill)
{
    struct page_window *pages = mem_zeroed(1, sizeof *pages);
    if (!pages)
        return NULL;
    pages->spill = spill;
    atomic_init(&pages->read, 0);
    if (pthread_mutex_init(&pages->lock, NULL) == 0)
        return pages;
    mem_free(pages);
    return NULL;
}

void page_window_free(struct page_window *pages)
{
    if (!pages)
        return;
    pthread_mutex_destroy(&pages->lock);
    mem_free(pages->state);
    mem_free(pages->queue);
    mem_free(pages);
}

/* ---- Out ------------------------------------------------------------------------------------- */

/* Whole pages only: those at the border of what is kept hold some of it. */
static void drop(const struct page_window *pages, size_t from, size_t to)
{
    size_t least = (pages->kept + pages->page - 1) / pages->page * pages->page;
    from = from > least ? from : least;
    if (from < to)
        (void)madvise(pages->mapping + from, to - from, MADV_DONTNEED);
}

static size_t chunk_end(const struct page_window *pages, size_t chunk)
{
    return chunk + 1 < pages->chunks ? (chunk + 1) << SHIFT : pages->length;
}

/* Each reads a span of each array, which may lie across a border; and one is on its way out. */
size_t page_window_least(const struct matrix *x, size_t threads, size_t block)
{
    size_t arrays = x->kind == MATRIX_CSR ? 3 : 1;
    if (x->pages && x->pages->spill)
        return 2 * threads * arrays * (SPILL_LEAST + block);
    return (threads * arrays * (2 + block / CHUNK) + 1) << SHIFT;
}

bool page_window_limit(struct page_window *pages, size_t bytes)
{
    if (pages->spill) { /* half: labels and weights are not counted, and go too */
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

void page_window_forget(struct page_window *pages)
{
    if (pages->spill) {
        disk_array_drop(pages->spill);
        return;
    }
    for (size_t i = 0; i < pages->chunks; i++)
        atomic_store(&pages->state[i], 0);
    pages->oldest = pages->count = 0;
    drop(pages, 0, pages->length);
}

void page_window_keep(struct page_window *pages, size_t offset)
{
    if (pages->queue)
        drop(pages, 0, offset / pages->page * pages->page);
    pages->kept = offset;
}

/* ---- In -------------------------------------------------------------------------------------- */

/* Drops all that is not in use. A reader that the system has stopped for a while goes on with a
 * chunk that has left meanwhile, and so brings back pages that no one counts. */
static void sweep(const struct page_window *pages)
{
    for (size_t from = 0, to; from < pages->chunks; from = to + 1) {
        for (to = from; to < pages->chunks && !(atomic_load(&pages->state[to]) & USED);)
            to++;
        if (from < to)
            drop(pages, from << SHIFT, chunk_end(pages, to - 1));
    }
}

/* The chunk that leaves for a new one, or `chunks`: none has to. */
static size_t exchange(struct page_window *pages, size_t chunk, bool *turned)
{
    size_t leaves = pages->chunks;
    pthread_mutex_lock(&pages->lock);
    *turned = ++pages->entered >= pages->room;
    if (*turned)
        pages->entered = 0;
    while (pages->count == pages->room) {
        leaves = pages->queue[pages->oldest];
        pages->oldest = (pages->oldest + 1) % pages->room;
        pages->count--;
        if (atomic_fetch_and(&pages->state[leaves], (unsigned char)~AGAIN) & AGAIN)
            pages->queue[(pages->oldest + pages->count++) % pages->room] = leaves;
    }
    pages->queue[(pages->oldest + pages->count++) % pages->room] = chunk;
    pthread_mutex_unlock(&pages->lock);
    return leaves;
}

static void enter(struct page_window *pages, size_t chunk)
{
    if (atomic_fetch_or(&pages->state[chunk], USED) & USED || !pages->queue)
        return;
    bool turned;
    size_t leaves = exchange(pages, chunk, &turned);
    if (leaves == pages->chunks)
        return;
    /* First forgotten, then dropped: who comes to it in between enters it again. */
    atomic_store(&pages->state[leaves], 0);
    if (turned)
        sweep(pages);
    else
        drop(pages, leaves << SHIFT, chunk_end(pages, leaves));
}

/* A chunk that is about to be read. */
static void use(struct page_window *pages, size_t chunk)
{
    unsigned char state = atomic_load_explicit(&pages->state[chunk], memory_order_relaxed);
    if (!(state & USED))
        enter(pages, chunk);
    else if (!(state & AGAIN))
        atomic_fetch_or(&pages->state[chunk], AGAIN);
}

static void ask_system(const struct page_window *pages, size_t from, size_t to)
{
    for (; from < to; from += ASK_BYTES) {
        size_t left = to - from;
        (void)madvise(pages->mapping + from, left < ASK_BYTES ? left : ASK_BYTES, MADV_WILLNEED);
    }
}

static void ask(struct page_window *pages, size_t chunk)
{
    if (!(atomic_fetch_or(&pages->state[chunk], ASKED) & ASKED))
        ask_system(pages, chunk << SHIFT, chunk_end(pages, chunk));
}

static size_t chunk_of(const struct page_window *pages, const void *address)
{
    return (size_t)((const char *)address - pages->mapping) >> SHIFT;
}

/* A copy of some rows may have kept the name of the file that they came from. */
static bool lies_in(const struct page_window *pages, const void *from, size_t length)
{
    if (pages && pages->spill)
        return false;
    uintptr_t offset = pages ? (uintptr_t)from - (uintptr_t)pages->mapping : 0;
    return pages && length && offset < pages->length && length <= pages->length - offset;
}

static void read_spill(struct page_window *pages, size_t length)
{
    if (!pages->most || atomic_fetch_add(&pages->read, length) + length < pages->most)
        return;
    atomic_store(&pages->read, 0);
    disk_array_drop(pages->spill);
}

void page_window_bytes(struct page_window *pages, const void *from, size_t length, const void *end)
{
    if (pages && pages->spill) {
        read_spill(pages, length);
        return;
    }
    if (!lies_in(pages, from, length))
        return;
    const char *behind = (const char *)from + length;
    size_t first = chunk_of(pages, from), last = chunk_of(pages, behind - 1);
    for (size_t chunk = first; chunk <= last; chunk++) {
        if (!(atomic_load_explicit(&pages->state[chunk], memory_order_relaxed) & ASKED))
            ask(pages, chunk);
        use(pages, chunk);
    }
    if (!end || (const char *)end <= behind)
        return;
    size_t farthest = chunk_of(pages, (const char *)end - 1);
    for (size_t chunk = last + 1; chunk <= last + AHEAD && chunk <= farthest; chunk++)
        if (!(atomic_load_explicit(&pages->state[chunk], memory_order_relaxed) & ASKED))
            ask(pages, chunk);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static const uint8_t element_size[] = {[MATRIX_F32] = sizeof(float), [MATRIX_F64] = sizeof(double), [MATRIX_U8] = 1};

/* With what is behind them, or without. Where rows end is read from the matrix itself, so the
 * starts of the rows come first. */
static void speak(const struct matrix *x, uint64_t from, uint64_t count, bool on)
{
    if (x->kind != MATRIX_CSR) {
        size_t row = (size_t)x->columns * element_size[x->kind];
        const char *dense = x->dense;
        page_window_bytes(x->pages, dense + from * row, (size_t)count * row, on ? dense + x->rows * row : NULL);
        return;
    }
    const uint64_t *start = x->row_start;
    page_window_bytes(x->pages, start + from, (size_t)(count + 1) * sizeof *start, on ? start + x->rows + 1 : NULL);
    uint64_t first = start[from], entries = start[from + count] - first;
    page_window_bytes(x->pages, x->column + first, (size_t)entries * sizeof *x->column,
                      on ? x->column + x->nonzeros : NULL);
    page_window_bytes(x->pages, x->value + first, (size_t)entries * sizeof *x->value,
                      on ? x->value + x->nonzeros : NULL);
}

void page_window_rows(const struct matrix *x, uint64_t from, uint64_t count)
{
    if (x->pages && count)
        speak(x, from, count, true);
}

void page_window_row(const struct matrix *x, uint64_t row)
{
    if (x->pages)
        speak(x, row, 1, false);
}

/* ---- Some rows ------------------------------------------------------------------------------- */

/* What is done with bytes that lie in the file: others beside them in their chunks are left out. */
typedef void bytes_fn(struct page_window *pages, size_t from, size_t to);

static void use_bytes(struct page_window *pages, size_t from, size_t to)
{
    for (size_t chunk = from >> SHIFT; chunk <= (to - 1) >> SHIFT; chunk++)
        use(pages, chunk);
}

/* Not if all of the chunk was asked for before, and did not leave since. */
static void ask_bytes(struct page_window *pages, size_t from, size_t to)
{
    size_t first = from >> SHIFT, last = (to - 1) >> SHIFT;
    while (first <= last && atomic_load(&pages->state[first]) & ASKED)
        first++;
    if (first <= last)
        ask_system(pages, from / pages->page * pages->page, to);
}

static void with_bytes(struct page_window *pages, const void *from, size_t length, bytes_fn *what)
{
    if (!lies_in(pages, from, length))
        return;
    size_t offset = (size_t)((const char *)from - pages->mapping);
    what(pages, offset, offset + length);
}

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

void page_window_some(const struct matrix *x, uint64_t from, uint64_t count)
{
    if (x->pages && count && x->pages->spill)
        speak(x, from, count, false);
    else if (x->pages && count)
        with_rows(x, from, count, use_bytes);
}

void page_window_soon(const struct matrix *x, uint64_t from, uint64_t count)
{
    if (x->pages && count && !x->pages->spill)
        with_rows(x, from, count, ask_bytes);
}
