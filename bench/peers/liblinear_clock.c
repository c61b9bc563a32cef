/* liblinear_clock: a library that liblinear-train is started with (LD_PRELOAD). It takes the place of train() of
 * LIBLINEAR, calls the real one, and prints the processor seconds of that call, so that reading the file and writing
 * the model are no part of them. A run that stops at once is no measure of the reading: it trains too, for one
 * iteration. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* train() of linear.h; what the arguments point at is passed on as it is. */
typedef void *train_function(const void *problem, const void *parameter);

void *train(const void *problem, const void *parameter);

/* Of this thread, the only one: where processor time is limited, the clock of the process has ticks of milliseconds. */
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void *train(const void *problem, const void *parameter)
{
    void *symbol = dlsym(RTLD_NEXT, "train");
    train_function *real;
    if (!symbol)
        return NULL;
    memcpy(&real, &symbol, sizeof real); /* C has no conversion between pointers to objects and to functions */
    const double start = processor_seconds();
    void *model = real(problem, parameter);
    printf("train() %.9f\n", processor_seconds() - start);
    return model;
}
