/* losses: the two-temperature loss and others as functions of the activations.
 *
 * Gradients and Hessians are by the activations. Where the label is outside the support (t2 < 1, or an
 * activation of -infinity) the loss is constant at its bound, and the derivatives are 0. */
#ifndef TEMPERED_LOSSES_H
#define TEMPERED_LOSSES_H

#include <stddef.h>

#include "temper.h"

/* -log_t1 exp_t2(a_label - G_t2(a)); gradient (n) and hessian (n x n) may be NULL, but a hessian
 * needs a gradient. */
double tempered_loss(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient, double *hessian);

/* The bi-tempered loss of Amid, Warmuth, Anil, Koren (NeurIPS 2019), a Bregman divergence: proper, and
 * bounded for t1 < 1 too. */
double bregman_loss(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient, double *hessian);

/* The hinge of Crammer and Singer, z = 1 + the largest other activation - a_label, with its kink
 * smoothed by a parabola over 0 < z < smoothing: z^2/(2 smoothing), then z - smoothing/2. The kinks
 * where two other classes are equal are smoothed too; the result is below the hinge by at most
 * smoothing/2. Without smoothing the first of equal largest activations has the subgradient. */
double hinge_loss(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient, double *hessian);

/* Symmetric cross-entropy: alpha CE - beta log_zero (1 - p_label). */
double sce_loss(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient, double *hessian);
/* The same from the cross-entropy: its value; the factor of the gradient and the Hessian of the cross-entropy, and that
 * of the outer product of this gradient in the Hessian. */
struct sce_terms {
    double value, factor, outer;
};
struct sce_terms sce_terms(temper_loss_spec loss, double cross_entropy);

/* Cross-entropy with forward correction: -log sum_c p_c column[c], column[c] = P(given label | true class c). `p` (n)
 * receives the softmax of a; gradient (n) may be NULL. */
double forward_loss(const double *column, const double *a, size_t n, double *p, double *gradient);
/* Its value from sum = sum_c p_c column[c] and rest = 1 - sum = sum_c p_c (1 - column[c]). */
double forward_value(double sum, double rest);

/* The same losses for two classes as functions of the margin. */
struct margin_loss {
    double value, slope, curvature;
};
struct margin_loss tempered_margin_loss(double margin, double t1, double t2);
/* The two-temperature loss at the margin sign (1/(1-t2) - gap), t2 < 1, 0 < gap <= 1/(1-t2), sign 1 or -1: next to the
 * edge of support the gap has digits that the margin has not. */
struct margin_loss tempered_gap_loss(double gap, double sign, double t1, double t2);
struct margin_loss bregman_margin_loss(double margin, double t1, double t2);
struct margin_loss hinge_margin_loss(double margin, double smoothing);
struct margin_loss sce_margin_loss(temper_loss_spec loss, double margin);
/* keep: P(given label | it is the true class); flip: P(given label | the other class is true). */
struct margin_loss forward_margin_loss(double margin, double keep, double flip);

/* p of the given label, and its power t2 - t1. */
double margin_probability(double margin, double t2);
double importance(const double *a, size_t n, size_t label, double t1, double t2);

#endif
