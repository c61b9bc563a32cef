/* principal: the inverse of a small matrix, and one number for all that is left. */
#include "search/preconditioner_lowrank.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "objective/gram/pca.h"
#include "optim/cholesky.h"
#include "optim/vector.h"

/* Directions, and rows that tell them; the features from which they are worth it. */
enum { DIRECTIONS = 32, SAMPLE = 1024, LEAST_COLUMNS = 256 };

/* Relative to the mean moment: what keeps the metric away from singular. */
static const double RIDGE = 1e-7;

struct lowrank_preconditioner {
    size_t columns;
    bool intercept;
    double bend, mean, rest; /* mean: of the moments of all features; rest: off the directions */
    double *direction;       /* [k * columns + j] */
    double *moments;         /* [k * DIRECTIONS + l] */
};

bool lowrank_preconditioner_suits(const struct fits_job *job)
{
    const struct scaled_features *ground = job->features;
    return job->few && ground->data->x.kind != MATRIX_CSR && ground->scale.spread > 0 &&
           ground->scale.kind == SCALE_STANDARD && ground->data->x.columns >= LEAST_COLUMNS;
}

void lowrank_preconditioner_free(struct lowrank_preconditioner *principal)
{
    if (!principal)
        return;
    mem_free(principal->direction);
    mem_free(principal->moments);
    mem_free(principal);
}

static temper_status look(struct lowrank_preconditioner *principal, const struct scaled_features *ground,
                          double *columns, temper_error *error)
{
    size_t n = principal->columns;
    struct pca_options how = {DIRECTIONS, SAMPLE, 0};
    temper_status status =
        pca_find(ground->data, scaled_features_scale(ground), how, columns, principal->moments, error);
    double along = 0;
    for (size_t k = 0; k < DIRECTIONS; k++) {
        along += principal->moments[k * DIRECTIONS + k];
        for (size_t j = 0; j < n; j++)
            principal->direction[k * n + j] = columns[j * DIRECTIONS + k];
    }
    principal->mean = ground->scale.spread / (double)n;
    principal->rest = fmax(ground->scale.spread - along, 0) / (double)(n - DIRECTIONS);
    return status;
}

temper_status lowrank_preconditioner_new(const struct fits_job *job, double bend, struct lowrank_preconditioner **out,
                                         temper_error *error)
{
    const struct scaled_features *ground = job->features;
    struct lowrank_preconditioner *principal = mem_zeroed(1, sizeof *principal);
    if (!principal)
        return error_no_memory(error);
    principal->columns = (size_t)ground->data->x.columns;
    principal->intercept = !job->options->no_intercept;
    principal->bend = bend;
    principal->direction = mem_alloc(principal->columns, DIRECTIONS * sizeof *principal->direction);
    principal->moments = mem_alloc((size_t)DIRECTIONS * DIRECTIONS, sizeof *principal->moments);
    double *columns = mem_alloc(principal->columns, DIRECTIONS * sizeof *columns);
    temper_status status = principal->direction && principal->moments && columns
                               ? look(principal, ground, columns, error)
                               : error_no_memory(error);
    mem_free(columns);
    if (status == TEMPER_OK)
        *out = principal;
    else
        lowrank_preconditioner_free(principal);
    return status;
}

/* After the matrix: what a vector off the directions is divided by. */
double *lowrank_preconditioner_factor(const struct lowrank_preconditioner *principal, cholesky_update_fn *subtract,
                                      double l2)
{
    size_t cells = (size_t)DIRECTIONS * DIRECTIONS;
    double *out = mem_alloc(cells + 1, sizeof *out);
    if (!out)
        return NULL;
    double least = l2 + RIDGE * principal->bend * principal->mean;
    for (size_t i = 0; i < cells; i++)
        out[i] = principal->bend * principal->moments[i];
    for (size_t k = 0; k < DIRECTIONS; k++)
        out[k * DIRECTIONS + k] += least;
    out[cells] = principal->bend * principal->rest + least;
    if (!cholesky_factor(subtract, out, DIRECTIONS)) { /* not finite: steps as they come */
        memset(out, 0, cells * sizeof *out);
        for (size_t k = 0; k < DIRECTIONS; k++)
            out[k * DIRECTIONS + k] = 1;
        out[cells] = 1;
    }
    return out;
}

void lowrank_preconditioner_apply(const struct lowrank_preconditioner *principal, const double *factor, double *v)
{
    size_t n = principal->columns;
    double along[DIRECTIONS], turned[DIRECTIONS];
    double rest = factor[(size_t)DIRECTIONS * DIRECTIONS];
    for (size_t k = 0; k < DIRECTIONS; k++)
        along[k] = turned[k] = vector_dot(principal->direction + k * n, v, n);
    cholesky_solve_full(factor, DIRECTIONS, turned);
    vector_scale(v, 1 / rest, n);
    for (size_t k = 0; k < DIRECTIONS; k++)
        vector_add(v, turned[k] - along[k] / rest, principal->direction + k * n, n);
    if (principal->intercept)
        v[n] /= principal->bend;
}
