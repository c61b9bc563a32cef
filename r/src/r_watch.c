/* r_watch: while the library works, looks now and then whether the user has interrupted it, and records the course. */
#include <stdlib.h>

#include "r_temper.h"

/* Seconds between two looks. */
static const double PATIENCE = 0.02;

static void watch_finalize(SEXP pointer)
{
    struct call_watch *watch = R_ExternalPtrAddr(pointer);
    if (watch)
        free(watch->history);
    R_Free(watch);
    R_ClearExternalPtr(pointer);
}

SEXP watch_holder(struct call_watch **watch)
{
    SEXP pointer = block_holder(sizeof **watch, watch_finalize);
    *watch = R_ExternalPtrAddr(pointer);
    (*watch)->caller = pthread_self();
    return pointer;
}

static void check_interrupt(void *unused)
{
    (void)unused;
    R_CheckUserInterrupt();
}

/* R_CheckUserInterrupt leaves by longjmp, which must not pass through the library: R_ToplevelExec stops it here. */
static int is_interrupted(struct call_watch *watch, double seconds)
{
    if (watch->interrupted || !pthread_equal(watch->caller, pthread_self()) || seconds - watch->looked < PATIENCE)
        return watch->interrupted;
    watch->looked = seconds;
    watch->interrupted = !R_ToplevelExec(check_interrupt, NULL);
    return watch->interrupted;
}

/* Without memory the course is incomplete, and nothing else suffers. */
static void record(struct call_watch *watch, double objective, double gradient)
{
    if (watch->count == watch->capacity) {
        size_t capacity = watch->capacity ? 2 * watch->capacity : 64;
        double *history = realloc(watch->history, capacity * 2 * sizeof *history);
        if (!history)
            return;
        watch->history = history;
        watch->capacity = capacity;
    }
    watch->history[2 * watch->count] = objective;
    watch->history[2 * watch->count + 1] = gradient;
    watch->count++;
}

/* Of calibration, hold-out and audits nothing is recorded: their objectives are those of other fits. */
int watch_training(void *context, const temper_train_progress *progress)
{
    struct call_watch *watch = context;
    if (progress->phase[0] == 't' || progress->phase[0] == 's') /* "train", "start 2 of 3" */
        record(watch, progress->objective, progress->gradient);
    return is_interrupted(watch, progress->seconds);
}

int watch_tuning(void *context, const temper_tune_progress *progress)
{
    return is_interrupted(context, progress->seconds);
}
