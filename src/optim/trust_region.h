/* trust_region: steps that minimise a quadratic model of the function within a radius, which grows and shrinks with how
 * well the model predicts. */
#ifndef OPTIM_TRUST_REGION_H
#define OPTIM_TRUST_REGION_H

#include "kernel/small/cholesky_update.h"
#include "optim/solver_state.h"

/* A step, as the quadratic model sees it. */
struct trust_step {
    const double *step; /* trial - w */
    double norm;        /* in the norm of the region */
    double slope;       /* gradient' step, plus the change of the penalty: */
    double penalty;     /* that of the L1 penalty; 0 without one */
    double curvature;   /* step' H step */
    bool at_boundary;   /* the region kept it from being longer, */
    bool limited;       /* or the limit on the length of steps did */
};

/* The decrease of the value that the model predicts; not positive for a useless step. */
double trust_predicted_decrease(const struct trust_step *step);
/* Whether neither the region nor the limit shortened it: it leads to the minimum of the model. */
bool trust_step_is_free(const struct trust_step *step);
/* Multiplies the step, and the vector that it is, by `factor`. */
void trust_scale_step(struct trust_step *step, double *vector, double factor, size_t n);

/* After the trial w + step was evaluated: whether it should be accepted; head->radius becomes what
 * the next step may use. */
bool trust_accept_step(struct solver_state *state, const struct trust_step *step);

/* state->trial = w + step; false if that changes nothing. */
bool trust_place_trial(struct solver_state *state, const double *step);

enum { TRUST_MAX_REJECTIONS = 60 }; /* of one iteration: a radius reduced so often is practically 0 */

/* The trust-region subproblem: minimises g's + s'Hs/2 over |s| <= radius (within a tenth of it). H may be anything
 * symmetric. */
struct trust_region {
    size_t n;
    const double *h; /* lower triangle, row by row */
    const double *g;
    double radius;
    double rounding;            /* errors of H as a share of its largest diagonal entry; 0: those of sums in doubles */
    double *s;                  /* the solution */
    double *factor;             /* n x n; the Cholesky factor of H, if s is not on the boundary */
    double *z;                  /* n; overwritten */
    cholesky_update_fn *update; /* the kernel of the factorisations */
};

/* True if s is on the boundary. */
bool trust_region_solve(const struct trust_region *region);

/* s'Hs, from the lower triangle. */
double trust_region_curvature(const double *h, const double *s, size_t n);

#endif
