/* chunks: one thread reads and cuts, the caller takes; slots go round between them. Of a plain file
 * the caller does both. */
#include "data/read/text_chunks.h"

#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "data/read/line_boundary.h"

enum {
    CHUNK_SIZE = 1 << 18,   /* large enough to be worth its locks, small enough for a cache */
    FIRST_SIZE = 1 << 20,   /* of a table's first one, from which its columns are told */
    SLOTS_AT_FIRST = 4,     /* more only if the caller holds all of them and asks for another */
    LONGEST_LINE = 1 << 28, /* an archive of zeros is one endless line, and memory is not */
    CARRY_SIZE = 4096       /* of the first line that is cut; grows */
};

/* A chunk and its memory. */
struct slot {
    struct chunk chunk; /* first: text_chunks_give_back is given its address */
    size_t capacity;    /* of chunk.bytes, without the zeros behind it */
    struct slot *next;  /* in the list that it is in; none while the caller has it */
    struct slot *older; /* of all that were made, wherever they are */
};

struct text_chunks {
    struct source *source;
    bool quoted;

    /* Only the reader, whichever thread that is, looks at these. */
    char *carry; /* the beginning of a line whose end was not read yet */
    size_t carried, carry_capacity;
    bool odd; /* quotes in it, so that it ends within quotes */
    size_t next_number;

    pthread_t thread;
    bool threaded; /* else the caller reads */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* anything below */
    struct slot *made;      /* all slots */
    struct slot *free;
    struct slot *ready, *newest; /* oldest first */
    size_t waiting;              /* callers that have nothing to do */
    bool finished;               /* the reader will make no more chunks */
    bool stop;                   /* the caller wants no more */
    temper_error failure;        /* why it finished, if not at the end */

    struct chunk end; /* given out behind the last one */
    char end_bytes[CHUNK_ZEROS];
};

/* ---- Slots ----------------------------------------------------------------------------------- */

/* With the lock, or before there is a thread. */
static struct slot *slot_new(struct text_chunks *chunks)
{
    struct slot *slot = mem_zeroed(1, sizeof *slot);
    char *bytes = mem_alloc(CHUNK_SIZE + CHUNK_ZEROS, 1);
    if (!slot || !bytes) {
        mem_free(slot);
        mem_free(bytes);
        return NULL;
    }
    *slot = (struct slot){.chunk.bytes = bytes, .capacity = CHUNK_SIZE, .older = chunks->made};
    chunks->made = slot;
    return slot;
}

static void slots_free(struct slot *slot)
{
    while (slot) {
        struct slot *older = slot->older;
        mem_free(slot->chunk.bytes);
        mem_free(slot);
        slot = older;
    }
}

/* Two lists: those that are free, where the last one used is the one still in the cache, and those
 * that are ready, which slot_publish appends to. */
static struct slot *pop(struct slot **list)
{
    struct slot *slot = *list;
    if (slot)
        *list = slot->next;
    return slot;
}

static void push(struct slot **list, struct slot *slot)
{
    slot->next = *list;
    *list = slot;
}

/* Room for `size` bytes, which is more than usual in the first chunk and for a very long line. */
static temper_status slot_reserve(struct slot *slot, size_t size, const struct source *source, temper_error *error)
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

/* What is carried is part of a line: little, but for very long lines. */
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

/* Ends the chunk at `cut`: what lies behind it belongs to the next, and zeros take its place. */
static temper_status slot_cut(struct text_chunks *chunks, struct slot *slot, size_t filled, size_t cut)
{
    if (!carry_reserve(chunks, filled - cut))
        return error_no_memory(&chunks->failure);
    if (filled > cut)
        memcpy(chunks->carry, slot->chunk.bytes + cut, filled - cut);
    chunks->carried = filled - cut;
    memset(slot->chunk.bytes + cut, 0, CHUNK_ZEROS);
    slot->chunk.length = cut;
    slot->chunk.number = chunks->next_number;
    chunks->next_number += cut > 0; /* an empty one is not given out */
    return TEMPER_OK;
}

/* Reads up to `size` bytes in all and looks for a cut in what is new. *cut = 0 if there is none. */
static temper_status slot_read(struct text_chunks *chunks, struct slot *slot, size_t size, size_t *filled, size_t *cut)
{
    char *bytes = slot->chunk.bytes;
    size_t from = *filled, room = size - from, got;
    temper_status status = source_read(chunks->source, bytes + from, room, &got, &chunks->failure);
    if (status != TEMPER_OK)
        return status;
    *filled += got;
    slot->chunk.last = got < room;
    if (chunks->quoted) {
        chunks->odd ^= odd_quotes(bytes + from, got);
        *cut = last_cut(bytes, from, *filled, chunks->odd);
    } else {
        *cut = last_newline(bytes, from, *filled);
    }
    if (slot->chunk.last) /* what has no newline at the end of the file is a line as well */
        *cut = *filled;
    return TEMPER_OK;
}

/* The next chunk, of length 0 if there is nothing left. */
static temper_status slot_fill(struct text_chunks *chunks, struct slot *slot)
{
    size_t filled = chunks->carried, cut = 0;
    size_t size = chunks->quoted && chunks->next_number == 0 ? FIRST_SIZE : CHUNK_SIZE;
    while (size <= filled)
        size *= 2;
    temper_status status = slot_reserve(slot, size, chunks->source, &chunks->failure);
    if (status == TEMPER_OK && filled > 0)
        memcpy(slot->chunk.bytes, chunks->carry, filled);
    slot->chunk.last = false;
    while (status == TEMPER_OK && cut == 0 && !slot->chunk.last) {
        if (filled == size) { /* of one line */
            size *= 2;
            status = slot_reserve(slot, size, chunks->source, &chunks->failure);
        }
        if (status == TEMPER_OK)
            status = slot_read(chunks, slot, size, &filled, &cut);
    }
    return status == TEMPER_OK ? slot_cut(chunks, slot, filled, cut) : status;
}

/* ---- The reader ------------------------------------------------------------------------------ */

/* With the lock: a slot to fill, or NULL if the caller wants no more or there is no memory. */
static struct slot *slot_wait(struct text_chunks *chunks)
{
    while (!chunks->stop && !chunks->free && !(chunks->waiting && !chunks->ready))
        pthread_cond_wait(&chunks->changed, &chunks->lock);
    if (chunks->stop)
        return NULL;
    if (chunks->free)
        return pop(&chunks->free);
    struct slot *slot = slot_new(chunks); /* the caller holds all others */
    if (!slot)
        error_no_memory(&chunks->failure);
    return slot;
}

/* With the lock: a filled slot to the caller, or back if nothing is in it. */
static void slot_publish(struct text_chunks *chunks, struct slot *slot, temper_status status)
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

/* The lock is held but for the work itself. */
static void *reader_run(void *argument)
{
    struct text_chunks *chunks = argument;
    pthread_mutex_lock(&chunks->lock);
    while (!chunks->finished) {
        struct slot *slot = slot_wait(chunks);
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

/* Half-built chunks can be closed too. */
static bool add_slots(struct text_chunks *chunks)
{
    for (int i = 0; i < SLOTS_AT_FIRST; i++) {
        struct slot *slot = slot_new(chunks);
        if (!slot)
            return false;
        push(&chunks->free, slot);
    }
    return true;
}

/* Everything but the slots; NULL if anything cannot be had. */
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
    return chunks;
}

temper_status text_chunks_open(struct source *source, bool quoted, struct text_chunks **out, temper_error *error)
{
    struct text_chunks *chunks = chunks_new(source, quoted);
    if (!chunks || !add_slots(chunks)) {
        if (!chunks)
            source_close(source);
        text_chunks_close(chunks);
        return error_no_memory(error);
    }
    /* To copy a plain file from the system's memory is quicker than to wake another thread for it.
     * And where the system gives no thread, text_chunks_next reads: slower, and no failure. */
    bool plain = source_file_size(source) > 0 && !source_compression(source);
    chunks->threaded = !plain && pthread_create(&chunks->thread, NULL, reader_run, chunks) == 0;
    *out = chunks;
    return TEMPER_OK;
}

/* Without a thread: one turn of the reader. Others who want a chunk wait for the lock meanwhile. */
static void read_here(struct text_chunks *chunks)
{
    if (chunks->finished)
        return;
    struct slot *slot = slot_wait(chunks); /* does not wait: the caller is the one who waits */
    if (slot)
        slot_publish(chunks, slot, slot_fill(chunks, slot));
    else
        chunks->finished = true;
}

/* With the lock: the next filled slot, or NULL if there will be none. */
static struct slot *take_ready(struct text_chunks *chunks)
{
    chunks->waiting++;
    if (!chunks->threaded && !chunks->ready)
        read_here(chunks);
    else
        pthread_cond_broadcast(&chunks->changed); /* the reader may wait for us to wait */
    while (!chunks->ready && !chunks->finished)
        pthread_cond_wait(&chunks->changed, &chunks->lock);
    chunks->waiting--;
    return pop(&chunks->ready);
}

/* With the lock, behind the last chunk, for as often as somebody asks. */
static temper_status answer_end(struct text_chunks *chunks, struct chunk **chunk, temper_error *error)
{
    if (chunks->failure.status != TEMPER_OK) {
        if (error)
            *error = chunks->failure;
        return chunks->failure.status;
    }
    if (!chunks->end.last) /* once: others may be looking at it already */
        chunks->end = (struct chunk){.bytes = chunks->end_bytes, .number = chunks->next_number, .last = true};
    *chunk = &chunks->end;
    return TEMPER_OK;
}

temper_status text_chunks_next(struct text_chunks *chunks, struct chunk **chunk, temper_error *error)
{
    temper_status status = TEMPER_OK;
    pthread_mutex_lock(&chunks->lock);
    struct slot *slot = take_ready(chunks);
    if (slot)
        *chunk = &slot->chunk;
    else
        status = answer_end(chunks, chunk, error);
    pthread_mutex_unlock(&chunks->lock);
    return status;
}

/* In any order. */
void text_chunks_give_back(struct text_chunks *chunks, struct chunk *chunk)
{
    if (!chunk || chunk == &chunks->end)
        return;
    pthread_mutex_lock(&chunks->lock);
    push(&chunks->free, (struct slot *)chunk);
    pthread_cond_broadcast(&chunks->changed);
    pthread_mutex_unlock(&chunks->lock);
}

/* To the head of the list. */
void text_chunks_unread(struct text_chunks *chunks, struct chunk *chunk)
{
    struct slot *slot = (struct slot *)chunk;
    pthread_mutex_lock(&chunks->lock);
    if (!chunks->ready)
        chunks->newest = slot;
    push(&chunks->ready, slot);
    pthread_mutex_unlock(&chunks->lock);
}

/* Wherever the reader is: it waits for a slot, or for bytes, or it works on a chunk. */
static void reader_join(struct text_chunks *chunks)
{
    pthread_mutex_lock(&chunks->lock);
    chunks->stop = true;
    pthread_cond_broadcast(&chunks->changed);
    pthread_mutex_unlock(&chunks->lock);
    source_stop(chunks->source); /* it may sleep on a pipe that nobody writes to */
    pthread_join(chunks->thread, NULL);
}

void text_chunks_close(struct text_chunks *chunks)
{
    if (!chunks)
        return;
    if (chunks->threaded)
        reader_join(chunks);
    source_close(chunks->source);
    slots_free(chunks->made); /* those that the caller still has, too */
    mem_free(chunks->carry);
    pthread_cond_destroy(&chunks->changed);
    pthread_mutex_destroy(&chunks->lock);
    mem_free(chunks);
}
