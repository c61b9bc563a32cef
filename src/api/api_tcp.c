/* api_tcp: groups of processes that meet by TCP, and sums over the processes of any group. */
#include "api/api_internal.h"
#include "base/memory.h"
#include "comm/tcp_group.h"
#include "comm/tree_sum.h"
#include "temper_tcp.h"

enum { MEET_SECONDS = 60, SILENCE_SECONDS = 600 };

temper_status temper_tcp_listen(const char *host, unsigned port, temper_tcp_listener **listener, temper_error *error)
{
    struct tcp_listener *made;
    if (port > UINT16_MAX)
        return error_set(error, TEMPER_USAGE, "there is no port %u; give one up to %d, or 0 for a free one", port,
                         UINT16_MAX);
    made = mem_zeroed(1, sizeof *made);
    if (!made)
        return error_no_memory(error);
    made->fd = socket_listen(host && host[0] ? host : NULL, port, error);
    if (made->fd < 0) {
        mem_free(made);
        return TEMPER_IO;
    }
    *listener = (temper_tcp_listener *)made;
    return TEMPER_OK;
}

unsigned temper_tcp_listener_port(const temper_tcp_listener *listener)
{
    return socket_port(((const struct tcp_listener *)listener)->fd);
}

void temper_tcp_listener_free(temper_tcp_listener *listener)
{
    struct tcp_listener *closed = (struct tcp_listener *)listener;
    if (!closed)
        return;
    socket_close(closed->fd);
    mem_free(closed);
}

temper_tcp_options temper_tcp_defaults(void)
{
    return (temper_tcp_options){.struct_size = sizeof(temper_tcp_options),
                                .size = 1,
                                .meet_seconds = MEET_SECONDS,
                                .silence_seconds = SILENCE_SECONDS};
}

/* NULL is no group: rank and token have no defaults. */
temper_status temper_tcp_meet(const temper_tcp_options *options, temper_tcp **tcp, temper_error *error)
{
    temper_tcp_options full = temper_tcp_defaults();
    struct tcp_group *group;
    TRY(api_options(&full, sizeof full, options, "tcp", error));
    TRY(tcp_group_meet(&full, &group, error));
    *tcp = (temper_tcp *)group;
    return TEMPER_OK;
}

const temper_comm *temper_tcp_comm(const temper_tcp *tcp)
{
    return &((const struct tcp_group *)tcp)->comm;
}

temper_status temper_tcp_failure(const temper_tcp *tcp, temper_error *error)
{
    const struct tcp_group *group = (const struct tcp_group *)tcp;
    if (group->failure.status != TEMPER_OK && error)
        *error = group->failure;
    return group->failure.status;
}

void temper_tcp_abort(temper_tcp *tcp, const char *reason)
{
    tcp_group_abort((struct tcp_group *)tcp, reason);
}

void temper_tcp_free(temper_tcp *tcp)
{
    tcp_group_free((struct tcp_group *)tcp);
}

/* A process without vectors takes part in the sum, too; one vector is needed in all. */
temper_status temper_comm_sum(const temper_comm *comm, const size_t *first, double *const *vectors, size_t length,
                              double *sum, temper_error *error)
{
    const struct holders holders = {comm, first, NULL};
    size_t size = comm_size(comm);
    for (size_t r = 0; r < size; r++)
        if (first[r] > first[r + 1])
            return error_set(error, TEMPER_USAGE, "the vectors of rank %zu begin at %zu and end at %zu", r, first[r],
                             first[r + 1]);
    if (first[0] != 0 || first[size] == 0)
        return error_set(error, TEMPER_USAGE, "vectors are counted from 0, and there has to be one");
    return comm_end(comm, tree_sum(&holders, vectors, length, sum, error), error);
}
