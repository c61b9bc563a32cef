/* tcp_group: the collective operations among processes that are connected by TCP.
 *
 * An operation sends a block to each peer and receives one from each, all at the same time, so that no order of
 * processes can deadlock. Each block follows a frame with the number of the operation and the length, so that
 * processes that do not make the same calls notice it. A peer that is lost, silent for too long or aborts ends the
 * operation; every later one fails at once, with the same words. */
#include "comm/tcp_group.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* The number in the frame of a process that ends; a text of at most ABORT_TEXT bytes follows. */
static const uint64_t ABORTED = UINT64_MAX;
enum { ABORT_TEXT = 300 };

/* ---- Failures -------------------------------------------------------------------------------- */

/* Keeps the first failure, with the rank and address of the peer. Returns 1, which temper_comm's functions return. */
static int fail(struct tcp_group *group, size_t rank, temper_status status, const char *why)
{
    const struct tcp_peer *peer = &group->peer[rank];
    error_set(&group->failure, status, "rank %zu at %s %.300s", rank, peer->address.host, why);
    return 1;
}

static int fail_connection(struct tcp_group *group, size_t rank)
{
    int reason = errno;
    char why[160];
    if (reason == 0)
        return fail(group, rank, TEMPER_IO, "has closed its connection: it ended or failed; look at what it printed");
    snprintf(why, sizeof why, "is lost: %s; its process or machine has failed", strerror(reason));
    return fail(group, rank, TEMPER_IO, why);
}

/* Names the first peer with which the operation is not complete. */
static int fail_waiting(struct tcp_group *group, enum socket_wait wait)
{
    char why[160];
    size_t rank = 0;
    while (rank + 1 < group->comm.size && group->wait[rank].fd < 0)
        rank++;
    if (wait == SOCKET_STOPPED) {
        error_set(&group->failure, TEMPER_INTERRUPTED, "interrupted while waiting for rank %zu", rank);
        return 1;
    }
    snprintf(why, sizeof why,
             "has sent or taken nothing for %.3g seconds; give more time if its share of the work takes longer",
             group->silence);
    return fail(group, rank, TEMPER_IO, why);
}

/* ---- One operation ------------------------------------------------------------------------------ */

/* Sends what can be sent now: the rest of the frame, or of the block. */
static int send_more(struct tcp_group *group, size_t rank, bool *moved)
{
    struct tcp_peer *peer = &group->peer[rank];
    const size_t frame = sizeof peer->out_frame, all = frame + peer->out_bytes;
    while (peer->out_done < all) {
        bool head = peer->out_done < frame;
        const char *from =
            head ? (const char *)&peer->out_frame + peer->out_done : peer->out + (peer->out_done - frame);
        int64_t sent = socket_send_some(peer->fd, from, (head ? frame : all) - peer->out_done);
        if (sent < 0)
            return fail_connection(group, rank);
        if (sent == 0)
            return 0;
        peer->out_done += (size_t)sent;
        *moved = true;
    }
    return 0;
}

/* A peer has aborted: what follows its frame is the reason, of which as much is read as has come. */
static int read_abort(struct tcp_group *group, size_t rank)
{
    struct tcp_peer *peer = &group->peer[rank];
    char reason[ABORT_TEXT + 1], why[ABORT_TEXT + 32];
    size_t length = peer->in_frame.length < ABORT_TEXT ? (size_t)peer->in_frame.length : ABORT_TEXT;
    struct socket_patience patience = {.until = socket_now() + 1};
    bool read = socket_receive(peer->fd, reason, length, &patience, NULL) == TEMPER_OK;
    reason[read ? length : 0] = '\0';
    snprintf(why, sizeof why, "has failed: %s", read ? reason : "no reason was received");
    return fail(group, rank, TEMPER_IO, why);
}

/* A complete frame: 0 if it announces the block that is expected. */
static int check_frame(struct tcp_group *group, size_t rank)
{
    const struct tcp_peer *peer = &group->peer[rank];
    char why[160];
    if (peer->in_frame.call == ABORTED)
        return read_abort(group, rank);
    if (peer->in_frame.call == group->calls && peer->in_frame.length == peer->in_bytes)
        return 0;
    snprintf(why, sizeof why,
             "made another call: number %llu of %llu bytes, not %llu of %zu; make the same ones on all",
             (unsigned long long)peer->in_frame.call, (unsigned long long)peer->in_frame.length,
             (unsigned long long)group->calls, peer->in_bytes);
    return fail(group, rank, TEMPER_USAGE, why);
}

/* Receives what has come; never more than the block of this operation. */
static int receive_more(struct tcp_group *group, size_t rank, bool *moved)
{
    struct tcp_peer *peer = &group->peer[rank];
    const size_t frame = sizeof peer->in_frame, all = frame + peer->in_bytes;
    while (peer->in_done < all) {
        bool head = peer->in_done < frame;
        char *to = head ? (char *)&peer->in_frame + peer->in_done : peer->in + (peer->in_done - frame);
        int64_t got = socket_receive_some(peer->fd, to, (head ? frame : all) - peer->in_done);
        if (got < 0)
            return fail_connection(group, rank);
        if (got == 0)
            return 0;
        peer->in_done += (size_t)got;
        *moved = true;
        if (head && peer->in_done == frame && check_frame(group, rank))
            return 1;
    }
    return 0;
}

/* What is still to be done with each peer, for poll; returns with how many peers. */
static size_t list_unfinished(struct tcp_group *group)
{
    const size_t frame = sizeof(struct tcp_frame);
    size_t unfinished = 0;
    for (size_t r = 0; r < group->comm.size; r++) {
        const struct tcp_peer *peer = &group->peer[r];
        short events = 0;
        if (peer->fd >= 0 && peer->in_done < frame + peer->in_bytes)
            events = POLLIN;
        if (peer->fd >= 0 && peer->out_done < frame + peer->out_bytes)
            events |= POLLOUT;
        /* A negative descriptor is skipped by poll. */
        group->wait[r] = (struct pollfd){.fd = events ? peer->fd : -1, .events = events};
        unfinished += events != 0;
    }
    return unfinished;
}

/* Receiving comes first: a peer that failed may have sent its reason before the connection was closed. */
static int move(struct tcp_group *group, size_t rank, bool *moved)
{
    short events = group->wait[rank].revents;
    if (!events)
        return 0;
    if (group->wait[rank].events & POLLIN && receive_more(group, rank, moved))
        return 1;
    return group->wait[rank].events & POLLOUT ? send_more(group, rank, moved) : 0;
}

/* Runs the operation that the peers hold. The deadline is moved by every byte of any peer. */
static int run(struct tcp_group *group)
{
    struct socket_patience patience = {socket_now() + group->silence, group->stop, group->stop_context};
    for (size_t r = 0; r < group->comm.size; r++) {
        struct tcp_peer *peer = &group->peer[r];
        peer->out_frame = (struct tcp_frame){group->calls, peer->out_bytes};
        peer->in_done = peer->out_done = 0;
    }
    while (list_unfinished(group) > 0) {
        bool moved = false;
        enum socket_wait wait = socket_wait(group->wait, group->comm.size, &patience);
        if (wait != SOCKET_READY)
            return fail_waiting(group, wait);
        for (size_t r = 0; r < group->comm.size; r++)
            if (move(group, r, &moved))
                return 1;
        if (moved)
            patience.until = socket_now() + group->silence;
    }
    group->calls++;
    return 0;
}

/* temper_comm.gather */
static int gather(void *context, const void *mine, const size_t *bytes, void *all)
{
    struct tcp_group *group = context;
    size_t own = group->comm.rank;
    char *to = all;
    if (group->failure.status != TEMPER_OK)
        return 1;
    for (size_t r = 0; r < group->comm.size; to += bytes[r++]) {
        struct tcp_peer *peer = &group->peer[r];
        peer->out = mine;
        peer->out_bytes = bytes[own];
        peer->in = to;
        peer->in_bytes = bytes[r];
        if (r == own && bytes[own])
            memcpy(to, mine, bytes[own]);
    }
    return run(group);
}

/* temper_comm.exchange */
static int exchange(void *context, const void *out, const size_t *out_bytes, void *in, const size_t *in_bytes)
{
    struct tcp_group *group = context;
    const char *from = out;
    char *to = in;
    if (group->failure.status != TEMPER_OK)
        return 1;
    for (size_t r = 0; r < group->comm.size; from += out_bytes[r], to += in_bytes[r], r++) {
        struct tcp_peer *peer = &group->peer[r];
        peer->out = from;
        peer->out_bytes = out_bytes[r];
        peer->in = to;
        peer->in_bytes = in_bytes[r];
        if (r == group->comm.rank && in_bytes[r])
            memcpy(to, from, in_bytes[r]);
    }
    return run(group);
}

/* ---- The group ---------------------------------------------------------------------------------- */

/* The frame and the reason are sent as far as there is room for them, without waiting. Peers to which a block is half
 * sent see the connection close instead. */
void tcp_group_abort(struct tcp_group *group, const char *reason)
{
    struct {
        struct tcp_frame frame;
        char text[ABORT_TEXT];
    } message = {0};
    size_t length = strlen(reason) < ABORT_TEXT ? strlen(reason) : ABORT_TEXT;
    message.frame = (struct tcp_frame){ABORTED, length};
    memcpy(message.text, reason, length);
    for (size_t r = 0; r < group->comm.size; r++) {
        struct tcp_peer *peer = &group->peer[r];
        bool between = peer->out_done == 0 || peer->out_done == sizeof peer->out_frame + peer->out_bytes;
        if (peer->fd >= 0 && between)
            (void)socket_send_some(peer->fd, &message, sizeof message.frame + length);
    }
    if (group->failure.status == TEMPER_OK)
        error_set(&group->failure, TEMPER_IO, "this process has ended the group: %.300s", reason);
}

void tcp_group_free(struct tcp_group *group)
{
    if (!group)
        return;
    for (size_t r = 0; group->peer && r < group->comm.size; r++)
        socket_close(group->peer[r].fd);
    mem_free(group->peer);
    mem_free(group->wait);
    mem_free(group);
}

static temper_status check_options(const temper_tcp_options *options, temper_error *error)
{
    if (options->size < 1 || options->size > TCP_RANKS_MOST || options->rank >= options->size)
        return error_set(error, TEMPER_USAGE, "there is no rank %zu of %zu; sizes are 1 to %d, ranks from 0",
                         options->rank, options->size, (int)TCP_RANKS_MOST);
    if (!options->token || options->token_length < TCP_TOKEN_LEAST || options->token_length > TCP_TOKEN_MOST)
        return error_set(error, TEMPER_USAGE, "the token has %zu bytes; give %d to %d random ones, the same to all",
                         options->token ? options->token_length : 0, (int)TCP_TOKEN_LEAST, (int)TCP_TOKEN_MOST);
    /* NaN is refused too. */
    if (!(options->meet_seconds > 0) || !(options->silence_seconds > 0))
        return error_set(error, TEMPER_USAGE, "the seconds to wait have to be above 0");
    if (options->rank == 0 && options->size > 1 && !options->listener)
        return error_set(error, TEMPER_USAGE, "rank 0 needs a listener: temper_tcp_listen makes one");
    if (options->rank > 0 && (!options->host || !options->host[0] || strlen(options->host) >= SOCKET_HOST ||
                              options->port < 1 || options->port > UINT16_MAX))
        return error_set(error, TEMPER_USAGE,
                         "the address of rank 0 is missing: give its host, of at most %d letters, "
                         "and the port of its listener",
                         (int)SOCKET_HOST - 1);
    return TEMPER_OK;
}

/* Without connections; false without memory. */
static bool prepare(struct tcp_group *group, const temper_tcp_options *options)
{
    group->comm = (temper_comm){options->rank, options->size, group, gather, exchange};
    group->silence = options->silence_seconds;
    group->stop = options->stop;
    group->stop_context = options->stop_context;
    group->peer = mem_zeroed(options->size, sizeof *group->peer);
    group->wait = mem_zeroed(options->size, sizeof *group->wait);
    for (size_t r = 0; group->peer && r < options->size; r++)
        group->peer[r].fd = -1;
    return group->peer && group->wait;
}

temper_status tcp_group_meet(const temper_tcp_options *options, struct tcp_group **out, temper_error *error)
{
    TRY(check_options(options, error));
    struct tcp_group *group = mem_zeroed(1, sizeof *group);
    if (!group)
        return error_no_memory(error);
    temper_status status = prepare(group, options) ? TEMPER_OK : error_no_memory(error);
    if (status == TEMPER_OK && options->size > 1)
        status = tcp_meet_peers(group, options, error);
    if (status != TEMPER_OK) {
        tcp_group_free(group);
        return status;
    }
    *out = group;
    return TEMPER_OK;
}
