/* The two-class margin kernels against libm, libmvec and the paper's Algorithm 2. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "kernel/dispatch/kernel.h"
#include "kernels/bench.h"
#include "peers/plain_peers.h"
#include "tempered/losses.h"

enum { MARGINS = 4096 }; /* a block that stays in the first-level cache with its results */

static double margin[MARGINS], value[MARGINS], slope[MARGINS], curvature[MARGINS];

struct setting {
    const struct kernel *kernel;
    struct margin_table table;
    int with_curvature;
};

static void run_kernel(void *context)
{
    const struct setting *s = context;
    s->kernel->margins(&s->table, margin, MARGINS, value, slope, s->with_curvature ? curvature : NULL);
}

static void run_libm(void *context)
{
    (void)context;
    libm_logistic(margin, MARGINS, value, slope);
}

static void run_libmvec(void *context)
{
    (void)context;
    libmvec_logistic(margin, MARGINS, value, slope);
}

/* A share of the margins is enough, and takes long enough. */
static void run_paper(void *context)
{
    const struct setting *s = context;
    paper_margins(margin, MARGINS / 16, s->table.t1, s->table.t2, value, slope);
}

static double largest_error(const struct setting *s)
{
    double worst = 0;
    s->kernel->margins(&s->table, margin, MARGINS, value, slope, curvature);
    for (int i = 0; i < MARGINS; i++) {
        struct margin_loss exact = tempered_margin_loss(margin[i], s->table.t1, s->table.t2);
        worst = fmax(worst, fabs(value[i] - exact.value));
        worst = fmax(worst, fabs(slope[i] - exact.slope));
    }
    return worst;
}

static void compare(const struct kernel *kernel, double t1, double t2)
{
    struct setting *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
    if (!s)
        return;
    s->kernel = kernel;
    s->with_curvature = 0;
    margin_table_build(&s->table, t1, t2);
    struct contender c[] = {
        {.name = "temper", .run = run_kernel, .context = s, .work = MARGINS},
        {.name = "libm", .run = run_libm, .work = MARGINS},
        {.name = "libmvec", .run = run_libmvec, .work = MARGINS},
        {.name = "Algorithm 2", .run = run_paper, .context = s, .work = MARGINS / 16.0},
    };
    char what[120];
    bench_time(c, t2 > 1 ? 4 : 3);
    snprintf(what, sizeof what, "margins (%g, %g) against libm logistic", t1, t2);
    bench_at_most(what, &c[0], &c[1], 0.15);
    snprintf(what, sizeof what, "margins (%g, %g) against libmvec logistic", t1, t2);
    bench_at_most(what, &c[0], &c[2], 0.75);
    if (t2 > 1) {
        snprintf(what, sizeof what, "margins (%g, %g) against the paper's Algorithm 2", t1, t2);
        bench_times_faster(what, &c[0], &c[3], 100);
    }
    snprintf(what, sizeof what, "margins (%g, %g), largest absolute error", t1, t2);
    bench_figure(what, largest_error(s), 1e-12);
    free(s);
}

void bench_margins(const char *folder)
{
    (void)folder;
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    const struct random random = {.seed = 1};
    for (size_t i = 0; i < MARGINS; i++)
        margin[i] = 4 * random_normal(random, i);
    bench_section("Loss and slope of a margin");
    compare(kernel, 1, 1);
    compare(kernel, 0.3, 1);
    compare(kernel, 0.1, 1.12);
    compare(kernel, 0.6, 1.6);
    compare(kernel, 1, 1.9);
}
