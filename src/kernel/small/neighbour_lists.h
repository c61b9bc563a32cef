/* neighbour_lists: the nearest points of a group of queries, by products of their coordinates. */
#ifndef KERNEL_NEIGHBOUR_LISTS_H
#define KERNEL_NEIGHBOUR_LISTS_H

#include <stddef.h>
#include <stdint.h>

/* Queries of a group; points that are compared with them in one call; entries before a list, of which the last is
 * -infinity, and of which lists are a multiple long. */
enum { NEIGHBOUR_QUERIES = 32, NEIGHBOUR_POINTS = 128, NEIGHBOUR_PAD = 16 };

/* Lists are sorted by |y|^2 - 2 x.y, which is the squared distance without |x|^2; of equal ones the first that came is
 * first. */
struct neighbour_lists {
    size_t count, stride; /* entries of a list; numbers from one to the next: neighbour_stride(count) */
    size_t dimensions;    /* of queries and points */
    const float *query;   /* [dimension * NEIGHBOUR_QUERIES + query] */
    const uint32_t *own;  /* the row of each query, which is not its own neighbour */
    float *value;         /* [query * stride + NEIGHBOUR_PAD + i] */
    uint32_t *row;        /* the same */
    float *worst;         /* the last value of each list: a point must be below it; -infinity: takes no point */
};

struct neighbour_points {
    const float *x;      /* [dimension * NEIGHBOUR_POINTS + point]; padding is 0 */
    const float *norm;   /* |y|^2, infinite in the padding */
    const uint32_t *row; /* of each point that is no padding */
};

static inline size_t neighbour_stride(size_t count)
{
    const size_t pad = NEIGHBOUR_PAD;
    return (count + 2 * pad - 1) / pad * pad;
}

/* Inserts the points into the lists. */
typedef void neighbour_fn(const struct neighbour_lists *lists, const struct neighbour_points *points);

/* The reference: one point after another. */
neighbour_fn neighbours_plain, neighbours_avx2, neighbours_avx512, neighbours_neon, neighbours_wasm128;

/* Random Fourier features: turns[i] becomes size * cos(2 pi turns[i]), |turns| being below 2^31, to about 1e-3 by a
 * polynomial in the square of the fractional part. The same bits in every kernel. */
typedef void wave_fn(float *turns, size_t n, float size);

wave_fn waves_plain, waves_avx2, waves_avx512, waves_neon, waves_wasm128;

/* Highest power last; the constant is 1. */
#define WAVE_1 (-19.73903F)
#define WAVE_2 64.91896F
#define WAVE_3 (-85.03044F)
#define WAVE_4 56.9146F
#define WAVE_5 (-18.5F)

#endif
