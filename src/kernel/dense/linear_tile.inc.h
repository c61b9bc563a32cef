/* linear_tile: a register tile: the product of two long thin blocks, summed in registers.
 *
 * Activations, gradient and Gram matrix are made of it: out[c][v] = sum over k of a[k][v] b[k][c], where v
 * runs over lanes and each b[k][c] is broadcast. */
#ifndef KERNEL_LINEAR_TILE_INC_H
#define KERNEL_LINEAR_TILE_INC_H

#include "kernel/dense/linear_simd.h"

enum {
    TILE_VECTORS = 2,
#if defined(__AVX2__) && !defined(__AVX512F__)
    TILE_WIDTH = 6, /* of sixteen registers, twelve for sums */
#else
    TILE_WIDTH = 12, /* of thirty-two, twenty-four */
#endif
    TILE_UNROLL = 4,
    /* Distance, in k, of the prefetch of an `a` that is not contiguous. Rows of some lengths map to the
     * same set of the first-level cache, which has twelve ways. */
    TILE_AHEAD = 8,
};

/* Prefetches of later data, a little with each k, as all at once would delay the loads of this tile:
 * 128 bytes of each of several lines, `lines_step` bytes apart, and `piece_step` bytes of the contiguous
 * `piece`. */
struct tile_fetch {
    const char *lines, *piece;
    size_t lines_step, piece_step;
};

struct tile {
    const real *a, *b;
    size_t depth;            /* how many k */
    size_t a_step;           /* from a[k] to a[k + 1] */
    size_t ahead;            /* if transposed: distance after a of what is prefetched */
    struct tile_fetch fetch; /* prefetched during the product */
    size_t a_next;           /* from one vector of a[k] to the next */
    size_t b_step;           /* from b[k] to b[k + 1]; or, if transposed, from b[k][c] to b[k][c + 1] */
    part last;               /* the lanes of the last vector */
    bool full;               /* set by tile_sums: they are all lanes */
    real *out;               /* sums; whole vectors */
    size_t out_step;
    bool add; /* to what is in `out` */
    /* Of scores: what is added to the sums of each column; where the sums of the absolute values of the results are
     * added; and `a` where it has floats. */
    const real *bias;
    vec *magnitude;
    const float *a_f32;
};

/* The layout of a and b, which determines the prefetch: none, and twice none for scores; the fetch of the tile; rows of
 * a in the block, and the next block. */
enum tile_layout { TILE_PLAIN, TILE_SCORES, TILE_SCORES_F32, TILE_PACKED, TILE_TRANSPOSED, TILE_TRANSPOSED_PACKED };

/* Vector v of a[k]. */
HOT vec tile_load(const struct tile *t, size_t k, const int v, const int vectors, const enum tile_layout layout)
{
    const size_t at = k * t->a_step + (size_t)v * t->a_next;
#ifdef SIMD_F64
    if (layout == TILE_SCORES_F32)
        return vec_widen(t->a_f32 + at);
#else
    (void)layout;
#endif
    return v == vectors - 1 && !t->full ? vec_load_part(t->a + at, t->last) : vec_load(t->a + at);
}

/* sum[c * vectors + v] += a[k][v] b[k][c] */
HOT void tile_step(const struct tile *t, size_t k, vec *sum, const int vectors, const int width,
                   const enum tile_layout layout)
{
    const bool transposed = layout >= TILE_TRANSPOSED;
    vec a[TILE_VECTORS];
    UNROLL for (int v = 0; v < vectors; v++) a[v] = vec_keep(tile_load(t, k, v, vectors, layout));
    UNROLL for (int c = 0; c < width; c++)
    {
        size_t n = (size_t)c;
        vec b = vec_keep(vec_all(transposed ? t->b[n * t->b_step + k] : t->b[k * t->b_step + n]));
        UNROLL for (int v = 0; v < vectors; v++) sum[c * vectors + v] = vec_fma(a[v], b, sum[c * vectors + v]);
    }
}

HOT void tile_fetch(const struct tile_fetch *fetch, size_t k)
{
    __builtin_prefetch(fetch->lines + k / 32 * fetch->lines_step + k % 32 * 4, 1);
    __builtin_prefetch(fetch->piece + k * fetch->piece_step, 0, 2);
}

/* Adds the intercepts to the sums, and their absolute values to those of the tile. */
HOT void tile_finish_scores(const struct tile *t, vec *sum, const int vectors, const int width)
{
    UNROLL for (int v = 0; v < vectors; v++)
    {
        vec magnitude = t->magnitude[v];
        UNROLL for (int c = 0; c < width; c++)
        {
            sum[c * vectors + v] += t->bias[c];
            magnitude += vec_abs(sum[c * vectors + v]);
        }
        t->magnitude[v] = magnitude;
    }
}

HOT void tile_sums(const struct tile *tile, const int vectors, const int width, const enum tile_layout layout,
                   const bool full)
{
    struct tile t = *tile;
    t.full = full; /* a constant for the compiler */
    const bool transposed = layout >= TILE_TRANSPOSED,
               packed = layout == TILE_PACKED || layout == TILE_TRANSPOSED_PACKED;
    vec sum[TILE_VECTORS * TILE_WIDTH];
    size_t k = 0;
    UNROLL for (int c = 0; c < width; c++) UNROLL for (int v = 0; v < vectors; v++) sum[c * vectors + v] =
        t.add ? vec_load(t.out + (size_t)c * t.out_step + v * LANES) : vec_all(0);
    if (transposed) /* addresses of b are used for several k */
        for (; k + TILE_UNROLL <= t.depth; k += TILE_UNROLL) {
            if (packed)
                tile_fetch(&t.fetch, k);
            UNROLL for (size_t u = 0; u < TILE_UNROLL; u++)
            {
                const real *at = t.a + (k + u) * t.a_step, *next = at + t.ahead;
                if (!packed) {
                    __builtin_prefetch(at + TILE_AHEAD * t.a_step);
                    __builtin_prefetch(at + TILE_AHEAD * t.a_step + LANES);
                    __builtin_prefetch(next, 0, 2);
                    __builtin_prefetch(next + LANES, 0, 2);
                }
                tile_step(&t, k + u, sum, vectors, width, layout);
            }
        }
    for (; k < t.depth; k++) {
        if (packed && !transposed)
            tile_fetch(&t.fetch, k);
        tile_step(&t, k, sum, vectors, width, layout);
    }
    if (layout == TILE_SCORES || layout == TILE_SCORES_F32)
        tile_finish_scores(&t, sum, vectors, width);
    UNROLL for (int c = 0; c < width; c++) UNROLL for (int v = 0; v < vectors; v++)
        vec_store(t.out + (size_t)c * t.out_step + v * LANES, sum[c * vectors + v]);
}

#ifdef LINEAR_LOOPS
HOT void tile_of_width(const struct tile *t, size_t width, const int vectors, const enum tile_layout layout,
                       const bool full)
{
    tile_sums(t, vectors, (int)width, layout, full);
}
#else
/* One case for each width, so that all sums are in registers. */
#define TILE_CASE(n)                                                                                                   \
    case n:                                                                                                            \
        tile_sums(t, vectors, n, layout, full);                                                                        \
        break;
#if defined(__AVX2__) && !defined(__AVX512F__)
#define TILE_WIDER
#else
#define TILE_WIDER TILE_CASE(7) TILE_CASE(8) TILE_CASE(9) TILE_CASE(10) TILE_CASE(11) TILE_CASE(12)
#endif

HOT void tile_of_width(const struct tile *t, size_t width, const int vectors, const enum tile_layout layout,
                       const bool full)
{
    switch (width) {
        TILE_CASE(1)
        TILE_CASE(2)
        TILE_CASE(3)
        TILE_CASE(4)
        TILE_CASE(5)
        TILE_CASE(6)
        TILE_WIDER
    default: /* no tile is wider */
        break;
    }
}

#endif

/* AVX2 has no register for the mask of a part beside those of the sums: one of them would be stored and loaded again at
 * each k. Tiles of full vectors, nearly all, have loops of their own there. Elsewhere a mask costs nothing. */
#if defined(__AVX2__) && !defined(__AVX512F__)
HOT bool tile_is_full(const struct tile *t)
{
    return _mm256_movemask_epi8((__m256i)t->last) == -1;
}
#else
HOT bool tile_is_full(const struct tile *t)
{
    (void)t;
    return false;
}
#endif

/* `vectors` is 1 or 2; one vector leaves registers for the mask. */
#define TILE_RUN(name, layout)                                                                                         \
    static void name(const struct tile *t, size_t width, size_t vectors)                                               \
    {                                                                                                                  \
        if (vectors == 2 && tile_is_full(t))                                                                           \
            tile_of_width(t, width, 2, layout, true);                                                                  \
        else if (vectors == 2)                                                                                         \
            tile_of_width(t, width, 2, layout, false);                                                                 \
        else                                                                                                           \
            tile_of_width(t, width, 1, layout, false);                                                                 \
    }

BINARY_PASS static void tile_run(const struct tile *t, size_t width, size_t vectors);
TILE_RUN(tile_run, TILE_PLAIN)
#ifdef SIMD_F64
TILE_RUN(tile_run_scores, TILE_SCORES)
TILE_RUN(tile_run_scores_f32, TILE_SCORES_F32)
#endif
TILE_RUN(tile_run_packed, TILE_PACKED)
TILE_RUN(tile_run_transposed, TILE_TRANSPOSED)
TILE_RUN(tile_run_transposed_packed, TILE_TRANSPOSED_PACKED)

/* The width of the next tile of `left` remaining columns: all are about equally wide. */
HOT size_t tile_width_up_to(size_t left, size_t most)
{
    size_t tiles = (left + most - 1) / most;
    return (left + tiles - 1) / tiles;
}

HOT size_t tile_width(size_t left)
{
    return tile_width_up_to(left, TILE_WIDTH);
}

#endif
