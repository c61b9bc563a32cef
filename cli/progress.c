/* progress: draws the status line, writes the log, and handles SIGINT and SIGTERM.
 *
 * The line is drawn on a terminal only, not more often than a person can read, and erased before the report. A signal
 * that comes during the work is noted, and the next callback of the library stops it, so that results so far can be
 * saved; a second one, and any before or after the work, ends the process with the exit code that shells expect. */
#include "progress.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "message.h"
#include "process_group.h"

/* Text lengths are in bytes, MINUTE and HOUR in seconds; 80 columns are assumed where the terminal does not report its
 * width. */
enum { LINE_LENGTH = 160, CLOCK_LENGTH = 24, MINUTE = 60, HOUR = 60 * MINUTE, FEWEST_COLUMNS = 20, USUAL_COLUMNS = 80 };

static const double redraw_seconds = 0.1; /* nobody reads faster */

/* Monotonic, so that durations stay right when the system clock is set. */
double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns the width of the terminal on the standard error. The lower bound keeps the arithmetic of progress_draw valid.
 */
static size_t terminal_columns(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return USUAL_COLUMNS;
    return size.ws_col < FEWEST_COLUMNS ? FEWEST_COLUMNS : size.ws_col;
}

/* A status line only on a terminal: in a log file its carriage returns would be noise. drawn = -infinity makes the
 * first line due at once. */
void progress_begin(struct progress_line *progress, bool quiet, bool verbose)
{
    quiet = quiet || !process_group_is_first();
    *progress = (struct progress_line){.log = verbose && !quiet, .drawn = -INFINITY};
    progress->line = !quiet && !verbose && isatty(STDERR_FILENO) == 1;
    progress->bold = progress->line && messages_have_colours();
    progress->columns = progress->line ? terminal_columns() : USUAL_COLUMNS;
}

/* ---- The status line -------------------------------------------------------------------------- */

/* Formats seconds as 0:07, 12:30 or 1:02:03. */
static const char *clock_text(double seconds, char text[CLOCK_LENGTH])
{
    /* Bounds the text, and the argument of lround, where an estimate is absurdly large. */
    double most = 999.0 * HOUR;
    long all = lround(seconds < most ? seconds : most);
    if (all < HOUR)
        snprintf(text, CLOCK_LENGTH, "%ld:%02ld", all / MINUTE, all % MINUTE);
    else
        snprintf(text, CLOCK_LENGTH, "%ld:%02ld:%02ld", all / HOUR, all / MINUTE % MINUTE, all % MINUTE);
    return text;
}

/* Estimates the seconds left in this phase as the smaller of two extrapolations: the norm of the gradient converges
 * about linearly, so its logarithm falls at a constant rate towards that of the tolerance; and the iterations take
 * equal time up to their limit. NAN as long as neither is known. */
static double seconds_left(const struct progress_line *progress, const temper_train_progress *now)
{
    double spent = now->seconds - progress->begun, log_gradient = log(now->gradient), left = NAN;
    double decrease = progress->log_gradient - log_gradient, remaining = log_gradient - log(now->tolerance);
    if (spent <= 0)
        return NAN;
    /* After an increase of the gradient the rate has no meaning. */
    if (decrease > 0 && isfinite(remaining))
        left = fmax(0, remaining / decrease * spent);
    if (now->iteration > progress->first && now->max_iterations >= now->iteration)
        left = fmin(left, spent / (double)(now->iteration - progress->first) *
                              (double)(now->max_iterations - now->iteration));
    return left; /* fmin ignores a NAN */
}

/* Appends ", 1:30 left" if an estimate exists. */
static void append_left(char text[LINE_LENGTH], double left)
{
    char clock[CLOCK_LENGTH];
    size_t length = strlen(text);
    if (isfinite(left))
        snprintf(text + length, LINE_LENGTH - length, ", %s left", clock_text(left, clock));
}

/* `drawn` is -infinity before the first line, which is therefore due at once. So is one whose clock has started again:
 * that of the estimate of the noise, after a tuning. */
bool progress_is_due(const struct progress_line *progress, double seconds)
{
    return progress->line && !(fabs(seconds - progress->drawn) < redraw_seconds);
}

/* Redraws the line. The rest of the previous line is overwritten with blanks, which work on every terminal, unlike
 * escape sequences. The last column stays free, because some terminals wrap there. */
void progress_draw(struct progress_line *progress, const char *name, const char *text, double seconds)
{
    size_t first = strlen(name), room = progress->columns - 1;
    /* Both texts are truncated to the width: a wrapped line could not be erased by a carriage return. */
    first = first < room ? first : room;
    size_t rest = strlen(text) < room - first ? strlen(text) : room - first;
    size_t over = progress->shown > first + rest ? progress->shown - first - rest : 0;
    fprintf(stderr, "\r%s%.*s%s%.*s%*s", progress->bold ? "\033[1m" : "", (int)first, name,
            progress->bold ? "\033[0m" : "", (int)rest, text, (int)over, "");
    fflush(stderr);
    progress->shown = first + rest;
    progress->drawn = seconds;
}

/* Leaves an empty line, so that the report or an error begins at its first column. */
void progress_end(struct progress_line *progress)
{
    if (progress->shown == 0)
        return;
    fprintf(stderr, "\r%*s\r", (int)progress->shown, "");
    fflush(stderr);
    progress->shown = 0;
}

/* ---- Callbacks for the library ------------------------------------------------------------------ */

/* One line of --verbose. note adds the prefix of all messages and omits the line in other processes. */
static void write_log(const temper_train_progress *now)
{
    char validation[LINE_LENGTH] = "";
    if (isnan(now->objective)) /* an audit before the training, which counts fits */
        return;
    if (!isnan(now->validation))
        snprintf(validation, sizeof validation, ", validation loss %.6g", now->validation);
    note("%s %zu: objective %.9g, gradient %.3e, accuracy %.4f%s, %.3f s", now->phase, now->iteration, now->objective,
         now->gradient, now->accuracy, validation, now->seconds);
}

/* Called by the library after each iteration; a result other than 0 asks it to stop. A solver with several phases
 * starts counting iterations again: a number that does not rise begins another phase and restarts the estimate. */
int progress_follow(void *context, const temper_train_progress *now)
{
    struct progress_line *progress = context;
    char text[LINE_LENGTH], clock[CLOCK_LENGTH];
    if (!progress->started || now->iteration <= progress->last) {
        progress->first = now->iteration;
        progress->begun = now->seconds;
        progress->log_gradient = log(now->gradient);
    }
    progress->started = true;
    progress->last = now->iteration;
    if (progress->log)
        write_log(now);
    if (progress_is_due(progress, now->seconds) && isnan(now->objective)) {
        snprintf(text, sizeof text, "  %zu of %zu fits  %s", now->iteration, now->max_iterations,
                 clock_text(now->seconds, clock));
        progress_draw(progress, now->phase, text, now->seconds);
    } else if (progress_is_due(progress, now->seconds)) {
        snprintf(text, sizeof text, " %zu  objective %.5g  gradient %.1e  accuracy %.1f %%  %s", now->iteration,
                 now->objective, now->gradient, 100 * now->accuracy, clock_text(now->seconds, clock));
        append_left(text, seconds_left(progress, now));
        progress_draw(progress, now->phase, text, now->seconds);
    }
    return interrupt_noted();
}

/* The same for tuning and audit, which count fits and estimate the remaining time themselves. */
int progress_follow_tuning(void *context, const temper_tune_progress *now)
{
    struct progress_line *progress = context;
    char text[LINE_LENGTH], clock[CLOCK_LENGTH];
    if (progress_is_due(progress, now->seconds)) {
        snprintf(text, sizeof text, "  %zu of %zu fits  %s", now->done, now->all, clock_text(now->seconds, clock));
        append_left(text, now->left);
        progress_draw(progress, now->phase, text, now->seconds);
    }
    return interrupt_noted();
}

/* ---- Signals --------------------------------------------------------------------------------- */

enum { SIGNAL_EXIT = 128 }; /* shells add this to the number of a signal */

/* A signal handler may access only objects of this type (C11 7.14.1.1), which is why these are global: the number of
 * the recorded signal, whether signals are deferred, and whether a message is to be printed. */
static volatile sig_atomic_t noted, deferred, announced;

/* A constant: a handler must not format text. */
static const char stopping[] =
    "\ntemper: stopping after this iteration; press again to end at once with nothing saved\n";

/* Records the first signal after interrupt_defer; any other ends the process at once. Only async-signal-safe functions
 * are called: _exit and write. */
static void on_signal(int signal_number)
{
    if (!deferred || noted)
        _exit(SIGNAL_EXIT + signal_number);
    noted = signal_number;
    if (announced && write(STDERR_FILENO, stopping, strlen(stopping)) < 0)
        announced = 0; /* a failure cannot be reported */
}

/* Installs the handler, unless the caller has set the signal to be ignored, as nohup and shells without job control do.
 */
static void handle(int signal_number)
{
    struct sigaction action;
    if (sigaction(signal_number, NULL, &action) != 0 || action.sa_handler == SIG_IGN)
        return;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    /* Without SA_RESTART every read and write of the library would have to handle EINTR. */
    action.sa_flags = SA_RESTART; /* reads and writes continue */
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

/* Until interrupt_defer is called the handler ends the process, with the exit codes that shells expect. */
void interrupt_prepare(void)
{
    handle(SIGINT);
    handle(SIGTERM);
}

/* `announced` is set first: a signal between the two statements must find it ready. */
void interrupt_defer(void)
{
    announced = isatty(STDERR_FILENO) == 1;
    deferred = 1;
}

/* A result for callbacks: not 0 asks the library to stop. */
int interrupt_noted(void)
{
    return noted != 0;
}

/* No signal has come, as SIGPIPE is ignored, but the exit code is to be the same as if it had. */
temper_status interrupt_by_reader(void)
{
    noted = SIGPIPE;
    return TEMPER_INTERRUPTED;
}

/* 128 + signal is the convention of shells for a program that a signal has ended. */
int interrupt_exit_code(temper_status status)
{
    if (status == TEMPER_INTERRUPTED && noted)
        return SIGNAL_EXIT + noted;
    return temper_status_exit_code(status);
}
