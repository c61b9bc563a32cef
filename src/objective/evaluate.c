/* evaluate: value, gradient and products with the curvature. */
#include <math.h>

#include "objective/inside.h"

temper_status objective_evaluate(void *context, const double *w, double *value, double *gradient,
                                 temper_error *error)
{
    struct objective *o = context;
    double loss = 0, correct = 0;
    o->point[o->last].prepared = false;
    if (run_pass(o, PASS_EVALUATE, w, gradient) != TEMPER_OK)
        return error_no_memory(error);
    for (size_t p = 0; p < o->cut.parts; p++) {
        loss += o->part[p].loss;
        correct += o->part[p].correct;
    }
    o->loss = loss / o->weight_sum;
    o->accuracy = correct / o->weight_sum;
    *value = o->loss + penalty(w, o->columns * o->vectors, o->spec.l2);
    return TEMPER_OK;
}

void objective_accept(void *context)
{
    struct objective *o = context;
    o->last = 1 - o->last;
}

temper_status objective_multiply(void *context, const double *v, double *product,
                                 temper_error *error)
{
    struct objective *o = context;
    if (run_pass(o, PASS_MULTIPLY, v, product) != TEMPER_OK)
        return error_no_memory(error);
    o->point[1 - o->last].prepared = true;
    return TEMPER_OK;
}

temper_status objective_length(void *context, const double *v, double *length, temper_error *error)
{
    struct objective *o = context;
    double squares = 0;
    if (run_pass(o, PASS_LENGTH, v, NULL) != TEMPER_OK)
        return error_no_memory(error);
    for (size_t p = 0; p < o->cut.parts; p++)
        squares += o->part[p].squares;
    *length = sqrt(squares / o->weight_sum);
    return TEMPER_OK;
}
