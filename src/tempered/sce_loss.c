/* sce_loss: symmetric cross-entropy (Wang, Ma, Chen, Luo, Yi, Bailey: Symmetric Cross Entropy for Robust Learning with
 * Noisy Labels, ICCV 2019).
 *
 * alpha CE + beta RCE, where CE = -log p_y and the reverse cross-entropy is RCE = -sum_c p_c log y_c with log 0
 * replaced by log_zero < 0, that is -log_zero (1 - p_y). With B = -beta log_zero the loss is alpha CE + B (1 -
 * exp(-CE)), a function of the cross-entropy alone, and so are its derivatives:
 *
 *     gradient  (alpha + B p_y) g                         g, H: those of CE
 *     Hessian   (alpha + B p_y) H - B p_y g g' */
#include <math.h>

#include "tempered/losses.h"

/* The product of alpha = 0 and an infinite cross-entropy is 0, not NaN. */
struct sce_terms sce_terms(temper_loss_spec loss, double cross_entropy)
{
    double bound = -loss.beta * loss.log_zero, p = exp(-cross_entropy);
    double cross = loss.alpha > 0 ? loss.alpha * cross_entropy : 0;
    return (struct sce_terms){
        .value = cross - bound * expm1(-cross_entropy), .factor = loss.alpha + bound * p, .outer = -bound * p};
}

/* The Hessian first: its second term needs the gradient of the cross-entropy before that is multiplied by the factor.
 * So a Hessian needs a gradient too. */
double sce_loss(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient, double *hessian)
{
    const temper_loss_spec logistic = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};
    struct sce_terms terms = sce_terms(loss, tempered_loss(logistic, a, n, label, gradient, hessian));
    for (size_t i = 0; hessian && i < n; i++)
        for (size_t j = 0; j < n; j++)
            hessian[i * n + j] = terms.factor * hessian[i * n + j] + terms.outer * (gradient[i] * gradient[j]);
    for (size_t c = 0; gradient && c < n; c++)
        gradient[c] *= terms.factor;
    return terms.value;
}

/* The same chain rule with scalars: slope and curvature of the cross-entropy in place of g and H. */
struct margin_loss sce_margin_loss(temper_loss_spec loss, double margin)
{
    struct margin_loss cross = tempered_margin_loss(margin, 1, 1);
    struct sce_terms terms = sce_terms(loss, cross.value);
    return (struct margin_loss){.value = terms.value,
                                .slope = terms.factor * cross.slope,
                                .curvature = terms.factor * cross.curvature + terms.outer * cross.slope * cross.slope};
}
