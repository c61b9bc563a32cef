/* Many two-class models at once on the same rows, a model and pass: against an objective of its own
 * for each, and against a plain kernel that goes through the rows one by one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "data/from_arrays.h"
#include "kernel/dispatch/kernel.h"
#include "kernels/bench.h"
#include "kernels/bench_arrays.h"
#include "kernels/machine_limits.h"
#include "objective/batch/multi_objective.h"
#include "objective/objective.h"
#include "peers/plain_peers.h"

enum { MODELS = 32, FOLDS = 8 };

struct shape {
    size_t rows, columns;
    double plain, own; /* at least so many times faster than each */
    double peak;       /* at least this share of the multiply-adds that there could be; 0: any */
};

struct table {
    struct shape shape;
    float *x;
    int *label;
    uint32_t *fold;
    struct dataset *data;
    struct objective *objective;
    struct multi_objective *group;
    const struct kernel *kernel;
    struct margin_table margins;
    double *w, *gradient; /* [model * size + number] */
    float *w_float, *gradient_float;
    struct multi_request ask[MODELS];
    double value;
};

static void run_group(void *context)
{
    struct table *t = context;
    multi_evaluate(t->group, t->ask, MODELS, NULL);
}

static void run_objective(void *context)
{
    struct table *t = context;
    objective_evaluate(t->objective, t->w, &t->value, t->gradient, NULL);
}

/* What one would write first: a row, its loss, the row again. */
static void run_plain(void *context)
{
    struct table *t = context;
    for (size_t i = 0; i < t->shape.rows; i++) {
        const float *x = t->x + i * t->shape.columns;
        double sign = t->label[i] ? 1 : -1, value, slope;
        double margin = sign * (double)plain_times(x, t->w_float, t->shape.columns);
        t->kernel->margins(&t->margins, &margin, 1, &value, &slope, NULL);
        t->value += value;
        plain_add(t->gradient_float, (float)(sign * slope), x, t->shape.columns);
    }
}

static void run_peak(void *context)
{
    float sink;
    (void)context;
    limit_fma(1000000, &sink);
}

/* ---- Set up ---------------------------------------------------------------------------------- */

static const temper_loss_spec LOSS = {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1.12};

static void table_free(struct table *t)
{
    multi_objective_free(t->group);
    objective_free(t->objective);
    dataset_free(t->data);
    free(t->x);
    free(t->label);
    free(t->fold);
    free(t->w);
    free(t->gradient);
    free(t->w_float);
    free(t->gradient_float);
}

static int make_arrays(struct table *t)
{
    const struct random random = {.seed = 5};
    size_t rows = t->shape.rows, columns = t->shape.columns, size = columns + 1;
    t->x = array_normals(rows * columns, 1);
    t->label = array_zeros(rows, sizeof *t->label);
    t->fold = array_zeros(rows, sizeof *t->fold);
    t->w = array_zeros(MODELS * size, sizeof *t->w);
    t->gradient = array_zeros(MODELS * size, sizeof *t->gradient);
    t->w_float = array_zeros(size, sizeof *t->w_float);
    t->gradient_float = array_zeros(size, sizeof *t->gradient_float);
    if (!t->x || !t->label || !t->fold || !t->w || !t->gradient || !t->w_float || !t->gradient_float)
        return 0;
    for (size_t i = 0; i < rows; i++) {
        t->label[i] = (int)(random_uniform(random, i) * 2);
        t->fold[i] = (uint32_t)(i % FOLDS);
    }
    for (size_t i = 0; i < MODELS * size; i++) /* activations of about 2 */
        t->w[i] = 2 / sqrt((double)columns) * random_normal(random, i);
    for (size_t j = 0; j < columns; j++)
        t->w_float[j] = (float)t->w[j];
    return 1;
}

/* Folds times penalties. */
static int make_group(struct table *t)
{
    const uint32_t *partition = t->fold;
    struct multi_member member[MODELS];
    struct multi_spec spec = {.data = t->data, .intercept = true, .threads = 1, .partition = &partition};
    for (size_t m = 0; m < MODELS; m++) {
        size_t from = m * (t->shape.columns + 1);
        member[m] = (struct multi_member){LOSS, 1e-4 * (double)m, 0, (uint32_t)(m % FOLDS)};
        t->ask[m] = (struct multi_request){
            .kind = MULTI_EVALUATE, .member = m, .w = t->w + from, .gradient = t->gradient + from};
    }
    return multi_objective_new(&spec, member, MODELS, &t->group, NULL) == TEMPER_OK;
}

static int table_make(struct table *t, const struct kernel *kernel, struct shape shape)
{
    *t = (struct table){.shape = shape, .kernel = kernel};
    margin_table_build(&t->margins, LOSS.t1, LOSS.t2);
    if (!make_arrays(t))
        return 0;
    struct matrix x = {.kind = MATRIX_F32,
                       .rows = shape.rows,
                       .columns = shape.columns,
                       .nonzeros = shape.rows * shape.columns,
                       .dense = t->x};
    if (dataset_from_matrix(&x, t->label, &t->data, NULL) != TEMPER_OK)
        return 0;
    struct objective_spec spec = {.data = t->data, .loss = LOSS, .l2 = 1e-4, .intercept = true, .threads = 1};
    return objective_new(&spec, &t->objective, NULL) == TEMPER_OK && make_group(t);
}

/* ---- Comparisons ----------------------------------------------------------------------------- */

enum { GROUP, OWN, PLAIN, PEAK, WAYS };

static void report(const struct shape *s, const struct contender *c)
{
    char what[120];
    float sink;
    double fma = 2 * (double)s->rows * (double)s->columns; /* a model and pass */
    double peak = limit_fma(1000000, &sink) / c[PEAK].nanoseconds;
    printf("  %zu x %zu: %.3f ms a model and pass; an objective of its own %.3f, plain %.3f\n", s->rows, s->columns,
           1e-6 * c[GROUP].nanoseconds, 1e-6 * c[OWN].nanoseconds, 1e-6 * c[PLAIN].nanoseconds);
    snprintf(what, sizeof what, "%d models against row by row (%zu x %zu)", MODELS, s->rows, s->columns);
    bench_times_faster(what, &c[GROUP], &c[PLAIN], s->plain);
    snprintf(what, sizeof what, "%d models against one at a time (%zu x %zu)", MODELS, s->rows, s->columns);
    bench_times_faster(what, &c[GROUP], &c[OWN], s->own);
    snprintf(what, sizeof what, "percent of the FMA peak, losses included (%zu x %zu)", s->rows, s->columns);
    if (s->peak > 0)
        bench_rate(what, 100 * fma / c[GROUP].nanoseconds / peak, 100 * s->peak);
}

static void compare(const struct kernel *kernel, struct shape shape)
{
    struct table t;
    if (table_make(&t, kernel, shape)) {
        struct contender c[WAYS] = {
            [GROUP] = {.name = "group", .run = run_group, .context = &t, .work = MODELS},
            [OWN] = {.name = "objective", .run = run_objective, .context = &t, .work = 1},
            [PLAIN] = {.name = "plain", .run = run_plain, .context = &t, .work = 1},
            [PEAK] = {.name = "peak", .run = run_peak, .work = 1},
        };
        bench_time(c, WAYS);
        report(&shape, c);
    } else {
        printf("  %zu x %zu: NOT MEASURED: no memory\n", shape.rows, shape.columns);
    }
    table_free(&t);
}

void bench_group(const char *folder)
{
    (void)folder;
    static const struct shape shapes[] = {
        {12000, 784, 6, 5, 0.5}, {12000, 3072, 6, 5, 0}, {50000, 123, 6, 5, 0}, {200000, 54, 6, 5, 0}};
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    bench_section("Many two-class models at once: objective and gradient of dense rows, a model");
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        compare(kernel, shapes[k]);
}
