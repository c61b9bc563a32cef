/* minimise: what a minimiser sees: a function of many numbers, smooth but for an L1 penalty, and never the data behind
 * it.
 *
 * The function may have negative curvature, and flat regions far out where its gradient vanishes. Everything that a
 * minimiser needs after an iteration is in one array of doubles, its memory, so that a caller can save it after any
 * iteration and resume later, to the same bits. */
#ifndef OPTIM_MINIMISE_H
#define OPTIM_MINIMISE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Calls return a status other than TEMPER_OK only for failures such as memory, which end the minimisation; a value or a
 * gradient that is not finite is handled by the minimiser. */
struct problem {
    size_t size; /* of w */
    void *context;
    temper_status (*evaluate)(void *context, const double *w, double *value, double *gradient, temper_error *error);
    /* From now on the Hessian is that at the w last evaluated, whatever is evaluated later. NULL if the problem has
     * none. Called for the start too. */
    void (*accept)(void *context);
    /* product = H v. NULL if there is none. */
    temper_status (*multiply)(void *context, const double *v, double *product, temper_error *error);
    /* The lower triangle of H, h[i * size + j], j <= i. NULL if it is too large, or there is none. */
    temper_status (*hessian)(void *context, double *h, temper_error *error);
    /* The same for the numbers index[count] of w, ascending, among them all that are not penalised: h[i * count + j].
     * NULL if there is none. */
    temper_status (*hessian_of)(void *context, const size_t *index, size_t count, double *h, temper_error *error);
    double hessian_rounding; /* errors of H as a share of its diagonal; 0: those of sums in doubles */
    /* v becomes M^-1 v for some M > 0 that resembles H. NULL: M = 1. */
    void (*precondition)(void *preconditioner, double *v);
    void *preconditioner;
    /* tron: instead, a diagonal M^-1, one number for every `diagonal_group` entries of v. */
    const double *diagonal;
    size_t diagonal_group;
    /* tron, with a diagonal M^-1: the second derivatives by the last `diagonal_group` numbers of w, those of no
     * penalty, at the accepted point. NULL: M^-1 stays as it is. */
    temper_status (*last_curvature)(void *context, double *curvature, temper_error *error);
    /* An L1 penalty: the value includes l1 |w_j| of the first `penalised` numbers; gradient and Hessian are those of
     * the rest of the function. 0: none. The norm of the gradient, in options and reports, is that of the minimum-norm
     * subgradient (l1_penalty.h). */
    double l1;
    size_t penalised;
};

/* The state after an iteration. */
struct optim_progress {
    size_t iteration;   /* 0: the start */
    size_t evaluations; /* of value and gradient */
    size_t products;    /* of the Hessian and a vector */
    size_t hessians;
    double value;
    double gradient_norm;
    const double *w;
    const double *memory; /* all that is needed to resume from here; NULL if options->no_memory */
    size_t memory_count;
};

enum optim_stop {
    OPTIM_CONVERGED,  /* the gradient is small enough, and so is the decrease that is still expected */
    OPTIM_MAX_ITER,   /* the limit of iterations came first */
    OPTIM_STALLED,    /* no step decreases the value any more */
    OPTIM_STOPPED,    /* on_progress returned false */
    OPTIM_NOT_FINITE, /* no finite value or gradient at the start; the result's value shows which */
};

/* How far the value may be from its minimum at convergence. The distance is estimated by the decrease that a quadratic
 * model of the function predicts: a small gradient alone proves little where the curvature is small too. */
struct optim_distance {
    double share;    /* of the value; 0: the gradient alone decides */
    double absolute; /* this is small enough in any case, */
    double value;    /* and so is this value; values are not negative */
    /* That of the penalty; 0: none. Directions whose curvature a method has not measured are taken to have it: a lower
     * bound where the rest of the function is convex and all of w is penalised. Intercepts are not, and other losses
     * have negative curvature, so that the decrease that follows from it is one more estimate and no proof. */
    double curvature;
    double lower_bound; /* no value is smaller; 0: none is known */
};

/* Whether the lower bound shows that this value is near enough to the minimum. */
bool optim_bound_reached(const struct optim_distance *distance, double value);

struct optim_options {
    double gradient_norm;           /* converged at this or below, */
    double gradient_entry;          /* or, if this is above 0, where no entry of the gradient exceeds it, */
    struct optim_distance distance; /* if this is small enough too */
    size_t max_iterations;
    /* The minimiser ends after so many iterations, as if they were the limit, unless the norm of the gradient has come
     * down to `trial_norm`: then another minimiser is faster. 0: no trial. */
    size_t trial_iterations;
    double trial_norm;
    double min_decrease; /* of the value in a hundred iterations, else it is stalled; 0: rounding */
    size_t history;      /* L-BFGS: pairs of vectors; 0: 100, fewer for very long vectors */
    double first_length; /* of the first step at most, in the norm of `length`; 0: 1 */
    /* L-BFGS: the function is convex, so that only steps made without knowing the curvature are limited in length. */
    bool convex;
    /* The length of a step v: the root mean square change of the scores of all rows; it keeps steps from jumping into
     * the region where the loss is flat. Linear in the size of v. Later steps are at most 8, twice that after a step of
     * 8 was a good one, and so on. It is not called for steps that are short beside those measured before. The context
     * is that of the problem. NULL: not limited. */
    temper_status (*length)(void *context, const double *v, double *length, temper_error *error);
    /* Called at the start and after every iteration; false stops the minimiser. May be NULL. A minimiser that resumes
     * does not report its first point again. */
    bool (*on_progress)(void *context, const struct optim_progress *progress);
    void *progress_context;
    bool no_memory; /* on_progress needs no memory, which saves a copy of w */
    /* NULL, or gets the gradient at the w that is returned, if result->at_last_evaluation. */
    double *gradient;
    /* To resume: the memory of an earlier minimisation of the same problem and options (max_iterations, which counts
     * the iterations of before too, and gradient_norm may differ). NULL: start at w. It is copied, and includes w and
     * all counters; the one evaluation that takes the problem back to w is not counted. TEMPER_BAD_DATA where it does
     * not fit. */
    const double *memory;
    size_t memory_count;
    /* Value and gradient at the start, where they are known: the problem was evaluated there last, and is not again,
     * but it counts as an evaluation. NULL: not known. */
    const double *start_gradient;
    double start_value;
};

struct optim_result {
    enum optim_stop stop;
    size_t iterations, evaluations, products, hessians;
    double value, gradient_norm; /* at the w that was returned */
    bool at_last_evaluation;     /* the problem was last evaluated at that w */
};

/* Each starts at w and leaves there the best of its points: that of the smallest value; where values differ by rounding
 * in floats alone, of the smallest gradient. On failure w is the best point so far too (and the result untouched).
 * Nothing is allocated after the start. */
typedef temper_status minimiser_fn(const struct problem *problem, const struct optim_options *options, double *w,
                                   struct optim_result *result, temper_error *error);

minimiser_fn minimise_lbfgs;  /* any size; uses precondition */
minimiser_fn minimise_newton; /* needs hessian; a few hundred numbers */
minimiser_fn minimise_tron;   /* needs multiply; conjugate gradients in a trust region */

/* With an L1 penalty; numbers that are 0 at the minimum are exactly 0 there. */
minimiser_fn minimise_proximal; /* needs hessian_of and multiply */
enum { PROXIMAL_SET = 2048 };   /* numbers of a working set at most: its Hessian takes 32 MiB */
minimiser_fn minimise_orthant;  /* gradients alone are enough */

#endif
