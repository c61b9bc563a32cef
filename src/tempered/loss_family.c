/* method: one table from the public list of methods. */
#include "tempered/loss_family.h"

#include <math.h>
#include <string.h>

static const struct method {
    const char *name;
    double t1, t2; /* NAN: free */
} methods[] = {
#define METHOD_ROW(enumerator, word, t1, t2, text) {word, t1, t2},
    TEMPER_METHOD_LIST(METHOD_ROW)
#undef METHOD_ROW
};

enum { METHOD_COUNT = sizeof methods / sizeof *methods };

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
