/* socket: TCP connections with deadlines: listen, connect, accept, send and receive exactly so many bytes.
 *
 * All descriptors are non-blocking and are closed in programs that this one starts. No call raises SIGPIPE. */
#ifndef COMM_SOCKET_H
#define COMM_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Numeric addresses: 46 bytes for IPv6, and the name of an interface after '%'. */
enum { SOCKET_HOST = 64 };

struct socket_address {
    char host[SOCKET_HOST];
    unsigned port;
};

/* When a call gives up: at a time of the monotonic clock, or when the caller wants to stop. */
struct socket_patience {
    double until;               /* seconds, as socket_now() counts them */
    int (*stop)(void *context); /* NULL, or asked several times a second while waiting; not 0 ends the call */
    void *context;
};

double socket_now(void);

/* What became of waiting. */
enum socket_wait { SOCKET_READY, SOCKET_LATE, SOCKET_STOPPED };

struct pollfd;
/* Waits until one of the descriptors is ready. */
enum socket_wait socket_wait(struct pollfd *each, size_t count, const struct socket_patience *patience);

/* Accepts connections at a host (NULL: at all addresses of this machine) and port (0: any that is free). Returns a
 * descriptor, or -1 with the error. */
int socket_listen(const char *host, unsigned port, temper_error *error);
/* The port of a listening socket; 0 if it cannot be found out. */
unsigned socket_port(int listener);

/* Connects; tries again, while the peer refuses, until the deadline. Returns a descriptor, or -1 with the error. */
int socket_connect(const struct socket_address *to, const struct socket_patience *patience, temper_error *error);
/* The next connection of a listening socket; -1 if there is none now. */
int socket_accept(int listener);
void socket_close(int fd);

/* The address of the peer or, if `own`, of this end. An IPv4 address is written as such also where the socket is one
 * of IPv6. */
bool socket_name(int fd, bool own, struct socket_address *address);

/* Exactly so many bytes. The error names the peer. */
temper_status socket_send(int fd, const void *bytes, size_t length, const struct socket_patience *patience,
                          temper_error *error);
temper_status socket_receive(int fd, void *bytes, size_t length, const struct socket_patience *patience,
                             temper_error *error);

/* One step of sending or receiving what is possible now: how many bytes; 0 if nothing is; -1 if the connection is
 * lost, with errno, which is 0 if the peer has closed it. */
int64_t socket_send_some(int fd, const void *bytes, size_t length);
int64_t socket_receive_some(int fd, void *bytes, size_t length);

/* Sends small messages at once, and makes the system notice within about half a minute that the machine of the peer is
 * gone (socket_options.c, and in folders of other systems). */
void socket_set_options(int fd);

#endif
