/* loss_family: the facts about the losses, each stated once.
 *
 * A loss is a method (a name) with its parameters. Two-temperature losses are those of the paper,
 * -log_t1 exp_t2(a_y - G_t2(a)), under any of their names; the hinge and the Bregman loss are the
 * others. Every module that depends on the kind of a loss uses these functions. */
#ifndef TEMPERED_LOSS_FAMILY_H
#define TEMPERED_LOSS_FAMILY_H

#include <stdbool.h>

#include "temper_extra.h"
#include "tempered/losses.h"

/* ---- Names and values ------------------------------------------------------------------------ */

const char *method_name(temper_method method);
bool method_find(const char *name, temper_method *method);

/* The loss with the temperatures that its method fixes (logistic: t1 = t2 = 1). */
temper_loss_spec loss_resolve(temper_loss_spec loss);

/* Value and derivatives of any loss; a hessian needs a gradient. */
double any_loss(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient, double *hessian);
struct margin_loss any_margin_loss(temper_loss_spec loss, double margin);

/* ---- Facts about resolved losses ------------------------------------------------------------- */

/* Are t1 and t2 parameters of this loss? Of all but the hinge. */
bool loss_has_temperatures(temper_loss_spec loss);
/* Is it -log_t1 exp_t2, under any name? All but the hinge and the Bregman loss. */
bool loss_is_two_temperature(temper_loss_spec loss);
/* Is it the two-temperature loss with these temperatures? */
bool loss_is_two_temperature_at(temper_loss_spec loss, double t1, double t2);

/* Are both the same function of the activations? "logistic" and "tempered" with t1 = t2 = 1 are. */
bool loss_same_function(temper_loss_spec a, temper_loss_spec b);
/* Are all fields equal, so that one can stand for the other in a model file or a cache? */
bool loss_same_spec(temper_loss_spec a, temper_loss_spec b);

/* Is the loss a convex function of the activations, for any number of classes? The hinge; the
 * two-temperature loss for t1 >= t2 >= 1; the Bregman loss for t1 = t2 >= 1, where it is the
 * matching loss of its link function. */
bool loss_is_convex(temper_loss_spec loss);
/* Is a two-temperature loss convex where the label has a positive probability? For t1 >= t2; with
 * t1 = t2 < 1 it is, although it is constant further out. False for NaN temperatures. */
bool loss_is_convex_in_support(temper_loss_spec loss);
/* Is it a two-temperature loss and convex? The length of first steps and the diagonal
 * preconditioner were chosen by measurements of these losses; others keep the cautious settings. */
bool loss_has_convex_settings(temper_loss_spec loss);
/* May several starts end in different optima, so that a tuned fit should compare two? Losses whose
 * slope decreases as an example moves further to the wrong side: t1 < t2, or bounded, t1 < 1. */
bool loss_needs_second_start(temper_loss_spec loss);

/* Convexity, bound, trainability and inflection of the two-temperature loss (remark 1 of the paper,
 * corrected: docs/errata.md, 11, 12 and 17; docs/math.md, section 10). */
temper_loss_properties loss_shape(double t1, double t2);
/* The margin at which the curvature of the two-class loss changes its sign; -infinity if nowhere. */
double inflection_margin(double t1, double t2);

/* Weight vectors of a linear classifier: two classes need the difference of their vectors only. */
static inline size_t weight_vectors(size_t classes)
{
    return classes > 2 ? classes : 1;
}

#endif
