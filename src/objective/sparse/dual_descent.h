/* dual_descent: the minimum of a logistic regression, on sparse rows or on few dense ones, by coordinate ascent on its
 * dual, one row after the other, with a bound by which the result can be judged. */
#ifndef OBJECTIVE_DUAL_DESCENT_H
#define OBJECTIVE_DUAL_DESCENT_H

#include "objective/gram/spectrum.h"
#include "objective/objective.h"

/* How near to the minimum: the objective within a share of it, and the norm of the gradient as a share of that at W =
 * 0. The gradient by the intercept is not counted. */
struct dual_goal {
    double share, gradient;
};

struct dual_result {
    size_t epochs;         /* passes over all rows; each costs about as much as an evaluation */
    bool given_up;         /* the optimum is far away: a start at W = 0 is as good */
    double lower_bound;    /* of the objective: no weights have a smaller one */
    double bias_curvature; /* the second derivative of the objective by the intercept, about */
    /* At W = 0, which the first epoch reads all rows for: the objective, and the norm of its gradient. */
    double zero_value, zero_gradient;
};

/* Whether the objective of that specification has such a dual, and its rows are so short, relative to the penalty, that
 * some epochs solve it; from a sample of them. The same for any number of processes. */
temper_status dual_descent_suits(const struct objective_spec *spec, bool *suits, temper_error *error);

/* The same for dense rows, of which there are fewer than features: whether they are so nearly at right angles to each
 * other that some epochs solve it, whatever the penalty. */
bool dual_descent_suits_dense(const struct objective_spec *spec, const struct spectrum *spectrum);

/* About how many bytes it uses. */
double dual_descent_bytes(const struct objective_spec *spec);

/* Fills w, from rows in a random order that follows from their number alone: one thread, so that there is one result.
 * Ends when the goal is expected to be reached, or when epochs gain little. */
temper_status dual_descent(const struct objective *objective, struct dual_goal goal, double *w,
                           struct dual_result *result, temper_error *error);

#endif
