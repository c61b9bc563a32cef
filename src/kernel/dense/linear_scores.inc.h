/* linear_scores: scores of rows as they are stored, for predictions.
 *
 * A tile's rows are converted to doubles as they are transposed, multiplied and finished before the next ones are read,
 * so that nothing leaves the first-level cache. Sums are in the order of linear_many_times: the same bits. */
#ifndef KERNEL_LINEAR_SCORES_INC_H
#define KERNEL_LINEAR_SCORES_INC_H

#include "kernel/dense/linear_tile.inc.h"

enum { SCORE_ROWS = TILE_VECTORS * LANES };

#if defined(__AVX2__)
/* to[q] has column q of four rows, q < 4. */
HOT void transpose_floats(const float *const *row, size_t column, __m128 *to)
{
    const __m128 a = _mm_loadu_ps(row[0] + column), b = _mm_loadu_ps(row[1] + column);
    const __m128 c = _mm_loadu_ps(row[2] + column), d = _mm_loadu_ps(row[3] + column);
    const __m128 ab = _mm_unpacklo_ps(a, b), cd = _mm_unpacklo_ps(c, d);
    const __m128 ab_high = _mm_unpackhi_ps(a, b), cd_high = _mm_unpackhi_ps(c, d);
    to[0] = _mm_movelh_ps(ab, cd);
    to[1] = _mm_movehl_ps(cd, ab);
    to[2] = _mm_movelh_ps(ab_high, cd_high);
    to[3] = _mm_movehl_ps(cd_high, ab_high);
}

/* Four columns of LANES rows; whole vectors are stored, since a load of two stores would wait for both. */
HOT void convert_four(const float *const *row, size_t column, double *to)
{
    __m128 low[4];
    transpose_floats(row, column, low);
#if defined(__AVX512F__)
    __m128 high[4];
    transpose_floats(row + 4, column, high);
    UNROLL for (size_t q = 0; q < 4; q++)
    {
        const __m256 both = _mm256_insertf128_ps(_mm256_castps128_ps256(low[q]), high[q], 1);
        vec_store(to + q * LANES, (vec)_mm512_cvtps_pd(both));
    }
#else
    UNROLL for (size_t q = 0; q < 4; q++) vec_store(to + q * LANES, (vec)_mm256_cvtps_pd(low[q]));
#endif
}
#endif

/* Transposes LANES rows of floats: to[column * LANES + row]. */
HOT void convert_panel(const float *const *row, size_t columns, double *to)
{
    size_t j = 0;
#if defined(__AVX2__)
    for (; j + 4 <= columns; j += 4)
        convert_four(row, j, to + j * LANES);
#endif
    for (; j < columns; j++)
        for (size_t k = 0; k < LANES; k++)
            to[j * LANES + k] = (double)row[k][j];
}

/* Packs LANES rows from row i on; past the end, the last again. */
HOT void pack_score_panel(const struct linear_scores *rows, size_t i, double *to)
{
    const float *floats[LANES];
    const double *doubles[LANES];
    for (size_t k = 0; k < LANES; k++) {
        const size_t skip = least(i + k, rows->rows - 1) * rows->columns;
        if (rows->x_f32)
            floats[k] = rows->x_f32 + skip;
        else
            doubles[k] = rows->x_f64 + skip;
    }
    if (rows->x_f32)
        convert_panel(floats, rows->columns, to);
    else
        pack_panel(doubles, rows->columns, to);
}

/* Adds the intercepts to the sums of some rows. False: a score is too large. */
HOT bool finish_scores(const struct linear_scores *rows, size_t vectors, double *out)
{
    ivec fine = ivec_all(-1);
    for (size_t c = 0; c < rows->classes; c++)
        for (size_t v = 0; v < vectors; v++) {
            double *at = out + c * rows->stride + v * LANES;
            const vec score = vec_load(at) + rows->bias[c];
            vec_store(at, score);
            fine &= vec_abs(score) <= rows->largest;
        }
    return !vec_any(~fine);
}

static bool linear_scores(const struct linear_scores *rows, double *out)
{
    const size_t panel = rows->columns * LANES;
    bool fine = true;
    for (size_t i = 0; i < rows->rows; i += SCORE_ROWS) {
        const size_t vectors = least((rows->rows - i + LANES - 1) / LANES, TILE_VECTORS);
        for (size_t v = 0; v < vectors; v++)
            pack_score_panel(rows, i + v * LANES, rows->scratch + v * panel);
        for (size_t c = 0, width; c < rows->classes; c += width) {
            width = tile_width(rows->classes - c);
            const struct tile tile = {.a = rows->scratch,
                                      .b = rows->weights + c,
                                      .depth = rows->columns,
                                      .a_step = LANES,
                                      .a_next = panel,
                                      .b_step = rows->classes,
                                      .last = part_of(LANES),
                                      .out = out + c * rows->stride + i,
                                      .out_step = rows->stride};
            tile_run(&tile, width, vectors);
        }
        fine = finish_scores(rows, vectors, out + i) && fine;
    }
    return fine;
}

#endif
