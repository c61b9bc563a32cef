/* hinge: the support vector machine's loss, its kink rounded by a parabola if asked. */
#include <math.h>

#include "tempered/loss.h"

/* As a function of z = 1 - margin; slope and curvature by z. */
static struct margin_loss rounded_hinge(double z, double smoothing)
{
    if (isnan(z) || !(smoothing >= 0) || isinf(smoothing))
        return (struct margin_loss){NAN, NAN, NAN};
    if (z <= 0)
        return (struct margin_loss){0, 0, 0};
    if (z < smoothing)
        return (struct margin_loss){z * (z / smoothing) / 2, z / smoothing, 1 / smoothing};
    return (struct margin_loss){z - smoothing / 2, 1, 0};
}

struct margin_loss hinge_margin_loss(double margin, double smoothing)
{
    struct margin_loss hinge = rounded_hinge(1 - margin, smoothing);
    hinge.slope = hinge.slope > 0 ? -hinge.slope : hinge.slope;
    return hinge;
}

static size_t best_rival(const double *a, size_t n, size_t label)
{
    size_t rival = label;
    for (size_t c = 0; c < n; c++)
        if (c != label && (rival == label || a[c] > a[rival] || isnan(a[c])))
            rival = c;
    return rival;
}

double hinge_loss(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient,
                  double *hessian)
{
    size_t rival = best_rival(a, n, label);
    struct margin_loss hinge = {0};
    if (rival != label)
        hinge = rounded_hinge(1 + (a[rival] - a[label]), loss.smoothing);
    for (size_t c = 0; gradient && c < n; c++)
        gradient[c] = c == rival ? hinge.slope : 0;
    for (size_t i = 0; hessian && i < n * n; i++)
        hessian[i] = 0;
    if (rival == label)
        return hinge.value; /* one class: nothing to separate */
    if (gradient)
        gradient[label] = -hinge.slope;
    if (hessian) {
        hessian[rival * n + rival] = hessian[label * n + label] = hinge.curvature;
        hessian[rival * n + label] = hessian[label * n + rival] = -hinge.curvature;
    }
    return hinge.value;
}
