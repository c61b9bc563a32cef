/* curves: moments of blocks of rows, added up in their order; then a factor for each part. */
#include "audit/rff_ridge.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/thread.h"
#include "kernel/dispatch/kernel.h"
#include "optim/cholesky.h"
#include "train/train_streams.h"

/* Columns: waves, the constant, and the place at the end. Parts are joined to five, so that memory
 * does not grow with them. */
enum { COLUMNS = 256, GROUPS = 5, BLOCK = 128 };

static const double ridge = 2e-4; /* for each row */
static const double turn = 6.283185307179586;

/* Of each thread, for a block of rows. */
struct space {
    float point[COLUMNS * BLOCK]; /* dimension by dimension, and a line of ones */
    float line[BLOCK * COLUMNS];  /* what the columns are of each row */
    float one[BLOCK];             /* what a row weighs */
    float *scratch;               /* of the kernels */
    float *said;                  /* [vector * BLOCK + row], by the weights of all groups */
};

struct work {
    const struct rff_ridge *curves;
    const struct kernel *kernel;
    size_t dimensions, waves, among;
    size_t vectors; /* weights: of each class by each group */
    size_t *order;  /* rows that are learnt from, group by group */
    size_t begin[GROUPS + 1];
    double unit;      /* of places: their root mean square */
    float *frequency; /* [wave * (dimensions + 1) + dimension], in turns; the last is the phase */
    double *gram;     /* of each group: COLUMNS x COLUMNS */
    double *moment;   /* the same: classes x COLUMNS */
    float *weight;    /* [column * vectors + group * classes + class] */
    struct space *space;
    float *scratch; /* of all threads, */
    size_t each;    /* so many numbers for each, */
    size_t kernels; /* of which these are what the kernels want */
    double *out;
};

/* ---- Columns of rows ------------------------------------------------------------------------- */

/* cos of so many turns, nearly: a sum of any smooth waves would do, but it has to be fast. */
static float wave(float turns)
{
    float t = turns - (float)(int32_t)(turns + (turns >= 0 ? 0.5F : -0.5F)), y = t * t;
    return 1 + y * (-19.73903F + y * (64.91896F + y * (-85.03044F + y * (56.9146F - 18.5F * y))));
}

/* Of the rows of a block; `row` NULL: those from `first` on. */
static void fill_points(const struct work *work, const size_t *row, size_t first, size_t count, float *out)
{
    const float *x = work->curves->points.x, inverse = (float)(1 / work->unit);
    for (size_t i = 0; i < count; i++) {
        const float *from = x + (row ? row[i] : first + i) * work->dimensions;
        for (size_t j = 0; j < work->dimensions; j++)
            out[j * count + i] = from[j] * inverse;
        out[work->dimensions * count + i] = 1;
    }
}

static void fill_lines(const struct work *work, struct space *space, size_t count)
{
    const float size = (float)sqrt(2 / (double)work->waves);
    struct rows_f32 frequencies = {work->frequency, work->waves, work->dimensions + 1};
    struct many_f32 many = {
        .block = frequencies, .classes = count, .stride = COLUMNS, .scratch = space->scratch, .of = BLOCK};
    work->kernel->linear_f32->many_times(&many, space->point, space->line);
    for (size_t i = 0; i < count; i++) {
        float *line = space->line + i * COLUMNS;
        for (size_t k = 0; k < work->waves; k++)
            line[k] = size * wave(line[k]);
        line[work->waves] = 1;
        for (size_t j = 0; j < work->dimensions; j++)
            line[work->waves + 1 + j] = space->point[j * count + i];
    }
}

/* ---- Moments --------------------------------------------------------------------------------- */

static temper_status add_group(void *context, size_t group, size_t worker)
{
    const struct work *work = context;
    double *gram = work->gram + group * COLUMNS * COLUMNS;
    double *moment = work->moment + group * work->curves->classes * COLUMNS;
    struct space *space = &work->space[worker];
    for (size_t i = work->begin[group], end = work->begin[group + 1]; i < end; i += BLOCK) {
        size_t rows = end - i < BLOCK ? end - i : (size_t)BLOCK;
        fill_points(work, work->order + i, 0, rows, space->point);
        fill_lines(work, space, rows);
        for (size_t k = 0; k < rows; k++) {
            const float *line = space->line + k * COLUMNS;
            double *to = moment + (size_t)work->curves->label[work->order[i + k]] * COLUMNS;
            for (size_t j = 0; j < COLUMNS; j++)
                to[j] += (double)line[j];
        }
        work->kernel->linear_f32->gram((struct rows_f32){space->line, rows, COLUMNS}, space->one,
                                       (struct gram_lines){0, COLUMNS}, space->scratch, gram);
    }
    return TEMPER_OK;
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* out = the sum of all groups but one */
static void add_others(const double *sums, size_t size, size_t but, double *out)
{
    memset(out, 0, size * sizeof *out);
    for (size_t group = 0; group < GROUPS; group++)
        for (size_t i = 0; group != but && i < size; i++)
            out[i] += sums[group * size + i];
}

/* Of one group, from the others. No weights where the matrix has no factor: no rows, say. */
static void solve_group(const struct work *work, size_t group, double *matrix, double *weights)
{
    size_t classes = work->curves->classes;
    size_t rows = work->among - (work->begin[group + 1] - work->begin[group]);
    add_others(work->gram, (size_t)COLUMNS * COLUMNS, group, matrix);
    add_others(work->moment, classes * COLUMNS, group, weights);
    for (size_t j = 0; j < COLUMNS; j++)
        matrix[j * COLUMNS + j] += (j == work->waves ? 1e-6 : ridge) * (double)rows;
    bool fine = cholesky_factor(work->kernel->panel, matrix, COLUMNS);
    for (size_t c = 0; c < classes; c++) {
        double *w = weights + c * COLUMNS;
        if (fine)
            cholesky_solve_full(matrix, COLUMNS, w);
        for (size_t j = 0; j < COLUMNS; j++)
            work->weight[j * work->vectors + group * classes + c] = fine ? (float)w[j] : 0;
    }
}

static temper_status solve(struct work *work, temper_error *error)
{
    size_t size = work->curves->classes * COLUMNS;
    double *matrix = mem_alloc((size_t)COLUMNS * COLUMNS, sizeof *matrix);
    double *weights = mem_alloc(size, sizeof *weights);
    bool fine = matrix && weights;
    for (size_t group = 0; fine && group < GROUPS; group++)
        solve_group(work, group, matrix, weights);
    mem_free(matrix);
    mem_free(weights);
    return fine ? TEMPER_OK : error_no_memory(error);
}

/* ---- All rows -------------------------------------------------------------------------------- */

static temper_status expect_rows(void *context, size_t block, size_t worker)
{
    const struct work *work = context;
    const struct rff_ridge *curves = work->curves;
    size_t classes = curves->classes, first = block * BLOCK, left = curves->points.rows - first;
    size_t rows = left < BLOCK ? left : (size_t)BLOCK;
    struct space *space = &work->space[worker];
    fill_points(work, NULL, first, rows, space->point);
    fill_lines(work, space, rows);
    struct many_f32 many = {
        .block = {space->line, rows, COLUMNS}, .classes = work->vectors, .stride = BLOCK, .scratch = space->scratch};
    work->kernel->linear_f32->many_times(&many, work->weight, space->said);
    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < classes; c++) {
            size_t vector = curves->part[first + i] % GROUPS * classes + c;
            work->out[(first + i) * classes + c] = (double)space->said[vector * BLOCK + i];
        }
    return TEMPER_OK;
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static void fill_waves(struct work *work)
{
    const struct rff_ridge *curves = work->curves;
    struct random random = {curves->seed, STREAM_WAVES};
    size_t cells = work->dimensions * work->waves;
    double sum = 0;
    for (size_t k = 0; k < work->waves; k++) {
        float *out = work->frequency + k * (work->dimensions + 1);
        for (size_t j = 0; j < work->dimensions; j++)
            out[j] = (float)(random_normal(random, j * work->waves + k) / turn);
        out[work->dimensions] = (float)random_uniform(random, cells + k);
    }
    for (size_t i = 0; i < curves->points.rows * work->dimensions; i++)
        sum += (double)curves->points.x[i] * (double)curves->points.x[i];
    work->unit = sum > 0 ? sqrt(sum / (double)curves->points.rows) : 1;
}

static void fill_order(struct work *work)
{
    const struct rff_ridge *curves = work->curves;
    size_t filled = 0;
    for (size_t group = 0; group < GROUPS; group++) {
        work->begin[group] = filled;
        for (size_t i = 0; i < work->among; i++) {
            size_t row = i * curves->points.rows / work->among;
            if (curves->part[row] % GROUPS == group)
                work->order[filled++] = row;
        }
    }
    work->begin[GROUPS] = filled;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bool make_spaces(struct work *work)
{
    size_t threads = work->curves->threads;
    work->kernels =
        larger(linear_scratch(COLUMNS, work->dimensions + 1, BLOCK), linear_scratch(BLOCK, COLUMNS, work->vectors));
    work->kernels = larger(work->kernels, (size_t)BLOCK * COLUMNS);
    work->kernels = (work->kernels + BLOCK - 1) / BLOCK * BLOCK; /* aligned, all of them */
    work->each = work->kernels + work->vectors * BLOCK;
    work->space = mem_aligned(threads, sizeof *work->space);
    work->scratch = mem_aligned(threads, work->each * sizeof *work->scratch);
    if (!work->space || !work->scratch)
        return false;
    for (size_t i = 0; i < threads; i++) {
        work->space[i].scratch = work->scratch + i * work->each;
        work->space[i].said = work->space[i].scratch + work->kernels;
        for (size_t k = 0; k < BLOCK; k++)
            work->space[i].one[k] = 1;
    }
    return true;
}

static bool begin(struct work *work)
{
    const struct rff_ridge *curves = work->curves;
    size_t rows = curves->points.rows;
    work->dimensions = curves->points.dimensions;
    work->waves = COLUMNS - 1 - work->dimensions;
    work->vectors = GROUPS * curves->classes;
    work->among = rows < NEIGHBOURS_AMONG ? rows : (size_t)NEIGHBOURS_AMONG;
    work->order = mem_alloc(work->among, sizeof *work->order);
    work->frequency = mem_alloc(work->waves, (work->dimensions + 1) * sizeof *work->frequency);
    work->gram = mem_zeroed((size_t)GROUPS * COLUMNS * COLUMNS, sizeof *work->gram);
    work->moment = mem_zeroed(work->vectors * COLUMNS, sizeof *work->moment);
    work->weight = mem_alloc(COLUMNS, work->vectors * sizeof *work->weight);
    if (!work->order || !work->frequency || !work->gram || !work->moment || !work->weight || !make_spaces(work))
        return false;
    fill_waves(work);
    fill_order(work);
    return true;
}

static void end(struct work *work)
{
    mem_free(work->order);
    mem_free(work->frequency);
    mem_free(work->gram);
    mem_free(work->moment);
    mem_free(work->weight);
    mem_free(work->space);
    mem_free(work->scratch);
}

temper_status rff_ridge_fit(const struct rff_ridge *curves, double *out, temper_error *error)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    struct work work = {.curves = curves, .kernel = kernel, .out = out};
    temper_status status = begin(&work) ? parallel_blocks(GROUPS, curves->threads, add_group, &work) : TEMPER_NO_MEMORY;
    if (status != TEMPER_OK)
        error_no_memory(error);
    if (status == TEMPER_OK)
        status = solve(&work, error);
    if (status == TEMPER_OK)
        status = parallel_blocks((curves->points.rows + BLOCK - 1) / BLOCK, curves->threads, expect_rows, &work);
    end(&work);
    return status;
}
