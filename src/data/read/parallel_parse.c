/* parallel_parse: a ring of parts; chunk n goes to part n % parts. */
#include "data/read/parallel_parse.h"

#include <pthread.h>

#include "base/memory.h"
#include "base/thread.h"

struct crew {
    const struct parallel_parse *work;
    pthread_mutex_t lock;   /* guards all below */
    pthread_cond_t changed; /* `joined` or `stopped` */
    bool *parsed;           /* of each part: it waits to be joined */
    size_t joined;          /* chunks: the number of the next to be joined */
    bool joining;           /* a thread is at it */
    bool stopped;           /* a failure: the rest does not matter */
    temper_status status;   /* of joining */
    temper_error source;    /* the failure of the source, if there was one */
};

/* ---- One thread ------------------------------------------------------------------------------ */

/* Waits until a chunk's place in the ring is free: until the one before it there is joined. That
 * one, and all before, are in the hands of threads that do not wait. */
static bool await_place(struct crew *crew, size_t number)
{
    pthread_mutex_lock(&crew->lock);
    while (!crew->stopped && number - crew->joined >= crew->work->parts)
        pthread_cond_wait(&crew->changed, &crew->lock);
    bool go_on = !crew->stopped;
    pthread_mutex_unlock(&crew->lock);
    return go_on;
}

/* With the lock: joins what is ready, in order, without the lock; others parse meanwhile. */
static void join_ready(struct crew *crew)
{
    const struct parallel_parse *work = crew->work;
    crew->joining = true;
    for (size_t part; part = crew->joined % work->parts, crew->parsed[part] && !crew->stopped;) {
        pthread_mutex_unlock(&crew->lock);
        temper_status status = work->join(work->context, part);
        pthread_mutex_lock(&crew->lock);
        crew->parsed[part] = false;
        crew->joined++;
        crew->status = status;
        crew->stopped = status != TEMPER_OK;
        pthread_cond_broadcast(&crew->changed);
    }
    crew->joining = false;
}

/* Who comes while another joins leaves his part to that one, who looks again before he stops. */
static void hand_in(struct crew *crew, size_t part)
{
    pthread_mutex_lock(&crew->lock);
    crew->parsed[part] = true;
    if (!crew->joining)
        join_ready(crew);
    pthread_mutex_unlock(&crew->lock);
}

/* Takes chunks until there are none; a block is a thread's whole work. */
static temper_status work_on(void *context, size_t block, size_t worker)
{
    struct crew *crew = context;
    const struct parallel_parse *work = crew->work;
    (void)block, (void)worker;
    for (;;) {
        struct chunk *chunk;
        temper_error error;
        if (text_chunks_next(work->chunks, &chunk, &error) != TEMPER_OK) {
            pthread_mutex_lock(&crew->lock);
            crew->source = error; /* the same for every thread that asks */
            pthread_mutex_unlock(&crew->lock);
            return TEMPER_OK;
        }
        if (chunk->length == 0 || !await_place(crew, chunk->number))
            return TEMPER_OK;
        size_t part = chunk->number % work->parts;
        work->parse(work->context, chunk, part);
        text_chunks_give_back(work->chunks, chunk);
        hand_in(crew, part);
    }
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* NULL if anything cannot be had. */
static struct crew *worker_group_new(const struct parallel_parse *work)
{
    struct crew *crew = mem_zeroed(1, sizeof *crew);
    bool *parsed = mem_zeroed(work->parts, sizeof *parsed);
    if (crew && parsed && pthread_mutex_init(&crew->lock, NULL) == 0) {
        crew->work = work;
        crew->parsed = parsed;
        crew->joined = work->first;
        if (pthread_cond_init(&crew->changed, NULL) == 0)
            return crew;
        pthread_mutex_destroy(&crew->lock);
    }
    mem_free(parsed);
    mem_free(crew);
    return NULL;
}

static void worker_group_free(struct crew *crew)
{
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->lock);
    mem_free(crew->parsed);
    mem_free(crew);
}

temper_status parallel_parse(const struct parallel_parse *work, temper_error *error)
{
    struct crew *crew = worker_group_new(work);
    if (!crew)
        return error_no_memory(error);
    /* Blocks do not fail, so this is a crew that could not be made. */
    temper_status status = parallel_blocks(work->threads, work->threads, work_on, crew);
    if (status != TEMPER_OK) {
        error_no_memory(error);
    } else if (crew->status != TEMPER_OK) {
        status = crew->status; /* which `join` has told */
    } else if (crew->source.status != TEMPER_OK) {
        status = crew->source.status;
        if (error)
            *error = crew->source;
    }
    worker_group_free(crew);
    return status;
}
