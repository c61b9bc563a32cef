/* socket_windows: there are no groups of processes by TCP on Windows: nothing listens and nothing connects, with an
 * error that says so; the other calls are therefore never made with a socket. */
#include <poll.h>
#include <time.h>

#include "comm/socket.h"

static int refuse(temper_error *error)
{
    error_set(error, TEMPER_USAGE, "processes cannot be connected by TCP on Windows; run them on Linux or macOS");
    return -1;
}

double socket_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int socket_listen(const char *host, unsigned port, temper_error *error)
{
    (void)host;
    (void)port;
    return refuse(error);
}

int socket_connect(const struct socket_address *to, const struct socket_patience *patience, temper_error *error)
{
    (void)to;
    (void)patience;
    return refuse(error);
}

enum socket_wait socket_wait(struct pollfd *each, size_t count, const struct socket_patience *patience)
{
    (void)each;
    (void)count;
    (void)patience;
    return SOCKET_LATE;
}

unsigned socket_port(int listener)
{
    (void)listener;
    return 0;
}

int socket_accept(int listener)
{
    (void)listener;
    return -1;
}

void socket_close(int fd)
{
    (void)fd;
}

bool socket_name(int fd, bool own, struct socket_address *address)
{
    (void)fd;
    (void)own;
    (void)address;
    return false;
}

temper_status socket_send(int fd, const void *bytes, size_t length, const struct socket_patience *patience,
                          temper_error *error)
{
    (void)fd;
    (void)bytes;
    (void)length;
    (void)patience;
    refuse(error);
    return TEMPER_USAGE;
}

temper_status socket_receive(int fd, void *bytes, size_t length, const struct socket_patience *patience,
                             temper_error *error)
{
    (void)bytes;
    return socket_send(fd, NULL, length, patience, error);
}

int64_t socket_send_some(int fd, const void *bytes, size_t length)
{
    (void)fd;
    (void)bytes;
    (void)length;
    return -1;
}

int64_t socket_receive_some(int fd, void *bytes, size_t length)
{
    (void)bytes;
    return socket_send_some(fd, NULL, length);
}
