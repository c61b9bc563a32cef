/* poll: waits until a pipe has bytes (windows_system.c). */
#ifndef BASE_WINDOWS_POLL_H
#define BASE_WINDOWS_POLL_H

enum { POLLIN = 1, POLLOUT = 4, POLLERR = 8 };

struct pollfd {
    int fd;
    short events, revents;
};

/* Of one descriptor; files, devices and outputs are always ready. */
int poll(struct pollfd *request, unsigned count, int milliseconds);

#endif
