/* audit_space: what the neighbours of a row say of its class.
 *
 * A linear model errs where classes bend; there the rows around a row know better. Their votes are
 * about labels that may be wrong too, so each counts as much as its own label is believed. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/components.h"
#include "data/neighbours.h"
#include "run/auditing.h"

/* The fifth of the rows of which models are surest; how much more often than others labels have to
 * contradict them, and by how many standard errors, for a rule in it. */
static const double SURE_FROM = 0.8, CONTRADICTED = 1.25, CERTAIN = 3, RANDOM_FROM = 0.3;
/* Models are never quite right, so that what all rows together say of the rate is worth less than
 * what the surest do: their standard error is taken as half. */
static const double TRUST_IN_SUREST = 0.5;

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

/* In floats, around their mean, so that those far from 0 lose no digits, and in a unit of their
 * own, so that no square overflows. */
static void shrink(double *place, size_t rows, size_t dimensions, float *out)
{
    size_t count = rows * dimensions;
    double most = 0;
    for (size_t j = 0; j < dimensions; j++) {
        double mean = 0;
        for (size_t i = j; i < count; i += dimensions)
            mean += place[i] / (double)rows;
        for (size_t i = j; i < count; i += dimensions)
            place[i] -= mean;
    }
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
        shrink(place, audit->rows, dimensions, out);
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

/* The probability that the given label is right. */
static void believe(struct audit *audit, double *space)
{
    for (size_t row = 0; row < audit->rows; row++) {
        double all = audit_row(audit, row, space);
        audit->belief[row] = exp(space[audit->data->label[row]] - all);
    }
}

static temper_status gather(struct audit *audit, double *votes)
{
    struct noise_rows rows = {audit->evidence, audit->data->label, audit->rows, audit->classes};
    memcpy(audit->evidence, audit->activation,
           audit->rows * audit->classes * sizeof *audit->evidence);
    for (size_t row = 0; row < audit->rows; row++)
        add_votes(audit, row, votes);
    return noise_model_fit(&rows, &audit->model, audit->error);
}

/* The surest fifth of the rows of two classes, and all: how often labels contradict the models. */
struct surest {
    double rows, error, all;
};

static temper_status find_surest(const struct audit *audit, struct surest *out)
{
    double *sure = mem_alloc(audit->rows, sizeof *sure);
    if (!sure)
        return error_no_memory(audit->error);
    for (size_t row = 0; row < audit->rows; row++)
        sure[row] = fabs(audit->activation[2 * row + 1]);
    qsort(sure, audit->rows, sizeof *sure, ascending);
    double least = sure[(size_t)(SURE_FROM * (double)audit->rows)];
    mem_free(sure);
    *out = (struct surest){0};
    for (size_t row = 0; row < audit->rows; row++) {
        double a = audit->activation[2 * row + 1];
        double off = (a > 0) != (audit->data->label[row] == 1);
        out->all += off / (double)audit->rows;
        out->rows += fabs(a) >= least;
        out->error += fabs(a) >= least ? off : 0;
    }
    out->error /= out->rows;
    return TEMPER_OK;
}

/* There more than elsewhere: then labels are wrong by a rule that neighbours share, and their votes
 * would defend it. */
static bool contradicts(const struct surest *surest)
{
    double spread = sqrt(surest->all * (1 - surest->all) / surest->rows);
    return surest->all > 0 && surest->error >= CONTRADICTED * surest->all &&
           surest->error - surest->all >= CERTAIN * spread;
}

/* Two classes tell little of the noise: only how often the surest rows are contradicted. So votes
 * count alike: as much as a neighbour is believed, they would tell of the row's own label, by which
 * the neighbour was judged, and noise would look rarer than it is. */
static temper_status weigh_two(struct audit *audit)
{
    const uint32_t *label = audit->data->label;
    struct surest surest = {0};
    temper_status status = find_surest(audit, &surest);
    bool contradicted = contradicts(&surest);
    for (size_t row = 0; status == TEMPER_OK && row < audit->rows; row++) {
        const uint32_t *neighbour = audit->neighbour + row * audit->neighbours;
        double *out = audit->evidence + 2 * row, votes[2] = {0};
        for (size_t i = 0; i < audit->neighbours && !contradicted; i++)
            votes[label[neighbour[i]]]++;
        out[0] = audit->activation[2 * row + 1] - audit->activation[2 * row];
        out[1] = log1p(2 * votes[1]) - log1p(2 * votes[0]);
    }
    struct two_rows rows = {.evidence = audit->evidence, .given = label, .rows = audit->rows};
    if (!contradicted && surest.error > RANDOM_FROM * surest.all) { /* wrong at random */
        rows.sure_rate = surest.error;
        rows.sure_error = TRUST_IN_SUREST * sqrt(surest.error * (1 - surest.error) / surest.rows);
    }
    if (status == TEMPER_OK)
        noise_two_fit(&rows, &audit->two);
    return status;
}

double audit_row(const struct audit *audit, size_t row, double *out)
{
    const double *evidence = audit->evidence + row * audit->classes;
    uint32_t given = audit->data->label[row];
    if (audit->classes == 2)
        return noise_two_row(&audit->two.best, evidence, given, out);
    return noise_model_row(&audit->model, evidence, given, out);
}

/* More classes twice: what is known after the first time makes better votes. */
temper_status audit_weigh(struct audit *audit)
{
    double *votes = mem_zeroed(audit->classes, sizeof *votes);
    double *space = mem_alloc(audit->classes, sizeof *space);
    audit->evidence = mem_alloc(audit->rows * audit->classes, sizeof *audit->evidence);
    temper_status status =
        votes && space && audit->evidence ? TEMPER_OK : error_no_memory(audit->error);
    if (status == TEMPER_OK && audit->classes == 2) {
        status = weigh_two(audit);
        if (status == TEMPER_OK)
            believe(audit, space);
    }
    for (size_t round = 0; status == TEMPER_OK && audit->classes > 2 && round < 2; round++) {
        status = gather(audit, votes);
        if (status == TEMPER_OK)
            believe(audit, space);
    }
    mem_free(votes);
    mem_free(space);
    return status;
}
