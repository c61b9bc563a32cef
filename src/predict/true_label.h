/* true_label: probabilities of the true label, from those of the given label and the noise between the two. */
#ifndef PREDICT_TRUE_LABEL_H
#define PREDICT_TRUE_LABEL_H

#include "model/model.h"

/* Solves given_g = sum_c out_c T(c, g) for out, T being the probability that class c is labelled g. Where no
 * distribution does that exactly, out is the one of the largest likelihood. `given`, `out` and `ratio`, a
 * workspace, are different arrays with a number for each class. */
void true_probabilities(const struct label_noise *noise, size_t classes, const double *given, double *ratio,
                        double *out);

#endif
