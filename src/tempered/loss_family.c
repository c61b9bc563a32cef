/* loss_family: the losses by name, and the facts about them that training, tuning and reports use.
 *
 * Every decision that depends on the kind of a loss is a function here (convexity, temperatures, probabilities, bound,
 * rounds) and has one answer for all callers. A method that is in none of the lists is of no kind. Shape and convexity
 * of the two-temperature family are derived from its curvature in the margin, at the end of the file. */
#include "tempered/loss_family.h"

#include <assert.h>
#include <float.h>
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

/* Which of them are -log_t1 exp_t2. A method that is not listed here is not. */
static const bool two_temperature[TEMPER_METHODS] = {
    [TEMPER_TEMPERED] = true, [TEMPER_LOGISTIC] = true, [TEMPER_T_LOGISTIC] = true, [TEMPER_GCE] = true};

/* The parameters of single methods, in the order in which they are written; ranges include their ends. The weights of
 * sce are those of its authors for CIFAR-10. */
static const temper_loss_parameter parameters[] = {
    {TEMPER_HINGE, "smoothing", offsetof(temper_loss_spec, smoothing), 0, 0, DBL_MAX},
    {TEMPER_SCE, "alpha", offsetof(temper_loss_spec, alpha), 0.1, 0, DBL_MAX},
    {TEMPER_SCE, "beta", offsetof(temper_loss_spec, beta), 1, 0, DBL_MAX},
    {TEMPER_SCE, "log_zero", offsetof(temper_loss_spec, log_zero), -4, -DBL_MAX, 0},
    {TEMPER_TRIMMED, "trim", offsetof(temper_loss_spec, trim), 0.2, 0, 0.99},
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

/* ---- Names and values ------------------------------------------------------------------------ */

const char *method_name(temper_method method)
{
    return (size_t)method < TEMPER_METHODS ? methods[method].name : "?";
}

/* Linear search: the list is short, and names are looked up once for each command. */
bool method_find(const char *name, temper_method *method)
{
    for (size_t i = 0; i < TEMPER_METHODS; i++)
        if (strcmp(methods[i].name, name) == 0) {
            *method = (temper_method)i;
            return true;
        }
    return false;
}

/* A method with fixed temperatures (logistic: 1, 1) overrides the fields of the caller; free ones are kept. A
 * method beyond the list gets NaN, so that every loss of it is NaN. */
temper_loss_spec loss_resolve(temper_loss_spec loss)
{
    if ((size_t)loss.method >= TEMPER_METHODS)
        return (temper_loss_spec){.method = loss.method, .t1 = NAN, .t2 = NAN, .smoothing = NAN};
    const struct method *method = &methods[loss.method];
    loss.t1 = isnan(method->t1) ? loss.t1 : method->t1;
    loss.t2 = isnan(method->t2) ? loss.t2 : method->t2;
    return loss;
}

/* ---- Parameters of single methods ------------------------------------------------------------ */

/* The k-th parameter of a method; NULL behind the last one, which ends the loops of the callers. */
const temper_loss_parameter *method_parameter(temper_method method, size_t k)
{
    for (size_t i = 0; i < PARAMETERS; i++)
        if (parameters[i].method == method && k-- == 0)
            return &parameters[i];
    return NULL;
}

/* The field of a parameter. Compares offsets instead of adding one to the pointer, so that the type of the field is
 * checked by the compiler. */
double *loss_parameter(temper_loss_spec *loss, const temper_loss_parameter *parameter)
{
    double *const fields[] = {&loss->smoothing, &loss->alpha, &loss->beta, &loss->log_zero, &loss->trim};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if ((size_t)((const char *)fields[i] - (const char *)loss) == parameter->offset)
            return fields[i];
    assert(false); /* all parameters of the list are fields */
    return NULL;
}

/* Of all methods, so that a spec is complete whichever method is set in it later. */
void loss_set_standard(temper_loss_spec *loss)
{
    for (size_t i = 0; i < PARAMETERS; i++)
        *loss_parameter(loss, &parameters[i]) = parameters[i].standard;
}

/* NaN and infinity are out of every range. */
bool loss_parameters_legal(temper_loss_spec loss, const temper_loss_parameter **wrong)
{
    const temper_loss_parameter *parameter;
    for (size_t k = 0; (parameter = method_parameter(loss.method, k)); k++) {
        double value = *loss_parameter(&loss, parameter);
        *wrong = parameter;
        if (!(value >= parameter->least && value <= parameter->most))
            return false;
    }
    *wrong = NULL;
    return true;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* `gradient` (n) and `hessian` (n x n, row-major) may be NULL, as in losses.h. */
double any_loss(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient, double *hessian)
{
    loss = loss_resolve(loss);
    switch (loss.method) {
    case TEMPER_HINGE:
        return hinge_loss(loss, a, n, label, gradient, hessian);
    case TEMPER_BREGMAN:
        return bregman_loss(loss, a, n, label, gradient, hessian);
    case TEMPER_SCE:
        return sce_loss(loss, a, n, label, gradient, hessian);
    /* Special cases of the temperatures, or repeated trainings by the logistic loss. No default: the compiler reports a
     * method that is missing here. */
    case TEMPER_TEMPERED:
    case TEMPER_LOGISTIC:
    case TEMPER_T_LOGISTIC:
    case TEMPER_GCE:
    case TEMPER_TRIMMED:
    case TEMPER_FORWARD:
        break;
    }
    return tempered_loss(loss, a, n, label, gradient, hessian);
}

/* The same for two classes, as a function of the margin a_label - a_other. */
struct margin_loss any_margin_loss(temper_loss_spec loss, double margin)
{
    loss = loss_resolve(loss);
    switch (loss.method) {
    case TEMPER_HINGE:
        return hinge_margin_loss(margin, loss.smoothing);
    case TEMPER_BREGMAN:
        return bregman_margin_loss(margin, loss.t1, loss.t2);
    case TEMPER_SCE:
        return sce_margin_loss(loss, margin);
    case TEMPER_TEMPERED:
    case TEMPER_LOGISTIC:
    case TEMPER_T_LOGISTIC:
    case TEMPER_GCE:
    case TEMPER_TRIMMED:
    case TEMPER_FORWARD:
        break;
    }
    return tempered_margin_loss(margin, loss.t1, loss.t2);
}

/* ---- Which loss it is ------------------------------------------------------------------------ */

static bool is_method(temper_method method)
{
    return (size_t)method < TEMPER_METHODS;
}

/* All methods but the hinge have a family of probabilities exp_t2; for some of them t1 and t2 are fixed to 1. */
bool loss_has_temperatures(temper_loss_spec loss)
{
    return is_method(loss.method) && loss.method != TEMPER_HINGE;
}

bool method_has_free_temperature(temper_method method, size_t which)
{
    return is_method(method) && method != TEMPER_HINGE && isnan(which ? methods[method].t2 : methods[method].t1);
}

/* The Bregman loss has two temperatures too, but another formula. */
bool loss_is_two_temperature(temper_loss_spec loss)
{
    return is_method(loss.method) && two_temperature[loss.method];
}

bool loss_is_of_cross_entropy(temper_loss_spec loss)
{
    return loss.method == TEMPER_SCE;
}

bool loss_is_two_temperature_at(temper_loss_spec loss, double t1, double t2)
{
    return loss_is_two_temperature(loss) && loss.t1 == t1 && loss.t2 == t2;
}

/* Logistic regression is the two-temperature loss at (1, 1): different names, the same function. */
bool loss_same_function(temper_loss_spec a, temper_loss_spec b)
{
    const temper_loss_parameter *parameter;
    if (a.method != b.method && !(loss_is_two_temperature(a) && loss_is_two_temperature(b)))
        return false;
    if (loss_has_temperatures(a) && !(a.t1 == b.t1 && a.t2 == b.t2))
        return false;
    for (size_t k = 0; (parameter = method_parameter(a.method, k)); k++)
        if (*loss_parameter(&a, parameter) != *loss_parameter(&b, parameter))
            return false;
    return true;
}

/* Stricter than the function: the method has to be the same too, and fields that it ignores. */
bool loss_same_spec(temper_loss_spec a, temper_loss_spec b)
{
    if (a.method != b.method || a.t1 != b.t1 || a.t2 != b.t2)
        return false;
    for (size_t i = 0; i < PARAMETERS; i++)
        if (*loss_parameter(&a, &parameters[i]) != *loss_parameter(&b, &parameters[i]))
            return false;
    return true;
}

/* ---- Convexity ------------------------------------------------------------------------------- */

/* In the weights of a linear model, which enter the activations linearly. */
bool loss_is_convex(temper_loss_spec loss)
{
    switch (loss.method) {
    case TEMPER_HINGE:
        return true;
    case TEMPER_BREGMAN: /* for t1 > t2 it is at some temperatures only, and not at (1.9, 1) */
        return loss.t1 == loss.t2 && loss.t1 >= 1;
    case TEMPER_SCE: /* docs/math.md, section 9 */
        return loss.alpha >= -loss.beta * loss.log_zero;
    default:
        return loss_is_two_temperature(loss) && loss_shape(loss.t1, loss.t2).convex;
    }
}

/* t1 >= t2 makes the curvature non-negative wherever the probability of the label is positive. */
bool loss_is_convex_in_support(temper_loss_spec loss)
{
    return loss_is_two_temperature(loss) && loss.t1 >= loss.t2;
}

bool loss_has_convex_settings(temper_loss_spec loss)
{
    return loss_is_two_temperature(loss) && loss_is_convex(loss);
}

/* The negation, so that NaN temperatures count as difficult. */
bool loss_needs_second_start(temper_loss_spec loss)
{
    if (loss.method == TEMPER_SCE)
        return !loss_is_convex(loss);
    /* Rounds begin with a convex problem, from which they continue. */
    return loss_has_temperatures(loss) && !loss_has_rounds(loss) && !(loss.t1 >= 1 && loss.t1 >= loss.t2);
}

/* ---- Probabilities, bound, training ---------------------------------------------------------- */

bool loss_has_probabilities(temper_loss_spec loss)
{
    return loss_has_temperatures(loss);
}

/* Methods with t1 = t2 = 1, whatever their loss, have a softmax, which order 1 leaves as it is. */
double loss_escort_order(temper_loss_spec loss)
{
    if (!loss_has_probabilities(loss))
        return 0;
    return loss.method == TEMPER_BREGMAN ? 1 : loss.t1;
}

/* The cross-entropy in sce is unbounded; without it, at most beta |log_zero|. */
double loss_bound(temper_loss_spec loss)
{
    loss = loss_resolve(loss);
    if (loss.method == TEMPER_SCE)
        return loss.alpha > 0 ? INFINITY : -loss.beta * loss.log_zero;
    return loss_has_temperatures(loss) ? loss_shape(loss.t1, loss.t2).bound : INFINITY;
}

/* Of sce it is 1 - alpha / B, B = -beta log_zero: 0 where the convex cross-entropy just outweighs the concave part, 1
 * where there is no cross-entropy. */
double loss_gap(temper_loss_spec loss)
{
    if (loss.method == TEMPER_SCE)
        return loss_is_convex(loss) ? 0 : 1 + loss.alpha / (loss.beta * loss.log_zero);
    return loss_is_two_temperature(loss) ? loss.t2 - loss.t1 : 0;
}

/* The curvature of sce is p q (alpha + B (p - q)), B = -beta log_zero: it changes its sign at q - p = alpha / B. */
double loss_inflection(temper_loss_spec loss)
{
    loss = loss_resolve(loss);
    if (loss.method == TEMPER_SCE) {
        double share = -loss.alpha / (loss.beta * loss.log_zero);
        return loss_is_convex(loss) ? -INFINITY : log1p(-share) - log1p(share);
    }
    return loss_is_two_temperature(loss) ? loss_shape(loss.t1, loss.t2).inflection : NAN;
}

/* A hinge has its curvature at margin 1. The reverse cross-entropy of sce has its inflection at margin 0, so that only
 * the factor of the logistic curvature 1/4 counts. */
double loss_initial_curvature(temper_loss_spec loss)
{
    if (loss.method == TEMPER_HINGE)
        return 0;
    return loss.method == TEMPER_SCE ? 0.25 * sce_terms(loss, log(2)).factor : any_margin_loss(loss, 0).curvature;
}

bool loss_is_one_run(temper_loss_spec loss)
{
    return loss.method != TEMPER_HINGE && !loss_has_rounds(loss);
}

/* Trimming and forward correction fit again after a look at the rows (train/rounds.c). */
bool loss_has_rounds(temper_loss_spec loss)
{
    return loss.method == TEMPER_TRIMMED || loss_has_transition(loss);
}

bool loss_has_transition(temper_loss_spec loss)
{
    return loss.method == TEMPER_FORWARD;
}

/* The loss of a single row: trimming decides which rows count, and fits them by logistic regression. */
temper_loss_spec loss_of_rows(temper_loss_spec loss)
{
    return loss.method == TEMPER_TRIMMED ? (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1} : loss;
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
    /* brackets the root by doubling: the function decreases without bound */
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

/* Closed form only for t1 = 0; otherwise by the root in r = log(q/p), from which the margin follows. */
double inflection_margin(double t1, double t2)
{
    if (!legal_temperature(t1) || !legal_temperature(t2))
        return NAN;
    if (t1 >= t2)
        return -INFINITY;
    if (t1 == 0) /* the loss is 1 - p, whose inflection is at p = 1/2 */
        return 0;
    /* log_t2 p - log_t2 q = q^(1-t2) log_t2(p/q) */
    /* the margin from the log odds: p = 1/(1 + e^r), q = 1 - p */
    double r = inflection_log_odds(t1, t2), log_q = -log1p(exp(-r));
    return exp((1 - t2) * log_q) * stretch_exp(-r, 1 - t2);
}

/* Every property is a comparison of the temperatures, except the inflection. */
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
