/* preconditioner_lowrank: the inverse of a small matrix along principal directions, and one number for all others.
 *
 * With V orthonormal, M^-1 v = V A^-1 V'v + (v - V V'v) / d, where A = c C + l2 is a small matrix with a Cholesky
 * factor, and d = c r + l2 (see preconditioner_batch.h). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "objective/gram/pca.h"
#include "optim/cholesky.h"
#include "optim/vector.h"
#include "train/preconditioner/preconditioner.h"
#include "train/preconditioner/preconditioner_batch.h"

/* The number of directions, the rows of the sample that they are computed from, and the features from which they
 * pay. */
enum { DIRECTIONS = 32, SAMPLE_ROWS = 1024, MIN_COLUMNS = 256 };

struct lowrank_preconditioner {
    /* V and C are computed once; penalties add small factors (lowrank_preconditioner_factor). */
    size_t columns;
    bool intercept;
    double curvature;  /* c */
    double mean;       /* second moment of a feature, over all features */
    double rest;       /* r: the mean second moment off the directions */
    double *direction; /* V: [k * columns + j] */
    double *moments;   /* C: [k * DIRECTIONS + l] */
};

/* Standardised features only: their mean is 0, so that second moments are variances, whose sum is known from the
 * scaling. */
bool lowrank_preconditioner_suits(const struct gram_preconditioners_spec *spec)
{
    const struct scaled_features *features = spec->features;
    return spec->few_fits && features->data->x.kind != MATRIX_CSR && features->scale.spread > 0 &&
           features->scale.kind == SCALE_STANDARD && features->data->x.columns >= MIN_COLUMNS;
}

void lowrank_preconditioner_free(struct lowrank_preconditioner *lowrank)
{
    if (!lowrank)
        return;
    mem_free(lowrank->direction);
    mem_free(lowrank->moments);
    mem_free(lowrank);
}

/* Fills V and C by principal component analysis; r is the part of the total variance that the directions do not
 * explain, spread over all others. `columns` is workspace: V with the directions as columns. C has the second moments
 * along the directions, so that their variances are its diagonal. */
static temper_status find_directions(struct lowrank_preconditioner *lowrank, const struct scaled_features *features,
                                     double *columns, temper_error *error)
{
    size_t n = lowrank->columns;
    struct pca_options options = {DIRECTIONS, SAMPLE_ROWS, 0};
    temper_status status =
        pca_find(features->data, scaled_features_scale(features), options, columns, lowrank->moments, error);
    double along = 0;
    for (size_t k = 0; k < DIRECTIONS; k++) {
        along += lowrank->moments[k * DIRECTIONS + k];
        for (size_t j = 0; j < n; j++)
            lowrank->direction[k * n + j] = columns[j * DIRECTIONS + k];
    }
    lowrank->mean = features->scale.spread / (double)n;
    lowrank->rest = fmax(features->scale.spread - along, 0) / (double)(n - DIRECTIONS);
    return status;
}

/* *out is untouched on failure. */
temper_status lowrank_preconditioner_new(const struct gram_preconditioners_spec *spec, double curvature,
                                         struct lowrank_preconditioner **out, temper_error *error)
{
    struct lowrank_preconditioner *lowrank = mem_zeroed(1, sizeof *lowrank);
    if (!lowrank)
        return error_no_memory(error);
    lowrank->columns = (size_t)spec->features->data->x.columns;
    lowrank->intercept = spec->intercept;
    lowrank->curvature = curvature;
    lowrank->direction = mem_alloc(lowrank->columns, DIRECTIONS * sizeof *lowrank->direction);
    lowrank->moments = mem_alloc((size_t)DIRECTIONS * DIRECTIONS, sizeof *lowrank->moments);
    double *columns = mem_alloc(lowrank->columns, DIRECTIONS * sizeof *columns);
    temper_status status = lowrank->direction && lowrank->moments && columns
                               ? find_directions(lowrank, spec->features, columns, error)
                               : error_no_memory(error);
    mem_free(columns);
    if (status == TEMPER_OK)
        *out = lowrank;
    else
        lowrank_preconditioner_free(lowrank);
    return status;
}

/* The Cholesky factor of the small matrix A and, behind it, d: DIRECTIONS^2 + 1 numbers. The ridge keeps both away from
 * 0 where there is no penalty. */
double *lowrank_preconditioner_factor(const struct lowrank_preconditioner *lowrank, cholesky_update_fn *subtract,
                                      double l2)
{
    size_t cells = (size_t)DIRECTIONS * DIRECTIONS;
    double *out = mem_alloc(cells + 1, sizeof *out);
    if (!out)
        return NULL;
    double least = l2 + PRECONDITIONER_RIDGE * lowrank->curvature * lowrank->mean;
    for (size_t i = 0; i < cells; i++)
        out[i] = lowrank->curvature * lowrank->moments[i];
    for (size_t k = 0; k < DIRECTIONS; k++)
        out[k * DIRECTIONS + k] += least;
    out[cells] = lowrank->curvature * lowrank->rest + least;
    if (!cholesky_factor(subtract, out, DIRECTIONS)) { /* not finite: the identity */
        memset(out, 0, cells * sizeof *out);
        for (size_t k = 0; k < DIRECTIONS; k++)
            out[k * DIRECTIONS + k] = 1;
        out[cells] = 1;
    }
    return out;
}

/* V A^-1 V'v - V V'v / d + v / d, in O(DIRECTIONS n); the intercept has curvature c alone. */
void lowrank_preconditioner_apply(const struct lowrank_preconditioner *lowrank, const double *factor, double *v)
{
    size_t n = lowrank->columns;
    double along[DIRECTIONS], solved[DIRECTIONS];
    double rest = factor[(size_t)DIRECTIONS * DIRECTIONS];
    for (size_t k = 0; k < DIRECTIONS; k++)
        along[k] = solved[k] = vector_dot(lowrank->direction + k * n, v, n);
    cholesky_solve_full(factor, DIRECTIONS, solved);
    vector_scale(v, 1 / rest, n);
    for (size_t k = 0; k < DIRECTIONS; k++)
        vector_add(v, solved[k] - along[k] / rest, lowrank->direction + k * n, n);
    if (lowrank->intercept)
        v[n] /= lowrank->curvature;
}
