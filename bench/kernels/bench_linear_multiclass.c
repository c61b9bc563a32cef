/* One evaluation of the objective of many classes and its gradient, against the most that the
 * processor multiplies, against blocks of BLAS, and tempered against plain. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/dispatch/kernel.h"
#include "kernels/bench.h"
#include "kernels/bench_arrays.h"
#include "kernels/machine_limits.h"
#include "peers/blas_peer.h"

enum { BLAS_BLOCK = 1024 };

/* As the objective has it: an odd number of vectors, so that classes do not share a line's place in
 * the cache. */
static size_t stride_of(size_t rows)
{
    return ((rows + SOFTMAX_PAD - 1) / SOFTMAX_PAD | 1) * SOFTMAX_PAD;
}

struct pass {
    const struct kernel *kernel;
    const struct blas *blas;
    size_t rows, columns, classes, block;
    double t1, t2;
    float *x, *w, *gradient_float, *activation, *residual, *scratch, *loss, *lambda;
    double *gradient;
    uint32_t *label;
};

static void softmax(const struct pass *p, size_t first, size_t rows, size_t stride)
{
    p->kernel->softmax_f32(&(struct softmax_f32){
        .shape = {rows, p->classes, stride, p->t1, p->t2},
        .activation = p->activation,
        .label = p->label + first,
        .gradient = p->residual,
        .loss = p->loss + first,
        .lambda = p->lambda ? p->lambda + first : NULL,
    });
}

static void run_ours(void *context)
{
    const struct pass *p = context;
    for (size_t i = 0; i < p->rows; i += p->block) {
        size_t rows = p->rows - i < p->block ? p->rows - i : p->block;
        struct many_f32 many = {
            .block = {p->x + i * p->columns, rows, p->columns},
            .classes = p->classes,
            .stride = stride_of(rows),
            .scratch = p->scratch,
        };
        p->kernel->linear_f32->many_times(&many, p->w, p->activation);
        softmax(p, i, rows, many.stride);
        p->kernel->linear_f32->many_back(&many, p->residual, p->gradient);
    }
}

/* The same arrays in the same layout; its gradient is in floats alone. */
static void run_blas(void *context)
{
    const struct pass *p = context;
    int classes = (int)p->classes, columns = (int)p->columns, stride = (int)stride_of(BLAS_BLOCK);
    for (size_t i = 0; i < p->rows; i += BLAS_BLOCK) {
        size_t left = p->rows - i;
        int rows = left < BLAS_BLOCK ? (int)left : BLAS_BLOCK;
        const float *x = p->x + i * p->columns;
        p->blas->sgemm(BLAS_ROW_MAJOR, BLAS_TRANSPOSED, BLAS_TRANSPOSED, classes, rows, columns, 1, p->w, classes, x,
                       columns, 0, p->activation, stride);
        softmax(p, i, (size_t)rows, (size_t)stride);
        p->blas->sgemm(BLAS_ROW_MAJOR, BLAS_TRANSPOSED, BLAS_TRANSPOSED, columns, classes, rows, 1, x, columns,
                       p->residual, stride, 1, p->gradient_float, classes);
    }
}

static void run_peak(void *context)
{
    float sink;
    (void)context;
    limit_fma(1000000, &sink);
}

/* ---- Set up
 * -------------------------------------------------------------------------------------- */

static void pass_free(struct pass *p)
{
    free(p->x);
    free(p->w);
    free(p->gradient_float);
    free(p->activation);
    free(p->residual);
    free(p->scratch);
    free(p->loss);
    free(p->lambda);
    free(p->gradient);
    free(p->label);
}

static int pass_fill(struct pass *p)
{
    size_t most = stride_of(p->block > BLAS_BLOCK ? p->block : BLAS_BLOCK), weights = p->columns * p->classes;
    p->x = array_normals(p->rows * p->columns, 1);
    p->w = array_normals(weights, 2 / sqrt((double)p->columns));
    p->gradient_float = array_zeros(weights, sizeof(float));
    p->gradient = array_zeros(weights, sizeof(double));
    p->activation = array_zeros(most * p->classes, sizeof(float));
    p->residual = array_zeros(most * p->classes, sizeof(float));
    p->scratch = array_zeros(linear_scratch(p->block, p->columns, p->classes), sizeof(float));
    p->loss = array_zeros(p->rows, sizeof(float));
    p->lambda = array_zeros(p->rows, sizeof(float));
    p->label = array_zeros(p->rows, sizeof *p->label);
    if (!p->x || !p->w || !p->gradient_float || !p->gradient || !p->activation || !p->residual || !p->scratch ||
        !p->loss || !p->lambda || !p->label)
        return 0;
    for (size_t i = 0; i < p->rows; i++)
        p->label[i] = (uint32_t)(i % p->classes);
    return 1;
}

/* ---- Comparisons
 * --------------------------------------------------------------------------------- */

struct setting {
    size_t rows, columns, classes;
    double most_tempered, least_peak, least_blas;
};

static void report(const struct setting *s, const struct contender *c, const struct blas *blas)
{
    char what[120], size[60];
    float sink;
    double fma = 2 * (double)s->columns * (double)s->classes; /* a row */
    double peak = limit_fma(1000000, &sink) / c[2].nanoseconds;
    snprintf(size, sizeof size, "(%zu x %zu, C = %zu)", s->rows, s->columns, s->classes);
    snprintf(what, sizeof what, "tempered against plain softmax %s", size);
    bench_at_most(what, &c[1], &c[0], s->most_tempered);
    snprintf(what, sizeof what, "percent of the FMA peak, softmax included %s", size);
    bench_rate(what, 100 * fma / c[0].nanoseconds / peak, 100 * s->least_peak);
    if (!blas)
        return;
    snprintf(what, sizeof what, "against sgemm (%s) blocks %s", blas->kernels, size);
    bench_times_faster(what, &c[0], &c[3], s->least_blas);
}

static void compare(const struct kernel *kernel, const struct blas *blas, const struct setting *s)
{
    struct pass plain = {.kernel = kernel, .blas = blas, .rows = s->rows, .columns = s->columns};
    plain.classes = s->classes;
    plain.block = linear_block_rows(s->columns, s->classes, sizeof(float));
    plain.t1 = plain.t2 = 1;
    if (!pass_fill(&plain)) {
        pass_free(&plain);
        return;
    }
    struct pass tempered = plain;
    tempered.t1 = 0.6;
    tempered.t2 = 1.6;
    tempered.lambda = array_zeros(s->rows, sizeof(float)); /* its own last solutions */
    double rows = (double)s->rows;
    struct contender c[] = {
        {.name = "plain", .run = run_ours, .context = &plain, .work = rows},
        {.name = "tempered", .run = run_ours, .context = &tempered, .work = rows},
        {.name = "peak", .run = run_peak, .work = 1},
        {.name = "sgemm", .run = run_blas, .context = &plain, .work = rows},
    };
    bench_time(c, blas ? 4 : 3);
    report(s, c, blas);
    free(tempered.lambda);
    pass_free(&plain);
}

void bench_linear_many(const char *folder)
{
    (void)folder;
    static const struct setting settings[] = {
        {16000, 784, 10, 1.1, 0.5, 2.3}, {200000, 54, 7, 1.25, 0.5, 2.3}, {200000, 16, 26, 1.6, 0.5, 1},
        {4000, 784, 1000, 1.1, 0.5, 1},  {50000, 123, 3, 1.25, 0.5, 2.3}, {4000, 3072, 10, 1.1, 0.5, 2.3},
    };
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    struct blas blas;
    bench_section("Many classes: objective and gradient of dense rows, a row");
    const struct blas *there = blas_open(&blas) ? &blas : NULL;
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
        compare(kernel, there, &settings[k]);
}
