/* l1_penalty: sums over the penalised numbers, in their order. */
#include "optim/l1_penalty.h"

#include "optim/vector.h"

double l1_gradient_norm(const struct problem *problem, const double *w, const double *g)
{
    double sum = 0;
    if (problem->l1 == 0)
        return vector_norm(g, problem->size);
    for (size_t j = 0; j < problem->size; j++) {
        const double v = l1_subgradient(problem, j, w[j], g[j]);
        sum += v * v;
    }
    return sqrt(sum);
}

/* Term by term: the difference of two norms would lose the digits of a short step. */
double l1_change(const struct problem *problem, const double *w, const double *to)
{
    double sum = 0;
    for (size_t j = 0; j < problem->penalised; j++)
        sum += fabs(to[j]) - fabs(w[j]);
    return problem->l1 * sum;
}
