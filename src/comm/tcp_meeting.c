/* tcp_meeting: connects the processes of a group, each with each.
 *
 * Rank 0 listens at the address that all others were given. Each other rank opens a socket of its own for the higher
 * ranks, connects to rank 0 and sends a greeting with its rank, the port of that socket, and the token. When all have
 * come, rank 0 sends the addresses of all to each; every rank then connects to the lower ones. No rank waits for a
 * higher one before it has connected to all lower ones, so the ranks finish in their order.
 *
 * Anybody can connect to a listening socket: who does not greet as expected is refused and the waiting continues, and
 * who does not greet at all keeps no other one waiting. The token is compared, not hashed: it prevents mistakes and
 * strangers, not somebody who reads the network. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "comm/tcp_group.h"

enum {
    MAGIC = 8,
    PROTOCOL = 1, /* raised when greeting, frames or the order of operations change */
    BYTE_ORDER_MARK = 0x01020304,
    ARRIVALS = 64, /* connections that have not greeted yet; the oldest gives way to a new one */
};

static const char magic[MAGIC + 1] = "tempertc";

/* What a process sends first. Fields have fixed sizes and no padding; versions and byte orders are compared first. */
struct greeting {
    char magic[MAGIC];
    uint32_t protocol, byte_order;
    uint64_t rank, size, port, token_length;
    char token[TCP_TOKEN_MOST];
};

/* The reply to a greeting. */
enum greeting_verdict { WELCOME, REFUSED_PROTOCOL, REFUSED_TOKEN, REFUSED_SIZE, REFUSED_RANK };
struct reply {
    char magic[MAGIC];
    uint32_t verdict, protocol;
};

static const char *const verdict_text[] = {
    [WELCOME] = "welcome",
    [REFUSED_PROTOCOL] = "it has another version of temper or another byte order; install the same version everywhere",
    [REFUSED_TOKEN] = "the token differs; give all processes of a group the same one, and each group its own",
    [REFUSED_SIZE] = "the number of processes differs; give all the same size",
    [REFUSED_RANK] = "its rank is taken or does not exist; give each process a rank of its own",
};

/* The state of a process that waits for others. */
struct meeting {
    struct tcp_group *group;
    const temper_tcp_options *options;
    struct socket_patience patience;
    int listener;
    size_t lowest, missing; /* ranks from `lowest` on are awaited, so many have not come */
    struct {
        int fd;
        size_t got;
        struct greeting greeting;
    } arrival[ARRIVALS];
    size_t arrivals;
    struct socket_address refused; /* the last one, and why */
    enum greeting_verdict verdict;
};

/* ---- Greetings ------------------------------------------------------------------------------- */

static struct greeting greeting_of(const temper_tcp_options *options, unsigned port)
{
    struct greeting greeting = {.protocol = PROTOCOL,
                                .byte_order = BYTE_ORDER_MARK,
                                .rank = options->rank,
                                .size = options->size,
                                .port = port,
                                .token_length = options->token_length};
    memcpy(greeting.magic, magic, MAGIC);
    memcpy(greeting.token, options->token, options->token_length);
    return greeting;
}

/* In a time that does not depend on where the tokens differ. */
static bool same_token(const struct greeting *greeting, const temper_tcp_options *options)
{
    const unsigned char *own = options->token;
    unsigned char different = greeting->token_length != options->token_length;
    for (size_t i = 0; i < options->token_length; i++)
        different |= (unsigned char)((unsigned char)greeting->token[i] ^ own[i]);
    return different == 0;
}

static enum greeting_verdict judge(const struct meeting *meeting, const struct greeting *greeting)
{
    const struct tcp_group *group = meeting->group;
    if (memcmp(greeting->magic, magic, MAGIC) != 0 || greeting->protocol != PROTOCOL ||
        greeting->byte_order != BYTE_ORDER_MARK)
        return REFUSED_PROTOCOL;
    if (!same_token(greeting, meeting->options))
        return REFUSED_TOKEN;
    if (greeting->size != group->comm.size)
        return REFUSED_SIZE;
    bool awaited = greeting->rank >= meeting->lowest && greeting->rank < group->comm.size &&
                   group->peer[greeting->rank].fd < 0 && greeting->port <= UINT16_MAX;
    return awaited ? WELCOME : REFUSED_RANK;
}

/* Replies to a complete greeting: the connection becomes a peer, or is closed. */
static void answer(struct meeting *meeting, int fd, const struct greeting *greeting)
{
    struct reply reply = {.verdict = judge(meeting, greeting), .protocol = PROTOCOL};
    struct socket_address from = {.host = "?"};
    memcpy(reply.magic, magic, MAGIC);
    /* A new connection has room for so few bytes; one that has not is not worth waiting for. */
    bool sent = socket_send_some(fd, &reply, sizeof reply) == sizeof reply && socket_name(fd, false, &from);
    if (reply.verdict == WELCOME && sent) {
        struct tcp_peer *peer = &meeting->group->peer[greeting->rank];
        peer->fd = fd;
        peer->address = from;
        peer->address.port = (unsigned)greeting->port;
        meeting->missing--;
        return;
    }
    if (reply.verdict != WELCOME) {
        meeting->refused = from;
        meeting->verdict = (enum greeting_verdict)reply.verdict;
    }
    socket_close(fd);
}

static void remove_arrival(struct meeting *meeting, size_t i)
{
    meeting->arrivals--;
    for (; i < meeting->arrivals; i++)
        meeting->arrival[i] = meeting->arrival[i + 1];
}

static void add_arrival(struct meeting *meeting, int fd)
{
    if (fd < 0)
        return;
    if (meeting->arrivals == ARRIVALS) {
        socket_close(meeting->arrival[0].fd);
        remove_arrival(meeting, 0);
    }
    meeting->arrival[meeting->arrivals].fd = fd;
    meeting->arrival[meeting->arrivals++].got = 0;
}

/* Reads what has come of a greeting. A program that speaks another protocol is recognised by the first bytes, so that
 * it is not kept waiting until it sends more. */
static void read_arrival(struct meeting *meeting, size_t i)
{
    int fd = meeting->arrival[i].fd;
    struct greeting *greeting = &meeting->arrival[i].greeting;
    size_t had = meeting->arrival[i].got;
    int64_t got = socket_receive_some(fd, (char *)greeting + had, sizeof *greeting - had);
    size_t has = had + (size_t)(got > 0 ? got : 0);
    meeting->arrival[i].got = has;
    bool stranger = has > 0 && memcmp(greeting->magic, magic, has < MAGIC ? has : MAGIC) != 0;
    if (got >= 0 && !stranger && has < sizeof *greeting)
        return;
    struct greeting complete = *greeting;
    remove_arrival(meeting, i);
    if (got >= 0)
        answer(meeting, fd, &complete);
    else
        socket_close(fd);
}

/* Waits for one event: a connection, or bytes of one. */
static enum socket_wait next_event(struct meeting *meeting)
{
    struct pollfd each[ARRIVALS + 1] = {{.fd = meeting->listener, .events = POLLIN}};
    size_t count = meeting->arrivals;
    for (size_t i = 0; i < count; i++)
        each[i + 1] = (struct pollfd){.fd = meeting->arrival[i].fd, .events = POLLIN};
    enum socket_wait wait = socket_wait(each, count + 1, &meeting->patience);
    if (wait != SOCKET_READY)
        return wait;
    for (size_t i = count; i-- > 0;) /* from the last, as some are removed */
        if (each[i + 1].revents)
            read_arrival(meeting, i);
    if (each[0].revents)
        add_arrival(meeting, socket_accept(meeting->listener));
    return SOCKET_READY;
}

/* Not all came: how many, and whether somebody was refused. */
static temper_status incomplete(const struct meeting *meeting, temper_error *error)
{
    const struct tcp_group *group = meeting->group;
    char refused[2 * SOCKET_HOST + 200] = "";
    size_t rank = meeting->lowest;
    while (rank + 1 < group->comm.size && group->peer[rank].fd >= 0)
        rank++;
    if (meeting->refused.host[0])
        snprintf(refused, sizeof refused, "; a process at %s was refused: %s", meeting->refused.host,
                 verdict_text[meeting->verdict]);
    return error_set(error, TEMPER_IO,
                     "%zu of %zu processes, the first of them rank %zu, did not connect within %.3g seconds%s",
                     meeting->missing, group->comm.size, rank, meeting->options->meet_seconds, refused);
}

/* Accepts the ranks from `lowest` on. */
static temper_status await_ranks(struct meeting *meeting, temper_error *error)
{
    enum socket_wait wait = SOCKET_READY;
    while (meeting->missing > 0 && wait == SOCKET_READY)
        wait = next_event(meeting);
    for (size_t i = 0; i < meeting->arrivals; i++)
        socket_close(meeting->arrival[i].fd);
    meeting->arrivals = 0;
    if (wait == SOCKET_STOPPED)
        return error_set(error, TEMPER_INTERRUPTED, "interrupted while waiting for other processes");
    return wait == SOCKET_READY ? TEMPER_OK : incomplete(meeting, error);
}

/* ---- Connections to lower ranks ---------------------------------------------------------------- */

/* Reads the reply of a rank that was greeted. */
static temper_status check_reply(const struct reply *reply, const struct tcp_peer *peer, size_t rank,
                                 temper_error *error)
{
    if (memcmp(reply->magic, magic, MAGIC) != 0 || reply->verdict > REFUSED_RANK)
        return error_set(error, TEMPER_USAGE,
                         "the program at %s, port %u, is no process of temper; give the address of rank %zu",
                         peer->address.host, peer->address.port, rank);
    if (reply->verdict != WELCOME)
        return error_set(error, TEMPER_USAGE, "rank %zu at %s, port %u, refused this process: %s", rank,
                         peer->address.host, peer->address.port, verdict_text[reply->verdict]);
    return TEMPER_OK;
}

/* Connects to a rank whose address is known. */
static temper_status connect_rank(struct meeting *meeting, size_t rank, temper_error *error)
{
    struct tcp_peer *peer = &meeting->group->peer[rank];
    temper_error reason = {0};
    peer->fd = socket_connect(&peer->address, &meeting->patience, &reason);
    if (peer->fd < 0 && error)
        *error = reason;
    return reason.status;
}

/* Greets a rank, and waits until it is welcome there. */
static temper_status greet_rank(struct meeting *meeting, size_t rank, unsigned port, temper_error *error)
{
    struct tcp_peer *peer = &meeting->group->peer[rank];
    struct greeting greeting = greeting_of(meeting->options, port);
    struct reply reply;
    TRY(socket_send(peer->fd, &greeting, sizeof greeting, &meeting->patience, error));
    TRY(socket_receive(peer->fd, &reply, sizeof reply, &meeting->patience, error));
    return check_reply(&reply, peer, rank, error);
}

/* The addresses of all ranks, by rank 0. */
static temper_status send_addresses(struct meeting *meeting, temper_error *error)
{
    struct tcp_group *group = meeting->group;
    size_t size = group->comm.size;
    struct socket_address *all = mem_zeroed(size, sizeof *all);
    if (!all)
        return error_no_memory(error);
    for (size_t r = 1; r < size; r++)
        all[r] = group->peer[r].address;
    temper_status status = TEMPER_OK;
    for (size_t r = 1; r < size && status == TEMPER_OK; r++)
        status = socket_send(group->peer[r].fd, all, size * sizeof *all, &meeting->patience, error);
    mem_free(all);
    return status;
}

/* The others take them, except the one of rank 0, which they know. */
static temper_status receive_addresses(struct meeting *meeting, temper_error *error)
{
    struct tcp_group *group = meeting->group;
    size_t size = group->comm.size;
    struct socket_address *all = mem_zeroed(size, sizeof *all);
    if (!all)
        return error_no_memory(error);
    temper_status status = socket_receive(group->peer[0].fd, all, size * sizeof *all, &meeting->patience, error);
    for (size_t r = 1; r < size && status == TEMPER_OK; r++) {
        group->peer[r].address = all[r];
        group->peer[r].address.host[SOCKET_HOST - 1] = '\0';
    }
    mem_free(all);
    return status;
}

/* The socket at which higher ranks connect: at the address of this end of the connection to rank 0, by which the others
 * reach this machine too. */
static temper_status listen_for_higher(struct meeting *meeting, unsigned *port, temper_error *error)
{
    struct socket_address own;
    bool named = socket_name(meeting->group->peer[0].fd, true, &own);
    meeting->listener = socket_listen(named ? own.host : NULL, 0, error);
    *port = meeting->listener >= 0 ? socket_port(meeting->listener) : 0;
    return meeting->listener >= 0 ? TEMPER_OK : TEMPER_IO;
}

/* Rank 0: its listener is the caller's. */
static temper_status host_meeting(struct meeting *meeting, temper_error *error)
{
    TRY(await_ranks(meeting, error));
    return send_addresses(meeting, error);
}

/* The others: first rank 0, then the lower ranks in their order, then the higher ones come. */
static temper_status join_meeting(struct meeting *meeting, temper_error *error)
{
    struct tcp_group *group = meeting->group;
    unsigned port = 0;
    snprintf(group->peer[0].address.host, SOCKET_HOST, "%s", meeting->options->host);
    group->peer[0].address.port = meeting->options->port;
    TRY(connect_rank(meeting, 0, error));
    if (meeting->missing > 0)
        TRY(listen_for_higher(meeting, &port, error));
    TRY(greet_rank(meeting, 0, port, error));
    TRY(receive_addresses(meeting, error));
    for (size_t r = 1; r < group->comm.rank; r++) {
        TRY(connect_rank(meeting, r, error));
        TRY(greet_rank(meeting, r, 0, error));
    }
    return await_ranks(meeting, error);
}

temper_status tcp_meet_peers(struct tcp_group *group, const temper_tcp_options *options, temper_error *error)
{
    struct meeting *meeting = mem_zeroed(1, sizeof *meeting); /* 8 KiB of greetings: not for a stack */
    if (!meeting)
        return error_no_memory(error);
    const struct tcp_listener *listener = (const struct tcp_listener *)options->listener;
    bool first = options->rank == 0;
    meeting->group = group;
    meeting->options = options;
    meeting->patience =
        (struct socket_patience){socket_now() + options->meet_seconds, options->stop, options->stop_context};
    meeting->listener = first ? listener->fd : -1;
    meeting->lowest = options->rank + 1;
    meeting->missing = options->size - meeting->lowest;
    temper_status status = first ? host_meeting(meeting, error) : join_meeting(meeting, error);
    if (!first)
        socket_close(meeting->listener);
    mem_free(meeting);
    return status;
}
