/* row_scores: what follows from the scores of one row. Two classes have a single score, that of class 1 against class
 * 0: `vectors` is 1 then, else the number of classes. */
#ifndef TEMPERED_ROW_SCORES_H
#define TEMPERED_ROW_SCORES_H

#include <stddef.h>
#include <stdint.h>

#include "temper.h"

/* The class of the largest score, the first of equal ones; a single score of 0 predicts class 0. */
uint32_t class_of_scores(const double *a, size_t vectors);

/* The same, and the distance of the second largest score from the largest: a difference of scores and not of
 * probabilities, since not every loss has probabilities. */
uint32_t predicted_with_confidence(const double *a, size_t vectors, double *confidence);

/* The loss of a row of class `label`. `column`: P(given label | true class), for a loss with a matrix of label noise;
 * else NULL. `p`: workspace for a number of each class, needed with a column. */
double loss_of_scores(temper_loss_spec loss, const double *column, const double *a, size_t vectors, uint32_t label,
                      double *p);

#endif
