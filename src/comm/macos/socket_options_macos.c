/* socket_options_macos: as socket_options.c, with the names and units of macOS; and no signal for a lost connection. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "comm/socket.h"

/* The first question after 10 silent seconds, then every 5; lost after the fourth without an answer. */
enum { IDLE_S = 10, INTERVAL_S = 5, QUESTIONS = 4, UNACKNOWLEDGED_S = 30 };

/* Failures are ignored: the connection works without, and the deadline of the caller remains. */
void socket_set_options(int fd)
{
    static const struct {
        int level, option, value;
    } each[] = {{SOL_SOCKET, SO_NOSIGPIPE, 1},
                {IPPROTO_TCP, TCP_NODELAY, 1},
                {SOL_SOCKET, SO_KEEPALIVE, 1},
                {IPPROTO_TCP, TCP_KEEPALIVE, IDLE_S},
                {IPPROTO_TCP, TCP_KEEPINTVL, INTERVAL_S},
                {IPPROTO_TCP, TCP_KEEPCNT, QUESTIONS},
                {IPPROTO_TCP, TCP_RXT_CONNDROPTIME, UNACKNOWLEDGED_S}};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        (void)setsockopt(fd, each[i].level, each[i].option, &each[i].value, sizeof each[i].value);
}
