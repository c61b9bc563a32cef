/* loss_family: the facts about the losses, each stated once.
 *
 * A loss is a method (a name) with its parameters. Two-temperature losses are those of the paper,
 * -log_t1 exp_t2(a_y - G_t2(a)), under any of their names; the hinge, the Bregman loss, the
 * symmetric cross-entropy, trimming and forward correction are the others. Every module that depends on the kind of a
 * loss uses these functions. A method beyond the list is of no kind: all facts about it are false. */
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

/* The parameters that only this method has, as in temper.h; and one of them in a loss. */
const temper_loss_parameter *method_parameter(temper_method method, size_t k);
double *loss_parameter(temper_loss_spec *loss, const temper_loss_parameter *parameter);
/* Sets all parameters of all methods to their standard values. */
void loss_set_standard(temper_loss_spec *loss);
/* Whether all parameters of the method are within their ranges; else *wrong is the first that is not. */
bool loss_parameters_legal(temper_loss_spec loss, const temper_loss_parameter **wrong);

/* loss_text.c: "NAME:PARAMETER:..." of `length` bytes, as temper_loss_parse; `own`: parameters that only the method
 * has, and no temperatures. False: not such a text, *loss untouched. */
bool loss_parse(const char *text, size_t length, bool own, temper_loss_spec *loss);
void loss_format(temper_loss_spec loss, char text[TEMPER_LOSS_TEXT]);

/* Value and derivatives of any loss; a hessian needs a gradient. */
double any_loss(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient, double *hessian);
struct margin_loss any_margin_loss(temper_loss_spec loss, double margin);

/* ---- Facts about resolved losses ------------------------------------------------------------- */

/* Has the loss temperatures, free or fixed, by which its probabilities are computed? All but the hinge. */
bool loss_has_temperatures(temper_loss_spec loss);
/* Does the method leave the first (0) or second (1) temperature to the user? */
bool method_has_free_temperature(temper_method method, size_t which);
/* Is it -log_t1 exp_t2, under any name? */
bool loss_is_two_temperature(temper_loss_spec loss);
/* Is it a function of the softmax cross-entropy of the row (sce), so that the kernel of that loss computes it? */
bool loss_is_of_cross_entropy(temper_loss_spec loss);
/* Is it the two-temperature loss with these temperatures? */
bool loss_is_two_temperature_at(temper_loss_spec loss, double t1, double t2);

/* Are both the same function of the activations? "logistic" and "tempered" with t1 = t2 = 1 are. */
bool loss_same_function(temper_loss_spec a, temper_loss_spec b);
/* Are all fields equal, so that one can stand for the other in a model file or a cache? */
bool loss_same_spec(temper_loss_spec a, temper_loss_spec b);

/* Is the loss a convex function of the activations, for any number of classes? The hinge; the
 * two-temperature loss for t1 >= t2 >= 1; the Bregman loss for t1 = t2 >= 1, where it is the
 * matching loss of its link function; the symmetric cross-entropy for alpha >= beta |log_zero|. */
bool loss_is_convex(temper_loss_spec loss);
/* Is it a two-temperature loss, and convex where the label has a positive probability? For t1 >= t2; with
 * t1 = t2 < 1 it is, although it is constant further out. False for NaN temperatures. */
bool loss_is_convex_in_support(temper_loss_spec loss);
/* Is it a two-temperature loss and convex? The length of first steps and the diagonal
 * preconditioner were chosen by measurements of these losses; others keep the cautious settings. */
bool loss_has_convex_settings(temper_loss_spec loss);
/* May several starts end in different optima, so that a tuned fit should compare two? Losses whose
 * slope decreases as an example moves further to the wrong side: t1 < t2, or bounded, t1 < 1; and a
 * symmetric cross-entropy that is not convex. */
bool loss_needs_second_start(temper_loss_spec loss);
/* The order of the escort that turns p-hat into calibrated probabilities of the label as given: t1; 1 where p-hat is
 * calibrated as it is, as of the Bregman loss. 0: there are none, as for t1 = 0 and the hinge. */
double loss_escort_order(temper_loss_spec loss);
/* Is p-hat a softmax with temperature t2? Of all but the hinge, which has none. */
bool loss_has_probabilities(temper_loss_spec loss);
/* The largest value of the loss; infinity for most. */
double loss_bound(temper_loss_spec loss);
/* How far the loss is from a convex one, for the choice of preconditioners: t2 - t1 of a two-temperature loss; of a
 * symmetric cross-entropy from 0, convex, to 1, as bounded as t1 = 0; 0 for others. */
double loss_gap(temper_loss_spec loss);
/* The curvature of the two-class loss at margin 0, without terms that may be negative; 0 where it has none. */
double loss_initial_curvature(temper_loss_spec loss);
/* The margin where the two-class loss changes from convex to concave, so that rows further to the left have less and
 * less influence; not finite where it does not. */
double loss_inflection(temper_loss_spec loss);
/* Is a training one run of the minimiser, so that a search can batch several? Not with a hinge, which is rounded in
 * several phases, and not where it has rounds. */
bool loss_is_one_run(temper_loss_spec loss);
/* Does the loss of a row depend on an estimated matrix of label noise? Without one, as in any_loss, it is the
 * cross-entropy. */
bool loss_has_transition(temper_loss_spec loss);
/* Is the minimisation repeated with other weights of the rows (train/rounds.c)? */
bool loss_has_rounds(temper_loss_spec loss);
/* The loss of one row that is minimised: the logistic loss for `trimmed`, else the loss itself. */
temper_loss_spec loss_of_rows(temper_loss_spec loss);

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
