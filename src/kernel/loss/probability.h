/* probability: from the scores of rows to their probabilities, raw or calibrated, over a block of rows.
 *
 *     y_c = log phat_c - max_k log phat_k,   phat = exp_t2(a - G(a))            (docs/math.md, section 4)
 *     p_c = (1 - floor) e_c / sum_k e_k + floor / C,   e_c = exp(order y_c)     (predict/calibration.h)
 *
 * and, with a matrix, matrix scaling (predict/calibration_matrix.h). Lanes run along the rows. A row has the same bits
 * alone, in any block and at any place of it: lanes that have converged are not changed by further steps. */
#ifndef KERNEL_PROBABILITY_H
#define KERNEL_PROBABILITY_H

#include <stdbool.h>
#include <stddef.h>

/* What is done to the scores of every row. */
struct probability_map {
    size_t classes; /* two classes have one score, which stands for -a/2 and a/2; others have one each */
    double t2;      /* PROBABILITY_LEAST_T2 to PROBABILITY_MOST_T2 */
    double order, floor;
    const double *matrix; /* [from * classes + to], followed by the offsets; NULL: none */
    double matrix_floor;
    double least_score; /* the lower bound of order y_c in the matrix */
    double share_kept;  /* the largest share of the matrix in the result */
};

/* Below 1 the edge of support needs more digits than a double has; far above the fast solver may overflow. */
#define PROBABILITY_LEAST_T2 1.0
#define PROBABILITY_MOST_T2  4.0

/* Scores are finite: [k * stride + row], readable up to `rows` rounded up to SOFTMAX_PAD. */
struct probability_rows {
    const struct probability_map *map;
    const double *score;
    size_t stride, rows;
    double *space; /* aligned, probability_space() numbers */
    double *out;   /* [row * classes + c] */
};

/* Rows that are computed together, in every instruction set: it determines the workspace alone. */
enum { PROBABILITY_ROWS = 32 };

/* Numbers of workspace: activations and probabilities, and two more of each class for a matrix. At most 10^7 classes,
 * so that it cannot overflow. */
static inline size_t probability_space(const struct probability_map *map)
{
    return (map->matrix ? 4 : 2) * (size_t)PROBABILITY_ROWS * map->classes;
}

/* Errors beside the exact formulas: 1e-12 of each probability without a matrix, 1e-12 of it + 1e-14 with one; below
 * 1e-300 a probability may be 0. */
typedef void probability_fn(const struct probability_rows *rows);

/* There is none for plain: there, and outside the bounds of t2, predict/predict.c computes row by row. */
probability_fn probabilities_avx2, probabilities_avx512, probabilities_neon, probabilities_wasm128;

#endif
