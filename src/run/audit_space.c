/* audit_space: what the neighbours of a row say of its class.
 *
 * A linear model errs where classes bend; there the rows around a row know better. Their votes are
 * about labels that may be wrong too, so each counts as much as its own label is believed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/components.h"
#include "data/neighbours.h"
#include "run/auditing.h"

/* ---- Neighbours ------------------------------------------------------------------------------ */

/* Of few features all, else the directions in which rows differ most. */
static temper_status find_directions(const struct audit *audit, size_t dimensions, double *out)
{
    const struct ground *ground = &audit->ground;
    size_t columns = (size_t)ground->data->x.columns;
    if (columns > dimensions)
        return components_find(ground->data, ground_scale(ground), dimensions, audit->train.seed,
                               out, audit->error);
    for (size_t i = 0; i < columns * columns; i++)
        out[i] = i % (columns + 1) == 0 ? 1 : 0;
    return TEMPER_OK;
}

/* In floats, and in a unit of their own, so that no square overflows. */
static void shrink(const double *place, size_t count, float *out)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(place[i]));
    for (size_t i = 0; i < count; i++)
        out[i] = (float)(most > 0 ? place[i] / most : 0);
}

static temper_status find_places(const struct audit *audit, size_t dimensions, double *directions,
                                 double *place, float *out)
{
    struct solution projection = {directions, dimensions, false};
    temper_status status = find_directions(audit, dimensions, directions);
    if (status == TEMPER_OK)
        status =
            ground_activations(&audit->ground, projection, audit->threads, place, audit->error);
    if (status == TEMPER_OK)
        shrink(place, audit->rows * dimensions, out);
    return status;
}

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

temper_status audit_neighbours(struct audit *audit)
{
    size_t columns = (size_t)audit->data->x.columns, cells;
    size_t dimensions = columns < AUDIT_DIMENSIONS ? columns : (size_t)AUDIT_DIMENSIONS;
    temper_status status = TEMPER_NO_MEMORY;
    if (!mul_size(audit->rows, dimensions, &cells))
        return error_no_memory(audit->error);
    double *directions = mem_alloc(columns, dimensions * sizeof *directions);
    double *place = mem_alloc(cells, sizeof *place);
    float *points = mem_alloc(cells, sizeof *points);
    audit->neighbour = mem_alloc(audit->rows, audit->neighbours * sizeof *audit->neighbour);
    audit->distance = mem_alloc(audit->rows, sizeof *audit->distance);
    if (directions && place && points && audit->neighbour && audit->distance) {
        status = find_places(audit, dimensions, directions, place, points);
        if (status == TEMPER_OK)
            status =
                neighbours_find((struct points){points, audit->rows, dimensions}, audit->neighbours,
                                audit->threads, audit->neighbour, audit->distance, audit->error);
        if (status == TEMPER_OK)
            status = take_median(audit);
    } else {
        status = error_no_memory(audit->error);
    }
    mem_free(directions);
    mem_free(place);
    mem_free(points);
    return status;
}

/* ---- Evidence -------------------------------------------------------------------------------- */

/* log q of the votes, q_c = (v_c + 1/C) / (sum v + 1), up to what all classes share: that is
 * log(1 + C v_c), and 0 for classes without a vote. */
static void add_votes(struct audit *audit, size_t row, double *votes)
{
    const uint32_t *neighbour = audit->neighbour + row * audit->neighbours;
    const uint32_t *label = audit->data->label;
    double *out = audit->evidence + row * audit->classes;
    for (size_t i = 0; i < audit->neighbours; i++)
        votes[label[neighbour[i]]] += audit->belief[neighbour[i]];
    for (size_t i = 0; i < audit->neighbours; i++) {
        uint32_t class = label[neighbour[i]];
        out[class] += log1p((double)audit->classes * votes[class]);
        votes[class] = 0;
    }
}

/* Two classes tell little of the noise: only how often the surest rows are contradicted.
 * Activations alone see too much of it, as models err; votes see too little, as they come from the
 * same labels. The truth was between the two wherever it was known. */
static temper_status fit_two(struct audit *audit, const struct noise_rows *rows)
{
    struct noise_rows alone = *rows;
    struct noise_model model = {0};
    alone.evidence = audit->activation;
    temper_status status = noise_model_fit(&alone, &model, audit->error);
    if (status == TEMPER_OK)
        status = noise_model_fit(rows, &audit->model, audit->error);
    for (size_t i = 0; status == TEMPER_OK && i < 4; i++)
        audit->model.transition[i] = (audit->model.transition[i] + model.transition[i]) / 2;
    noise_model_free(&model);
    return status;
}

static temper_status gather(struct audit *audit, size_t round, double *votes)
{
    struct noise_rows rows = {audit->evidence, audit->data->label, audit->rows, audit->classes};
    memcpy(audit->evidence, audit->activation,
           audit->rows * audit->classes * sizeof *audit->evidence);
    for (size_t row = 0; row < audit->rows; row++)
        add_votes(audit, row, votes);
    if (audit->classes > 2)
        return noise_model_fit(&rows, &audit->model, audit->error);
    temper_status status = round == 0 ? fit_two(audit, &rows) : TEMPER_OK;
    return status == TEMPER_OK ? noise_model_sharpen(&rows, &audit->model, audit->error) : status;
}

/* The probability that the given label is right. */
static void believe(struct audit *audit, double *space)
{
    for (size_t row = 0; row < audit->rows; row++) {
        uint32_t given = audit->data->label[row];
        double all =
            noise_model_row(&audit->model, audit->evidence + row * audit->classes, given, space);
        audit->belief[row] = exp(space[given] - all);
    }
}

/* Twice: what is known after the first time makes better votes. */
temper_status audit_weigh(struct audit *audit)
{
    double *votes = mem_zeroed(audit->classes, sizeof *votes);
    double *space = mem_alloc(audit->classes, sizeof *space);
    audit->evidence = mem_alloc(audit->rows * audit->classes, sizeof *audit->evidence);
    temper_status status =
        votes && space && audit->evidence ? TEMPER_OK : error_no_memory(audit->error);
    for (size_t round = 0; status == TEMPER_OK && round < 2; round++) {
        status = gather(audit, round, votes);
        if (status == TEMPER_OK)
            believe(audit, space);
    }
    mem_free(votes);
    mem_free(space);
    return status;
}
