/* run: what all minimisers share: counting, the best point, following, memory, and when to end.
 *
 * Everything that has to outlive an iteration lies in one array, run->memory: the head below, then
 * w, its gradient, the best point, and what the method keeps for itself. So a copy of that array
 * after an iteration is all that is needed to go on to the same bits. */
#ifndef OPTIM_SOLVER_STATE_H
#define OPTIM_SOLVER_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "optim/minimise.h"

/* The beginning of the memory. All are doubles, so that the memory can be saved as numbers. */
struct optim_head {
    double kind; /* which minimiser: enum optim_kind */
    double size; /* of w */
    double iteration, evaluations, products, hessians;
    double value, gradient_norm; /* at w */
    double start_norm;           /* of the gradient at the start */
    double lowest;               /* the smallest value so far */
    double best_value, best_norm;
    double mark_value, mark_norm; /* at the last progress that was more than rounding, */
    double idle;                  /* and how many iterations ago that was */
    double stiffness;             /* the length of a step per its norm, the largest of late */
    double reach;                 /* how far a step may go, in the norm of options->length */
    double extra;                 /* how many numbers of the method's own are in use */
    double radius;                /* of the trust region */
    double pairs, next;           /* L-BFGS: how many there are, and which is overwritten next */
    double gamma;                 /* L-BFGS: the initial metric is gamma M^-1 */
    double history_limit;         /* L-BFGS: how many there may be */
};

enum optim_kind { OPTIM_LBFGS = 1, OPTIM_NEWTON = 2, OPTIM_TRON = 3 };

struct solver_state {
    const struct problem *problem;
    const struct optim_options *options;
    temper_error *error;
    double *memory, *rest;          /* what all below lies in */
    struct optim_head *head;        /* the memory's first numbers, */
    double *w, *gradient, *best;    /* the vectors that follow them (see solver_best), */
    double *extra;                  /* and the rest */
    size_t extra_room;              /* head->extra at most */
    double *trial, *trial_gradient; /* a point that is being considered; free between iterations */
    double trial_value, trial_norm;
    double *scratch; /* the method's own; not needed after an iteration */
    bool best_here;  /* w is the best point, whatever `best` holds */
    bool stands;     /* the problem was asked about w last */
    bool going;      /* `follow` has not said that it is enough */
    enum optim_stop stop;
};

/* What makes a minimiser. */
struct optim_method {
    enum optim_kind kind;
    /* One iteration: to a better point, by solver_accept; *moved stays false if there is none. */
    temper_status (*iterate)(void *self, bool *moved);
    /* Whether the method's own numbers in a memory that was handed in make sense. */
    bool (*sound)(const void *self);
};

/* How many doubles a method wants beside what all have. */
struct optim_room {
    size_t extra, scratch;
};

temper_status solver_open(struct solver_state *run, const struct problem *problem, const struct optim_options *options,
                          struct optim_room room, temper_error *error);
void solver_close(struct solver_state *run);

/* The whole run, from w or from options->memory to the end; `self` is handed to the method. */
temper_status solver_drive(struct solver_state *run, const struct optim_method *method, void *self, double *w,
                           struct optim_result *result);

/* Its steps, for a run that is advanced from outside. The trial, which was evaluated, is the start;
 * or a memory was taken up (optim/resume.h); */
void solver_begin(struct solver_state *run);
/* whether the run ends here, and if so, why; */
bool solver_ends(const struct solver_state *run, enum optim_stop *stop);
/* an iteration was made; */
void solver_moved(struct solver_state *run);
/* the end, and what the best point is like. */
void solver_end(struct solver_state *run, enum optim_stop stop);
struct optim_result solver_result(const struct solver_state *run);
/* The best point so far; and whether w is that, as it can be even where the run came back to it. */
const double *solver_best(const struct solver_state *run);
bool solver_best_is_here(const struct solver_state *run);

/* Value and gradient at run->trial. */
temper_status solver_try(struct solver_state *run);
/* They are there. What is not finite makes trial_norm infinite. */
void solver_tried(struct solver_state *run);
bool solver_trial_finite(const struct solver_state *run);
/* The trial, which was evaluated last, becomes the point to go on from. */
void solver_accept(struct solver_state *run);

/* Differences of values below this are rounding: the objective may be summed in floats. */
double solver_noise(const struct solver_state *run);

/* By what factor the step v may be multiplied so that it is no longer than `limit`, in the norm of
 * options->length. Where earlier measurements show that it is far from it, it is not measured. */
temper_status solver_reach(struct solver_state *run, const double *v, double limit, double *factor);
/* The same in two steps: false if v has to be measured, and the factor by its length; 0 if that is
 * not known. */
bool solver_reach_known(const struct solver_state *run, const double *v, double limit, double *factor);
double solver_reach_measured(struct solver_state *run, const double *v, double limit, double length);
/* The limit of the next step: short for the first, and for any that is `blind`: made without
 * knowing the curvature. */
double solver_length_limit(const struct solver_state *run, bool blind);
/* A step as long as the limit allowed was a good one: activations are large here, and later steps
 * may go twice as far. */
void solver_widen(struct solver_state *run);

#endif
