/* The multiclass tempered softmax + gradient against plain softmax done the same way, and against
 * the paper's Algorithm 1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "kernel/dispatch/kernel.h"
#include "kernels/bench.h"
#include "peers/plain_peers.h"

enum { MOST = 16384 }; /* rows * classes of a block */

static alignas(64) float activation[MOST], gradient[MOST], loss[MOST], lambda[MOST];
static uint32_t label[MOST];

struct setting {
    const struct kernel *kernel;
    struct softmax_f32 block;
};

static void run_kernel(void *context)
{
    const struct setting *s = context;
    s->kernel->softmax_f32(&s->block);
}

/* One row in sixteen, as doubles beside each other: the friendliest layout for it. */
static void run_paper(void *context)
{
    const struct setting *s = context;
    const struct softmax_shape *shape = &s->block.shape;
    static double row[1000], row_gradient[1000];
    for (size_t i = 0; i < shape->rows; i += 16) {
        for (size_t c = 0; c < shape->classes; c++)
            row[c] = (double)activation[c * shape->stride + i];
        loss[i] = (float)paper_row(row, shape->classes, label[i], shape->t1, shape->t2, row_gradient);
    }
}

static struct setting setting(const struct kernel *kernel, size_t classes, double t1, double t2)
{
    size_t rows = MOST / classes / 16 * 16;
    return (struct setting){
        .kernel = kernel,
        .block = {.shape = {rows, classes, rows, t1, t2},
                  .activation = activation,
                  .label = label,
                  .gradient = gradient,
                  .loss = loss},
    };
}

static void compare(const struct kernel *kernel, size_t classes, double t1, double t2)
{
    struct setting tempered = setting(kernel, classes, t1, t2), warm = tempered;
    struct setting plain = setting(kernel, classes, 1, 1);
    double rows = (double)plain.block.shape.rows, most = classes < 100 ? 7 : 5;
    char what[120];
    warm.block.lambda = lambda;
    for (size_t i = 0; i < MOST; i++)
        label[i] = (uint32_t)(i % classes);
    struct contender c[] = {
        {.name = "tempered", .run = run_kernel, .context = &tempered, .work = rows},
        {.name = "tempered, warm", .run = run_kernel, .context = &warm, .work = rows},
        {.name = "softmax", .run = run_kernel, .context = &plain, .work = rows},
        {.name = "Algorithm 1", .run = run_paper, .context = &tempered, .work = rows / 16},
    };
    bench_time(c, 4);
    snprintf(what, sizeof what, "softmax (%g, %g), C = %zu, against plain softmax", t1, t2, classes);
    bench_at_most(what, &c[0], &c[2], most);
    snprintf(what, sizeof what, "softmax (%g, %g), C = %zu, against plain softmax, lambda kept", t1, t2, classes);
    bench_at_most(what, &c[1], &c[2], most);
    snprintf(what, sizeof what, "softmax (%g, %g), C = %zu, against Algorithm 1", t1, t2, classes);
    bench_times_faster(what, &c[0], &c[3], 20);
    snprintf(what, sizeof what, "softmax (%g, %g), C = %zu, ns a row, lambda kept", t1, t2, classes);
    bench_figure(what, c[1].nanoseconds, classes < 100 ? 30 : 1500);
}

void bench_softmax(const char *folder)
{
    (void)folder;
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    const struct random random = {.seed = 2};
    for (size_t i = 0; i < MOST; i++)
        activation[i] = (float)(3 * random_normal(random, i));
    bench_section("Tempered softmax and gradient of a row (f32)");
    const double temperatures[][2] = {{0.1, 1.12}, {0.6, 1.6}, {1, 1.9}};
    for (size_t i = 0; i < 3; i++) {
        compare(kernel, 10, temperatures[i][0], temperatures[i][1]);
        compare(kernel, 1000, temperatures[i][0], temperatures[i][1]);
    }
}
