/* curves: moments of blocks of rows, added up in their order; then a factor for each part. */
#include "run/curves.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/thread.h"
#include "kernel/kernel.h"
#include "optim/cholesky.h"
#include "run/streams.h"

/* Columns: the place, waves, and the constant at the end. Parts are joined to five, so that memory
 * does not grow with them; each is gone through in a few slices, for threads. */
enum { COLUMNS = 256, CONSTANT = COLUMNS - 1, GROUPS = 5, SLICES = 4, CHUNK = PANEL };

static const double ridge = 2e-4; /* for each row */
static const double turn = 6.283185307179586;

struct work {
    const struct curves *curves;
    panel_fn *subtract;
    size_t dimensions, waves, among;
    size_t *order; /* rows that are learnt from, group by group */
    size_t begin[GROUPS + 1];
    double unit;      /* of places: their root mean square */
    float *frequency; /* [dimension * waves + wave], in turns */
    float *phase;     /* of each wave, in turns */
    double *gram;     /* of each slice of each group, minus it: COLUMNS x COLUMNS; then of groups */
    double *moment;   /* the same: classes x COLUMNS; at last the weights of each group */
    double *out;
};

/* ---- Columns of a row ------------------------------------------------------------------------ */

/* cos of so many turns, nearly: a sum of any smooth waves would do, but it has to be fast. */
static float wave(float turns)
{
    float t = turns - (float)(int32_t)(turns + (turns >= 0 ? 0.5F : -0.5F)), y = t * t;
    return 1 + y * (-19.73903F + y * (64.91896F + y * (-85.03044F + y * (56.9146F - 18.5F * y))));
}

static void fill_columns(const struct work *work, size_t row, float *space, double *out)
{
    const float *x = work->curves->points.x + row * work->dimensions;
    const double size = sqrt(2 / (double)work->waves);
    memcpy(space, work->phase, work->waves * sizeof *space);
    for (size_t j = 0; j < work->dimensions; j++) {
        const float *frequency = work->frequency + j * work->waves;
        float at = (float)((double)x[j] / work->unit);
        out[j] = (double)at;
        for (size_t k = 0; k < work->waves; k++)
            space[k] += at * frequency[k];
    }
    for (size_t k = 0; k < work->waves; k++)
        out[work->dimensions + k] = size * (double)wave(space[k]);
    out[CONSTANT] = 1;
}

/* ---- Moments --------------------------------------------------------------------------------- */

/* Rows of a chunk, each a line, and the same turned; what is missing is zeros. */
struct chunk {
    double line[CHUNK * COLUMNS], turned[COLUMNS * CHUNK], right[CHUNK * PANEL];
    float space[COLUMNS];
};

static void add_chunk(const struct work *work, struct chunk *chunk, size_t rows, double *gram)
{
    memset(chunk->line + rows * COLUMNS, 0, (CHUNK - rows) * COLUMNS * sizeof *chunk->line);
    for (size_t j = 0; j < COLUMNS; j++)
        for (size_t i = 0; i < CHUNK; i++)
            chunk->turned[j * CHUNK + i] = chunk->line[i * COLUMNS + j];
    for (size_t begin = 0; begin < COLUMNS; begin += PANEL) {
        for (size_t i = 0; i < CHUNK; i++)
            memcpy(chunk->right + i * PANEL, chunk->line + i * COLUMNS + begin,
                   PANEL * sizeof *chunk->right);
        work->subtract(&(struct panel){gram + begin * COLUMNS + begin, COLUMNS,
                                       chunk->turned + begin * CHUNK, CHUNK, COLUMNS - begin,
                                       chunk->right});
    }
}

static temper_status add_slice(void *context, size_t block, size_t worker)
{
    const struct work *work = context;
    size_t group = block / SLICES, slice = block % SLICES, classes = work->curves->classes;
    size_t from = work->begin[group], count = work->begin[group + 1] - from;
    size_t end = from + (slice + 1) * count / SLICES;
    double *gram = work->gram + block * COLUMNS * COLUMNS;
    double *moment = work->moment + block * classes * COLUMNS;
    struct chunk *chunk = mem_aligned(1, sizeof *chunk);
    (void)worker;
    if (!chunk)
        return TEMPER_NO_MEMORY;
    for (size_t i = from + slice * count / SLICES; i < end; i += CHUNK) {
        size_t rows = end - i < CHUNK ? end - i : (size_t)CHUNK;
        for (size_t k = 0; k < rows; k++) {
            double *line = chunk->line + k * COLUMNS;
            double *to = moment + (size_t)work->curves->label[work->order[i + k]] * COLUMNS;
            fill_columns(work, work->order[i + k], chunk->space, line);
            for (size_t j = 0; j < COLUMNS; j++)
                to[j] += line[j];
        }
        add_chunk(work, chunk, rows, gram);
    }
    mem_free(chunk);
    return TEMPER_OK;
}

/* Slices into the first of each group: numbers of `size` each. */
static void join_slices(double *sums, size_t size)
{
    for (size_t group = 0; group < GROUPS; group++)
        for (size_t slice = 0; slice < SLICES; slice++)
            for (size_t i = 0; i < size; i++) {
                double part = sums[(group * SLICES + slice) * size + i];
                sums[group * size + i] = slice ? sums[group * size + i] + part : part;
            }
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
    for (size_t i = 0; i < (size_t)COLUMNS * COLUMNS; i++)
        matrix[i] = -matrix[i];
    for (size_t j = 0; j < COLUMNS; j++)
        matrix[j * COLUMNS + j] += (j == CONSTANT ? 1e-6 : ridge) * (double)rows;
    if (!cholesky_factor(work->subtract, matrix, COLUMNS)) {
        memset(weights, 0, classes * COLUMNS * sizeof *weights);
        return;
    }
    for (size_t c = 0; c < classes; c++)
        cholesky_solve_full(matrix, COLUMNS, weights + c * COLUMNS);
}

static temper_status solve(struct work *work, temper_error *error)
{
    size_t size = work->curves->classes * COLUMNS;
    double *matrix = mem_alloc((size_t)COLUMNS * COLUMNS, sizeof *matrix);
    double *weights = mem_alloc(GROUPS * size, sizeof *weights);
    bool fine = matrix && weights;
    join_slices(work->gram, (size_t)COLUMNS * COLUMNS);
    join_slices(work->moment, size);
    for (size_t group = 0; fine && group < GROUPS; group++)
        solve_group(work, group, matrix, weights + group * size);
    if (fine)
        memcpy(work->moment, weights, GROUPS * size * sizeof *weights);
    mem_free(matrix);
    mem_free(weights);
    return fine ? TEMPER_OK : error_no_memory(error);
}

/* ---- All rows -------------------------------------------------------------------------------- */

static temper_status expect_rows(void *context, size_t block, size_t worker)
{
    const struct work *work = context;
    const struct curves *curves = work->curves;
    size_t classes = curves->classes, end = (block + 1) * CHUNK;
    double line[COLUMNS] = {0};
    float space[COLUMNS];
    (void)worker;
    for (size_t row = block * CHUNK; row < end && row < curves->points.rows; row++) {
        const double *w = work->moment + curves->part[row] % GROUPS * classes * COLUMNS;
        fill_columns(work, row, space, line);
        for (size_t c = 0; c < classes; c++) {
            double sum = 0;
            for (size_t j = 0; j < COLUMNS; j++)
                sum += w[c * COLUMNS + j] * line[j];
            work->out[row * classes + c] = sum;
        }
    }
    return TEMPER_OK;
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static void fill_waves(struct work *work)
{
    const struct curves *curves = work->curves;
    struct random random = {curves->seed, STREAM_WAVES};
    size_t cells = work->dimensions * work->waves;
    double sum = 0;
    for (size_t i = 0; i < cells; i++)
        work->frequency[i] = (float)(random_normal(random, i) / turn);
    for (size_t k = 0; k < work->waves; k++)
        work->phase[k] = (float)random_uniform(random, cells + k);
    for (size_t i = 0; i < curves->points.rows * work->dimensions; i++)
        sum += (double)curves->points.x[i] * (double)curves->points.x[i];
    work->unit = sum > 0 ? sqrt(sum / (double)curves->points.rows) : 1;
}

static void fill_order(struct work *work)
{
    const struct curves *curves = work->curves;
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

static bool begin(struct work *work)
{
    const struct curves *curves = work->curves;
    size_t rows = curves->points.rows, blocks = (size_t)GROUPS * SLICES;
    work->dimensions = curves->points.dimensions;
    work->waves = CONSTANT - work->dimensions;
    work->among = rows < NEIGHBOURS_AMONG ? rows : (size_t)NEIGHBOURS_AMONG;
    work->order = mem_alloc(work->among, sizeof *work->order);
    work->frequency = mem_alloc(work->dimensions * work->waves, sizeof *work->frequency);
    work->phase = mem_alloc(work->waves, sizeof *work->phase);
    work->gram = mem_zeroed(blocks * COLUMNS * COLUMNS, sizeof *work->gram);
    work->moment = mem_zeroed(blocks * curves->classes * COLUMNS, sizeof *work->moment);
    if (!work->order || !work->frequency || !work->phase || !work->gram || !work->moment)
        return false;
    fill_waves(work);
    fill_order(work);
    return true;
}

temper_status curves_fit(const struct curves *curves, double *out, temper_error *error)
{
    const char *wanted;
    const struct kernel *kernel = kernel_choose(&wanted);
    if (!kernel)
        return error_set(error, TEMPER_USAGE,
                         "TEMPER_KERNEL=%.32s does not run on this processor; unset it", wanted);
    struct work work = {.curves = curves, .subtract = kernel->panel, .out = out};
    temper_status status =
        begin(&work) ? parallel_blocks((size_t)GROUPS * SLICES, curves->threads, add_slice, &work)
                     : TEMPER_NO_MEMORY;
    if (status != TEMPER_OK)
        error_no_memory(error);
    if (status == TEMPER_OK)
        status = solve(&work, error);
    if (status == TEMPER_OK)
        status = parallel_blocks((curves->points.rows + CHUNK - 1) / CHUNK, curves->threads,
                                 expect_rows, &work);
    mem_free(work.order);
    mem_free(work.frequency);
    mem_free(work.phase);
    mem_free(work.gram);
    mem_free(work.moment);
    return status;
}
