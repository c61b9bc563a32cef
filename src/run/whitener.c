/* whitener: an inverse factor, and its product with many vectors. */
#include "run/whitener.h"

#include <string.h>

#include "base/memory.h"
#include "kernel/kernel.h"
#include "optim/cholesky.h"

/* Relative to the mean of the diagonal: what keeps the factor away from singular, in floats. */
static const double RIDGE = 1e-6;

/* ---- The inverse of the factor --------------------------------------------------------------- */

static bool factor(double *m, size_t n, double l2, bool intercept)
{
    double mean = 0;
    for (size_t j = 0; j < n; j++)
        mean += m[j * n + j] / (double)n;
    for (size_t j = 0; j < n; j++)
        m[j * n + j] += RIDGE * mean + (intercept && j + 1 == n ? 0 : l2);
    return cholesky_factor(m, n);
}

/* Row i of the inverse is (e_i - sum_{k<i} L_ik row k) / L_ii; in place, row by row: nothing below
 * row i is needed for it but L itself. */
static void invert_lower(double *l, size_t n, double *row)
{
    for (size_t i = 0; i < n; i++) {
        memset(row, 0, (i + 1) * sizeof *row);
        for (size_t k = 0; k < i; k++) {
            double times = l[i * n + k];
            for (size_t j = 0; j <= k; j++)
                row[j] -= times * l[k * n + j];
        }
        for (size_t j = 0; j < i; j++)
            l[i * n + j] = row[j] / l[i * n + i];
        l[i * n + i] = 1 / l[i * n + i];
    }
}

static void to_floats(const double *l, size_t n, float *out)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            out[i * n + j] = j <= i ? (float)l[i * n + j] : 0;
}

bool whitener_new(const double *gram, size_t n, double l2, bool intercept, struct whitener *out)
{
    size_t square;
    if (!mul_size(n, n, &square))
        return false;
    double *m = mem_alloc(square, sizeof *m), *row = mem_alloc(n, sizeof *row);
    *out = (struct whitener){.inverse = mem_aligned(square, sizeof(float)), .n = n};
    bool room = m && row && out->inverse, done = false;
    if (room) {
        memcpy(m, gram, square * sizeof *m);
        done = factor(m, n, l2, intercept);
    }
    if (done) {
        invert_lower(m, n, row);
        to_floats(m, n, out->inverse);
    } else {
        whitener_free(out);
    }
    mem_free(m);
    mem_free(row);
    return room;
}

void whitener_free(struct whitener *whitener)
{
    mem_free(whitener->inverse);
    *whitener = (struct whitener){0};
}

/* ---- Products -------------------------------------------------------------------------------- */

static size_t block_rows(size_t n)
{
    return linear_block_rows(n, WHITENER_WIDTH, sizeof(float));
}

static size_t padded_rows(size_t n)
{
    return (block_rows(n) + SOFTMAX_PAD - 1) / SOFTMAX_PAD * SOFTMAX_PAD;
}

bool whitener_space_new(size_t n, struct whitener_space *out)
{
    size_t rows = padded_rows(n);
    *out = (struct whitener_space){
        .packed = mem_aligned(n * WHITENER_WIDTH, sizeof(float)),
        .turned = mem_aligned(rows * WHITENER_WIDTH, sizeof(float)),
        .scratch = mem_aligned(linear_scratch(rows, n, WHITENER_WIDTH), sizeof(float)),
        .sums = mem_aligned(n * WHITENER_WIDTH, sizeof(double))};
    if (out->packed && out->turned && out->scratch && out->sums)
        return true;
    whitener_space_free(out);
    return false;
}

void whitener_space_free(struct whitener_space *space)
{
    mem_free(space->packed);
    mem_free(space->turned);
    mem_free(space->scratch);
    mem_free(space->sums);
    *space = (struct whitener_space){0};
}

void whitener_apply(const struct whitener *whitener, const struct kernel *kernel,
                    const struct whitener_vector *vectors, size_t count,
                    struct whitener_space *space)
{
    size_t n = whitener->n, rows = block_rows(n);
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < WHITENER_WIDTH; k++)
            space->packed[j * WHITENER_WIDTH + k] = k < count ? (float)vectors[k].v[j] : 0;
    memset(space->sums, 0, n * WHITENER_WIDTH * sizeof *space->sums);
    for (size_t from = 0; from < n; from += rows) {
        struct many_f32 many = {
            .block = {whitener->inverse + from * n, n - from < rows ? n - from : rows, n},
            .classes = WHITENER_WIDTH,
            .stride = padded_rows(n),
            .scratch = space->scratch};
        kernel->linear_f32->many_times(&many, space->packed, space->turned);
        kernel->linear_f32->many_back(&many, space->turned, space->sums);
    }
    for (size_t k = 0; k < count; k++)
        for (size_t j = 0; j < n; j++)
            vectors[k].v[j] = space->sums[j * WHITENER_WIDTH + k] / vectors[k].bend;
}
