/* text_chunks: a reader fills slots with chunks, the caller takes them; slots circulate between the two. For a plain
 * file the caller is the reader. Also the search for line boundaries and advice about memory, which parsers share.
 *
 * A chunk ends at the last line end that it contains; the incomplete line behind it is carried to the next chunk. In
 * CSV a newline within quotes ends no line: the parity of all quotes since the beginning determines whether a position
 * is within quotes, and is computed eight bytes at a time. One lock protects the lists of slots; it is free while a
 * slot is being filled. */
#define _GNU_SOURCE /* madvise: POSIX has no such advice */
#include "data/read/text_chunks.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/thread.h"

/* Sizes in bytes, unless noted. */
enum {
    CHUNK_SIZE = 1 << 18,   /* large enough to be worth a lock, small enough for a cache */
    FIRST_SIZE = 1 << 20,   /* of a table's first chunk, from which the kinds of its columns are inferred */
    SLOTS_AT_FIRST = 4,     /* more are made only if the caller holds all of them and needs another */
    LONGEST_LINE = 1 << 28, /* an archive of zeros is one endless line, and memory is finite */
    CARRY_SIZE = 4096,      /* for the start of the first incomplete line; grows */
    HUGE_PAGE = 1 << 21
};

/* A chunk and its memory. At any time a slot is in the free list, in the ready queue, with the reader or with the
 * caller. */
struct chunk_slot {
    struct text_chunk chunk;  /* first member: text_chunks_give_back receives its address */
    size_t capacity;          /* of chunk.bytes, without the zeros after it */
    struct chunk_slot *next;  /* in the list that it is in; none while the caller holds it */
    struct chunk_slot *older; /* in the list of all slots */
};

/* The text, its slots and the thread that fills them. The mutex protects what the reader and its callers share. */
struct text_chunks {
    struct source *source;
    bool quoted;
    size_t batch_bytes; /* 0: no limit */

    /* Only used by the reader, whichever thread that is. */
    char *carry; /* the beginning of a line whose end was not read yet */
    size_t carried, carry_capacity;
    bool odd; /* the number of quotes so far is odd: the carry ends within quotes */
    size_t next_number;

    pthread_t thread;
    bool threaded; /* false: the caller reads */
    pthread_mutex_t lock;
    pthread_cond_t changed;  /* signals a change of any member below */
    struct chunk_slot *made; /* all slots */
    struct chunk_slot *free;
    struct chunk_slot *ready, *newest; /* oldest first */
    size_t waiting;                    /* callers that wait for a chunk */
    bool finished;                     /* the reader will make no more chunks */
    bool stop;                         /* the caller wants no more */
    size_t taken, quota;               /* bytes of the present batch, and where it ends */
    temper_error failure;              /* why the reader finished, if not at the end */

    struct text_chunk end;       /* returned at the end of the text */
    struct text_chunk batch_end; /* returned at the end of a batch */
    char end_bytes[CHUNK_ZEROS];
};

/* ---- Slots ----------------------------------------------------------------------------------- */

/* Allocates an empty slot and adds it to the list of all slots. Called with the lock held, or before there is a thread.
 * */
static struct chunk_slot *slot_new(struct text_chunks *chunks)
{
    struct chunk_slot *slot = mem_zeroed(1, sizeof *slot);
    char *bytes = mem_alloc(CHUNK_SIZE + CHUNK_ZEROS, 1);
    if (!slot || !bytes) {
        mem_free(slot);
        mem_free(bytes);
        return NULL;
    }
    *slot = (struct chunk_slot){.chunk.bytes = bytes, .capacity = CHUNK_SIZE, .older = chunks->made};
    chunks->made = slot;
    return slot;
}

/* Frees all slots, whichever list they are in. */
static void slots_free(struct chunk_slot *slot)
{
    while (slot) {
        struct chunk_slot *older = slot->older;
        mem_free(slot->chunk.bytes);
        mem_free(slot);
        slot = older;
    }
}

/* There are two lists: free slots, a stack, since the last one used is still in the cache; and ready slots, a queue
 * that slot_publish appends to. */
static struct chunk_slot *pop(struct chunk_slot **list)
{
    struct chunk_slot *slot = *list;
    if (slot)
        *list = slot->next;
    return slot;
}

static void push(struct chunk_slot **list, struct chunk_slot *slot)
{
    slot->next = *list;
    *list = slot;
}

/* Enlarges a slot to `size` bytes: more than CHUNK_SIZE for the first chunk and for a very long line. A line beyond
 * LONGEST_LINE is refused, since an unclosed quote would otherwise read the whole file into memory. */
static temper_status slot_reserve(struct chunk_slot *slot, size_t size, const struct source *source,
                                  temper_error *error)
{
    if (size <= slot->capacity)
        return TEMPER_OK;
    if (size > LONGEST_LINE)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: has a line of more than %d MiB; end lines by \\n, and close quotes", source_name(source),
                         LONGEST_LINE >> 20);
    char *bytes = mem_resize(slot->chunk.bytes, size + CHUNK_ZEROS, 1);
    if (!bytes)
        return error_no_memory(error);
    slot->chunk.bytes = bytes;
    slot->capacity = size;
    return TEMPER_OK;
}

/* ---- Filling a slot: on the reader's thread, without the lock -------------------------------- */

/* Makes room for `length` bytes of carry, the incomplete line at the end of a chunk. */
static bool carry_reserve(struct text_chunks *chunks, size_t length)
{
    if (length <= chunks->carry_capacity)
        return true;
    size_t capacity = length < CARRY_SIZE ? CARRY_SIZE : length;
    char *carry = mem_resize(chunks->carry, capacity, 1);
    if (!carry)
        return false;
    chunks->carry = carry;
    chunks->carry_capacity = capacity;
    return true;
}

/* Ends the chunk at offset `end`. The bytes after it, the start of an incomplete line, are carried to the next chunk,
 * and CHUNK_ZEROS zero bytes take their place for parsers that load whole words. */
static temper_status slot_end(struct text_chunks *chunks, struct chunk_slot *slot, size_t filled, size_t end)
{
    if (!carry_reserve(chunks, filled - end))
        return error_no_memory(&chunks->failure);
    if (filled > end)
        memcpy(chunks->carry, slot->chunk.bytes + end, filled - end);
    chunks->carried = filled - end;
    memset(slot->chunk.bytes + end, 0, CHUNK_ZEROS);
    slot->chunk.length = end;
    slot->chunk.number = chunks->next_number;
    chunks->next_number += end > 0; /* an empty chunk is not handed out */
    return TEMPER_OK;
}

/* Reads until the slot has `size` bytes, and searches the new ones for the last line end; *end = 0 if there is none.
 * With quotes, the parity of all quotes so far determines whether the last byte is within quotes. */
static temper_status slot_read(struct text_chunks *chunks, struct chunk_slot *slot, size_t size, size_t *filled,
                               size_t *end)
{
    char *bytes = slot->chunk.bytes;
    size_t from = *filled, wanted = size - from, got;
    TRY(source_read(chunks->source, bytes + from, wanted, &got, &chunks->failure));
    *filled += got;
    slot->chunk.last = got < wanted;
    if (chunks->quoted) {
        chunks->odd ^= odd_quotes(bytes + from, got);
        *end = last_line_end(bytes, from, *filled, chunks->odd);
    } else {
        *end = last_newline(bytes, from, *filled);
    }
    if (slot->chunk.last) /* the last line of a file may have no newline */
        *end = *filled;
    return TEMPER_OK;
}

/* Fills the slot with the next chunk: the carry, then new bytes up to the last line end. It grows until it contains at
 * least one line end or the text ends. The length is 0 if nothing is left. */
static temper_status slot_fill(struct text_chunks *chunks, struct chunk_slot *slot)
{
    size_t filled = chunks->carried, end = 0;
    size_t size = chunks->quoted && chunks->next_number == 0 ? FIRST_SIZE : CHUNK_SIZE;
    if (chunks->batch_bytes && size > chunks->batch_bytes)
        size = chunks->batch_bytes;
    while (size <= filled)
        size *= 2;
    TRY(slot_reserve(slot, size, chunks->source, &chunks->failure));
    if (filled > 0)
        memcpy(slot->chunk.bytes, chunks->carry, filled);
    slot->chunk.last = false;
    while (end == 0 && !slot->chunk.last) {
        if (filled == size) { /* all of it one line */
            size *= 2;
            TRY(slot_reserve(slot, size, chunks->source, &chunks->failure));
        }
        TRY(slot_read(chunks, slot, size, &filled, &end));
    }
    return slot_end(chunks, slot, filled, end);
}

/* ---- The reader ------------------------------------------------------------------------------ */

/* Waits for a slot to fill; NULL if the caller wants no more chunks or there is no memory. A new slot is made only if a
 * caller waits and no chunk is ready: then the callers hold all slots, and waiting for one would deadlock. Called with
 * the lock held. */
static struct chunk_slot *slot_wait(struct text_chunks *chunks)
{
    while (!chunks->stop && !chunks->free && !(chunks->waiting && !chunks->ready))
        pthread_cond_wait(&chunks->changed, &chunks->lock);
    if (chunks->stop)
        return NULL;
    if (chunks->free)
        return pop(&chunks->free);
    struct chunk_slot *slot = slot_new(chunks); /* the caller holds all others */
    if (!slot)
        error_no_memory(&chunks->failure);
    return slot;
}

/* Appends a filled slot to the ready queue; an empty or failed one becomes free again. Called with the lock held. */
static void slot_publish(struct text_chunks *chunks, struct chunk_slot *slot, temper_status status)
{
    chunks->finished = status != TEMPER_OK || slot->chunk.last;
    if (status != TEMPER_OK || slot->chunk.length == 0) {
        push(&chunks->free, slot);
        return;
    }
    slot->next = NULL;
    if (chunks->ready)
        chunks->newest->next = slot;
    else
        chunks->ready = slot;
    chunks->newest = slot;
}

/* The main function of the reader's thread. It holds the lock except while it fills a slot, so that callers can take
 * chunks meanwhile. */
static void *reader_thread(void *argument)
{
    struct text_chunks *chunks = argument;
    pthread_mutex_lock(&chunks->lock);
    while (!chunks->finished) {
        struct chunk_slot *slot = slot_wait(chunks);
        if (slot) {
            pthread_mutex_unlock(&chunks->lock);
            temper_status status = slot_fill(chunks, slot);
            pthread_mutex_lock(&chunks->lock);
            slot_publish(chunks, slot, status);
        } else {
            chunks->finished = true;
        }
        pthread_cond_broadcast(&chunks->changed);
    }
    pthread_mutex_unlock(&chunks->lock);
    return NULL;
}

/* ---- The caller ------------------------------------------------------------------------------ */

/* Slots that were made before a failure are freed by text_chunks_close. */
static bool add_slots(struct text_chunks *chunks)
{
    for (int i = 0; i < SLOTS_AT_FIRST; i++) {
        struct chunk_slot *slot = slot_new(chunks);
        if (!slot)
            return false;
        push(&chunks->free, slot);
    }
    return true;
}

/* Allocates everything but the slots; NULL if memory or a lock cannot be had. */
static struct text_chunks *chunks_new(struct source *source, bool quoted)
{
    struct text_chunks *chunks = mem_zeroed(1, sizeof *chunks);
    if (!chunks)
        return NULL;
    if (pthread_mutex_init(&chunks->lock, NULL) != 0) {
        mem_free(chunks);
        return NULL;
    }
    if (pthread_cond_init(&chunks->changed, NULL) != 0) {
        pthread_mutex_destroy(&chunks->lock);
        mem_free(chunks);
        return NULL;
    }
    chunks->source = source;
    chunks->quoted = quoted;
    chunks->quota = SIZE_MAX;
    chunks->batch_end = (struct text_chunk){.bytes = chunks->end_bytes};
    return chunks;
}

/* Opens the text. The reader's thread, if there is one, begins to read at once. */
temper_status text_chunks_open(struct source *source, bool quoted, size_t batch_bytes, struct text_chunks **out,
                               temper_error *error)
{
    struct text_chunks *chunks = chunks_new(source, quoted);
    if (!chunks || !add_slots(chunks)) {
        if (!chunks)
            source_close(source);
        text_chunks_close(chunks);
        return error_no_memory(error);
    }
    chunks->batch_bytes = batch_bytes;
    /* Copying a plain file from the page cache is faster than waking another thread for it. And if the system has no
     * thread left, text_chunks_next reads: slower, but no failure. */
    bool plain = source_file_size(source) > 0 && !source_compression(source);
    chunks->threaded = !plain && thread_start(&chunks->thread, reader_thread, chunks);
    *out = chunks;
    return TEMPER_OK;
}

/* Chunks that the reader has prepared already stay ready. */
void text_chunks_start_batch(struct text_chunks *chunks)
{
    pthread_mutex_lock(&chunks->lock);
    chunks->taken = 0;
    chunks->quota = chunks->batch_bytes ? chunks->batch_bytes : SIZE_MAX;
    pthread_mutex_unlock(&chunks->lock);
}

/* Without a thread: one step of the reader, under the lock. Other callers wait for the lock meanwhile, which keeps the
 * chunks in order. */
static void read_here(struct text_chunks *chunks)
{
    if (chunks->finished)
        return;
    struct chunk_slot *slot = slot_wait(chunks); /* returns at once: the caller counts as waiting */
    if (slot)
        slot_publish(chunks, slot, slot_fill(chunks, slot));
    else
        chunks->finished = true;
}

/* Takes the oldest filled slot, and waits for it if necessary; NULL if there will be none. Called with the lock held.
 * */
static struct chunk_slot *take_ready(struct text_chunks *chunks)
{
    chunks->waiting++;
    if (!chunks->threaded && !chunks->ready)
        read_here(chunks);
    else
        pthread_cond_broadcast(&chunks->changed); /* the reader may wait until a caller waits */
    while (!chunks->ready && !chunks->finished)
        pthread_cond_wait(&chunks->changed, &chunks->lock);
    chunks->waiting--;
    return pop(&chunks->ready);
}

/* Returns the end of the text, or the failure that ended it; may be called any number of times, by several threads.
 * Called with the lock held. */
static temper_status return_end(struct text_chunks *chunks, struct text_chunk **chunk, temper_error *error)
{
    if (chunks->failure.status != TEMPER_OK) {
        if (error)
            *error = chunks->failure;
        return chunks->failure.status;
    }
    if (!chunks->end.last) /* written once: other threads may already read it */
        chunks->end = (struct text_chunk){.bytes = chunks->end_bytes, .number = chunks->next_number, .last = true};
    *chunk = &chunks->end;
    return TEMPER_OK;
}

/* The bytes of a batch are counted under the lock, so that threads agree on where it ends. A batch ends with the chunk
 * that reaches its quota, whichever thread takes it. */
temper_status text_chunks_next(struct text_chunks *chunks, struct text_chunk **chunk, temper_error *error)
{
    temper_status status = TEMPER_OK;
    pthread_mutex_lock(&chunks->lock);
    bool batch_ended = chunks->taken >= chunks->quota;
    struct chunk_slot *slot = batch_ended ? NULL : take_ready(chunks);
    if (slot) {
        *chunk = &slot->chunk;
        chunks->taken += slot->chunk.length;
    } else if (batch_ended) {
        *chunk = &chunks->batch_end;
    } else {
        status = return_end(chunks, chunk, error);
    }
    pthread_mutex_unlock(&chunks->lock);
    return status;
}

/* Makes the slot of a chunk free again. Chunks may be given back in any order; the markers of an end have no slot. */
void text_chunks_give_back(struct text_chunks *chunks, struct text_chunk *chunk)
{
    if (!chunk || chunk == &chunks->end || chunk == &chunks->batch_end)
        return;
    pthread_mutex_lock(&chunks->lock);
    push(&chunks->free, (struct chunk_slot *)chunk);
    pthread_cond_broadcast(&chunks->changed);
    pthread_mutex_unlock(&chunks->lock);
}

/* Puts a chunk at the head of the ready queue, so that it is the next one, and no longer counts it in the batch. */
void text_chunks_unread(struct text_chunks *chunks, struct text_chunk *chunk)
{
    struct chunk_slot *slot = (struct chunk_slot *)chunk;
    pthread_mutex_lock(&chunks->lock);
    if (!chunks->ready)
        chunks->newest = slot;
    push(&chunks->ready, slot);
    chunks->taken -= chunk->length < chunks->taken ? chunk->length : chunks->taken;
    pthread_mutex_unlock(&chunks->lock);
}

/* Passes over a batch without parsing it. Its lines are counted, so that errors of later batches have the right line
 * numbers. */
temper_status text_chunks_skip_batch(struct text_chunks *chunks, uint64_t *lines, bool *some, temper_error *error)
{
    struct text_chunk *chunk;
    *some = false;
    text_chunks_start_batch(chunks);
    for (;;) {
        TRY(text_chunks_next(chunks, &chunk, error));
        if (chunk->length == 0)
            return TEMPER_OK;
        *some = true;
        *lines += count_lines(chunk->bytes, chunk->length);
        text_chunks_give_back(chunks, chunk);
    }
}

/* Ends the reader's thread, whether it waits for a slot, waits for bytes, or fills a slot. */
static void reader_join(struct text_chunks *chunks)
{
    pthread_mutex_lock(&chunks->lock);
    chunks->stop = true;
    pthread_cond_broadcast(&chunks->changed);
    pthread_mutex_unlock(&chunks->lock);
    source_stop(chunks->source); /* it may wait for a pipe that nothing is written to */
    pthread_join(chunks->thread, NULL);
}

void text_chunks_close(struct text_chunks *chunks)
{
    if (!chunks)
        return;
    if (chunks->threaded)
        reader_join(chunks);
    source_close(chunks->source);
    slots_free(chunks->made); /* also those that the caller still holds */
    mem_free(chunks->carry);
    pthread_cond_destroy(&chunks->changed);
    pthread_mutex_destroy(&chunks->lock);
    mem_free(chunks);
}

/* ---- Line boundaries ------------------------------------------------------------------------- */

/* The parity of the number of double quotes. Eight bytes are tested per word: each byte lane keeps its own parity in
 * its top bit, and the eight are combined at the end. */
bool odd_quotes(const char *bytes, size_t length)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7f, quotes = 0x2222222222222222;
    uint64_t parity = 0;
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        word ^= quotes; /* a quote is a zero byte now; the next line sets the top bit of zero bytes only */
        parity ^= ~(((word & low) + low) | word | low);
    }
    parity ^= parity >> 32;
    parity ^= parity >> 16;
    parity ^= parity >> 8;
    bool odd = (parity & 0x80) != 0;
    for (; i < length; i++)
        odd ^= bytes[i] == '"';
    return odd;
}

/* Searches backwards from `to`, where the quote state is known (`odd`), so that it reads only about one line. */
size_t last_line_end(const char *bytes, size_t from, size_t to, bool odd)
{
    for (size_t at = to; at > from; at--) {
        if (bytes[at - 1] == '\n' && !odd)
            return at;
        odd ^= bytes[at - 1] == '"';
    }
    return 0;
}

/* The same search without quotes; most files have none. */
size_t last_newline(const char *bytes, size_t from, size_t to)
{
    while (to > from && bytes[to - 1] != '\n')
        to--;
    return to > from ? to : 0;
}

/* Counts newlines by memchr, which C libraries implement with vector instructions. */
uint64_t count_lines(const char *bytes, size_t length)
{
    uint64_t lines = 0;
    for (const char *p = bytes; length && (p = memchr(p, '\n', length - (size_t)(p - bytes))); p++)
        lines++;
    return lines;
}

/* ---- Arrays that are about to be filled ------------------------------------------------------ */

/* Whole huge pages within the array only. Advice may fail without consequences; systems other than Linux have none. */
void huge_pages_advise(void *array, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t from = (uintptr_t)array, to = from + (bytes - bytes / 16);
    from = (from + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    to = to / HUGE_PAGE * HUGE_PAGE;
    if (from < to)
        (void)madvise((char *)array + (from - (uintptr_t)array), to - from, MADV_HUGEPAGE);
#else
    (void)array, (void)bytes;
#endif
}

/* The number of items in `total` bytes, in proportion to the first `seen` bytes, plus 2 %: rows that are slightly
 * shorter than the first ones still fit. Computed in doubles, since the product could overflow. */
size_t estimate_total(size_t count, size_t seen, size_t total)
{
    double estimate = 1.02 * (double)count * (double)total / (double)(seen > 0 ? seen : 1);
    return estimate < (double)(SIZE_MAX / 2) ? (size_t)estimate : SIZE_MAX;
}
