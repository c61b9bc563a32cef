/* progress: a status line or a log of the iterations, and the signals that stop them. */
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "message.h"
#include "process_group.h"
#include "progress.h"

enum { LINE_LENGTH = 160, CLOCK_LENGTH = 24, MINUTE = 60, HOUR = 60 * MINUTE, FEWEST_COLUMNS = 20, USUAL_COLUMNS = 80 };

static const double redraw_seconds = 0.1; /* faster than anybody reads */

static size_t terminal_columns(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return USUAL_COLUMNS;
    return size.ws_col < FEWEST_COLUMNS ? FEWEST_COLUMNS : size.ws_col;
}

/* https://no-color.org: any value but nothing. */
static bool wants_plain(void)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return (no_color && *no_color) || !terminal || strcmp(terminal, "dumb") == 0;
}

void progress_begin(struct progress *progress, bool quiet, bool verbose)
{
    quiet = quiet || !process_group_is_first();
    *progress = (struct progress){.log = verbose && !quiet, .drawn = -INFINITY};
    progress->line = !quiet && !verbose && isatty(STDERR_FILENO) == 1;
    progress->bold = progress->line && !wants_plain();
    progress->columns = progress->line ? terminal_columns() : USUAL_COLUMNS;
}

/* ---- Time ------------------------------------------------------------------------------------ */

/* 0:07, 12:30, 1:02:03 */
static const char *clock_text(double seconds, char text[CLOCK_LENGTH])
{
    double most = 999.0 * HOUR;
    long all = lround(seconds < most ? seconds : most);
    if (all < HOUR)
        snprintf(text, CLOCK_LENGTH, "%ld:%02ld", all / MINUTE, all % MINUTE);
    else
        snprintf(text, CLOCK_LENGTH, "%ld:%02ld:%02ld", all / HOUR, all / MINUTE % MINUTE, all % MINUTE);
    return text;
}

double progress_left(const struct progress *progress, const temper_train_progress *now)
{
    double spent = now->seconds - progress->begun, height = log(now->gradient);
    double fallen = progress->height - height, to_fall = height - log(now->tolerance);
    double left = NAN;
    if (spent <= 0)
        return NAN;
    if (fallen > 0 && isfinite(to_fall))
        left = fmax(0, to_fall / fallen * spent);
    if (now->iteration > progress->first && now->max_iterations >= now->iteration)
        left = fmin(left, spent / (double)(now->iteration - progress->first) *
                              (double)(now->max_iterations - now->iteration));
    return left; /* fmin takes the other one for a NAN */
}

/* ---- The line -------------------------------------------------------------------------------- */

static void describe(const struct progress *progress, const temper_train_progress *now, char text[LINE_LENGTH])
{
    char clock[CLOCK_LENGTH], rest[CLOCK_LENGTH];
    double left = progress_left(progress, now);
    clock_text(now->seconds, clock);
    int length = snprintf(text, LINE_LENGTH, " %zu  objective %.5g  gradient %.1e  accuracy %.1f %%  %s",
                          now->iteration, now->objective, now->gradient, 100 * now->accuracy, clock);
    if (isfinite(left) && length > 0 && length < LINE_LENGTH)
        snprintf(text + length, LINE_LENGTH - (size_t)length, ", %s left", clock_text(left, rest));
}

/* Blanks, not an escape sequence: they erase on every terminal. The last column stays free, where
 * some terminals wrap. */
static void draw(struct progress *progress, const char *name, const char *text, double seconds)
{
    size_t phase = strlen(name), room = progress->columns - 1;
    phase = phase < room ? phase : room;
    size_t rest = strlen(text) < room - phase ? strlen(text) : room - phase;
    size_t over = progress->shown > phase + rest ? progress->shown - phase - rest : 0;
    fprintf(stderr, "\r%s%.*s%s%.*s%*s", progress->bold ? "\033[1m" : "", (int)phase, name,
            progress->bold ? "\033[0m" : "", (int)rest, text, (int)over, "");
    fflush(stderr);
    progress->shown = phase + rest;
    progress->drawn = seconds;
}

void progress_end(struct progress *progress)
{
    if (progress->shown == 0)
        return;
    fprintf(stderr, "\r%*s\r", (int)progress->shown, "");
    fflush(stderr);
    progress->shown = 0;
}

/* ---- The callback ---------------------------------------------------------------------------- */

static void write_log(const temper_train_progress *now)
{
    char validation[LINE_LENGTH] = "";
    if (!isnan(now->validation))
        snprintf(validation, sizeof validation, ", validation loss %.6g", now->validation);
    note("%s %zu: objective %.9g, gradient %.3e, accuracy %.4f%s, %.3f s", now->phase, now->iteration, now->objective,
         now->gradient, now->accuracy, validation, now->seconds);
}

int progress_follow(void *context, const temper_train_progress *now)
{
    struct progress *progress = context;
    if (!progress->moving || now->iteration <= progress->last) { /* another phase */
        progress->first = now->iteration;
        progress->begun = now->seconds;
        progress->height = log(now->gradient);
    }
    progress->moving = true;
    progress->last = now->iteration;
    if (progress->log)
        write_log(now);
    if (progress->line && !(now->seconds - progress->drawn < redraw_seconds)) {
        char text[LINE_LENGTH];
        describe(progress, now, text);
        draw(progress, now->phase, text, now->seconds);
    }
    return interrupt_noted();
}

int progress_follow_tuning(void *context, const temper_tune_progress *now)
{
    struct progress *progress = context;
    char text[LINE_LENGTH], clock[CLOCK_LENGTH], rest[CLOCK_LENGTH];
    if (!progress->line || now->seconds - progress->drawn < redraw_seconds)
        return interrupt_noted();
    int length =
        snprintf(text, sizeof text, "  %zu of %zu fits  %s", now->done, now->all, clock_text(now->seconds, clock));
    if (isfinite(now->left) && length > 0 && length < LINE_LENGTH)
        snprintf(text + length, LINE_LENGTH - (size_t)length, ", %s left", clock_text(now->left, rest));
    draw(progress, now->phase, text, now->seconds);
    return interrupt_noted();
}

/* ---- Signals --------------------------------------------------------------------------------- */

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
