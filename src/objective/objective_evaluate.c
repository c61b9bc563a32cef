/* evaluate: value, gradient and products with the curvature. */
#include <math.h>

#include "objective/objective_internal.h"

temper_status objective_evaluate(void *context, const double *w, double *value, double *gradient, temper_error *error)
{
    struct objective *o = context;
    if (o->spec.engine)
        return remote_evaluate(o, w, value, gradient, error);
    o->point[o->last].prepared = false;
    temper_status status = run_pass(o, PASS_EVALUATE, w, gradient, error);
    if (status != TEMPER_OK)
        return status;
    o->loss = pass_total(o, TOTAL_LOSS) / o->weight_sum;
    o->accuracy = pass_total(o, TOTAL_CORRECT) / o->weight_sum;
    *value = o->loss + penalty(w, o->columns * o->vectors, o->spec.l2);
    return TEMPER_OK;
}

void objective_accept(void *context)
{
    struct objective *o = context;
    o->last = 1 - o->last;
}

temper_status objective_multiply(void *context, const double *v, double *product, temper_error *error)
{
    struct objective *o = context;
    temper_status status = run_pass(o, PASS_MULTIPLY, v, product, error);
    if (status == TEMPER_OK)
        o->point[1 - o->last].prepared = true;
    return status;
}

temper_status objective_length(void *context, const double *v, double *length, temper_error *error)
{
    struct objective *o = context;
    if (o->spec.engine)
        return remote_length(o, v, length, error);
    temper_status status = run_pass(o, PASS_LENGTH, v, NULL, error);
    if (status == TEMPER_OK)
        *length = sqrt(pass_total(o, TOTAL_SQUARES) / o->weight_sum);
    return status;
}
