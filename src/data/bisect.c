/* bisect: medians by selection, in place; leaves are cut at multiples of their size, so that blocks
 * of an order are leaves. */
#include "data/bisect.h"

#include <stdbool.h>

enum { LOOKED_AT = 1024, DEEPEST = 64 }; /* rows that tell a spread; halves that wait */

static float at(struct points points, uint32_t row, size_t feature)
{
    return points.x[row * points.dimensions + feature];
}

static size_t widest(struct points points, const uint32_t *order, size_t count)
{
    size_t looked = count < LOOKED_AT ? count : (size_t)LOOKED_AT, best = 0;
    float most = -1;
    for (size_t j = 0; j < points.dimensions; j++) {
        float sum = 0, square = 0;
        for (size_t i = 0; i < looked; i++) {
            float x = at(points, order[i * count / looked], j);
            sum += x;
            square += x * x;
        }
        float spread = square - sum * sum / (float)looked;
        if (spread > most) {
            most = spread;
            best = j;
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
static void select_first(struct points points, size_t feature, uint32_t *order, size_t count,
                         size_t wanted)
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

void bisect(struct points points, size_t leaf, uint32_t *order)
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
