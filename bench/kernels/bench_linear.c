/* One evaluation of the two-class objective and its gradient over dense rows, block by block so
 * that the data is read once, against just reading it and against two products of BLAS. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/from_arrays.h"
#include "kernel/dispatch/kernel.h"
#include "kernels/bench.h"
#include "kernels/bench_arrays.h"
#include "kernels/machine_limits.h"
#include "objective/objective.h"
#include "peers/blas_peer.h"
#include "peers/plain_peers.h"

enum { MOST_BLOCK = 1024, CACHED_BYTES = 3 << 19 }; /* the latter as the objective has it */

/* A table and all that an evaluation needs. */
struct pass {
    const struct kernel *kernel;
    struct margin_table table;
    size_t rows, columns, block;
    float *x;
    double *x_double;
    uint8_t *x_byte;
    double *sign;
    uint32_t *label;
    struct linear_hints aside;
    struct residual_sums sums;
    float *w;
    double *w_double, *gradient, *per_row;
    const struct blas *blas;
    double value;
};

/* From activations to residuals; what is fetched meanwhile is what the objective fetches. */
static struct residual_rows rows_from(const struct pass *p, size_t first, size_t rows)
{
    size_t next = (first + rows) * p->columns + rows * p->columns / 2;
    struct residual_rows these = {.table = &p->table, .label = p->label + first, .rows = rows};
    if (!p->aside.cached) {
        these.next = (const char *)(p->x + next);
        these.row_bytes = p->columns * sizeof(float) / 8 < 24 ? p->columns * sizeof(float) / 8 : 24;
    }
    return these;
}

static size_t rows_at(const struct pass *p, size_t i)
{
    return p->rows - i < p->block ? p->rows - i : p->block;
}

static void run_f32(void *context)
{
    struct pass *p = context;
    const struct linear_f32 *linear = p->kernel->linear_f32;
    static float out[MOST_BLOCK];
    for (size_t i = 0; i < p->rows; i += p->block) {
        struct rows_f32 block = {p->x + i * p->columns, rows_at(p, i), p->columns};
        (p->aside.cached ? linear->times_cached : linear->times)(block, p->w, out);
        const struct residual_rows these = rows_from(p, i, block.rows);
        p->kernel->residual_f32(&these, out, &p->sums);
        (p->aside.cached ? linear->back_cached : linear->back)(block, out, p->gradient);
    }
}

static void run_u8(void *context)
{
    struct pass *p = context;
    static float out[MOST_BLOCK];
    for (size_t i = 0; i < p->rows; i += p->block) {
        struct rows_u8 block = {p->x_byte + i * p->columns, rows_at(p, i), p->columns};
        p->kernel->linear_f32->times_u8(block, p->aside, p->w, out);
        struct residual_rows these = rows_from(p, i, block.rows);
        these.row_bytes = 0; /* those of floats */
        p->kernel->residual_f32(&these, out, &p->sums);
        p->kernel->linear_f32->back_u8(block, p->aside, out, p->gradient);
    }
}

static void run_f64(void *context)
{
    struct pass *p = context;
    static double out[MOST_BLOCK];
    for (size_t i = 0; i < p->rows; i += p->block) {
        struct rows_f32 block = {p->x + i * p->columns, rows_at(p, i), p->columns};
        const struct residual_rows these = rows_from(p, i, block.rows);
        p->kernel->linear_f64->times_f32(block, p->aside, p->w_double, out);
        p->kernel->residual_f64(&these, out, &p->sums);
        p->kernel->linear_f64->back_f32(block, p->aside, out, p->gradient);
    }
}

static void run_read(void *context)
{
    struct pass *p = context;
    p->value += (double)limit_read(p->x, p->rows * p->columns);
}

/* What a user of NumPy does: three passes over whole arrays of doubles. */
static void run_blas(void *context)
{
    struct pass *p = context;
    double *margin = p->per_row, *value = margin + p->rows, *slope = value + p->rows;
    int rows = (int)p->rows, columns = (int)p->columns;
    p->blas->dgemv(BLAS_ROW_MAJOR, BLAS_PLAIN, rows, columns, 1, p->x_double, columns, p->w_double, 1, 0, margin, 1);
    for (size_t i = 0; i < p->rows; i++)
        margin[i] *= p->sign[i];
    libm_logistic(margin, p->rows, value, slope);
    for (size_t i = 0; i < p->rows; i++)
        slope[i] *= p->sign[i];
    p->blas->dgemv(BLAS_ROW_MAJOR, BLAS_TRANSPOSED, rows, columns, 1, p->x_double, columns, slope, 1, 1, p->gradient,
                   1);
}

/* ---- Set up
 * -------------------------------------------------------------------------------------- */

static void pass_free(struct pass *p)
{
    free(p->x);
    free(p->x_double);
    free(p->x_byte);
    free(p->sign);
    free(p->label);
    free(p->aside.wide);
    free(p->w);
    free(p->w_double);
    free(p->gradient);
    free(p->per_row);
    free(p);
}

static struct pass *pass_new(const struct kernel *kernel, size_t rows, size_t columns)
{
    struct pass *p = array_zeros(1, sizeof *p);
    size_t n = rows * columns;
    if (!p)
        return NULL;
    p->kernel = kernel;
    p->rows = rows;
    p->columns = columns;
    p->x = array_normals(n, 1);
    p->x_byte = array_zeros(n, 1);
    p->sign = array_zeros(rows, sizeof *p->sign);
    p->label = array_zeros(rows, sizeof *p->label);
    p->aside.cached = n * sizeof(float) <= CACHED_BYTES;
    p->aside.wide = array_zeros(linear_wide(MOST_BLOCK, columns), sizeof(double));
    p->w = array_normals(columns, 1 / sqrt((double)columns));
    p->w_double = array_zeros(columns, sizeof *p->w_double);
    p->gradient = array_zeros(columns, sizeof *p->gradient);
    p->per_row = array_zeros(3 * rows, sizeof *p->per_row);
    if (!p->x || !p->x_byte || !p->sign || !p->label || !p->aside.wide || !p->w || !p->w_double || !p->gradient ||
        !p->per_row) {
        pass_free(p);
        return NULL;
    }
    for (size_t i = 0; i < rows; i++)
        p->sign[i] = (p->label[i] = i % 3 != 0) ? 1 : -1;
    for (size_t i = 0; i < n; i++)
        p->x_byte[i] = (uint8_t)(i % 3); /* margins of usual sizes */
    for (size_t j = 0; j < columns; j++)
        p->w_double[j] = (double)p->w[j];
    return p;
}

/* ---- Comparisons
 * --------------------------------------------------------------------------------- */

/* The same evaluation at other temperatures, or with other blocks. */
static struct pass *variant(const struct pass *p, double t1, double t2, size_t number_size)
{
    struct pass *copy = array_zeros(1, sizeof *copy);
    if (!copy)
        abort();
    *copy = *p;
    margin_table_build(&copy->table, t1, t2);
    copy->block = linear_block_rows(p->columns, 2, number_size);
    return copy;
}

static void say(const char *what, const struct pass *p, const struct contender *ours, const struct contender *theirs,
                double target)
{
    char line[120];
    snprintf(line, sizeof line, "%s (%zu x %zu)", what, p->rows, p->columns);
    bench_at_most(line, ours, theirs, target);
}

static void compare_with_reading(const struct kernel *kernel, size_t rows, size_t columns, const double targets[2])
{
    struct pass *p = pass_new(kernel, rows, columns);
    if (!p) {
        printf("  not the memory for %zu x %zu\n", rows, columns);
        return;
    }
    struct pass *logistic = variant(p, 1, 1, sizeof(float)), *tempered = variant(p, 0.6, 1.6, sizeof(float)),
                *exact = variant(p, 1, 1, sizeof(double));
    double work = (double)rows;
    struct contender c[] = {
        {.name = "read", .run = run_read, .context = logistic, .work = work},
        {.name = "f32", .run = run_f32, .context = logistic, .work = work},
        {.name = "f32, tempered", .run = run_f32, .context = tempered, .work = work},
        {.name = "f64", .run = run_f64, .context = exact, .work = work},
        {.name = "u8", .run = run_u8, .context = logistic, .work = work},
    };
    bench_time(c, 5);
    say("f32 sums, against reading", p, &c[1], &c[0], targets[0]);
    say("f64 sums, against reading", p, &c[3], &c[0], targets[1]);
    say("u8 values, against reading f32", p, &c[4], &c[0], 1.05);
    say("tempered against logistic", p, &c[2], &c[1], 1.05);
    free(logistic);
    free(tempered);
    free(exact);
    pass_free(p);
}

static void compare_with_blas(const struct kernel *kernel, size_t rows, size_t columns)
{
    struct blas blas;
    struct pass *p = blas_open(&blas) ? pass_new(kernel, rows, columns) : NULL, *ours;
    char what[120];
    if (!p)
        return;
    p->blas = &blas;
    p->x_double = array_zeros(rows * columns, sizeof *p->x_double);
    for (size_t i = 0; p->x_double && i < rows * columns; i++)
        p->x_double[i] = (double)p->x[i];
    ours = variant(p, 1, 1, sizeof(float));
    struct contender c[] = {
        {.name = "temper", .run = run_f32, .context = ours, .work = (double)rows},
        {.name = "dgemv", .run = run_blas, .context = p, .work = (double)rows},
    };
    if (p->x_double) {
        bench_time(c, 2);
        snprintf(what, sizeof what, "against two dgemv (%s) and libm (%zu x %zu)", blas.kernels, rows, columns);
        bench_times_faster(what, &c[0], &c[1], 3);
    }
    free(ours);
    pass_free(p);
}

/* ---- Sums that are the same for any number of threads
 * -------------------------------------------- */

struct tree {
    struct dataset *data;
    struct objective *objective;
    double *w, *gradient, value;
};

static void run_tree(void *context)
{
    struct tree *t = context;
    objective_evaluate(t->objective, t->w, &t->value, t->gradient, NULL);
}

/* The objective of the same rows at the same weights. */
static int tree_make(struct tree *t, const struct pass *p)
{
    struct matrix x = {.kind = MATRIX_F32, .rows = p->rows, .columns = p->columns, .dense = p->x};
    int *label = array_zeros(p->rows, sizeof *label);
    x.nonzeros = p->rows * p->columns;
    t->w = array_zeros(p->columns + 1, sizeof *t->w);
    t->gradient = array_zeros(p->columns + 1, sizeof *t->gradient);
    for (size_t i = 0; label && i < p->rows; i++)
        label[i] = (int)p->label[i];
    for (size_t j = 0; t->w && j < p->columns; j++)
        t->w[j] = p->w_double[j];
    int made = label && t->w && t->gradient && dataset_from_matrix(&x, label, &t->data, NULL) == TEMPER_OK;
    free(label);
    const struct objective_spec spec = {.data = t->data,
                                        .loss = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
                                        .l2 = 1e-4,
                                        .intercept = true,
                                        .threads = 1};
    return made && objective_new(&spec, &t->objective, NULL) == TEMPER_OK;
}

/* All that the objective does beyond the kernels, which add up row after row: parts of fixed size,
 * summed in a fixed order, and the intercept and the penalty too. */
static void compare_with_running_sum(const struct kernel *kernel, size_t rows, size_t columns)
{
    struct pass *p = pass_new(kernel, rows, columns), *running;
    struct tree tree = {0};
    if (!p)
        return;
    running = variant(p, 1, 1, sizeof(float));
    if (tree_make(&tree, p)) {
        struct contender c[] = {{.run = run_tree, .context = &tree, .work = (double)rows},
                                {.run = run_f32, .context = running, .work = (double)rows}};
        bench_time(c, 2);
        say("summed in a fixed tree, against one running sum", p, &c[0], &c[1], 1.03);
    }
    objective_free(tree.objective);
    dataset_free(tree.data);
    free(tree.w);
    free(tree.gradient);
    free(running);
    pass_free(p);
}

void bench_linear(const char *folder)
{
    (void)folder;
    static const double cached[] = {1.35, 1.65}, beyond[] = {1.15, 1.30};
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    bench_section("Two classes: objective and gradient of dense rows, a row");
    compare_with_reading(kernel, 400, 784, cached);
    compare_with_reading(kernel, 16000, 784, cached);
    compare_with_reading(kernel, 400000, 784, beyond);
    compare_with_reading(kernel, 200000, 54, cached);
    compare_with_reading(kernel, 5500000, 54, beyond);
    compare_with_blas(kernel, 60000, 784);
    compare_with_blas(kernel, 500000, 54);
    compare_with_running_sum(kernel, 16000, 784);
    compare_with_running_sum(kernel, 200000, 54);
}
