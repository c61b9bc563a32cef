/* bench: timing, ratios and the record. */
#include "kernels/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 15, MOST_LINES = 256, MOST_CONTENDERS = 16, MOST_LIMITS = 16 };

static struct line {
    const char *section;
    char what[120];
    double value, target;
    int at_least;  /* 1: the value should be at least the target */
    double median; /* the same ratio of the medians; 0 for what is no ratio of times */
} lines[MOST_LINES];
static struct limit {
    char what[120], unit[8];
    double value;
} limits[MOST_LIMITS];
static size_t line_count, limit_count;
static const char *current_section = "";

static double now(int wall)
{
    struct timespec t;
    /* Of one thread, other programs do not count. */
    clock_gettime(wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_of(const struct contender *contender, int times)
{
    double start = now(contender->wall);
    for (int i = 0; i < times; i++)
        contender->run(contender->context);
    return (now(contender->wall) - start) / times;
}

/* Fewer rounds for what takes long. */
static int rounds_for(const struct contender *contenders, size_t count)
{
    double all = 0;
    for (size_t i = 0; i < count; i++)
        all += seconds_of(&contenders[i], 1);
    return all > 0.3 ? 5 : ROUNDS;
}

/* Enough repetitions for about 5 ms. */
static int repetitions(double once)
{
    return once > 5e-3 ? 1 : (int)(5e-3 / once) + 1;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_time(struct contender *contenders, size_t count)
{
    static double times[MOST_CONTENDERS][ROUNDS];
    if (count > MOST_CONTENDERS)
        return;
    int rounds = rounds_for(contenders, count);
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < count; i++) {
            struct contender *c = &contenders[i];
            double once = seconds_of(c, 1), seconds = once;
            if (repetitions(once) > 1)
                seconds = seconds_of(c, repetitions(once));
            times[i][round] = seconds * 1e9 / c->work;
        }
    for (size_t i = 0; i < count; i++) {
        qsort(times[i], (size_t)rounds, sizeof(double), ascending);
        contenders[i].nanoseconds = times[i][0];
        contenders[i].median = times[i][rounds / 2];
    }
}

static int met(const struct line *line)
{
    return line->at_least ? line->value >= line->target : line->value <= line->target;
}

static struct line *keep(const char *what, double value, double target, int at_least)
{
    static struct line overflow;
    struct line *line = line_count < MOST_LINES ? &lines[line_count++] : &overflow;
    *line = (struct line){current_section, "", value, target, at_least, 0};
    snprintf(line->what, sizeof line->what, "%s", what);
    return line;
}

void bench_section(const char *title)
{
    current_section = title;
    printf("\n%s\n", title);
}

void bench_at_most(const char *what, const struct contender *ours, const struct contender *theirs, double target)
{
    struct line *line = keep(what, ours->nanoseconds / theirs->nanoseconds, target, 0);
    line->median = ours->median / theirs->median;
    printf("  %-62s %8.2f / %8.2f ns = %6.3fx  (at most %g)  %s\n", what, ours->nanoseconds, theirs->nanoseconds,
           line->value, target, met(line) ? "met" : "MISSED");
}

void bench_times_faster(const char *what, const struct contender *ours, const struct contender *theirs, double target)
{
    struct line *line = keep(what, theirs->nanoseconds / ours->nanoseconds, target, 1);
    line->median = theirs->median / ours->median;
    printf("  %-62s %8.1f / %8.2f ns = %6.1fx  (at least %g)  %s\n", what, theirs->nanoseconds, ours->nanoseconds,
           line->value, target, met(line) ? "met" : "MISSED");
}

void bench_figure(const char *what, double value, double at_most)
{
    const struct line *line = keep(what, value, at_most, 0);
    printf("  %-62s %35.3g  (at most %g)  %s\n", what, value, at_most, met(line) ? "met" : "MISSED");
}

void bench_rate(const char *what, double value, double at_least)
{
    const struct line *line = keep(what, value, at_least, 1);
    printf("  %-62s %35.0f  (at least %g)  %s\n", what, value, at_least, met(line) ? "met" : "MISSED");
}

void bench_limit(const char *what, double value, const char *unit)
{
    printf("  %-62s %35.1f %s\n", what, value, unit);
    if (limit_count == MOST_LIMITS)
        return;
    struct limit *limit = &limits[limit_count++];
    limit->value = value;
    snprintf(limit->what, sizeof limit->what, "%s", what);
    snprintf(limit->unit, sizeof limit->unit, "%s", unit);
}

static void save_line(FILE *file, const struct line *line, int last)
{
    fprintf(file,
            "  {\"section\": \"%s\", \"what\": \"%s\", \"value\": %.6g, \"target\": %g, "
            "\"direction\": \"%s\", \"met\": %s",
            line->section, line->what, line->value, line->target, line->at_least ? "at least" : "at most",
            met(line) ? "true" : "false");
    if (line->median > 0)
        fprintf(file, ", \"median\": %.6g", line->median);
    fprintf(file, "}%s\n", last ? "" : ",");
}

int bench_save(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return 0;
    fprintf(file, "{\"lines\": [\n");
    for (size_t i = 0; i < line_count; i++)
        save_line(file, &lines[i], i + 1 == line_count);
    fprintf(file, "],\n\"limits\": [\n");
    for (size_t i = 0; i < limit_count; i++)
        fprintf(file, "  {\"what\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}%s\n", limits[i].what, limits[i].value,
                limits[i].unit, i + 1 < limit_count ? "," : "");
    fprintf(file, "]}\n");
    return fclose(file) == 0;
}
