/* method: the losses by name. */
#ifndef TEMPERED_LOSS_FAMILY_H
#define TEMPERED_LOSS_FAMILY_H

#include <stdbool.h>

#include "tempered/losses.h"

const char *method_name(temper_method method);
bool method_find(const char *name, temper_method *method);

/* The loss with the temperatures that its method fixes put in. */
temper_loss_spec loss_resolve(temper_loss_spec loss);

/* Any of the losses; a hessian needs a gradient. */
double any_loss(temper_loss_spec loss, const double *a, size_t n, size_t label, double *gradient, double *hessian);
struct margin_loss any_margin_loss(temper_loss_spec loss, double margin);

#endif
