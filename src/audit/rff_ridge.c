/* rff_ridge: Gram matrices and label moments of groups of rows; the weights for a group follow from the sums of all
 * others by one Cholesky factor. */
#include "audit/rff_ridge.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/thread.h"
#include "kernel/dispatch/kernel.h"
#include "optim/cholesky.h"
#include "train/train_streams.h"

/* Columns of the regression: random Fourier features, the constant, and the coordinates at the end. Folds are joined
 * into GROUPS groups (fold mod GROUPS), so that memory does not grow with their number. BLOCK: rows of a step. */
enum { COLUMNS = 160, GROUPS = 5, BLOCK = 128 };

/* The penalty grows with the number of rows, as the sums that it is added to. */
static const double ridge_per_row = 2e-4;
static const double two_pi = 6.283185307179586;

/* The workspace of a thread, for a block of rows. */
struct rff_workspace {
    float point[COLUMNS * BLOCK]; /* by dimension, and a line of ones for the phases */
    float line[BLOCK * COLUMNS];  /* the columns of each row */
    float one[BLOCK];             /* weights of the rows */
    float *scratch;               /* of the kernels */
    float *predicted;             /* [vector * BLOCK + row], by the weights of all groups */
};

/* Shared by all threads; written only where a group or a block of rows owns the entries. */
struct rff_job {
    const struct rff_ridge *ridge;
    const struct kernel *kernel;
    size_t dimensions, waves, among;
    size_t vectors; /* weight vectors: GROUPS * classes */
    size_t *order;  /* the training rows, by group */
    size_t begin[GROUPS + 1];
    double unit;      /* root mean square of the points' norms: the width of the kernel */
    float *frequency; /* [wave * (dimensions + 1) + dimension], in turns; the last is the phase */
    double *gram;     /* of each group: COLUMNS x COLUMNS */
    double *moment;   /* of each group: classes x COLUMNS, the sums of the columns by label */
    float *weight;    /* [column * vectors + group * classes + class] */
    struct rff_workspace *workspace;
    float *scratch; /* of all threads: `each` numbers, of which `kernels` are for the kernels */
    size_t each, kernels;
    double *out;
};

/* ---- Columns of rows ------------------------------------------------------------------------- */

/* Fills out[dimension * count + i] with the coordinates of a block of rows in units of the kernel width, and a line
 * of ones, which the phases are multiplied by. `row` lists the rows; NULL: those from `first` on. */
static void fill_points(const struct rff_job *job, const size_t *row, size_t first, size_t count, float *out)
{
    const float *x = job->ridge->points.x, inverse = (float)(1 / job->unit);
    for (size_t i = 0; i < count; i++) {
        const float *from = x + (row ? row[i] : first + i) * job->dimensions;
        for (size_t j = 0; j < job->dimensions; j++)
            out[j * count + i] = from[j] * inverse;
        out[job->dimensions * count + i] = 1;
    }
}

/* Fills space->line[i * COLUMNS] with the columns of each row: sqrt(2 / D) cos(frequency . x + phase), then 1 and x.
 * The linear columns spare the waves the linear part of the boundary. The cosine is a rough one: the regression needs
 * only the same smooth function in training and prediction. */
static void fill_lines(const struct rff_job *job, struct rff_workspace *space, size_t count)
{
    const float size = (float)sqrt(2 / (double)job->waves);
    struct rows_f32 frequencies = {job->frequency, job->waves, job->dimensions + 1};
    struct many_f32 many = {
        .block = frequencies, .classes = count, .stride = COLUMNS, .scratch = space->scratch, .of = BLOCK};
    job->kernel->linear_f32->many_times(&many, space->point, space->line);
    for (size_t i = 0; i < count; i++) {
        float *line = space->line + i * COLUMNS;
        job->kernel->waves(line, job->waves, size);
        line[job->waves] = 1;
        for (size_t j = 0; j < job->dimensions; j++)
            line[job->waves + 1 + j] = space->point[j * count + i];
    }
}

/* ---- Sums over the rows of a group ---------------------------------------------------------------------------------
 */

/* Adds the rows of one group to its Gram matrix and label sums. One thread per group and a fixed order of the rows:
 * the same bits for any number of threads. */
static temper_status add_group(void *context, size_t group, size_t worker)
{
    const struct rff_job *job = context;
    double *gram = job->gram + group * COLUMNS * COLUMNS;
    double *moment = job->moment + group * job->ridge->classes * COLUMNS;
    struct rff_workspace *space = &job->workspace[worker];
    for (size_t i = job->begin[group], end = job->begin[group + 1]; i < end; i += BLOCK) {
        size_t rows = end - i < BLOCK ? end - i : (size_t)BLOCK;
        fill_points(job, job->order + i, 0, rows, space->point);
        fill_lines(job, space, rows);
        for (size_t k = 0; k < rows; k++) {
            const float *line = space->line + k * COLUMNS;
            double *to = moment + (size_t)job->ridge->label[job->order[i + k]] * COLUMNS;
            for (size_t j = 0; j < COLUMNS; j++)
                to[j] += (double)line[j];
        }
        job->kernel->linear_f32->gram((struct rows_f32){space->line, rows, COLUMNS}, space->one,
                                      (struct gram_lines){0, COLUMNS}, space->scratch, gram);
    }
    return TEMPER_OK;
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* out[size] = the sum over all groups but `but`. Added up rather than subtracted from the total, which would leave
 * rounding errors of the excluded group. */
static void add_others(const double *sums, size_t size, size_t but, double *out)
{
    memset(out, 0, size * sizeof *out);
    for (size_t group = 0; group < GROUPS; group++)
        for (size_t i = 0; group != but && i < size; i++)
            out[i] += sums[group * size + i];
}

/* The ridge weights that predict one group, from the sums of all others. The constant is hardly penalised. Weights
 * are 0 if the matrix is not positive definite, as without any rows. */
static void solve_group(const struct rff_job *job, size_t group, double *matrix, double *weights)
{
    size_t classes = job->ridge->classes;
    size_t rows = job->among - (job->begin[group + 1] - job->begin[group]);
    add_others(job->gram, (size_t)COLUMNS * COLUMNS, group, matrix);
    add_others(job->moment, classes * COLUMNS, group, weights);
    for (size_t j = 0; j < COLUMNS; j++)
        /* Column `waves` is the constant. */
        matrix[j * COLUMNS + j] += (j == job->waves ? 1e-6 : ridge_per_row) * (double)rows;
    bool fine = cholesky_factor(job->kernel->cholesky_update, matrix, COLUMNS);
    for (size_t c = 0; c < classes; c++) {
        double *w = weights + c * COLUMNS;
        if (fine)
            cholesky_solve_full(matrix, COLUMNS, w);
        for (size_t j = 0; j < COLUMNS; j++)
            job->weight[j * job->vectors + group * classes + c] = fine ? (float)w[j] : 0;
    }
}

/* Solves one group after another in the same memory. */
static temper_status solve(struct rff_job *job, temper_error *error)
{
    size_t size = job->ridge->classes * COLUMNS;
    double *matrix = mem_alloc((size_t)COLUMNS * COLUMNS, sizeof *matrix);
    double *weights = mem_alloc(size, sizeof *weights);
    bool fine = matrix && weights;
    for (size_t group = 0; fine && group < GROUPS; group++)
        solve_group(job, group, matrix, weights);
    mem_free(matrix);
    mem_free(weights);
    return fine ? TEMPER_OK : error_no_memory(error);
}

/* ---- All rows -------------------------------------------------------------------------------- */

/* Predicts a block of rows by the weights of all groups in one matrix product, and keeps for each row the prediction
 * of the weights that exclude its group. */
static temper_status predict_rows(void *context, size_t block, size_t worker)
{
    const struct rff_job *job = context;
    const struct rff_ridge *ridge = job->ridge;
    size_t classes = ridge->classes, first = block * BLOCK, left = ridge->points.rows - first;
    size_t rows = left < BLOCK ? left : (size_t)BLOCK;
    struct rff_workspace *space = &job->workspace[worker];
    fill_points(job, NULL, first, rows, space->point);
    fill_lines(job, space, rows);
    struct many_f32 many = {
        .block = {space->line, rows, COLUMNS}, .classes = job->vectors, .stride = BLOCK, .scratch = space->scratch};
    job->kernel->linear_f32->many_times(&many, job->weight, space->predicted);
    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < classes; c++) {
            /* The weight vectors of the row's group, which were solved without that group. */
            size_t vector = ridge->part[first + i] % GROUPS * classes + c;
            job->out[(first + i) * classes + c] = (double)space->predicted[vector * BLOCK + i];
        }
    return TEMPER_OK;
}

/* ---- Preparation ----------------------------------------------------------------------- */

/* Draws normal frequencies, by which the features approximate a Gaussian kernel, and uniform phases; both in turns
 * instead of radians. The kernel width is the root mean square norm of the points. */
static void fill_waves(struct rff_job *job)
{
    const struct rff_ridge *ridge = job->ridge;
    struct random random = {ridge->seed, STREAM_WAVES};
    size_t cells = job->dimensions * job->waves;
    double sum = 0;
    for (size_t k = 0; k < job->waves; k++) {
        float *out = job->frequency + k * (job->dimensions + 1);
        for (size_t j = 0; j < job->dimensions; j++)
            out[j] = (float)(random_normal(random, j * job->waves + k) / two_pi);
        out[job->dimensions] = (float)random_uniform(random, cells + k);
    }
    for (size_t i = 0; i < ridge->points.rows * job->dimensions; i++)
        sum += (double)ridge->points.x[i] * (double)ridge->points.x[i];
    job->unit = sum > 0 ? sqrt(sum / (double)ridge->points.rows) : 1;
}

/* Lists an evenly spread sample of the rows, sorted by group; group g is order[begin[g] .. begin[g + 1]). */
static void fill_order(struct rff_job *job)
{
    const struct rff_ridge *ridge = job->ridge;
    size_t filled = 0;
    for (size_t group = 0; group < GROUPS; group++) {
        job->begin[group] = filled;
        for (size_t i = 0; i < job->among; i++) {
            size_t row = i * ridge->points.rows / job->among;
            if (ridge->part[row] % GROUPS == group)
                job->order[filled++] = row;
        }
    }
    job->begin[GROUPS] = filled;
}

/* The scratch memory of several kernels is shared, hence as large as the largest need. */
static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Workspaces of all threads, with scratch for the largest product of the kernels. */
static bool allocate_workspaces(struct rff_job *job)
{
    size_t threads = job->ridge->threads;
    job->kernels =
        larger(linear_scratch(COLUMNS, job->dimensions + 1, BLOCK), linear_scratch(BLOCK, COLUMNS, job->vectors));
    job->kernels = larger(job->kernels, (size_t)BLOCK * COLUMNS);
    job->kernels = (job->kernels + BLOCK - 1) / BLOCK * BLOCK; /* keeps what follows aligned */
    job->each = job->kernels + job->vectors * BLOCK;
    job->workspace = mem_aligned(threads, sizeof *job->workspace);
    job->scratch = mem_aligned(threads, job->each * sizeof *job->scratch);
    if (!job->workspace || !job->scratch)
        return false;
    for (size_t i = 0; i < threads; i++) {
        job->workspace[i].scratch = job->scratch + i * job->each;
        job->workspace[i].predicted = job->workspace[i].scratch + job->kernels;
        for (size_t k = 0; k < BLOCK; k++)
            job->workspace[i].one[k] = 1;
    }
    return true;
}

/* Allocates everything, draws the waves and groups the rows. False: out of memory; free_job releases what there is. */
static bool prepare(struct rff_job *job)
{
    const struct rff_ridge *ridge = job->ridge;
    size_t rows = ridge->points.rows;
    job->dimensions = ridge->points.dimensions;
    job->waves = COLUMNS - 1 - job->dimensions;
    job->vectors = GROUPS * ridge->classes;
    job->among = rows < NEIGHBOURS_AMONG ? rows : (size_t)NEIGHBOURS_AMONG;
    job->order = mem_alloc(job->among, sizeof *job->order);
    job->frequency = mem_alloc(job->waves, (job->dimensions + 1) * sizeof *job->frequency);
    job->gram = mem_zeroed((size_t)GROUPS * COLUMNS * COLUMNS, sizeof *job->gram);
    job->moment = mem_zeroed(job->vectors * COLUMNS, sizeof *job->moment);
    job->weight = mem_alloc(COLUMNS, job->vectors * sizeof *job->weight);
    if (!job->order || !job->frequency || !job->gram || !job->moment || !job->weight || !allocate_workspaces(job))
        return false;
    fill_waves(job);
    fill_order(job);
    return true;
}

static void free_job(struct rff_job *job)
{
    mem_free(job->order);
    mem_free(job->frequency);
    mem_free(job->gram);
    mem_free(job->moment);
    mem_free(job->weight);
    mem_free(job->workspace);
    mem_free(job->scratch);
}

/* Groups are summed in parallel, each by one thread, and rows predicted in blocks: the same bits for any number of
 * threads. */
temper_status rff_ridge_fit(const struct rff_ridge *ridge, double *out, temper_error *error)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel)
        return error_set(error, TEMPER_USAGE, "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    struct rff_job job = {.ridge = ridge, .kernel = kernel, .out = out};
    temper_status status = prepare(&job) ? parallel_blocks(GROUPS, ridge->threads, add_group, &job) : TEMPER_NO_MEMORY;
    if (status != TEMPER_OK)
        error_no_memory(error);
    if (status == TEMPER_OK)
        status = solve(&job, error);
    if (status == TEMPER_OK)
        status = parallel_blocks((ridge->points.rows + BLOCK - 1) / BLOCK, ridge->threads, predict_rows, &job);
    free_job(&job);
    return status;
}
