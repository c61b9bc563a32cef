/* solver_state: what all minimisers share: counters, the best point, progress reports, memory, and when to stop.
 *
 * Everything that has to outlive an iteration is in one array, state->memory: the head below, then w, its gradient, the
 * best point, and the numbers of the method. A copy of that array after an iteration is all that is needed to continue
 * to the same bits. */
#ifndef OPTIM_SOLVER_STATE_H
#define OPTIM_SOLVER_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "optim/minimise.h"

/* Iterations from which a rate of convergence is estimated, twice. */
enum { SOLVER_WINDOW = 5 };

/* The beginning of the memory. All are doubles, so that the memory can be saved as numbers. */
struct solver_head {
    double kind; /* of the minimiser: enum solver_kind */
    double size; /* of w */
    double iteration, evaluations, products, hessians;
    double value, gradient_norm; /* at w */
    double start_norm;           /* of the gradient at the start */
    double lowest;               /* the smallest value so far */
    double best_value, best_norm;
    double progress_value, progress_norm; /* at the last progress that was more than rounding, */
    double idle_iterations;               /* and how many iterations ago that was */
    double stiffness;                     /* length of a step divided by its norm: the largest of late */
    double length_limit;                  /* of a step, in the norm of options->length */
    double extra;                         /* how many numbers of the method are in use */
    double radius;                        /* of the trust region */
    double pairs, next;                   /* L-BFGS: how many there are, and which is overwritten next */
    double gamma;                         /* L-BFGS: the initial inverse Hessian is gamma M^-1 */
    double history_limit;                 /* L-BFGS: pairs at most */
    double expected_decrease;             /* of the value, from w to the minimum; negative: not known */
    double decreases;                     /* how many of these are known: */
    double decrease[2 * SOLVER_WINDOW];   /* of the last iterations, the newest first */
};

enum solver_kind { OPTIM_LBFGS = 1, OPTIM_NEWTON = 2, OPTIM_TRON = 3, OPTIM_PROXIMAL = 4, OPTIM_ORTHANT = 5 };

struct solver_state {
    const struct problem *problem;
    const struct optim_options *options;
    temper_error *error;
    double *memory, *rest;          /* the two allocations; everything below points into them */
    struct solver_head *head;       /* the first numbers of the memory, */
    double *w, *gradient, *best;    /* the vectors that follow them (see solver_best), */
    double *extra;                  /* and the numbers of the method */
    size_t extra_room;              /* head->extra at most */
    double *trial, *trial_gradient; /* a point that is being considered; free between iterations */
    double trial_value, trial_norm;
    double *scratch;         /* of the method; not needed after an iteration */
    bool w_is_best;          /* w is the best point, whatever `best` holds */
    bool at_last_evaluation; /* the problem was last evaluated at w */
    bool going;              /* on_progress has not asked to stop */
    enum optim_stop stop;
};

/* What distinguishes one minimiser from another. */
struct optim_method {
    enum solver_kind kind;
    /* One iteration: to a better point, by solver_accept; *moved stays false if there is none. */
    temper_status (*iterate)(void *self, bool *moved);
    /* Whether the numbers of the method in a memory that was handed in are consistent. */
    bool (*is_valid)(const void *self);
};

/* How many doubles a method needs besides those that all have. */
struct solver_workspace {
    size_t extra, scratch;
};

temper_status solver_open(struct solver_state *state, const struct problem *problem,
                          const struct optim_options *options, struct solver_workspace workspace, temper_error *error);
void solver_close(struct solver_state *state);

/* The whole minimisation, from w or from options->memory to the end; `self` is passed to the method. */
temper_status solver_run(struct solver_state *state, const struct optim_method *method, void *self, double *w,
                         struct optim_result *result);

/* The steps of solver_run, for a minimiser in reverse communication. First: the evaluated trial becomes the start
 * (solver_resume instead, where there is a memory). */
void solver_begin(struct solver_state *state);
/* Whether the minimiser stops at this point, and if so, why. */
bool solver_should_stop(const struct solver_state *state, enum optim_stop *stop);
/* After each iteration: counts it, and reports progress. */
void solver_iteration_done(struct solver_state *state);
/* At the end: fixes the result at the best point. */
void solver_end(struct solver_state *state, enum optim_stop stop);
struct optim_result solver_result(const struct solver_state *state);
/* The best point so far; and whether w equals it. */
const double *solver_best(const struct solver_state *state);
bool solver_is_at_best(const struct solver_state *state);

/* For another minimisation by the same object, of a function of similar curvature: counters begin at 0 again; the
 * numbers of the method and the stiffness remain. */
void solver_restart(struct solver_state *state);

/* Evaluates value and gradient at state->trial. */
temper_status solver_evaluate_trial(struct solver_state *state);
/* To be called after an evaluation at the trial: counts it. trial_norm becomes infinite where value or gradient are not
 * finite. */
void solver_evaluated(struct solver_state *state);
bool solver_trial_finite(const struct solver_state *state);
/* The trial, which was evaluated last, becomes w. */
void solver_accept(struct solver_state *state);

/* Whether the gradient at w is small enough, and the decrease that is still possible decides whether the minimiser has
 * converged. The method then estimates it: */
bool solver_checks_distance(const struct solver_state *state);
bool solver_has_converged(const struct solver_state *state);
/* The decrease that a model of the function predicts from w to its minimum; and `bound`, with
 * options->distance.curvature wherever the model knows none (0: there is none). The latter may be larger by a factor,
 * as most directions have more curvature than that. */
void solver_expect_decrease(struct solver_state *state, double decrease, double bound);
/* The largest one at which the minimiser has converged. */
double solver_decrease_limit(const struct solver_state *state);
/* Records the decrease of an iteration. */
void solver_record_decrease(struct solver_state *state, double decrease);
/* The decrease of all further iterations together if they continue as the last ones; 0 as long as too few are known. */
double solver_extrapolated_decrease(const struct solver_state *state);

/* Differences of values below this are rounding: the objective may be summed in floats. */
double solver_rounding(const struct solver_state *state);

/* By what factor the step v may be multiplied so that it is no longer than `limit`, in the norm of options->length.
 * Where earlier measurements show that it is much shorter, it is not measured. */
temper_status solver_step_factor(struct solver_state *state, const double *v, double limit, double *factor);
/* The same in two steps, for reverse communication: false if v has to be measured; then the factor from its measured
 * length, infinite if that is 0 or not finite. */
bool solver_step_factor_known(const struct solver_state *state, const double *v, double limit, double *factor);
double solver_step_factor_measured(struct solver_state *state, const double *v, double limit, double length);
/* The limit of the next step: short for the first, and for any that is `blind`: made without knowing the curvature. */
double solver_length_limit(const struct solver_state *state, bool blind);
/* To be called after a step as long as the limit was a good one: scores are large here, and later steps may be twice as
 * long. */
void solver_extend_limit(struct solver_state *state);

/* Copies options->memory to state->memory, and its w to state->trial, which is to be evaluated. `is_valid` checks the
 * numbers of the method. TEMPER_BAD_DATA if it is not the memory of such a minimiser. */
temper_status solver_restore(struct solver_state *state, enum solver_kind kind, bool (*is_valid)(const void *self),
                             const void *self);
/* The trial was evaluated: the problem is at its w again. TEMPER_BAD_DATA if it is another problem. */
temper_status solver_resume(struct solver_state *state);

#endif
