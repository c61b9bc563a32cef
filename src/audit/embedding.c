/* audit_space: where rows lie, which are near each other, and what is usual there.
 *
 * A linear model errs where classes bend; there the rows around a row know better. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_state.h"
#include "audit/knn.h"
#include "audit/projection.h"
#include "audit/rff_ridge.h"
#include "base/memory.h"
#include "objective/gram/pca.h"

enum { DIRECTIONS_FROM = 512 }; /* rows */

/* ---- Places --------------------------------------------------------------------------------- */

/* Of few features all, else the directions in which rows differ most. */
static temper_status find_directions(const struct audit *audit, const struct scaled_features *ground, size_t dimensions,
                                     double *out)
{
    size_t columns = (size_t)ground->data->x.columns;
    if (columns > dimensions)
        return pca_find(ground->data, scaled_features_scale(ground),
                        (struct pca_options){dimensions, DIRECTIONS_FROM, audit->train.seed}, out, NULL, audit->error);
    for (size_t i = 0; i < columns * columns; i++)
        out[i] = i % (columns + 1) == 0 ? 1 : 0;
    return TEMPER_OK;
}

/* In floats, around their mean, so that those far from 0 lose no digits, and in a unit of their
 * own, so that no square overflows. */
static void shrink(double *place, size_t rows, size_t dimensions, float *out)
{
    double mean[AUDIT_DIMENSIONS] = {0}, most = 0;
    for (size_t i = 0; i < rows * dimensions; i += dimensions)
        for (size_t j = 0; j < dimensions; j++)
            mean[j] += place[i + j] / (double)rows;
    for (size_t i = 0; i < rows * dimensions; i += dimensions)
        for (size_t j = 0; j < dimensions; j++) {
            place[i + j] -= mean[j];
            most = fmax(most, fabs(place[i + j]));
        }
    for (size_t i = 0; i < rows * dimensions; i++)
        out[i] = (float)(most > 0 ? place[i] / most : 0);
}

/* Pixels have one unit: each divided by its own spread, the dark corners would say as much as what
 * is to be seen. Fills `factor` and returns the ground to stand on. */
static struct scaled_features even_ground(const struct audit *audit, double *factor)
{
    struct scaled_features ground = audit->ground;
    if (audit->data->x.kind != MATRIX_U8 || ground.scale.kind != SCALE_STANDARD)
        return ground;
    for (size_t j = 0; j < (size_t)audit->data->x.columns; j++)
        factor[j] = 1;
    ground.scale.factor = factor;
    return ground;
}

/* Bytes are small numbers: floats, which are faster, tell their places as well. */
static temper_status project(const struct audit *audit, const struct scaled_features *ground,
                             struct solution projection, double *out)
{
    const struct matrix *x = &ground->data->x;
    const struct scale *scale = scaled_features_scale(ground);
    if (x->kind != MATRIX_U8)
        return scaled_features_activations(ground, projection, audit->threads, out, audit->error);
    struct directions directions = {projection.w, projection.vectors, scale ? scale->factor : NULL};
    return project_bytes(x, directions, audit->threads, out, audit->error);
}

static temper_status find_places(const struct audit *audit, size_t dimensions, double *directions, double *place,
                                 float *out)
{
    struct solution projection = {directions, dimensions, false};
    bool alone = comm_alone(audit->given->ranks.comm);
    double *factor = mem_alloc((size_t)audit->data->x.columns, sizeof *factor);
    double *own = alone ? place : mem_alloc(audit->roll.own, dimensions * sizeof *own);
    temper_status status = factor && own ? TEMPER_OK : error_no_memory(audit->error);
    if (status == TEMPER_OK) {
        struct scaled_features ground = even_ground(audit, factor);
        status = find_directions(audit, &ground, dimensions, directions);
        if (status == TEMPER_OK)
            status = project(audit, &ground, projection, own);
    }
    if (status == TEMPER_OK && !alone)
        status = gather_labels(&audit->roll, own, dimensions * sizeof *own, place, audit->error);
    if (!alone)
        mem_free(own);
    if (status == TEMPER_OK)
        shrink(place, audit->rows, dimensions, out);
    mem_free(factor);
    return status;
}

/* ---- What is near ---------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* From squares to distances in units of the median one. */
static temper_status take_median(struct audit *audit)
{
    double *sorted = mem_alloc(audit->rows, sizeof *sorted);
    if (!sorted)
        return error_no_memory(audit->error);
    memcpy(sorted, audit->distance, audit->rows * sizeof *sorted);
    qsort(sorted, audit->rows, sizeof *sorted, ascending);
    double median = sorted[audit->rows / 2];
    for (size_t row = 0; row < audit->rows; row++)
        audit->distance[row] = median > 0                 ? sqrt(audit->distance[row] / median)
                               : audit->distance[row] > 0 ? INFINITY
                                                          : 1;
    mem_free(sorted);
    return TEMPER_OK;
}

/* Two classes only: more tell enough by themselves. */
static temper_status bend(struct audit *audit, struct points points)
{
    if (audit->classes != 2)
        return TEMPER_OK;
    audit->curve = mem_alloc(audit->rows, audit->classes * sizeof *audit->curve);
    if (!audit->curve)
        return error_no_memory(audit->error);
    const struct rff_ridge curves = {.points = points,
                                     .label = audit->data->label,
                                     .classes = audit->classes,
                                     .part = audit->folds.part,
                                     .seed = audit->train.seed,
                                     .threads = audit->threads};
    return rff_ridge_fit(&curves, audit->curve, audit->error);
}

temper_status audit_neighbours(struct audit *audit)
{
    size_t columns = (size_t)audit->data->x.columns, cells;
    size_t dimensions = columns < AUDIT_DIMENSIONS ? columns : (size_t)AUDIT_DIMENSIONS;
    if (!mul_size(audit->rows, dimensions, &cells))
        return error_no_memory(audit->error);
    double *directions = mem_alloc(columns, dimensions * sizeof *directions);
    double *place = mem_alloc(cells, sizeof *place);
    float *x = mem_alloc(cells, sizeof *x);
    struct points points = {x, audit->rows, dimensions, audit->given->ranks.comm};
    audit->neighbour = mem_alloc(audit->rows, audit->neighbours * sizeof *audit->neighbour);
    audit->distance = mem_alloc(audit->rows, sizeof *audit->distance);
    bool fine = directions && place && x && audit->neighbour && audit->distance;
    temper_status status = fine ? find_places(audit, dimensions, directions, place, x) : error_no_memory(audit->error);
    mem_free(directions);
    mem_free(place);
    if (status == TEMPER_OK)
        status = knn_find(points, audit->neighbours, audit->threads, audit->neighbour, audit->distance, audit->error);
    if (status == TEMPER_OK)
        status = take_median(audit);
    if (status == TEMPER_OK)
        status = bend(audit, points);
    mem_free(x);
    return status;
}
