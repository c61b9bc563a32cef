/* team: a barrier, and a look at what the others have. */
#define _DEFAULT_SOURCE /* pthread_barrier_t */
#include "team.h"

#include <pthread.h>
#include <string.h>

#include "test.h"

struct team {
    size_t size;
    pthread_barrier_t barrier;
    const void *block[TEAM_MOST];
    const size_t *bytes[TEAM_MOST];
};

struct member {
    struct team *team;
    temper_comm comm;
    team_fn *work;
    void *context;
    pthread_t thread;
};

static void wait_for_all(struct team *team)
{
    pthread_barrier_wait(&team->barrier);
}

static int gather(void *context, const void *mine, const size_t *bytes, void *all)
{
    struct member *member = context;
    struct team *team = member->team;
    team->block[member->comm.rank] = mine;
    wait_for_all(team);
    size_t to = 0;
    for (size_t r = 0; r < team->size; to += bytes[r++])
        if (bytes[r])
            memcpy((char *)all + to, team->block[r], bytes[r]);
    wait_for_all(team);
    return 0;
}

static int exchange(void *context, const void *out, const size_t *out_bytes, void *in,
                    const size_t *in_bytes)
{
    struct member *member = context;
    struct team *team = member->team;
    size_t rank = member->comm.rank;
    team->block[rank] = out;
    team->bytes[rank] = out_bytes;
    wait_for_all(team);
    size_t to = 0;
    int wrong = 0;
    for (size_t r = 0; r < team->size; to += in_bytes[r++]) {
        size_t from = 0;
        for (size_t i = 0; i < rank; i++)
            from += team->bytes[r][i];
        wrong |= team->bytes[r][rank] != in_bytes[r];
        if (!wrong && in_bytes[r])
            memmove((char *)in + to, (const char *)team->block[r] + from, in_bytes[r]);
    }
    wait_for_all(team);
    return wrong;
}

static void *member_run(void *argument)
{
    struct member *member = argument;
    member->work(member->context, &member->comm);
    return NULL;
}

void team_run(size_t size, team_fn *work, void *context)
{
    struct team team = {.size = size};
    struct member member[TEAM_MOST];
    CHECK(size <= TEAM_MOST && pthread_barrier_init(&team.barrier, NULL, (unsigned)size) == 0);
    for (size_t r = 0; r < size; r++) {
        member[r] = (struct member){.team = &team, .work = work, .context = context};
        member[r].comm = (temper_comm){r, size, &member[r], gather, exchange};
        CHECK(pthread_create(&member[r].thread, NULL, member_run, &member[r]) == 0);
    }
    for (size_t r = 0; r < size; r++)
        pthread_join(member[r].thread, NULL);
    pthread_barrier_destroy(&team.barrier);
}
