/* neighbour_lists_plain: the references of neighbour_lists.h in plain C. */
#include "kernel/small/neighbour_lists.h"

/* Inserts a point behind those that are as near, and drops the last of the list. */
static void insert(const struct neighbour_lists *lists, size_t query, float value, uint32_t row)
{
    float *values = lists->value + query * lists->stride + NEIGHBOUR_PAD;
    uint32_t *rows = lists->row + query * lists->stride + NEIGHBOUR_PAD;
    size_t i = lists->count - 1;
    for (; i > 0 && values[i - 1] > value; i--) {
        values[i] = values[i - 1];
        rows[i] = rows[i - 1];
    }
    values[i] = value;
    rows[i] = row;
    lists->worst[query] = values[lists->count - 1];
}

void neighbours_plain(const struct neighbour_lists *lists, const struct neighbour_points *points)
{
    for (size_t point = 0; point < NEIGHBOUR_POINTS; point++) {
        float product[NEIGHBOUR_QUERIES] = {0};
        for (size_t j = 0; j < lists->dimensions; j++)
            for (size_t q = 0; q < NEIGHBOUR_QUERIES; q++)
                product[q] += lists->query[j * NEIGHBOUR_QUERIES + q] * points->x[j * NEIGHBOUR_POINTS + point];
        for (size_t q = 0; q < NEIGHBOUR_QUERIES; q++) {
            float value = points->norm[point] - 2 * product[q];
            if (value < lists->worst[q] && points->row[point] != lists->own[q])
                insert(lists, q, value, points->row[point]);
        }
    }
}

static float wave(float turns)
{
    float t = turns - (float)(int32_t)(turns + (turns >= 0 ? 0.5F : -0.5F)), y = t * t;
    return 1 + y * (WAVE_1 + y * (WAVE_2 + y * (WAVE_3 + y * (WAVE_4 + WAVE_5 * y))));
}

void waves_plain(float *turns, size_t n, float size)
{
    for (size_t i = 0; i < n; i++)
        turns[i] = size * wave(turns[i]);
}
