/* linear_scores: scores of rows as they are stored, for predictions.
 *
 * A tile's rows are transposed, converted to doubles as they are multiplied, and finished before the next ones are
 * read, so that nothing leaves the first-level cache. Sums are in the order of linear_many_times: the same bits. */
#ifndef KERNEL_LINEAR_SCORES_INC_H
#define KERNEL_LINEAR_SCORES_INC_H

#include "kernel/dense/linear_tile.inc.h"

enum {
    SCORE_ROWS = TILE_VECTORS * LANES,
    FETCH_LINE = 64,    /* bytes of a line of the cache */
    FETCH_AHEAD = 4096, /* bytes: at more, what another thread reads would be fetched too */
};

#if defined(__AVX2__)
#if defined(__AVX512F__)
typedef __m512 panel_floats;
#define PANEL_OP(name) _mm512_##name
#else
typedef __m256 panel_floats;
#define PANEL_OP(name) _mm256_##name
#endif

/* 128 bits of every fourth row, of SCORE_ROWS / 4 rows. */
HOT panel_floats load_every_fourth(const float *const *row, size_t column)
{
#if defined(__AVX512F__)
    __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(row[0] + column));
    v = _mm512_insertf32x4(v, _mm_loadu_ps(row[4] + column), 1);
    v = _mm512_insertf32x4(v, _mm_loadu_ps(row[8] + column), 2);
    return _mm512_insertf32x4(v, _mm_loadu_ps(row[12] + column), 3);
#else
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(row[0] + column)), _mm_loadu_ps(row[4] + column),
                                1);
#endif
}

/* Interleaves pairs of floats. */
HOT panel_floats zip_panel_pairs(panel_floats a, panel_floats b, const bool high)
{
    return high ? PANEL_OP(castpd_ps)(PANEL_OP(unpackhi_pd)(PANEL_OP(castps_pd)(a), PANEL_OP(castps_pd)(b)))
                : PANEL_OP(castpd_ps)(PANEL_OP(unpacklo_pd)(PANEL_OP(castps_pd)(a), PANEL_OP(castps_pd)(b)));
}

/* Four columns of SCORE_ROWS rows, transposed. */
HOT void transpose_four(const float *const *row, size_t column, float *to)
{
    const panel_floats a = load_every_fourth(row, column), b = load_every_fourth(row + 1, column);
    const panel_floats c = load_every_fourth(row + 2, column), d = load_every_fourth(row + 3, column);
    const panel_floats ab = PANEL_OP(unpacklo_ps)(a, b), cd = PANEL_OP(unpacklo_ps)(c, d);
    const panel_floats ab_high = PANEL_OP(unpackhi_ps)(a, b), cd_high = PANEL_OP(unpackhi_ps)(c, d);
    PANEL_OP(storeu_ps)(to, zip_panel_pairs(ab, cd, false));
    PANEL_OP(storeu_ps)(to + SCORE_ROWS, zip_panel_pairs(ab, cd, true));
    PANEL_OP(storeu_ps)(to + 2 * SCORE_ROWS, zip_panel_pairs(ab_high, cd_high, false));
    PANEL_OP(storeu_ps)(to + 3 * SCORE_ROWS, zip_panel_pairs(ab_high, cd_high, true));
}
#endif

/* Transposes SCORE_ROWS rows of floats from row i on, to[column * SCORE_ROWS + row]; past the end, the last again. */
HOT void pack_score_floats(const struct linear_scores *rows, size_t i, float *to)
{
    const float *row[SCORE_ROWS];
    size_t j = 0;
    for (size_t k = 0; k < SCORE_ROWS; k++)
        row[k] = rows->x_f32 + least(i + k, rows->rows - 1) * rows->columns;
#if defined(__AVX2__)
    for (; j + 4 <= rows->columns; j += 4)
        transpose_four(row, j, to + j * SCORE_ROWS);
#endif
    for (; j < rows->columns; j++)
        for (size_t k = 0; k < SCORE_ROWS; k++)
            to[j * SCORE_ROWS + k] = row[k][j];
}

/* The same of LANES rows of doubles, to[column * LANES + row]. */
HOT void pack_score_doubles(const struct linear_scores *rows, size_t i, double *to)
{
    const double *row[LANES];
    for (size_t k = 0; k < LANES; k++)
        row[k] = rows->x_f64 + least(i + k, rows->rows - 1) * rows->columns;
    pack_panel(row, rows->columns, to);
}

/* Prefetches rows at some distance after row `from`, as many as are multiplied at once: the processor's own prefetch
 * ends at each page, and while probabilities are computed no rows are read. */
HOT void fetch_rows(const struct linear_scores *rows, size_t from)
{
    const size_t size = rows->columns * (rows->x_f32 ? sizeof *rows->x_f32 : sizeof *rows->x_f64);
    const char *at = rows->x_f32 ? (const char *)(rows->x_f32 + from * rows->columns)
                                 : (const char *)(rows->x_f64 + from * rows->columns);
    for (size_t byte = 0; byte < SCORE_ROWS * size; byte += FETCH_LINE)
        __builtin_prefetch(at + FETCH_AHEAD + byte, 0, 2);
}

/* The rows from row i on, packed, and the layout of them. */
HOT struct tile pack_score_rows(const struct linear_scores *rows, size_t i, size_t vectors)
{
    const size_t panel = rows->columns * LANES;
    if (rows->x_f32) {
        float *packed = (float *)rows->scratch;
        pack_score_floats(rows, i, packed);
        return (struct tile){.a_f32 = packed, .a_step = SCORE_ROWS, .a_next = LANES};
    }
    for (size_t v = 0; v < vectors; v++)
        pack_score_doubles(rows, i + v * LANES, rows->scratch + v * panel);
    return (struct tile){.a = rows->scratch, .a_step = LANES, .a_next = panel};
}

static bool linear_scores(const struct linear_scores *rows, double *out)
{
    ivec fine = ivec_all(-1);
    for (size_t i = 0; i < rows->rows; i += SCORE_ROWS) {
        const size_t vectors = least((rows->rows - i + LANES - 1) / LANES, TILE_VECTORS);
        vec magnitude[TILE_VECTORS] = {{0}};
        fetch_rows(rows, i);
        struct tile tile = pack_score_rows(rows, i, vectors);
        tile.depth = rows->columns;
        tile.b_step = rows->classes;
        tile.last = part_of(LANES);
        tile.out_step = rows->stride;
        tile.magnitude = magnitude;
        for (size_t c = 0, width; c < rows->classes; c += width) {
            width = tile_width(rows->classes - c);
            tile.b = rows->weights + c;
            tile.bias = rows->bias + c;
            tile.out = out + c * rows->stride + i;
            if (rows->x_f32)
                tile_run_scores_f32(&tile, width, vectors);
            else
                tile_run_scores(&tile, width, vectors);
        }
        for (size_t v = 0; v < vectors; v++)
            fine &= magnitude[v] <= rows->largest;
    }
    return !vec_any(~fine);
}

#endif
