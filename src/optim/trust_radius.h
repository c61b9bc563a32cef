/* trust: how far a quadratic model of the function can be trusted, learnt from its predictions. */
#ifndef OPTIM_TRUST_RADIUS_H
#define OPTIM_TRUST_RADIUS_H

#include "optim/solver_state.h"

/* A step, as the model sees it. */
struct trust_step {
    const double *step; /* trial - w */
    double norm;        /* in the norm of the region */
    double slope;       /* gradient' step */
    double bend;        /* step' H step */
    bool at_edge;       /* the region kept it from being longer, */
    bool limited;       /* or the limit on the length of steps did */
};

/* What the model promises the value to fall by; never positive for a step that is no use. */
double trust_radius_predicted(const struct trust_step *step);
/* step becomes `factor` of itself. */
void trust_radius_shrink(struct trust_step *step, double *vector, double factor, size_t n);

/* After the trial w + step was evaluated: whether it should be accepted; head->radius becomes what
 * the next step may use. */
bool trust_radius_update(struct solver_state *run, const struct trust_step *step);

/* run->trial = w + step; false if that changes nothing. */
bool trust_radius_place(struct solver_state *run, const double *step);

enum { TRUST_REFUSALS = 60 }; /* a radius shrunk so often is nothing */

#endif
