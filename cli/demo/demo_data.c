/* demo_data: synthetic rows as pure functions of seed and row number. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "demo/demo.h"
#include "message.h"

enum {
    NUMBERS_A_ROW = 64, /* random numbers that a row may use */
    MOST_FEATURES = 21
};

/* ---- Random numbers -------------------------------------------------------------------------- */

/* SplitMix64 of a counter: without a state, so that a row does not depend on those before. */
static uint64_t random_bits(uint64_t seed, uint64_t index)
{
    uint64_t z = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double demo_uniform(uint64_t seed, uint64_t index)
{
    return (double)(random_bits(seed, index) >> 11) * 0x1p-53;
}

/* Approximately standard normal: the sum of 12 uniform numbers less 6. Unlike logarithms and cosines it is the same to
 * the last bit on every machine. */
static double normal(uint64_t seed, uint64_t index)
{
    double sum = -6;
    for (uint64_t i = 0; i < 12; i++)
        sum += demo_uniform(seed, index + i);
    return sum;
}

/* ---- Long and Servedio ----------------------------------------------------------------------- */

/* Negates exactly `wanted` of `count` features; each choice is equally likely (selection sampling). */
static void negate_some(double *x, size_t count, size_t wanted, uint64_t seed, uint64_t index)
{
    for (size_t i = 0; i < count; i++)
        if (demo_uniform(seed, index + i) * (double)(count - i) < (double)wanted) {
            x[i] = -x[i];
            wanted--;
        }
}

/* See demo.h. The first 11 features are right for large-margin rows and pullers; penalisers have 5 of 11 and 6 of 10
 * right, which is a majority of one. */
void make_long_servedio(uint64_t seed, uint64_t row, double *x, int *label)
{
    const size_t first = 11, all = 21;
    uint64_t index = row * NUMBERS_A_ROW;
    double kind = demo_uniform(seed, index + 1);
    *label = demo_uniform(seed, index) < 0.5 ? -1 : 1;
    for (size_t i = 0; i < all; i++) {
        bool right = kind < 0.25 || (kind < 0.5 && i < first);
        x[i] = right ? *label : -*label;
    }
    if (kind < 0.5)
        return;
    negate_some(x, first, 5, seed, index + 2); /* 5 of 11 and 6 of 10 become right: a bare majority */
    negate_some(x + first, all - first, 6, seed, index + 2 + first);
}

/* ---- Two features ---------------------------------------------------------------------------- */

/* Clusters of one class; those of the other are their mirror images. */
static const struct demo_cluster {
    double share; /* of the rows, cumulative */
    double x, y, x_spread, y_spread;
} clusters[] = {
    {0.4, 1, 0, 0.06, 0.06},       /* large margin */
    {0.7, 0.12, 1, 0.03, 0.06},    /* rotates the boundary */
    {1.0, 0.12, -0.3, 0.03, 0.06}, /* and these are misclassified then */
};

/* Chooses a cluster by its share, and mirrors it at the origin for the class -1. */
void make_two_features(uint64_t seed, uint64_t row, double *x, int *label)
{
    uint64_t index = row * NUMBERS_A_ROW;
    double kind = demo_uniform(seed, index + 1);
    const struct demo_cluster *cluster = clusters;
    while (kind >= cluster->share)
        cluster++;
    *label = demo_uniform(seed, index) < 0.5 ? -1 : 1;
    x[0] = *label * (cluster->x + cluster->x_spread * normal(seed, index + 2));
    x[1] = *label * (cluster->y + cluster->y_spread * normal(seed, index + 14));
}

/* ---- Data sets ------------------------------------------------------------------------------------ */

/* rows->count is set by the caller; the number of features follows from `make`. */
temper_status make_rows(row_maker *make, uint64_t seed, uint64_t first, struct demo_rows *rows)
{
    rows->features = make == make_two_features ? 2 : MOST_FEATURES;
    rows->x = calloc(rows->count * rows->features, sizeof *rows->x);
    rows->label = calloc(rows->count, sizeof *rows->label);
    if (!rows->x || !rows->label) {
        free_rows(rows);
        return fail_no_memory();
    }
    for (size_t i = 0; i < rows->count; i++)
        make(seed, first + i, rows->x + i * rows->features, &rows->label[i]);
    return TEMPER_OK;
}

void free_rows(struct demo_rows *rows)
{
    free(rows->x);
    free(rows->label);
    rows->x = NULL;
    rows->label = NULL;
}
