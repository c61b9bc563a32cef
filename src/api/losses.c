/* api: the losses. */
#include "temper.h"

#include <math.h>

#include "tempered/loss_family.h"
#include "tempered/tempered_functions.h"

/* A label that is none of the classes, or an illegal temperature: NaN everywhere, never a guess. */
static int illegal(temper_loss_spec loss, size_t n, size_t label)
{
    loss = loss_resolve(loss);
    int hinge = loss.method == TEMPER_HINGE;
    return label >= n || (!hinge && (!legal_temperature(loss.t1) || !legal_temperature(loss.t2)));
}

double temper_loss_of_spec(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient,
                           double *hessian)
{
    if (illegal(loss, n, label) || (hessian && !gradient)) {
        for (size_t c = 0; gradient && c < n; c++)
            gradient[c] = NAN;
        for (size_t i = 0; hessian && i < n * n; i++)
            hessian[i] = NAN;
        return NAN;
    }
    return any_loss(loss, a, n, label, gradient, hessian);
}

static temper_loss_spec tempered(double t1, double t2)
{
    return (temper_loss_spec){.method = TEMPER_TEMPERED, .t1 = t1, .t2 = t2};
}

double temper_loss(const double *a, size_t n, size_t label, double t1, double t2, double *gradient)
{
    return temper_loss_of_spec(tempered(t1, t2), a, n, label, gradient, NULL);
}

double temper_importance(const double *a, size_t n, size_t label, double t1, double t2)
{
    return illegal(tempered(t1, t2), n, label) ? NAN : importance(a, n, label, t1, t2);
}

double temper_margin_loss_of_spec(temper_loss_spec loss, double margin, double *slope, double *curvature)
{
    struct margin_loss value = {NAN, NAN, NAN};
    if (!illegal(loss, 2, 0))
        value = any_margin_loss(loss, margin);
    if (slope)
        *slope = value.slope;
    if (curvature)
        *curvature = value.curvature;
    return value.value;
}

double temper_margin_loss(double margin, double t1, double t2, double *slope, double *curvature)
{
    return temper_margin_loss_of_spec(tempered(t1, t2), margin, slope, curvature);
}

double temper_margin_probability(double margin, double t2)
{
    return margin_probability(margin, t2);
}

temper_loss_spec temper_loss_resolve(temper_loss_spec loss)
{
    return loss_resolve(loss);
}

const char *temper_method_name(temper_method method)
{
    return method_name(method);
}

int temper_method_find(const char *name, temper_method *method)
{
    return method_find(name, method);
}

temper_loss_properties temper_loss_shape(double t1, double t2)
{
    return loss_shape(t1, t2);
}

double temper_inflection_margin(double t1, double t2)
{
    return inflection_margin(t1, t2);
}
