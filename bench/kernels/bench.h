/* bench: times contenders interleaved in one run, and prints their ratios beside the targets.
 * A missed target is said, never an error: timing decides no test. */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>

/* One of the things compared; run() does `work` units (margins, rows). */
struct contender {
    const char *name;
    void (*run)(void *context);
    void *context;
    double work;
    int wall;           /* time on the wall, for what uses several threads; else of this thread's processor */
    double nanoseconds; /* per unit of work, the best of all rounds; filled by bench_time */
    double median;      /* the same, the median of them */
};

/* Times all of them in turns, so that a noisy moment hits each alike. */
void bench_time(struct contender *contenders, size_t count);

/* Prints "what: ours / theirs = ratio (target)" and keeps it for the record. A target below 1 asks
 * for a ratio of at most that; above 1 (`times faster`) for at least. */
void bench_at_most(const char *what, const struct contender *ours, const struct contender *theirs, double target);
void bench_times_faster(const char *what, const struct contender *ours, const struct contender *theirs, double target);
/* A number that is not a time, e.g. the largest error; and one that should be large. */
void bench_figure(const char *what, double value, double at_most);
void bench_rate(const char *what, double value, double at_least);

/* What the machine can do: neither ours nor a peer's, so no target. */
void bench_limit(const char *what, double value, const char *unit);

/* Headings, and the record of all lines as JSON. */
void bench_section(const char *title);
int bench_save(const char *path);

/* The sections, as main.c names them. Those that make files make them in `folder`, and remove them.
 */
void bench_limits(const char *folder);
void bench_margins(const char *folder);
void bench_softmax(const char *folder);
void bench_linear(const char *folder);
void bench_linear_many(const char *folder);
void bench_group(const char *folder);
void bench_sparse(const char *folder);
void bench_read(const char *folder);
void bench_evaluate(const char *folder);
void bench_below_one(const char *folder);
void bench_passes(const char *folder);

#endif
