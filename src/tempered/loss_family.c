/* loss_family: the losses by name, and the facts about them that training, tuning and reports use. */
#include "tempered/loss_family.h"

#include <math.h>
#include <string.h>

#include "temper_extra.h"
#include "tempered/tempered_functions.h"

/* One row for each method of the public list. */
static const struct method {
    const char *name;
    double t1, t2; /* NAN: free */
} methods[] = {
#define METHOD_ROW(enumerator, word, t1, t2, text) {word, t1, t2},
    TEMPER_METHOD_LIST(METHOD_ROW)
#undef METHOD_ROW
};

enum { METHOD_COUNT = sizeof methods / sizeof *methods };

/* ---- Names and values ------------------------------------------------------------------------ */

const char *method_name(temper_method method)
{
    return (size_t)method < METHOD_COUNT ? methods[method].name : "?";
}

bool method_find(const char *name, temper_method *method)
{
    for (size_t i = 0; i < METHOD_COUNT; i++)
        if (strcmp(methods[i].name, name) == 0) {
            *method = (temper_method)i;
            return true;
        }
    return false;
}

temper_loss_spec loss_resolve(temper_loss_spec loss)
{
    if ((size_t)loss.method >= METHOD_COUNT)
        return (temper_loss_spec){.method = loss.method, .t1 = NAN, .t2 = NAN, .smoothing = NAN};
    const struct method *method = &methods[loss.method];
    loss.t1 = isnan(method->t1) ? loss.t1 : method->t1;
    loss.t2 = isnan(method->t2) ? loss.t2 : method->t2;
    return loss;
}

double any_loss(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient, double *hessian)
{
    loss = loss_resolve(loss);
    switch (loss.method) {
    case TEMPER_HINGE:
        return hinge_loss(loss, a, n, label, gradient, hessian);
    case TEMPER_BREGMAN:
        return bregman_loss(loss, a, n, label, gradient, hessian);
    default: /* the special cases are only other temperatures */
        return tempered_loss(loss, a, n, label, gradient, hessian);
    }
}

struct margin_loss any_margin_loss(temper_loss_spec loss, double margin)
{
    loss = loss_resolve(loss);
    switch (loss.method) {
    case TEMPER_HINGE:
        return hinge_margin_loss(margin, loss.smoothing);
    case TEMPER_BREGMAN:
        return bregman_margin_loss(margin, loss.t1, loss.t2);
    default:
        return tempered_margin_loss(margin, loss.t1, loss.t2);
    }
}

/* ---- Which loss it is ------------------------------------------------------------------------ */

bool loss_has_temperatures(temper_loss_spec loss)
{
    return loss.method != TEMPER_HINGE;
}

bool loss_is_two_temperature(temper_loss_spec loss)
{
    return loss.method != TEMPER_HINGE && loss.method != TEMPER_BREGMAN;
}

bool loss_is_two_temperature_at(temper_loss_spec loss, double t1, double t2)
{
    return loss_is_two_temperature(loss) && loss.t1 == t1 && loss.t2 == t2;
}

bool loss_same_function(temper_loss_spec a, temper_loss_spec b)
{
    if (a.method != b.method && !(loss_is_two_temperature(a) && loss_is_two_temperature(b)))
        return false;
    return loss_has_temperatures(a) ? a.t1 == b.t1 && a.t2 == b.t2 : a.smoothing == b.smoothing;
}

bool loss_same_spec(temper_loss_spec a, temper_loss_spec b)
{
    return a.method == b.method && a.t1 == b.t1 && a.t2 == b.t2 && a.smoothing == b.smoothing;
}

/* ---- Convexity ------------------------------------------------------------------------------- */

bool loss_is_convex(temper_loss_spec loss)
{
    switch (loss.method) {
    case TEMPER_HINGE:
        return true;
    case TEMPER_BREGMAN: /* for t1 > t2 it is at some temperatures only, and not at (1.9, 1) */
        return loss.t1 == loss.t2 && loss.t1 >= 1;
    default:
        return loss_shape(loss.t1, loss.t2).convex;
    }
}

bool loss_is_convex_in_support(temper_loss_spec loss)
{
    return loss.t1 >= loss.t2;
}

bool loss_has_convex_settings(temper_loss_spec loss)
{
    return loss_is_two_temperature(loss) && loss_is_convex(loss);
}

bool loss_needs_second_start(temper_loss_spec loss)
{
    return loss_has_temperatures(loss) && !(loss.t1 >= 1 && loss.t1 >= loss.t2);
}

/* ---- The shape of the two-temperature loss --------------------------------------------------- */

/* Has the sign of the second derivative at r = log(q/p). Decreases in r from 2 t1 at 0:
 * t2 (1 + p/q) - (t2 - t1)(1 + (q/p)^t2), appendix B. */
static double curvature_sign(double r, double t1, double t2)
{
    return t2 * (1 + exp(-r)) - (t2 - t1) * (1 + exp(t2 * r));
}

/* The root of curvature_sign, which has one, by bisection down to neighbouring doubles. */
static double inflection_log_odds(double t1, double t2)
{
    double low = 0, high = 1;
    while (curvature_sign(high, t1, t2) > 0)
        high *= 2;
    for (;;) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            return high;
        if (curvature_sign(middle, t1, t2) > 0)
            low = middle;
        else
            high = middle;
    }
}

double inflection_margin(double t1, double t2)
{
    if (!legal_temperature(t1) || !legal_temperature(t2))
        return NAN;
    if (t1 >= t2)
        return -INFINITY;
    if (t1 == 0) /* the loss is 1 - p, whose inflection is at p = 1/2 */
        return 0;
    /* log_t2 p - log_t2 q = q^(1-t2) log_t2(p/q) */
    double r = inflection_log_odds(t1, t2), log_q = -log1p(exp(-r));
    return exp((1 - t2) * log_q) * stretch_exp(-r, 1 - t2);
}

temper_loss_properties loss_shape(double t1, double t2)
{
    if (!legal_temperature(t1) || !legal_temperature(t2))
        return (temper_loss_properties){.bound = NAN, .inflection = NAN};
    bool sparse = t2 < 1; /* p reaches 0 at a finite margin */
    return (temper_loss_properties){
        .convex = t1 >= t2 && t1 >= 1 && !sparse,
        .extended = t1 >= 1 && sparse,
        .quasi_convex = 1,
        .bounded = t1 < 1,
        .bound = t1 < 1 ? 1 / (1 - t1) : INFINITY,
        .smooth = !(sparse && t1 > t2), /* else p^(t2-t1) grows without bound at the edge */
        .inflection = inflection_margin(t1, t2),
    };
}
