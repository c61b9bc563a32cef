/* target_losses: losses of labels that are distributions over the classes: soft and smoothed labels.
 *
 * With y the label and p = exp_t2(a - G): "tempered" is Tsallis' divergence of y from p, -sum y_c log_t1(p_c/y_c);
 * "bregman" is the bi-tempered loss, sum y_c (log_t1 y_c - log_t1 p_c) - (y_c^(2-t1) - p_c^(2-t1))/(2 - t1). For a hard
 * label they are the losses of losses.h. */
#ifndef TEMPERED_TARGET_LOSSES_H
#define TEMPERED_TARGET_LOSSES_H

#include <stdbool.h>
#include <stddef.h>

#include "temper.h"

/* One class: its part of the loss, and `pull`, which is y^t1 p^(t2-t1) (tempered) or (p - y) p^(t2-t1) (bregman). The
 * gradient of the loss by the activations is q_c sum(pull) - pull_c and its negative, q being the escort of p. A class
 * outside the support has no pull: the loss does not depend on its activation. */
struct target_term {
    double loss, pull;
};
struct target_term target_term(temper_loss_spec loss, double log_p, double y);

/* Are losses of distributions defined for it? For those with two temperatures and, for t1 < 2, for bregman. */
bool loss_takes_targets(temper_loss_spec loss);

/* The loss of one row with activations a (n) and the label y (n numbers >= 0); gradient (n) may be NULL. NaN where
 * there is no such p (include/temper.h). */
double target_loss(temper_loss_spec loss, const double *a, size_t n, const double *y, double *gradient);

#endif
