/* socket: the system's calls for TCP, made interruptible and bounded in time. */
#include "comm/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    BACKLOG = 128,
    STEP_MS = 100, /* between two questions whether to stop */
    AGAIN_MS = 50, /* between two attempts to connect to a process that does not listen yet */
    PORT_TEXT = 16,
};

double socket_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* An interrupted poll is a moment like others: the caller is asked whether to stop. */
enum socket_wait socket_wait(struct pollfd *each, size_t count, const struct socket_patience *patience)
{
    for (;;) {
        double left = patience->until - socket_now();
        if (left <= 0)
            return SOCKET_LATE;
        int step = left * 1000 < STEP_MS ? (int)(left * 1000) + 1 : STEP_MS;
        int ready = poll(each, (nfds_t)count, step);
        if (ready > 0)
            return SOCKET_READY;
        if (ready < 0 && errno != EINTR) /* more descriptors than are allowed, no memory: it would fail again */
            return SOCKET_LATE;
        if (patience->stop && patience->stop(patience->context))
            return SOCKET_STOPPED;
    }
}

/* The status of a wait that did not end with a ready socket. */
static temper_status waited(enum socket_wait result, const char *what, temper_error *error)
{
    if (result == SOCKET_STOPPED)
        return error_set(error, TEMPER_INTERRUPTED, "interrupted while %s", what);
    return error_set(error, TEMPER_IO, "no answer in time while %s", what);
}

void socket_close(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

/* Non-blocking, and not inherited by programs that are started. Returns the descriptor, or -1 if that fails. */
static int prepared(int fd)
{
    int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);
    if (flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0) {
        socket_set_options(fd);
        return fd;
    }
    socket_close(fd);
    return -1;
}

/* ---- Addresses ------------------------------------------------------------------------------- */

/* The addresses of a host; NULL with the error. */
static struct addrinfo *resolve(const char *host, unsigned port, int flags, temper_error *error)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV}, *found = NULL;
    char service[PORT_TEXT];
    snprintf(service, sizeof service, "%u", port);
    int failed = getaddrinfo(host, service, &hints, &found);
    if (!failed)
        return found;
    error_set(error, TEMPER_IO, "the address of '%.100s' is not known (%s); give the name or address of a machine",
              host ? host : "this machine", gai_strerror(failed));
    return NULL;
}

bool socket_name(int fd, bool own, struct socket_address *address)
{
    static const char mapped[] = "::ffff:"; /* an IPv4 address in a socket of IPv6 */
    struct sockaddr_storage storage;
    socklen_t length = sizeof storage;
    char host[SOCKET_HOST], service[PORT_TEXT];
    struct sockaddr *at = (struct sockaddr *)&storage;
    if ((own ? getsockname(fd, at, &length) : getpeername(fd, at, &length)) != 0 ||
        getnameinfo(at, length, host, sizeof host, service, sizeof service, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return false;
    bool plain = strncmp(host, mapped, strlen(mapped)) == 0 && strchr(host, '.');
    snprintf(address->host, sizeof address->host, "%s", host + (plain ? strlen(mapped) : 0));
    address->port = 0;
    for (const char *digit = service; *digit; digit++)
        address->port = 10 * address->port + (unsigned)(*digit - '0');
    return true;
}

unsigned socket_port(int listener)
{
    struct socket_address own;
    return socket_name(listener, true, &own) ? own.port : 0;
}

/* ---- Connections ----------------------------------------------------------------------------- */

/* A listening socket at one address, or -1 with errno. One of IPv6 accepts IPv4 too. */
static int listen_at(const struct addrinfo *at)
{
    int fd = prepared(socket(at->ai_family, at->ai_socktype, at->ai_protocol)), no = 0;
    if (fd < 0)
        return -1;
    if (at->ai_family == AF_INET6)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    if (bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    int reason = errno;
    socket_close(fd);
    errno = reason;
    return -1;
}

/* Of the addresses of this machine, IPv6 first, as it serves both. */
int socket_listen(const char *host, unsigned port, temper_error *error)
{
    static const int families[] = {AF_INET6, AF_INET};
    struct addrinfo *all = resolve(host, port, AI_PASSIVE, error);
    int fd = -1, reason = 0;
    if (!all)
        return -1;
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (const struct addrinfo *at = all; at && fd < 0; at = at->ai_next)
            if (at->ai_family == families[f] && (fd = listen_at(at)) < 0)
                reason = errno;
    freeaddrinfo(all);
    if (fd < 0)
        error_set(error, TEMPER_IO, "cannot accept connections at %.100s, port %u: %s; give port 0 for a free one",
                  host ? host : "this machine", port, strerror(reason));
    return fd;
}

int socket_accept(int listener)
{
    return prepared(accept(listener, NULL, NULL));
}

/* Waits for a connection that is in progress; its errno, 0 if it was made, -1 if the wait ended. */
static int connection_result(int fd, const struct socket_patience *patience, enum socket_wait *wait)
{
    struct pollfd each = {.fd = fd, .events = POLLOUT};
    int reason = 0;
    socklen_t length = sizeof reason;
    *wait = socket_wait(&each, 1, patience);
    if (*wait != SOCKET_READY)
        return -1;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &reason, &length) == 0 ? reason : errno;
}

/* One attempt at one address: the descriptor, or -1 with *reason. */
static int connect_at(const struct addrinfo *at, const struct socket_patience *patience, int *reason,
                      enum socket_wait *wait)
{
    int fd = prepared(socket(at->ai_family, at->ai_socktype, at->ai_protocol));
    *wait = SOCKET_READY;
    *reason = 0;
    if (fd < 0 || connect(fd, at->ai_addr, at->ai_addrlen) != 0)
        *reason = errno;
    if (fd >= 0 && *reason == EINPROGRESS)
        *reason = connection_result(fd, patience, wait);
    if (*reason == 0)
        return fd;
    socket_close(fd);
    return -1;
}

/* All addresses in turn, again and again: the peer may not listen yet. */
static int connect_any(const struct addrinfo *all, const struct socket_patience *patience, int *reason,
                       enum socket_wait *wait)
{
    for (;;) {
        for (const struct addrinfo *at = all; at; at = at->ai_next) {
            int fd = connect_at(at, patience, reason, wait);
            if (fd >= 0 || *wait != SOCKET_READY)
                return fd;
        }
        /* No descriptor to wait for: time passes. */
        struct socket_patience pause = *patience;
        double again = socket_now() + AGAIN_MS / 1000.0;
        pause.until = again < patience->until ? again : patience->until;
        *wait = socket_wait(NULL, 0, &pause);
        if (*wait == SOCKET_STOPPED || pause.until == patience->until)
            return -1;
    }
}

int socket_connect(const struct socket_address *to, const struct socket_patience *patience, temper_error *error)
{
    char what[2 * SOCKET_HOST + 64];
    enum socket_wait wait = SOCKET_READY;
    int reason = 0;
    struct addrinfo *all = resolve(to->host, to->port, 0, error);
    if (!all)
        return -1;
    int fd = connect_any(all, patience, &reason, &wait);
    freeaddrinfo(all);
    if (fd >= 0)
        return fd;
    snprintf(what, sizeof what, "connecting to %s, port %u", to->host, to->port);
    if (wait == SOCKET_STOPPED || reason <= 0)
        waited(wait, what, error);
    else
        error_set(error, TEMPER_IO, "%s fails: %s; is a process waiting there?", what, strerror(reason));
    return -1;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Of the result of send or recv: whether there is nothing to do now. */
static bool nothing_now(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

int64_t socket_send_some(int fd, const void *bytes, size_t length)
{
    ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);
    return sent >= 0 ? sent : nothing_now() ? 0 : -1;
}

int64_t socket_receive_some(int fd, void *bytes, size_t length)
{
    ssize_t got = recv(fd, bytes, length, 0);
    if (got == 0) {
        errno = 0;
        return -1;
    }
    return got > 0 ? got : nothing_now() ? 0 : -1;
}

/* The connection is lost: the peer, and the reason. */
static temper_status lost(int fd, temper_error *error)
{
    int reason = errno;
    struct socket_address peer = {.host = "the peer"};
    (void)socket_name(fd, false, &peer);
    return error_set(error, TEMPER_IO, "the connection to %s, port %u, was lost: %s", peer.host, peer.port,
                     reason ? strerror(reason) : "the process there has closed it");
}

temper_status socket_send(int fd, const void *bytes, size_t length, const struct socket_patience *patience,
                          temper_error *error)
{
    for (size_t done = 0; done < length;) {
        struct pollfd each = {.fd = fd, .events = POLLOUT};
        enum socket_wait wait = socket_wait(&each, 1, patience);
        if (wait != SOCKET_READY)
            return waited(wait, "sending to another process", error);
        int64_t sent = socket_send_some(fd, (const char *)bytes + done, length - done);
        if (sent < 0)
            return lost(fd, error);
        done += (size_t)sent;
    }
    return TEMPER_OK;
}

temper_status socket_receive(int fd, void *bytes, size_t length, const struct socket_patience *patience,
                             temper_error *error)
{
    for (size_t done = 0; done < length;) {
        struct pollfd each = {.fd = fd, .events = POLLIN};
        enum socket_wait wait = socket_wait(&each, 1, patience);
        if (wait != SOCKET_READY)
            return waited(wait, "waiting for another process", error);
        int64_t got = socket_receive_some(fd, (char *)bytes + done, length - done);
        if (got < 0)
            return lost(fd, error);
        done += (size_t)got;
    }
    return TEMPER_OK;
}
