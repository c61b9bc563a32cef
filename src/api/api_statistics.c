/* api: statistics over splits. */
#include "base/statistics.h"

#include <math.h>

#include "base/memory.h"
#include "base/status.h"
#include "temper_extra.h"

/* NAN for no values. */
double temper_mean(const double *values, size_t count)
{
    return mean_of(values, count);
}

/* The sample deviation (divisor count - 1); NAN for fewer than two values. */
double temper_standard_deviation(const double *values, size_t count)
{
    return deviation_of(values, count);
}

/* Student's paired t-test of the differences [count]. If all differences are the same nonzero number, the standard
 * error is 0, t is infinite and p is 0. A single pair allows no test: NAN. */
static void compare_means(const double *difference, size_t count, temper_paired_test *paired)
{
    paired->mean = mean_of(difference, count);
    paired->deviation = deviation_of(difference, count);
    paired->t = paired->t_p = NAN;
    if (count < 2)
        return;
    /* Standard error of the mean difference. */
    double error = paired->deviation / sqrt((double)count);
    paired->t = paired->mean == 0 ? 0 : paired->mean / error;
    paired->t_p = student_p(paired->t, (double)(count - 1));
}

/* Wilcoxon's signed-rank test. Pairs without a difference carry no sign and are dropped; if none remains, p is 1.
 * `differing` is a work array of [count]. */
static void compare_ranks(const double *difference, size_t count, struct difference *differing,
                          temper_paired_test *paired)
{
    size_t differ = 0;
    for (size_t i = 0; i < count; i++)
        if (difference[i] != 0)
            differing[differ++] = (struct difference){fabs(difference[i]), difference[i] > 0};
    paired->w = 0;
    paired->w_p = differ > 0 ? wilcoxon_p(differing, differ, &paired->w) : 1;
}

/* Both tests for the pairs (first[i], second[i]). The caller should know that splits of the same data share rows, which
 * makes p too small. */
temper_status temper_paired_compare(const double *first, const double *second, size_t count, temper_paired_test *paired,
                                    temper_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(first[i]) || !isfinite(second[i]))
            return error_set(error, TEMPER_USAGE, "pair %zu is not of finite numbers; leave it out of both lists",
                             i + 1);
    if (count == 0)
        return error_set(error, TEMPER_USAGE, "there is no pair to compare; give at least one");
    double *difference = mem_alloc(count, sizeof *difference);
    struct difference *differing = mem_alloc(count, sizeof *differing);
    bool room = difference && differing;
    for (size_t i = 0; room && i < count; i++)
        difference[i] = first[i] - second[i];
    if (room) {
        paired->count = count;
        compare_means(difference, count, paired);
        compare_ranks(difference, count, differing, paired);
    }
    mem_free(difference);
    mem_free(differing);
    return room ? TEMPER_OK : error_no_memory(error);
}
