/* socket_options: how long a connection lives whose other machine does not answer; here for Linux. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "comm/socket.h"

/* The first question after 10 silent seconds, then every 5; lost after the fourth without an answer. */
enum { IDLE_S = 10, INTERVAL_S = 5, QUESTIONS = 4, UNACKNOWLEDGED_MS = 30000 };

/* Failures are ignored: the connection works without, and the deadline of the caller remains. */
void socket_set_options(int fd)
{
    static const struct {
        int level, option, value;
    } each[] = {{IPPROTO_TCP, TCP_NODELAY, 1},         {SOL_SOCKET, SO_KEEPALIVE, 1},
                {IPPROTO_TCP, TCP_KEEPIDLE, IDLE_S},   {IPPROTO_TCP, TCP_KEEPINTVL, INTERVAL_S},
                {IPPROTO_TCP, TCP_KEEPCNT, QUESTIONS}, {IPPROTO_TCP, TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS}};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        (void)setsockopt(fd, each[i].level, each[i].option, &each[i].value, sizeof each[i].value);
}
