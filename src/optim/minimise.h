/* problem: what a minimiser sees: a smooth function of many numbers, and never the data behind it.
 *
 * The function may have negative curvature and flat regions far out where its gradient vanishes.
 * What a minimiser has to remember between iterations lies in one array of doubles (its memory), so
 * that a caller can save it after any iteration and go on later, to the same bits. */
#ifndef OPTIM_MINIMISE_H
#define OPTIM_MINIMISE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Calls return a status other than TEMPER_OK only for failures such as memory, which end the run;
 * a value or a gradient that is not finite is the minimiser's to handle. */
struct problem {
    size_t size; /* of w */
    void *context;
    temper_status (*evaluate)(void *context, const double *w, double *value, double *gradient, temper_error *error);
    /* From now on curvature is that at the w last evaluated, whatever is evaluated later. NULL if
     * the problem has none. Called for the start too. */
    void (*accept)(void *context);
    /* product = H v. NULL if there is none. */
    temper_status (*multiply)(void *context, const double *v, double *product, temper_error *error);
    /* The lower triangle of H, h[i * size + j], j <= i. NULL if it is too large, or there is none.
     */
    temper_status (*hessian)(void *context, double *h, temper_error *error);
    /* v becomes M^-1 v for some M > 0 that resembles H. NULL: M = 1. */
    void (*precondition)(void *preconditioner, double *v);
    void *preconditioner;
    /* tron: instead, an M^-1 that is diagonal, one number for every `together` entries of v. */
    const double *diagonal;
    size_t together;
};

/* Where a run is, after an iteration. */
struct optim_progress {
    size_t iteration;   /* 0: the start itself */
    size_t evaluations; /* of value and gradient */
    size_t products;    /* of the Hessian and a vector */
    size_t hessians;
    double value;
    double gradient_norm;
    const double *w;
    const double *memory; /* all that is needed to go on from here; NULL if options->forgets */
    size_t memory_count;
};

enum optim_stop {
    OPTIM_CONVERGED,  /* the gradient is small enough */
    OPTIM_MAX_ITER,   /* the limit came first */
    OPTIM_STALLED,    /* no step makes the value smaller any more */
    OPTIM_STOPPED,    /* `follow` said so */
    OPTIM_NOT_FINITE, /* no finite value or gradient at the start; the result's value says which */
};

struct optim_options {
    double gradient_norm; /* converged at this or below */
    size_t max_iterations;
    double least_fall;   /* of the value in a hundred iterations, else it is stalled; 0: rounding */
    size_t history;      /* L-BFGS: pairs of vectors; 0: 100, fewer for very long vectors */
    double first_length; /* of the first step at most, in the norm of `length`; 0: 1 */
    /* How far a step v would move what the function is made of: the root mean square change of the
     * activations; so that no step leaps on to the flat part. Linear in the size of v. Later steps
     * are at most 8, twice that after a step of 8 was a good one, and so on. It is not called for
     * steps that are short beside those measured before. The context is that of the problem. NULL:
     * not limited. */
    temper_status (*length)(void *context, const double *v, double *length, temper_error *error);
    /* Called at the start and after every iteration; false stops the run. May be NULL. A run that
     * goes on from a memory does not show its first point again. */
    bool (*on_progress)(void *context, const struct optim_progress *progress);
    void *progress_context;
    bool forgets; /* `follow` needs no memory, which spares a copy of w */
    /* NULL, or gets the gradient at the w that is returned, if result->stands. */
    double *gradient;
    /* From an earlier run of the same problem and options (max_iterations, which counts those of
     * before too, and gradient_norm may differ). NULL: begin. It is copied, holds w, and stands for
     * counters that go on; the one evaluation that takes the problem back to w is not counted.
     * TEMPER_BAD_DATA where it does not fit. */
    const double *memory;
    size_t memory_count;
    /* Value and gradient at the start, where they are known: the problem was evaluated there last, and is not again,
     * but it counts. NULL: not known. */
    const double *start_gradient;
    double start_value;
};

struct optim_result {
    enum optim_stop stop;
    size_t iterations, evaluations, products, hessians;
    double value, gradient_norm; /* at the w that was returned */
    bool stands;                 /* which is what the problem was asked about last */
};

/* Each starts at w and leaves there the best point it stood at: of the smallest value; where values
 * differ by rounding in floats alone, of the smallest gradient. On failure w is the best so far too
 * (and the result untouched). Nothing is allocated after the start. */
typedef temper_status minimiser_fn(const struct problem *problem, const struct optim_options *options, double *w,
                                   struct optim_result *result, temper_error *error);

minimiser_fn minimise_lbfgs;  /* any size; uses precondition */
minimiser_fn minimise_newton; /* wants hessian; a few hundred numbers */
minimiser_fn minimise_tron;   /* wants multiply; conjugate gradients in a trust region */

#endif
