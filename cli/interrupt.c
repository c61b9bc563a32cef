/* interrupt: a handler that does next to nothing. */
#include "interrupt.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { SIGNAL_EXIT = 128 }; /* what shells add to the number of a signal */

/* A handler has no other way to be told, nor to tell. */
static volatile sig_atomic_t noted, deferred, told;

static const char stopping[] =
    "\ntemper: stopping after this iteration; once more, and it ends at once with nothing saved\n";

static void on_signal(int signal_number)
{
    if (!deferred || noted)
        _exit(SIGNAL_EXIT + signal_number);
    noted = signal_number;
    if (told && write(STDERR_FILENO, stopping, strlen(stopping)) < 0)
        told = 0; /* who could be told of that? */
}

/* What the caller has set to be ignored, as nohup and shells without job control do, stays so. */
static void handle(int signal_number)
{
    struct sigaction action;
    if (sigaction(signal_number, NULL, &action) != 0 || action.sa_handler == SIG_IGN)
        return;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART; /* no read or write has to know */
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

void interrupt_prepare(void)
{
    handle(SIGINT);
    handle(SIGTERM);
}

void interrupt_defer(void)
{
    told = isatty(STDERR_FILENO) == 1;
    deferred = 1;
}

int interrupt_noted(void)
{
    return noted != 0;
}

temper_status interrupt_by_reader(void)
{
    noted = SIGPIPE;
    return TEMPER_INTERRUPTED;
}

int interrupt_exit_code(temper_status status)
{
    if (status == TEMPER_INTERRUPTED && noted)
        return SIGNAL_EXIT + noted;
    return temper_status_exit_code(status);
}
