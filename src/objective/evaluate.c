/* evaluate: value, gradient and products with the curvature. */
#include <math.h>

#include "objective/inside.h"

/* The penalty leaves the intercepts alone; they come last. */
static double penalty(const struct objective *o, const double *w)
{
    size_t plain = o->columns * o->vectors, i = 0;
    double sum[4] = {0}; /* hide the latency of an addition */
    for (; i + 4 <= plain; i += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += w[i + k] * w[i + k];
    for (; i < plain; i++)
        sum[0] += w[i] * w[i];
    return 0.5 * o->spec.l2 * ((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

temper_status objective_evaluate(void *context, const double *w, double *value, double *gradient,
                                 temper_error *error)
{
    struct objective *o = context;
    double loss = 0, correct = 0;
    o->point[o->last].prepared = false;
    if (run_pass(o, PASS_EVALUATE, w, gradient) != TEMPER_OK)
        return error_no_memory(error);
    for (size_t p = 0; p < o->parts; p++) {
        loss += o->part[p].loss;
        correct += o->part[p].correct;
    }
    o->loss = loss / o->weight_sum;
    o->accuracy = correct / o->weight_sum;
    *value = o->loss + penalty(o, w);
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
    for (size_t p = 0; p < o->parts; p++)
        squares += o->part[p].squares;
    *length = sqrt(squares / o->weight_sum);
    return TEMPER_OK;
}
