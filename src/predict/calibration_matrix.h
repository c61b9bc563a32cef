/* calibration_matrix: matrix scaling, which corrects the probabilities of pairs of classes that are confused.
 *
 * Order and floor treat all classes alike. Where no linear model fits, some pairs of classes are confused far more
 * often than others, and the scores show which. Matrix scaling (C. Guo et al., "On calibration of modern neural
 * networks", 2017; with a penalty: M. Kull et al., "Beyond temperature scaling", 2019) fits
 *
 *     p'_c = (1 - f') softmax(u + u A + b)_c + f' / C,   u_c = max(order (log phat_c - max_k log phat_k), -60)
 *
 * by maximum likelihood with normal priors around A = 0, b = 0 and the floor f: with few rows p' is nearly p. The prior
 * of A has one of two widths, selected by two-fold cross-validation. To keep
 * the predicted class the most probable one, p' is mixed with p, in the largest share of p' that does. */
#ifndef PREDICT_CALIBRATION_MATRIX_H
#define PREDICT_CALIBRATION_MATRIX_H

#include "model/model.h"

/* What the fit needs. Rows have not been fitted to. */
struct matrix_rows {
    const double *log_p; /* [row * classes + c]: log phat_c less that of the most probable class; may be -infinity */
    const uint32_t *label;
    const double *weight; /* or NULL: all 1 */
    size_t rows, classes;
    double evidence;  /* rows that the likelihood counts for beside the priors */
    double smoothing; /* every label counts as every class with this share */
    double spread;    /* standard deviation of the prior of A; that of b is five times as large */
};

/* Numbers of a matrix: A and b, [(classes + 1) * classes], and the logit of the floor less that of f. In units of the
 * standard deviations of their priors. */
size_t matrix_parameters(size_t classes);

/* The mean negative log likelihood and the priors, and its gradient. */
double matrix_objective(const struct matrix_rows *rows, const struct calibration *calibration, const double *parameter,
                        double *gradient);

/* Sets the matrix of a calibration whose order and floor are known; rows->spread is not read. More than
 * CALIBRATION_MATRIX_CLASSES classes get none: it would take longer than the training. */
temper_status matrix_fit(const struct matrix_rows *rows, struct calibration *calibration, temper_error *error);

/* Turns p, the probabilities of order and floor, into those of the matrix. log_p as above, of one row. */
void matrix_refine(const struct calibration *calibration, size_t classes, const double *log_p, double *p);

#endif
