/* One evaluation of the objective as training does it, against just reading the rows; and what the
 * temperatures cost. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "data/from_arrays.h"
#include "kernels/bench.h"
#include "kernels/bench_arrays.h"
#include "kernels/bench_passes.h"
#include "kernels/machine_limits.h"
#include "objective/objective.h"

static const temper_loss_spec LOGISTIC = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
                              TEMPERED = {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1.12};

struct shape {
    const char *name;
    size_t rows, columns, classes;
    double tempered; /* at most so many times the logistic loss; 0: not compared */
    int large;       /* beyond the caches */
};

/* Rows of one shape in all three types, and their labels. */
struct table {
    struct shape shape;
    float *x;
    uint8_t *byte;
    double *wide;
    int *label;
    float sink;
};

/* An objective and a point to evaluate it at. */
struct evaluation {
    struct dataset *data;
    struct objective *objective;
    double *w, *gradient;
};

/* ---- Set up ---------------------------------------------------------------------------------- */

static void table_free(struct table *t)
{
    free(t->x);
    free(t->byte);
    free(t->wide);
    free(t->label);
}

static int table_make(struct table *t, struct shape shape)
{
    size_t numbers = shape.rows * shape.columns;
    const struct random random = {.seed = 5};
    *t = (struct table){.shape = shape,
                        .x = array_normals(numbers, 1),
                        .byte = array_zeros(numbers, 1),
                        .wide = shape.large ? NULL : array_zeros(numbers, sizeof(double)),
                        .label = array_zeros(shape.rows, sizeof(int))};
    if (!t->x || !t->byte || (!shape.large && !t->wide) || !t->label)
        return 0;
    for (size_t i = 0; i < numbers; i++) {
        t->byte[i] = (uint8_t)(128 + 40 * t->x[i]);
        if (t->wide)
            t->wide[i] = (double)t->x[i];
    }
    for (size_t i = 0; i < shape.rows; i++)
        t->label[i] = (int)(random_uniform(random, i) * (double)shape.classes);
    return 1;
}

static void evaluation_free(struct evaluation *e)
{
    objective_free(e->objective);
    dataset_free(e->data);
    free(e->w);
    free(e->gradient);
}

/* Activations of about 2 in size, whatever the shape and type. */
static void choose_point(struct evaluation *e, const struct table *t, enum matrix_kind kind)
{
    const struct random random = {.seed = 7};
    size_t size = objective_size(e->objective);
    double scale = 2 / sqrt((double)t->shape.columns) / (kind == MATRIX_U8 ? 134 : 1);
    e->w = array_zeros(size, sizeof(double));
    e->gradient = array_zeros(size, sizeof(double));
    for (size_t i = 0; e->w && i < size; i++)
        e->w[i] = scale * random_normal(random, i);
}

static int evaluation_make(struct evaluation *e, const struct table *t, enum matrix_kind kind, temper_loss_spec loss,
                           bool f64)
{
    const void *dense[] = {[MATRIX_F32] = t->x, [MATRIX_F64] = t->wide, [MATRIX_U8] = t->byte};
    struct matrix x = {.kind = kind,
                       .rows = t->shape.rows,
                       .columns = t->shape.columns,
                       .nonzeros = t->shape.rows * t->shape.columns,
                       .dense = dense[kind]};
    temper_error error;
    *e = (struct evaluation){0};
    if (dataset_from_matrix(&x, t->label, &e->data, &error) != TEMPER_OK)
        return 0;
    struct objective_spec spec = {
        .data = e->data, .loss = loss, .l2 = 1e-4, .intercept = true, .f64 = f64, .threads = 1};
    if (objective_new(&spec, &e->objective, &error) == TEMPER_OK)
        choose_point(e, t, kind);
    return e->objective && e->w && e->gradient;
}

/* ---- Contenders ------------------------------------------------------------------------------ */

static void run_evaluate(void *context)
{
    struct evaluation *e = context;
    double value;
    temper_error error;
    objective_evaluate(e->objective, e->w, &value, e->gradient, &error);
}

static void run_read(void *context)
{
    struct table *t = context;
    t->sink += limit_read(t->x, t->shape.rows * t->shape.columns);
}

enum { F32, TEMPERED_F32, F32_IN_F64, BYTES, F64, WAYS };

static const struct way {
    enum matrix_kind kind;
    int tempered, f64;
} ways[WAYS] = {
    [F32] = {MATRIX_F32, 0, 0},  [TEMPERED_F32] = {MATRIX_F32, 1, 0}, [F32_IN_F64] = {MATRIX_F32, 0, 1},
    [BYTES] = {MATRIX_U8, 0, 0}, [F64] = {MATRIX_F64, 0, 1},
};

/* ---- Comparisons ----------------------------------------------------------------------------- */

static void say(const struct shape *shape, const char *what, const struct contender *ours,
                const struct contender *theirs, double target)
{
    char line[120];
    snprintf(line, sizeof line, "%s: %s", shape->name, what);
    bench_at_most(line, ours, theirs, target);
}

/* The first two ways for many classes, which are bound by multiplying; all for two. */
static void compare(struct table *t, struct evaluation *e)
{
    const struct shape *shape = &t->shape;
    int two = shape->classes == 2, count = two ? (shape->large ? F64 : WAYS) : TEMPERED_F32 + 1;
    struct contender c[WAYS + 1];
    for (int i = 0; i < count; i++) {
        temper_loss_spec loss = ways[i].tempered ? TEMPERED : LOGISTIC;
        if (!evaluation_make(&e[i], t, ways[i].kind, loss, ways[i].f64 != 0)) {
            printf("  %s: not the memory\n", shape->name);
            return;
        }
        c[i] = (struct contender){"", run_evaluate, &e[i], (double)shape->rows, 0, 0, 0};
    }
    c[count] = (struct contender){"", run_read, t, (double)shape->rows, 0, 0, 0};
    bench_time(c, (size_t)count + 1);
    const struct contender *read = &c[count];
    say(shape, "tempered against logistic", &c[TEMPERED_F32], &c[F32], shape->tempered);
    if (!two)
        return;
    say(shape, "against reading the floats", &c[F32], read, shape->large ? 1.15 : 1.35);
    say(shape, "summed in doubles, against reading the floats", &c[F32_IN_F64], read, shape->large ? 1.3 : 1.65);
    say(shape, "bytes, against reading them as floats", &c[BYTES], read, 1.05);
    if (!shape->large)
        say(shape, "doubles, against reading half as much", &c[F64], read, 2 * 1.35);
}

void bench_evaluate(const char *folder)
{
    (void)folder;
    static const struct shape shapes[] = {
        {"12,000 x 784", 12000, 784, 2, 1.05, 0},
        {"10,000 x 1,024", 10000, 1024, 2, 1.05, 0},
        {"32,000 x 123", 32000, 123, 2, 1.05, 0},
        {"50,000 x 54", 50000, 54, 2, 1.05, 0},
        {"600,000 x 200, beyond the caches", 600000, 200, 2, 1.05, 1},
        {"20,000 x 784, 10 classes", 20000, 784, 10, 1.1, 0},
        {"50,000 x 54, 7 classes", 50000, 54, 7, 1.25, 0},
        {"20,000 x 16, 26 classes", 20000, 16, 26, 1.6, 0},
    };
    bench_section("One evaluation of the objective with its gradient (ns a row)");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct table t;
        struct evaluation e[WAYS] = {{0}};
        if (table_make(&t, shapes[i]))
            compare(&t, e);
        for (size_t k = 0; k < WAYS; k++)
            evaluation_free(&e[k]);
        table_free(&t);
    }
}

/* ---- Temperatures below 1 -------------------------------------------------------------------- */

/* t2 = 1 first, then those that are compared with it. */
static const temper_loss_spec below_one[] = {{.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1},
                                             {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 0.5},
                                             {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 0.7},
                                             {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 0.9}};
enum { BELOW_ONE = sizeof below_one / sizeof *below_one };

/* Ratios of one shape. */
static void compare_below_one(struct table *t, struct evaluation *e)
{
    struct contender c[BELOW_ONE];
    for (int i = 0; i < BELOW_ONE; i++) {
        if (!evaluation_make(&e[i], t, MATRIX_F32, below_one[i], false)) {
            printf("  %s: not the memory\n", t->shape.name);
            return;
        }
        c[i] = (struct contender){"", run_evaluate, &e[i], (double)t->shape.rows, 0, 0, 0};
    }
    bench_time(c, BELOW_ONE);
    for (int i = 1; i < BELOW_ONE; i++) {
        char what[60];
        snprintf(what, sizeof what, "t2 = %g against t2 = 1", below_one[i].t2);
        say(&t->shape, what, &c[i], &c[0], 5);
    }
}

void bench_below_one(const char *folder)
{
    (void)folder;
    static const struct shape shapes[] = {
        {"32,000 x 4", 32000, 4, 2, 0, 0},
        {"32,000 x 16", 32000, 16, 2, 0, 0},
        {"50,000 x 54", 50000, 54, 2, 0, 0},
        {"12,000 x 784", 12000, 784, 2, 0, 0},
        {"20,000 x 4, 10 classes", 20000, 4, 10, 0, 0},
        {"20,000 x 16, 10 classes", 20000, 16, 10, 0, 0},
        {"20,000 x 54, 10 classes", 20000, 54, 10, 0, 0},
        {"10,000 x 784, 10 classes", 10000, 784, 10, 0, 0},
    };
    bench_section("One evaluation of the objective for t2 < 1 against t2 = 1, t1 = 0.3 (ns a row)");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct table t;
        struct evaluation e[BELOW_ONE] = {{0}};
        if (table_make(&t, shapes[i]))
            compare_below_one(&t, e);
        for (size_t k = 0; k < BELOW_ONE; k++)
            evaluation_free(&e[k]);
        table_free(&t);
    }
}
