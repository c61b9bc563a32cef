/* windows_system: processors, signals, waiting for pipes, the width of the console. */
#include <poll.h>
#include <sys/ioctl.h>
#include <windows.h>

#undef signal

enum { POLL_STEP = 10 }; /* milliseconds */

long sysconf(int name)
{
    SYSTEM_INFO about;
    GetSystemInfo(&about);
    return name == _SC_PAGESIZE ? (long)about.dwPageSize : (long)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
}

/* ---- Signals --------------------------------------------------------------------------------- */

/* Those that Windows has not never arrive. */
void (*windows_signal(int number, void (*handler)(int)))(int)
{
    return number == SIGBUS || number == SIGPIPE || number == SIGXFSZ ? SIG_DFL : signal(number, handler);
}

int sigemptyset(int *set)
{
    *set = 0;
    return 0;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    if (old)
        *old = (struct sigaction){.sa_handler = SIG_DFL};
    return action && windows_signal(number, action->sa_handler) == SIG_ERR ? -1 : 0;
}

/* ---- Streams --------------------------------------------------------------------------------- */

/* Whether a read would return at once: always but of a pipe that is open and empty. */
static bool would_return(HANDLE stream)
{
    DWORD waiting = 0;
    if (GetFileType(stream) != FILE_TYPE_PIPE)
        return true;
    return !PeekNamedPipe(stream, NULL, 0, NULL, &waiting, NULL) || waiting > 0;
}

int poll(struct pollfd *request, unsigned count, int milliseconds)
{
    (void)count;
    request->revents = 0;
    if (!(request->events & POLLIN))
        return 1;
    HANDLE stream = (HANDLE)_get_osfhandle(request->fd);
    for (int waited = 0;; waited += POLL_STEP) {
        if (would_return(stream)) {
            request->revents = POLLIN;
            return 1;
        }
        if (milliseconds >= 0 && waited >= milliseconds)
            return 0;
        Sleep(POLL_STEP);
    }
}

int ioctl(int fd, int request, struct winsize *out)
{
    CONSOLE_SCREEN_BUFFER_INFO about;
    if (request != TIOCGWINSZ || !GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(fd), &about))
        return -1;
    out->ws_col = (unsigned short)(about.srWindow.Right - about.srWindow.Left + 1);
    return 0;
}
