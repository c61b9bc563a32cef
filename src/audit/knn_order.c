/* knn_order: medians by selection, in place; leaves are cut at multiples of their size, so that
 * blocks of an order are leaves. */
#include "audit/knn_order.h"

#include <stdbool.h>

/* Rows that tell a spread; features that are looked at together; halves that wait. */
enum { LOOKED_AT = 512, TOGETHER = 32, DEEPEST = 64 };

static float at(struct points points, uint32_t row, size_t feature)
{
    return points.x[row * points.dimensions + feature];
}

/* How far rows spread in some features, from `first` on. */
static void find_spreads(struct points points, const uint32_t *order, size_t count, size_t first, size_t features,
                         float *spread)
{
    size_t looked = count < LOOKED_AT ? count : (size_t)LOOKED_AT;
    float sum[TOGETHER] = {0}, square[TOGETHER] = {0};
    for (size_t i = 0; i < looked; i++) {
        const float *x = points.x + order[i * count / looked] * points.dimensions + first;
        for (size_t j = 0; j < features; j++) {
            sum[j] += x[j];
            square[j] += x[j] * x[j];
        }
    }
    for (size_t j = 0; j < features; j++)
        spread[j] = square[j] - sum[j] * sum[j] / (float)looked;
}

static size_t widest(struct points points, const uint32_t *order, size_t count)
{
    size_t best = 0;
    float most = -1;
    for (size_t first = 0; first < points.dimensions; first += TOGETHER) {
        size_t left = points.dimensions - first, features = left < TOGETHER ? left : TOGETHER;
        float spread[TOGETHER];
        find_spreads(points, order, count, first, features, spread);
        for (size_t j = 0; j < features; j++)
            if (spread[j] > most) {
                most = spread[j];
                best = first + j;
            }
    }
    return best;
}

/* By value, then by number, so that no two are alike. */
static bool before(struct points points, size_t feature, uint32_t a, uint32_t b)
{
    float x = at(points, a, feature), y = at(points, b, feature);
    return x < y || (x == y && a < b);
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Moves the row in the middle to the place that it would have, were all in order; tells where. */
static size_t part(struct points points, size_t feature, uint32_t *order, size_t count)
{
    size_t place = 0;
    swap(&order[count / 2], &order[count - 1]);
    for (size_t i = 0; i + 1 < count; i++)
        if (before(points, feature, order[i], order[count - 1]))
            swap(&order[place++], &order[i]);
    swap(&order[place], &order[count - 1]);
    return place;
}

/* The first `wanted` of them to the front. */
static void select_first(struct points points, size_t feature, uint32_t *order, size_t count, size_t wanted)
{
    while (count > 1) {
        size_t place = part(points, feature, order, count);
        if (place == wanted)
            return;
        if (place > wanted) {
            count = place;
        } else {
            order += place + 1;
            count -= place + 1;
            wanted -= place + 1;
        }
    }
}

void knn_order(struct points points, size_t leaf, uint32_t *order)
{
    size_t from[DEEPEST] = {0}, to[DEEPEST] = {points.rows}, waiting = 1;
    for (size_t i = 0; i < points.rows; i++)
        order[i] = (uint32_t)i;
    while (waiting > 0) {
        size_t first = from[--waiting], count = to[waiting] - first;
        if (count <= leaf || leaf == 0)
            continue;
        size_t half = (count / leaf + 1) / 2 * leaf;
        select_first(points, widest(points, order + first, count), order + first, count, half);
        from[waiting] = first + half;
        to[waiting++] = first + count;
        from[waiting] = first;
        to[waiting++] = first + half;
    }
}
