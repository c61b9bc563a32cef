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
    double t2;      /* see probability_fits */
    double order, floor;
    const double *matrix; /* [from * classes + to], followed by the offsets; NULL: none */
    double matrix_floor;
    double least_score; /* the lower bound of order y_c in the matrix */
    double share_kept;  /* the largest share of the matrix in the result */
};

/* Whether the kernels can be used: far above t2 = 1 their solver would overflow. `log_classes` is log C. */
static inline bool probability_fits(double t2, double log_classes)
{
    return t2 <= 20 && (t2 - 1) * log_classes <= 100;
}

/* Scores are finite: [k * stride + row], readable up to `rows` rounded up to SOFTMAX_PAD. */
struct probability_rows {
    const struct probability_map *map;
    const double *score;
    size_t stride, rows;
    double *space;  /* aligned, probability_space() numbers */
    double *out;    /* [row * classes + c], or, if it is NULL: */
    float *out_f32; /* the same, rounded */
    bool *unsure; /* [rows], unless t2 = 1: whether the result has larger errors than promised, and is to be replaced */
};

/* Rows that are computed together, in every instruction set: it determines the workspace alone. */
enum { PROBABILITY_ROWS = 32 };

/* Numbers of workspace: activations and probabilities, and two more of each class for a matrix. At most 10^7 classes,
 * so that it cannot overflow. */
static inline size_t probability_space(const struct probability_map *map)
{
    return (map->matrix ? 4 : 2) * (size_t)PROBABILITY_ROWS * map->classes;
}

/* Errors beside the exact formulas: without a matrix 1e-12 of each probability, with one 1e-12 of it + 1e-14; t2 < 1:
 * 1e-11 of it + 1e-14. Below 1e-300 a probability may be 0. A row is unsure if lambda was not found, or, for t2 < 1, if
 * a class is so close to the edge of support that its score needs more digits than a double has. */
typedef void probability_fn(const struct probability_rows *rows);

/* Most classes whose e_c are summed in floats: the sum of more would be less accurate than the floats themselves. */
enum { PROBABILITY_FLOAT_CLASSES = 32 };

/* Whether floats are computed on vectors of floats from the distances of the scores, which are in doubles. Errors are
 * at most 1e-6 of each probability above 1e-37, and mostly below 2e-7; below it may be 0. Two classes, a matrix and
 * other t2 are computed in doubles and rounded. */
static inline bool probability_in_floats(const struct probability_rows *rows)
{
    return rows->out_f32 && rows->map->t2 == 1 && !rows->map->matrix && rows->map->classes > 2 &&
           rows->map->classes <= PROBABILITY_FLOAT_CLASSES;
}

/* There is none for plain: there, and for unsure rows, predict/predict.c computes row by row. */
probability_fn probabilities_avx2, probabilities_avx512, probabilities_neon, probabilities_wasm128;
/* What these call where probability_in_floats. */
probability_fn probabilities_f32_avx2, probabilities_f32_avx512, probabilities_f32_neon, probabilities_f32_wasm128;

#endif
