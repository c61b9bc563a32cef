/* parallel_parse: a ring of slots; chunk n is parsed into slot n % slots. */
#include "data/read/parallel_parse.h"

#include <pthread.h>

#include "base/memory.h"
#include "base/thread.h"

/* What the threads share. */
struct parse_queue {
    const struct parallel_parse *work;
    pthread_mutex_t lock;   /* guards all below */
    pthread_cond_t changed; /* signals a change of `merged` or `stopped` */
    bool *parsed;           /* of each slot: it waits to be merged */
    size_t merged;          /* the number of the next chunk to be merged */
    bool merging;           /* a thread is merging */
    bool stopped;           /* after a failure: the rest is not needed */
    temper_status status;   /* of the merge */
    temper_error source;    /* the failure of the source, if there was one */
};

/* ---- One thread ------------------------------------------------------------------------------ */

/* Waits until the slot of a chunk is free, that is until the chunk before it in that slot is merged. Chunks further
 * ahead are held by threads that do not wait, so this cannot deadlock. False: another thread has failed. */
static bool wait_for_slot(struct parse_queue *queue, size_t number)
{
    pthread_mutex_lock(&queue->lock);
    while (!queue->stopped && number - queue->merged >= queue->work->slots)
        pthread_cond_wait(&queue->changed, &queue->lock);
    bool running = !queue->stopped;
    pthread_mutex_unlock(&queue->lock);
    return running;
}

/* Called with the lock held: merges what is ready, in order. The lock is released for the merge itself, so that other
 * threads parse meanwhile. */
static void merge_ready(struct parse_queue *queue)
{
    const struct parallel_parse *work = queue->work;
    queue->merging = true;
    for (size_t slot; slot = queue->merged % work->slots, queue->parsed[slot] && !queue->stopped;) {
        pthread_mutex_unlock(&queue->lock);
        temper_status status = work->merge(work->context, slot);
        pthread_mutex_lock(&queue->lock);
        queue->parsed[slot] = false;
        queue->merged++;
        queue->status = status;
        queue->stopped = status != TEMPER_OK;
        pthread_cond_broadcast(&queue->changed);
    }
    queue->merging = false;
}

/* If another thread is merging, that thread merges this slot too: it looks again before it stops. */
static void hand_in(struct parse_queue *queue, size_t slot)
{
    pthread_mutex_lock(&queue->lock);
    queue->parsed[slot] = true;
    if (!queue->merging)
        merge_ready(queue);
    pthread_mutex_unlock(&queue->lock);
}

/* Takes chunks until there are none; one block is the whole work of a thread. */
static temper_status parse_chunks(void *context, size_t block, size_t worker)
{
    struct parse_queue *queue = context;
    const struct parallel_parse *work = queue->work;
    (void)block, (void)worker;
    for (;;) {
        struct text_chunk *chunk;
        temper_error error;
        if (text_chunks_next(work->chunks, &chunk, &error) != TEMPER_OK) {
            pthread_mutex_lock(&queue->lock);
            queue->source = error; /* the same for every thread */
            pthread_mutex_unlock(&queue->lock);
            return TEMPER_OK;
        }
        if (chunk->length == 0 || !wait_for_slot(queue, chunk->number))
            return TEMPER_OK;
        size_t slot = chunk->number % work->slots;
        work->parse(work->context, chunk, slot);
        text_chunks_give_back(work->chunks, chunk);
        hand_in(queue, slot);
    }
}

/* ---- All threads ----------------------------------------------------------------------------- */

/* NULL if memory or a lock cannot be had. */
static struct parse_queue *parse_queue_new(const struct parallel_parse *work)
{
    struct parse_queue *queue = mem_zeroed(1, sizeof *queue);
    bool *parsed = mem_zeroed(work->slots, sizeof *parsed);
    if (queue && parsed && pthread_mutex_init(&queue->lock, NULL) == 0) {
        queue->work = work;
        queue->parsed = parsed;
        queue->merged = work->first;
        if (pthread_cond_init(&queue->changed, NULL) == 0)
            return queue;
        pthread_mutex_destroy(&queue->lock);
    }
    mem_free(parsed);
    mem_free(queue);
    return NULL;
}

/* One block for each thread, each of which takes chunks until there are none. */
temper_status parallel_parse(const struct parallel_parse *work, temper_error *error)
{
    struct parse_queue *queue = parse_queue_new(work);
    if (!queue)
        return error_no_memory(error);
    /* parse_chunks never fails, so a failure means that the threads could not be started. */
    temper_status status = parallel_blocks(work->threads, work->threads, parse_chunks, queue);
    if (status != TEMPER_OK) {
        error_no_memory(error);
    } else if (queue->status != TEMPER_OK) {
        status = queue->status; /* reported by `merge` */
    } else if (queue->source.status != TEMPER_OK) {
        status = queue->source.status;
        if (error)
            *error = queue->source;
    }
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
    mem_free(queue->parsed);
    mem_free(queue);
    return status;
}
