/* calibration: fits the numbers by which scores become calibrated probabilities of the given labels.
 *
 *     p_c = (1 - floor) q_c + floor / C,   q_c = phat_c^order / sum_k phat_k^order
 *
 * phat is the distribution of the loss. For t2 = 1 the order is the scale of temperature scaling (C. Guo et al., "On
 * calibration of modern neural networks", 2017). The floor is the share of labels that no score explains: with wrong
 * labels the probability of the given label stays below 1 however large the score is. Both leave the order of the
 * classes unchanged, so that the most probable class is the predicted one. calibration_matrix.h refines them. */
#ifndef PREDICT_CALIBRATION_H
#define PREDICT_CALIBRATION_H

#include "model/model.h"

/* p of one row by order and floor, from log_p: log phat_c less that of the most probable class. May be done in place.
 */
void escort_with_floor(double order, double floor, const double *log_p, size_t classes, double *p);

/* Rows whose labels the scores have not been fitted to. */
struct calibration_rows {
    const double *score; /* [row * vectors + k] */
    const uint32_t *label;
    const double *weight; /* or NULL: all 1 */
    size_t rows;
    size_t distinct; /* rows, equal ones counted once: how much evidence there is */
};

/* Fills order, floor, rows and matrix of *out, which must have no matrix, by maximum likelihood; `model` is read for
 * its loss and its number of classes. If all scores are equal, the order is 1: there is nothing to be learnt. */
temper_status calibration_fit(const struct model *model, const struct calibration_rows *rows, struct calibration *out,
                              temper_error *error);

#endif
