/* shape: where in the (t1, t2) plane the loss is convex, bounded, trainable (remark 1, corrected).
 */
#ifndef TEMPERED_LOSS_SHAPE_H
#define TEMPERED_LOSS_SHAPE_H

#include "temper.h"

temper_shape loss_shape(double t1, double t2);
double inflection_margin(double t1, double t2);

#endif
