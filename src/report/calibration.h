/* calibration: how often the model is right where it says how sure it is. */
#ifndef REPORT_CALIBRATION_H
#define REPORT_CALIBRATION_H

#include "base/text.h"

enum { CALIBRATION_BINS = 15 };

/* Sums over the rows of each bin of equal width of the largest probability, the bins of the
 * expected calibration error. Start from {0}. */
struct calibration {
    double weight[CALIBRATION_BINS];
    double confidence[CALIBRATION_BINS]; /* weighted */
    double correct[CALIBRATION_BINS];    /* weight of the rows that were predicted right */
};

void calibration_add(struct calibration *calibration, double confidence, bool correct, double weight);
void calibration_draw(struct text *out, const struct calibration *calibration);

#endif
