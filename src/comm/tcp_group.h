/* tcp_group: processes that are connected by TCP, each with each, and the two collective operations of temper_comm.
 *
 * tcp_meeting.c makes the connections, tcp_group.c uses them. */
#ifndef COMM_TCP_GROUP_H
#define COMM_TCP_GROUP_H

#include "comm/socket.h"
#include "temper_extra.h"
#include "temper_tcp.h"

enum {
    TCP_TOKEN_LEAST = 16,
    TCP_TOKEN_MOST = 64,
    TCP_RANKS_MOST = 4096,
};

/* A listening socket: what temper_tcp_listener is a public name of. */
struct tcp_listener {
    int fd;
};

/* Before each block of a collective operation. `call` counts the operations, so that processes that do not make the
 * same ones notice it. */
struct tcp_frame {
    uint64_t call, length;
};

/* The other end of a connection, and how far the current operation is with it. */
struct tcp_peer {
    int fd; /* -1: this process itself, or not connected */
    struct socket_address address;
    struct tcp_frame out_frame, in_frame;
    const char *out;
    char *in;
    size_t out_bytes, in_bytes; /* of the block */
    size_t out_done, in_done;   /* of the frame and the block */
};

struct tcp_group {
    temper_comm comm; /* its context is this struct */
    struct tcp_peer *peer;
    struct pollfd *wait; /* one for each peer */
    uint64_t calls;
    double silence; /* seconds without a byte of any peer after which an operation fails */
    int (*stop)(void *context);
    void *stop_context;
    temper_error failure; /* the first one; later operations fail with it at once */
};

/* Fields as in temper_tcp_options; rank 0 has a listener, the others an address. */
temper_status tcp_group_meet(const temper_tcp_options *options, struct tcp_group **out, temper_error *error);
void tcp_group_free(struct tcp_group *group);
/* Sends all others the reason why this process ends; their next operation fails with these words. */
void tcp_group_abort(struct tcp_group *group, const char *reason);

/* Connects the peers of a group whose ranks, sizes and descriptors (-1) are set (tcp_meeting.c). */
temper_status tcp_meet_peers(struct tcp_group *group, const temper_tcp_options *options, temper_error *error);

#endif
